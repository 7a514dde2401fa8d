"""Tables in files and in memory, whichever library reads them."""

from __future__ import annotations

import json
import re
import sys
from datetime import date
from decimal import Decimal
from zipfile import ZIP_DEFLATED, ZipFile

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.io.convert import convert
from rankstone.io.formats import tables
from rankstone.io.frames import is_frame, judgments_of, run_of
from rankstone.io.input_file import Input, ReadOptions

LIBRARIES = ["polars", "pyarrow", "none"]


@pytest.fixture(params=LIBRARIES)
def library(request, monkeypatch):
    """Only this library is there."""
    without(monkeypatch, *({"polars", "pyarrow"} - {request.param}))
    return request.param


def without(monkeypatch, *hidden):
    real = tables.find_spec
    monkeypatch.setattr(tables, "find_spec", lambda n: None if n in hidden else real(n))
    if "openpyxl" in hidden:
        monkeypatch.setitem(sys.modules, "openpyxl", None)


def evaluated(path, judged, **more):
    return rs.evaluate(judged, path, "RR", **more).per_query


HEAD = "query_id,doc_id,score\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "q,a,1\nq,d,2\n", 1),
        (HEAD + "q,a,3\nq,d,2\n", 0.5),
        (HEAD + "\nq,a,3\n\n\nq,d,2\n\n", 0.5),
        (HEAD + "\r\nq,a,3\r\n\r\nq,d,2\r\n\r\n", 0.5),
        ('query_id,doc_id,score\nq,"a\n\nb",3\n\nq,d,2\n\n', 0.5),
        ("sep=;\nquery_id;doc_id;score\nq;a;1\nq;d;2\n", 1),
        ("query_id;doc_id;score\nq;a;0,5\nq;d;0,25\n", 0.5),
        ("query_id,doc_id,rank\nq,a,1\nq,d,2\n", 0.5),
        ("query_id,doc_id\nq,a\nq,d\n", 0.5),
        ("query_id,doc_id,score,rank\nq,a,1,2\nq,d,1,1\n", 1),
        ("query_id\tdoc_id\tscore\tnote\nq\ta\t3\tx y\nq\td\t2\t\n", 0.5),
        ("\ufeff" + HEAD + 'q,"a",3\nq,"d",2\n', 0.5),
    ],
)
def test_text_is_read_alike_by_every_library(tmp_path, library, text, expected):
    path = tmp_path / "run.csv"
    path.write_text(text, encoding="utf-8")
    assert evaluated(path, {"q": {"d": 1}}) == {"q": {"RR": expected}}


def test_line_ends_within_fields_are_read_by_every_library(tmp_path, library):
    """The file is longer than what a library reads at once."""
    path = tmp_path / "run.csv"
    count = 1 << 16
    path.write_text(HEAD + "".join(f'q,"d\n{i:016}",{i}\n' for i in range(count)))
    result = rs.evaluate({"q": {f"d\n{count - 2:016}": 1}}, path, ["RR", "NumRet"])
    assert result.aggregates == {"RR": 0.5, "NumRet": count}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\ufeff" + HEAD + "q,d,1\nq,e,x\n", ":3: 'x' in column 'score' is not a number. Write it like 3, -0.25 or 1e-3."),
        (HEAD + "q,d,1\nq,e,x\n", ":3: 'x' in column 'score' is not a number. Write it like 3, -0.25 or 1e-3."),
        ("sep=;\n" + HEAD.replace(",", ";") + "q;d;1\nq;e;x\n", ":4: 'x' in column 'score' is not a number. Write it like 3, -0.25 or 1e-3."),
        (HEAD.replace(",", ";") + "q;d;0,5\nq;e;x,y\n", ":3: 'x,y' in column 'score' is not a number. Write it like 3, -0.25 or 1e-3."),
    ],
)  # fmt: skip
def test_a_field_that_is_not_a_number_is_named_by_its_line(tmp_path, library, text, message):
    path = tmp_path / "run.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(rs.DataError) as caught:
        evaluated(path, {"q": {"d": 1}})
    assert str(caught.value) == f"{path}{message}"


def test_a_row_that_is_too_short_is_an_error(tmp_path, library):
    path = tmp_path / "run.csv"
    path.write_text(HEAD + "q,d,1\nq,e\n")
    with pytest.raises(rs.DataError):
        evaluated(path, {"q": {"d": 1}})


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("query_id\tdoc_id\tscore\nq\td\t1\n", {}, False),
        ("query_id\tdoc_id\tscore\nq\td\t1\n", {"columns": {"query": "query_id"}}, True),
        ("query_id\tdoc_id\nq\td\n", {}, True),
        ("query_id\tdoc_id\tscore\na b\td\t1\n", {}, True),
        ('query_id\tdoc_id\tscore\n"a"\td\t1\n', {}, True),
        ("query_id\tdoc_id\tscore\nq\td\t0,5\n", {}, True),
        ("#query_id\tdoc_id\n", {}, True),
        ("a\tb\n", {}, False),
    ],
)
def test_a_table_is_told_from_rows_between_blanks(tmp_path, text, options, expected):
    path = tmp_path / "file"
    path.write_text(text)
    with Input.open(str(path), ReadOptions(**options)) as file:
        assert tables.CSV.detect(file) == expected


@pytest.mark.parametrize("part", [b"xl/workbook.xml", b"[Content_Types].xml", b"content.xml"])
def test_a_workbook_is_known_by_what_it_holds(tmp_path, part):
    path = tmp_path / "file"
    path.write_bytes(b"PK\x03\x04" + part)
    with Input.open(str(path), ReadOptions()) as file:
        assert tables.WORKBOOK.detect(file) == (part != b"content.xml")


