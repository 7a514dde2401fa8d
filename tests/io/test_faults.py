"""What is said of lines and files that cannot be read, and what is left out on the way."""

import json

import pytest

import rankstone as rs
from rankstone.choices.setup import Setup
from rankstone.io.convert import convert
from rankstone.io.encodings import as_utf8, check_utf16, is_json_in_utf8, is_text, is_utf8
from rankstone.io.formats import format_for, run_name
from rankstone.io.input_file import ReadOptions
from rankstone.verbs.load import load_judgments, load_run

GOOD = "q Q0 d 1 1 t\n"
WRITE = "Write it like 3, -0.25 or 1e-3."
NAMES = "A first line of names is known by its query, document and number columns."
RUN_FIELDS = "expected 6 fields (query Q0 document rank score tag)"
QRELS_FIELDS = "expected 4 fields (query iteration document grade)"


def fault_of(tmp_path, content, *, judged=False, **options):
    path = tmp_path / "file"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    data = (path, {"q": {"d": 1}}) if judged else ({"q": {"d": 1}}, path)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(*data, "RR", **options)
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q Q0 d 1 x t\n", f":1:10: score 'x' is not a number. {WRITE} {NAMES}"),
        (GOOD + "q Q0 e 1 x t\n", f":2:10: score 'x' is not a number. {WRITE}"),
        ("\n" + GOOD + "q Q0 e 1 x t\n", f":3:10: score 'x' is not a number. {WRITE}"),
        ("\nq Q0 e 1 x t\n", f":2:10: score 'x' is not a number. {WRITE}"),
        (GOOD + "q Q0 e 1 nan t\n", ":2:10: score 'nan' is not a finite number. Remove the row, or repair what wrote it."),
        ("q Q0 d 1 inf t\n", ":1:10: score 'inf' is not a finite number. Remove the row, or repair what wrote it."),
        (GOOD + "q Q0 \x01e 1 1 t\n", ":2:6: control character 0x01. Is this a TREC run? It looks like binary data."),
        (GOOD + "q Q0 e\r 1 1 t\n", ":2:7: control character 0x0d. The file seems to have CR-only line ends; convert them to LF."),
        ("q 0 d 1\nq 0 e 1\n", f":1: {RUN_FIELDS}, found 4: 'q 0 d 1'. This looks like TREC qrels; the order is judgments first, then runs."),
        (GOOD + "q 0 e 1\n", f":2: {RUN_FIELDS}, found 4: 'q 0 e 1'. This looks like TREC qrels; the order is judgments first, then runs."),
        (GOOD + "q Q0 e\n", f":2: {RUN_FIELDS}, found 3: 'q Q0 e'."),
        (GOOD + "q,Q0,e\n", f":2: {RUN_FIELDS}, found 1: 'q,Q0,e'. If ',' separates the columns, the first line has to name them, such as query_id,doc_id,score; other names need --columns query=NAME,doc=NAME (columns=)."),
        ("q;d;1\n", f":1: {RUN_FIELDS}, found 1: 'q;d;1'. If ';' separates the columns, the first line has to name them, such as query_id;doc_id;score; other names need --columns query=NAME,doc=NAME (columns=)."),
        ("q::d::1\n", f":1: {RUN_FIELDS}, found 1: 'q::d::1'. Columns are separated by blanks, tabs, ',' or ';', not by '::'."),
        ("q|d|1\n", f":1: {RUN_FIELDS}, found 1: 'q|d|1'. Columns are separated by blanks, tabs, ',' or ';', not by '|'."),
        ("q|d e\n", f":1: {RUN_FIELDS}, found 2: 'q|d e'. Columns are separated by blanks, tabs, ',' or ';', not by '|'."),
        (GOOD + "q|d e\n", f":2: {RUN_FIELDS}, found 2: 'q|d e'."),
        ("x\n", f":1: {RUN_FIELDS}, found 1: 'x'. A file of scores alone has one number in each line, and no header."),
        ("0,5\nx\n", f":1: {RUN_FIELDS}, found 1: '0,5'. Write decimals with a point: 0.5, not 0,5."),
        ("x y\n", f":1: {RUN_FIELDS}, found 2: 'x y'."),
        ("query_id\tdoc_id\tscore\nq\td\t1\nq\td\t1\t2\n", ":3: expected 3 fields (query_id doc_id score) like the first row, found 4: 'q\\td\\t1\\t2'. If fields hold blanks, name the format: 'csv' (--input-format, input_format=)."),
        ("query_id doc_id score\nq d 1\nq d 1 2\n", ":3: expected 3 fields (query_id doc_id score) like the first row, found 4: 'q d 1 2'."),
        ("query_id doc_id score\nq d 1\nq d x\n", f":3:5: score 'x' is not a number. {WRITE}"),
    ],
)  # fmt: skip
def test_a_line_of_a_run_that_cannot_be_read(tmp_path, text, message):
    assert fault_of(tmp_path, text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 0 d x\n", f":1:7: grade 'x' is not a number. {WRITE} {NAMES}"),
        ("q 0 d 1\nq 0 e inf\n", ":2:7: grade 'inf' is not a finite number. Remove the row, or repair what wrote it."),
        ("q 0 d 1\nq 0 \x1fe 1\n", ":2:5: control character 0x1f. Is this TREC qrels? It looks like binary data."),
        ("q Q0 d 1 1 t\n", f":1: {QRELS_FIELDS}, found 6: 'q Q0 d 1 1 t'. This looks like a TREC run; the order is judgments first, then runs."),
        ("q;0;d;1\n", f":1: {QRELS_FIELDS}, found 1: 'q;0;d;1'. If ';' separates the columns, the first line has to name them, such as query_id;doc_id;relevance; other names need --columns query=NAME,doc=NAME (columns=)."),
        ("x\n", f":1: {QRELS_FIELDS}, found 1: 'x'."),
    ],
)  # fmt: skip
def test_a_line_of_judgments_that_cannot_be_read(tmp_path, text, message):
    assert fault_of(tmp_path, text, judged=True) == message


