"""Coverage of subtopics by degree."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import K
from rankstone.measures.subtopics import OF_SUBTOPICS, added, retrieved_grades, words
from rankstone.measures.summation import Sum

Array = np.ndarray
_ANY_GRADE = 5e-324  # above 0


def _grade(r: Ranked, m: Measure, grades: Array) -> Array:  # noqa: ARG001
    return np.maximum(grades, 0.0)


def _improvement(r: Ranked) -> Array:
    """Return by how much each row raises the highest grades of its subtopics."""
    row, subtopic, grade = retrieved_grades(r)
    order = np.lexsort((r.rank[row], subtopic))
    row, subtopic, grade = row[order], subtopic[order], np.maximum(grade[order], 0.0)
    levels, level = np.unique(np.append(grade, 0.0), return_inverse=True)
    # The highest so far of each subtopic: those of another one are all lower, or all higher.
    key = np.maximum.accumulate(subtopic * len(levels) + level[:-1])
    highest = levels[key - subtopic * len(levels)]
    first = np.diff(subtopic, prepend=-1) != 0
    before = np.where(first, 0.0, np.append(0.0, highest)[:-1])
    return added(r, row, highest - before)


def _attainable(r: Ranked) -> Array:
    """Return the sum of the highest grades of each query's subtopics, retrieved or not."""
    if r.subtopics is None:
        return np.maximum(r.highest(), 0.0)
    documents, query = r.subtopics.judged()
    document, subtopic, grade = r.subtopics.of_documents(documents)
    best = np.zeros(len(r.subtopics.names))
    np.maximum.at(best, subtopic, grade)
    parts, at = np.unique(subtopic, return_index=True)
    return np.bincount(query[document[at]], best[parts], minlength=len(r))


@measure(
    "Graded subtopic coverage",
    params=(K,),
    uses_grades=True,
    gain=_grade,
    example=Example(
        "StCoverage@2",
        ({"a": 1, "b": 2}, {"a": 2}, {"b": 1}),
        "(1 + 2 + (2 - 1)) / (2 + 2 + 1)",
        missed=({"c": 1},),
    ),
    **OF_SUBTOPICS,
)
def StCoverage(r: Ranked, m: Measure) -> Sum:
    """The share of the attainable grades of all subtopics that the first k documents reach.

    StCoverage@k = (sum over subtopics s of the highest grade for s among the first k) / (sum over s
    of the highest grade for s among the judged documents)

    Without subtopics a query is its only one, and the measure is the best grade among the first k
    documents over the best grade there is.

    Reading: how well each part of an answer is covered by the best document for it.
    Not for: how many documents cover a part; see P_IA.
    """
    new = _improvement(r)
    return Sum(
        r, new, k=m.k, denominator=_attainable(r), columns={**words(r, _ANY_GRADE), "new": new}
    )