def test_a_table_of_two_columns_may_be_named_csv(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("query_id,doc_id\nq,a\nq,d\n")
    result = rs.evaluate({"q": {"d": 1}}, path, "RR", input_format="json:csv")
    assert (result["RR"], result.name) == (0.5, "mine")
    assert rs.evaluate({"q": {"d": 1}}, path, "RR", name="other").name == "other"


class PanicException(BaseException):
    """What a library in Rust gives up with."""


@pytest.mark.parametrize(
    ("error", "expected"),
    [(PanicException("no"), rs.DataError), (ValueError("no"), rs.DataError), (SystemExit("no"), SystemExit), (MemoryError("no"), MemoryError)],
)  # fmt: skip
def test_a_library_that_gives_up_is_an_error_of_the_file(tmp_path, monkeypatch, error, expected):
    def fails(*_):
        raise error

    monkeypatch.setattr(tables, "_polars_text", fails)
    path = tmp_path / "run.csv"
    path.write_text(HEAD + "q,d,1\n")
    with pytest.raises(expected, match="no"):
        evaluated(path, {"q": {"d": 1}})


def test_a_library_that_says_nothing_is_named_by_its_error(tmp_path, monkeypatch):
    def fails(*_):
        raise ValueError

    monkeypatch.setattr(tables, "_polars_text", fails)
    path = tmp_path / "run.csv"
    path.write_text(HEAD + "q,d,1\n")
    with pytest.raises(rs.DataError, match=r": the table cannot be read \(ValueError\)\.$"):
        evaluated(path, {"q": {"d": 1}})


def test_a_byte_that_is_not_utf8_is_named_by_its_line(tmp_path, library):
    path = tmp_path / "run.csv"
    path.write_bytes(HEAD.encode() + b"q,d,1\nq,\xff,2\n")
    with pytest.raises(rs.DataError, match=":3: the byte 0xff is not UTF-8; "):
        evaluated(path, {"q": {"d": 1}})


def test_a_single_column_is_no_table(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query_id\nq\n")
    with pytest.raises(rs.DataError) as caught:
        evaluated(path, {"q": {"d": 1}}, input_format="csv")
    words = (
        "this is not of the format 'csv' (CSV or TSV with a header, such as query_id,doc_id,score)."
    )
    assert str(caught.value) == f"{path}: {words}"


@pytest.mark.parametrize("start", [b"PAR1", b"ARROW1"])
def test_what_a_library_says_of_a_file_is_passed_on(tmp_path, start):
    path = tmp_path / "run"
    path.write_bytes(start + b"\0" * 100)
    with pytest.raises(rs.DataError, match=r": the table cannot be read \(.+ .+\)\.$"):
        evaluated(path, {"q": {"d": 1}})


def workbook(path, *sheets):
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_of_one_row(tmp_path):
    rows = [["query_id", None, "doc_id", "score"], [None] * 4, ["q", "x", "d", 1]]
    path = workbook(tmp_path / "run.xlsx", ("one", rows), ("two", []))
    assert evaluated(path, {"q": {"d": 1}}) == {"q": {"RR": 1}}


def test_subtopics_in_a_workbook(tmp_path):
    rows = [["query_id", "doc_id", "relevance", "subtopic"], ["q", "d", 1, "s"], ["q", "d", 2, "t"]]
    path = workbook(tmp_path / "judged.xlsx", ("one", rows))
    convert(str(path), str(tmp_path / "out.qrels"), kind="judgments")
    assert (tmp_path / "out.qrels").read_text() == "q s d 1\nq t d 2\n"


def test_a_formula_that_was_never_worked_out_has_no_value(tmp_path):
    rows = [["query_id", "doc_id", "score"], ["q", "d", "=1+1"]]
    path = workbook(tmp_path / "run.xlsx", ("one", rows))
    with pytest.raises(rs.DataError, match=r"\(row 2: no value in column 'score'\)"):
        evaluated(path, {"q": {"d": 1}})


def test_a_workbook_needs_a_library(tmp_path, monkeypatch):
    path = workbook(tmp_path / "run.xlsx", ("one", [["query_id", "doc_id"], ["q", "d"]]))
    without(monkeypatch, "openpyxl")
    with pytest.raises(rs.RankstoneError, match="reading it needs openpyxl: "):
        evaluated(path, {"q": {"d": 1}})


@pytest.mark.parametrize(
    ("sheets", "others"),
    [
        ([("one", [["query_id", "doc_id"]])], ""),
        ([("one", []), ("two", [["a"]])], "; choose another with sheet= (--sheet), of one, two"),
    ],
)  # fmt: skip
def test_a_workbook_without_rows(tmp_path, sheets, others):
    path = workbook(tmp_path / "run.xlsx", *sheets)
    with pytest.raises(rs.DataError) as caught:
        evaluated(path, {"q": {"d": 1}})
    words = f"the first sheet, 'one', has no rows under a header{others}."
    assert str(caught.value) == f"{path}: {words}"


def test_all_problems_of_a_sheet_are_in_one_message_with_the_rows_of_excel(tmp_path):
    rows = [["query_id", "doc_id", "score"], ["q", "d", 1], [None] * 3]
    rows += [
        ["q", None, 2],
        ["q", "e", "viel"],
        [None, "f", None],
        ["q", "g", date(2026, 1, 2)],
    ]
    path = workbook(tmp_path / "run.xlsx", ("one", rows))
    with pytest.raises(rs.DataError) as caught:
        evaluated(path, {"q": {"d": 1}})
    assert str(caught.value) == (
        f"{path}: 4 rows cannot be used (row 4: no value in column 'doc_id'; row 5: 'viel' in column 'score' is "
        "not a number; row 6: no value in column 'query_id'; no value in column 'score'; row 7: "
        "datetime.datetime(2026, 1, 2, 0, 0) in column 'score' is not a number), by the numbers that Excel "
        "shows. Mend the sheet."
    )
    many = workbook(tmp_path / "many.xlsx", ("one", [*rows[:2], *[["q", "x"]] * 12]))
    with pytest.raises(rs.DataError, match="12 rows cannot be used .* and 2 more"):
        evaluated(many, {"q": {"d": 1}})


def test_the_number_0_is_an_id_in_a_sheet(tmp_path):
    path = workbook(
        tmp_path / "run.xlsx", ("one", [["query", "doc", "score"], [0, 0, 1], [0, 1, 2]])
    )
    assert evaluated(path, {0: {0: 1}}) == {0: {"RR": 1 / 2}}


def test_an_empty_grade_in_a_sheet_is_not_judged(tmp_path):
    rows = [["query", "doc", "grade"], ["q", "a", None], ["q", "b", 1], ["r", "a", None]]
    path = workbook(tmp_path / "judged.xlsx", ("one", rows))
    result = rs.evaluate(path, {"q": ["a", "b"]}, ["RR", "Judged@2"])
    assert (result.queries, result["RR"], result["Judged@2"]) == (["q"], 1 / 2, 1 / 2)
    (notice,) = (n for n in result.notices if n.code == "no-grade")
    assert (notice.count, notice.examples, notice.level) == (2, ("row 2",), "note")
    empty = workbook(tmp_path / "empty.xlsx", ("one", [rows[0], rows[1]]))
    with pytest.raises(rs.DataError, match="column 'grade' has no grade in any row"):
        rs.evaluate(empty, {"q": ["a"]}, "RR")
    convert(str(path), str(tmp_path / "out.qrels"), kind="judgments")
    assert (tmp_path / "out.qrels").read_text() == "q 0 b 1\n"


def rewritten(path, part, change):
    """Change a part of a workbook."""
    with ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts[part] = change(parts[part])
    with ZipFile(path, "w", ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return path


@pytest.mark.parametrize("size", [b"A1:C2", b"A1:B3", b"A1", None])
def test_the_size_that_a_sheet_says_it_has_is_not_believed(tmp_path, size):
    rows = [["query", "doc", "score"], ["q", "a", 1], ["q", "b", 2]]
    path = workbook(tmp_path / "run.xlsx", ("one", rows))
    words = b'<dimension ref="' + (size or b"") + b'" />'

    def change(xml):
        found = re.sub(rb"<dimension [^>]*>", words if size else b"", xml)
        assert found != xml
        return found

    rewritten(path, "xl/worksheets/sheet1.xml", change)
    assert evaluated(path, {"q": {"b": 1}}) == {"q": {"RR": 1}}


def test_other_sheets_that_hold_something_are_named(tmp_path):
    rows = [["query", "doc", "score"], ["q", "a", 1]]
    path = workbook(tmp_path / "run.xlsx", ("old", rows), ("new", rows), ("empty", []))
    judged = workbook(
        tmp_path / "judged.xlsx", ("old", [["query", "doc", "grade"], rows[1]]), ("new", rows)
    )
    for number, result in (
        (3, rs.evaluate({"q": {"a": 1}}, path, "RR")),
        (2, rs.evaluate(judged, {"q": ["a"]}, "RR")),
    ):
        (notice,) = (n for n in result.warnings if n.code == "other-sheets")
        assert (
            notice.text == f"the sheet 'old' was read, the first of {number}; the others were not"
        )
        assert notice.examples == ("new",)
    alone = workbook(tmp_path / "alone.xlsx", ("old", rows), ("empty", []))
    assert not rs.evaluate({"q": {"a": 1}}, alone, "RR").warnings


def test_a_workbook_that_expands_too_far_is_refused(tmp_path):
    rows = [["query", "doc", "score"], ["q", "a", 1]]
    path = workbook(tmp_path / "run.xlsx", ("one", rows))
    rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: xml + b" " * (70 << 20))
    with pytest.raises(
        rs.DataError, match="too large: the workbook expands to more than 100 times"
    ):
        evaluated(path, {"q": {"a": 1}})
    with pytest.raises(rs.DataError, match="too large: more than 20000 bytes"):
        rs.evaluate({"q": {"a": 1}}, path, "RR", max_bytes=20_000)


def table(**columns):
    return pd.DataFrame(columns)


BASE = {"query_id": ["q", "q"], "doc_id": ["a", "d"]}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"query_id": pd.Series([], dtype=str), "doc_id": pd.Series([], dtype=str)}, "run: the table has no rows."),
        (BASE | {"score": ["1", "2"]}, "run: column 'score' holds text, not numbers. Cast it to float64, or pass the column that is meant: columns={'score': ...} (--columns score=...)."),
        (BASE | {"score": [1, np.nan]}, "run: the score in row 1 (rows count from 0) of column 'score' is not a finite number. Remove the row or repair what made it."),
        (BASE | {"rank": [1, np.inf]}, "run: the rank in row 1 (rows count from 0) of column 'rank' is not a finite number. Remove the row or repair what made it."),
        ({"query_id": ["q", ""], "doc_id": ["a", "d"], "score": [1, 2]}, "run: empty query id in row 1 (rows count from 0) of column 'query_id'. Give every query an id."),
        ({"query_id": ["q", "q"], "doc_id": ["", "d"], "score": [1, 2]}, "run: empty document id in row 0 (rows count from 0) of column 'doc_id'. Give every document an id."),
        ({"query_id": [1.0, 2.0], "doc_id": ["a", "d"], "score": [1, 2]}, "run: column 'query_id' holds floats; a query id is text or a whole number. Whole numbers become floats if a value is missing: drop those rows, then cast the column to int64."),
        ({"query_id": ["q"], "x": [["a", "d"]]}, "run: cannot tell which column holds the documents. Columns: 'query_id', 'x'. Pass columns={'doc': ...} (--columns doc=...). Column 'x' holds lists; give a row to each document, for example with frame.explode('x'), or a dict of the lists by query."),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_a_run(columns, message):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"d": 1}}, table(**columns), "RR")
    assert str(caught.value) == message


