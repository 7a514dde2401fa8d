"""The compiled core and its twin in Python give the same on single lines, columns and dicts."""

import ast
import inspect
import math
import os
import re
import signal
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from strategies import NATIVE

import rankstone as rs
from rankstone.cli import main
from rankstone.core import engine, python_engine as twin
from rankstone.core.row_layout import ATOF, ATOL, NUMBER, RANK, ColumnFault, LineFault, RowLayout

pytestmark = pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")


def native():
    from rankstone._native import _core

    return _core


def plain(value):
    """Return what an engine reports as plain data."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return repr(value) if type(value).__name__ == "Index" else value


def both(name, *args):
    """Return what the twin gives, which is what the compiled core gives."""
    ours, theirs = (plain(getattr(module, name)(*args)) for module in (twin, native()))
    assert repr(ours) == repr(theirs), args
    return ours


QRELS = RowLayout(4, 0, 2, 3, iteration=1)
LINES = {
    NUMBER: ["1", "-1", "+.5", "1.", "1e3", "1e400", "nan", "-inf", "1_0", "0x1", "x", "1e", ".", "--1"],
    RANK: ["1", "0", "-3", "1e400", "x"],
    ATOF: ["1", "-1.5x", "x", "", "-", "0x1p4", "-0x.8", "0x1p99999", "inf", "-INF", "nan", "NaNx", "1e400", "1e+", ".5.5", "+7"],
    ATOL: ["1", "-1.5", "x", "+9", "-0", "00012", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
           "-9223372036854775809", "99999999999999999999999", "nan", "inf", "1e3", "-inf", "+nan", "0"],
}  # fmt: skip


def test_numbers_are_read_alike():
    for reading, texts in LINES.items():
        layout = RowLayout(3, 0, 1, 2, reading=reading)
        for text in texts:
            for line in (f"q d {text}\n", f"q  d\t {text}", f"# d {text}\n"):
                both("read_rows", line.encode(), layout)
                both("scan_judgments", line.encode(), layout)


def test_whole_numbers_stay_within_64_bits():
    layout = RowLayout(3, 0, 1, 2, reading=ATOL)
    texts = [b"9223372036854775808", b"-9223372036854775809", b"-0", b"12x", b"-7.9"]
    found = [both("read_rows", b"q d " + text, layout)["numbers"] for text in texts]
    assert found == [[float((1 << 63) - 1)], [-float(1 << 63)], [0.0], [12.0], [-7.0]]
    assert math.copysign(1, found[2][0]) == 1


def test_faults_of_lines_are_reported_alike():
    bodies = [
        b"", b"\n", b"\r\n", b" \n", b"q 0 d 1", b"q 0 d 1\r\n", b"q 0 d\n", b"q 0 d 1 2\n", b"#\n", b"# q 0 d\n",
        b"#q 0 d 1\n", b"# q 0 d 1\n", b"q 0 d x\n", b"q 0   d \t xyz\n", b"q 0 d nan\n", b"q 0 d\x00 1\n",
        b"q\x01 0 d 1\n", b"\x1fq 0 d 1\n", b"q 0 d 1\x0b\n", b"q 0 d 1\r", b"q\r0 d 1\n", b"q 0 d\x7f 1\n",
        b"\xef\xbb\xbfq 0 d 1\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbfq 0 d 1\n", b"q 0 d " + b"y" * 99 + b"\n",
    ]  # fmt: skip
    for more in (False, True):
        layout = QRELS._replace(more=more)
        for body in bodies:
            for text in (body, b"p 0 e 2\n" + body, body + b"r 0 f 3\n"):
                both("scan_judgments", text, layout)
                both("read_rows", text, layout)
                both("read_rows", text, layout, 7)


@pytest.mark.parametrize("size", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 20) + 2])
@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_lines_may_have_a_mebibyte(size, ending):
    tail = b" 1" + ending
    text = b"q 0 " + b"d" * (size - 4 - len(tail)) + tail
    assert len(text) == size
    fault = both("scan_judgments", text, QRELS)["fault"]
    assert (fault is not None) == (size > 1 << 20)
    far = b"q 0 " + b"d" * (size - 4 - 2) + b"\x01 "
    both("scan_judgments", far + b"1", QRELS)


def test_judgments_are_grouped_alike():
    texts = [
        b"q 0 a 1\nq 0 a 1\nq 0 a 2\nq 0 b 0\np 0 a 1\n",
        b"10 0 a 1\n9 0 a 1\n009 0 b 1\n0 0 a 1\n",
        b"10 0 a 1\n9 0 a 1\nx 0 b 1\n",
        b"q 1 a 1\nq 2 a 1\nq 3 a 1\nq 4 a 1\nq 1 b 3\n",
        b"r 0 z 3\nr 0 y 1\nq 0 z 2\nq 0 y 2\nr 0 z 2\nq 0 z 1\nq 0 y 2\nr 0 y 1\n",
        b"#q 0 a 1\n# q 0 a 1\n# 0 a 1\nq 0 a 1\n#\n# a b c d\n",
    ]
    for text in texts:
        both("scan_judgments", text, QRELS)
        both("scan_judgments", text, QRELS._replace(iteration=-1))
        both("scan_judgments", text, QRELS, text.index(b"\n") + 1)
    first = both("scan_judgments", texts[0], QRELS)
    assert (first["repeated"], first["contradicting"], first["grades"]) == (0, 2, [1, 2, 0])
    assert both("scan_judgments", texts[3], QRELS)["iterations"] == [b"1", b"2", b"3"]
    assert both("scan_judgments", texts[5], QRELS)["commented"] == 2
    first_field = RowLayout(4, 1, 2, 3, iteration=0)
    assert both("scan_judgments", texts[4], first_field)["iterations"] == [b"r", b"q"]


def test_the_best_rows_of_a_query_are_kept_alike():
    text = b"q 0 a 1\nq 0 b 3\nq 0 c 2\nq 0 d 2\np 0 a 1\nq 0 e 0\nq 0 f 5\n"
    for most in (0, 1, 2, 3, 4, 9):
        both("read_rows", text, QRELS, 0, most)
    assert both("read_rows", text, QRELS, 0, 1)["docs"] == ["b", "a", "f"]
    tied = ["b", "c", "d", "a", "e", "f"]
    assert both("read_rows", text, QRELS, 0, 2)["docs"] == tied


# Runs --------------------------------------------------------------------------------------------


def index_of(module, judged):
    """Return the look-up of ``{query: documents}``."""
    queries, docs = [*judged], [d for ds in judged.values() for d in ds]

    def laid(ids):
        return b"".join(ids), np.cumsum([0, *map(len, ids)], dtype=np.int64)

    groups = np.cumsum([0, *map(len, judged.values())], dtype=np.int64)
    return module.Index(*laid(queries), groups, *laid(docs))


JUDGED = {b"p": [b"a", b"b", b"c"], b"q": [b"b"], b"r": [b"a", b"z"], b"s": [b"y"]}
RUN = RowLayout(6, 0, 2, 4, rank=3)


def scanned(tmp_path, text, layout=RUN, **how):
    """Return what both engines find in a run in a file."""
    path = tmp_path / "run"
    path.write_bytes(text)
    found = []
    for module in (twin, native()):
        progress = np.zeros(4, np.int64)
        with open(path, "rb") as stream:
            stream.read(how.get("read", 0))
            before = os.lseek(stream.fileno(), 0, os.SEEK_CUR)
            scan = module.scan_run(
                stream.fileno(), how.get("size", len(text)), layout, index_of(module, JUDGED),
                how.get("float32", False), 1, 1 << 20, progress, how.get("first", 0), how.get("repeats", False),
            )  # fmt: skip
            assert os.lseek(stream.fileno(), 0, os.SEEK_CUR) == before
        found.append({"fault": list(scan["fault"])} if scan["fault"] else plain(scan))
        if module is twin and not scan["fault"]:
            assert progress[0] == how.get("size", len(text))
    assert repr(found[0]) == repr(found[1]), text
    return found[0]


def line(query, doc, rank, score):
    return f"{query} Q0 {doc} {rank} {score} t\n".encode()


def test_runs_in_files_are_placed_alike(tmp_path):
    rows = [
        [("p", "a", 1, 3), ("p", "x", 2, 3), ("p", "b", 3, 3), ("p", "c", 4, 1), ("q", "b", 1, 1)],
        [("p", "a", 1, 3), ("q", "b", 1, 1), ("p", "b", 2, 5), ("p", "a", 3, 4), ("p", "n", 4, 1)],
        [("p", "a", 1, 1), ("p", "a", 2, 2), ("p", "a", 3, 2), ("p", "x", 4, 2), ("p", "x", 5, 9)],
        [("p", "x", 1, 1), ("p", "x", 2, 1), ("p", "b", 3, 1), ("p", "b", 4, 1)],
        [
            ("u", "a", 1, 1),
            ("t", "a", 1, 1),
            ("u", "b", 1, 1),
            ("r", "a", 1, "1e39"),
            ("r", "b", 1, "1e40"),
        ],
        [("p", "a", 1, "1.00000001"), ("p", "b", 2, "1.00000002"), ("p", "c", 3, 1)],
        [("p", "b", "x", 1), ("p", "a", 2, 3), ("p", "c", 1, 2)],
        [("p", "b", 1, 1), ("p", "a", 1, 3), ("p", "c", 2, 2)],
        [("p", "b", 2, 1), ("p", "a", 1, 3), ("p", "c", 3, 1)],
        [("p", "b", 999999999, 1), ("p", "a", 1000000000, 3), ("p", "c", 3, 1)],
        [("p", "b", 0, 1), ("p", "a", 1, 3)],
        [("p", "b", 1, 1), ("p", "a", 2, 1), ("p", "c", 3, 2)],
        [("p", "b", 1, 1), ("p", "a", 2, 1), ("p", "b", 3, 1)],
        [("p", "b", 1, "x")],
        [("p", "a", 1, 1), ("p", "b", 1, "inf")],
        [],
    ]
    for some in rows:
        text = b"".join(line(*row) for row in some)
        for float32 in (False, True):
            for repeats in (False, True):
                scanned(tmp_path, text, float32=float32, repeats=repeats)
        scanned(tmp_path, text, RUN._replace(rank=-1))
        scanned(tmp_path, text, RUN._replace(reading=RANK))
    text = b"".join(line(*row) for row in rows[0])
    scanned(tmp_path, text, first=text.index(b"\n") + 1, read=5)
    for size in (text.index(b"\n") + 1, len(text) - 1, len(text) - 3, 0):
        scanned(tmp_path, text, size=size)
    scanned(tmp_path, b"\xef\xbb\xbf" + text)
    scanned(tmp_path, b"\xef\xbb\xbf#" + text + b"# " + text + b"\n\n")


def test_ranks_that_disagree_with_scores(tmp_path):
    def disagrees(*rows):
        text = b"".join(line("p", *row) for row in rows)
        return scanned(tmp_path, text)["rank_disagrees"][0]

    assert disagrees(("a", 1, 1), ("b", 2, 2))
    assert not disagrees(("a", 1, 2), ("b", 2, 2), ("c", 3, 1))
    assert not disagrees(("a", 1, 1), ("b", 1, 2))
    assert disagrees(("a", 1, 3), ("b", 1, 1), ("c", 2, 2))
    assert disagrees(("a", 1, 3), ("c", 2, 1), ("b", 2, 2), ("d", 3, 2))
    assert disagrees(("a", 1, 2), ("b", 2, 1), ("c", 2, 3))
    assert disagrees(("b", 0, 1), ("a", 1, 2))
    assert disagrees(("a", "999999998", 1), ("b", "999999999", 2))
    assert not disagrees(("a", "x", 1), ("b", 2, 2))
    assert not disagrees(("a", "1000000000", 1), ("b", "2000000000", 2))


def test_a_rank_may_be_the_first_field(tmp_path):
    layout = RowLayout(4, 1, 2, 3, rank=0)
    assert scanned(tmp_path, b"1 p a 1\n2 p b 2\n", layout)["rank_disagrees"][0]
    assert not scanned(tmp_path, b"1 p a 2\n2 p b 1\n", layout)["rank_disagrees"][0]


def columns(module, rows):
    """Return columns of query, document and number."""
    made = [
        module.column_of_objects(list(column))[0] for column in list(zip(*rows, strict=True))[:2]
    ]
    numbers = np.array([row[2] for row in rows], np.float64)
    return (*made, module.column_of_array(numbers))


def matched(rows, ranks=None, *, scored=True, **how):
    found = []
    for module in (twin, native()):
        query, doc, score = columns(module, rows)
        rank = None if ranks is None else module.column_of_array(np.array(ranks))
        scan = module.match_columns(
            query, doc, score if scored else None, rank, how.get("ascending", False), index_of(module, JUDGED),
            how.get("float32", False), 1, 1 << 20, how.get("repeats", False),
        )  # fmt: skip
        found.append({"fault": list(scan["fault"])} if scan["fault"] else plain(scan))
    assert repr(found[0]) == repr(found[1]), rows
    return found[0]


def test_runs_in_columns_are_placed_alike():
    tables = [
        [("p", "a", 3), ("p", "x", 3), ("p", "b", 3), ("p", "c", 1), ("q", "b", 1)],
        [("p", "a", 3), ("q", "b", 1), ("p", "b", 5), ("p", "a", 4), ("u", "n", 1), ("t", "n", 1)],
        [("p", "x", 1), ("p", "x", 1), ("p", "b", 1), ("p", "b", 1e39), ("r", "b", 1e40)],
        [("p", "a", 1), ("p", "b", math.nan)],
        [("p", "", 1), ("p", "b", math.inf)],
        [("", "a", 1), ("p", "", -math.inf)],
    ]
    for rows in tables:
        for flags in range(16):
            ascending, float32, repeats, scored = (bool(flags & 1 << i) for i in range(4))
            matched(rows, scored=scored, ascending=ascending, float32=float32, repeats=repeats)
        for ranks in (
            range(len(rows)),
            [-1.0] * len(rows),
            [1e9 - 1] * len(rows),
            [1e9 - i for i in range(len(rows))],
        ):
            matched(rows, [float(r) for r in ranks])
        judge(rows)
    assert matched(tables[3])["fault"] == [2, 2, 1]
    assert matched(tables[4])["fault"] == [3, 1, 0]
    assert matched(tables[5])["fault"] == [3, 0, 0]


def judge(rows):
    for graded in (True, False):
        found = []
        for module in (twin, native()):
            query, doc, grade = columns(module, rows)
            scan = module.judge_columns(query, doc, grade if graded else None)
            found.append({"fault": list(scan["fault"])} if scan["fault"] else plain(scan))
        assert repr(found[0]) == repr(found[1]), rows


def test_judgments_in_columns_are_grouped_alike():
    judge([("q", "a", 1), ("q", "a", 1), ("q", "a", 2), ("q", "b", 0), ("p", "a", 1)])
    judge([(10, 7, 1), (9, -7, 1), (10, 7, 0), (-1, 0, 1), ((1 << 63) - 1, 1, 1)])
    judge([((1 << 64) - 1, 7, 1), (9, 1 << 63, 1)])


def test_columns_of_objects_are_made_alike():
    cases = [
        [], ["a", "b"], ["a", 1], ["a", "\udcff"], ["a", "\ud800"], [1, 2], [1, "a"], [True], [1, True], [1, 1.5], [None], ["a", None],
        [-(1 << 63)], [-(1 << 63) - 1], [(1 << 64) - 1], [1 << 64], [0, -1, (1 << 63) - 1], [-1, 1 << 63], [1 << 63, -1],
        [0, 1 << 63], [1 << 62, (1 << 63) - 1], [np.int64(3), 4], [np.uint64((1 << 64) - 1)], [b"a"],
    ]  # fmt: skip
    for values in cases:
        found = []
        for module in (twin, native()):
            column, row = module.column_of_objects(values)
            made = None if column is None else (column.format, len(column))
            found.append((made, row))
        assert found[0] == found[1], values
    assert twin.column_of_objects([1 << 63])[0].format == "L"
    assert twin.column_of_objects([(1 << 63) - 1])[0].format == "l"


def rows_of(module, column):
    """Return the ids of a column, as judgments of it hold them."""
    ones = module.column_of_objects(["q"] * len(column))[0]
    found = module.judge_columns(ones, column, None)
    return plain(found)


def test_columns_of_arrow_are_read_alike():
    long = "a longer text than fits"
    types = [
        pa.array(["a", "", None, "ccc"]),
        pa.array(["a", "bb", "ccc", "d"]),
        pa.array(["a", long, "twelve bytes", "thirteen byte"], pa.string_view()),
        pa.array(["a", "bb", None, "d"], pa.large_string()),
        pa.array(["a", "bb", "a", "d"]).dictionary_encode(),
        pa.array(["a", None, "a", "d"]).dictionary_encode(),
        pa.array([], pa.string()),
        pa.array([None, None], pa.string()),
        pa.array([], pa.string_view()),
        pa.concat_arrays(
            [
                pa.array([long, long + "1"], pa.string_view()),
                pa.array([long + "2"], pa.string_view()),
            ]
        ),
        pa.array([1, 2, 3, 4], pa.int8()),
        pa.array([1, 2, None, 4], pa.uint64()),
        pa.array([1, -2, 3, 4], pa.int64()),
    ]
    for column in types:
        for cut in (column, column[1:], column[1:3], column[:0], column[3:]):
            for table in (
                pa.table({"x": cut, "y": range(len(cut))}),
                pa.table({"x": pa.chunked_array([cut, column])}),
            ):
                found = []
                for module in (twin, native()):
                    columns = module.columns_of_stream(table.__arrow_c_stream__())
                    names = [name for name, _ in columns]
                    found.append(
                        (
                            names,
                            [(c.format, len(c)) for _, c in columns],
                            plain(rows_of(module, columns[0][1])),
                        )
                    )
                assert found[0] == found[1], table
            alone = [
                module.columns_of_stream(pa.chunked_array([cut]).__arrow_c_stream__())
                for module in (twin, native())
            ]
            assert [(n, c.format, len(c)) for n, c in alone[0]] == [
                (n, c.format, len(c)) for n, c in alone[1]
            ]


def test_numbers_of_arrow_are_read_alike():
    types = [
        pa.array([True, False, True, True, False, False, True, False, True, True]),
        pa.array([True, None, False]),
        pa.array([1.5, -2.0, 3.0], pa.float32()),
        pa.array([1.5, None, 3.0]),
        pa.array([1, 2, 3], pa.uint16()),
        pa.array([1, 0, 300], pa.int32()),
        pa.array([0.5, math.nan]),
    ]
    for column in types:
        for cut in (column, column[1:], column[2:], column[:1], column[9:]):
            found = []
            for module in (twin, native()):
                ((_, grades),) = module.columns_of_stream(pa.table({"x": cut}).__arrow_c_stream__())
                query = module.column_of_objects(["q"] * len(cut))[0]
                doc = module.column_of_objects([f"d{i}" for i in range(len(cut))])[0]
                scan = module.judge_columns(query, doc, grades)
                shown = {"fault": list(scan["fault"])} if scan["fault"] else plain(scan)
                found.append((grades.format, len(grades), shown))
            assert repr(found[0]) == repr(found[1]), cut


def test_records_that_are_missing_are_refused_alike():
    for missing in ([False, True, False], [True, False], [False] * 9 + [True]):
        records = pa.StructArray.from_arrays(
            [pa.array(range(len(missing)))], ["x"], mask=pa.array(missing)
        )
        for cut in (records, records[1:]):
            messages = []
            for module in (twin, native()):
                try:
                    module.columns_of_stream(pa.chunked_array([cut[:1], cut]).__arrow_c_stream__())
                    messages.append(None)
                except RuntimeError as error:
                    messages.append(str(error))
            assert messages[0] == messages[1]
            assert (messages[0] is not None) == bool(cut.null_count)


def test_a_stream_that_fails_says_why():
    batch = pa.record_batch({"x": [1, 2]})

    def batches():
        yield batch
        raise ValueError("the source is gone")

    for module in (twin, native()):
        reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
        with pytest.raises(RuntimeError, match="the source is gone"):
            module.columns_of_stream(reader.__arrow_c_stream__())


def test_a_stream_is_read_once():
    for module in (twin, native()):
        capsule = pa.table({"x": [1]}).__arrow_c_stream__()
        module.columns_of_stream(capsule)
        with pytest.raises(ValueError, match="the stream was read already"):
            module.columns_of_stream(capsule)


def test_unjudged_queries_are_counted_up_to_a_limit(monkeypatch):
    assert (twin.MOST_UNJUDGED, twin.MOST_NAMED) == (1 << 20, 1 << 16)
    monkeypatch.setattr(twin, "MOST_UNJUDGED", 6)
    monkeypatch.setattr(twin, "MOST_NAMED", 2)
    queries = [b"f", b"e", b"d", b"c", b"b", b"a", b"c", b"a"]
    known = {"unjudged_queries": 6, "unjudged_capped": False, "unjudged_sample": [b"a", b"b"]}
    assert twin.unjudged_report(queries) == known
    more = {"unjudged_queries": 6, "unjudged_capped": True, "unjudged_sample": [b"_", b"a"]}
    assert twin.unjudged_report([*queries, b"_"]) == more
    assert twin.unjudged_report([*queries, b"_", b"a"]) == more


# Dicts -------------------------------------------------------------------------------------------


class Number:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value

    def __repr__(self):
        return f"Number({self.value})"


def test_dicts_are_placed_alike():
    queries, docs, groups = ["p", "q"], ["a", "b", "c", "b"], np.array([0, 3, 4])
    runs = [
        {"p": {"a": 1.0, "x": 1.0, "b": 1.0, "c": 0.5}, "q": {"b": 2}},
        {"p": {"a": 1, "b": True, "c": np.float32(1)}},
        {"p": {"a": Number(1.0), "b": 1.0}},
        {"p": {"a": 1e39, "b": 1e40, "c": -1e39}},
        {"p": {"a": 1.00000001, "b": 1.00000002, "c": 1.0}},
        {"p": {}, "q": {"x": 1.0}},
        {"p": {"a": 0.0, "b": -0.0}},
        {"p": [1]},
        {"q": 3},
        {"p": {"a": "1"}}, {"p": {"a": b"1"}}, {"p": {"a": None}}, {"p": {"a": 10**400}},
        {"p": {"a": math.nan}}, {"p": {"a": 1.0, "b": -math.inf}}, {"p": {"a": 1.0, "b": "x", "c": math.inf}},
        {"p": {"a": 1.0, 1: 1.0}}, {"p": {"": 1.0}}, {"p": {1.5: 1.0}}, {"p": {True: 1.0}}, {"p": {"a": "x", 1: 1.0}},
        {"p": {"a": 1.0}, "q": {1: 1.0}}, {"p": {"a": math.inf, "": 1.0}}, {"p": {"a": 1.0, "": math.inf}},
        {},
    ]  # fmt: skip
    for run in runs:
        for ascending in (False, True):
            for float32 in (False, True):
                both("match_mapping", run, queries, docs, groups, ascending, float32)
    both("match_mapping", {1: {7: 1.0, 8: 1.0}}, [1], [7, 8, 9], np.array([0, 3]), False, False)


@pytest.mark.parametrize("kind", [str, "é{}".format, "\N{GRINNING FACE}{}".format, int])
@pytest.mark.parametrize("odd", [0, 1, True, 1e300])
def test_engines_look_up_many_documents_alike(kind, odd):
    rng = np.random.default_rng(3)
    run, judged = {}, {}
    for query in range(30):
        docs = rng.choice(400, 200, replace=False).tolist()
        scores = rng.integers(0, [3, 50, 10**6][query % 3], 200) / 4
        scores = scores if query % 2 else np.sort(scores)[::-1]
        run[str(query)] = {kind(d): s for d, s in zip(docs, scores.tolist(), strict=True)}
        judged[str(query)] = [
            kind(d) for d in rng.choice(400, 20 * (query % 6), replace=False).tolist()
        ]
    run["7"][kind(1)] = odd  # nothing is known of what is no float
    groups = np.cumsum([0, *map(len, judged.values())])
    docs = [doc for own in judged.values() for doc in own]
    for ascending, float32 in ((False, False), (False, True), (True, False), (True, True)):
        both("match_mapping", run, [*judged], docs, groups, ascending, float32)


def test_judged_dicts_are_read_alike():
    cases = [
        [], [{}], [{"a": 1, "b": 2.5}, {"a": 0}], [{1: 1}, {2: -1}], [{"a": 1}, {1: 1}], [{"a": True}], [{"a": "1"}], [{"": 1}],
        [{"a": math.nan}], [{"a": math.inf}], [{"a": 10**400}], [{"a": 1 << 70}], [{True: 1}], [{1.5: 1}], [["a"]], [{"a": 1}, {"b"}],
        [{"a": None}], [{"a": np.float64(2)}], [{"a": np.int64(2)}], [{np.int64(1): 1}], [{np.str_("a"): 1}],
    ]  # fmt: skip
    for judged in cases:
        both("read_judged", judged)


# Orders ------------------------------------------------------------------------------------------


def test_numbers_are_put_in_order_alike():
    lists = [
        [[3.0, 1.0, 2.0]], [[1.0, 1.0], [2.0, 1.0]], [[], []], [], [[1.0], [1.0], [1.0]], [[1.0, 1.0, 0.0], [0.0], [], [0.0, 0.0]],
        [[5.0, 5.0, 5.0], [5.0, 5.0, 4.0]], [[0.0, -0.0]], [[1.0, 2.0], [2.0]], [[2.0, 1.0, 2.0, 1.0, 3.0], [3.0]],
    ]  # fmt: skip
    for rows in lists:
        values = np.array([v for row in rows for v in row], np.float64)
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        both("falling_order", values, offsets)
        both("falling_beside", values, offsets, np.arange(float(len(values))))
        both("count_equals", values, offsets)
    assert both("count_equals", np.array([1.0, 1, 0, 0, 0, 2]), np.array([0, 3, 3, 6])) == [2, 0, 2]


def test_the_stub_and_both_engines_have_the_same_functions():
    stub = ast.parse((Path(rs.__file__).parent / "_native" / "_core.pyi").read_text())
    wanted = {
        f.name: [a.arg for a in f.args.args] for f in stub.body if isinstance(f, ast.FunctionDef)
    }
    assert len(wanted) > 10
    compiled = native()
    assert wanted.keys() == {
        n for n in dir(compiled) if type(getattr(compiled, n)).__name__ == "nb_func"
    }
    for name, names in wanted.items():
        ((signature, _, _),) = getattr(compiled, name).__nb_signature__
        assert re.findall(r"(\w+): ", signature.partition(" -> ")[0]) == names
        assert list(inspect.signature(getattr(twin, name)).parameters) == names


def test_faults_have_the_numbers_of_the_compiled_core():
    assert [*map(int, LineFault)] == [1, 2, 3, 4, 5, 6]
    assert [*map(int, ColumnFault)] == [1, 2, 3]


def test_the_slow_engine_is_told_of_only_if_nobody_asked_for_it(monkeypatch):
    python = engine.load.__globals__["_load"]("python")
    monkeypatch.setattr(engine, "_load", lambda wanted: python)
    for wanted in ("python", ""):
        monkeypatch.setenv("RANKSTONE_ENGINE", wanted)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            engine.load_engine()
        assert len(told) == (not wanted)
        assert engine.load() is python
        assert engine.name() == "python"
    text = str(told[0].message)
    assert text.startswith("the compiled core of rankstone is not installed; the pure-Python")
    assert text.endswith("Reinstall where a C++20 compiler is found.")


def test_another_engine_is_refused():
    with pytest.raises(rs.UsageError) as caught:
        engine._load("fast")
    assert str(caught.value) == "RANKSTONE_ENGINE is 'fast'; it may be 'native' or 'python'."
    assert not engine.is_sub_interpreter()
    assert engine._load.__wrapped__("python").__name__ == "rankstone.core.python_engine"


def test_without_interpreters_within_others_this_is_the_main_one(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(engine, "import_module", absent)
    assert engine.is_sub_interpreter.__wrapped__() is False


def test_the_compiled_core_is_not_loaded_in_an_interpreter_within_another(monkeypatch):
    monkeypatch.setattr(engine, "is_sub_interpreter", lambda: True)
    for wanted in ("", "python"):
        assert engine._load.__wrapped__(wanted).__name__ == "rankstone.core.python_engine"
    with pytest.raises(rs.UsageError, match="'native', which does not run in a sub-interpreter"):
        engine._load.__wrapped__("native")


def test_signals_wait_until_a_module_is_loaded():
    with engine._signals_held():
        held = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        assert {signal.SIGINT, signal.SIGTERM} <= held
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, []) & {signal.SIGINT, signal.SIGTERM}


class Calls:
    """Counts the calls of functions in Python, by module."""

    def __init__(self):
        self.modules = Counter()

    def __enter__(self):
        sys.setprofile(self.note)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def note(self, frame, event, _):
        if event == "call" and "rankstone" in frame.f_code.co_filename:
            self.modules[frame.f_code.co_filename.partition("rankstone/")[2]] += 1


@pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")
@pytest.mark.parametrize("verb", ["convert", "validate", "evaluate"])
def test_the_python_engine_rests_while_the_core_is_there(tmp_path, verb, capsys, monkeypatch):
    monkeypatch.delenv("RANKSTONE_ENGINE", raising=False)
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d{q} 1\n" for q in range(50)))
    rows = [f"{q} Q0 d{d} {d} {100 - d} t\n" for q in range(50) for d in range(40)]
    (tmp_path / "a.run").write_text("".join(rows))
    qrels, run = str(tmp_path / "qrels"), str(tmp_path / "a.run")
    call = {
        "convert": ["convert", run, str(tmp_path / "out.json"), "--force"],
        "validate": ["validate", qrels, run],
        "evaluate": ["evaluate", qrels, run, "-m", "RR"],
    }[verb]
    main(call)  # imports
    with Calls() as calls:
        assert main(call) == 0
    assert not [m for m in calls.modules if "python_engine" in m]
    assert sum(calls.modules.values()) < len(rows)
