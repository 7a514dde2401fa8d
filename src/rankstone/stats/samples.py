"""The values that a comparison is made from, measure by measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankstone.core.aggregate import MEAN
from rankstone.stats.bootstrap import Means
from rankstone.stats.values import ValueTable

_SAME = 1e-12  # relative; values closer than this are ties


@dataclass(frozen=True, eq=False)
class Options:
    """How to compare; ``stats.compare.compare`` describes the fields."""

    test: str
    correction: str
    interval: str
    confidence: float
    resamples: int
    seed: int
    minimum_difference: float | None
    incomplete_above: float
    zeros: str
    moved: int

    @property
    def alpha(self) -> float:
        """The significance level."""
        return 1.0 - self.confidence


@dataclass(frozen=True, eq=False)
class Sample:
    """The values of all systems by one measure, and the differences of the pairs.

    ``values`` has one row per system, ``pairs`` one of baseline and run, ``differences`` one per
    pair: run minus baseline, NaN where the pair leaves a query out. ``usable`` is False where it
    does so because a run has no value.
    """

    table: ValueTable
    measure: str
    pairs: np.ndarray
    values: np.ndarray
    differences: np.ndarray
    usable: np.ndarray
    weights: np.ndarray | None
    higher: bool

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
    ) -> Sample:
        """Subtract the baselines' values from the runs'.

        Args:
            table: holds the values.
            measure: one of its measures.
            pairs: rows of baseline and run.
            weights: one per query; a query of weight 0 is left out.
            complete: leave out queries for which any system has no value.
            higher: higher values are better.
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
        return cls(table, measure, pairs, values, differences, usable, weights, higher)

    @cached_property
    def means(self) -> Means:
        """The means of the differences."""
        return Means.of(self.differences, self.weights)

    def only(self, rows: np.ndarray, kept: np.ndarray) -> Sample:
        """Return some of the pairs, each on some of the queries."""
        differences = np.where(kept, self.differences[rows], np.nan)
        usable = self.usable[rows]
        return replace(self, pairs=self.pairs[rows], differences=differences, usable=usable)

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


def _mean(values: np.ndarray, weights: np.ndarray | None) -> float:
    return MEAN.of(values, weights).mean()
