"""Sparse matrices, and parts of runs that end within a query."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import rankstone as rs
from rankstone.io.sparse import is_sparse
from rankstone.io.split_query import joined, last_query_apart


def matrix(rows):
    return pytest.importorskip("scipy.sparse").csr_matrix(np.array(rows, float))


def test_what_is_a_sparse_matrix():
    assert is_sparse(matrix([[1]]))
    assert not is_sparse(SimpleNamespace(tocoo=1))
    assert not is_sparse(np.ones(1))


def test_sparse_matrices_beside_scores():
    judged, scores = matrix([[0, 1, 0], [1, 0, 0]]), np.array([[3.0, 2, 1], [1, 2, 3]])
    exclude = matrix([[1, 0, 0], [1, 0, 1]])
    result = rs.evaluate(judged, scores, "RR", exclude=exclude)
    assert result.per_query[0] == {"RR": 1}
    found = {n.code: (n.count, n.examples) for n in result.notices if n.code.startswith("excl")}
    assert found == {
        "excluded": (3, ("document 0 of query 0",)),
        "excluded-judged": (1, ("document 0 of query 1",)),
    }
    mask = np.array([[True] * 3, [False, True, True]])
    masked = rs.evaluate(judged, scores, "NumRet", exclude=exclude, mask=mask)
    assert [row["NumRet"] for row in masked.per_query.values()] == [2, 1]
    assert {n.code: n.count for n in masked.notices if n.code.startswith("excl")} == {"excluded": 2}
    with pytest.raises(rs.DataError, match="^judgments are 2 x 3 and scores 2 x 2: the two must"):
        rs.evaluate(judged, scores[:, :2], "RR")


def test_an_empty_row_of_sparse_judgments_is_a_query():
    judged, run = matrix([[0, 1], [0, 0]]), matrix([[2, 1], [1, 0]])
    assert rs.evaluate(judged, run, "RR").per_query == {0: {"RR": 0.5}, 1: {"RR": 0}}


def frame(queries):
    return pd.DataFrame({"query_id": list(queries), "doc_id": list("abcdef")[: len(queries)], "score": 1.0})  # fmt: skip


@pytest.mark.parametrize(
    ("queries", "closed", "open_rows"), [("qqr", 2, 1), ("qrr", 1, 2), ("qqq", 0, 3), ("rqrr", 2, 2)]
)  # fmt: skip
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_last_query_of_a_part_stays_open(kind, queries, closed, open_rows):
    import polars as pl
    import pyarrow as pa

    whole = frame(queries)
    part = {"pandas": lambda f: f, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[kind](whole)  # fmt: skip
    first, last = last_query_apart(part, None)
    assert (0 if first is None else len(first)) == closed
    assert len(last) == open_rows
    both = joined(last, part)
    assert len(both) == open_rows + len(queries)
    if kind == "pandas":
        assert list(both.index) == list(range(len(both)))


def test_the_last_query_of_a_dict_stays_open():
    assert last_query_apart({"q": ["a"], "r": ["b"]}, None) == ({"q": ["a"]}, {"r": ["b"]})
    assert last_query_apart({"q": ["a"]}, None) == (None, {"q": ["a"]})
    assert joined(None, {"q": ["a"]}) == {"q": ["a"]}
    assert joined({"q": ["a"]}, {"q": ["b"], "r": ["c"]}) == {"q": ["a", "b"], "r": ["c"]}
    assert joined({"q": {"a": 1}}, {"r": {"c": 1}, "q": {"b": 2}}) == {"q": {"a": 1, "b": 2}, "r": {"c": 1}}  # fmt: skip
    assert list(joined({"q": ["a"]}, {"r": ["b"]}).items()) == [("q", ["a"]), ("r", ["b"])]
    with pytest.raises(rs.UsageError, match="all parts are of one kind"):
        joined({"q": ["a"]}, frame("q"))
    with pytest.raises(rs.UsageError, match="not as Index"):
        last_query_apart(pd.Index(["a"]), None)
    with pytest.raises(rs.UsageError, match="not as list"):
        last_query_apart([["a"]], None)