def test_judgments_without_rows():
    nothing = pd.Series([], dtype=str)
    with pytest.raises(rs.DataError, match="^the judgments: the table has no rows.$"):
        judgments_of(table(query_id=nothing, doc_id=nothing))


def test_a_row_for_a_subtopic_counts_1_without_a_grade():
    judged = judgments_of(table(**BASE, intent=["s", "t"]))
    assert judged.subtopics.grade.tolist() == [1, 1]


def test_numbers_are_not_dates_but_may_be_booleans():
    dates = pd.Series(pd.arrays.ArrowExtensionArray(pa.array([1, 2], pa.date32())))
    with pytest.raises(rs.DataError, match="column 'score' holds dates or times, not numbers"):
        run_of(table(**BASE, score=dates))
    assert judgments_of(table(**BASE, rel=[True, False])).grades.tolist() == [1, 0]


def test_a_column_that_is_in_the_index_is_found_there():
    frame = table(**BASE, score=[1, 2]).set_index("doc_id")
    with pytest.raises(rs.DataError, match=r"The index holds 'doc_id': give frame.reset_index\(\)\.$"):  # fmt: skip
        rs.evaluate({"q": {"d": 1}}, frame, "RR")


@pytest.mark.parametrize(
    ("ratings", "columns", "count"),
    [([4, 3], None, 1), ([5, 4], None, 2), ([3, 3.9], None, 0), ([4, 3], {"grade": "rating"}, 0)],
)
def test_ratings_from_4_up_are_counted(ratings, columns, count):
    judged = judgments_of(table(**BASE, rating=ratings), ReadOptions(columns=columns))
    (notice,) = [n for n in judged.notices if n.code == "ratings-as-grades"] or [None]
    assert (notice.count if notice else 0) == count


