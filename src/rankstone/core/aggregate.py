"""From values per query to one number: exactly rounded, and mergeable."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from rankstone.choices.conventions import AGGREGATES as NAMES
from rankstone.core.pairs import two_product
from rankstone.errors import one_of
from rankstone.frozen import frozen

Array = np.ndarray

#: A value below this counts as this in a geometric mean, so that one 0 does not decide.
FLOOR = 1e-5


@frozen
class Part:
    """The mergeable state of an aggregate over some values.

    ``parts`` are floats that do not overlap and whose sum is exactly that of the ``n`` values. If
    values have weights the sum is weighted, and ``weight`` is the sum of weights. ``values`` are
    the values themselves, for an aggregate that needs them.

    Adding values in parts, in any order, and merging the parts changes no bit.

    >>> a, b = MEAN.of(np.array([0.1, 0.2])), MEAN.of(np.array([0.3]))
    >>> a.merge(b).mean() == MEAN.of(np.array([0.3, 0.2, 0.1])).mean()
    True
    """

    parts: tuple[float, ...] = ()
    n: int = 0
    weight: tuple[float, ...] | None = None
    values: tuple[float, ...] = ()

    def merge(self, other: Part) -> Part:
        """Return the state of both sets of values together."""
        weight = None
        if self.weight is not None or other.weight is not None:
            weight = _expand([*self._weights(), *other._weights()])
        parts = _expand([*self.parts, *other.parts])
        return Part(parts, self.n + other.n, weight, (*self.values, *other.values))

    def _weights(self) -> tuple[float, ...]:
        return (float(self.n),) if self.weight is None else self.weight

    def sum(self) -> float:
        """Return the sum, correctly rounded."""
        return math.fsum(self.parts)

    def mean(self) -> float:
        """Return the mean, correctly rounded; NaN of no values or of no weight."""
        top, top_unit = _exactly(self.parts)
        bottom, bottom_unit = _exactly(self._weights())
        return (top * bottom_unit) / (top_unit * bottom) if bottom else math.nan

    def median(self) -> float:
        """Return the median of the values; NaN of none."""
        return float(np.median(self.values)) if self.n else math.nan


@frozen
class Aggregate:
    """A way to make one number of the values of queries.

    Args:
        name: its name.
        text: its name in words.
        finish: function that returns the number from what was kept.
        transform: function of the values that is added up (default: the values).
        weighted: a query counts by its weight; else all queries count alike.
        keeps_values: the values themselves are kept.
        note: what else to know.
    """

    name: str
    text: str
    finish: Callable[[Part], float]
    transform: Callable[[Array], Array] | None = None
    weighted: bool = False
    keeps_values: bool = False
    note: str = ""

    def of(self, values: Array, weight: Array | None = None) -> Part:
        """Add up values; NaN and values without weight are left out."""
        if self.transform is not None:
            values = self.transform(values)
        counted = ~np.isnan(values)
        if weight is None or not self.weighted:
            kept = values if counted.all() else values[counted]
            own = tuple(kept.tolist()) if self.keeps_values else ()
            return Part(_expand(_few(kept)), len(kept), None, own)
        counted &= weight > 0
        share = weight[counted].astype(np.float64)
        high, low = two_product(values[counted], share)
        parts = _expand(_few(np.concatenate((high, low))))
        return Part(parts, len(share), _expand(_few(share)))

    def merge(self, a: Part, b: Part) -> Part:
        """Return the state of both sets of values together."""
        return a.merge(b)


def geometric(floor: float = FLOOR) -> Aggregate:
    """Return the geometric mean, in which smaller values count as the floor."""
    return Aggregate(
        "geometric",
        "geometric mean",
        finish=lambda part: from_logarithm(part.mean()) if part.n else math.nan,
        transform=lambda values: logarithms(values, floor),
        note=f"values below {floor:g} count as {floor:g} in a geometric mean",
    )


def logarithms(values: Array, floor: float = FLOOR) -> Array:
    """Return the logarithms whose mean is that of the geometric mean."""
    return np.log(np.maximum(values, floor))


def from_logarithm(mean: float) -> float:
    """Return the geometric mean from the mean of the logarithms."""
    return math.exp(mean)


MEAN = Aggregate("mean", "mean", finish=Part.mean, weighted=True)
SUM = Aggregate("sum", "sum", finish=Part.sum, weighted=True)
GEOMETRIC = geometric()
MEDIAN = Aggregate("median", "median", finish=Part.median, keeps_values=True)
#: Every aggregate by name.
AGGREGATES = {a.name: a for a in (MEAN, GEOMETRIC, MEDIAN, SUM)}


def aggregate(name: str) -> Aggregate:
    """Return the aggregate of that name."""
    return AGGREGATES[one_of(name, NAMES, "aggregate")]


@frozen
class Summary:
    """An aggregate: how it was made, over how many queries, and how many were left out."""

    value: float
    how: str
    n: int
    left_out: int


def summarise(
    values: Array, how: str, floor: float = FLOOR, weight: Array | None = None
) -> Summary:
    """Aggregate values; ``floor`` is that of a geometric mean.

    >>> summarise(np.array([0.0, 0.5, 1.0, np.nan]), "median")
    Summary(value=0.5, how='median', n=3, left_out=1)
    """
    by = aggregate(how)
    if by is GEOMETRIC and floor != FLOOR:
        by = geometric(floor)
    part = by.of(values, weight)
    return Summary(by.finish(part), how, part.n, len(values) - part.n)


def _exactly(parts: tuple[float, ...]) -> tuple[int, int]:
    """Return a sum of floats as a fraction of whole numbers."""
    ratios = [part.as_integer_ratio() for part in parts]
    common = max((d for _, d in ratios), default=1)
    return sum(n * (common // d) for n, d in ratios), common


_MAX_EXP = 1024  # of a power of two that is too large for a float
_FEW = 64  # values: up to here plain Python is faster
_BLOCK = 1 << 14  # values that a processor's cache holds


def _few(values: Array) -> list[float]:
    """Return a few floats with the same exact sum.

    Adding and subtracting a large power of two rounds every value to a common unit; the rounded
    values add up without error. The remainders are processed in the same way until few are left.
    """
    if len(values) > _BLOCK:
        blocks = (values[i : i + _BLOCK] for i in range(0, len(values), _BLOCK))
        return [number for block in blocks for number in _few(block)]
    sums = []
    while len(values) > _FEW:
        top = float(np.abs(values).max())
        exponent = math.frexp(top)[1] + len(values).bit_length()  # of a number beyond the sum
        if not math.isfinite(top) or exponent >= _MAX_EXP:
            break
        beyond = math.ldexp(1.0, exponent)
        high = (values + beyond) - beyond
        sums.append(float(high.sum()))
        values = values - high
        values = values[values != 0.0]
    return [*sums, *values.tolist()]


def _expand(values: Iterable[float]) -> tuple[float, ...]:
    """Return floats that do not overlap and whose exact sum is that of the values."""
    rest = list(values)
    parts = []
    while (part := math.fsum(rest)) != 0.0:
        parts.append(part)
        rest.append(-part)
    return tuple(parts)
