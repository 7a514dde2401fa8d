"""Tests of ids in memory."""

import json
import uuid

import numpy as np
import pandas as pd
import pytest

import rankstone as rs
from rankstone import RR, nDCG
from rankstone.io.convert import convert

JUDGED = {"q1": {"d1": 1}}


def rr(judged, run):
    return rs.evaluate(judged, run, ["RR"])["RR"]


class NoNumber:
    def __float__(self):
        raise ValueError("no number")

    def __repr__(self):
        return "NoNumber()"


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (["1", "0", "2"], ["0.9", "0.1", "0.3"]),
        ([1, 0, 2], ["0.9", "0.1", "0.3"]),
        ([["1", "0"]], [["0.9", "1"]]),
        (np.array(["1", "0", "2"]), np.array(["0.9", "0.1", "0.3"])),
        (["0.5", "1"], ["9", "8"]),
        ([b"1", b"0", b"2"], [b"0.9", b"0.1", b"0.3"]),
    ],
)
def test_numbers_that_are_text_are_not_ids(labels, scores):
    with pytest.raises(rs.UsageError, match=r"numpy\.asarray\((labels|scores), float\)"):
        nDCG(labels, scores)


@pytest.mark.parametrize(
    ("relevant", "ranking"),
    [([1, 0], ["2", "1"]), (["1", "0"], [2, 1]), ({1: 1, 0: 2}, ["1", "0"]), (["A"], ["b", "a"])],
)
def test_ids_that_only_look_alike_give_no_number(relevant, ranking):
    with pytest.raises(rs.NothingInCommonError, match="write them alike"):
        nDCG(relevant, ranking)


def test_no_relevant_document_retrieved_is_0():
    assert nDCG(["a"], ["b", "c"]) == 0
    assert nDCG({1, 2}, [3, 4]) == 0


def test_ids_that_look_like_whole_numbers_are_ids():
    assert RR(["17"], ["3", "17"]) == 0.5
    assert RR(["v1.5"], ["2.5", "v1.5"]) == 0.5


@pytest.mark.parametrize("odd", [None, float("nan"), pd.NA, "", (1, 2), 1.5, True], ids=repr)
def test_ids_of_documents_that_are_not_judged_are_checked(engine, odd):
    with pytest.raises(rs.DataError, match=r"query 'q1': (empty )?document id"):
        rr(JUDGED, {"q1": {"d1": 1.0, odd: 2.0}})


@pytest.mark.parametrize("odd", [10**400, NoNumber(), None, pd.NA, b"1", 1j], ids=type)
def test_scores_that_are_no_numbers_are_refused(engine, odd):
    with pytest.raises(
        rs.DataError, match=r"query 'q1': score .+ of document 'd2' is not a number"
    ) as e:
        rr(JUDGED, {"q1": {"d1": 1.0, "d2": odd}})
    assert len(str(e.value)) < 150


@pytest.mark.parametrize("odd", [b"d7", np.str_("d7"), 7, np.int64(7)], ids=repr)
def test_ids_of_other_makes_are_text(engine, odd):
    assert rr(JUDGED, {"q1": {"d1": 1.0, odd: 2.0}}) == 0.5
    text = "7" if isinstance(odd, int | np.integer) else "d7"
    assert rr({"q1": {text: 1}}, {"q1": {"d1": 3.0, odd: 2.0}}) == 0.5


def test_ids_may_be_text_in_one_query_and_numbers_in_another(engine):
    judged = {1: {"d1": 1}, 2: {5: 1}}
    run = {1: {"d0": 2.0, "d1": 1.0}, 2: {5: 1.0}}
    assert rs.evaluate(judged, run, ["RR"]).per_query[1]["RR"] == 0.5


@pytest.mark.parametrize("twice", [{"7": 1.0, 7: 2.0}, {"d1": 1.0, b"d1": 2.0}], ids=repr)
def test_an_id_in_two_types_is_refused(engine, twice):
    with pytest.raises(rs.DataError, match="is there twice"):
        rr(JUDGED, {"q1": twice})


@pytest.mark.parametrize(
    "scores", [["10", "20", "30"], ["0,9", "0,1", "0,3"], np.array(["7", "8", "9"])]
)
def test_numbers_as_text_in_both_places(scores):
    with pytest.raises(rs.UsageError, match=r"numpy\.asarray\(scores, float\)"):
        nDCG(["1", "0", "2"], scores)


def test_ids_that_are_whole_numbers_as_text():
    assert nDCG(["1", "0", "2"], ["3", "1", "2"]) > 0.5
    assert nDCG({"1", "0", "2"}, ["10", "20", "30"]) == 0
    assert nDCG(["1", "0"], ["10", "20", "30"]) == 0


REFUSED = [
    ({"q": {1.0: 1}}, {"q": ["d"]}),
    ({"q": [12.0]}, {"q": ["d"]}),
    ({"q": ["d"]}, {"q": [12.0]}),
    ({"q": ["d"]}, {1.5: ["d"]}),
    ({"q": [None]}, {"q": ["d"]}),
    ({"q": [("d", 1)]}, {"q": ["d"]}),
    ([{"query": 1.5, "expected_ids": ["d"]}], [["d"]]),
]


def test_uuids_are_ids(engine):
    one, two, query = (uuid.UUID(int=i) for i in (1, 2, 3))
    for judged, run in (
        ({query: {one: 1}}, {query: {two: 2.0, one: 1.0}}),
        ({query: [one]}, {query: [two, one]}),
        ({str(query): [str(one)]}, {query: [two, one]}),
        ({query: [one]}, {str(query): [str(two), str(one)]}),
    ):
        assert rs.evaluate(judged, run, "RR", strict=True)["RR"] == 0.5
    frame = pd.DataFrame({"qid": [query, query], "docno": [two, one], "score": [2.0, 1.0]})
    assert rs.evaluate({query: [one]}, frame, "RR", strict=True)["RR"] == 0.5


@pytest.mark.parametrize("form", ["trec", "json", "csv"])
def test_text_in_files_matches_whole_numbers_in_memory(engine, tmp_path, form):
    judged, run = {1: {101: 1, 102: 0}}, {1: {102: 2.0, 101: 1.0}}
    for name, kind, data in (("judged", "judgments", judged), ("run", "run", run)):
        (tmp_path / "rows.json").write_text(json.dumps(data))
        convert(str(tmp_path / "rows.json"), str(tmp_path / name), form, kind=kind)
    listed = {q: list(docs) for q, docs in run.items()}
    for data in (
        (tmp_path / "judged", run),
        (tmp_path / "judged", listed),
        (judged, tmp_path / "run"),
    ):
        assert rs.evaluate(*data, "RR", strict=True)["RR"] == 0.5


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_nobody_is_advised_to_write_ids_with_str(case):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(*REFUSED[case], "RR")
    assert "str(" not in str(caught.value)


def test_a_ranking_of_mixed_ids_is_text_if_judged_ids_are():
    assert rs.evaluate({"q": {"1": 1, "b": 1}}, {"q": ["b", 1]}, "R")["R"] == 1.0


def test_a_frame_of_mixed_ids_is_text(engine):
    frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["e", 7], "score": [2.0, 1.0]})
    assert rs.evaluate({"q": {"7": 1}}, frame, "RR", strict=True)["RR"] == 0.5
