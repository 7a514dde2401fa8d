"""How the columns of rows and tables are found: each rule, and where it ends."""

from contextlib import contextmanager

import pytest

import rankstone as rs
from rankstone.core.row_layout import RANK, RowLayout
from rankstone.io.formats import csv_header
from rankstone.io.formats.csv_dialect import check_alike
from rankstone.io.formats.trec_layout import (
    QRELS,
    RUN,
    has_blanks,
    is_header,
    is_rows,
    qrels_layout,
    run_layout,
)
from rankstone.io.input_file import HEAD, Input, ReadOptions, first_of, last_of


@contextmanager
def opened(tmp_path, text, **options):
    path = tmp_path / "file"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with Input.open(str(path), ReadOptions(**options)) as file:
        yield file


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("q Q0 d 1 2.5 t\n", RowLayout(6, 0, 2, 4, 3)),
        ("q Q0 d 1 2.5\n", RowLayout(5, 0, 2, 4, 3)),
        ("q Q0 d 1 2.5 t more\n", RowLayout(7, 0, 2, 4, 3)),
        ("q d 1 2.5\nq e 2 1.5\n", RowLayout(4, 0, 1, 3, 2)),
        ("q d 0 2.5\nq e 1 1.5\n", RowLayout(4, 0, 1, 3, 2)),
        ("q d 1 2.5\n", RUN.layout),
        ("q d 1 2.5\nq e 3 1.5\n", RUN.layout),
        ("q d 1\nq e 2\n", RowLayout(3, 0, 1, 2, reading=RANK)),
        ("q d 000000001\nq e 000000002\n", RowLayout(3, 0, 1, 2, reading=RANK)),
        ("q d 0.1\nq e 2\n", RowLayout(3, 0, 1, 2)),
        ("doc_id query_id score\nd q 1\n", RowLayout(3, 1, 0, 2)),
        ("doc_id rank query_id score\nd 1 q 1\n", RowLayout(4, 2, 0, 3, 1)),
        ("doc_id rank query_id\nd 1 q\n", RowLayout(3, 2, 0, 1, reading=RANK)),
        ("query_id doc_id score sim\nq d 1 x\n", RowLayout(4, 0, 1, 2)),
        ("query_id doc_id score sim\nq d x 1\n", RowLayout(4, 0, 1, 3)),
        ("query_id doc_id score sim\nq d x y\n", RowLayout(4, 0, 1, 2)),
        ("a b\td\t1\nc\te\tx\n", RUN.layout),
    ],
)
def test_columns_of_a_run(tmp_path, text, layout):
    with opened(tmp_path, text) as file:
        assert run_layout(file).layout == layout


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("q 0 d 1\n", RowLayout(4, 0, 2, 3, iteration=1)),
        ("q d 1\n", RowLayout(3, 0, 1, 2)),
        ("q 0 d 1 more\n", RowLayout(5, 0, 2, 3, iteration=1)),
        ("q 7 d 1 0.5\n", RowLayout(5, 0, 2, 3, iteration=1)),
        ("q 0 17 1 0.5\n", RowLayout(5, 0, 2, 3, iteration=1)),
        ("q d 0 1 0.5\n", RowLayout(5, 0, 1, 2)),
        ("q d 2 1 0.5\n", RowLayout(5, 0, 1, 2)),
        ("doc_id query_id grade\nd q 1\n", RowLayout(3, 1, 0, 2)),
        ("rank doc_id query_id grade\n1 d q 1\n", RowLayout(4, 2, 1, 3)),
        ("doc_id query_id grade subtopic\nd q 1 s\n", RowLayout(4, 1, 0, 2, iteration=3)),
        ("q d 5 978300760\nq e 5 97830076\n", QRELS.layout),
    ],
)
def test_columns_of_judgments(tmp_path, text, layout):
    with opened(tmp_path, text) as file:
        found = qrels_layout(file)
    assert (found.layout, found.number) == (layout, "grade")


def test_judgments_by_time_are_refused_from_nine_digits_on(tmp_path):
    text, words = "q d 5 978300760\nq e 5 978300761\n", "such as 978300760, look like times"
    with opened(tmp_path, text) as file, pytest.raises(rs.DataError, match=words):
        qrels_layout(file)


