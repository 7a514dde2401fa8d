"""Intervals of means of values that are nearly all equal: rare successes, few changed queries.

A resampled mean of such values varies too little, since resamples contain only what was seen.
Here the chances of the values, and of the ends of their range, are drawn from a Dirichlet
distribution. Of two values (success or not) this is the beta distribution of Jeffreys' interval, or,
with a whole observation at one end, of Clopper and Pearson's; of more values it is the bound of Gaffke
(2005). No random numbers are drawn: the distribution function comes from its Fourier transform.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from rankstone.frozen import frozen
from rankstone.stats.bootstrap import Means

#: Fewer queries than this with a value other than the most common one are few; so many are enough
#: for the bootstrap, and, in the case of exact bounds, for either end by itself.
ENOUGH, ENOUGH_FOR_BOUNDS = 20, 150
#: Changes of less than this share of the largest possible one are small.
SMALL = 0.2
#: Two values that were not seen, and the observations at each.
Unseen = tuple[float, float, float]
_UNCHANGED = 0.3  # share of queries without a change that exact bounds are for
_ROUNDING = 1e-9  # changes of this size are not changes
_STEP = 0.02  # of the logarithm of the frequency; larger ones lose digits from 500 values on
_NEGLIGIBLE = 26.0  # -log of the size of a component that is left out
_HALVINGS = 44


@frozen
class FewChanges:
    """The values of one row, most of which are equal.

    ``usual`` is the most common value, ``changed`` the number of others, ``bounds`` the least and
    the largest value that there can be.
    """

    values: np.ndarray
    weights: np.ndarray
    usual: float
    changed: int
    bounds: tuple[float, float]

    @classmethod
    def of(
        cls,
        means: Means,
        bounds: tuple[float, float] | None,
        *,
        exact: bool = False,
        enough: int = ENOUGH,
    ) -> Iterator[tuple[int, FewChanges]]:
        """Yield the rows in which fewer than half, and fewer than enough, differ from the rest.

        For exact bounds the rest are no change, or values at an end of their range: if most
        queries change by the same amount, that is a change of all of them. A share of 0.3 without a
        change is enough there: large losses may be too rare to be among few changes.

        Args:
            means: of all rows.
            bounds: of values; None or infinite ones are taken from the data.
            exact: for bounds that hold, which take more changes.
            enough: so many changes are not few.
        """
        values = np.where((means.effective >= 2)[:, None], means.values, 0.0)
        usual = np.nanmedian(values, axis=1)  # a value of more than half of them is the median
        counted = ~np.isnan(values)
        most = means.n / 2
        if exact:
            is_zero = (values == 0.0).sum(axis=1) >= _UNCHANGED * means.n
            usual, most = np.where(is_zero, 0.0, usual), np.where(is_zero, means.n, most)
        changed = ((values != usual[:, None]) & counted).sum(axis=1)
        few = (changed < most) & (changed < (ENOUGH_FOR_BOUNDS if exact else enough))
        for row in np.flatnonzero(few & (means.effective >= 2)).tolist():
            x, weights = values[row, counted[row]], means.weights_of(row)
            w = np.ones(len(x))
            if weights is not None:
                w = weights[counted[row]] / weights[counted[row]].mean()
            ends = _bounds(x, bounds)
            if not exact or usual[row] in (0.0, *ends):
                yield row, cls(x, w, float(usual[row]), int(changed[row]), ends)

    def interval(self, confidence: float, *, exact: bool = False) -> tuple[float, float]:
        """Return the interval that allows for values not yet seen, as ``unseen`` has them."""
        tail = 0.5 - 0.5 * confidence
        lower, upper = self.unseen(exact=exact)
        first, last = self._quantile(tail, *lower), self._quantile(1.0 - tail, *upper)
        # Without a change nothing speaks against the usual value being the only one.
        low, high = self.bounds
        first = low if not self.changed and self.usual == low else first
        last = high if not self.changed and self.usual == high else last
        return first, last

    def p_value(self, value: float) -> float:
        """Return the p at which ``interval`` with confidence 1 - p ends at a value."""
        lower, upper = self.below(value)
        unchanged = value == self.usual and not self.changed
        return 1.0 if unchanged else min(1.0, 2.0 * min(lower, 1.0 - upper))

    def below(self, value: float, *, exact: bool = False) -> tuple[float, float]:
        """Return the chances of a mean below a value that the lower and the upper end are made from.

        An interval contains the value if the first is at least (1 - confidence) / 2 and the second
        at most (1 + confidence) / 2.
        """
        ends = self.unseen(exact=exact)
        low, high = (_chance_below_zero(*self._deviations(value, *end)) for end in ends)
        return low, high

    def unseen(self, *, exact: bool = False) -> tuple[Unseen, Unseen]:
        """Return the unseen values that each end allows for: two values, observations at each.

        That is half an observation at each end of the range, as far as it is not much wider than
        what was seen: with m changes, up to 1 + 3 / m^2 times the largest, and 1 + 8 / m times if all
        changes go one way because the usual value is an end of the range. Simulations chose the
        factors; ``docs/simulations.md`` has them. Changes that are all small say nothing about
        large ones: then, and if bounds are to be exact, it is a whole observation at the end.
        """
        low, high = self.bounds
        reach = self.largest_unseen()
        if exact or self.is_small:
            return (low, low, 1.0), (high, high, 1.0)
        end = max(low, self.usual - reach), min(high, self.usual + reach), 0.5
        return end, end

    @property
    def is_small(self) -> bool:
        """Whether all changes are small, so that they do not show how large others may be."""
        return _ROUNDING < self.largest_unseen() < SMALL * self._possible

    def largest_unseen(self) -> float:
        """Return how far from the usual value a value may be that was not seen."""
        if not self.changed:
            return self._possible
        factor = 8.0 if self.usual in self.bounds else 3.0 / self.changed
        seen = float(np.abs(self.values - self.usual).max())
        return min(self._possible, seen * (1.0 + factor / self.changed))

    @property
    def _possible(self) -> float:
        return max(self.bounds[1] - self.usual, self.usual - self.bounds[0])

    def _quantile(self, probability: float, low: float, high: float, extra: float) -> float:
        """Return a quantile of the mean, with ``extra`` observations at each of two values."""
        least, largest = min(low, float(self.values.min())), max(high, float(self.values.max()))
        for _ in range(_HALVINGS):
            middle = 0.5 * (least + largest)
            below = _chance_below_zero(*self._deviations(middle, low, high, extra))
            least, largest = (middle, largest) if below < probability else (least, middle)
        return 0.5 * (least + largest)

    def _deviations(
        self, value: float, low: float, high: float, extra: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return weighted deviations from a value and the number of each; equal ones are merged."""
        ends = [low] if low == high else [low, high]
        deviations = np.append(self.weights * (self.values - value), np.array(ends) - value)
        count = np.append(np.ones(len(self.values)), np.full(len(ends), extra))
        merged, place = np.unique(deviations, return_inverse=True)
        return merged, np.bincount(place.ravel(), count)