def test_a_line_far_into_a_file_is_numbered(tmp_path):
    rows = 200_000
    message = fault_of(tmp_path, GOOD * rows + "q Q0 e 1 x t\n")
    assert message == f":{rows + 1}:10: score 'x' is not a number. {WRITE}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x93NUMPY\x01\x00v\x00", ": this is an array of NumPy; load it and evaluate it in Python."),
        (b"\xd0\xcf\x11\xe0\x00\x01", ": this is an Excel workbook of the old kind (.xls); save it as .xlsx or as CSV."),
    ],
)  # fmt: skip
def test_a_binary_file_is_named(tmp_path, content, words):
    assert fault_of(tmp_path, content) == words


def in_file(tmp_path, content):
    path = tmp_path / "text"
    path.write_bytes(content)
    return path.open("rb")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"abc", True),
        (b"PAR1", False),
        (b"ARROW1", False),
        (b"ARROW", True),
        (b"PK\x03\x04", False),
    ],
)
def test_text_is_told_from_tables(tmp_path, content, expected):
    with in_file(tmp_path, content) as stream:
        assert is_text(stream) == expected


@pytest.mark.parametrize(
    ("content", "utf8", "in_json"),
    [
        (b'{"a": "\xc3\xa9"}', True, True),
        (b'\xef\xbb\xbf [1, "\xc3\xa9"]', True, True),
        (b'{"a": "\xe9"}', False, False),
        (b"q \xc3\xa9", True, False),
        (b"q \xc3", False, False),
        (b"a" * ((1 << 20) - 1) + b"\xc3\xa9", True, False),
        (b"a" * (1 << 20) + b"\xe9", False, False),
    ],
)
def test_utf8_is_known(tmp_path, content, utf8, in_json):
    with in_file(tmp_path, content) as stream:
        assert is_utf8(stream) == utf8
        assert is_json_in_utf8(stream) == in_json


@pytest.mark.parametrize(
    ("start", "refused"),
    [(b"\xff\xfea\0", True), (b"\xfe\xff\0a", True), (b"\xff\xff\xff\xff", False), (b"\xff\xfe\xff\xff", False), (b"\xff\xfe\xff\xff\0", False), (b"ab", False)],
)  # fmt: skip
def test_utf16_is_refused_unless_it_is_named(start, refused):
    if not refused:
        assert check_utf16(start, "x") is None
        return
    with pytest.raises(rs.DataError, match="^x: the file is UTF-16. Say so: encoding='utf-16'"):
        check_utf16(start, "x")


