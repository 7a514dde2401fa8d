"""Parts of the core on their own, at their edges."""

import hashlib
import os
import threading
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from strategies import write_qrels

import rankstone as rs
from rankstone.core import atomic, parallel
from rankstone.core.ids import Ids, key_of, numbers_of, sort_key
from rankstone.core.matches import Matches
from rankstone.core.provenance import Source
from rankstone.core.row_layout import ATOF, ATOL, NUMBER, RANK, RowLayout
from rankstone.core.text import escape_controls, escape_field, unescape_field

DEFAULT = rs.Conventions()


# Lines of files ------------------------------------------------------------------------------


def test_a_layout_has_no_other_fields_unless_they_are_named():
    layout = RowLayout(4, 0, 2, 3)
    assert (layout.rank, layout.iteration, layout.more) == (-1, -1, False)
    assert layout.reading == NUMBER == 0
    assert (RANK, ATOF, ATOL) == (1, 2, 3)


@pytest.mark.parametrize(
    ("more", "fitting"), [(False, [False, True, False]), (True, [False, True, True])]
)
def test_a_line_has_as_many_fields_as_its_layout_or_more(more, fitting):
    layout = RowLayout(4, 0, 2, 3, more=more)
    assert [layout.fits(n) for n in (3, 4, 5)] == fitting


def test_fields_are_written_on_one_line_and_read_again():
    cases = [
        ("a\u2028b", r"a\u2028b", r"a\u2028b"),
        ("\u061ca", r"\u061ca", r"\u061ca"),
        ("a\x9fb", r"a\x9fb", r"a\x9fb"),
        ("a\\tb", r"a\\tb", r"a\tb"),
        ("a\rb\n\t", r"a\rb\n\t", r"a\rb\n\t"),
        (" a\u3000", r"\x20a\u3000", " a\u3000"),
        ("\u0100 \xff", "\u0100 \xff", "\u0100 \xff"),
    ]
    for text, field, shown in cases:
        assert escape_field(text) == field
        assert unescape_field(field) == text
        assert escape_controls(text) == shown


# Threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cores", "parts", "most", "workers"),
    [
        (1, 3, None, 1), (2, 1, None, 1), (2, 2, None, 2), (2, 6, None, 2), (3, 9, None, 3),
        (9, 3, None, 3), (9, 8, 1, 1), (9, 8, 2, 2), (1, 8, 3, 3), (9, 2, 3, 2),
    ],
)  # fmt: skip
def test_there_are_as_many_threads_as_cores_and_parts_allow(
    monkeypatch, cores, parts, most, workers
):
    monkeypatch.setattr(parallel, "cores", lambda: cores)
    threads = set()
    all_at_once = threading.Barrier(workers, timeout=10)

    def task(part):
        threads.add(threading.get_ident())
        if part < workers:
            all_at_once.wait()
        else:
            time.sleep(0.02)
        return part * part

    assert parallel.on_each(task, range(parts), most) == [i * i for i in range(parts)]
    assert len(threads) == workers
    assert threading.get_ident() in threads


def test_of_several_errors_that_of_the_first_part_is_raised(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    both = threading.Barrier(2, timeout=10)

    def fail(part):
        both.wait()
        raise ValueError(f"part {part}")

    with pytest.raises(ValueError, match=r"^part 0$"):
        parallel.on_each(fail, range(2))


def test_nothing_new_begins_after_an_error(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    begun = []

    def fail(i):
        begun.append(i)
        if i == 0:
            raise KeyboardInterrupt
        time.sleep(0.05)

    with pytest.raises(KeyboardInterrupt):
        parallel.on_each(fail, range(1000))
    assert len(begun) < 10


def test_fewer_threads_do_the_work_if_no_more_can_be_started(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 8)

    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert parallel.on_each(lambda i: i * i, range(9)) == [i * i for i in range(9)]


def test_cores_are_those_of_this_process(monkeypatch):
    mine = {0: {1, 4, 5}}
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: mine.get(pid, {1}), raising=False)
    assert parallel.cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    for known, cores in ((None, 1), (5, 5)):
        monkeypatch.setattr(os, "cpu_count", lambda known=known: known)
        assert parallel.cores() == cores


# Files that are written ----------------------------------------------------------------------


@pytest.mark.parametrize("allowed", [0, os.W_OK, os.X_OK, os.W_OK | os.X_OK])
def test_a_file_needs_a_folder_that_can_be_written_and_searched(tmp_path, monkeypatch, allowed):
    monkeypatch.setattr(os, "access", lambda _, asked: asked & allowed == asked)
    path = tmp_path / "out"
    if allowed == os.W_OK | os.X_OK:
        atomic.check_writable(path)
    else:
        with pytest.raises(rs.DataError) as caught:
            atomic.check_writable(path)
        assert str(caught.value) == f"{path}: the directory {tmp_path} cannot be written to."


def test_a_device_needs_no_folder_that_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    atomic.check_writable(pipe)
    (tmp_path / "file").touch()
    with pytest.raises(rs.DataError, match="cannot be written to"):
        atomic.check_writable(tmp_path / "file")


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    atomic.write_text(pipe, "x")
    reader.join(10)
    assert read == [b"x"]
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("head", "mark", "refused"),
    [(b"", None, False), (b"", b"m", False), (b"x", None, True), (b"x", b"m", True), (b"xm", b"m", False)],
)  # fmt: skip
def test_only_what_bears_the_mark_is_replaced(tmp_path, head, mark, refused):
    path = tmp_path / "out"
    path.write_bytes(head)
    atomic.check_own(path, mark, force=True)
    atomic.check_own(tmp_path / "new", mark, force=False)
    if refused:
        with pytest.raises(rs.UsageError, match="the file is there already"):
            atomic.check_own(path, mark, force=False)
    else:
        atomic.check_own(path, mark, force=False)


