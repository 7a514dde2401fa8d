"""How the columns of rows and tables are found: each rule, and where it ends."""

from contextlib import contextmanager

import pytest

import rankstone as rs
from rankstone.core.row_layout import RANK, RowLayout
from rankstone.io.formats.trec_layout import (
    QRELS,
    RUN,
    has_blanks,
    is_header,
    is_rows,
    qrels_layout,
    run_layout,
)
from rankstone.io.input_file import Input, ReadOptions
from rankstone.verbs.load import load_judgments, load_run


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
        ("".join(f"q{i} d 1\n" for i in range(9)), RowLayout(3, 0, 1, 2)),
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


@pytest.mark.parametrize("count", [5, 6])
@pytest.mark.parametrize(("row", "column"), [("{q} {d} {n}", 3), ("{q} 0 {d} {n} x", 4)])
def test_grades_that_count_up_to_6_look_like_ranks(tmp_path, count, row, column):
    rows = [row.format(q="q", d=f"d{n}", n=n) for n in range(1, count + 1)]
    rows += [row.format(q="r", d="d", n=1)] * 2
    with opened(tmp_path, "\n".join(rows)) as file:
        if count < 6:
            assert qrels_layout(file).layout.columns == len(row.split())
            return
        words = rf"the grades count up like ranks \(column {column}\)"
        with pytest.raises(rs.DataError, match=words):
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
HEAD = 1 << 16  # bytes that are looked at


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


NUMBERS_OF_A_RUN = {3: [2], 4: [2, 3], 5: [3, 4], 6: [3, 4], 7: [3, 4]}
NUMBERS_OF_JUDGMENTS = {3: [2], 4: [3], 5: [3]}
BY_KIND = [(run_layout, NUMBERS_OF_A_RUN), (qrels_layout, NUMBERS_OF_JUDGMENTS)]


@pytest.mark.parametrize(
    ("layout_of", "columns", "numbers"),
    [(call, columns, numbers) for call, known in BY_KIND for columns, numbers in known.items()],
)
def test_tabs_separate_where_numbers_are_numbers(tmp_path, layout_of, columns, numbers):
    fields = ["a b", *("x" * (columns - 1))]
    for place in numbers:
        fields[place] = " 1 "
    for place in [None, *numbers]:
        row = [*fields]
        words = "tabs separate"
        if place is not None:
            row[place] = "x"
        with opened(tmp_path, "\t".join(row) + "\n") as file:
            if place is None:
                with pytest.raises(rs.DataError, match=f"{words} {columns} columns"):
                    layout_of(file)
            else:
                assert layout_of(file).first == 0


@pytest.mark.parametrize(
    ("row", "expected"),
    [("q Q0 a 1 2.5x t more and more", 1), ("q Q0 a 1 x t", 0), ("q Q0 a x 3 t", 1)],
)
def test_lenient_runs_are_read_as_c_reads_them(tmp_path, row, expected):
    path = tmp_path / "run"
    path.write_text(f"q Q0 d 1 1 t\n{row}\n")
    run = load_run(path, input_format="trec-lenient")
    assert rs.evaluate({"q": {"a": 1}}, run, "R@1")["R@1"] == expected


def test_lenient_judgments_are_read_as_c_reads_them(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("q 0 a 2.9\nq x b 3y\nq 0 c z\n")
    judged = load_judgments(path, input_format="trec-lenient")
    assert dict(zip(judged.docs, judged.grades.tolist(), strict=True)) == {"a": 2, "b": 3, "c": 0}
    assert judged.subtopics is None


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
        ("q d 1 2 0.5\n", "warning", 1, "sampling methods are not read, and probabilities count only in measures that estimate from samples; to others every judged document counts alike"),
    ],
)  # fmt: skip
def test_columns_that_are_not_read_are_named(tmp_path, text, level, count, words):
    path = tmp_path / "qrels"
    path.write_text(text)
    result = rs.evaluate(path, {"q": {"d": 1}}, "RR")
    (notice,) = (n for n in result.notices if n.code == "ignored-columns")
    assert (notice.level, notice.count, notice.text) == (level, count, words)


JUDGED = {"q1": {"d1": 1}}


def rr(judged, run):
    return rs.evaluate(judged, run, ["RR"])["RR"]


BLANKS = {
    "six columns": "q1\tQ0\td 1\t1\t0.5\ttag\nq1\tQ0\td 2\t2\t0.9\ttag\n",
    "seven columns": "q1\tQ0\td 1\t1\t0.5\ta tag\tx\n",
    "five columns": "q1\tQ0\td 1\t1\t0.5\nq1\tQ0\td 2\t2\t0.9\n",
    "four columns": "q1\td 1\t1\t0.5\nq1\td 2\t2\t0.9\n",
    "three columns": "q1\td 1\t0.5\nq1\td 2\t0.9\n",
    "only later": "q1\tQ0\td1\t1\t0.5\tt\nq1\tQ0\td 2\t2\t0.9\tt\n",
    "in a query": "q 1\td1\t0.5",
}


@pytest.mark.parametrize("text", BLANKS.values(), ids=BLANKS)
def test_blanks_between_tabs_do_not_move_columns(engine, tmp_path, text):
    path = tmp_path / "run"
    path.write_text(text)
    with pytest.raises(rs.DataError, match=r"an id holds a blank \('(d|q) \d'\)"):
        rr({"q1": {"d": 1}}, path)


@pytest.mark.parametrize(
    "text", ["q1\t0\td 1\t1\n", "q1\td 1\t1\n", "q 1\t0\td1\t1\n", "q1\t0\td 1\t1\tx\n"]
)
def test_blanks_between_tabs_do_not_move_grades(engine, tmp_path, text):
    path = tmp_path / "qrels"
    path.write_text(text)
    with pytest.raises(rs.DataError, match="an id holds a blank"):
        rr(path, {"q1": ["d 1"]})


def test_the_remedy_for_blanks_between_tabs(engine, tmp_path):
    path = tmp_path / "run.tsv"
    path.write_text("query_id\tdoc_id\tscore\nq1\td 1\t0.5\nq1\td 2\t0.9\n")
    assert rr({"q1": {"d 1": 1}}, path) == 0.5


def test_tabs_and_blanks_may_still_be_mixed(engine, tmp_path):
    path = tmp_path / "run"
    path.write_text("q1\tQ0 d2 1 0.9\tt\nq1\tQ0 d1 2 0.5\tt\n")
    assert rr(JUDGED, path) == 0.5


@pytest.mark.parametrize("between", ["\t", " "])
def test_headers_of_the_other_side_are_refused(tmp_path, between):
    path = tmp_path / "rows"
    for name, given, kind in (("score", 0, "a run"), ("relevance", 1, "judgments")):
        path.write_text(f"query_id doc_id {name}\nq a 1.5\n".replace(" ", between))
        data = [{"q": {"a": 1}}, {"q": ["a"]}]
        data[given] = path
        with pytest.raises(rs.DataError, match=f"This looks like {kind}; the order is judgments first"):  # fmt: skip
            rs.evaluate(*data, "RR")
    path.write_text("query-id corpus-id score\nq a 1\n".replace(" ", between))
    assert rs.evaluate(path, {"q": ["a"]}, "RR")["RR"] == 1
