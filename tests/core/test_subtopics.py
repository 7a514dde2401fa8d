"""Tests of subtopics."""

import numpy as np
import pytest

import rankstone as rs
from rankstone.core.subtopics import Aspect, aspects_of, with_subtopics
from rankstone.verbs.load import load_judgments


def test_grades_by_subtopic_are_laid_out():
    judgments = load_judgments({"q": {"b": 2, "a": 1}, "r": {"a": 1}})
    rows = [
        Aspect("q", "b", 2, "y"), Aspect("q", "a", 1, "x", vital=False), Aspect("q", "b", 0, "x", vital=False),
        Aspect("r", "a", 1, "y"), Aspect("q", "b", 1, "y"), Aspect("q", "a", 1, "x", vital=False),
    ]  # fmt: skip
    found, counts = with_subtopics(judgments, rows)
    subtopics = found.subtopics
    assert subtopics.names == ["y", "x", "y"]
    assert subtopics.vital.tolist() == [True, False, True]
    assert [(a.query, a.doc, a.grade, a.subtopic, a.vital) for a in aspects_of(found)] == [
        ("q", "b", 2, "y", True), ("q", "b", 0, "x", False), ("q", "a", 1, "x", False), ("r", "a", 1, "y", True),
    ]  # fmt: skip
    assert counts == {
        "repeated": 1, "contradicting": 1,
        "repeated_example": (b"q", b"a"), "contradicting_example": (b"q", b"b"),
    }  # fmt: skip
    assert subtopics.by_id.tolist() == [2, 0, 1]
    assert subtopics.judged()[1].tolist() == [0, 0, 1]
    chosen = subtopics.select(np.array([False, True]))
    assert chosen.judged()[0].tolist() == [2]
    cut = subtopics.of_rows(np.array([False, True, True]), np.array([0, 1, 2]))
    assert cut.offsets.tolist() == [0, 1, 2]
    assert cut.grade.tolist() == [1, 1]
    assert with_subtopics(judgments, rows[:1]).counts["repeated_example"] == (b"", b"")
    more = [*rows, rows[3], Aspect("r", "a", 2, "y"), Aspect("q", "a", 3, "x", vital=False)]
    again = with_subtopics(judgments, more).counts
    assert (again["repeated"], again["contradicting"]) == (2, 3)
    assert again["repeated_example"] == again["contradicting_example"] == (b"q", b"a")
    with pytest.raises(
        rs.DataError, match="the nugget 'x' is vital in one row and okay in another"
    ):
        with_subtopics(judgments, [rows[1], Aspect("q", "b", 0, "x", vital=True)])
    assert list(aspects_of(judgments)) == []


def test_known_documents_count_by_subtopic():
    import dataclasses

    judgments = load_judgments({"q": {"b": 2, "a": 1}, "r": {"a": 1}})
    whole = with_subtopics(judgments, [Aspect("q", "b", 2, "y")]).judgments.subtopics
    some = dataclasses.replace(whole, known=np.array([True, False, True]))
    assert [column.tolist() for column in some.judged()] == [[0, 2], [0, 1]]
    cut = some.of_rows(np.array([True, True, False]), np.array([0, 2]))
    assert cut.known.tolist() == [True, False]
