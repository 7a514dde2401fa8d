"""Sparse matrices, and parts of runs that end within a query."""

from __future__ import annotations

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


KINDS = ["pandas", "polars", "pyarrow"]


def as_frame(columns, kind):
    import polars as pl
    import pyarrow as pa

    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[kind]
    return make({name: list(map(int, v)) if name != "score" else list(v) for name, v in columns.items()})  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_frames_with_columns_of_ids_are_not_matrices(kind):
    scores = np.array([[0.1, 0.9, 0.5], [0.8, 0.2, 0.1], [0.3, 0.2, 0.9]])
    judged = as_frame({"userId": [1, 2, 0], "movieId": [0, 2, 1]}, kind)
    graded = as_frame({"userId": [1, 2, 0], "movieId": [0, 2, 1], "rating": [1, 1, 1]}, kind)
    pairs = np.indices((3, 3)).reshape(2, -1)
    rows = as_frame({"user": pairs[0], "item": pairs[1], "score": scores.ravel()}, kind)
    labels, exclude = matrix(np.eye(3)[[1, 0, 2]]), matrix([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    for judgments in (judged, graded, labels):
        for run in (matrix(scores), rows, scores):
            assert rs.evaluate(judgments, run, "R@1")["R@1"] == 1
            result = rs.evaluate(judgments, run, "R@1", exclude=exclude)
            assert result["R@1"] == 1
            assert "excluded" in {n.code for n in result.notices}
    comparison = rs.compare(judged, {"a": matrix(scores), "b": matrix(-scores)}, "R@1")
    assert comparison.means == {"a": {"R@1": 1}, "b": {"R@1": 0}}
    with pytest.raises(rs.DataError, match="^judgments are 3 x 2 and scores 3 x 3: the two must"):
        rs.evaluate(as_frame({"u": [0, 1, 2], "v": [1, 0, 2]}, kind), matrix(scores), "R@1")
    named = as_frame({"u": [0, 1, 2], "v": [1, 0, 2]}, kind)
    columns = {"query": "u", "doc": "v"}
    assert rs.evaluate(named, matrix(scores), "R@1", columns=columns)["R@1"] == 1


def test_frames_of_numbers_alone_are_matrices():
    scores = np.array([[0.1, 0.9, 0.5], [0.8, 0.2, 0.1], [0.3, 0.2, 0.9]])
    labels = np.eye(3)[[1, 0, 2]]
    assert rs.evaluate(pd.DataFrame(labels), matrix(scores), "R@1")["R@1"] == 1
    assert rs.evaluate(matrix(labels), pd.DataFrame(scores), "R@1")["R@1"] == 1


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


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array"])
def test_sparse_matrices_are_judgments_scores_and_exclusions(kind):
    from scipy import sparse

    make = getattr(sparse, kind)
    rng = np.random.default_rng(5)
    grades = rng.integers(1, 4, (20, 50)) * (rng.random((20, 50)) < 0.1)
    scores = rng.random((20, 50))
    known = (rng.random((20, 50)) < 0.2) & (grades == 0)
    names = "nDCG@10,AP,RR,R@5"
    expected = rs.evaluate(grades * 1.0, scores, names, mask=~known).per_query
    beside = rs.evaluate(make(grades), scores, names, exclude=make(known))
    assert beside.per_query == expected
    assert [(n.code, n.count) for n in beside.notices][:1] == [("excluded", int(known.sum()))]
    assert rs.evaluate(grades * 1.0, np.where(known, -np.inf, scores), names).per_query == expected
    stored = make(np.where(known, 0.0, scores))
    assert rs.evaluate(make(grades), stored, names).per_query == expected
    assert rs.evaluate(grades * 1.0, stored, names).per_query == expected
    assert rs.evaluate(make(grades), make(scores), names, exclude=make(known)).per_query == expected
    with pytest.raises(rs.DataError, match="judgments are 20 x 50 and scores 20 x 49"):
        rs.evaluate(make(grades), scores[:, 1:], names)


def test_a_masked_item_that_is_relevant_is_said():
    result = rs.evaluate(np.array([[1.0, 0.0, 1.0]]), np.array([[-np.inf, 0.3, 0.2]]), "RR")
    assert result["RR"] == 0.5
    assert [n.code for n in result.notices] == ["masked-relevant"]
    assert rs.RR(np.array([[1.0, 0.0, 1.0]]), np.array([[-np.inf, 0.3, 0.2]])).tolist() == [0.5]


def test_items_may_be_masked_in_two_ways():
    """By a mask and by the score -inf; what the mask leaves out is not spoken of."""
    labels, scores = np.array([[1.0, 0.0, 1.0, 1.0]]), np.array([[-np.inf, 0.3, 0.2, -np.inf]])
    mask = np.array([[True, True, True, False]])
    result = rs.evaluate(labels, scores, ["RR", "NumRet", "NumRel"], mask=mask)
    assert [*result.aggregates.values()] == [0.5, 2, 1]
    assert [(n.code, n.count) for n in result.notices] == [("masked-relevant", 1)]
    mask[0, 0] = False
    again = rs.evaluate(labels, scores, ["RR", "NumRet", "NumRel"], mask=mask)
    assert (again.aggregates, again.notices) == (result.aggregates, ())
