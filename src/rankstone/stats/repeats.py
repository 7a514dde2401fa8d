"""How sure is a mean over queries when the runs themselves vary?

A system that was run several times (seeds, folds, a retriever that is not deterministic) has two
sources of chance: which queries and which runs there are. Each value is taken as
mean + effect of the query + effect of the run + rest, queries and runs crossed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from rankstone.stats.bootstrap import Means


@dataclass(frozen=True)
class VarianceParts:
    """The variance of a mean (or of a difference of means) and where it comes from.

    ``df`` are the degrees of freedom of the estimate (Satterthwaite), ``repeats`` the number of
    runs of the baseline and of the run.
    """

    queries: float
    runs: float
    df: float
    repeats: tuple[int, ...]

    @property
    def total(self) -> float:
        """The variance of the mean."""
        return self.queries + self.runs

    @property
    def share_of_runs(self) -> float:
        """The share of the variance that more queries would not reduce."""
        return self.runs / self.total if self.total > 0 else 0.0

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {**asdict(self), "repeats": list(self.repeats), "share_of_runs": self.share_of_runs}


def variance_parts(
    means: Means, row: int, systems: Sequence[np.ndarray], weights: np.ndarray | None
) -> VarianceParts:
    """Divide the variance of a mean into that of queries and that of runs.

    With R runs of a system on n queries, let B be the variance of the R runs' means and E that of
    the rest of two-way analysis of variance. The runs add B / R - E / (n R) to the variance of the
    mean over queries, which already contains the rest; a negative estimate counts as 0.

    Args:
        means: holds the mean over queries of the (difference of the) systems' mean values.
        row: of ``means``.
        systems: per system one row of values per run, one column per query.
        weights: one per query.
    """
    used = ~np.isnan(means.values[row])
    n = float(means.effective[row])
    share = np.ones(int(used.sum())) if weights is None else weights[used]
    share = share / share.sum()
    of_queries = float(means.variance()[row])
    of_runs = 0.0
    squares = of_queries**2 / (n - 1.0)
    for system in systems:
        count = len(system)
        if count < 2:
            continue
        values = system[:, used]
        run_means = (values * share).sum(axis=1)
        between = float(run_means.var(ddof=1)) / count
        rest = values - run_means[:, None] - values.mean(axis=0) + run_means.mean()
        spread = float((rest**2 * share).sum()) / (count - 1) * n / (n - 1.0)
        within = spread / (n * count)
        if between > within:
            of_runs += between - within
            squares += (between**2 + within**2 / (n - 1.0)) / (count - 1)
    total = of_queries + of_runs
    df = total**2 / squares if squares > 0 else n - 1.0
    return VarianceParts(of_queries, of_runs, df, tuple(len(system) for system in systems))