def test_text_of_another_encoding_becomes_utf8(tmp_path):
    def read_as(content, encoding):
        with in_file(tmp_path, content) as stream, as_utf8(stream, "x", encoding) as copy:
            return copy.read()

    assert read_as(b"q \xe9\n", "cp1252") == "q é\n".encode()
    assert read_as("q é\n".encode("utf-16"), "utf-16") == "q é\n".encode()
    assert read_as(b"plain\n", "cp1252") == b"plain\n"
    assert read_as("q é\n".encode(), "utf-8") == "q é\n".encode()
    with pytest.raises(rs.DataError, match="^x: the file is UTF-8, not cp1252."):
        read_as("q é\n".encode(), "cp1252")
    with pytest.raises(rs.DataError, match="^x: the file is UTF-8, not cp1252."):
        read_as(b"a" * (1 << 20) + "é".encode(), "cp1252")
    with pytest.raises(rs.DataError, match="^x:3: the byte 0xff is not utf-8; "):
        read_as(b"a\nb\nc\xff\n", "utf-8")
    far = (1 << 20) + 7
    with pytest.raises(rs.DataError, match=f"^x:{far + 1}: the byte 0xff is not utf-8; "):
        read_as(b"\n" * far + b"\xff", "utf-8")
    apart = b"a" * ((1 << 20) - 1) + "é".encode()
    assert read_as(apart, "utf-8") == apart
    with pytest.raises(rs.DataError, match="^x:1: the byte 0xc3 is not utf-8; "):
        read_as(b"q \xc3", "utf-8")
    with pytest.raises(rs.UsageError, match="^encoding must be the name of an encoding, .*'none'"):
        load_run(tmp_path / "text", encoding="none")


@pytest.mark.parametrize(
    ("path", "name"),
    [("-", "stdin"), ("a/b.run", "b"), ("b.run.gz", "b"), ("b.v1.txt", "b.v1"), ("b", "b"), (".run", ".run"), ("x/b.eval", "b")],
)  # fmt: skip
def test_a_run_has_the_name_of_its_file(path, name):
    assert run_name(path) == name


@pytest.mark.parametrize(("path", "name"), [("a.run", "trec"), ("a.CSV", "csv"), ("a", "trec"), ("a.pq", "parquet"), ("a.qrels", "trec")])  # fmt: skip
def test_an_ending_names_the_format_that_is_written(path, name):
    assert format_for(path) == name


@pytest.mark.parametrize(
    ("path", "words"),
    [("a.run.gz", "files are written plain, not compressed"), ("a.tsv", "no format is written to files that end in '.tsv'"), ("a.xlsx", "no format is written to files that end in '.xlsx'")],
)  # fmt: skip
def test_an_ending_of_files_that_are_not_written(path, words):
    with pytest.raises(rs.UsageError, match=f"^{path}: {words}"):
        format_for(path)


NUGGETS = [
    {"query_id": "q", "doc_id": "d", "subtopic": "s", "relevance": 1, "importance": "okay"},
    {"query_id": "q", "doc_id": "d", "subtopic": "t", "relevance": 1, "importance": "okay"},
    {"query_id": "q", "doc_id": "e", "subtopic": "u", "relevance": 2, "importance": "vital"},
]


@pytest.mark.parametrize(
    ("to", "code", "count"),
    [("json", "subtopics-left-out", 3), ("trec", "importance-left-out", 2), ("jsonl", None, 0), ("csv", None, 0), ("parquet", None, 0)],
)  # fmt: skip
def test_what_a_format_cannot_hold_is_counted(tmp_path, to, code, count):
    source = tmp_path / "judged.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in NUGGETS))
    done = convert(str(source), str(tmp_path / "out"), to, kind="judgments")
    assert [(n.code, n.count) for n in done.notices] == ([(code, count)] if code else [])


@pytest.mark.parametrize("to", ["csv", "parquet", "arrow", "jsonl"])
def test_subtopics_and_their_importance_are_read_from_what_was_written(tmp_path, to):
    source, middle, last = (str(tmp_path / name) for name in ("judged.jsonl", "middle", "last"))
    with open(source, "w") as out:
        out.write("".join(json.dumps(row) + "\n" for row in NUGGETS))
    convert(source, middle, to, kind="judgments")
    done = convert(middle, last, "trec", kind="judgments")
    assert [(n.code, n.count) for n in done.notices] == [("importance-left-out", 2)]
    with open(last) as lines:
        assert lines.read() == "q s d 1\nq t d 1\nq u e 2\n"


