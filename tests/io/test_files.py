"""Files of values, compressed files and tables in files: what is read, and where it ends."""

import bz2
import gc
import gzip
import lzma
import math
import os
import random
from io import BufferedReader, BytesIO
from types import SimpleNamespace

import pytest

import rankstone as rs
from rankstone.io import streams
from rankstone.io.input_file import Input
from rankstone.io.query_values import (
    is_parquet,
    read_parquet_values,
    read_query_values,
    read_query_weights,
)


def values_in(text, measures=("map", "P_5", "nDCG@10")):
    return read_query_values(text.encode(), "file", lambda name: name in measures)


ONE = {None: {"q1": {"map": 0.5}}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map\tq1\t0.5\n", ONE),
        ("map q1 0.5\nmap all 0.5\n", ONE),
        ("q1 map 0.5\nall map 0.5\n", ONE),
        ("map amean 0.5\nmap q1 0.5\n", ONE),
        ("q1\tmap\t0.5\n", ONE),
        ("\n  \nq1\tmap\t0.5\r\n\n", ONE),
        ("runid x\nmap q1 0.5\n", ONE),
        ("x y 1\nx z 2\n", {None: {"y": {"x": 1.0}, "z": {"x": 2.0}}}),
        ("y x 1\nz x 2\n", {None: {"y": {"x": 1.0}, "z": {"x": 2.0}}}),
        ("x y 1\nz y 2\nw all 1\n", {None: {"y": {"x": 1.0, "z": 2.0}}}),
        ("y x 1\ny z 2\nall w 1\n", {None: {"y": {"x": 1.0, "z": 2.0}}}),
        ("map map 1\nmap P_5 2\nmap x 3\n", {None: {"map": {"map": 1.0}, "P_5": {"map": 2.0}, "x": {"map": 3.0}}}),
        ("query,value\nq1,0.5\n", {None: {"q1": {"value": 0.5}}}),
        ("x y 1\n", {None: {"y": {"x": 1.0}}}),
        ("map x 1\nmap map 2\n", {None: {"x": {"map": 1.0}, "map": {"map": 2.0}}}),
        ("q1,map,0.5\n", ONE),
        ("query,map\nq1,0.5\nall,0.7\n", ONE),
        ("query,measure,value\nq1,map,0.5\n", ONE),
        ("Query_ID\tMetric\tScore\nq1\tmap\t0.5\n", ONE),
        ("system,query,map,P_5\na,q1,1,\nb,q1,0,2\n", {"a": {"q1": {"map": 1.0, "P_5": math.nan}}, "b": {"q1": {"map": 0.0, "P_5": 2.0}}}),
        ("run,query,measure,value\na,q1,map,0.5\na,all,map,0.5\n", {"a": {"q1": {"map": 0.5}}}),
        ("run,query,measure,value\n'a,'=q,map,0.5\n", {"a": {"=q": {"map": 0.5}}}),
        ("run\tquery\tmeasure\tvalue\n'a\t'q\tmap\t0.5\n", {"'a": {"'q": {"map": 0.5}}}),
        ("query,run,measure,value\n'q,a,map,0.5\n", {"a": {"'q": {"map": 0.5}}}),
        ('{"q1": {"map": 0.5}, "all": {"map": 1}}', ONE),
        (' {"q1": {"map": null}}', {None: {"q1": {"map": math.nan}}}),
    ],
)  # fmt: skip
def test_values_by_query_are_read(text, expected):
    assert repr(values_in(text)) == repr(expected)


AGGREGATES = "file: there are only aggregates here"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n \n", "file: the file is empty."),
        ("map all 0.5\n", AGGREGATES),
        ("query,map\nall,0.5\n", AGGREGATES),
        ('{"all": {"map": 0.5}}', AGGREGATES),
        ("map q1 0.5\nmap q2 0.5 x\n", "file:2: 4 fields, expected 3."),
        ("map q1 0.5\nmap\n", "file:2: 1 fields, expected 3."),
        ("map q1 0.5\n\nmap q1 0.6\n", "file:3: map of query 'q1' has a second value. Keep one."),
        ("map q1 x\n", "file:1: the value of 'map' for query 'q1' is 'x', which is not a number."),
        ("query,map\nq1,0.5\nq2\n", "file:3: 1 fields, and the header has 2."),
        ('a,b\n"x', "file: this is not valid CSV ("),
        ('{"q1": 1}', "file: expected {query: {measure: value}}"),
        ('{"q1": {"map": 1}, "q2": {"map": true}}', "file: expected {query: {measure: value}}"),
        ('{"q1": {"map": 1, "P": "1"}}', "file: expected {query: {measure: value}}"),
        ('{"q1": ', "file: this is not valid JSON ("),
    ],
)
def test_values_by_query_that_cannot_be_read(text, message):
    with pytest.raises(rs.DataError) as caught:
        values_in(text)
    assert str(caught.value).startswith(message)


