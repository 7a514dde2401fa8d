"""Tests of ids."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from strategies import write_qrels

import rankstone as rs
from rankstone.core.ids import Ids, key_of, numbers_of, sort_key

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
