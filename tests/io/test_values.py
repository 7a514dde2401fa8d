"""Rows, arrays and files of values: what is read from them, and what is refused."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from loading import collection

import rankstone as rs
from rankstone.core.provenance import MEMORY
from rankstone.io import frames
from rankstone.io.frames.columns import as_narwhals, open_table
from rankstone.io.rows import judgments_from
from rankstone.verbs.load import load_judgments, load_run


def codes(notices):
    return {n.code: (n.count, n.examples) for n in notices}


def test_repeated_judgments_are_counted_with_the_first_as_example():
    rows = [(q, "d", 1.0) for q in ("b", "b", "b", "a", "a", "c", "c")]
    rows += [(q, "e", grade) for q in ("b", "a") for grade in (0.0, 2.0, 1.0, 2.0)]
    found = codes(judgments_from(rows, MEMORY, "rows").notices)
    assert found == {
        "repeated-judgments": (6, ("document d of query a",)),
        "contradicting-judgments": (4, ("document e of query a",)),
    }


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


def run_of(**columns):
    return pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "e"], "score": [1, 2]} | columns)


@pytest.mark.parametrize("kind", [object, "str"])
def test_categories_are_ids_of_text_or_numbers(kind):
    texts = pd.Categorical(["d", "e"], categories=pd.Index(["e", "d"], dtype=kind))
    assert rs.evaluate({"q": {"d": 1}}, run_of(doc_id=texts), "RR")["RR"] == 0.5
    numbers = pd.Categorical([7, 5], categories=pd.Index([5, 7]))
    assert rs.evaluate({"q": {7: 1}}, run_of(doc_id=numbers), "RR")["RR"] == 0.5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.to_datetime(["2020-01-01", "2020-01-02"]).astype("datetime64[ns]"), "column 'doc_id' is of type datetime64[ns]; ids are text or whole numbers, scores and grades are numbers."),
        (pd.Series(["d", 1.5], dtype=object), "column 'doc_id' holds 1.5 (float) in row 1 (rows count from 0); ids are text or whole numbers, scores and grades are numbers."),
        (pd.Series(["d", ["e"]], dtype=object), "column 'doc_id' holds ['e'] (list) in row 1 (rows count from 0); ids are text or whole numbers, scores and grades are numbers."),
        (pd.Series(["d", float("nan")], dtype=object), "column 'doc_id' has no value in row 1 (rows count from 0); fill it or drop the row."),
        (pd.Series(["d", None], dtype=object), "column 'doc_id' has no value in row 1 (rows count from 0); fill it or drop the row."),
        (pd.Series([1, pd.NA], dtype="Int64"), "column 'doc_id' has no value in row 1 (rows count from 0); fill it or drop the row."),
        (pd.Categorical(["d", None]), "column 'doc_id' has no value in row 1 (rows count from 0); fill it or drop the row."),
    ],
)  # fmt: skip
def test_a_column_that_cannot_be_ids(values, message):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"d": 1}}, run_of(doc_id=values), "RR")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (pa.array([1, 2], pa.date32()), "holds dates or times"),
        (pa.array([1, 2]).cast(pa.decimal128(21, 2)), "holds decimals"),
        (pa.array([True, False]), "holds booleans"),
        (pa.array([[1], [2]]), "holds lists or records"),
        (pa.array([b"d", b"e"]), "holds bytes"),
    ],
)
def test_a_column_of_an_arrow_type_that_cannot_be_ids(values, words):
    docs = pd.Series(pd.arrays.ArrowExtensionArray(values))
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"d": 1}}, run_of(doc_id=docs), "RR")
    message = f"run: column 'doc_id' {words}; a document id is text or a whole number."
    assert str(caught.value).startswith(message)


def test_queries_without_judgments_are_named_as_they_are_written():
    run = pd.DataFrame({"query_id": [1, 9], "doc_id": ["d", "d"], "score": [1, 1]})
    result = rs.evaluate({1: {"d": 1}}, run, "RR")
    (notice,) = (n for n in result.notices if n.code == "unjudged-queries")
    assert (notice.count, notice.examples) == (1, ("9",))
    run = pd.DataFrame({"query_id": ["q", "x"], "doc_id": [5, 5], "score": [1, 1]})
    (notice,) = (n for n in rs.evaluate({"q": {5: 1}}, run, "RR").notices if n.code == "unjudged-queries")  # fmt: skip
    assert notice.examples == ("x",)


def test_rows_without_numbers_are_scored_by_their_order():
    run = frames.run_of(run_of()[["query_id", "doc_id"]])
    found = run.match(load_judgments({"q": {"d": 1, "e": 1}}), float32=False, repeats=False)
    score = dict(zip(found.judgment.tolist(), found.score.tolist(), strict=True))
    assert score[0] > score[1]


def test_a_processor_that_cannot_be_counted_is_one(monkeypatch):
    monkeypatch.setattr(frames.os, "cpu_count", lambda: None)
    assert frames.run_of(run_of()).threads == 1
    assert frames.run_of(run_of(), threads=3).threads == 3


def test_a_column_of_sets_is_not_one_of_lists():
    frame = pd.DataFrame({"query_id": ["q"], "x": [{1}]})
    with pytest.raises(rs.DataError, match=r"\(--columns doc=\.\.\.\)\.$"):
        rs.evaluate({"q": {"d": 1}}, frame, "RR")


class Collected:
    """Some table that is not Spark's."""

    def toPandas(self):
        return None


@pytest.mark.parametrize("data", [SimpleNamespace(source=1), SimpleNamespace(match=1), Collected()])
def test_objects_that_are_no_runs(data):
    with pytest.raises(rs.UsageError) as caught:
        load_run(data)
    assert str(caught.value).startswith(f"cannot read a run from {type(data).__name__}; ")


@pytest.mark.parametrize(("name", "expected"), [(None, "run"), ("mine", "mine")])
def test_grades_in_order_of_rank_have_a_name(name, expected):
    assert collection([[1, 0]], name=name).name == expected
    found = collection([1, 0], not_retrieved=[2])
    assert found.single
    assert rs.evaluate([1, 0], None, "R", not_retrieved=[2])["R"] == 0.5


def test_an_object_that_is_no_table():
    with pytest.raises(rs.DataError, match=f"^cannot read a table from {type(Path()).__name__}.$"):
        open_table(Path())


def test_tables_that_narwhals_knows_are_told_from_other_objects():
    assert as_narwhals(run_of()).columns == ["query_id", "doc_id", "score"]
    assert as_narwhals(Path()) is None
    assert as_narwhals([1]) is None