def test_grades_called_otherwise_are_no_ratings():
    judged = judgments_of(table(**BASE, label=[5, 5]))
    assert judged.notices == ()


@pytest.mark.parametrize(
    ("more", "columns", "named"),
    [
        ({"verdict": ["good", "bad"]}, None, "'verdict'"),
        ({"verdict": ["good", "bad"], "title": ["x", "y"]}, None, "'verdict', 'title'"),
        ({"verdict": ["good", "bad"]}, {"grade": None}, None),
        ({"intent": ["s", "s"], "timestamp": [5, 6]}, None, None),
        ({}, None, None),
    ],
)
def test_judgments_without_grades_name_the_columns_not_read(more, columns, named):
    judged = judgments_of(table(**BASE, **more), ReadOptions(columns=columns))
    shown = [n.text.partition("not read: ")[2].partition(".")[0] for n in judged.notices]
    assert shown == ([named] if named else [])


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_judgments_without_grades_are_an_error_under_strict(tmp_path, ending):
    frame = pd.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "verdict": ["good", "bad"]})
    path = tmp_path / f"judged.{ending}"
    {"csv": frame.to_csv, "xlsx": frame.to_excel, "parquet": frame.to_parquet}[ending](
        path, index=False
    )
    run = {"q": ["b", "a"]}
    with pytest.warns(rs.RankstoneWarning, match="every row counts as relevant.*'verdict'"):
        assert rs.evaluate(path, run, "RR")["RR"] == 1
    with pytest.raises(rs.StrictError, match="all-relevant"):
        rs.evaluate(path, run, "RR", strict=True)
    with pytest.raises(rs.StrictError, match="all-relevant"):
        rs.evaluate(frame, run, "RR", strict=True)


@pytest.mark.parametrize(("subtopics", "columns", "count"), [(["s", "t"], None, 2), (["s", "s"], None, 0), (["s", "s"], {"subtopic": "intent"}, 1), (["s", "t"], {"subtopic": None}, 0)])  # fmt: skip
def test_a_column_of_several_subtopics_is_one(subtopics, columns, count):
    judged = judgments_of(table(**BASE, rel=[1, 1], intent=subtopics), ReadOptions(columns=columns))
    assert (0 if judged.subtopics is None else len(judged.subtopics.names)) == count


def test_repeated_judgments_of_whole_numbers_are_shown_as_numbers():
    frame = table(query_id=[7, 7, 8, 8], doc_id=[5, 5, 6, 6], rel=[1, 1, 2, 1])
    found = {n.code: (n.count, n.examples) for n in judgments_of(frame).notices}
    assert found == {
        "repeated-judgments": (1, ("document 5 of query 7",)),
        "contradicting-judgments": (1, ("document 6 of query 8",)),
    }


@pytest.mark.parametrize(
    ("columns", "direction", "ascending"),
    [
        ({"score": [1, 2]}, 1, False),
        ({"rank": [1, 2]}, 0, True),
        ({}, 0, False),
    ],
)
def test_what_the_numbers_of_a_run_mean(columns, direction, ascending):
    run = run_of(table(**BASE, **columns))
    assert (run.direction, run.ascending) == (direction, ascending)
    assert run.name == "run"


def test_the_lowest_score_may_be_the_best():
    run = run_of(table(**BASE, far=[1, 2]), ReadOptions(columns={"distance": "far"}))
    assert (run.direction, run.ascending) == (-1, True)
    assert run_of(table(**BASE, score=[1, 2]), ReadOptions(ascending=True)).direction == -1


@pytest.mark.parametrize("columns", [{"rank": [1, 2]}, {}])
def test_only_scores_may_be_ascending(columns):
    with pytest.raises(rs.UsageError):
        run_of(table(**BASE, **columns), ReadOptions(ascending=True))
    assert run_of(table(**BASE, score=[1, 2]), ReadOptions(ascending=True)).ascending


def test_tables_are_told_from_other_objects():
    assert is_frame(table(a=[1]))
    assert not is_frame(np.ones(2))
    assert not is_frame(pd.Index([1]))
    assert not is_frame({"a": 1})


def test_an_arrow_file_that_points_outside_itself_is_refused(tmp_path, monkeypatch):
    offsets = pa.py_buffer(np.array([0, 1 << 30, 2], np.int32))
    docs = pa.StringArray.from_buffers(2, offsets, pa.py_buffer(b"ad"))
    content = pa.table({"query_id": ["q", "q"], "doc_id": docs, "score": [1.0, 2.0]})
    path = tmp_path / "run.arrow"
    with pa.ipc.new_file(path, content.schema) as out:
        out.write_table(content)
    without(monkeypatch, "polars")
    with pytest.raises(rs.DataError, match="the table cannot be read"):
        evaluated(path, {"q": {"d": 1}})


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_rows_of_a_query_are_written_together(tmp_path, ending):
    rows = [("r", "a", 1.0), ("q", "b", 2.0), ("r", "c", 3.0)]
    source, target = tmp_path / f"run.{ending}", tmp_path / "out.run"
    names = ["query_id", "doc_id", "score"]
    if ending == "xlsx":
        workbook(source, ("one", [names, *rows]))
    else:
        frame = pd.DataFrame(rows, columns=names)
        frame.to_csv(source, index=False) if ending == "csv" else frame.to_parquet(source)
    done = convert(str(source), str(target))
    assert (done.rows, done.kind, done.source, done.target) == (3, "run", ending, "trec")
    lines = ["r Q0 c 1 3 rankstone", "r Q0 a 2 1 rankstone", "q Q0 b 1 2 rankstone"]
    assert target.read_text().splitlines() == lines


