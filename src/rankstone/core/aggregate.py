"""From values per query to one number: exactly rounded, and mergeable."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The exact sum of some values, as floats that do not overlap, and how many there were.

    Adding values in parts, in any order, and merging the parts changes no bit.

    >>> a, b = Aggregate.of(np.array([0.1, 0.2])), Aggregate.of(np.array([0.3]))
    >>> a.merge(b).mean() == Aggregate.of(np.array([0.3, 0.2, 0.1])).mean()
    True
    """

    parts: tuple[float, ...] = ()
    n: int = 0

    @classmethod
    def of(cls, values: np.ndarray) -> Aggregate:
        """Add up values; NaN is left out."""
        counted = values[~np.isnan(values)].tolist()
        return cls(_expand(counted), len(counted))

    def merge(self, other: Aggregate) -> Aggregate:
        """Return the aggregate of both sets of values."""
        return Aggregate(_expand([*self.parts, *other.parts]), self.n + other.n)

    def sum(self) -> float:
        """Return the sum, correctly rounded."""
        return math.fsum(self.parts)

    def mean(self) -> float:
        """Return the mean, correctly rounded; NaN of no values."""
        if not self.n:
            return math.nan
        ratios = [part.as_integer_ratio() for part in self.parts]
        common = max((d for _, d in ratios), default=1)
        return sum(n * (common // d) for n, d in ratios) / (common * self.n)

    def finish(self, how: str) -> float:
        """Return the ``mean`` or the ``sum``."""
        return self.sum() if how == "sum" else self.mean()


def _expand(values: Iterable[float]) -> tuple[float, ...]:
    """Return a few floats whose exact sum is that of all values."""
    rest = list(values)
    parts = []
    while (part := math.fsum(rest)) != 0.0:
        parts.append(part)
        rest.append(-part)
    return tuple(parts)