@pytest.mark.parametrize("ranks", [("0000000001", "0000000002"), ("1", "3"), ("2", "3"), ("1",)])
def test_three_columns_that_do_not_count_up_may_be_either(tmp_path, ranks):
    text = "".join(f"q d{i} {rank}\n" for i, rank in enumerate(ranks))
    with opened(tmp_path, text) as file, pytest.raises(rs.DataError, match="a rank or a score"):
        run_layout(file)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("q Q0 d 1 2.5 t\n", {}, True),
        ("q d 1\n", {}, True),
        ("1 2 3\n", {}, True),
        ("q 1\n", {}, False),
        ("q d e\n", {}, False),
        ("q d:1 1\n", {}, False),
        ("q d,1 1\n", {}, False),
        ("q d 1\n\0", {}, False),
        ("[ 1 ]\n", {}, False),
        ("{ 1 }\n", {}, False),
        ("\n\n", {}, False),
        ("q d 1\n", {"columns": {"query": "q"}}, False),
        ("query_id doc_id score\nq d 1\n", {}, True),
        ("query_id doc_id other\nq d 1\n", {}, False),
        ('query_id doc_id score\n"q" d 1\n', {}, False),
        ("query_id\tdoc_id\tscore\na b\td\t1\n", {}, False),
        ("query_id doc_id score\nq d 0,5\n", {}, False),
    ],
)
def test_rows_between_blanks_are_known(tmp_path, text, options, expected):
    with opened(tmp_path, text, **options) as file:
        assert is_rows(file) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("query_id doc_id score", True),
        ("query_id doc_id rank", True),
        ("query_id doc_id a b c d e score", True),
        ("query_id doc_id a b c d e f score", False),
        ("query_id doc_id", False),
        ('"query_id" doc_id score', False),
        ("query_id doc_id score 1", False),
        ("query_id doc_id score a,b", False),
        ("query_id other score", False),
        ("other doc_id score", False),
        ("query_id doc_id other", False),
    ],
)
def test_names_of_columns_are_known(names, expected):
    assert is_header(names.encode().split()) == expected


NAMES = "query_id\tdoc_id\tscore\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NAMES + "a b\td\t1\n", True),
        (NAMES + "a b\td\t1", True),
        (NAMES + "a\td\t1\n\na b\td\t1\n", True),
        (NAMES + "a\td\t1\n", False),
        (NAMES + "a b\td\t1\na b\td\n", False),
        (NAMES + "a b d 1\n", False),
        (NAMES.replace("\t", " ") + "a b c d\n", False),
        ("query id\tdoc_id\tscore\na b\td\t1\n", False),
        ("\ufeff", False),
    ],
)
def test_blanks_within_fields_are_seen(tmp_path, text, expected):
    with opened(tmp_path, text) as file:
        assert has_blanks(file) == expected


def test_a_line_that_is_cut_short_tells_nothing_of_blanks(tmp_path):
    first = NAMES + "a b\td\t1\n"
    with opened(tmp_path, first + "c" * HEAD) as file:
        assert has_blanks(file)
    rows = "a b\td\t1\n" + "c" * HEAD
    with opened(tmp_path, rows) as file, pytest.raises(rs.DataError, match="tabs separate 3 col"):
        run_layout(file)


@pytest.mark.parametrize(("place", "expected"), [(199, True), (200, False)])
def test_blanks_are_sought_in_the_first_lines(tmp_path, place, expected):
    rows = ["q\td\t1\n"] * 201
    rows[place - 1] = "a b\td\t1\n"
    with opened(tmp_path, NAMES + "".join(rows)) as file:
        assert has_blanks(file) == expected


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("row", ["a b\td\t1", "a b\tQ0\td\t1\t2\tt", "a\tQ0\tb c\t1\t2\tt"])
def test_a_row_with_blanks_between_tabs_is_refused(tmp_path, row, end):
    with opened(tmp_path, row + end) as file, pytest.raises(rs.DataError) as caught:
        run_layout(file)
    columns, odd = row.count("\t") + 1, next(f for f in row.split("\t") if " " in f)
    words = f"tabs separate {columns} columns, and an id holds a blank ({odd!r})."
    assert words in str(caught.value)