def _bounds(x: np.ndarray, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """Return finite bounds: of the measure, 0 to 1 if values are in it, or the values' own."""
    least, largest = float(x.min()), float(x.max())
    if bounds is None:
        bounds = (0.0, 1.0) if least >= 0.0 and largest <= 1.0 else (-math.inf, math.inf)
    low, high = bounds
    return (least if math.isinf(low) else min(low, least)), (
        largest if math.isinf(high) else max(high, largest)
    )


def _chance_below_zero(c: np.ndarray, shape: np.ndarray) -> float:
    """Return the chance that a sum of gamma variables, each times its c, is at most 0.

    It is 1/2 minus the integral of the imaginary part of the Fourier transform over the frequency,
    divided by pi (Gil-Pelaez 1951). In the logarithm of the frequency the trapezoidal rule converges
    exponentially.
    """
    if not (c < 0).any() or not (c > 0).any():
        return float((c <= 0).all())
    shape, c = shape[c != 0], c[c != 0]
    size = abs(float(shape @ c)) + math.sqrt(float(shape @ (c * c)))
    low = high = -math.log(size)
    while 0.5 * float(shape @ np.log1p((math.exp(high) * c) ** 2)) < _NEGLIGIBLE:
        high += 1.0
    frequency = np.exp(np.arange(low - _NEGLIGIBLE, high, _STEP))[:, None] * c
    decay = np.exp(-0.5 * (np.log1p(frequency * frequency) @ shape))
    wave = np.sin(np.arctan(frequency) @ shape)
    return 0.5 - float(decay @ wave) * _STEP / math.pi
