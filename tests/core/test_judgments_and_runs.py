"""Tests of judgments and runs."""

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
