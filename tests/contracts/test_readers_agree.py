"""One collection, many ways in: native and Python engine, files and dicts, any order, any threads."""

import bz2
import gzip
import lzma
import os
import re
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import assume, given, settings, strategies as st
from strategies import NATIVE, collections, examples, plain, write_qrels, write_run

import rankstone as rs
from rankstone.core import engine as engines, python_engine
from rankstone.core.row_layout import ATOF, ATOL, NUMBER, RANK, RowLayout
from rankstone.io.formats.trec_layout import (
    LENIENT_QRELS,
    LENIENT_RUN,
    NAMED_LAYOUTS,
    QRELS,
    RUN,
    qrels_layout,
    run_layout,
)
from rankstone.io.input_file import Input, ReadOptions
from rankstone.verbs.load import load_judgments, load_run

needs_native = pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")
TIES = ["docid-desc", "docid-asc", "optimistic", "pessimistic"]
MEASURES = ["nDCG@10", "AP", "RR", "P@5", "R@5", "ERR", "NumRet", "NumRelRet", "F@3"]


def bits(result):
    return result.queries, {n: c.tobytes() for n, c in result.columns.items()}, result.aggregates


@settings(max_examples=examples(200))
@given(collections(), st.data(), st.sampled_from(TIES), st.sampled_from(["float64", "float32"]))
def test_all_ways_in_give_the_same_bits(tmp_path_factory, collection, data, ties, precision):
    judgments, run = collection
    # In a file the first is a comment, and the second may be a byte order mark.
    assume(not any(query.startswith(("#", "\ufeff")) for query in {**judgments, **run}))
    folder = tmp_path_factory.mktemp("all-ways")
    rows = sum(map(len, run.values()))
    order = data.draw(st.permutations(range(rows)))
    qrels = write_qrels(folder / "qrels", judgments)
    file = write_run(folder / "run", run, order)
    expected = None
    for engine in ["native", "python"] if NATIVE else ["python"]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RANKSTONE_ENGINE", engine)
            for held in (judgments, qrels):
                for ranked in (run, file):
                    # An id may start with { or [ too.
                    form = (
                        {"input_format": "trec"}
                        if any(isinstance(x, str | os.PathLike) for x in (held, ranked))
                        else {}
                    )
                    got = rs.evaluate(
                        held, ranked, MEASURES, ties=ties, precision=precision, **form
                    )
                    expected = expected or bits(got)
                    assert bits(got) == expected
                    codes = {n.code for n in got.notices}
                    assert ("missing-queries" in codes) == bool(set(judgments) - set(run))
                    assert ("unjudged-queries" in codes) == bool(set(run) - set(judgments))


texts = st.lists(
    st.sampled_from(
        ["q1", "q2", "q1", "Q0", "d1", "d2", "d3", "d1", "0", "1", "2", "3.5", "-1e-3", "nan", "inf",
         "x", "1_0", "1e400", "1e-400", ".", "+.5", "5.", "1e", "0x1", "12345678901234567890123",
         "é", "#", "# ", "0x1p3", "-0x.8p-1", "1,5", "7abc", "infx", "0xp", "\ufeff", "\x00", "\x0b", " ", "  ", "\t", "\n", "\n", "\n", "\r\n", "\r"]
    ),
    max_size=60,
).map("".join)  # fmt: skip
run_lines = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3", "é"]),
        st.sampled_from(["d1", "d2", "d3", "d4", "d5"]),
        st.sampled_from(["1", "2", "3", "03", "x", "-1"]),
        st.sampled_from(["1", "1.0", "2", "-3.5", "1e-400", "0.1", "0.10000000000000001"]),
        st.sampled_from(["\n", "\r\n", "\n\n", " \n", "\n\t\n"]),
    ),
    max_size=40,
).map(lambda rows: "".join(f"{q} Q0 {d}\t{r}  {s} t{end}" for q, d, r, s, end in rows))


layouts = st.builds(
    RowLayout,
    record=st.none(),  # JSON is compared in tests/io/test_json_scan.py
    columns=st.integers(3, 7),
    query=st.integers(0, 2),
    doc=st.integers(0, 2),
    value=st.integers(0, 2),
    rank=st.integers(-1, 2),
    reading=st.sampled_from([NUMBER, RANK, ATOF, ATOL]),
    more=st.booleans(),
    iteration=st.integers(-1, 2),
) | st.sampled_from([QRELS.layout, RUN.layout])


