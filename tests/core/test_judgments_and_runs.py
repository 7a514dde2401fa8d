"""Tests of judgments and runs."""

import copy
import pickle

import pytest
from strategies import write_qrels, write_run

import rankstone as rs
from rankstone.core.judgments import EMPTY
from rankstone.core.run import EmptyRun
from rankstone.verbs.load import load_judgments


def test_judgments_are_looked_up_as_text_unless_they_are_numbers():
    judgments = load_judgments({"q": {"a": 1}})
    plain = judgments.index()
    assert judgments.index(numbers=(False, False), typed=False) is plain
    assert judgments.index(typed=True) is not plain
    assert judgments.index(numbers=(True, False)) is not plain
    assert (len(EMPTY), EMPTY.groups.tolist(), list(EMPTY.queries)) == (0, [0], [])


def test_judgments_of_more_queries_hold_nothing_for_them():
    judgments = load_judgments({"q": {"a": -1, "b": 2}})
    more = judgments.with_queries(["r", "s"])
    assert list(more.queries) == ["q", "r", "s"]
    assert more.groups.tolist() == [0, 2, 2, 2]
    assert (len(more), more.max_grade) == (2, 2)
    assert load_judgments({"q": {"a": -1}}).max_grade == 0
    by_subtopic = load_judgments({"q": {"a": {"1": 1}, "b": {"2": 1}}}).with_queries(["r"])
    assert by_subtopic.subtopics.first.tolist() == [0, 2]
    assert by_subtopic.subtopics.last.tolist() == [2, 2]


def test_an_empty_run_has_nothing():
    run = EmptyRun()
    assert run.direction == 0
    found = run.match(load_judgments({"q": ["a"], "r": ["b"]}), float32=False, repeats=False)
    assert found.retrieved.tolist() == [0, 0]


@pytest.mark.parametrize("how", ["as read", "pickled", "copied"])
def test_judgments_with_other_documents_have_look_ups_of_their_own(tmp_path, engine, how):
    judged = {"q": {"a": 1, "b": 0}, "r": {"c": 1}}
    run = {"q": {"x": 2.0, "a": 1.0}, "r": {"x": 3.0, "y": 2.0, "c": 1.0}}
    read = rs.load_judgments(write_qrels(tmp_path / "qrels", judged))
    read = {
        "as read": read,
        "pickled": pickle.loads(pickle.dumps(read)),
        "copied": copy.copy(read),
    }[how]
    excluded = {"q": ["x"], "r": ["y"]}
    for _ in range(2):  # before and after look-ups were built
        result = rs.evaluate(read, write_run(tmp_path / "run", run), "RR", exclude=excluded)
        assert result.values("RR").tolist() == [1, 1 / 2]
        assert rs.evaluate(read, run, "RR").values("RR").tolist() == [1 / 2, 1 / 3]
