"""Confidence intervals of means: bootstrap (BCa or percentile) and Student's t."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.core.parallel import on_each
from rankstone.core.shown import Shown
from rankstone.errors import UsageError, one_of, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.stats.advice import heavy_tails
from rankstone.stats.bootstrap import BootstrapMeans, Means, WeightedBootstrapMean
from rankstone.stats.clusters import FEW_UNITS, Clusters, freedom
from rankstone.stats.distributions import normal_cdf, normal_quantile, t_quantile
from rankstone.stats.few_changes import ENOUGH, FewChanges

if TYPE_CHECKING:
    from rankstone.stats.trusted import Trusted

#: What each kind of interval is called in output.
INTERVALS = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap", "t": "Student t"}
#: What the intervals are called that the data or the test chose.
CHOSEN = {
    "few": "few changes",
    "tukey": "simultaneous over all pairs",
    "trusted": "people and model together (PPI++)",
}
_FEW_DIFFER = 20  # values that are not the usual one: fewer say too little about a gap
#: Intervals of measures of items hold in simulations from this many users on, ...
_USERS = 100
_OTHERS = 5  # ... with this many values that are not the most frequent one, ...
_ENOUGH_OTHERS = 50  # ... of which so many are not few, ...
_GROUP = 50  # ... and with this many users in each group of a gap.
_HALVINGS = 40  # of the range that a reach is searched in
_RANGE = ((np.nanmin, np.inf), (np.nanmax, -np.inf))


@frozen
class Interval(Shown):
    """A confidence interval of a mean over ``n`` queries, NaN if it cannot be computed.

    ``clusters`` is the number of clusters of the queries, ``caution`` what the interval cannot
    promise, ``trusted`` what people and a model contributed; they are None if there is none.
    """

    low: float
    high: float
    confidence: float
    method: str
    n: int
    clusters: int | None = None
    caution: str | None = None
    trusted: Trusted | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        data = super().to_dict()
        absent = ("clusters", "caution", "trusted")
        return {k: v for k, v in data.items() if v is not None or k not in absent}


def interval(
    values: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    method: str | None = None,
    confidence: float = 0.95,
    clusters: Clusters | None = None,
    bounds: tuple[float, float] | None = None,
    of_items: bool = False,
) -> Interval:
    """Return the interval of the mean of one run's values; NaN values are left out.

    Args:
        values: one per query.
        weights: one per query (default: all 1).
        method: ``bca``, ``percentile`` or ``t`` (default: bca, or t of few clusters).
        confidence: the share of such intervals that should contain the true mean.
        clusters: of the queries; the interval is then that of the means of clusters.
        bounds: of the values, as for ``mean_intervals``.
        of_items: the measure is of the items that lists show. Its values are often skewed or nearly
            all equal, so there is no interval where simulated ones of such values do not hold.

    >>> values = np.array([0.0, 0.2, 0.5, 1.0])
    >>> t = interval(values, method="t")
    >>> round(t.low, 3), round(t.high, 3)
    (-0.267, 1.117)
    """
    rows = np.asarray(values, np.float64).reshape(1, -1)
    n = units = int((~np.isnan(rows)).sum())
    if method is None:
        method = "bca" if clusters is None else clusters.interval(weighted=weights is not None)
    if clusters is not None:
        rows, weights = clusters.means(rows, weights)
        units = int((~np.isnan(rows)).sum())
    means = Means.of(rows, weights)
    if clusters is not None and weights is not None:
        means = replace(means, freedom=freedom(weights))
    enough = _ENOUGH_OTHERS if of_items else ENOUGH
    low, high, unseen = intervals_of(means, method, confidence, bounds=bounds, enough=enough)
    caution = None
    noun = "query" if clusters is None else "cluster"
    if 1 < units < FEW_UNITS:
        caution = tr("{} say little about others: it takes {} or more").format(
            plural(units, noun), FEW_UNITS
        )
    elif not np.isnan(unseen[0]):
        caution = tr("nearly all values are equal; the interval allows for values not yet seen")
        caution += tr(", of any size") if np.isinf(unseen[0]) else ""
    elif notices := heavy_tails(means.influence[0]):
        caution = notices[0].text
    groups = None if clusters is None else units
    others = int((np.nan_to_num(values - np.nanmedian(values)) != 0).sum()) if n else 0
    if of_items and (n < _USERS or others < _OTHERS or np.isinf(unseen[0])):
        low, high = low * np.nan, high * np.nan
        caution = tr(
            "a measure of items has an interval from {} users on, if {} of them have another value "
            "than the usual one, and not only small ones: here {} users and {} such values"
        ).format(_USERS, _OTHERS, n, others)
    return Interval(float(low[0]), float(high[0]), confidence, method, n, groups, caution)


@frozen
class Gap(Interval):
    """The difference of the means of two groups of queries, and its interval."""

    difference: float = math.nan


def gap(
    groups: np.ndarray,
    values: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    confidence: float = 0.95,
    of_items: bool = False,
) -> Gap:
    """Return the mean of one group of queries less that of another, with Welch's interval.

    The groups are samples of their own, so the variances of their means add up (Welch, The
    generalization of Student's problem when several different population variances are involved,
    Biometrika 1947).

    Args:
        groups: two masks of queries.
        values: one per query; NaN values are left out.
        weights: one per query (default: all 1).
        confidence: the share of such intervals that should contain the true difference.
        of_items: the measure is of the items that lists show, as for ``interval``.
    """
    means = Means.of(np.where(groups, values, np.nan), weights)
    variance, difference = means.variance(), float(means.mean[0] - means.mean[1])
    total = float(variance.sum())
    with np.errstate(invalid="ignore"):
        df = total**2 / float((variance**2 / means.freedom).sum()) if total else means.n.sum() - 2
    half = _t_quantile(0.5 + 0.5 * check_confidence(confidence), float(df)) * math.sqrt(total)
    differ = (np.nan_to_num(means.values - np.nanmedian(values)) != 0).sum(axis=1)
    caution = None
    if of_items and means.n.min() < _GROUP:
        half = math.nan
        caution = tr(
            "no interval of such gaps is known to hold for fewer than {} users in a group"
        ).format(_GROUP)
    elif ((differ < (_ENOUGH_OTHERS if of_items else _FEW_DIFFER)) & (2 * differ < means.n)).any():
        half = math.nan
        caution = tr("nearly all values are equal, and no interval of such gaps is known to hold")
    elif means.n.min() < FEW_UNITS:
        caution = tr("{} say little about others: it takes {} or more").format(
            plural(int(means.n.min()), "query"), FEW_UNITS
        )
    ends = difference - half, difference + half
    return Gap(*ends, confidence, "t", int(means.n.sum()), None, caution, difference=difference)


def mean_intervals(
    values: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    method: str = "bca",
    confidence: float = 0.95,
    small_sample: bool = True,
    bounds: tuple[float, float] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and the upper ends of intervals of (weighted) means, one per row of values.

    With F the distribution function of the resampled mean, z the standard normal one, a the
    acceleration and z0 = z^-1(F(mean)), the ends of a BCa interval are F^-1(z(e)) with
    e = z0 + (z0 + q) / (1 - a (z0 + q)), where q is the lower or the upper quantile. A percentile
    interval has a = z0 = 0.

    Args:
        values: one row per mean, one column per query; NaN leaves a query out of a row.
        weights: one per query (default: all 1).
        method: ``bca``, ``percentile`` or ``t``.
        confidence: the share of such intervals that should contain the true mean.
        small_sample: correct bootstrap intervals for few queries, which cover 92 to 94 % of means
            instead of 95 %. q is then sqrt(n / (n - 1)) times the quantile of Student's t with
            n - 1 degrees of freedom instead of the normal one (Hesterberg 2015). The distance of
            a BCa interval's middle from the mean, which comes from the skewness, is multiplied by
            how well the skewness is known: unless values are many or very skewed, estimates of it
            are noise, and the interval is symmetric. It is longer by the part that Student's t
            misses with skewed values (Hall 1983). Where more than half of the values are equal
            and fewer than 20 are not, a BCa interval is that of ``few_changes``. False gives the
            textbook's interval.
        bounds: least and largest value that there can be, for ``few_changes`` (default: 0 and 1
            if all values are between them, otherwise the values' own).

    Returns:
        Two arrays; NaN for rows of fewer than two (effective) queries.
    """
    means = Means.of(np.asarray(values, np.float64), weights)
    low, high, _ = intervals_of(means, method, confidence, small_sample=small_sample, bounds=bounds)
    return low, high