# Ids -----------------------------------------------------------------------------------------

EDGES = [-(1 << 63), -(1 << 63) + 1, -1, 0, 1, 255, 256, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def test_whole_numbers_of_64_bits_have_keys_in_their_order():
    keys = [key_of(n) for n in EDGES]
    assert {*map(len, keys)} == {9}
    assert sorted(keys) == keys
    assert numbers_of(b"".join(keys)) == EDGES
    assert numbers_of(b"".join(keys[3:])) == EDGES[3:]
    assert [key_of(n) for n in (-(1 << 63) - 1, 1 << 64)] == [b"", b""]


def test_ids_are_the_same_however_they_are_held():
    rows = np.array([2, 0])
    ascii_text = Ids.from_bytes(b"ab12", np.array([0, 2, 3, 4]))
    other_text = Ids.from_bytes("aé\xff".encode(), np.array([0, 1, 3, 5]))
    assert ascii_text.at(rows) == ["2", "ab"]
    assert other_text.at(rows) == ["\xff", "a"]
    assert list(ascii_text) == ["ab", "1", "2"]
    assert list(other_text) == ["a", "é", "\xff"]
    held = Ids.from_keys(b"".join(map(key_of, EDGES)))
    assert held.at(rows) == [-1, -(1 << 63)]
    assert held.keys[1].tolist() == [9 * i for i in range(len(EDGES) + 1)]
    assert list(held) == EDGES
    assert Ids([5, 6, 7], "number").at(rows) == [7, 5]
    assert Ids(["x", "y", "z"], "text").at(rows) == ["z", "x"]


def test_ids_are_counted_however_they_are_held():
    assert len(Ids.from_bytes(b"ab12", np.array([0, 2, 3, 4]))) == 3
    assert len(Ids.from_keys(b"".join(map(key_of, EDGES)))) == len(EDGES)
    assert len(Ids([], "text")) == 0


def test_only_text_of_a_file_may_stand_for_numbers():
    assert not Ids.from_bytes(b"1", np.array([0, 1])).typed
    assert Ids.from_bytes(b"1", np.array([0, 1]), typed=True).typed
    assert Ids.from_keys(key_of(1)).typed
    assert Ids.of(["1"], "query").typed
    assert not Ids.of(["1", 2], "query").typed
    assert Ids.of(["1", np.str_("2")], "query").typed
    for numbers in ([1, 2], [1, np.int64(2)]):
        assert (Ids.of(numbers, "query").kind, list(Ids.of(numbers, "query"))) == ("number", [1, 2])


def test_keys_of_text_are_those_of_the_numbers_it_stands_for():
    texts = ["7", "-7", str((1 << 64) - 1), str(1 << 64), "07", "+7", "-0", "x", "٣", "-"]
    keys, offsets = Ids(texts, "text").keys
    parts = [keys[a:b] for a, b in pairwise(offsets)]
    assert parts[:3] == [key_of(7), key_of(-7), key_of((1 << 64) - 1)]
    assert all(part.startswith(b"\xff") for part in parts[3:])
    assert len({*parts}) == len(texts)
    keys, offsets = Ids([7, 1 << 64, (1 << 64) - 1], "number").keys
    assert keys[:9] == key_of(7)
    assert keys[-9:] == key_of((1 << 64) - 1)
    assert keys[9:10] == b"\xff"


@pytest.mark.parametrize(
    ("digits", "kind"), [(1, int), (19, int), (20, int), (640, int), (641, str)]
)
def test_text_of_up_to_640_digits_stands_for_a_number(digits, kind):
    assert [*map(type, Ids(["9" * digits, "-" + "9" * digits], "text").as_numbers())] == [kind] * 2


@pytest.mark.parametrize("doc", [10**18, 10**19 - 1, 10**19, (1 << 64) - 1])
def test_judgments_of_a_file_match_numbers_of_64_bits(engine, tmp_path, doc):
    path = write_qrels(tmp_path / "qrels", {"1": {str(doc): 1, "7": 1}})
    ids = np.array([doc, 7], np.uint64)
    frame = pd.DataFrame({"query_id": [1, 1], "doc_id": ids, "score": [2.0, 1.0]})
    for run in ({1: {doc: 2.0, 7: 1.0}}, {1: [doc, 7]}, frame):
        assert rs.evaluate(path, run, ["R"])["R"] == 1


def test_ids_are_put_in_order_as_numbers_if_all_are():
    cases = [
        ([10, 9, -1], [-1, 9, 10]),
        (["10", "9", "010"], ["9", "010", "10"]),
        (["10", "9", "a"], ["10", "9", "a"]),
        (["b", "a", ""], ["", "a", "b"]),
        ([], []),
    ]
    for ids, ordered in cases:
        keys = sort_key(ids)
        assert [ids[i] for i in sorted(range(len(ids)), key=keys.__getitem__)] == ordered


# Matches -------------------------------------------------------------------------------------


def matches(**changed):
    """Return matches of three queries with 2, 0 and 3 rows."""
    columns = {
        "offsets": [0, 2, 2, 5],
        "judgment": [0, 1, 4, 4, 5],
        "above": [0, 1, 2, 2, 0],
        "tied": [1, 1, 2, 2, 1],
        "greater": [0, 0, 0, 0, 0],
        "earlier": [0, 0, 0, 1, 0],
        "present": [True, False, True],
        "retrieved": [2, 0, 3],
        "duplicates": [1, 0, 1],
        "rank_disagrees": [False, False, True],
    }
    arrays = {name: np.array(values) for name, values in columns.items()}
    return Matches(**arrays, score=np.array([2.0, 1.0, 5.0, 5.0, 9.0]), **changed)


def test_matches_of_some_queries_keep_what_belongs_to_them():
    rows = np.array([-1, -1, -1, 0, 1, 2])
    kept = matches(duplicate={0: "a", 2: "c"}).select(np.array([False, True, True]), rows)
    assert kept.offsets.tolist() == [0, 0, 3]
    assert kept.judgment.tolist() == [1, 1, 2]
    assert kept.score.tolist() == [5, 5, 9]
    assert kept.duplicate == {1: "c"}
    assert (kept.present.tolist(), kept.retrieved.tolist()) == ([False, True], [0, 3])


def test_copies_of_a_document_in_a_tie_are_in_order_of_id():
    of = matches()
    assert of.with_distinct_ids(earlier_is_greater=True).greater.tolist() == [0, 0, 0, 1, 0]
    assert of.with_distinct_ids(earlier_is_greater=False).greater.tolist() == [0, 0, 1, 0, 0]


def test_a_run_without_rows_has_no_matches():
    none = Matches.none(2)
    assert none.offsets.tolist() == [0, 0, 0]
    assert none.retrieved.tolist() == none.duplicates.tolist() == [0, 0]
    assert none.present.tolist() == none.rank_disagrees.tolist() == [False, False]
    assert len(none.judgment) == len(none.score) == none.unjudged_queries == 0
    assert not none.unjudged_capped


# Where data came from ------------------------------------------------------------------------


def test_a_checksum_of_the_content_is_kept_beside_that_of_the_file():
    known = Source("run", sha256="a", content_sha256="b")
    assert known.to_dict() == {"name": "run", "bytes": None, "sha256": "a", "content_sha256": "b"}
    assert Source.from_dict(known.to_dict()) == known
    assert Source("run", sha256="a").to_dict()["content_sha256"] == "a"
    assert Source("run").to_dict()["content_sha256"] is None
    expanded = Source("run", sha256="a", expand=lambda: [b"x", b"y"])
    assert expanded.to_dict()["content_sha256"] == hashlib.sha256(b"xy").hexdigest()
    assert expanded == Source("run", sha256="a")
    assert "expand" not in repr(expanded)
