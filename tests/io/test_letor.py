"""Tests of letor."""

import numpy as np
import pandas as pd
import pytest

import rankstone as rs


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "uint16", "uint64"])
@pytest.mark.parametrize("number", ["float16", "float32", "float64", "longdouble", "int16"])
def test_numbers_of_every_size_are_read(kind, number):
    ids = np.array([1, 1, 2], kind)
    run = pd.DataFrame({"query_id": ids, "doc_id": np.array([3, 4, 4], kind)})
    run["score"] = np.array([1, 2, 1], number)
    result = rs.evaluate({1: {3: 1}, 2: {4: 1}}, run, "RR")
    assert result.per_query == {1: {"RR": 0.5}, 2: {"RR": 1}}


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("2\n" + "1" * 65 + "\n", f":2: expected the size of a group, found {'1' * 64!r}."),
        ("2\n" + "1" * 19 + "\n", f":2: expected the size of a group, found {'1' * 19!r}."),
        ("1\n" + "1" * 18 + "\n", f": the groups have {10**18 // 9 + 1} rows in all, but PATH has 2."),
        ("1\n\n2\n", ": the groups have 3 rows in all, but PATH has 2."),
        ("-1\n3\n", ":1: expected the size of a group, found '-1'."),
    ],
)  # fmt: skip
def test_sizes_of_groups_that_cannot_be(tmp_path, sizes, message):
    path, groups = tmp_path / "rows.svm", tmp_path / "rows.svm.query"
    path.write_text("1 1:0.5\n0 1:0.2\n")
    groups.write_text(sizes)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(path, {"1": {"1": 1}}, "RR")
    assert str(caught.value) == f"{groups}{message.replace('PATH', str(path))}"


def test_sizes_of_groups_number_queries_and_rows(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("1 1:0.5\n0 1:0.2\n1 1:0.1\n")
    (tmp_path / "rows.svm.query").write_text("1\n\n2\n")
    result = rs.evaluate(path, {"1": ["1"], "2": ["2", "3"]}, ["RR", "NumRel"])
    assert result.per_query == {"1": {"RR": 1, "NumRel": 1}, "2": {"RR": 0.5, "NumRel": 1}}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 x " + "y" * 99, f":2: expected 'label qid:query feature:value ...', found {'1 x ' + 'y' * 60!r}."),
        ("1 qid:1 1:2 1 qid:2", ":2: two rows in one line. Put each row on a line of its own."),
        ("1 qid:1\r1:2", ":2: a CR within the line. The file seems to have CR-only line ends; convert them to LF."),
        ("1", ":2: this row has no qid, but others have one."),
        ("1 1:2 # docid = d", ":2: this row has no qid, but others have one."),
        ("1 qid:1 1:2", ":2: this row names no document, but others do (docid = ...)."),
    ],
)  # fmt: skip
def test_a_letor_row_that_cannot_be(tmp_path, row, message):
    path = tmp_path / "rows.letor"
    path.write_bytes(f"1 qid:1 1:2 # docid = a\n{row}\n".encode())
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(path, {"1": ["a"]}, "RR")
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("rows", "docs"),
    [
        (["1 qid:1 # a", "2 qid:1 # b"], {"a": 1, "b": 2}),
        (["1 qid:1 # a", "2 qid:1 #"], {"1": 1, "2": 2}),
        (["1 qid:1 # a", "2 qid:1"], {"1": 1, "2": 2}),
        (["1 qid:1 # a", "2 qid:1 # a"], {"1": 1, "2": 2}),
        (["1 qid:1 # x docid = a y", "2 qid:1 # DOC_ID:b"], {"a": 1, "b": 2}),
        (["# note", "", "1 qid:1 1:3 # a", "2 qid:1 1:4 # b"], {"a": 1, "b": 2}),
    ],
)
def test_documents_of_letor_rows(tmp_path, rows, docs):
    path = tmp_path / "rows.letor"
    path.write_text("\n".join(rows))
    for doc, grade in docs.items():
        assert rs.evaluate(path, {"1": [doc]}, "CG")["CG"] == grade
    assert rs.evaluate(path, {"1": ["none"]}, "NumRel")["NumRel"] == len(docs)


def test_queries_without_judgments_are_named_as_they_are_written():
    run = pd.DataFrame({"query_id": [1, 9], "doc_id": ["d", "d"], "score": [1, 1]})
    result = rs.evaluate({1: {"d": 1}}, run, "RR")
    (notice,) = (n for n in result.notices if n.code == "unjudged-queries")
    assert (notice.count, notice.examples) == (1, ("9",))
    run = pd.DataFrame({"query_id": ["q", "x"], "doc_id": [5, 5], "score": [1, 1]})
    (notice,) = (n for n in rs.evaluate({"q": {5: 1}}, run, "RR").notices if n.code == "unjudged-queries")  # fmt: skip
    assert notice.examples == ("x",)
