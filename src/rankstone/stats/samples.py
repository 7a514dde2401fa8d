"""The values that a comparison is made from, measure by measure."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from rankstone.choices.statistics import Statistics
from rankstone.core.aggregate import MEAN
from rankstone.frozen import frozen
from rankstone.stats.bootstrap import Means
from rankstone.stats.clusters import Clusters, freedom
from rankstone.stats.values import ValueTable

_SAME = 1e-12  # relative; values closer than this are ties


@frozen(kw_only=True, eq=False, repr=False)
class Options(Statistics):
    """The statistics of a comparison: test, interval and seed are those in force.

    ``exact`` intervals hold for any values, ``families`` is the number of sets of comparisons that are
    corrected together, of ``measures_in_family`` measures each.
    """

    test: str = ""
    interval: str = ""
    rng: int = 0
    exact: bool = False
    measures_in_family: int = 1
    families: int = 1

    @property
    def alpha(self) -> float:
        """The significance level."""
        return 1.0 - self.confidence


@frozen(eq=False)
class Sample:
    """The values of all systems by one measure, and the differences of the pairs.

    ``values`` has one row per system, ``pairs`` one of baseline and run, ``differences`` one per
    pair: run minus baseline, NaN where the pair leaves a query out. ``usable`` is False where it
    does so because a run has no value. ``weights`` are one per query, or one per pair and query.
    ``limits`` are the least and the largest value of the measure, as far as they are known.
    """

    table: ValueTable
    measure: str
    pairs: np.ndarray
    values: np.ndarray
    differences: np.ndarray
    usable: np.ndarray
    weights: np.ndarray | None
    higher: bool
    limits: tuple[float, float]
    clusters: Clusters | None = None
    freedom: np.ndarray | None = None  # of the variance of means over clusters of unequal size

    @classmethod
    def of(
        cls,
        table: ValueTable,
        measure: str,
        pairs: np.ndarray,
        *,
        weights: np.ndarray | None,
        complete: bool,
        higher: bool,
        limits: tuple[float, float] | None = None,
        clusters: Clusters | None = None,
    ) -> Sample:
        """Subtract the baselines' values from the runs'.

        Args:
            table: holds the values.
            measure: one of its measures.
            pairs: rows of baseline and run.
            weights: one per query; a query of weight 0 is left out.
            complete: leave out queries for which any system has no value.
            higher: higher values are better.
            limits: range of the measure (default: 0 to 1 if all values are in it, otherwise theirs).
            clusters: of the queries.
        """
        values = table.values(measure)
        if weights is not None:
            values = np.where(weights > 0, values, np.nan)
        base, run = values[pairs[:, 0]], values[pairs[:, 1]]
        tied = np.abs(run - base) <= _SAME * np.maximum(np.abs(base), np.abs(run))
        differences = np.where(tied, 0.0, run - base)
        if complete:
            differences[:, np.isnan(values).any(axis=0)] = np.nan
        usable = ~np.isnan(differences)
        ends = _range(values, limits)
        return cls(
            table, measure, pairs, values, differences, usable, weights, higher, ends, clusters
        )

    @cached_property
    def means(self) -> Means:
        """The means of the differences."""
        means = Means.of(self.differences, self.weights)
        return means if self.freedom is None else replace(means, freedom=self.freedom)

    @cached_property
    def units(self) -> Sample:
        """The units of tests and intervals: the means of clusters, or the queries themselves.

        The weight of a cluster is that of its queries, so that the mean is the same.
        """
        if self.clusters is None:
            return self
        differences, weights = self.clusters.means(self.differences, self.weights)
        return replace(
            self,
            differences=differences,
            values=self.clusters.means(
                np.where(self.usable.all(axis=0), self.values, np.nan), self.weights
            )[0],
            usable=~np.isnan(differences),
            weights=weights,
            freedom=None if weights is None else freedom(weights),
        )

    def repeated(self, system: int, row: int) -> np.ndarray:
        """Return the values of the runs of a system, one row each, by unit of a pair."""
        runs = self.table.repeated(system, self.measure)
        if self.clusters is None:
            return runs
        kept = np.where(np.isnan(self.differences[row]), np.nan, runs)
        return self.clusters.means(kept, self.weights)[0]

    def bounds(self) -> tuple[float, float]:
        """Return the least and the largest difference that there can be."""
        reach = self.limits[1] - self.limits[0]
        return -reach, reach

    def only(self, rows: np.ndarray, kept: np.ndarray) -> Sample:
        """Return some of the pairs, each on some of the queries."""
        differences = np.where(kept, self.differences[rows], np.nan)
        usable = self.usable[rows]
        return replace(self, pairs=self.pairs[rows], differences=differences, usable=usable)

    def in_groups(self, masks: np.ndarray) -> Sample:
        """Return all pairs on the queries of the first group, then of the second, and so on.

        Args:
            masks: one row per group, which queries are in it.
        """
        rows = np.tile(np.arange(len(self.pairs)), len(masks))
        return self.only(rows, np.repeat(masks, len(self.pairs), axis=0))

    def mean(self, system: int, row: int) -> float:
        """Return the mean of a system over the queries of a pair."""
        if self._counts[system] == self.means.n[row]:
            return self.system_means[system]
        used = ~np.isnan(self.differences[row])
        return _mean(np.where(used, self.values[system], np.nan), self.weights)

    @cached_property
    def _counts(self) -> np.ndarray:
        return (~np.isnan(self.values)).sum(axis=1)

    @cached_property
    def system_means(self) -> list[float]:
        """The means of the systems over all queries that each has a value for."""
        return [_mean(row, self.weights) for row in self.values]


def _range(values: np.ndarray, known: tuple[float, float] | None) -> tuple[float, float]:
    """Return finite ends of the range of a measure."""
    least, largest = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
    if known is None:
        known = (0.0, 1.0) if least >= 0.0 and largest <= 1.0 else (-np.inf, np.inf)
    low, high = known
    ends = (least if np.isinf(low) else low), (largest if np.isinf(high) else high)
    return float(min(ends[0], least)), float(max(ends[1], largest))


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    return MEAN.of(values, weights).mean()
