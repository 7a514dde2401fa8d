"""From values per query to one number: exactly rounded, and mergeable."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankstone.conventions import AGGREGATES
from rankstone.core.segments import two_product
from rankstone.errors import one_of

#: What a smaller value counts as in a geometric mean.
FLOOR = 1e-5
#: The aggregates in which a query counts by its weight; in the others all queries count alike.
WEIGHTED = ("mean", "sum")


def logarithms(values: np.ndarray, floor: float = FLOOR) -> np.ndarray:
    """Return the logarithms of which a geometric mean is made; values below ``floor`` count as it."""
    return np.log(np.maximum(values, floor))


@dataclass(frozen=True)
class Aggregate:
    """The exact sum of some values, as floats that do not overlap, and how many there were.

    Where values have weights the sum is weighted, and ``weight`` is the sum of weights. For a
    geometric mean the values are logarithms, of at least ``FLOOR``, so that one 0 does not decide.

    Adding values in parts, in any order, and merging the parts changes no bit.

    >>> a, b = Aggregate.of(np.array([0.1, 0.2])), Aggregate.of(np.array([0.3]))
    >>> a.merge(b).mean() == Aggregate.of(np.array([0.3, 0.2, 0.1])).mean()
    True
    """

    parts: tuple[float, ...] = ()
    n: int = 0
    weight: tuple[float, ...] | None = None

    @classmethod
    def of(
        cls, values: np.ndarray, weight: np.ndarray | None = None, how: str = "mean"
    ) -> Aggregate:
        """Add up values; NaN and what has no weight is left out."""
        if how == "geometric":
            values = logarithms(values)
        counted = ~np.isnan(values)
        if weight is None:
            return cls(_expand(values[counted].tolist()), int(counted.sum()))
        counted &= weight > 0
        share = weight[counted].astype(np.float64)
        high, low = two_product(values[counted], share)
        parts = _expand([*high.tolist(), *low.tolist()])
        return cls(parts, int(counted.sum()), _expand(share.tolist()))

    def merge(self, other: Aggregate) -> Aggregate:
        """Return the aggregate of both sets of values."""
        weight = None
        if self.weight is not None or other.weight is not None:
            weight = _expand([*self._weights(), *other._weights()])
        return Aggregate(_expand([*self.parts, *other.parts]), self.n + other.n, weight)

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

    def finish(self, how: str) -> float:
        """Return the ``mean``, the ``sum`` or the ``geometric`` mean."""
        if how == "geometric":
            return math.exp(self.mean()) if self.n else math.nan
        return self.sum() if how == "sum" else self.mean()


@dataclass(frozen=True)
class Summary:
    """An aggregate: how it was made, over how many queries, and how many were left out."""

    value: float
    how: str
    n: int
    left_out: int


def summarise(
    values: np.ndarray, how: str, floor: float = FLOOR, weight: np.ndarray | None = None
) -> Summary:
    """Aggregate values by ``mean`` (weighted where there are weights), ``geometric``, ``median`` or ``sum``.

    >>> summarise(np.array([0.0, 0.5, 1.0, np.nan]), "median")
    Summary(value=0.5, how='median', n=3, left_out=1)
    """
    one_of(how, AGGREGATES, "aggregate")
    kept = values[~np.isnan(values)]
    if how in WEIGHTED:
        found = Aggregate.of(values, weight)
        return Summary(found.finish(how), how, found.n, len(values) - found.n)
    if not len(kept):
        value = math.nan
    elif how == "median":
        value = float(np.median(kept))
    else:
        value = Aggregate.of(logarithms(kept, floor)).finish(how)
    return Summary(value, how, len(kept), len(values) - len(kept))


def _exactly(parts: tuple[float, ...]) -> tuple[int, int]:
    """Return a sum of floats as a fraction of whole numbers."""
    ratios = [part.as_integer_ratio() for part in parts]
    common = max((d for _, d in ratios), default=1)
    return sum(n * (common // d) for n, d in ratios), common


def _expand(values: Iterable[float]) -> tuple[float, ...]:
    """Return a few floats whose exact sum is that of all values."""
    rest = list(values)
    parts = []
    while (part := math.fsum(rest)) != 0.0:
        parts.append(part)
        rest.append(-part)
    return tuple(parts)
