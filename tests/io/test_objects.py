"""Objects in memory: records, and columns with an index."""

import pandas as pd
import pytest

import rankstone as rs
from rankstone.io import json_like
from rankstone.io.input_file import ReadOptions


def series(values, index=None, dtype=None):
    return pd.Series(values, index=index, dtype=dtype)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (series(["a", "d"]), 0.5),
        (series(["a", "d"], ["x", "y"]), 0.5),
        (series([2, 1], ["a", "d"]), 0.5),
        (series([1, 2], ["a", "d"]), 1),
        (series([1, 2], pd.Index([7, "d"], dtype=object)), 1),
        (series([0.5, 1.5], [7, 8]), 0),
        (series([], []), 0),
        (series([0.5, 1], [7, 8], object), 0),
        (series(["a", 7, "d"], [1, 2, 3]), 1 / 3),
    ],
)
def test_a_series_holds_documents_or_their_scores(rows, expected):
    assert rs.evaluate({"q": {"d": 1}}, {"q": rows}, "RR")["RR"] == expected


@pytest.mark.parametrize(
    "run",
    [
        {"q": series(["a", "d"]), "r": ["d"]},
        {"q": series([2, 1], ["a", "d"]), "r": {"d": 1}},
    ],
)
def test_a_series_may_stand_beside_lists_or_dicts(run):
    found = rs.evaluate({"q": {"d": 1}, "r": {"d": 1}}, run, "RR").per_query
    assert found == {"q": {"RR": 0.5}, "r": {"RR": 1}}


def test_records_in_memory_keep_whole_numbers():
    judged = json_like.judgments_of([{"query_id": 1, "expected": [5, 6]}])
    assert (list(judged.queries), list(judged.docs), judged.docs.typed) == ([1], [5, 6], True)


@pytest.mark.parametrize(("name", "what"), [(None, "run"), ("mine", "mine")])
def test_a_series_that_may_be_either_is_refused(name, what):
    with pytest.raises(rs.DataError) as caught:
        json_like.run_of({"q": series([7, 8], [3, 4])}, ReadOptions(name=name))
    assert str(caught.value).startswith(f"{what}, query 'q': a Series of whole numbers under")
    with pytest.raises(rs.DataError, match="the index of the Series holds a document twice"):
        json_like.run_of({"q": series([0.5, 1.5], ["a", "a"])}, ReadOptions(name=name))


def test_records_are_known_by_all_of_the_first():
    good, bad = {"query_id": "q", "expected": ["a"]}, {"query_id": "q", "x": ["a"]}
    assert json_like.are_records([good, good])
    assert not json_like.are_records([good, bad])
    assert not json_like.are_records([good, "x"])
    assert not json_like.are_records([good, {1: ["a"]}])
    assert not json_like.are_records([good | {1: 2}])
    assert not json_like.are_records([])
    assert not json_like.are_records([good] * 9 + [bad])
    assert json_like.are_records([good] * 10 + [bad])


@pytest.mark.parametrize(("name", "called", "what"), [(None, "run", "the run"), ("a", "a", "a")])
def test_a_run_of_records_has_a_name(name, called, what):
    assert (
        json_like.run_of([{"query_id": "q", "retrieved": {"a": 1}}], ReadOptions(name=name)).name
        == called
    )
    with pytest.raises(rs.DataError, match=f"^{what}, record 2: some records hold scores and"):
        json_like.run_of([{"retrieved": ["a"]}, {"retrieved": {"a": 1}}], ReadOptions(name=name))