def test_parquet_is_a_file_or_a_folder_of_files(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    assert not is_parquet(str(folder))
    (folder / "_SUCCESS").touch()
    (folder / "part-0.parquet").touch()
    assert is_parquet(str(folder))
    assert is_parquet("x.PARQUET")
    assert not is_parquet("x.csv")


def test_values_in_parquet(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    def written(**columns):
        parquet.write_table(pa.table(columns), tmp_path / "file.parquet")
        return str(tmp_path / "file.parquet")

    queries, values = read_parquet_values(written(query=["a", "b"], map=[0.5, None], n=[1, 2]))
    assert queries == ["a", "b"]
    assert repr({name: own.tolist() for name, own in values.items()}) == repr(
        {"map": [0.5, math.nan], "n": [1.0, 2.0]}
    )
    with pytest.raises(rs.DataError, match="column 'map' is of type string, not numbers"):
        read_parquet_values(written(query=["a"], map=["x"]))
    with pytest.raises(rs.DataError, match="cannot tell which column holds the queries. Columns: 'map'"):  # fmt: skip
        read_parquet_values(written(map=[1]))


def test_weights_of_queries(tmp_path):
    path = tmp_path / "weights"
    path.write_text("q1 2\nq2 0.5\n")
    assert read_query_weights(str(path)) == {"q1": 2, "q2": 0.5}
    path.write_text("q1 2\nq2 x\n")
    with pytest.raises(rs.DataError) as caught:
        read_query_weights(str(path))
    assert str(caught.value) == f"{path}: the weight of query 'q2' is 'x', which is not a number."


COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
TEXT = b"q Q0 d 1 1 t\n"


def packed(kind, data):
    return COMPRESS[kind](data) if kind else data


@pytest.mark.parametrize("kind", [None, *COMPRESS])
def test_a_file_may_be_as_large_as_somebody_says(tmp_path, kind):
    path = tmp_path / "run"
    path.write_bytes(packed(kind, TEXT))
    size = len(TEXT)
    assert streams.read_all(str(path), size) == TEXT
    assert streams.read_all(str(path)) == TEXT
    with pytest.raises(rs.DataError) as caught:
        streams.read_all(str(path), size - 1)
    assert str(caught.value) == (
        f"{path}: too large: more than {size - 1} bytes. If it is meant to be, raise the limit "
        "(--max-bytes, max_bytes=)."
    )


def test_standard_input_may_be_as_large_as_somebody_says(monkeypatch):
    def read(most):
        stdin = SimpleNamespace(buffer=BufferedReader(BytesIO(TEXT)))
        monkeypatch.setattr(streams.sys, "stdin", stdin)
        return streams.read_all("-", most)

    assert read(len(TEXT)) == TEXT
    assert read(None) == TEXT
    with pytest.raises(rs.DataError, match="^-: too large: more than 12 bytes"):
        read(len(TEXT) - 1)


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="a pipe has no path here")
def test_a_pipe_is_read():
    end, begin = os.pipe()
    os.write(begin, TEXT)
    os.close(begin)
    try:
        assert streams.read_all(f"/dev/fd/{end}") == TEXT
    finally:
        os.close(end)


def test_a_file_that_is_not_there_is_sought_in_its_folder(tmp_path, monkeypatch):
    with pytest.raises(rs.DataError) as caught:
        streams.read_all(str(tmp_path / "none"))
    assert str(caught.value) == f"{tmp_path / 'none'}: there is no such file in {tmp_path}."
    monkeypatch.chdir(tmp_path)
    with pytest.raises(rs.DataError) as caught:
        streams.read_all("none")
    assert str(caught.value) == f"none: there is no such file in {tmp_path}."


def test_zst_is_read_however_long_it_is(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    path, data = tmp_path / "run.zst", random.Random(1).randbytes(20_000)
    path.write_bytes(zstandard.compress(data) + zstandard.compress(TEXT))
    assert streams.read_all(str(path)) == data + TEXT


@pytest.mark.parametrize("least", [0, -1])
def test_a_largest_size_is_at_least_1(tmp_path, least):
    (tmp_path / "run").write_bytes(b"x")
    assert streams.read_all(str(tmp_path / "run"), 1) == b"x"
    with pytest.raises(rs.UsageError, match=f"^max_bytes must be at least 1, not {least}.$"):
        streams.read_all(str(tmp_path / "run"), least)


@pytest.mark.parametrize("start", [b"{", b" \n[", b"\xef\xbb\xbf{"])
@pytest.mark.parametrize(("more", "fine"), [(0, True), (1, False)])
def test_compressed_json_expands_to_8_mib_at_least(tmp_path, start, more, fine):
    path = tmp_path / "file.json.gz"
    path.write_bytes(gzip.compress(start + b" " * ((1 << 23) - len(start) + more), 9))
    if fine:
        assert len(streams.read_all(str(path))) == 1 << 23
        return
    with pytest.raises(rs.DataError) as caught:
        streams.read_all(str(path))
    assert str(caught.value) == (
        f"{path}: too large: the gz file expands to more than 100 times its size. If it is meant "
        "to, say how large it may become (--max-bytes, max_bytes=)."
    )
    assert len(streams.read_all(str(path), 1 << 24)) == (1 << 23) + more


def test_compressed_json_expands_to_100_times_its_size(tmp_path):
    path, text = tmp_path / "file.json.gz", random.Random(1).randbytes(1 << 20).hex().encode()
    path.write_bytes(gzip.compress(b"{" + text * 5, 1))
    assert len(streams.read_all(str(path))) == 5 * len(text) + 1


def test_compressed_text_expands_to_more_than_json(tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"q" + b" " * (1 << 23), 9))
    assert len(streams.read_all(str(path))) == (1 << 23) + 1


def test_compressed_text_expands_to_64_mib_at_least(tmp_path):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"q" + b" " * (1 << 26), 1))
    with pytest.raises(rs.DataError, match="expands to more than 100 times its size"):
        streams.read_all(str(path))


