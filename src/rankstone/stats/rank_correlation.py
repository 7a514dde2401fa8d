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


def tau_ap(first: Scores, second: Scores, form: str = "b") -> float:
    """Return the AP correlation between two arrays of scores, higher is better.

    Errors at the top count more: for each item but the first of the second ordering, the share of
    items above it that the first ordering has above it too; tau-AP is 2 times the mean share,
    minus 1 (Yilmaz, Aslam and Robertson 2008). Ties are treated as in Urbano and Marrero (2017):

    - form ``a`` takes ``first`` as the truth, without ties, and averages over all orders of items
      that ``second`` ties;
    - form ``b`` counts, for each item, those ranked strictly above its group of ties, and takes
      the mean of both directions.

    >>> tau_ap([4, 3, 2, 1], [4, 3, 1, 2], "a")
    0.7777777777777777
    """
    one_of(form, ("a", "b"), "form of tau_ap")
    x, y = _checked(first, second)
    if form == "b":
        return 0.5 * (_tau_ap_b(x, y) + _tau_ap_b(y, x))
    if len(np.unique(x)) < len(x):
        raise UsageError("the first ordering has ties; use form='b', which allows them in both.")
    n = len(x)
    above = _agreeing_above(x, y)
    top, size = _ties(y)
    total = 0.0
    for count, p, t in zip(above.tolist(), top.tolist(), size.tolist(), strict=True):
        # The item is equally often on each of the t ranks of its group, from p on.
        if p > 1:
            total += count * sum(1.0 / (p + k - 1) for k in range(t)) / t
        # Of k items of its own group above it, half agree.
        total += sum(k / (p + k - 1) for k in range(1, t)) / (2 * t)
    return 2.0 * total / (n - 1) - 1.0


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


def _tau_ap_b(x: np.ndarray, y: np.ndarray) -> float:
    top, _ = _ties(y)
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


def _ties(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first rank, from 1 for the highest value, and the size of each item's group."""
    _, group, counts = np.unique(-values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - counts + 1)[group], counts[group]


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
