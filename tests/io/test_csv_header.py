"""The first lines of files: what separates names of columns, and what is looked at."""

from contextlib import contextmanager

import pytest

import rankstone as rs
from rankstone.io.formats import csv_header
from rankstone.io.formats.csv_header import check_alike
from rankstone.io.input_file import Input, ReadOptions, first_of, last_of

HEAD = 1 << 16  # bytes that are looked at


@contextmanager
def opened(tmp_path, text, **options):
    path = tmp_path / "file"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with Input.open(str(path), ReadOptions(**options)) as file:
        yield file


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
