"""Sums, counts and orders within the segments of a flat array.

Segment s of an array is ``values[offsets[s]:offsets[s + 1]]``. Sums carry the rounding error
of every step along, so a sum is right to the last bit or nearly so, whatever its length.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from rankstone.core import engine

Array = np.ndarray


def lengths(offsets: Array) -> Array:
    """Return the length of each segment."""
    return offsets[1:] - offsets[:-1]


def numbers(offsets: Array) -> Array:
    """Return, for each element, the number of its segment."""
    return np.repeat(np.arange(len(offsets) - 1), lengths(offsets))


def positions(offsets: Array) -> Array:
    """Return, for each element, its place in its segment, from 0."""
    width = width_of(offsets)
    if width is not None:
        return np.tile(np.arange(width), len(offsets) - 1)
    return np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths(offsets))


def offsets_of(lengths: Array) -> Array:
    """Return the offsets of segments of these lengths."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.add.accumulate(lengths, out=offsets[1:], dtype=np.int64)
    return offsets


def width_of(offsets: Array) -> int | None:
    """Return the length of all segments where it is one and the same, else None."""
    n = len(offsets) - 1
    if n < 2:
        return int(offsets[-1]) if n else None
    width = int(offsets[1])
    return width if (offsets[1:] - offsets[:-1] == width).all() else None


def count(mask: Array, offsets: Array) -> Array:
    """Return how many elements of each segment are true."""
    counts: Array = engine.load().count(mask, offsets)
    return counts


def running_count(mask: Array, offsets: Array) -> Array:
    """Return, for each element, how many of its segment up to and with it are true."""
    counts: Array = engine.load().running_count(mask, offsets)
    return counts


def running_total(values: Array, offsets: Array) -> Array:
    """Return, for each element, the sum of whole numbers of its segment up to and with it."""
    width = width_of(offsets)
    if width:
        return np.cumsum(values.reshape(-1, width), axis=1, dtype=np.int64).reshape(-1)
    running = offsets_of(values)
    return running[1:] - np.repeat(running[offsets[:-1]], lengths(offsets))


def keep(mask: Array, offsets: Array) -> Array:
    """Return the offsets of the segments after removal of the elements outside the mask."""
    return offsets_of(count(mask, offsets))


def falling_order(values: Array, offsets: Array) -> Array:
    """Return indices that put each segment's values in falling order; equals keep their order."""
    order: Array = engine.load().falling_order(_floats(values), offsets)[0]
    return order


def falling_beside(values: Array, offsets: Array, beside: Array) -> tuple[Array, Array, Array]:
    """Sort ``beside`` by falling ``values`` in each segment.

    Also return a mask of segments with ties, and one of places whose value equals the one before.
    """
    found = engine.load().falling_beside(_floats(values), offsets, _floats(beside))
    carried, tied, same = found
    return carried, tied.view(bool), same.view(bool)


def count_equals(values: Array, offsets: Array) -> Array:
    """Return how many values of each segment equal another of it."""
    counts: Array = engine.load().count_equals(_floats(values), offsets)
    return counts


def _floats(values: Array) -> Array:
    return np.ascontiguousarray(values, np.float64)


def falling_values(values: Array, offsets: Array) -> tuple[Array, bool]:
    """Sort each segment in descending order.

    And whether all are known to be whole numbers from 0 to 255.
    """
    small: Array | None = engine.load().falling_small(_floats(values), offsets)
    if small is not None:
        return small, True
    width = width_of(offsets)
    if not width:
        return values[falling_order(values, offsets)], False
    falling = _narrowed(np.negative(values))
    falling.reshape(-1, width).sort(axis=1)
    return np.negative(falling, dtype=np.float64), False


def _narrowed(values: Array) -> Array:
    """Return values in 32 bits if these hold all of them: they are sorted in half the time."""
    with np.errstate(over="ignore"):
        for some in (values[:_FEW], values):
            narrow = some.astype(np.float32)
            if not (narrow == some).all():
                return values
    return narrow


def running_product(values: Array, offsets: Array) -> Array:
    """Return, for each element, the product of the earlier elements of its segment."""
    place = positions(offsets)
    product = np.where(place > 0, np.roll(values, 1), 1.0)
    step = 1
    longest = int(lengths(offsets).max(initial=0))
    while step < longest:
        reach = np.flatnonzero(place >= step)
        product[reach] = product[reach] * product[reach - step]
        step *= 2
    return product


def running_sum(values: Array, offsets: Array) -> Array:
    """Return, for each element, the sum of its segment up to and with it, added in order.

    Each step rounds, as a loop over doubles would.
    """
    return running(np.add, values, offsets)


def running(operation: np.ufunc, values: Array, offsets: Array) -> Array:
    """Return, for each element, its segment up to and with it, combined in order."""
    results = values.astype(np.float64)
    width = width_of(offsets)
    if width:
        table = results.reshape(-1, width)
        operation.accumulate(table, axis=1, out=table)
        return results
    size = lengths(offsets)
    longest = int(size.max(initial=0))
    if np.count_nonzero(size) < longest:
        for a, b in pairwise(offsets.tolist()):
            operation.accumulate(results[a:b], out=results[a:b])
        return results
    start = offsets[:-1]
    for step in range(1, longest):
        start = start[size > step]
        size = size[size > step]
        results[start + step] = operation(results[start + step], results[start + step - 1])
    return results


def plain_total(values: Array, offsets: Array) -> Array:
    """Return the sum of each segment, added in order with a rounding at each step."""
    some = np.flatnonzero(values)
    offsets = np.searchsorted(some, offsets)
    running = running_sum(values[some], offsets)
    sums = np.zeros(len(offsets) - 1)
    filled = lengths(offsets) > 0
    sums[filled] = running[offsets[1:][filled] - 1]
    return sums


def largest(values: Array, begin: Array, end: Array) -> Array:
    """Return the largest value from each begin up to each end, 0 if there is none."""
    values_there = np.zeros(len(begin))
    filled = begin < end
    if filled.any():
        bounds = np.column_stack((begin[filled], end[filled])).reshape(-1)
        values_there[filled] = np.maximum.reduceat(np.append(values, 0.0), bounds)[::2]
    return values_there


_FEW = 256


def total(values: Array, offsets: Array, low: Array | None = None) -> Array:
    """Return the sum of each segment; ``low`` holds what rounding took from the values."""
    if len(values) <= _FEW:
        return np.array([math.fsum(few) for few in _few(values, offsets, low)], np.float64)
    high, rest = total_parts(values, offsets, low)
    return high + rest


def total_parts(values: Array, offsets: Array, low: Array | None = None) -> tuple[Array, Array]:
    """Return the sum of each segment in two parts: their exact sum is the sum to twice the digits."""
    if len(values) > _FEW:
        parts: tuple[Array, Array] = engine.load().totals(values, offsets, low)
        return parts
    lists = _few(values, offsets, low)
    high = [math.fsum(few) for few in lists]
    rest = [math.fsum([*few, -sum_]) for few, sum_ in zip(lists, high, strict=True)]
    return np.array(high, np.float64), np.array(rest, np.float64)


def _few(values: Array, offsets: Array, low: Array | None) -> list[list[float]]:
    """Return the terms of each sum, if they are so few that array operations cost more."""
    numbers: list[float] = values.tolist()
    rest: list[float] = [] if low is None else low.tolist()
    return [numbers[a:b] + rest[a:b] for a, b in pairwise(offsets.tolist())]