@needs_native
@settings(max_examples=examples(1000))
@given(texts | run_lines, layouts, st.sampled_from([0, 0, 1, 7]))
def test_engines_read_judgments_alike(text, layout, first):
    from rankstone._native import _core

    raw = text.encode()
    native, python = (m.scan_judgments(raw, layout, first) for m in (_core, python_engine))
    assert plain(native) == plain(python)


@needs_native
@pytest.mark.parametrize("order", ["by query", "mixed"])
@pytest.mark.parametrize("last", ["", "q1 9 d1 2", "q1 0 d1 x\n", "q1 0\n"])
def test_judgments_are_read_alike_by_any_threads(order, last):
    from rankstone._native import _core

    rng = np.random.default_rng(5)
    pairs = [(q, d) for q in rng.permutation(3000).tolist() for d in range(rng.integers(0, 90))]
    lines = [f"q{q} {d % 5} d{d} {(q + d) % 3}\n" for q, d in pairs]
    again = [line.replace(" 0\n", " 1\n") for line in lines[::700]]  # some contradict, some repeat
    lines = [*again, *lines, "#q1 0 d1 1\n", *again]
    if order == "mixed":
        lines = [lines[i] for i in rng.permutation(len(lines))]
    raw = ("".join(lines) * 2 + last).encode()
    layout = QRELS.layout._replace(iteration=1)
    assert len(raw) > 3 << 20  # a part of the text for each of three threads
    wanted = plain(python_engine.scan_judgments(raw, layout))
    for threads in (1, 2, 3, 8):
        assert plain(_core.scan_judgments(raw, layout, 0, threads)) == wanted


@needs_native
@settings(max_examples=examples(1000))
@given(texts | run_lines, layouts, st.sampled_from([0, 0, 1, 7]), st.integers(0, 3))
def test_engines_read_rows_alike(text, layout, offset, most):
    from rankstone._native import _core

    raw = text.encode()
    native, python = (m.read_rows(raw, layout, offset, most) for m in (_core, python_engine))
    assert plain(native) == plain(python)


@needs_native
@settings(max_examples=examples(1000))
@given(
    texts | run_lines,
    st.booleans(),
    st.booleans(),
    layouts,
    st.sampled_from([0, 0, 0, 9]),
    st.integers(0, 3),
)
def test_engines_and_any_threads_scan_runs_alike(
    tmp_path_factory, text, float32, repeats, layout, first, kept
):
    from rankstone._native import _core

    path = tmp_path_factory.getbasetemp() / f"scan-{os.getpid()}"
    path.write_bytes(text.encode())
    columns = (b"q1q2\xc3\xa9", np.array([0, 2, 4, 6]), np.array([0, 2, 4, 5]))
    docs = (b"d1d2d1d4d3", np.array([0, 2, 4, 6, 8, 10]))
    with path.open("rb") as stream:
        size = path.stat().st_size
        common = (stream.fileno(), size, layout)
        progress = np.zeros(1, np.int64)
        how = (progress, first, repeats, kept)
        expected = python_engine.scan_run(
            *common, python_engine.Index(*columns, *docs), float32, 1, 1 << 20, *how
        )
        index = _core.Index(*columns, *docs)
        for threads, reach in [(1, 1 << 20), (2, 1), (8, 7), (2, 64), (1, 33)]:
            got = _core.scan_run(*common, index, float32, threads, reach, *how)
            assert plain(got) == plain(expected)


numbers = st.floats(allow_nan=False, allow_infinity=False)


@needs_native
@settings(max_examples=examples(3000))
@given(
    numbers.map(repr)
    | numbers.map(lambda x: f"{x:.40f}")
    | numbers.map(lambda x: f"{x:+.25e}")
    | st.from_regex(r"[+-]?[0-9]{0,30}\.?[0-9]{0,30}(e[+-]?[0-9]{1,4})?", fullmatch=True)
)
def test_numbers_are_read_to_the_last_bit(text):
    from rankstone._native import _core

    line = f"q 0 d {text}\n".encode()
    got, wanted = (m.scan_judgments(line, QRELS.layout) for m in (_core, python_engine))
    assert plain(got) == plain(wanted)
    if got["fault"] is None:
        assert got["grades"].tolist() == [float(text)]
        assert np.signbit(got["grades"][0]) == text.startswith("-")