def german(path, *, grade="Note"):
    """Judgments as people make them: title lines, merged cells, a total row, a second sheet."""
    rows = [
        ["Relevanzbewertung Shop-Suche", None, None, None],
        [None] * 4,
        ["Anfrage", "Artikel", grade, "Kommentar"],
        ["mütze", "A1", 2, None],
        [None, "A2", 0, "falsche Farbe"],
        [None, "A3", None, "unklar"],
        ["schal", "B1", 1, None],
        [None, "B2", 2, None],
        ["Summe", None, 5, None],
        ["Stand: 3. Mai", None, None, None],
    ]
    return workbook(path, ("Übersicht", [["nichts", "hier"], [1, 2]]), ("Bewertung", rows))


RANKED = {"mütze": ["A2", "A1"], "schal": ["B1", "B2"]}


def test_a_workbook_as_people_make_it(tmp_path):
    path = german(tmp_path / "noten.xlsx")
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(path, RANKED, "RR")
    options = {"sheet": "Bewertung", "header_row": 3, "columns": {"grade": "Note"}}
    options |= {"fill_down": True, "faulty_rows": "skip"}
    words = ", ".join(f"{name}={value!r}" for name, value in options.items())
    assert str(caught.value) == (
        f"{path}: row 3 of sheet 'Bewertung' looks like the header ('Anfrage', 'Artikel', 'Note', 'Kommentar'); "
        "cannot tell which column holds the grades; 3 rows without a value in column 'Anfrage', as in merged "
        "cells; 2 rows cannot be used (row 9: 'Summe' in column 'Anfrage' looks like a total; no value in column 'Artikel'; row 10: no value in column "
        f"'Artikel'), by the numbers that Excel shows. Mend the sheet, or pass {words} (--sheet Bewertung "
        "--header-row 3 --columns grade=Note --fill-down --faulty-rows skip)."
    )
    result = rs.evaluate(path, RANKED, ["RR", "NumRel"], **options)
    assert result.values("RR").tolist() == [1 / 2, 1]
    assert result.values("NumRel").tolist() == [1, 2]
    (skipped,) = (n for n in result.notices if n.code == "faulty-rows")
    assert (skipped.count, skipped.examples, skipped.level) == (2, ("row 9", "row 10"), "warning")
    assert "no-grade" in {n.code for n in result.notices}
    assert "other-sheets" not in {n.code for n in result.notices}
    assert result == rs.evaluate(path, RANKED, ["RR", "NumRel"], **(options | {"sheet": 2}))


def test_a_column_of_grades_and_a_word_is_not_overlooked(tmp_path):
    rows = [
        ["Wonach", "Womit", "Wert"],
        ["q", "a", 2],
        ["q", "b", 0],
        ["r", "c", None],
        ["r", "d", "?"],
    ]
    path = workbook(tmp_path / "judged.xlsx", ("one", rows))
    with pytest.raises(
        rs.DataError, match=r"--columns query=Wonach,doc=Womit,grade=Wert --faulty-rows skip"
    ):
        rs.evaluate(path, {"q": ["b"]}, "RR")
    rows = [["query", "doc", "Wert"], *rows[1:-1]]
    with pytest.raises(rs.DataError, match=r"the grades\. .*columns={'grade': 'Wert'}"):
        rs.evaluate(workbook(path, ("one", rows)), {"q": ["b"]}, "RR")


def test_a_query_that_is_missing_once_is_not_that_of_a_merged_cell(tmp_path):
    rows = [["query", "doc", "grade"], *([f"q{i}", "a", 1] for i in range(7)), [None, "b", 1]]
    path = workbook(tmp_path / "judged.xlsx", ("one", rows))
    with pytest.raises(rs.DataError, match=r"row 9: no value in column 'query'") as caught:
        rs.evaluate(path, {"q1": ["a"]}, "RR")
    assert "fill_down" not in str(caught.value)


def test_a_run_in_a_workbook_has_no_options_of_sheets(tmp_path):
    rows = [["Ergebnis"], ["query", "doc", "score"], ["q", "a", 1]]
    path = workbook(tmp_path / "run.xlsx", ("one", rows))
    with pytest.raises(
        rs.DataError, match=r"row 2 of sheet 'one' looks like the header .*\. Mend the sheet\.$"
    ):
        rs.evaluate({"q": {"a": 1}}, path, "RR")


@pytest.mark.parametrize(
    ("names", "flags"),
    [
        ("Wonach,Womit,Wert", "--columns query=Wonach,doc=Womit,grade=Wert"),
        ("Wie?,doc,Wert", "--columns 'query=Wie?,grade=Wert'"),
        (
            "Wonach gesucht,Was da ist,Wie gut?",
            "--columns 'query=Wonach gesucht,doc=Was da ist,grade=Wie gut?'",
        ),
    ],
)
def test_a_header_of_own_names_in_a_text_file_is_answered_with_the_option(tmp_path, names, flags):
    path = tmp_path / "judged.csv"
    path.write_text(f"{names}\nq,a,1\n")
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(path, {"q": ["a"]}, "RR")
    assert str(caught.value).endswith(f"({flags}).")
    columns = dict(pair.split("=") for pair in flags.split(maxsplit=1)[1].strip("'").split(","))
    assert rs.evaluate(path, {"q": ["a"]}, "RR", columns=columns)["RR"] == 1


NUMBERS_AS_TEXT = {
    "decimal commas": "query;doc;Wert\nq;a;0,5\nq;b;3,0\n",
    "a word": "query,doc,Wert\nq,a,n/a\nq,b,3\n",
    "commas and points": "query;doc;Titel;Wert\nq;a;x;0,5\nq;b;y;3.0\n",
}


