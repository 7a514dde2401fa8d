"""One collection, many ways in: native and twin, files and dicts, any order, any threads."""

import bz2
import gzip
import lzma
import os

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings, strategies as st
from strategies import NATIVE, collections, write_qrels, write_run

import rankstone as rs
from rankstone.core import twin
from rankstone.io.trec import QRELS_LAYOUT, RUN_LAYOUT

needs_native = pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")
TIES = ["docid-desc", "docid-asc", "optimistic", "pessimistic"]
MEASURES = ["nDCG@10", "AP", "RR", "P@5", "R@5", "ERR", "NumRet", "NumRelRet", "F@3"]


def bits(result):
    return result.queries, {n: c.tobytes() for n, c in result.columns.items()}, result.aggregates


@settings(max_examples=200)
@given(collections(), st.data(), st.sampled_from(TIES), st.sampled_from(["float64", "float32"]))
def test_all_ways_in_give_the_same_bits(tmp_path_factory, collection, data, ties, precision):
    judgments, run = collection
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
                    got = rs.evaluate(held, ranked, MEASURES, ties=ties, precision=precision)
                    expected = expected or bits(got)
                    assert bits(got) == expected
                    codes = {n.code for n in got.notices}
                    assert ("missing-queries" in codes) == bool(set(judgments) - set(run))
                    assert ("unjudged-queries" in codes) == bool(set(run) - set(judgments))


texts = st.lists(
    st.sampled_from(
        ["q1", "q2", "q1", "Q0", "d1", "d2", "d3", "d1", "0", "1", "2", "3.5", "-1e-3", "nan", "inf",
         "x", "1_0", "1e400", "1e-400", ".", "+.5", "5.", "1e", "0x1", "12345678901234567890123",
         "é", "\ufeff", "\x00", "\x0b", " ", "  ", "\t", "\n", "\n", "\n", "\r\n", "\r"]
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


def same(a, b):
    assert a.keys() == b.keys()
    for key, value in a.items():
        if isinstance(value, np.ndarray):
            assert value.dtype == b[key].dtype, key
            assert value.tolist() == b[key].tolist(), key
        else:
            assert value == b[key], key


@needs_native
@settings(max_examples=1000)
@given(texts | run_lines)
def test_native_and_twin_read_judgments_alike(text):
    from rankstone._native import _core

    raw = text.encode()
    for layout in (QRELS_LAYOUT, RUN_LAYOUT):
        same(_core.scan_judgments(raw, layout), twin.scan_judgments(raw, layout))


@needs_native
@settings(max_examples=1000)
@given(texts | run_lines, st.booleans())
def test_native_and_twin_and_any_threads_scan_runs_alike(tmp_path_factory, text, float32):
    from rankstone._native import _core

    path = tmp_path_factory.getbasetemp() / f"scan-{os.getpid()}"
    path.write_bytes(text.encode())
    columns = (b"q1q2\xc3\xa9", np.array([0, 2, 4, 6]), np.array([0, 2, 4, 5]))
    docs = (b"d1d2d1d4d3", np.array([0, 2, 4, 6, 8, 10]))
    with path.open("rb") as stream:
        size = path.stat().st_size
        common = (stream.fileno(), size, RUN_LAYOUT)
        progress = np.zeros(1, np.int64)
        expected = twin.scan_run(
            *common, twin.Index(*columns, *docs), float32, 1, 1 << 20, progress
        )
        index = _core.Index(*columns, *docs)
        for threads, reach in [(1, 1 << 20), (2, 1), (8, 7), (2, 64), (1, 33)]:
            got = _core.scan_run(*common, index, float32, threads, reach, progress)
            same(got, expected)


numbers = st.floats(allow_nan=False, allow_infinity=False)


@needs_native
@settings(max_examples=3000)
@given(
    numbers.map(repr)
    | numbers.map(lambda x: f"{x:.40f}")
    | numbers.map(lambda x: f"{x:+.25e}")
    | st.from_regex(r"[+-]?[0-9]{0,30}\.?[0-9]{0,30}(e[+-]?[0-9]{1,4})?", fullmatch=True)
)
def test_numbers_are_read_to_the_last_bit(text):
    from rankstone._native import _core

    line = f"q 0 d {text}\n".encode()
    got, wanted = (m.scan_judgments(line, QRELS_LAYOUT) for m in (_core, twin))
    same(got, wanted)
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
    plain = rs.evaluate(qrels, run, ["RR"])
    half = len(run.read_bytes().splitlines(keepends=True)[0])
    parts = run.read_bytes()[:half], run.read_bytes()[half:]
    packed = tmp_path / "no-ending-that-tells"
    packed.write_bytes(b"".join(COMPRESS[kind](part) for part in parts))
    squeezed = tmp_path / "judged"
    squeezed.write_bytes(COMPRESS[kind](qrels.read_bytes()))
    assert bits(rs.evaluate(squeezed, packed, ["RR"])) == bits(plain)


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


def test_the_twin_counts_no_further_than_its_limit(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSTONE_ENGINE", "python")
    monkeypatch.setattr(twin, "_MOST_UNJUDGED", 3)
    run = tmp_path / "run"
    for names, text in (("abca", "3 queries"), ("abcda", "more than 3 queries")):
        run.write_text("".join(f"{n} Q0 d 0 1 t\n" for n in names) + "judged Q0 d 0 1 t\n")
        (notice,) = rs.evaluate({"judged": {"d": 1}}, run, "RR").warnings
        assert notice.text.startswith(text)