def test_only_rows_with_documents_are_counted(tmp_path):
    source = tmp_path / "judged.json"
    source.write_text('{"q": {"d": 1, "e": 0}, "r": {}}')
    done = convert(str(source), str(tmp_path / "out.json"), kind="judgments")
    assert done.rows == 2
    assert json.loads((tmp_path / "out.json").read_text()) == {"q": {"d": 1, "e": 0}, "r": {}}
    assert convert(str(source), str(tmp_path / "out.qrels"), kind="judgments").rows == 2
    assert (tmp_path / "out.qrels").read_text() == "q 0 d 1\nq 0 e 0\n"


def test_many_rows_are_converted_in_order(tmp_path):
    source, rows = tmp_path / "a.qrels", (1 << 12) + 1
    source.write_text("".join(f"q 0 d{i} 1\n" for i in range(rows)))
    assert convert(str(source), str(tmp_path / "b.qrels"), kind="judgments").rows == rows
    assert (tmp_path / "b.qrels").read_text() == source.read_text()


def test_changes_of_data_are_told_from_conventions():
    setup = Setup.of("evaluate", {"scores": "ascending", "ties": "input"})
    assert (setup.changes.given(), setup.single) == ({"scores": "ascending"}, {"ties": "input"})
    with pytest.raises(rs.UsageError, match="^evaluate has no option 'needs'."):
        Setup.of("evaluate", {"needs": None})


def run_options(**options):
    return ReadOptions.of_run(Setup.of("evaluate", options))


def test_how_a_run_is_read():
    own = run_options(scores="ascending", input_format="trec:csv", max_bytes=9)
    assert (own.ascending, own.format, own.max_bytes) == (True, "csv", 9)
    assert not run_options(scores="descending").ascending
    assert not run_options().ascending


def test_judgments_of_several_queries_give_several_values():
    judged = load_judgments({"q": {"d": 1}, "r": {"d": 1}})
    assert rs.RR(judged, {"q": ["d"], "r": ["a", "d"]}).tolist() == [1, 0.5]
    one = load_judgments({"q": {"d": 1}})
    assert rs.RR(one, {"q": ["a", "d"]}).tolist() == [0.5]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: load_judgments(7), "cannot read judgments from int; give a path"),
        (lambda: load_run(7), "cannot read a run from int; give a path"),
        (lambda: rs.evaluate({"q": {"d": 1}}, None, "RR"), "a run is missing."),
        (lambda: rs.evaluate([1, 0], None, "RR", qid=[1, 1]), "qid= goes with judgments and a run; grades in rank order are all there is."),
        (lambda: rs.evaluate([1, 0], None, "RR", exclude={"q": ["d"]}), "exclude= goes with judgments and a run; grades in rank order are all there is."),
        (lambda: rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "RR", qid=["q"]), "qid= goes with labels and scores in arrays"),
        (lambda: rs.evaluate([1.0, 0], [0.5, 1], "RR", exclude={"q": ["d"]}), "exclude= removes documents by their ids"),
        (lambda: rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "RR", not_retrieved=[1]), "not_retrieved= goes with grades in rank order"),
        (lambda: rs.evaluate([1.0, 0], [0.5, 1], "RR", min_score=0), "min_score= goes with runs of documents"),
        (lambda: rs.evaluate([1.0, 0], [0.5, 1], "RR", parents={}), "parents= goes with runs of documents"),
        (lambda: rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "RR", judged_chunks=True), "judged_chunks= needs parents="),
    ],
)  # fmt: skip
def test_requests_that_make_no_sense(call, words):
    with pytest.raises(rs.UsageError) as caught:
        call()
    assert words in str(caught.value)


def test_unknown_names_of_columns_of_distances(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("wonach,was,wie\nq1,a,0.5\n")
    with pytest.raises(rs.DataError, match=r"--columns query=wonach,doc=was,distance=wie\)"):
        rs.evaluate({"q1": {"a"}}, path, "RR", scores="ascending")
