"""How much single documents without a judgment could move a value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankstone.core.completions import Holes
from rankstone.measures.base import Measure
from rankstone.measures.unjudged import grades_by_gain

Array = np.ndarray
_ROWS = 1 << 20  # of rankings that are computed at once


class Influence(NamedTuple):
    """What each hole adds to the value of its query if it alone is as good as possible."""

    query: Array
    rank: Array
    effect: Array


def influences(measure: Measure, holes: Holes) -> Influence:
    """Return how far each hole can move the value of its query, the other holes being worthless."""
    levels = grades_by_gain(measure, holes)
    queries = np.repeat(np.arange(len(holes.ranked)), holes.count)
    base = _values(measure, holes, np.arange(len(holes.ranked)), None, levels)
    effect = np.zeros(len(queries))
    size = np.maximum(holes.ranked.retrieved, 1)[queries]
    for block in np.split(np.arange(len(queries)), _cuts(size)):
        if len(block):
            effect[block] = _values(measure, holes, queries[block], block, levels)
    return Influence(queries, holes.rank, np.nan_to_num(effect - base[queries]))


def _cuts(size: Array) -> Array:
    """Return where to cut, so that each part has few rows."""
    return np.flatnonzero(np.diff(np.cumsum(size) // _ROWS)) + 1


def _values(
    measure: Measure, holes: Holes, query: Array, good: Array | None, levels: Array
) -> Array:
    """Return values of queries whose holes are worthless, but for the ``good`` one of each."""
    count = holes.count[query]
    grades = np.full(int(count.sum()), levels[0])
    if good is not None:
        starts = np.cumsum(count) - count
        grades[starts + good - holes.offsets[query]] = levels[-1]
    return measure.values(measure.computation(holes.filled(query, grades)))
