"""Correlation of two orderings of the same items: Kendall's tau and tau-AP."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankstone.errors import DataError, UsageError, one_of

Scores = np.ndarray | Sequence[float]

_CELLS = 1 << 20


def kendall_tau(first: Scores, second: Scores, form: str = "b") -> float:
    """Return Kendall's tau between two arrays of scores of the same items.

    With C and D the numbers of pairs of items in the same and in opposite order among all P pairs,
    and T1, T2 those tied in the first and in the second: tau-a = (C - D) / P,
    tau-b = (C - D) / sqrt((P - T1) (P - T2)). In tau-a ties count as neither agreement nor
    disagreement, in tau-b they are left out of the share of their ordering. tau-b is NaN if all items of one are tied.

    >>> kendall_tau([1, 2, 3, 4], [1, 2, 4, 3], "a")
    0.6666666666666666
    """
    one_of(form, ("a", "b"), "form of tau")
    x, y = _checked(first, second)
    n = len(x)
    pairs = n * (n - 1) // 2
    tied_x, tied_y, tied_both = (_tied_pairs(v) for v in (x, y, np.rec.fromarrays((x, y))))
    # Sorted by x and then y, a pair is discordant if it is out of order by y.
    discordant = inversions(y[np.lexsort((y, x))])
    concordant = pairs - tied_x - tied_y + tied_both - discordant
    if form == "a":
        return (concordant - discordant) / pairs
    untied = (pairs - tied_x) * (pairs - tied_y)
    return (concordant - discordant) / math.sqrt(untied) if untied else math.nan


def tau_ap(first: Scores, second: Scores) -> float:
    """Return the AP correlation between two arrays of scores, higher is better.

    Errors at the top count more: for each item but the first of the second ordering, the share of
    items above it that the first ordering has above it too; tau-AP is 2 times the mean share,
    minus 1 (Yilmaz, Aslam and Robertson 2008). It is the mean of both directions, and counts for each
    item those ranked strictly above its group of ties (tau-AP-b, Urbano and Marrero 2017).

    >>> tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    0.7777777777777777
    """
    x, y = _checked(first, second)
    return 0.5 * (_mean_share_above(x, y) + _mean_share_above(y, x))


def inversions(values: np.ndarray) -> int:
    """Return the number of pairs in which the larger value comes first.

    Looks at one bit of the values' ranks after the other: among values that agree in all higher
    bits, each 1 before a 0 is an inversion.

    >>> inversions(np.array([2, 3, 1, 1]))
    4
    """
    _, ranks = np.unique(values, return_inverse=True)
    total = 0
    for bit in reversed(range(int(ranks.max(initial=0)).bit_length())):
        group = ranks >> (bit + 1)
        order = np.argsort(group, kind="stable")
        ones = (ranks[order] >> bit) & 1
        before = np.cumsum(ones) - ones
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        sizes = np.diff(starts, append=len(order))
        before -= np.repeat(before[starts], sizes)
        total += int(before[ones == 0].sum())
    return total


def _mean_share_above(x: np.ndarray, y: np.ndarray) -> float:
    """Return the mean over the items of ``y`` below its first of the share above that agrees, from -1 to 1."""
    _, group, counts = np.unique(-y, return_inverse=True, return_counts=True)
    top = (np.cumsum(counts) - counts + 1)[group]  # the first rank of the group of each item
    below = top > 1
    if not below.any():
        return math.nan
    return 2.0 * float((_agreeing_above(x, y)[below] / (top[below] - 1)).mean()) - 1.0


def _agreeing_above(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how many items with a higher y than each item have a higher x too."""
    counts = [
        ((y > part_y[:, None]) & (x > part_x[:, None])).sum(axis=1)
        for part_x, part_y in zip(_parts(x), _parts(y), strict=True)
    ]
    return np.concatenate(counts)


def _parts(values: np.ndarray) -> list[np.ndarray]:
    """Return the values in parts whose comparison with all of them fits caches."""
    return np.array_split(values, 1 + len(values) ** 2 // _CELLS)


def _tied_pairs(values: np.ndarray) -> int:
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def _checked(first: Scores, second: Scores) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise UsageError(
            f"two orderings of the same items have equally many scores, not {x.size} and {y.size}."
        )
    if np.isnan(x).any() or np.isnan(y).any():
        raise DataError("a score is not a number, so it has no rank.")
    if len(x) < 2:
        raise DataError("an ordering needs at least two items to be compared.")
    return x, y