def test_one_row_of_a_table_with_blanks_needs_no_line_end(tmp_path):
    path = tmp_path / "run.tsv"
    path.write_text(NAMES + "the query\td\t1")
    result = rs.evaluate({"the query": {"d": 1}}, path, "RR")
    assert result.per_query == {"the query": {"RR": 1}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query_id doc_id score\nq d 1\nq d 1 2\n", ":3: expected 3 fields (query_id doc_id score) like the first row, found 4: 'q d 1 2'."),
        ("q Q0 d 1 2.5\nq Q0 e 1\n", ":2: expected 5 fields (query Q0 document rank score) like the first row, found 4: 'q Q0 e 1'."),
        ("q Q0 d 1 2 t u\nq Q0 e 1\n", ":2: expected 7 fields (query Q0 document rank score tag more) like the first row, found 4: 'q Q0 e 1'."),
        ("q d 1 2.5\nq e 2 2\nq e\n", ":3: expected 4 fields (query document rank score) like the first row, found 2: 'q e'."),
        ("q d 1\nq e 2\nq e\n", ":3: expected 3 fields (query document rank) like the first row, found 2: 'q e'."),
        ("q d 1.5\nq e\n", ":2: expected 3 fields (query document score) like the first row, found 2: 'q e'."),
        ("q Q0 d 1 2 t\nq Q0 e\n", ":2: expected 6 fields (query Q0 document rank score tag), found 3: 'q Q0 e'."),
    ],
)  # fmt: skip
def test_a_row_unlike_the_first_is_an_error(tmp_path, text, message):
    path = tmp_path / "run"
    path.write_text(text)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"d": 1}}, path, "RR")
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query_id doc_id grade\nq d 1\nq d\n", ":3: expected 3 fields (query_id doc_id grade) like the first row, found 2: 'q d'."),
        ("q 0 d 1 x\nq 0 d\n", ":2: expected 5 fields (query iteration document grade more) like the first row, found 3: 'q 0 d'."),
        ("q d 1 2 0.5\nq 0 d\n", ":2: expected 5 fields (query document grade method probability) like the first row, found 3: 'q 0 d'."),
        ("q d 1\nq 0\n", ":2: expected 3 fields (query document grade) like the first row, found 2: 'q 0'."),
        ("q 0 d 1\nq 0 d\n", ":2: expected 4 fields (query iteration document grade), found 3: 'q 0 d'."),
    ],
)  # fmt: skip
def test_a_judgment_unlike_the_first_is_an_error(tmp_path, text, message):
    path = tmp_path / "qrels"
    path.write_text(text)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(path, {"q": {"d": 1}}, "RR")
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("text", "level", "count", "words"),
    [
        ("q 0 d 1 x\n", "note", 1, "the fifth column is not read"),
        ("q d 1 2 0.5\n", "warning", 2, "sampling methods and probabilities are not read; every judged document counts alike"),
    ],
)  # fmt: skip
def test_columns_that_are_not_read_are_named(tmp_path, text, level, count, words):
    path = tmp_path / "qrels"
    path.write_text(text)
    result = rs.evaluate(path, {"q": {"d": 1}}, "RR")
    (notice,) = (n for n in result.notices if n.code == "ignored-columns")
    assert (notice.level, notice.count, notice.text) == (level, count, words)


@pytest.mark.parametrize(
    ("text", "options", "separator", "names"),
    [
        ("query_id,doc_id,score\n", {}, ",", ["query_id", "doc_id", "score"]),
        ("query_id;doc_id,x\n", {}, None, ["query_id;doc_id", "x"]),
        ("query_id;doc_id\n", {}, ";", ["query_id", "doc_id"]),
        ("query_id\tdoc_id\r\n", {}, "\t", ["query_id", "doc_id"]),
        ("sep=|\nquery_id|doc_id\n", {}, "|", ["query_id", "doc_id"]),
        ("SEP=;\r\nquery_id;doc_id\n", {}, ";", ["query_id", "doc_id"]),
        ("sep=;", {}, None, ["sep=", ""]),
        ("sep=;;\nquery_id;doc_id\n", {}, None, ["sep=", "", ""]),
        ('query_id,doc_id,"a\nb\n', {}, None, ['query_id,doc_id,"a']),
        ("a,b\n", {}, None, ["a", "b"]),
        ("a,b\n", {"columns": {"query": "a"}}, ",", ["a", "b"]),
        ("a,b\n", {"columns": {"query": "c"}}, None, ["a", "b"]),
        ("a\n", {"columns": {"query": "a"}}, None, ["a"]),
        ("query_id,doc_id\n\0", {}, None, ["query_id", "doc_id"]),
    ],
)
def test_what_separates_the_names_of_columns(tmp_path, text, options, separator, names):
    with opened(tmp_path, text, **options) as file:
        assert csv_header.separator_of(file) == separator
        assert csv_header.header_of(file)[1] == names