@pytest.fixture
def small(tmp_path):
    judgments = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    run = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d9": 3.0, "d3": 0.5}}
    qrels = write_qrels(tmp_path / "qrels.txt", judgments)
    return qrels, write_run(tmp_path / "my.run", run)


COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("kind", COMPRESS)
def test_compression_is_told_by_content(engine, small, tmp_path, kind):
    qrels, run = small
    unpacked = rs.evaluate(qrels, run, ["RR"])
    half = len(run.read_bytes().splitlines(keepends=True)[0])
    parts = run.read_bytes()[:half], run.read_bytes()[half:]
    packed = tmp_path / "no-ending-that-tells"
    packed.write_bytes(b"".join(COMPRESS[kind](part) for part in parts))
    squeezed = tmp_path / "judged"
    squeezed.write_bytes(COMPRESS[kind](qrels.read_bytes()))
    assert bits(rs.evaluate(squeezed, packed, ["RR"])) == bits(unpacked)


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("which", ["judgments", "run"])
def test_a_truncated_file_is_an_error_not_a_shorter_run(engine, small, tmp_path, kind, which):
    qrels, run = small
    whole = COMPRESS[kind]((qrels if which == "judgments" else run).read_bytes() * 50)
    cut = tmp_path / "cut"
    for length in (len(whole) - 1, len(whole) - 5, len(whole) // 2, 12):
        cut.write_bytes(whole[:length])
        pair = (cut, run) if which == "judgments" else (qrels, cut)
        with pytest.raises(rs.DataError, match=f"the {kind} file is (truncated|corrupt)"):
            rs.evaluate(*pair, ["RR"])


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_corrupt_file_is_an_error(engine, small, tmp_path, kind):
    qrels, run = small
    whole = bytearray(COMPRESS[kind](run.read_bytes() * 50))
    for i in range(10, len(whole)):
        whole[i] ^= 0x5A
    bad = tmp_path / "bad"
    bad.write_bytes(bytes(whole))
    with pytest.raises(rs.DataError, match=f"{bad}.*(truncated|corrupt)"):
        rs.evaluate(qrels, bad, ["RR"])


def test_crlf_bom_blank_lines_and_a_missing_last_newline(engine, tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_bytes(b"\xef\xbb\xbfq1 0 d1 1\r\n\r\n q1\t0  d2 0 \r\nq2 0 d1 1")
    run = tmp_path / "run"
    run.write_bytes(b"\xef\xbb\xbfq1 Q0 d1 1 +3.50 t\r\n\n\tq2\tQ0\td1\t1\t1E0\tt")
    result = rs.evaluate(qrels, run, ["RR", "NumRet"])
    assert result.per_query == {"q1": {"RR": 1.0, "NumRet": 1.0}, "q2": {"RR": 1.0, "NumRet": 1.0}}
    assert result.notices == ()


def test_ids_that_are_not_utf8_stay_what_they_are(engine, tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(b"q\xe9 0 d\xff 1\n")
    run.write_bytes(b"q\xe9 Q0 d\xfe 1 2 t\nq\xe9 Q0 d\xff 2 1 t\n")
    assert rs.evaluate(qrels, run, ["RR"])["RR"] == 0.5


def test_many_unjudged_queries_are_counted_to_a_limit(engine, tmp_path, monkeypatch):
    """The count stops at a limit, and the examples are the smallest ids whatever the order."""
    rows = [f"q{(i * 7919) % 3000:04d} Q0 d 0 1 t\n" for i in range(6000)]
    run = tmp_path / "run"
    run.write_text("".join(rows) + "judged Q0 d 0 1 t\n")
    (notice,) = rs.evaluate({"judged": {"d": 1}}, run, "RR").warnings
    assert (notice.count, notice.examples) == (3000, ("q0000", "q0001", "q0002"))


def test_the_python_engine_counts_no_further_than_its_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSTONE_ENGINE", "python")
    monkeypatch.setattr(python_engine, "MOST_UNJUDGED", 3)
    run = tmp_path / "run"
    for names, text in (("abca", "3 queries"), ("abcda", "more than 3 queries")):
        run.write_text("".join(f"{n} Q0 d 0 1 t\n" for n in names) + "judged Q0 d 0 1 t\n")
        (notice,) = rs.evaluate({"judged": {"d": 1}}, run, "RR").warnings
        assert notice.text.startswith(text)


JUDGED = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 0.5, "d1": -1}}
ROWS = [("q1", "d2", 1, 3.0), ("q1", "d1", 2, 1.5), ("q2", "d3", 1, 2.5), ("q2", "d9", 2, -1.0)]
QRELS_SHAPES = {
    "three columns": "{q} {d} {g}",
    "four columns": "{q}\t0\t{d}\t{g}",
    "five columns": "{q} 0 {d} {g} extra",
    "document second": "{q} {d} {g} 1 0.25",
}
RUN_SHAPES = {
    "ranks": "{q}\t{d}\t{r}",
    "scores": "{q} {d} {s}",
    "ranks and scores": "{q} {d} {r} {s}",
    "five columns": "{q} Q0 {d} {r} {s}",
    "six columns": "{q} Q0 {d} {r} {s} tag",
    "seven columns": "{q} Q0 {d} {r} {s} my tag",
}
QRELS_HEADERS = {
    "three columns": "query-id\tcorpus-id\tscore",
    "four columns": "qid iteration docno relevance",
    "five columns": "topic iter doc_id rel note",
    "document second": "query_id doc_id label method probability",
}
RUN_HEADERS = {
    "ranks": "qid pid rank",
    "scores": "user_id item_id prediction",
    "ranks and scores": "query_id doc_id rank score",
    "five columns": "qid Q0 docid rank score",
    "six columns": "qid Q0 docid rank score tag",
    "seven columns": "qid Q0 docid rank score tag name",
}


def qrels_lines(shape):
    return [
        QRELS_SHAPES[shape].format(q=q, d=d, g=g) + "\n"
        for q, docs in JUDGED.items()
        for d, g in docs.items()
    ]


def run_lines_of(shape):
    return [RUN_SHAPES[shape].format(q=q, d=d, r=r, s=s) + "\n" for q, d, r, s in ROWS]


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("shape", QRELS_SHAPES)
def test_judgments_of_any_columns(engine, tmp_path, shape, header):
    (tmp_path / "qrels").write_text(
        "# a comment\n" * header
        + (QRELS_HEADERS[shape] + "\n") * header
        + "".join([*qrels_lines(shape), "# the end\n"])
    )
    run = {"q1": {"d2": 3.0, "d1": 1.5}, "q2": {"d3": 2.5, "d9": -1.0}}
    got = rs.evaluate(tmp_path / "qrels", run, MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, run, MEASURES))
    dropped = {
        "five columns": {"ignored-columns": "note"},
        "document second": {"ignored-columns": "warning"},
    }
    wanted = {} if header else dropped.get(shape, {})
    levels = {"negative-grades": "warning", "no-relevant": "note", "scale-from-judgments": "note"}
    levels |= {"grades-below-one": "warning"} | wanted
    assert {n.code: n.level for n in got.notices} == levels


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("shape", RUN_SHAPES)
def test_runs_of_any_columns(engine, tmp_path, shape, header):
    text = "".join([(RUN_HEADERS[shape] + "\n") * header, *run_lines_of(shape), "# the end\n"])
    (tmp_path / "run").write_text(text)
    listed = {"q1": ["d2", "d1"], "q2": ["d3", "d9"]}
    got = rs.evaluate(JUDGED, tmp_path / "run", MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, listed, MEASURES))