@pytest.mark.parametrize("kind", ["judgments", "run"])
@pytest.mark.parametrize("text", NUMBERS_AS_TEXT.values(), ids=NUMBERS_AS_TEXT)
def test_numbers_as_text_under_an_unknown_name_are_not_overlooked(tmp_path, library, kind, text):
    path = tmp_path / "table.csv"
    path.write_text(text)
    check_undecided(path, kind)


COLUMNS_OF_TEXT = {
    "text": ["1", "3"],
    "commas": ["0,5", None],
    "decimals": [Decimal("0.5"), Decimal(3)],
    "a word": [3, "n/a"],
    "missing": pd.array([None, 3], "Int64"),
    "categories": pd.Categorical(["n/a", "3"]),
}


@pytest.mark.parametrize("kind", ["judgments", "run"])
@pytest.mark.parametrize("cells", COLUMNS_OF_TEXT.values(), ids=COLUMNS_OF_TEXT)
def test_numbers_of_odd_types_under_an_unknown_name_are_not_overlooked(kind, cells):
    frame = pd.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "Wert": cells})
    check_undecided(frame, kind)
    if cells[1] != "n/a":
        table = pa.Table.from_pandas(frame)
        check_undecided(table, kind)
        check_undecided(pl.from_arrow(table), kind)
        check_undecided(duckdb.from_arrow(table), kind)


def check_undecided(data, kind):
    other = {"q": {"a": 1, "b": 0}}
    given = (data, other) if kind == "judgments" else (other, data)
    role = "grade" if kind == "judgments" else "score"
    with pytest.raises(
        rs.DataError, match=rf"cannot tell which column holds the {role}s.*--columns {role}=Wert"
    ):
        rs.evaluate(*given, "RR")
    assert rs.evaluate(*given, "RR", columns={role: None})["RR"] == 1


def test_a_column_of_words_beside_ids_is_no_candidate(tmp_path, library):
    path = tmp_path / "judged.csv"
    path.write_text("query_id,query,doc_id,Titel,date\nq,1984,b,ein Zelt,2024\nq,zelt,a,nan,\n")
    assert rs.evaluate(path, {"q": ["b"]}, "NumRel")["NumRel"] == 2


@pytest.mark.parametrize("word", ["Summe", " total: ", "Anzahl", "合计：", "Average"])  # noqa: RUF001
def test_a_row_of_totals_is_no_judgment(tmp_path, word):
    rows = [["query", "doc", "grade"], ["q", "a", 0], [None, "b", 1], ["r", "c", 2]]
    totals = [[None, word, 3], [word, 4, 7]]
    path = workbook(tmp_path / "judged.xlsx", ("one", [*rows, *totals]))
    with pytest.raises(
        rs.DataError,
        match=r"\(row 5: '.*' in column 'doc' looks like a total; row 6: .* in column 'query' "
        r"looks like a total\).*\(--fill-down --faulty-rows skip\)\.$",
    ):
        rs.evaluate(path, {"q": ["b"]}, "RR")
    result = rs.evaluate(
        path, {"q": ["b"], "r": ["c"]}, ["NumRel"], fill_down=True, faulty_rows="skip"
    )
    assert result.values("NumRel").tolist() == [1, 1]
    (skipped,) = (n for n in result.notices if n.code == "faulty-rows")
    assert (skipped.count, skipped.examples) == (2, ("row 5", "row 6"))


def test_a_total_of_a_run_is_refused(tmp_path):
    rows = [["query", "doc", "score"], ["q", "a", 1], ["q", "Total", 1]]
    path = workbook(tmp_path / "run.xlsx", ("one", rows))
    with pytest.raises(rs.DataError, match=r"row 3: 'Total' in column 'doc' looks like a total"):
        rs.evaluate({"q": {"a": 1}}, path, "RR")


def test_a_query_0_of_a_sheet_is_not_filled_with_the_one_above(tmp_path):
    rows = [["query", "doc", "grade"], [1, "a", 1], [0, "b", 1], [None, "c", 1]]
    path = workbook(tmp_path / "judged.xlsx", ("one", rows))
    result = rs.evaluate(path, {0: ["b"], 1: ["a"]}, "NumRel", fill_down=True)
    assert result.values("NumRel").tolist() == [2, 1]


def test_decimal_commas_in_cells_of_text_are_read_as_in_csv(tmp_path):
    rows = [["query", "doc", "grade"], ["q", "a", 1], ["q", "b", "2,5"], ["q", "c", 0]]
    path = workbook(tmp_path / "judged.xlsx", ("one", rows))
    graded = {"q": {"a": 1, "b": 2.5, "c": 0}}
    run = {"q": ["a", "b", "c"]}
    assert rs.evaluate(path, run, "nDCG")["nDCG"] == rs.evaluate(graded, run, "nDCG")["nDCG"]
    assert evaluated(workbook(path, ("one", [["query", "doc", "score"], *rows[1:]])), graded) == (
        evaluated({"q": {"a": 1, "b": 2.5, "c": 0}}, graded)
    )
    path = workbook(path, ("one", [*rows, ["q", "d", "1.5"]]))
    with pytest.raises(rs.DataError, match=r"row 3: '2,5' in column 'grade' is not a number"):
        rs.evaluate(path, run, "nDCG")


def test_a_sheet_with_few_numbers_under_an_unknown_name_is_answered(tmp_path):
    rows = [["query", "doc", "Wert"], ["q", "a", "n/a"], ["q", "b", "-"], ["q", "c", 3]]
    path = workbook(tmp_path / "judged.xlsx", ("one", rows))
    with pytest.raises(rs.DataError, match=r"--columns grade=Wert --faulty-rows skip\)\.$"):
        rs.evaluate(path, {"q": ["c"]}, "RR")


@pytest.mark.parametrize("header", ["Suchanfrage;Artikelnummer;Relevanz", "查询;文档;相关性"])
def test_headers_in_german_and_chinese_are_known(tmp_path, header):
    path = tmp_path / "judged.csv"
    path.write_text(f"{header}\nq;a;0\nq;b;2\n", encoding="utf-8")
    assert rs.evaluate(path, {"q": ["a", "b"]}, "RR")["RR"] == 1 / 2


