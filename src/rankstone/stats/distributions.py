"""The normal, Student t and noncentral t distributions, without scipy.

Loading scipy.special takes longer than comparing two runs. These few functions agree with it to
1e-12 (relative for probabilities and quantiles; the tests say so).
"""

from __future__ import annotations

import math

import numpy as np

_TINY = 1e-300
_SQRT2 = math.sqrt(2.0)


def normal_cdf(x: float) -> float:
    """Return P(Z <= x) for a standard normal Z.

    >>> normal_cdf(0.0)
    0.5
    """
    return 0.5 * math.erfc(-x / _SQRT2)


def normal_quantile(probability: float) -> float:
    """Return the x with P(Z <= x) = probability; infinite at 0 and 1.

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    if not 0.0 < probability < 1.0:
        return math.nan if probability < 0 or probability > 1 else math.inf * (probability - 0.5)
    if probability > 0.5:
        return -normal_quantile(1.0 - probability)
    # Abramowitz and Stegun 26.2.23 is right to 4.5e-4; each of Halley's steps triples the digits.
    r = math.sqrt(-2.0 * math.log(probability))
    top = 2.515517 + r * (0.802853 + r * 0.010328)
    x = top / (1.0 + r * (1.432788 + r * (0.189269 + r * 0.001308))) - r
    for _ in range(2):
        step = (normal_cdf(x) - probability) * math.sqrt(2.0 * math.pi) * math.exp(0.5 * x * x)
        x -= step / (1.0 + 0.5 * x * step)
    return x


def t_tail(t: float, df: float) -> float:
    """Return P(T > t) for Student's t with ``df`` degrees of freedom.

    >>> round(2 * t_tail(2.262157, 9), 6)
    0.05
    """
    if math.isnan(t) or math.isnan(df):
        return math.nan
    if t < 0:
        return 1.0 - t_tail(-t, df)
    if math.isinf(t):
        return 0.0
    square = t * t
    a, x, y = 0.5 * df, df / (df + square), square / (df + square)
    # x^a * y^(1/2) / B(a, 1/2), with x^a taken where it loses no digits.
    front = math.exp(-a * math.log1p(square / df)) * math.sqrt(y) / _beta_half(a)
    if x < (a + 1.0) / (a + 2.5):
        return 0.5 * front * _continued_fraction(a, 0.5, x) / a
    return 0.5 - front * _continued_fraction(0.5, a, y)


def t_quantile(probability: float, df: float) -> float:
    """Return the x with P(T <= x) = probability for Student's t with ``df`` degrees of freedom.

    >>> round(t_quantile(0.975, 9), 6)
    2.262157
    """
    if not 0.0 < probability < 1.0 or math.isnan(df):
        return normal_quantile(probability) if df > 0 else math.nan
    if probability < 0.5:
        return -_t_upper_quantile(probability, df)
    return _t_upper_quantile(1.0 - probability, df)


def noncentral_t_tail(t: float, df: float, shift: float) -> float:
    """Return P((Z + shift) / sqrt(chi2 / df) > t), the power of a one-sided t test.

    The integral over s = sqrt(chi2 / df) = exp(x) of P(Z > t s - shift) is taken by the
    trapezoidal rule, which converges exponentially for a smooth peak.
    """
    spread = 12.0 / math.sqrt(2.0 * df)
    x = np.linspace(-max(spread, 45.0 / df), spread, 1201)
    weight = np.exp(df * x - 0.5 * df * np.expm1(2.0 * x))  # 1 at its peak, which is at 0
    beyond = [normal_cdf(v) for v in (shift - t * np.exp(x)).tolist()]
    return float(weight @ np.array(beyond) / weight.sum())


def f_tail(ratio: float, df1: float, df2: float) -> float:
    """Return P(F > ratio) for the F distribution with ``df1`` and ``df2`` degrees of freedom.

    >>> round(f_tail(3.0, 4, 20), 6)
    0.043201
    """
    if ratio <= 0:
        return 1.0
    if math.isinf(ratio):
        return 0.0
    a, b, x = 0.5 * df2, 0.5 * df1, df2 / (df2 + df1 * ratio)
    beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - beta)
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _continued_fraction(a, b, x) / a
    return 1.0 - front * _continued_fraction(b, a, 1.0 - x) / b


def _t_upper_quantile(tail: float, df: float) -> float:
    """Return the x from 0 on with P(T > x) = tail."""
    low, high = 0.0, 1.0
    while t_tail(high, df) > tail:
        low, high = high, high * 2.0
    x = 0.5 * (low + high)
    # Newton's steps, halved where they leave the bracket.
    for _ in range(100):
        excess = t_tail(x, df) - tail
        low, high = (x, high) if excess > 0 else (low, x)
        following = x + excess / _t_density(x, df)
        if not low <= following <= high:
            following = 0.5 * (low + high)
        if abs(following - x) <= 4e-15 * max(1.0, following):
            return following
        x = following
    return x


def _t_density(t: float, df: float) -> float:
    power = -0.5 * (df + 1.0) * math.log1p(t * t / df)
    return math.exp(power) / (math.sqrt(df) * _beta_half(0.5 * df))


def _beta_half(a: float) -> float:
    """Return the beta function B(a, 1/2)."""
    if a < 100.0:
        return math.sqrt(math.pi) * math.exp(math.lgamma(a) - math.lgamma(a + 0.5))
    # The difference of two large logarithms would lose digits; a series in 1/a loses none.
    r = 1.0 / a
    series = 1.0 + r * (-1 / 8 + r * (1 / 128 + r * (5 / 1024 - r * (21 / 32768))))
    return math.sqrt(math.pi / a) / series


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d or _TINY)
    value = d
    for m in range(1, 100_000):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 / ((1.0 + factor * d) or _TINY)
            c = (1.0 + factor / c) or _TINY
            value *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return value