ROLES = {"query_id": 0, "doc_id": 1, "rank": 2, "score": 3}


@pytest.mark.parametrize("left_out", [None, "rank", "score"])
@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_named_columns_of_a_run_may_have_any_order(engine, tmp_path, left_out, separator):
    listed = {"q1": ["d2", "d1"], "q2": ["d3", "d9"]}
    expected = bits(rs.evaluate(JUDGED, listed, MEASURES))
    path = tmp_path / ("run.csv" if separator == "," else "run.txt")
    for names in permutations(name for name in ROLES if name != left_out):
        rows = [names, *([str(row[ROLES[name]]) for name in names] for row in ROWS)]
        path.write_text("".join(separator.join(row) + "\n" for row in rows))
        assert bits(rs.evaluate(JUDGED, path, MEASURES)) == expected, names


@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_named_columns_of_judgments_may_have_any_order(engine, tmp_path, separator):
    path = tmp_path / ("qrels.csv" if separator == "," else "qrels.txt")
    run = {"q": ["a", "b"]}
    cells = {"query_id": "qqq", "subtopic": "sts", "doc_id": "aab", "relevance": "120"}
    for names in permutations(cells):
        rows = [names, *zip(*(cells[name] for name in names), strict=True)]
        path.write_text("".join(separator.join(row) + "\n" for row in rows))
        found = rs.evaluate(path, run, ["StRecall@1", "CG@1", "NumRel"])
        assert [*found.aggregates.values()] == [1.0, 2.0, 1.0], names
    cells.pop("subtopic")
    for names in permutations(cells):
        rows = [names, *zip(*(cells[name][1:] for name in names), strict=True)]
        path.write_text("".join(separator.join(row) + "\n" for row in rows))
        assert rs.evaluate(path, run, "CG@1")["CG@1"] == 2.0, names


