"""How sure is a mean over queries when the runs themselves vary?

A system that was run several times (seeds, folds, a retriever that is not deterministic) has two
sources of chance: which queries and which runs there are. Each value is taken as
mean + effect of the query + effect of the run + rest, queries and runs crossed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankstone.core.shown import plain
from rankstone.frozen import frozen
from rankstone.stats.bootstrap import Means
from rankstone.stats.distributions import normal_cdf, t_quantile
from rankstone.stats.power import root

_SMALLEST = 1e-30  # of the tails that are told apart
_MOST_Z = 11.6  # the normal quantile beyond it


@frozen
class VarianceParts:
    """The variance of a mean (or of a difference of means) and where it comes from.

    ``queries`` is the part of the variance due to queries, of which there are ``n`` (effective)
    ones; ``by_system`` are the parts due to the runs of the baseline and of the run, and
    ``repeats`` the numbers of these runs. ``by_chance`` is the part of ``queries`` that comes from
    runs that differ by query, for each system: more repeats reduce it, too.
    """

    queries: float
    n: float
    by_system: tuple[float, ...]
    repeats: tuple[int, ...]
    by_chance: tuple[float, ...] = ()

    @property
    def runs(self) -> float:
        """The part of the variance that is due to runs."""
        return sum(self.by_system)

    @property
    def total(self) -> float:
        """The variance of the mean."""
        return self.queries + self.runs

    @property
    def share_of_runs(self) -> float:
        """The share of the variance that more repeats would reduce."""
        reducible = self.runs + min(sum(self.by_chance), self.queries)
        return reducible / self.total if self.total > 0 else 0.0

    def reach(self, tail: float) -> float:
        """Return half the length of the interval with this much probability beyond each end.

        Each part of the variance counts with the quantile of Student's t that belongs to it: the
        square of the reach is the sum of t^2 times the part, with n - 1 degrees of freedom for
        queries and one less than the runs of a system for these (Banerjee 1960). This covers
        at least as much as it should; with common degrees of freedom it would cover too little
        if there are few runs.
        """
        sources = [(self.queries, self.n), *zip(self.by_system, self.repeats, strict=True)]
        quantiles = ((t_quantile(tail, count - 1.0), part) for part, count in sources if part > 0)
        return math.sqrt(sum(t * t * part for t, part in quantiles))

    def p_value(self, difference: float) -> float:
        """Return the p at which the interval with confidence 1 - p ends at 0."""
        size = abs(difference)
        if not size or not self.total:
            return 0.0 if size else 1.0
        if self.reach(_SMALLEST) < size:
            return 2.0 * _SMALLEST
        most = min(size / math.sqrt(self.total), _MOST_Z)
        z = root(lambda z: self.reach(normal_cdf(-z)) - size, 0.25 * most, most)
        return 2.0 * normal_cdf(-z)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {**plain(vars(self)), "runs": self.runs, "share_of_runs": self.share_of_runs}


def variance_parts(means: Means, row: int, systems: Sequence[np.ndarray]) -> VarianceParts:
    """Divide the variance of a mean into that of queries and that of runs.

    With R runs of a system on n queries, let B be the variance of the R runs' means and E that of
    the rest of two-way analysis of variance. The runs add B / R - E / (n R) to the variance of the
    mean over queries, which already contains the rest; a negative estimate counts as 0.

    Args:
        means: holds the mean over queries of the (difference of the) systems' mean values.
        row: of ``means``.
        systems: per system one row of values per run, one column per query.
    """
    used = ~np.isnan(means.values[row])
    n, weights = float(means.effective[row]), means.weights_of(row)
    share = np.ones(int(used.sum())) if weights is None else weights[used]
    share = share / share.sum()
    of_runs, by_chance = [0.0] * len(systems), [0.0] * len(systems)
    for place, system in enumerate(systems):
        count = len(system)
        if count < 2:
            continue
        values = system[:, used]
        run_means = (values * share).sum(axis=1)
        between = float(run_means.var(ddof=1)) / count
        rest = values - run_means[:, None] - values.mean(axis=0) + run_means.mean()
        spread = float((rest**2 * share).sum()) / (count - 1) * n / (n - 1.0)
        within = spread / (n * count)
        of_runs[place], by_chance[place] = max(between - within, 0.0), within
    counts = tuple(len(system) for system in systems)
    queries = float(means.variance()[row])
    return VarianceParts(queries, n, tuple(of_runs), counts, tuple(by_chance))
