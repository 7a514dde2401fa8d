"""Which documents of a ranking cover which subtopics, and the best order in which they could."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rankstone.core import segments
from rankstone.core.discounts import discount
from rankstone.core.ideal import IdealRanking, constant
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError
from rankstone.measures.param import Choice, Number
from rankstone.measures.summation import Columns, Sum, total

Array = np.ndarray
# What the definitions of measures that read subtopics have in common.
OF_SUBTOPICS: dict[str, Any] = {"reads_subtopics": True, "supports_extreme_ties": False}
_MOST_STATES = 200_000

ALPHA = Number(
    name="alpha",
    text="share of a subtopic's gain that each document takes from those below it",
    default=0.5,
    within=(0, 1),
    examples=(0, 0.5, 0.9, 1),
)
IDEAL = Choice.of(
    "ideal",
    "how the ideal ranking is found",
    greedy="at each rank the document with the highest gain, of equals the one with the "
    "greater id; another order may be a little better",
    exact="the best of all orders, refused if there are too many documents",
)


class Coverage(NamedTuple):
    """The pairs of a row of a ranking and a subtopic it covers, by subtopic and rank.

    ``before`` counts the rows above that cover the same subtopic.
    """

    row: Array
    subtopic: Array
    before: Array


class JudgedCoverage(NamedTuple):
    """The pairs of a judged document, retrieved or not, and a subtopic it covers.

    ``document`` counts from 0 over all queries; ``query`` and ``by_id`` have an entry for each
    document, ``by_id`` its position in the order of ids.
    """

    document: Array
    subtopic: Array
    query: Array
    by_id: Array


def retrieved_grades(r: Ranked) -> tuple[Array, Array, Array]:
    """Return row, subtopic and grade of each judgment of a retrieved document.

    Without subtopics a query is its only one.
    """
    if r.subtopics is None:
        return np.arange(len(r.rank)), segments.numbers(r.offsets), r.grade
    row, subtopic, grade = r.subtopics.of_documents(r.judgment)
    return row, subtopic, np.minimum(grade, r.grade[row])  # a convention may lower the row's grade


def coverage(r: Ranked, rel: float | None) -> Coverage:
    """Return which retrieved documents cover which subtopics."""
    return r.cached(("coverage", r.level(rel)), lambda: _coverage(r, r.level(rel)))


def _coverage(r: Ranked, level: float) -> Coverage:
    row, subtopic, grade = retrieved_grades(r)
    covers = grade >= level
    row, subtopic = row[covers], subtopic[covers]
    order = np.lexsort((r.rank[row], subtopic))
    row, subtopic = row[order], subtopic[order]
    return Coverage(row, subtopic, _counted(subtopic))


def _counted(values: Array) -> Array:
    """Return how many equal values precede each one; equal values are next to each other."""
    starts = np.flatnonzero(np.diff(values, prepend=-1))
    return np.arange(len(values)) - np.repeat(starts, np.diff(starts, append=len(values)))


def judged_coverage(r: Ranked, rel: float | None) -> JudgedCoverage:
    """Return which judged documents cover which subtopics."""
    return r.cached(("judged coverage", r.level(rel)), lambda: _judged_coverage(r, r.level(rel)))


def _judged_coverage(r: Ranked, level: float) -> JudgedCoverage:
    if r.subtopics is None:
        query = segments.numbers(r.judged_offsets)
        document = np.flatnonzero(r.judged_grade >= level)
        return JudgedCoverage(document, query[document], query, np.arange(len(query))[::-1])
    documents, query = r.subtopics.judged()
    document, subtopic, grade = r.subtopics.of_documents(documents)
    covers = grade >= level
    return JudgedCoverage(document[covers], subtopic[covers], query, r.subtopics.by_id[documents])


def subtopic_sizes(r: Ranked, rel: float | None) -> tuple[Array, Array, Array]:
    """Return the covered subtopics, how many judged documents cover each, and its query."""
    judged = judged_coverage(r, rel)
    subtopic, at, sizes = np.unique(judged.subtopic, return_index=True, return_counts=True)
    return subtopic, sizes, judged.query[judged.document[at]]


def subtopic_count(r: Ranked, rel: float | None) -> Array:
    """Return how many subtopics of each query some judged document covers."""
    return np.bincount(subtopic_sizes(r, rel)[2], minlength=len(r))


def novelty_gain(r: Ranked, alpha: float, rel: float | None) -> Array:
    """Return the gain of each row: the sum of (1 - alpha)^c over the subtopics it covers.

    c is the number of documents above it that cover the same subtopic.
    """
    pairs = coverage(r, rel)
    return added(r, pairs.row, np.power(1.0 - alpha, pairs.before))


def added(r: Ranked, row: Array, terms: Array) -> Array:
    """Return the sum of the terms of each row of a ranking, whatever the order of subtopics."""
    order = np.lexsort((terms, row))
    return np.bincount(row[order], terms[order], minlength=len(r.rank))


def words(r: Ranked, rel: float | None) -> Columns:
    """Return which subtopics each row covers for the first time and which again, in words."""
    subtopics = r.subtopics
    if subtopics is None:
        return {}

    def named(first: bool) -> Array:
        pairs = coverage(r, rel)
        cells: list[list[str]] = [[] for _ in range(len(r.rank))]
        chosen = (pairs.before == 0) == first
        for row, subtopic in zip(
            pairs.row[chosen].tolist(), pairs.subtopic[chosen].tolist(), strict=True
        ):
            cells[row].append(subtopics.names[subtopic])
        return np.array([", ".join(cell) for cell in cells], object)

    return {"adds": lambda: named(True), "repeats": lambda: named(False)}


def best_possible(r: Ranked, alpha: float, name: str, k: int | None, rel: float | None) -> Array:
    """Return the sum for a list in which every document covers every subtopic.

    The list has k documents, without k as many as were retrieved.
    """
    best = constant(r, k, 1.0)
    count = subtopic_count(r, rel)[segments.numbers(best.offsets)]
    return total(Sum(best, count * np.power(1.0 - alpha, best.rank - 1), name, k))


def ideal_sum(
    r: Ranked, alpha: float, name: str, k: int | None, rel: float | None, how: str
) -> Sum:
    """Return the discounted sum of the ideal ranking of the judged documents.

    ``how`` is ``greedy`` or ``exact``; the order is the same for any discount if it is greedy.
    """
    by = name if how == "exact" else ""
    key = ("ideal of subtopics", alpha, by, k, r.level(rel))
    ideal, gain = r.cached(key, lambda: _ideal(r, alpha, by, k, rel))
    return Sum(ideal, gain, name, k)


def _ideal(
    r: Ranked, alpha: float, name: str, k: int | None, rel: float | None
) -> tuple[Ranked, Array]:
    """Return the ideal ranking, by the number of subtopics a document covers, and its gains."""
    if r.subtopics is None:  # all orders of relevant documents are ideal
        relevant = r.relevant_count(rel)
        offsets = segments.offsets_of(relevant if k is None else np.minimum(relevant, k))
        gain = np.power(1.0 - alpha, segments.positions(offsets))
        return IdealRanking(np.ones(len(gain)), offsets, r), gain
    orders = list(_orders(r, alpha, name, k, rel))
    offsets = segments.offsets_of(np.array([len(gains) for _, gains in orders], np.int64))
    columns = zip(*orders, strict=True) if orders else ((), ())
    covered, gain = (np.concatenate([np.zeros(0), *column]) for column in columns)
    return IdealRanking(covered, offsets, r), gain


def _orders(
    r: Ranked, alpha: float, name: str, k: int | None, rel: float | None
) -> Iterator[tuple[Array, Array]]:
    """Yield the number of covered subtopics and the gain, by rank, of the ideal of each query."""
    judged = judged_coverage(r, rel)
    bounds = np.searchsorted(judged.query[judged.document], np.arange(len(r) + 1))
    for q, (a, b) in enumerate(pairwise(bounds.tolist())):
        covers = _table(judged, slice(a, b))
        size = len(covers) if k is None else min(len(covers), k)
        if not name:
            yield _greedy(covers, alpha, size)
        else:
            yield _exact(covers, alpha, discount(np.arange(1, size + 1), name)[0], r.queries[q])


def _table(judged: JudgedCoverage, pairs: slice) -> Array:
    """Return the documents of a query, greatest id first, by the subtopics they cover."""
    document, row = np.unique(judged.document[pairs], return_inverse=True)
    subtopic, column = np.unique(judged.subtopic[pairs], return_inverse=True)
    covers = np.zeros((len(document), len(subtopic)), bool)
    covers[row, column] = True
    return covers[np.argsort(-judged.by_id[document])]


def _greedy(covers: Array, alpha: float, size: int) -> tuple[Array, Array]:
    gain = np.ones(covers.shape[1])
    free = np.ones(len(covers), bool)
    chosen, gains = np.zeros(size, np.int64), np.zeros(size)
    for i in range(size):
        score = np.zeros(len(covers))
        for column, part in zip(covers.T, gain.tolist(), strict=True):
            score += np.where(column, part, 0.0)  # one after the other, so that equals are equal
        best = int(np.argmax(np.where(free, score, -1.0)))
        chosen[i], gains[i], free[best] = best, score[best], False
        gain[covers[best]] *= 1.0 - alpha
    return covers[chosen].sum(axis=1, dtype=np.float64), gains


def _exact(covers: Array, alpha: float, weights: Array, query: object) -> tuple[Array, Array]:
    """Return the best of all orders; documents that cover the same subtopics are alike."""
    kinds, sizes = np.unique(covers, axis=0, return_counts=True)
    states = float(np.prod(np.minimum(sizes, len(weights)) + 1.0))
    if states > _MOST_STATES:
        raise DataError(
            f"query {query!r}: the exact ideal of {len(covers)} documents takes too long; choose "
            "ideal='greedy'."
        )
    best: dict[tuple[int, ...], tuple[float, tuple[int, ...]]] = {(0,) * len(kinds): (0.0, ())}
    for weight in weights.tolist():
        longer: dict[tuple[int, ...], tuple[float, tuple[int, ...]]] = {}
        for used, (value, order) in best.items():
            seen = np.array(used) @ kinds
            gain = (kinds * np.power(1.0 - alpha, seen)).sum(axis=1)
            for i in np.flatnonzero(np.array(used) < sizes).tolist():
                state = (*used[:i], used[i] + 1, *used[i + 1 :])
                total = value + weight * float(gain[i])
                if state not in longer or total > longer[state][0]:
                    longer[state] = (total, (*order, i))
        best = longer
    _, order = max(best.values())
    listed = kinds[list(order)]
    before = np.cumsum(listed, axis=0) - listed
    return listed.sum(axis=1, dtype=np.float64), (listed * np.power(1.0 - alpha, before)).sum(
        axis=1
    )