def read_as(tmp_path, text):
    """Return the rankings of a file as lists."""
    path = tmp_path / "run"
    path.write_text(text)
    found = rs.evaluate({"q": {"a": 1, "b": 2, "c": 3}}, path, ["RR", "CG@1", "NumRet"])
    return [*found.aggregates.values()]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("q a 1\nq b 2\n", [1, 1, 2]),  # ranks from 1
        ("q a 0\nq b 1\n", [1, 1, 2]),  # ranks from 0
        ("q a 1\nq b 3\nq c 2.5\n", [1, 2, 3]),  # scores, for one has decimals
        ("q a 1\nq b 2\nq c -1\n", [1, 2, 3]),  # scores, for one is below 0
        ("q a 1 0.5\nq b 2 0.25\n", [1, 1, 2]),
        ("q Q0 a 1 0.5\n", [1, 1, 1]),
        ("q Q0 a 1 0.5 my tag\nq Q0 b 2 0.25 my tag\n", [1, 1, 2]),
    ],
)
def test_what_columns_without_names_are(engine, tmp_path, text, found):
    assert read_as(tmp_path, text) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q a 1\n", "is the third a rank or a score"),
        ("q a 1\nr a 1\n", "is the third a rank or a score"),
        ("q a 2\nq b 3\n", "is the third a rank or a score"),
        ("q a 1\nq b 3\n", "is the third a rank or a score"),
        ("q a 1 0.5\n", "expected 6"),
        ("q a 2 0.5\nq b 3 0.25\n", "expected 6"),
        ("q a 1 0.5\nq b 2 x\n", "expected 6"),
        ("q Q0 a x 0.5\n", "expected 6"),
        ("q Q0 a 1 x\n", "expected 6"),
        ("q Q0 a 1 x my tag\n", "expected 6"),
    ],
)
def test_columns_without_names_that_say_too_little(engine, tmp_path, text, message):
    with pytest.raises(rs.DataError, match=message):
        read_as(tmp_path, text)


@pytest.mark.parametrize("shape", ["q {d} {n}", "q 0 {d} {n} more"])
def test_six_grades_that_count_up_are_ranks(engine, tmp_path, shape):
    path, run = tmp_path / "qrels", {"q": ["d1"]}
    rows = [shape.format(d=f"d{n}", n=n) + "\n" for n in range(1, 7)]
    path.write_text("".join(rows[:5]))
    assert rs.evaluate(path, run, "NumRel")["NumRel"] == 5
    path.write_text("".join(rows))
    with pytest.raises(rs.DataError, match="the grades count up like ranks"):
        rs.evaluate(path, run, "NumRel")
    few = "".join(rows[:5])
    path.write_text(few + few.replace("q", "r"))  # of each query a few
    assert rs.evaluate(path, run, "NumRel")["NumRel"] == 10
    path.write_text("".join([*rows[:5], rows[5].replace("6", "9")]))
    assert rs.evaluate(path, run, "NumRel")["NumRel"] == 6


