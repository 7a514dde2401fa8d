"""The first documents of each list of a table, where measures with a cutoff read no others.

They are selected, and the other documents are counted: lists are not put in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankstone.core import engine, segments
from rankstone.core.counted import float_of, in_blocks, is_plain
from rankstone.core.rank import ListNeeds, ScoreNeeds
from rankstone.core.ranked_table import WholeLists
from rankstone.frozen import frozen

Array = np.ndarray

_MOST = 1 / 20  # share of a list, up to which selecting is faster than sorting ...
_DEEPEST = 50  # ... and the lowest rank
_WIDEST = 1 / 2  # share of a list, up to which it pays to leave out the others
_LONGEST = 30_000  # documents of a list
_HIGHEST = 900  # label, beyond which a gain may be too large, which is an error wherever it is


@frozen(eq=False)
class Top:
    """The first documents of lists: a table of grades in order of rank, and scores with the same ties.

    Beyond the end of a list grades are 0. ``scores`` are None if no documents tie. ``ties`` are the
    documents of a grade above 0 that share their score, in whole lists, and all such documents; ``below_one``
    are those of a grade between 0 and 1.
    """

    grades: Array
    scores: Array | None
    lists: WholeLists
    ties: tuple[int, int]
    below_one: int


def top_of(labels: Any, scores: Any, lists: ListNeeds, needs: ScoreNeeds) -> Top | None:
    """Return the part of a table that measures read.

    None if they read more, or something is unusual about the table.
    """
    k, refuses = lists.k, needs.every_tie and not lists.supports_expected_ties
    if k is None or k > _DEEPEST or lists.below or needs.values or needs.unjudged or needs.ids:
        return None
    if not (is_plain(labels) and is_plain(scores)) or labels.shape != scores.shape:
        return None
    if not k <= _MOST * labels.shape[1] <= _MOST * _LONGEST:
        return None
    if needs.float32 and float_of(scores.dtype) == np.float64:
        return None

    def work(rows: slice) -> tuple[Array, ...] | None:
        own = (np.ascontiguousarray(_short(values[rows])) for values in (labels, scores))
        found = engine.load().top_table(*own, k, refuses or lists.count_ties)
        return None if found is None else (*found[:5], np.array([found[5:]]))

    found = in_blocks(work, labels.shape)
    if found is None:
        return None
    sizes, grades, above, best, relevant, counts = found
    positive, equal, equal_positive = counts.sum(axis=0).tolist()
    if (refuses and equal) or best.max() > _HIGHEST:
        return None
    width = int(sizes.max())
    if width > _WIDEST * labels.shape[1]:
        return None
    offsets = segments.offsets_of(sizes)
    column = segments.positions(offsets)
    table, order = grades, None
    if not np.array_equal(above, column):
        row = segments.numbers(offsets)
        table = np.zeros((len(sizes), width))
        order = np.tile(-np.arange(width, dtype=np.float64), (len(sizes), 1))
        table[row, column], order[row, column] = grades, -above
    whole = WholeLists(labels, best.reshape(-1, k), relevant)
    below_one = positive - int(relevant.sum())
    return Top(table.reshape(-1, width), order, whole, (equal_positive, positive), below_one)


def _short(values: Array) -> Array:
    """Return numbers of 16 bits in 32."""
    return values.astype(np.float32) if values.dtype == np.float16 else values