def test_a_sheet_is_chosen_on_the_command_line(tmp_path, capsys):
    path = german(tmp_path / "noten.xlsx", grade="grade")
    run = tmp_path / "shop.json"
    run.write_text(json.dumps(RANKED))
    words = ["evaluate", str(path), str(run), "-m", "RR", "--columns", "query=Anfrage,doc=Artikel"]
    words += ["--sheet", "2", "--header-row", "3", "--fill-down", "--faulty-rows", "skip"]
    assert main([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["aggregates"]["RR"] == 3 / 4


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            {"sheet": "Bewertungen"},
            "no sheet 'Bewertungen'. Did you mean Bewertung. Sheets: Übersicht",
        ),
        ({"sheet": 3}, "no sheet 3. Sheets: Übersicht, Bewertung"),
        ({"header_row": 99}, "the first sheet, 'Übersicht', has no rows under a header; choose"),
        ({"header_row": 0}, "header_row must be at least 1"),
        ({"faulty_rows": "drop"}, "faulty_rows"),
    ],
)
def test_sheets_that_are_not_there(tmp_path, option, message):
    with pytest.raises(rs.RankstoneError, match=message):
        rs.evaluate(german(tmp_path / "noten.xlsx"), RANKED, "RR", **option)


def test_choices_of_sheets_are_refused_beside_other_files(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("mütze 0 A1 1\n")
    with pytest.raises(rs.UsageError, match="fill_down= is for judgments in a workbook"):
        rs.evaluate(path, RANKED, "RR", fill_down=True)
    with pytest.raises(rs.UsageError, match="sheet= is for files|sheet= is for judgments"):
        rs.evaluate({"mütze": {"A1": 1}}, RANKED, "RR", sheet="one")
    with pytest.raises(rs.UsageError, match="sheet= goes with"):
        rs.fuse([RANKED, RANKED], sheet="one")


def values(*data, **options):
    return rs.evaluate(*data, "RR", **options).per_query


JUDGED = "1 0 d8 1\n1 0 56 0\n"


RUN_TABLES = {
    "docno before docid, qid before query": "qid docid docno rank score query\n1 55 d7 0 3 red\n1 56 d8 1 2 red\n",
    "a query of two words": "qid\tdocno\tscore\tquery\n1\td7\t3.0\tred shoes\n1\td8\t2.0\tred shoes\n",
}


FIRST_LINES = {
    "csv without names": ("judgments", "1,10,4.0\n", "',' .* the first line has to name them, such as query_id,doc_id,relevance"),
    "names nobody knows": ("run", "who;what\n1;2\n", "';' .*--columns query=who,doc=what"),
    "two colons": ("judgments", "1::10::4\n", "not by '::'"),
    "bars": ("run", "qid|docno|score\n", "not by '|'"),
    "scores with a name": ("run", "prediction\n0.5\n", "one number in each line, and no header"),
    "scores with commas": ("run", "0,5\n0,6\n", "decimals with a point"),
    "times": ("judgments", "196\t242\t3\t881250949\n186\t302\t3\t891717742\n", "look like times .column 4"),
    "too few fields": ("run", "q Q0 a 1 1 t\nq\tQ0\tb\n", r"found 3: 'q.tQ0.tb'\.$"),
    "too few beside names": ("run", "qid docno score\nq d7\n", r"found 2: 'q d7'\.$"),
    "blanks further down": ("run", "qid\tdocno\tscore\n1\td7\n1\td 8\t2\n", "name the format: 'csv'"),
}  # fmt: skip


SPREADSHEETS = {
    "semicolons and decimal commas": "query;doc;score\nq1;b;2,5\nq1;a;0,25\n",
    "a separator that is declared": "sep=;\r\nquery;doc;score\r\nq1;b;2,5\r\nq1;a;0,25\r\n",
    "another separator": "sep=|\nquery|doc|score\nq1|b|2.5\nq1|a|0.25\n",
    "tabs and decimal commas": "query\tdoc\tscore\nq1\tb\t2,5\nq1\ta\t0,25\n",
    "a byte order mark": "\ufeffquery;doc;score\r\nq1;b;2,5\r\nq1;a;0,25\r\n",
}


@pytest.mark.parametrize("table", RUN_TABLES.values(), ids=RUN_TABLES)
def test_names_mean_the_same_in_every_table(tmp_path, table):
    (tmp_path / "qrels").write_text(JUDGED)
    for separator in ("\t", ",", ";"):
        text = table if "\t" in table else table.replace(" ", "\t")
        (tmp_path / "run").write_text(text.replace("\t", separator))
        assert values(tmp_path / "qrels", tmp_path / "run") == {"1": {"RR": 0.5}}


@pytest.mark.parametrize("case", FIRST_LINES)
def test_other_tables_are_recognised(tmp_path, case):
    side, text, message = FIRST_LINES[case]
    (tmp_path / "file").write_text(text)
    other = {"judgments": {"1": {"d": 1}}, "run": {"1": {"d": 1}}}
    with pytest.raises(rs.DataError, match=message):
        rs.evaluate(**{**other, side: tmp_path / "file"}, measures="RR")


def test_times_may_stand_beside_names(tmp_path):
    text = "user_id\titem_id\trating\ttimestamp\n1\t10\t4\t881250949\n"
    (tmp_path / "ratings").write_text(text)
    assert values(tmp_path / "ratings", {"1": ["10"]}) == {"1": {"RR": 1.0}}


def test_swapped_tables_are_recognised(tmp_path):
    for name, column in (("ratings", "rating"), ("run", "prediction")):
        (tmp_path / name).write_text(f"user,item,{column}\n1,2,3\n")
    with pytest.raises(rs.DataError, match=r"like a run; .*\(--columns grade=prediction\)"):
        values(tmp_path / "run", tmp_path / "ratings")
    with pytest.raises(rs.DataError, match=r"like judgments; .*\(--columns score=\) ranks"):
        values(tmp_path / "ratings", tmp_path / "ratings")


@pytest.mark.parametrize("text", SPREADSHEETS.values(), ids=SPREADSHEETS)
@pytest.mark.parametrize("without", [(), ("polars",), ("polars", "pyarrow")], ids=str)
def test_tables_as_spreadsheets_write_them(tmp_path, monkeypatch, text, without):
    from rankstone.io.formats import tables

    there = tables.find_spec
    monkeypatch.setattr(tables, "find_spec", lambda name: None if name in without else there(name))
    (tmp_path / "run.csv").write_text(text, newline="")
    assert values({"q1": {"a": 1}}, tmp_path / "run.csv") == {"q1": {"RR": 0.5}}


def test_text_that_is_not_utf8_is_read_if_somebody_says_how(tmp_path, capsys):
    judged, run = tmp_path / "judged.csv", tmp_path / "run.csv"
    judged.write_text("query;doc;grade\nq1;café;1\n", encoding="cp1252")
    run.write_text("query;doc;score\nq1;x;2,5\nq1;café;0,5\n", encoding="cp1252")
    with pytest.raises(rs.DataError, match=r"judged.csv:2: the byte 0xe9 is not UTF-8; .*cp1252"):
        values(judged, run)
    assert values(judged, run, encoding="cp1252") == {"q1": {"RR": 0.5}}
    assert main(["evaluate", str(judged), str(run), "-m", "RR", "--encoding", "latin-1"]) == 0
    assert "\t0.5\n" in capsys.readouterr().out
    assert main(["evaluate", str(judged), str(run), "--encoding", "latin-one"]) == 2
    err = capsys.readouterr().err
    assert "--encoding must be the name of an encoding, such as cp1252" in err
    assert "not 'latin-one'" in err
    run.write_text("query;doc;score\nq1;café;0,5\n", encoding="utf-16")
    with pytest.raises(rs.DataError, match=r"the file is UTF-16. Say so: encoding='utf-16'"):
        values({"q1": {"café": 1}}, run)
    assert values({"q1": {"café": 1}}, run, encoding="utf-16") == {"q1": {"RR": 1.0}}


def test_workbooks_are_read_or_named(tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")

    for name, rows in {
        "judged": [["query", "doc", "grade"], ["q1", 12, 1.5], ["q1", "b", 0]],
        "run": [["query", "doc", "score"], ["q1", "b", 0.75], ["q1", 12, 0.5]],
    }.items():
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / f"{name}.xlsx")
    files = tmp_path / "judged.xlsx", tmp_path / "run.xlsx"
    assert values(*files) == {"q1": {"RR": 0.5}}
    indexed = openpyxl.Workbook()  # as pandas writes it: the first column has no name
    for row in [[None, "query", "doc", "grade"], [0, "q1", 12, 1.5], [1, "q1", "b", 0]]:
        indexed.active.append(row)
    indexed.save(tmp_path / "indexed.xlsx")
    assert values(tmp_path / "indexed.xlsx", files[1]) == {"q1": {"RR": 0.5}}
    noted = openpyxl.Workbook()
    noted.active.title = "notes"
    noted.create_sheet("ratings")
    noted.save(tmp_path / "noted.xlsx")
    with pytest.raises(
        rs.DataError, match=r"'notes', has no rows .* choose another with sheet= .*notes, ratings"
    ):
        values(tmp_path / "noted.xlsx", files[1])
    without(monkeypatch, "openpyxl")
    with pytest.raises(
        rs.MissingDependencyError, match="Excel workbook; reading it needs openpyxl"
    ):
        values(*files)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            r"Excel workbook of the old kind \(.xls\); save it as",
        ),
        (
            b"PK\x03\x04mimetypeapplication/vnd.oasis",
            r"OpenDocument spreadsheets are; save the sheet",
        ),
    ],
)
def test_other_binary_files_are_named_as_what_they_are(tmp_path, content, message):
    (tmp_path / "ratings").write_bytes(content)
    with pytest.raises(rs.DataError, match=message):
        values(tmp_path / "ratings", {"q1": ["a"]})