HEAD_LINE = "query_id;doc_id;score\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD_LINE + "q;d;0,5\n", True),
        (HEAD_LINE + "q;d;-1,5e-3\n", True),
        (HEAD_LINE + 'q;d;"0,5"\n', True),
        (HEAD_LINE + "q;d;0,5\nq;e;1\n", True),
        (HEAD_LINE + "q;d;0,5\nq;e\n", True),
        (HEAD_LINE + "q;d;0,5\nq;e;0.5\n", False),
        (HEAD_LINE + "q;d;1\n", False),
        (HEAD_LINE + "q;0,5;1\n", False),
        (HEAD_LINE + "q;d;1\n" * 198 + "q;d;0,5\n", True),
        (HEAD_LINE + "q;d;1\n" * 199 + "q;d;0,5\n", False),
        ("query_id,doc_id,score\nq,d,0,5\n", False),
    ],
)
def test_numbers_with_a_comma(tmp_path, text, expected):
    with opened(tmp_path, text) as file:
        assert csv_header.has_decimal_commas(file) == expected


@pytest.mark.parametrize(
    ("names", "options", "types"),
    [
        ("query_id,doc_id,score", {}, {"query_id": "id", "doc_id": "id", "score": "number"}),
        ("query_id,doc_id,score,sim", {}, {"query_id": "id", "doc_id": "id"}),
        ("query_id,doc_id,score,sim", {"columns": {"score": "sim"}}, {"query_id": "id", "doc_id": "id", "sim": "number"}),
        ("query_id,doc_id,rel,subtopic,vital", {}, {"query_id": "id", "doc_id": "id", "rel": "number", "subtopic": "id", "vital": "id"}),
        ("query_id,doc_id,far", {"columns": {"distance": "far"}}, {"query_id": "id", "doc_id": "id", "far": "number"}),
    ],
)  # fmt: skip
def test_columns_of_ids_and_of_numbers(tmp_path, names, options, types):
    with opened(tmp_path, names + "\n", **options) as file:
        assert csv_header.types_of(file) == types


STRAY = "a quote within a field. Put the whole field in quotes"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,b\n"x","y"\n', None),
        ('a,b\n"x""y",z\r\n', None),
        ('a,b\n"x\ny",z\n', None),
        ('"a",b\n', None),
        ('a,"b"', None),
        ('a,b\nx"y,z\n', f":2: {STRAY}"),
        ('a,b\n1,2\n"x"y,z\n', f":3: {STRAY}"),
        ('a,b\n"x\n\n"y,z\n', f":4: {STRAY}"),
        ('a"\n', f":1: {STRAY}"),
        ('\na"\n', f":2: {STRAY}"),
        ('a"\n' + "x" * (1 << 20) + "\n\n\n", f":1: {STRAY}"),
        ('a,b\n"x,z\n', ": a quote is opened and never closed."),
        ("a,b\nx\ry,z\n", ":2: a CR that is not followed by LF."),
        ("a,b\r\nx,y\r\nx\ry,z\r\n", ":3: a CR that is not followed by LF."),
        ("a,b\r", ":1: a CR that is not followed by LF."),
    ],
)
def test_text_that_libraries_read_differently_is_refused(tmp_path, text, message):
    with opened(tmp_path, text) as file:
        if message is None:
            check_alike(file, ",")
            return
        with pytest.raises(rs.DataError) as caught:
            check_alike(file, ",")
    assert str(caught.value).startswith(f"{tmp_path / 'file'}{message}")


@pytest.mark.parametrize("rows", [199, 200, 201])
def test_so_many_first_rows_are_looked_at(tmp_path, rows):
    with opened(tmp_path, "# note\n\n" + "q d 1\n" * rows) as file:
        assert len(file.first_rows) == min(rows, 200)
        assert file.first_rows[-1] == ([b"q", b"d", b"1"], 8 + 6 * min(rows, 200))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b"q d 1", [[b"q", b"d", b"1"]]),
        (b"q d 1\nq d", [[b"q", b"d", b"1"], [b"q", b"d"]]),
        (b"q d 1\n" + b"x" * (HEAD - 6), [[b"q", b"d", b"1"], [b"x" * (HEAD - 6)]]),
        (b"q d 1\n" + b"x" * (HEAD - 5), [[b"q", b"d", b"1"]]),
        (b"x" * (HEAD + 1), [[b"x" * HEAD]]),
        (b"\xef\xbb\xbfq d\n", [[b"q", b"d"]]),
        (b"\xef\xbb\xbf#q d\n", []),
    ],
)
def test_a_row_that_is_cut_short_is_the_first_or_none(tmp_path, text, rows):
    with opened(tmp_path, text) as file:
        assert [row.fields for row in file.first_rows] == rows


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [(None, None, None), ("a", "a", "a"), ("a:b", "a", "b"), ("a:", "a", None), (":b", None, "b")],
)
def test_options_of_judgments_and_of_the_run(text, first, last):
    assert (first_of(text), last_of(text)) == (first, last)
