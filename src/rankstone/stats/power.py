"""Planning: which difference can n queries detect, and how many queries does a difference need?

All numbers are those of the paired t test, two-sided; the other tests need about as many queries.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from rankstone.errors import DataError, UsageError, amount
from rankstone.frozen import frozen
from rankstone.stats.bootstrap import Means
from rankstone.stats.clusters import Intraclass
from rankstone.stats.distributions import noncentral_t_tail, normal_quantile, t_quantile

#: The chance of detecting a difference that planning aims at.
POWER = 0.8
#: Numbers of queries that tables of plans show.
SIZES = (25, 50, 100, 200, 500, 1000, 5000)
_MOST_QUERIES = 10**9
_OF_MODELS = ("model_queries", "with_model", "queries_with_model")
_OF_CLUSTERS = ("clusters", "per_cluster", "design_effect")


@frozen
class Plan:
    """The difference that a number of queries can detect, judging by pilot data.

    ``sd`` is the standard deviation of the pilot's ``pilot_n`` differences. With ``n`` queries a
    true difference of ``detectable`` is found significant at ``alpha`` with chance ``power``.
    ``difference`` is the one to plan for, and needs ``queries``; both are None if the pilot shows
    none. ``queries`` is infinite if it takes more than a thousand million. With clusters these are
    ``clusters`` clusters of ``per_cluster`` queries; ``design_effect`` says how many queries of
    clusters are worth one that is independent. If a model judged ``model_queries`` queries,
    ``with_model`` are the detectable differences by the number of queries that people judge of them,
    and ``queries_with_model`` is the number that ``difference`` needs; the others are without the model.
    """

    sd: float
    pilot_n: int
    n: int
    detectable: float
    difference: float | None
    queries: int | float | None
    alpha: float
    power: float
    comparisons: int
    clusters: int | float | None = None
    per_cluster: float | None = None
    design_effect: float | None = None
    model_queries: int | None = None
    with_model: Mapping[int, float] | None = None
    queries_with_model: int | float | None = None

    def detectable_with(self, n: int) -> float:
        """Return the smallest difference that a number of queries detects; NaN of fewer than 2 clusters."""
        size, effect = self.per_cluster or 1.0, self.design_effect or 1.0
        unit = self.sd * math.sqrt(effect / size)  # standard deviation of the mean of a cluster
        alpha = self.alpha / self.comparisons
        return detectable_difference(n / size, unit, alpha=alpha, power=self.power)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; an infinite number of queries is None."""
        data = {
            k: v
            for k, v in asdict(self).items()
            if (self.design_effect or k not in _OF_CLUSTERS)
            and (self.model_queries or k not in _OF_MODELS)
        }
        counts = ("queries", "clusters", "queries_with_model")
        infinite = [k for k in counts if data.get(k) == math.inf]
        return {**data, **dict.fromkeys(infinite)}


def plan(
    differences: np.ndarray,
    *,
    n: int | None = None,
    difference: float | None = None,
    alpha: float = 0.05,
    power: float = POWER,
    comparisons: int = 1,
    clusters: np.ndarray | None = None,
    per_cluster: float | None = None,
) -> Plan:
    """Plan an experiment from the differences per query of a pilot.

    Args:
        differences: per query; NaN is left out.
        n: number of queries to plan for (default: as many as the pilot has).
        difference: difference of means to plan for (default: the pilot's).
        alpha: significance level.
        power: chance of finding a true difference.
        comparisons: number of comparisons that share alpha.
        clusters: number of the cluster of each query, as ``Clusters.codes`` has them.
        per_cluster: number of queries of a cluster to plan for (default: the pilot's mean).

    >>> pilot = np.array([0.1, -0.1, 0.2, 0.0, 0.3, 0.1, -0.2, 0.0])
    >>> plan(pilot, difference=0.02).queries
    507
    """
    values = np.asarray(differences, np.float64).ravel()
    codes = None if clusters is None else clusters[~np.isnan(values)]
    values = values[~np.isnan(values)]
    if len(values) < 2:
        raise DataError(
            f"a pilot of {amount(len(values), 'query')} does not show how much differences vary; "
            "at least 2 are needed, and 20 or more give a usable estimate."
        )
    if difference is not None and not 0 < abs(difference) < math.inf:
        raise UsageError(
            f"the difference to plan for must be a number other than 0, not {difference!r}."
        )
    if comparisons < 1:
        raise UsageError(f"comparisons must be at least 1, not {comparisons!r}.")
    sd = float(values.std(ddof=1))
    if values.min() == values.max():
        raise DataError(
            "the pilot's differences are the same for every query, so they do not show how much "
            "differences vary. Use a pilot with other queries or runs."
        )
    level = alpha / comparisons
    wanted = abs(float(values.mean()) if difference is None else difference)
    count = len(values) if n is None else n
    size, effect = 1.0, 1.0  # a query is a cluster of its own
    if codes is not None:
        size = len(values) / len(np.unique(codes)) if per_cluster is None else float(per_cluster)
        effect = 1.0 + (size - 1.0) * max(Intraclass.of(values, codes).icc, 0.0)
    unit = sd * math.sqrt(effect / size)  # standard deviation of the mean of a cluster
    needed = queries_needed(wanted, unit, alpha=level, power=power) if wanted else None
    queries = needed and needed * size
    return Plan(
        sd=sd,
        pilot_n=len(values),
        n=count,
        detectable=detectable_difference(count / size, unit, alpha=level, power=power),
        difference=wanted or None,
        queries=math.ceil(queries) if queries and math.isfinite(queries) else queries,
        alpha=alpha,
        power=power,
        comparisons=comparisons,
        clusters=None if codes is None else needed,
        per_cluster=None if codes is None else size,
        design_effect=None if codes is None else effect,
    )


