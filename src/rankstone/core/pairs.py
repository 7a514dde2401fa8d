"""Numbers to twice the digits of a float64: pairs (high, low) that stand for their exact sum.

``low`` is what rounding took from ``high``, so a result has the last bit right where it matters.
"""

from __future__ import annotations

import numpy as np

from rankstone.core import segments

Array = np.ndarray
Pair = tuple[Array, Array]


def two_sum(a: Array, b: Array) -> Pair:
    """Return a + b and its rounding error, exactly."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_product(a: Array, b: Array) -> Pair:
    """Return a * b and its rounding error, exactly (barring overflow)."""
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def short_product(short: Array, b: Array) -> Pair:
    """Return ``two_product`` of an array whose numbers are whole and below 2**26."""
    product = short * b
    high, low = _halves(b)
    return product, (short * high - product) + short * low


def quotient(a: Array, b: Array) -> Pair:
    """Return a / b."""
    high = a / b
    product, error = two_product(high, b)
    return high, ((a - product) - error) / b


def add(a: Pair, b: Pair) -> Pair:
    """Return a + b."""
    high, low = two_sum(a[0], b[0])
    return two_sum(high, low + (a[1] + b[1]))


def subtract(a: Pair, b: Pair) -> Pair:
    """Return a - b."""
    return add(a, (-b[0], -b[1]))


def multiply(a: Pair, b: Pair) -> Pair:
    """Return a * b."""
    high, low = two_product(a[0], b[0])
    return high, low + (a[0] * b[1] + a[1] * b[0])


def divide(a: Pair, b: Pair) -> Pair:
    """Return a / b."""
    high = a[0] / b[0]
    product, error = two_product(high, b[0])
    return high, (((a[0] - product) - error) + (a[1] - high * b[1])) / b[0]


def power(base: float, exponent: Array) -> Pair:
    """Return a number to whole powers from 0 up."""
    square = np.array([base]), np.zeros(1)
    high, low = np.ones(len(exponent)), np.zeros(len(exponent))
    left = exponent.copy()
    while left.any():
        odd = left % 2 == 1
        high[odd], low[odd] = multiply((high[odd], low[odd]), square)
        square = multiply(square, square)
        left //= 2
    return high, low


def running_sum(values: Pair, offsets: Array) -> Pair:
    """Return, for each element, the sum of its segment up to and with it.

    What is left of a value once a power of two beyond its segment's sum was added and taken away
    again adds up without rounding; the rest is so small that rounding it does not matter.
    """
    high, low = values
    size = segments.lengths(offsets)
    top = segments.largest(np.abs(high), offsets[:-1], offsets[1:])
    beyond = np.repeat(np.ldexp(1.0, np.frexp(top * size)[1] + 1), size)
    first = (high + beyond) - beyond
    rest = (high - first) + low
    return two_sum(segments.running_sum(first, offsets), segments.running_sum(rest, offsets))


def running_product(values: Pair, offsets: Array) -> Pair:
    """Return, for each element, the product of the earlier elements of its segment; none is 0.

    The rounding error of each step, relative to the product there, adds up along the segment.
    """
    before = np.ones(len(values[0])), np.zeros(len(values[0]))
    for there, here in zip(before, values, strict=True):
        there[1:] = here[:-1]
    first = offsets[:-1][segments.lengths(offsets) > 0]
    before[0][first], before[1][first] = 1.0, 0.0
    product = segments.running(np.multiply, before[0], offsets)
    shorter = np.ones(len(product))
    shorter[1:] = product[:-1]
    shorter[first] = 1.0
    _, error = two_product(shorter, before[0])
    some = product > 1e-280  # what is smaller adds nothing to any sum
    relative = np.zeros(len(product))
    relative[some] = (error[some] + shorter[some] * before[1][some]) / product[some]
    return product, product * segments.running_sum(relative, offsets)


def _halves(a: Array) -> Pair:
    scaled = a * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - a)
    return high, a - high
