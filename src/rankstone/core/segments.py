"""Sums, counts and orders within the segments of a flat array.

Segment s of an array is ``values[offsets[s]:offsets[s + 1]]``. Sums carry the rounding error
of every step along, so a sum is right to the last bit or nearly so, whatever its length.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

Array = np.ndarray


def lengths(offsets: Array) -> Array:
    """Return the length of each segment."""
    return offsets[1:] - offsets[:-1]


def numbers(offsets: Array) -> Array:
    """Return, for each element, the number of its segment."""
    return np.repeat(np.arange(len(offsets) - 1), lengths(offsets))


def positions(offsets: Array) -> Array:
    """Return, for each element, its place in its segment, from 0."""
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths(offsets))


def offsets_of(lengths: Array) -> Array:
    """Return the offsets of segments of these lengths."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.add.accumulate(lengths, out=offsets[1:], dtype=np.int64)
    return offsets


def count(mask: Array, offsets: Array) -> Array:
    """Return how many elements of each segment are true."""
    running = offsets_of(mask)
    return running[offsets[1:]] - running[offsets[:-1]]


def running_count(mask: Array, offsets: Array) -> Array:
    """Return, for each element, how many of its segment up to and with it are true."""
    return running_total(mask, offsets)


def running_total(values: Array, offsets: Array) -> Array:
    """Return, for each element, the sum of whole numbers of its segment up to and with it."""
    running = offsets_of(values)
    return running[1:] - np.repeat(running[offsets[:-1]], lengths(offsets))


def keep(mask: Array, offsets: Array) -> Array:
    """Return the offsets of what is left when elements outside the mask are taken out."""
    return offsets_of(count(mask, offsets))


def falling_order(values: Array, offsets: Array) -> Array:
    """Return indices that put each segment's values in falling order; equals keep their order."""
    return np.lexsort((-values, numbers(offsets)))


def running_product(values: Array, offsets: Array) -> Array:
    """Return, for each element, the product of those of its segment before it."""
    place = positions(offsets)
    product = np.where(place > 0, np.roll(values, 1), 1.0)
    step = 1
    longest = int(lengths(offsets).max(initial=0))
    while step < longest:
        reach = np.flatnonzero(place >= step)
        product[reach] = product[reach] * product[reach - step]
        step *= 2
    return product


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a + b and its rounding error, exactly."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a * b and its rounding error, exactly (barring overflow)."""
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def quotient(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a / b and what rounding took from it, to about twice the digits."""
    high = a / b
    product, error = two_product(high, b)
    return high, ((a - product) - error) / b


def _halves(a: Array) -> tuple[Array, Array]:
    scaled = a * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - a)
    return high, a - high


_FEW = 256


def _few_totals(values: list[float], offsets: list[int], low: list[float]) -> Array:
    """Return the same for so few values that array operations cost more than they save."""
    sums = [math.fsum(values[a:b] + low[a:b]) for a, b in pairwise(offsets)]
    return np.array(sums, np.float64)


def total(values: Array, offsets: Array, low: Array | None = None) -> Array:
    """Return the sum of each segment; ``low`` holds what rounding took from the values."""
    if len(values) <= _FEW:
        return _few_totals(values.tolist(), offsets.tolist(), [] if low is None else low.tolist())
    low = np.zeros(len(values)) if low is None else low
    while (size := lengths(offsets)).max(initial=0) > 1:
        merged = offsets_of((size + 1) // 2)
        left = np.repeat(offsets[:-1], lengths(merged)) + 2 * positions(merged)
        pair = left + 1 < np.repeat(offsets[1:], lengths(merged))
        right = left[pair] + 1
        high, small = values[left], low[left]
        sums, errors = two_sum(high[pair], values[right])
        errors += small[pair] + low[right]
        high[pair] = sums + errors
        small[pair] = errors - (high[pair] - sums)
        values, low, offsets = high, small, merged
    sums = np.zeros(len(offsets) - 1)
    sums[lengths(offsets) > 0] = values + low
    return sums
