"""The effect on a value of judging single documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankstone.core.completions import Holes
from rankstone.core.subtopics import ranges
from rankstone.measures.base import Measure
from rankstone.measures.unjudged import grades_by_gain

Array = np.ndarray
_ROWS = 1 << 20  # of rankings that are computed at once
_SEED = 1


class OpenDocuments(NamedTuple):
    """Unjudged documents of some queries, and their ranks in a run.

    Those of query q are ``offsets[q]:offsets[q + 1]`` of ``rank``, which is 0 if the run did not
    retrieve a document.
    """

    offsets: Array
    rank: Array


def backgrounds(count: int) -> Array:
    """Return which of some documents are as good as possible in each of four backgrounds.

    None is in the first and all are in the second; those that are in the third, drawn at random,
    are not in the fourth.
    """
    some = np.random.default_rng(_SEED).random(count) < 0.5
    return np.array([np.zeros(count, bool), np.ones(count, bool), some, ~some])


def influences(measure: Measure, holes: Holes, documents: OpenDocuments) -> Array:
    """Return by how much each document moves the value of its query, in each background.

    It is the value if the document is as good as possible, less the value if it is worthless; a
    row for each background and a column for each document.
    """
    count = len(documents.rank)
    sizes = np.diff(documents.offsets)
    query = np.repeat(np.arange(len(sizes)), sizes)
    moves = np.zeros((4, count))
    rows = np.maximum(holes.ranked.retrieved[query] + sizes[query], 1)
    blocks = np.split(np.arange(count), _cuts(rows))
    for background, move in zip(backgrounds(count), moves, strict=True):
        for block in blocks:
            if len(block):
                good, bad = (
                    _values(measure, holes, documents, query[block], block, background, best=best)
                    for best in (True, False)
                )
                move[block] = np.nan_to_num(good - bad)
    return moves


def _cuts(rows: Array) -> Array:
    """Return where to cut, so that each part has few rows."""
    return np.flatnonzero(np.diff(np.cumsum(rows) // _ROWS)) + 1


def _values(
    measure: Measure,
    holes: Holes,
    documents: OpenDocuments,
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