def test_a_line_has_64_mib_at_most():
    longest = b"a" * ((1 << 26) - 1) + b"\n"
    assert [(n, len(line)) for n, line in streams.lines(BytesIO(longest), "x")] == [(1, 1 << 26)]
    with pytest.raises(rs.DataError, match="^x:1: the line is longer than 64 MiB.$"):
        list(streams.lines(BytesIO(b"a" + longest), "x"))


@pytest.mark.parametrize("kind", COMPRESS)
def test_several_compressed_parts_are_one_file(tmp_path, kind):
    path = tmp_path / "run"
    parts = [bytes([65 + i]) * 70_000 for i in range(3)]
    path.write_bytes(b"".join(packed(kind, part) for part in parts))
    assert streams.read_all(str(path)) == b"".join(parts)


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("lost", [1, 8])
def test_a_compressed_file_that_is_cut_short(tmp_path, kind, lost):
    path = tmp_path / "run"
    path.write_bytes(packed(kind, TEXT * 1000)[:-lost])
    with pytest.raises(rs.DataError) as caught:
        streams.read_all(str(path))
    words = f"the {kind} file is truncated; nothing was evaluated. Fetch it again."
    assert str(caught.value) == f"{path}: {words}"


def test_lines_are_numbered_from_1(tmp_path, monkeypatch):
    path = tmp_path / "file"

    def lines(data):
        path.write_bytes(data)
        with streams.open_seekable(str(path)) as (stream, _, _):
            return list(streams.lines(stream, "x"))

    mark = b"\xef\xbb\xbf"
    assert lines(mark + b"a\n" + mark + b"b") == [(1, b"a\n"), (2, mark + b"b")]
    with pytest.raises(rs.DataError, match="^x:2: a NUL byte."):
        lines(b"a\nb\0\n")
    monkeypatch.setattr(streams, "_LONGEST_LINE", 1 << 21)
    longest = b"a" * ((1 << 21) - 1) + b"\n"
    assert lines(longest) == [(1, longest)]
    with pytest.raises(rs.DataError, match="^x:2: the line is longer than 2 MiB.$"):
        lines(b"\na" + longest)


def test_a_file_is_closed_when_its_evaluation_ends(tmp_path):
    """Not when garbage is collected: an evaluation leaves no circle that holds the file."""
    path = tmp_path / "run"
    path.write_text("q Q0 a 1 1 t\n")
    enabled = gc.isenabled()
    gc.disable()
    try:
        for options in ({}, {"lengths": {"a": 1}}):
            measure = "R@5tokens" if options else "Hole@1"
            rs.evaluate({"q": {"a": 1}}, path, measure, **options)
            assert not [o for o in gc.get_objects() if type(o) is Input and o.path == str(path)]
    finally:
        if enabled:
            gc.enable()
