"""The bootstrap distribution of a mean, computed instead of sampled.

A resampled mean is that of n draws with replacement, so its distribution is the n-th convolution
power of the values' own. A Fourier transform gives it at once. The result is that of infinitely
many resamples: it has no Monte Carlo error and needs no seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from rankstone.frozen import frozen

_WINDOW = 32.0  # width of a grid in standard deviations of the sum; less than 1e-8 is outside
_SMALLEST_GRID = 2048
_CELLS = 1 << 17  # grid points worked on at once, 1 MB
_SAME = 1e-12  # relative; values that differ by less are equal
_ROUNDING = 1e-13  # of chances; smaller ones are noise
_WEIGHTED_POINTS = np.linspace(-8.0, 8.0, 129)  # in standard errors


@frozen
class Means:
    """Means of rows of values, one column per query, and what their errors depend on.

    ``values`` are NaN where a row leaves a query out. ``weights`` are one per query, or one per
    query and row. ``effective`` is the effective number of queries, (sum of w)^2 / sum of w^2, which
    is ``n`` without weights. ``freedom`` are the degrees of freedom of the variance: n - 1, with
    weights (sum of w^2)^2 / sum of w^4, less one in the proportion of ``effective``. ``influence`` is
    what each query does to the mean, n w (x - mean) / sum of w, which without weights is x - mean.
    """

    values: np.ndarray
    weights: np.ndarray | None
    mean: np.ndarray
    n: np.ndarray
    effective: np.ndarray
    influence: np.ndarray
    freedom: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray | None = None) -> Means:
        """Take one row of values per mean and one weight per query."""
        counted = ~np.isnan(values)
        n = counted.sum(axis=1)
        share = np.where(counted, 1.0 if weights is None else weights, 0.0)
        total = share.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(counted, values * share, 0.0).sum(axis=1) / total
            influence = (values - mean[:, None]) * share * (n / total)[:, None]
            # What rounding makes of equal values must not be taken for variance.
            low = np.min(values, axis=1, where=counted, initial=np.inf)
            high = np.max(values, axis=1, where=counted, initial=-np.inf)
            constant = high - low <= _SAME * np.maximum(np.abs(low), np.abs(high))
            mean = np.where(constant, low, mean)
            influence[constant] *= 0.0
            effective = total**2 / (share**2).sum(axis=1)
            freedom = np.where(effective >= 2, effective - 1.0, np.nan)
            if weights is not None:
                freedom *= (share**2).sum(axis=1) ** 2 / (share**4).sum(axis=1) / effective
        return cls(values, weights, mean, n, effective, influence, freedom)

    def only(self, rows: np.ndarray) -> Means:
        """Return some of the rows."""
        columns = (self.mean, self.n, self.effective, self.influence, self.freedom)
        weights = self.weights
        if weights is not None and weights.ndim == 2:
            weights = weights[rows]
        return Means(self.values[rows], weights, *(column[rows] for column in columns))

    def weights_of(self, row: int) -> np.ndarray | None:
        """Return the weights of a row, None if queries count alike."""
        is_own = self.weights is not None and self.weights.ndim == 2
        return self.weights[row] if is_own and self.weights is not None else self.weights

    def oriented(self) -> tuple[Means, np.ndarray]:
        """Return rows that begin with a positive deviation, and which ones were turned round.

        Whichever run of a pair is the baseline, what is computed from these has the same bits.
        """
        deviation = np.nan_to_num(self.influence)
        first = np.take_along_axis(deviation, (deviation != 0).argmax(axis=1)[:, None], axis=1)
        sign = np.where(first < 0, -1.0, 1.0)
        values, influence = self.values * sign, self.influence * sign
        mean = self.mean * sign[:, 0]
        turned = replace(self, values=values, mean=mean, influence=influence)
        return turned, first[:, 0] < 0

    def variance(self) -> np.ndarray:
        """Return the estimated variance of each mean; NaN for less than two queries."""
        squares = np.nansum(self.influence**2, axis=1) / np.maximum(self.n, 1) ** 2
        enough = self.effective >= 2
        below = np.where(enough, self.effective - 1, 1.0)
        return np.where(enough, squares * self.effective / below, np.nan)

    def acceleration(self) -> np.ndarray:
        """Return BCa's acceleration, a sixth of the skewness of the mean."""
        squares, cubes = self._powers[2], self._powers[3]
        varying = squares > 0
        return np.where(varying, cubes / (6.0 * np.where(varying, squares, 1.0) ** 1.5), 0.0)

    def skewness_known(self) -> np.ndarray:
        """Return how well the skewness of the values is known, from 0 to 1.

        It is 1 - 4 v / skewness^2, at least 0, where v is the variance of the estimated skewness
        of symmetric values: 0 up to two standard errors.
        """
        square, variance = self._skewness
        skewed = square > 4.0 * variance
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(skewed, np.maximum(1.0 - 4.0 * variance / square, 0.0), 0.0)

    def squared_skewness(self) -> np.ndarray:
        """Return the square of the values' skewness, less what chance adds to it."""
        square, variance = self._skewness
        return np.maximum(square - variance, 0.0)

    @cached_property
    def _powers(self) -> dict[int, np.ndarray]:
        """Sums of powers of each query's influence on the mean. Products are faster than ``**``."""
        x = np.where(np.isnan(self.influence), 0.0, self.influence)
        square = x * x
        cube = square * x
        powers = {2: square, 3: cube, 4: square * square, 6: cube * cube}
        return {k: power.sum(axis=1) for k, power in powers.items()}

    @cached_property
    def _skewness(self) -> tuple[np.ndarray, np.ndarray]:
        """The squared skewness, and its variance if the values were symmetric."""
        n = np.maximum(self.n, 1)
        squares, cubes, fourth, sixth = (power / n for power in self._powers.values())
        variance = (sixth - 6.0 * fourth * squares + 9.0 * squares**3) / n
        scale = np.where(squares > 0, squares, 1.0) ** 3
        return cubes**2 / scale, variance / scale

    def parts(self) -> Iterator[np.ndarray]:
        """Yield the rows that vary, those with equally many queries together."""
        varying = (np.nansum(self.influence**2, axis=1) > 0) & (self.effective >= 2)
        for n in np.unique(self.n[varying]).tolist():
            rows = np.flatnonzero(varying & (self.n == n))
            at_once = max(1, _CELLS // _grid_size(n)) if self.weights is None else 1
            for start in range(0, len(rows), at_once):
                yield rows[start : start + at_once]


@frozen
class BootstrapMeans:
    """Distribution functions of resampled means, one row each.

    Row i has the value ``cumulative[i, j]`` at ``center[i] + scale[i] * points[j]``: the chance of
    a smaller mean plus half that of an equal one.
    """

    center: np.ndarray
    scale: np.ndarray
    points: np.ndarray
    cumulative: np.ndarray

    @classmethod
    def of(cls, means: Means, rows: np.ndarray) -> BootstrapMeans | WeightedBootstrapMean:
        """Compute the distributions for one of ``means.parts()``."""
        if means.weights is not None:
            return WeightedBootstrapMean.of(means, int(rows[0]))
        influence = means.influence[rows]  # rows have equally many numbers
        deviations = influence[~np.isnan(influence)].reshape(len(rows), -1)
        step, cumulative = _sums(deviations)
        size = cumulative.shape[1]
        n = deviations.shape[1]
        return cls(means.mean[rows], step / n, np.arange(size) - 0.5 * size, cumulative)

    def quantile(self, row: int, probability: float) -> float:
        """Return the value that a resampled mean is below with this probability."""
        position = np.interp(probability, self.cumulative[row], self.points)
        return float(self.center[row] + self.scale[row] * position)

    def below(self, row: int, value: float) -> float:
        """Return the chance of a resampled mean below the value, plus half that of an equal one."""
        position = (value - self.center[row]) / self.scale[row]
        return float(np.interp(position, self.points, self.cumulative[row]))


@frozen(eq=False)
class WeightedBootstrapMean:
    """The distribution function of one weighted mean, computed at the points that are needed.

    A resampled mean is below t where its sum of w (x - t) is below 0. ``chances`` are those known.
    """

    center: float
    scale: float
    values: np.ndarray
    weights: np.ndarray
    chances: dict[int, float]

    @classmethod
    def of(cls, means: Means, row: int) -> WeightedBootstrapMean:
        """Take one row of the means."""
        counted, weights = ~np.isnan(means.values[row]), means.weights_of(row)
        scale = math.sqrt(means.variance()[row])
        values = means.values[row, counted]
        return cls(float(means.mean[row]), scale, values, np.asarray(weights)[counted], {})

    def quantile(self, _row: int, probability: float) -> float:
        """Return the value that a resampled mean is below with this probability."""
        low, high = 0, len(_WEIGHTED_POINTS) - 1
        if not _ROUNDING < probability < 1.0 - _ROUNDING:
            return self.center + self.scale * float(
                _WEIGHTED_POINTS[low if probability < 0.5 else high]
            )
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._chance(middle) <= probability else (low, middle)
        ends = [low, high]
        chances = [self._chance(point) for point in ends]
        return self.center + self.scale * float(
            np.interp(probability, chances, _WEIGHTED_POINTS[ends])
        )

    def below(self, _row: int, value: float) -> float:
        """Return the chance of a resampled mean below the value, plus half that of an equal one."""
        position = (value - self.center) / self.scale
        high = int(
            np.clip(np.searchsorted(_WEIGHTED_POINTS, position), 1, len(_WEIGHTED_POINTS) - 1)
        )
        ends = [high - 1, high]
        chances = [self._chance(point) for point in ends]
        return float(np.interp(position, _WEIGHTED_POINTS[ends], chances))

    def _chance(self, point: int) -> float:
        if point not in self.chances:
            t = self.center + self.scale * _WEIGHTED_POINTS[point]
            terms = self.weights * (self.values - t)
            center = terms.mean()
            step, cumulative = _sums((terms - center)[None])
            size = cumulative.shape[1]
            zero = -center * len(terms) / step[0] + size // 2
            self.chances[point] = float(np.interp(zero, np.arange(size), cumulative[0]))
        return self.chances[point]


def _sums(deviations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the grid's unit and the distribution function of the sum of n draws from each row.

    Rows have mean 0 and length n; the sum 0 is in the middle of the grid.
    """
    count, n = deviations.shape
    size = _grid_size(n)
    variance = (deviations**2).mean(axis=1)
    step = _WINDOW * np.sqrt(variance * n) / size
    position = deviations / step[:, None]
    below = np.floor(position)
    upper = position - below  # the share of the next grid point, so that means are kept
    first = size * np.arange(count)[:, None]
    cell = below.astype(np.int64) % size
    mass = np.bincount((first + cell).ravel(), (1.0 - upper).ravel(), size * count)
    mass += np.bincount((first + (cell + 1) % size).ravel(), upper.ravel(), size * count)
    wave = np.fft.rfft(mass.reshape(count, size) / n, axis=1)
    # The power of nearly all components is 0; leaving these out saves most of the time.
    lasting = wave.real**2 + wave.imag**2 > 1e-14 ** (2.0 / n)
    power = np.zeros_like(wave)
    power[lasting] = wave[lasting] ** n
    power[:, 1::2] *= -1.0  # moves the sum 0 to the middle of the grid
    density = np.fft.irfft(power, size, axis=1)
    # Dividing values between grid points adds variance, by a known amount.
    added = step**2 * (upper * (1.0 - upper)).mean(axis=1)
    step *= np.sqrt(variance / (variance + added))
    return step, np.cumsum(density, axis=1) - 0.5 * density


def _grid_size(n: int) -> int:
    """Return the number of grid points.

    It grows with the square root of n. Few queries, whose means take few values, have a finer one.
    """
    if n < 100:
        return 4 * _SMALLEST_GRID
    return _SMALLEST_GRID << max(0, math.ceil(0.5 * math.log2(n / 250.0)))