def power_of(n: float, difference: float, sd: float, *, alpha: float = 0.05) -> float:
    """Return the chance that n queries show a true difference to be significant.

    With T noncentral t with n - 1 degrees of freedom and shift difference / sd * sqrt(n), it is
    P(|T| > t), where t is the quantile 1 - alpha / 2 of Student's t.

    >>> round(power_of(50, 0.05, 0.12), 3)
    0.823
    """
    _check(alpha=alpha)
    if n < 2 or sd <= 0:
        raise UsageError(f"power needs n of at least 2 and sd above 0, not n={n!r}, sd={sd!r}.")
    return _power(float(n), abs(difference) / sd, alpha)


def detectable_difference(
    n: float, sd: float, *, alpha: float = 0.05, power: float = POWER
) -> float:
    """Return the smallest true difference that n queries find with chance ``power``.

    >>> round(detectable_difference(50, 0.12), 4)
    0.0485
    """
    _check(alpha=alpha, power=power)
    return sd * _detectable(float(n), alpha, power) if n >= 2 else math.nan


def queries_needed(
    difference: float, sd: float, *, alpha: float = 0.05, power: float = POWER
) -> int | float:
    """Return the smallest number of queries that find a true difference with chance ``power``.

    It is infinite if it takes more than a thousand million.

    >>> queries_needed(0.05, 0.12)
    48
    """
    _check(alpha=alpha, power=power)
    effect = abs(difference) / sd if sd > 0 else math.nan
    if not effect > 0:
        raise UsageError(
            f"the difference must not be 0 and sd must be above 0, not difference={difference!r}, "
            f"sd={sd!r}."
        )
    high = 2
    while _power(float(high), effect, alpha) < power:
        if high == _MOST_QUERIES:
            return math.inf
        high = min(2 * high, _MOST_QUERIES)
    low = 2
    while low < high:
        middle = (low + high) // 2
        if _power(float(middle), effect, alpha) < power:
            low = middle + 1
        else:
            high = middle
    return low


def detectable_by(means: Means, alpha: float, power: float = POWER) -> np.ndarray:
    """Return the smallest detectable difference for each row of means, NaN below two queries."""
    standard_error = np.sqrt(means.variance())
    factors = [
        _detectable(n, alpha, power) * math.sqrt(n) if n >= 2 else math.nan
        for n in means.effective.tolist()
    ]
    return standard_error * np.array(factors)


@lru_cache(maxsize=4096)
def _detectable(n: float, alpha: float, power: float) -> float:
    """Return the detectable difference in standard deviations."""
    # About right for many queries.
    start = (_critical(n - 1.0, alpha) + normal_quantile(power)) / math.sqrt(n)
    return root(lambda effect: _power(n, effect, alpha) - power, 0.99 * start, 1.1 * start)


def _power(n: float, effect: float, alpha: float) -> float:
    df, shift = n - 1.0, effect * math.sqrt(n)
    limit = _critical(df, alpha)
    return noncentral_t_tail(limit, df, shift) + noncentral_t_tail(limit, df, -shift)


@lru_cache(maxsize=4096)
def _critical(df: float, alpha: float) -> float:
    return t_quantile(1.0 - 0.5 * alpha, df)


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where an increasing function crosses 0, by the Illinois method."""
    below, above = function(low), function(high)
    while below > 0:
        low *= 0.5
        below = function(low)
    while above < 0:
        high *= 2.0
        above = function(high)
    for _ in range(100):
        if not below < 0 < above:  # an end is the root itself
            return low if below == 0 else high
        x = low + (high - low) * below / (below - above)
        if high - low < 1e-13 * high or not low < x < high:
            break
        at = function(x)
        if at < 0:
            low, below, above = x, at, 0.5 * above
        else:
            high, above, below = x, at, 0.5 * below
    return 0.5 * (low + high)


def _check(**probabilities: float) -> None:
    for name, value in probabilities.items():
        if not 0.0 < value < 1.0:
            raise UsageError(f"{name} must be between 0 and 1, not {value!r}.")
