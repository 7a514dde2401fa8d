"""Discounts of ranks, to more digits than a float64 holds.

A discount is a pair (high, low) whose exact sum is the discount to about 60 bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from operator import mul

import numpy as np

from rankstone.core import segments
from rankstone.core.pairs import Pair, quotient, two_product, two_sum

Array = np.ndarray

_TWO_OVER_LN2 = (2.8853900817779268, 4.0710547481862066e-17)


def log2(x: Array) -> Pair:
    """Return log2 of numbers from 1 up.

    With x = m * 2**e and m near 1, log2 x = e + (2 / ln 2) atanh((m - 1) / (m + 1)).
    """
    mantissa, exponent = np.frexp(x)
    low_half = mantissa < np.sqrt(0.5)
    m = np.where(low_half, 2 * mantissa, mantissa)
    e = (exponent - low_half).astype(np.float64)
    below, lost = two_sum(m, np.ones_like(m))
    z, rest = quotient(m - 1, below)
    rest = rest - z * lost / below
    square = z * z
    series = np.zeros_like(z)
    for power in range(33, 1, -2):
        series = square * (1 / power + series)
    atanh_low = rest + z * series
    high, error = two_product(z, np.full_like(z, _TWO_OVER_LN2[0]))
    error += _TWO_OVER_LN2[0] * atanh_low + _TWO_OVER_LN2[1] * z
    total, lost = two_sum(e, high)
    return two_sum(total, lost + error)


def plain_log2(x: Array) -> Array:
    """Return log2 as the C library rounds it."""
    return np.array([math.log2(number) for number in x.tolist()], np.float64)


def plain_log2_ranks(rank: Array) -> Array:
    """Return log2(rank + 1) as the C library rounds it."""
    deepest = int(rank.max(initial=0))
    return _plain_table(1 << deepest.bit_length())[rank]


@cache
def _plain_table(size: int) -> Array:
    return plain_log2(np.arange(1, size + 1))


def _reciprocal(pair: Pair) -> Pair:
    b, low = pair
    high = 1 / b
    product, error = two_product(high, b)
    return high, (((1 - product) - error) - high * low) / b


def _log2_plus_one(rank: Array) -> Pair:
    high, low = log2(rank * 1.0)
    total, lost = two_sum(high, np.ones(len(rank)))
    return total, lost + low


DISCOUNTS: dict[str, tuple[Callable[[Array], Pair], str]] = {
    "log2": (lambda rank: _reciprocal(log2(rank + 1.0)), "1 / log2(rank + 1)"),
    "jarvelin": (
        lambda rank: _reciprocal(log2(np.maximum(rank, 2.0))),
        "1 / log2(rank), ranks 1 and 2 undiscounted",
    ),
    "log2+1": (lambda rank: _reciprocal(_log2_plus_one(rank)), "1 / (log2(rank) + 1)"),
    "reciprocal": (lambda rank: quotient(np.ones(len(rank)), rank * 1.0), "1 / rank"),
    "none": (lambda rank: (np.ones(len(rank)), np.zeros(len(rank))), "1"),
}


_LARGEST_TABLE = 1 << 20


@cache
def _table(name: str, size: int) -> Pair:
    """Return the named discount of the ranks below ``size``, at their index."""
    high, low = DISCOUNTS[name][0](np.maximum(np.arange(size), 1))
    return high, low


_BITS = 78


@cache
def limbs(name: str, width: int, count: int) -> Array:
    """Return the discounts of ranks 1 to ``width`` in rows of whole numbers.

    Each of ``count`` rows holds as many of the first 78 bits as the others; row j is in units
    of 2**(-78 (j + 1) / count). Whole gains times these add up exactly in any order, as long as
    sums stay below 2**53, so any matrix product is exact.
    """
    high, low = first_discounts(name, width)
    size = _BITS // count
    rows = []
    for _ in range(count - 1):
        high = high * 2.0**size
        rows.append(np.floor(high))
        high = high - rows[-1]
    rows.append(np.rint(high * 2.0**size + low * 2.0**_BITS))
    return np.stack(rows)


def _count(largest: float, width: int) -> int | None:
    """Return the number of rows that discounts need for gains up to the largest; None: too large."""
    if largest * width < 2.0 ** (52 - _BITS // 2):
        return 2
    return 3 if largest * width < 2.0 ** (52 - _BITS // 3) else None


_FEW = 64


def exact_sums(gain: Array, name: str, largest: Callable[[], float | None]) -> Pair | None:
    """Return the sum of gain times discount of each row of a table; None if not exactly so.

    The gains must be whole numbers so small that nothing is rounded on the way. ``largest``
    returns the highest possible gain if all are known to be whole, else None.
    """
    if gain.size <= _FEW:
        return _few_sums(gain, name)
    width = gain.shape[1]
    top = largest()
    if top is None:
        if not (gain == np.floor(gain)).all():
            return None
        top = float(gain.max())
    count = _count(top, width)
    if count is None:
        return None
    # Not by a linear algebra library: its own idle threads would keep ours from the cores.
    sums = np.einsum("ij,kj->ki", gain, limbs(name, width, count))
    sums *= 2.0 ** (-(_BITS // count) * np.arange(1.0, count + 1))[:, None]
    high, low = two_sum(sums[0], sums[1])
    return two_sum(high, low + sums[2] if count == 3 else low)


def _few_sums(gain: Array, name: str) -> Pair | None:
    """Scalar version for short inputs, where NumPy overhead dominates."""
    width = gain.shape[1]
    rows: list[list[float]] = gain.tolist()
    parts = _listed(name, width)
    sums, rest = [], []
    for row in rows:
        if not all(map(float.is_integer, row)) or _count(max(row, default=0.0), width) is None:
            return None
        terms = [*map(mul, row * 3, parts)]
        sums.append(math.fsum(terms))
        terms.append(-sums[-1])
        rest.append(math.fsum(terms))
    return np.array(sums), np.array(rest)


@cache
def _listed(name: str, width: int) -> list[float]:
    """Return the discounts of ranks 1 to ``width`` in three parts, laid end to end."""
    scale = 2.0 ** (-_BITS // 3 * np.arange(1.0, 4))
    listed: list[float] = (limbs(name, width, 3) * scale[:, None]).reshape(-1).tolist()
    return listed


def first_discounts(name: str, width: int) -> Pair:
    """Return the named discount of ranks 1 to ``width``."""
    if width < _LARGEST_TABLE:
        high, low = _table(name, 1 << width.bit_length())
        return high[1 : width + 1], low[1 : width + 1]
    return discount(np.arange(1, width + 1), name)


@cache
def _running(name: str, size: int) -> Pair:
    """Return the sum of the named discounts of ranks 1 to n, for every n below ``size``."""
    high, low = _table(name, size)
    # Parts of 30 bits add up without rounding.
    first = np.floor(high * 2.0**30) * 2.0**-30
    rest = high - first
    second = np.floor(rest * 2.0**60) * 2.0**-60
    sums = []
    for part in (first, second, (rest - second) + low):
        part[0] = 0.0  # there is no rank 0
        sums.append(np.add.accumulate(part))
    return sums[0], sums[1] + sums[2]


def discount_sums(begin: Array, end: Array, name: str) -> Array:
    """Return the sum of the named discounts of the ranks after each begin, up to each end."""
    highest = int(end.max(initial=1))
    if highest >= _LARGEST_TABLE:
        offsets = segments.offsets_of(end - begin)
        rank = segments.positions(offsets) + 1 + np.repeat(begin, end - begin)
        long, rest = discount(rank, name)
        return segments.total(long, offsets, rest)
    high, low = _running(name, 1 << highest.bit_length())
    return (high[end] - high[begin]) + (low[end] - low[begin])


def discount(rank: Array, name: str) -> Pair:
    """Return the named discount of each rank; each rank is worked out once, and kept."""
    highest = int(rank.max(initial=1))
    if highest < _LARGEST_TABLE:
        high, low = _table(name, 1 << highest.bit_length())
        return high[rank], low[rank]
    distinct, where = np.unique(rank, return_inverse=True)
    high, low = DISCOUNTS[name][0](distinct)
    return high[where], low[where]