def test_grades_of_nine_digits_are_times(engine, tmp_path):
    path, run = tmp_path / "qrels", {"u": ["i"]}
    path.write_text("u i 4 99999999\nu j 5 12345678\n")
    assert rs.evaluate(path, {"u": ["4"]}, "CG@1")["CG@1"] == 99999999
    path.write_text("u i 4 999999999\nu j 5 123456789\n")
    with pytest.raises(rs.DataError, match="such as 999999999, look like times"):
        rs.evaluate(path, run, "RR")
    path.write_text("u 0 i 999999999\nu 0 j 123456789\n")
    assert rs.evaluate(path, run, "CG@1")["CG@1"] == 999999999
    path.write_text("u i 4 999999999\nu j 5 1\n")
    assert rs.evaluate(path, {"u": ["5"]}, "CG@1")["CG@1"] == 1


@pytest.mark.parametrize(("more", "named"), [(5, True), (6, False)])
def test_a_first_line_names_up_to_eight_columns(engine, tmp_path, more, named):
    path = tmp_path / "run.txt"
    names = ["query_id", "doc_id", "score", *(f"x{i}" for i in range(more))]
    path.write_text(" ".join(names) + "\nq a 0.5" + " 7" * more + "\n")
    if named:
        assert rs.evaluate({"q": {"a": 1}}, path, "RR")["RR"] == 1
    else:
        with pytest.raises(rs.DataError, match="expected 6"):
            rs.evaluate({"q": {"a": 1}}, path, "RR")