def test_ratings_in_cp1252_and_responses_in_utf8(tmp_path, capsys):
    """A spreadsheet beside what a search engine answers; JSON is UTF-8 by its standard."""
    judged, run, by = (str(tmp_path / name) for name in ("judged.csv", "run.json", "by.csv"))
    (tmp_path / "judged.csv").write_text(
        'sep=;\nSuche;SKU;Note\nmüsli;a;0\nmüsli;b;2,5\n"zelt; groß";c;1\n', encoding="cp1252"
    )
    hits = {"müsli": ["a", "b"], "zelt; groß": ["c"]}
    response = {q: {"hits": {"hits": [{"_id": d} for d in ids]}} for q, ids in hits.items()}
    (tmp_path / "run.json").write_text(json.dumps(response, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "by.csv").write_text('sep=;\n"zelt; groß";Zelte\nmüsli;Essen\n', encoding="cp1252")
    words = ["-m", "RR", "--encoding", "cp1252", "--columns", "query=Suche,doc=SKU,grade=Note"]
    assert main(["evaluate", judged, run, *words, "-q"]) == 0
    assert capsys.readouterr().out.endswith("müsli\t0.5\nrun\tzelt; groß\t1\nrun\tall\t0.75\n")
    assert main(["evaluate", judged, run, *words, "--by", by]) == 0
    assert "run\tEssen\tmean\tRR\t0.5\t1\t0\n" in capsys.readouterr().out
    (tmp_path / "run.txt").write_text("müsli Q0 b 1 2.5 x\n", encoding="utf-8")
    assert main(["evaluate", judged, str(tmp_path / "run.txt"), *words]) == 3
    assert "run.txt: the file is UTF-8, not cp1252" in capsys.readouterr().err
    words[3] = "cp1252:utf-8"
    assert main(["evaluate", judged, str(tmp_path / "run.txt"), *words]) == 0


def test_a_rating_that_is_missing_is_named_as_spreadsheets_count(tmp_path):
    (tmp_path / "judged.csv").write_text("query;doc;grade\nq1;a;1\nq1;b;\n")
    with pytest.raises(rs.DataError, match=r"'grade' has no value in row 2 under the header; fill"):
        values(tmp_path / "judged.csv", {"q1": ["a"]})