def intervals_of(
    means: Means,
    method: str,
    confidence: float,
    *,
    small_sample: bool = True,
    bounds: tuple[float, float] | None = None,
    exact: bool = False,
    enough: int = ENOUGH,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ends of intervals, and the largest change that few changes leave room for.

    These are NaN where changes are many, and infinite where those that were seen say nothing about
    the size of others.

    Args:
        means: computed already.
        method: of ``mean_intervals``, as the next arguments.
        confidence: of the intervals.
        small_sample: correct for few queries.
        bounds: of the values.
        exact: take bounds that hold for any values, which are wider, if there are few changes.
        enough: so many changes are not few.
    """
    one_of(method, INTERVALS, "interval")
    upper = 0.5 + 0.5 * check_confidence(confidence)
    t = np.array([_t_quantile(upper, df) for df in means.freedom.tolist()])
    unseen = np.full(len(t), np.nan)
    if method == "t":
        half = t * np.sqrt(means.variance())
        return means.mean - half, means.mean + half, unseen
    given = means
    means, turned = means.oriented()
    reach = (
        t * expansion(means.effective) if small_sample else np.full(len(t), normal_quantile(upper))
    )
    ends = np.where(means.effective >= 2, means.mean, np.nan) + np.zeros((2, 1))

    def fill(rows: np.ndarray) -> None:
        if method == "bca":
            for one in BCa.of(means, rows, small_sample=small_sample):
                ends[:, one.row] = one.ends(reach[one.row])
            return
        resampled = BootstrapMeans.of(means, rows)
        for i, row in enumerate(rows.tolist()):
            ends[:, row] = [resampled.quantile(i, normal_cdf(q * reach[row])) for q in (-1, 1)]

    on_each(fill, list(means.parts()))
    # The grid blurs the ends of the range by a fraction of its unit; no mean is outside of it.
    with np.errstate(invalid="ignore"):
        low, high = (f(means.values, axis=1, initial=e) for f, e in _RANGE)
        low, high = np.clip(ends, low, high)
    low, high = np.where(turned, -high, low), np.where(turned, -low, high)
    if method == "bca" and small_sample:
        for row, one in FewChanges.of(given, bounds, exact=exact, enough=enough):
            unseen[row] = np.inf if exact or one.is_small else one.largest_unseen()
            low[row], high[row] = one.interval(confidence, exact=exact)
    return low, high, unseen


@frozen
class BCa:
    """The BCa intervals of one mean, for any confidence.

    ``index`` is the row of ``resampled``, ``row`` that of the means. ``known`` is how much of the
    distance of the interval's middle from the mean counts, ``skewness`` the squared skewness of
    the values that makes it longer, ``n`` the effective number of queries.
    """

    resampled: BootstrapMeans | WeightedBootstrapMean
    index: int
    row: int
    mean: float
    acceleration: float
    z0: float
    known: float
    skewness: float
    n: float

    @classmethod
    def of(cls, means: Means, rows: np.ndarray, *, small_sample: bool = True) -> Iterator[BCa]:
        """Yield the intervals for one of ``means.parts()``."""
        own, resampled = means.only(rows), BootstrapMeans.of(means, rows)
        known, skewness = np.ones(len(rows)), np.zeros(len(rows))
        if small_sample:
            known, skewness = own.skewness_known(), own.squared_skewness()
        columns = (own.mean, own.acceleration(), known, skewness, own.effective)
        for i, (row, *numbers) in enumerate(zip(rows, *columns, strict=True)):
            mean, a, *others = map(float, numbers)
            z0 = normal_quantile(resampled.below(i, mean))
            yield cls(resampled, i, int(row), mean, a, z0, *others)

    def ends(self, reach: float) -> tuple[float, float]:
        """Return both ends; ``reach`` is the upper quantile that is used for them."""
        low, high = self._end(-reach), self._end(reach)
        middle = self.mean + self.known * (0.5 * (low + high) - self.mean)
        # The normal quantile that belongs to the reach, squared (Wallace 1959).
        z2 = (self.n - 1.0) * math.log1p(reach * reach / self.n)
        longer = self.skewness * max((z2 + 3.0) * (z2 - 1.0), 0.0) / (18.0 * self.n)
        half = 0.5 * (high - low) * (1.0 + longer)
        return middle - half, middle + half

    def reach_of(self, value: float, most: float) -> float:
        """Return the reach of the interval that ends at a value, at most ``most``."""
        low, high = 0.0, most
        for _ in range(_HALVINGS):
            reach = 0.5 * (low + high)
            first, last = self.ends(reach)
            low, high = (low, reach) if first <= value <= last else (reach, high)
        return 0.5 * (low + high)

    def _end(self, q: float) -> float:
        steps = self.z0 + q
        e = self.z0 + steps / max(1.0 - self.acceleration * steps, 1e-9)
        return self.resampled.quantile(self.index, normal_cdf(e))


def expansion(n: np.ndarray) -> np.ndarray:
    """Return the factor that corrects for resampled means varying (n - 1) / n too little."""
    return np.sqrt(n / np.maximum(n - 1.0, 1.0))


def check_confidence(confidence: float) -> float:
    """Return the confidence if it is between 0 and 1."""
    if isinstance(confidence, (int, float)) and 0.0 < confidence < 1.0:
        return float(confidence)
    raise UsageError(f"confidence must be between 0 and 1, not {confidence!r}; for 95 % use 0.95.")


@lru_cache(maxsize=4096)
def _t_quantile(probability: float, df: float) -> float:
    return t_quantile(probability, df) if df > 0 else math.nan