def test_rows_that_are_commented_out_are_counted(engine, tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 d1 1\n#q1 0 d2 1\n# why: q1 0 d3\n")
    run.write_text("# q1 is next\nq1 Q0 d1 1 1 t\n #q2 Q0 d1 1 1 t\n")
    result = rs.evaluate(qrels, run, ["NumRel", "NumRet"])
    assert result.aggregates == {"NumRel": 1.0, "NumRet": 1.0}
    assert [(n.code, n.count) for n in result.warnings] == [("commented-rows", 1)] * 2


LENIENT = {
    "0x1A": (26.0, 0.0), "-0x1.8p1z": (-3.0, 0.0), "1,5": (1.0, 1.0), "7abc": (7.0, 7.0),
    "1.7": (1.7, 1.0), "1e3": (1000.0, 1.0), "1_000": (1.0, 1.0), "high": (0.0, 0.0),
    "-": (0.0, 0.0), ".": (0.0, 0.0), "1e": (1.0, 1.0), "0x": (0.0, 0.0), "+3": (3.0, 3.0),
    "0x1p+-3": (1.0, 0.0), "0x1p+3": (8.0, 0.0), "0x1p-": (1.0, 0.0), "0x1p+-99999": (1.0, 0.0),
    "18446744073709551617": (1.8446744073709552e19, 9.223372036854775807e18),
    "-99999999999999999999": (-1e20, -9.223372036854775808e18),
}  # fmt: skip


@pytest.mark.parametrize("text", LENIENT)
def test_lenient_numbers_are_those_of_c(engine, tmp_path, text):
    score, grade = LENIENT[text]
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(f"q 0 d {text}\n")
    run.write_text(f"q Q0 d 1 {text} t and more\nq Q0 e 1 0 t\n")
    judged = load_judgments(qrels, input_format="trec-lenient")
    assert judged.grades.tolist() == [grade]
    assert load_run(run, input_format="trec-lenient").match(
        judged, float32=False, repeats=False
    ).score.tolist() == [score]


@pytest.mark.parametrize("text", ["inf", "-Infinity", "nan", "NAN"])
def test_lenient_grades_are_finite(engine, tmp_path, text):
    (tmp_path / "qrels").write_text(f"q 0 d {text}\n")
    with pytest.raises(rs.DataError, match=f"grade '{text}' is not a finite number"):
        load_judgments(tmp_path / "qrels", input_format="trec-lenient")


@pytest.mark.parametrize("text", ["nan", "-NAN"])
def test_lenient_scores_have_an_order(engine, tmp_path, text):
    (tmp_path / "run").write_text(f"q Q0 d 1 {text} t\n")
    run = load_run(tmp_path / "run", input_format="trec-lenient")
    with pytest.raises(rs.DataError, match=f"score '{text}' is not a finite number"):
        run.match(load_judgments({"q": ["d"]}), float32=False, repeats=False)


@pytest.mark.parametrize(
    ("header", "name", "limit"),
    [
        ("text.hpp", "longest_line", python_engine.LONGEST_LINE),
        ("unjudged.hpp", "most", python_engine.MOST_UNJUDGED),
        ("unjudged.hpp", "most_named", python_engine.MOST_NAMED),
    ],
)
def test_both_implementations_give_up_at_the_same_size(header, name, limit):
    source = Path(__file__).parents[2] / "src" / "rankstone" / "_native" / header
    (shift,) = re.findall(rf" {name} = std::size_t\{{1\}} << (\d+);", source.read_text())
    assert limit == 1 << int(shift)


def test_a_long_field_is_shown_by_its_first_64_bytes(engine, tmp_path):
    (tmp_path / "run").write_text(f"q Q0 d 1 {'x' * 63}yz t\n")
    with pytest.raises(rs.DataError, match=f"score '{'x' * 63}y' is not a number"):
        rs.evaluate({"q": ["d"]}, tmp_path / "run", "RR")


INFINITE = {"1e400": 1, "-1e400": -1, "inf": 1, "-Infinity": -1, "infx": 1, "0x1p99999": 1}


@pytest.mark.parametrize("text", INFINITE)
def test_lenient_scores_may_be_infinite_as_those_of_atof(engine, tmp_path, text):
    run = tmp_path / "run"
    run.write_text(f"q Q0 d 1 {text} t\nq Q0 e 2 1e300 t\nq Q0 f 3 -1e300 t\n")
    judged = load_judgments({"q": {"d": 1}})
    matches = load_run(run, input_format="trec-lenient").match(judged, float32=False, repeats=False)
    assert matches.score.tolist() == [INFINITE[text] * np.inf]
    assert matches.above.tolist() == [0 if INFINITE[text] > 0 else 2]
    with pytest.raises(rs.DataError, match="is not a (finite )?number"):
        load_run(run).match(judged, float32=False, repeats=False)


JUDGED_DICTS = [
    [],
    [{}],
    [{"a": 1, "b": 0.5}, {}, {"a": True}],
    [{1: 2, -(1 << 70): -3}, {5: 1.5}],
    [{"a": 1 << 53, "b": -(1 << 62)}],
    [{"a": 1 << 2000}],
    [{"a": float("inf")}],
    [{"a": float("nan")}],
    [{"": 1}],
    [{"a": 1, 2: 1}],
    [{"a": 1}, {2: 1}],
    [{True: 1}],
    [{b"a": 1}],
    [{"a": "1"}],
    [{"a": None}],
    [{"a": np.float64(1)}],
    [{np.str_("a"): 1}],
    [["a", "b"]],
    [{"a", "b"}],
    [None],
]


@needs_native
@pytest.mark.parametrize("judged", JUDGED_DICTS)
def test_engines_read_the_same_judgments_from_dicts(judged):
    native, python = (engines._load(name).read_judged(judged) for name in ("native", "python"))
    if native is None or python is None:
        assert native is python
        return
    assert native[0] == python[0]
    assert native[1] is python[1]
    for ours, theirs in zip(native[2:], python[2:], strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()


def test_the_columns_that_a_message_names_are_those_that_are_read(tmp_path):
    """An error names the columns of a layout; they have to be those that the scan takes."""
    judged = {shape: qrels_lines(shape) for shape in QRELS_SHAPES}
    ranked = {shape: run_lines_of(shape) for shape in RUN_SHAPES}
    found = [*NAMED_LAYOUTS.values(), LENIENT_RUN, LENIENT_QRELS]
    for layout_of, texts in ((qrels_layout, judged), (run_layout, ranked)):
        for shape, lines in texts.items():
            path = tmp_path / shape
            path.write_text("".join(lines))
            with Input.open(str(path), ReadOptions()) as file:
                found.append(layout_of(file))
    assert len({layout.columns for layout in found}) == 10
    for layout in found:
        rows, names = layout.layout, layout.columns.split()
        assert (rows.columns, layout.first) == (len(names), 0)
        assert (names[rows.query], names[rows.doc]) == ("query", "document")
        assert names[rows.value] == layout.number
        has_both = {"rank", "score"} <= {*names}
        assert (rows.rank, rows.rank >= 0 and names[rows.rank]) == (
            (names.index("rank"), "rank") if has_both else (-1, False)
        )
        assert layout.from_file == (layout.columns in FROM_FILE and layout in found[5:])
        wanted = names.index("iteration") if "iteration" in names else -1
        assert rows.iteration == (-1 if layout is LENIENT_QRELS else wanted)


FROM_FILE = {
    "query document rank", "query document score", "query document grade",
    "query document rank score", "query Q0 document rank score",
    "query Q0 document rank score tag more", "query iteration document grade more",
    "query document grade method probability",
}  # fmt: skip


REPEATED = {
    "trec": "q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\n",
    "lists": '{"query": "q", "retrieved": ["a", "b", "a"]}\n',
    "table": "query_id,doc_id,score\nq,a,3\nq,b,2\nq,a,1\n",
    "records": "".join(
        f'{{"query_id": "q", "doc_id": "{doc}", "score": {score}}}\n'
        for doc, score in (("a", 3), ("b", 2), ("a", 1))
    ),
}


@pytest.mark.parametrize("form", [*REPEATED, "positions"])
def test_a_repeated_document_is_found_once_unless_asked_for(engine, tmp_path, form):
    judged, run = load_judgments([["a"]]), load_run([["a", "b", "a"]])
    if form != "positions":
        (tmp_path / "run").write_text(REPEATED[form])
        judged, run = load_judgments({"q": {"a": 1}}), load_run(tmp_path / "run")
    assert run.match(judged, float32=False, repeats=False).retrieved.tolist() == [2]
    assert run.match(judged, float32=False, repeats=True).retrieved.tolist() == [3]


def test_a_file_is_known_by_its_first_200_rows_within_64_kib(tmp_path):
    path = tmp_path / "run"
    path.write_text("# a comment\n" + "".join(f"q Q0 d{i} 1 {i} t\n" for i in range(300)))
    with Input.open(str(path), ReadOptions()) as file:
        rows = file.first_rows
        assert (len(rows), rows[0].fields[2], rows[-1].fields[2]) == (200, b"d0", b"d199")
        assert file.head[rows[0].end :].startswith(b"q Q0 d1 ")
    long = "x" * 1000
    path.write_text("".join(f"q Q0 {long}{i:02} 1 {i} t\n" for i in range(90)))
    with Input.open(str(path), ReadOptions()) as file:
        assert len(file.head) == 65536
        # The line that goes on beyond is not looked at.
        assert len(file.first_rows) == 65536 // len(path.read_bytes().splitlines(True)[10])
    path.write_text("q Q0 d 1 2 t")
    with Input.open(str(path), ReadOptions()) as file:
        assert [row.fields for row in file.first_rows] == [[b"q", b"Q0", b"d", b"1", b"2", b"t"]]


@pytest.mark.parametrize(("line", "message"), [(200, "an id holds a blank"), (201, "found 7")])
def test_blanks_in_ids_are_looked_for_in_200_lines(engine, tmp_path, line, message):
    rows = [f"q\tQ0\td{i}\t1\t{i}\tt\n" for i in range(1, 250)]
    rows[line - 1] = rows[line - 1].replace(f"d{line}", f"d {line}")
    (tmp_path / "run").write_text("".join(rows))
    with pytest.raises(rs.DataError, match=message):
        rs.evaluate({"q": {"d1": 1}}, tmp_path / "run", ["RR"])


def test_the_tag_is_that_of_the_last_row_if_it_is_near_the_end(engine, tmp_path):
    path, judged = tmp_path / "run", load_judgments({"q": {"d": 1}})

    def tag():
        return load_run(path).match(judged, float32=False, repeats=False).tag

    path.write_text("q Q0 d 1 2 mine more")
    assert tag() == "mine"
    row, comment = "q Q0 d 1 2 mine\n", "#" + "x" * 1022 + "\n"
    path.write_text(row + comment * 63)
    assert tag() == "mine"
    path.write_text(row + comment * 65)  # 64 KiB are looked at
    assert tag() == ""
