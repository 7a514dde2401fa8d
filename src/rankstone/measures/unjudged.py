"""Intervals of values that unjudged documents allow, and the effect of judging one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, combinations_with_replacement, product
from math import comb
from typing import NamedTuple

import numpy as np

from rankstone.core.aggregate import aggregate
from rankstone.core.hypothetical_grades import UnjudgedPositions
from rankstone.core.subtopics import ranges
from rankstone.frozen import frozen
from rankstone.measures.base import Measure, is_judged, relevance_gain

Array = np.ndarray

#: Ways to judge the holes of a query that are tried at most.
MOST_TRIED = 4096
_ROWS = 1 << 20  # of rankings that are computed at once


@frozen(eq=False)
class Extremes:
    """The lowest and the highest value over all ways to judge the holes.

    ``low`` and ``high`` have an entry for each query, ``ends`` are those of the aggregate. If
    ``queries_exact`` or ``exact`` is false, those of some query, or of the aggregate, may lie
    further apart than any judgments would bring them.
    """

    low: Array
    high: Array
    queries_exact: bool
    ends: tuple[float, float]
    exact: bool


@frozen(eq=False)
class _Plan:
    """The grades to try for the holes of a query, and which of the two ends they reach."""

    ways: Iterable[Array]
    low: bool = True
    high: bool = True


def unjudged_extremes(
    measure: Measure, holes: UnjudgedPositions, tried: int = MOST_TRIED
) -> Extremes:
    """Return between which values a measure lies, whatever the grades of unjudged documents.

    A document may get 0 or any grade of the judgments. If a query has few holes, all ways to judge
    them are tried. If it has many, and the order of gains is the best to the measure, then grades
    that fall and grades that rise with the rank are tried. If neither ends soon, the value lies in
    the measure's range, and no more is known. In judgments by subtopic a document may get such a
    grade for each subtopic.
    """
    ranked = holes.ranked
    values, weight = _values(measure, holes, np.arange(len(ranked)), None)
    low, high = values.copy(), values.copy()
    open_ = np.flatnonzero(holes.count > 0)
    plans = {q: _plan(measure, holes, q, tried) for q in open_.tolist()}
    low[open_], high[open_] = np.inf, -np.inf
    weighted = weight is not None
    left_out = np.zeros(len(low), bool)  # under some grades
    for query, grades in _blocks(plans, holes):
        values, weight = _values(measure, holes, query, grades)
        weighted |= weight is not None
        left_out[query[np.isnan(values)]] = True
        np.fmin.at(low, query, values)
        np.fmax.at(high, query, values)
    undefined = np.isposinf(low) & np.isneginf(high)
    sure = holes.ties_known or not measure.ties_as_one
    for q, plan in plans.items():
        if not plan.low:
            low[q], sure = measure.definition.range[0], False
        if not plan.high:
            high[q], sure = measure.definition.range[1], False
        if undefined[q] and plan.low and plan.high:
            low[q] = high[q] = np.nan
    weighted |= bool((left_out & ~undefined).any())
    found = _aggregated(measure, low, high, exact=sure, weighted=weighted)
    if found.exact or not sure or not _few_together(measure, holes, tried):
        return found
    return replace(found, ends=_ends(measure, holes), exact=True)


def _few_together(measure: Measure, holes: UnjudgedPositions, tried: int) -> bool:
    """Return whether all ways to judge the holes of all queries together can be tried."""
    cells = sum(_cells(measure, holes, q) for q in range(len(holes.ranked)))
    return len(_levels(measure, holes)) ** cells <= tried


def _ends(measure: Measure, holes: UnjudgedPositions) -> tuple[float, float]:
    """Return the lowest and the highest aggregate over all ways to judge all holes together."""
    queries = np.arange(len(holes.ranked))
    levels = _levels(measure, holes).tolist()
    cells = sum(_cells(measure, holes, q) for q in queries.tolist())
    how = aggregate(measure.definition.aggregate)
    ends = [
        how.finish(how.of(*_values(measure, holes, queries, np.array(way))))
        for way in product(levels, repeat=cells)
    ]
    defined = [end for end in ends if not np.isnan(end)]
    return (min(defined), max(defined)) if defined else (np.nan, np.nan)


def _by_subtopic(measure: Measure, holes: UnjudgedPositions) -> bool:
    return measure.definition.reads_subtopics and holes.ranked.subtopics is not None


def _cells(measure: Measure, holes: UnjudgedPositions, q: int) -> int:
    """Return how many grades the holes of a query need: one each, or one for each subtopic."""
    count = int(holes.count[q])
    return count * len(holes.subtopics(q)) if _by_subtopic(measure, holes) else count


def _levels(measure: Measure, holes: UnjudgedPositions) -> Array:
    """Return the grades that an unjudged document may have, for a subtopic if these are read."""
    known = holes.ranked.subtopics
    if known is not None and _by_subtopic(measure, holes):
        return grades_by_gain(measure, holes, known.grade)
    return grades_by_gain(measure, holes, holes.ranked.judged_grade)


def _values(
    measure: Measure, holes: UnjudgedPositions, query: Array, grades: Array | None
) -> tuple[Array, Array | None]:
    """Return the values and weights of rankings whose holes are filled, or open without grades."""
    if grades is None:
        ranked = holes.ranked
    elif _by_subtopic(measure, holes):
        shapes = [(int(holes.count[q]), len(holes.subtopics(q))) for q in query.tolist()]
        ends = np.cumsum([a * b for a, b in shapes])[:-1]
        tables = [part.reshape(s) for part, s in zip(np.split(grades, ends), shapes, strict=True)]
        ranked = holes.filled_by_subtopic(query, tables)
    else:
        ranked = holes.filled(query, grades)
    computation = measure.computation(ranked)
    return measure.values(computation), computation.query_weight


def _blocks(plans: dict[int, _Plan], holes: UnjudgedPositions) -> Iterator[tuple[Array, Array]]:
    """Yield queries and the grades of their holes, in blocks that fit into memory."""
    query: list[int] = []
    ways: list[Array] = []
    rows = 0
    sizes = holes.ranked.retrieved.tolist()
    for q, way in chain.from_iterable(((q, w) for w in plan.ways) for q, plan in plans.items()):
        query.append(q)
        ways.append(way)
        rows += sizes[q]
        if rows > _ROWS:
            yield np.array(query, np.int64), np.concatenate(ways)
            query, ways, rows = [], [], 0
    if query:
        yield np.array(query, np.int64), np.concatenate(ways)


def _plan(measure: Measure, holes: UnjudgedPositions, q: int, tried: int) -> _Plan:
    definition, count = measure.definition, int(holes.count[q])
    if measure.pools_queries:
        return _Plan((), low=False, high=False)
    levels = _levels(measure, holes)
    if _by_subtopic(measure, holes):
        cells = _cells(measure, holes, q)
        if measure.reads_ids or len(levels) ** cells > tried:
            return _Plan((), low=False, high=False)
        return _Plan(map(np.array, product(levels.tolist(), repeat=cells)))
    if measure.rises:
        least = np.full(count, levels[0])
        gain = definition.gain(holes.ranked, measure, levels)
        above = np.flatnonzero(gain > gain[0])  # a query may be empty without one of these
        least[-1] = levels[above[0]] if len(above) else levels[-1]
        return _Plan([np.full(count, levels[0]), least, np.full(count, levels[-1])])
    if len(levels) ** count <= tried:
        between = measure.ties_as_one != "step" or holes.ties_known
        return _Plan(map(np.array, product(levels.tolist(), repeat=count)), high=between)
    if not measure.supports_extreme_ties or definition.best_order is not None:
        return _Plan((), low=False, high=False)
    k = measure.get("k")
    first = count if k is None else int((holes.ranks(q) <= k).sum())
    if comb(first + len(levels) - 1, first) <= tried:
        return _Plan(_sorted_ways(levels, first, count - first))
    if definition.lowest_at_ends:
        ends = levels[[0, -1]]
        return _Plan(_sorted_ways(ends, first, count - first), high=len(levels) == 2)
    return _Plan((), low=False, high=False)


def grades_by_gain(measure: Measure, holes: UnjudgedPositions, known: Array) -> Array:
    """Return 0 and the known grades above it, by rising gain."""
    ranked, definition = holes.ranked, measure.definition
    grades = np.unique(np.append(np.maximum(known, 0.0), 0.0))
    gain = definition.gain(ranked, measure, grades)
    grades = grades[np.argsort(gain, kind="stable")]
    if definition.gain in (relevance_gain, is_judged) and not definition.uses_grades:
        return grades[[0, -1]]  # any two of the same gain are alike
    return grades


def _sorted_ways(levels: Array, first: int, rest: int) -> Iterator[Array]:
    """Yield grades that fall with the rank, and that rise with it, down to the cutoff.

    Documents below the cutoff count only by what they could have been: all or none are good.
    """
    beyond = [np.full(rest, levels[0]), np.full(rest, levels[-1])][: 2 if rest else 1]
    for way in combinations_with_replacement(levels.tolist(), first):
        for tail in beyond:
            yield np.append(way[::-1], tail)
            yield np.append(way, tail)


def _aggregated(
    measure: Measure, low: Array, high: Array, *, exact: bool, weighted: bool
) -> Extremes:
    if weighted and not np.isnan(low).all():
        # The weights move too, or queries come in; but a mean lies between its values.
        ends = float(np.nanmin(low)), float(np.nanmax(high))
        return Extremes(low, high, exact, ends, exact=False)
    how = aggregate(measure.definition.aggregate)
    means = [
        float(values[np.isinf(values)][0]) if np.isinf(values).any() else how.finish(how.of(values))
        for values in (low, high)
    ]
    return Extremes(low, high, exact, (means[0], means[1]), exact)


_SEED = 1


class UnjudgedDocuments(NamedTuple):
    """Unjudged documents of some queries, and their ranks in a run.

    Those of query q are ``offsets[q]:offsets[q + 1]`` of ``rank``, which is 0 if the run did not
    retrieve a document.
    """

    offsets: Array
    rank: Array


def assumptions(count: int) -> Array:
    """Return a mask of the documents that are as good as possible, for each of four assumptions.

    None is in the first and all are in the second; those that are in the third, drawn at random,
    are not in the fourth.
    """
    some = np.random.default_rng(_SEED).random(count) < 0.5
    return np.array([np.zeros(count, bool), np.ones(count, bool), some, ~some])


def influences(measure: Measure, holes: UnjudgedPositions, documents: UnjudgedDocuments) -> Array:
    """Return by how much each document moves the value of its query, in each background.

    It is the value if the document is as good as possible, less the value if it is worthless; a
    row for each background and a column for each document.
    """
    count = len(documents.rank)
    sizes = np.diff(documents.offsets)
    query = np.repeat(np.arange(len(sizes)), sizes)
    moves = np.zeros((4, count))
    rows = np.maximum(holes.ranked.retrieved[query] + sizes[query], 1)
    blocks = np.split(np.arange(count), np.flatnonzero(np.diff(np.cumsum(rows) // _ROWS)) + 1)
    for background, move in zip(assumptions(count), moves, strict=True):
        for block in blocks:
            if len(block):
                good, bad = (
                    _with_background(
                        measure, holes, documents, query[block], block, background, best=best
                    )
                    for best in (True, False)
                )
                move[block] = np.nan_to_num(good - bad)
    return moves


def _with_background(
    measure: Measure,
    holes: UnjudgedPositions,
    documents: UnjudgedDocuments,
    query: Array,
    chosen: Array,
    background: Array,
    *,
    best: bool,
) -> Array:
    """Return the value of a query for each chosen document, which is best or worthless."""
    levels = grades_by_gain(measure, holes, holes.ranked.judged_grade)
    sizes = np.diff(documents.offsets)[query]
    open_ = ranges(documents.offsets[query], sizes)
    is_good = background[open_]
    is_good[np.cumsum(sizes) - sizes + chosen - documents.offsets[query]] = best
    grades = np.where(is_good, levels[-1], levels[0])
    number = np.repeat(np.arange(len(query)), sizes)
    rank = documents.rank[open_]
    found = rank > 0
    by_rank = np.lexsort((rank[found], number[found]))
    ranked = holes.filled(query, grades[found][by_rank], (number[~found], grades[~found]))
    return measure.values(measure.computation(ranked))
