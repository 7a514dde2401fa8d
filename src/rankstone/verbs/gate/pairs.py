"""A candidate against a baseline, over all queries and over slices of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankstone.stats.clusters import Source
from rankstone.stats.compare import compare
from rankstone.stats.comparison import PairComparison
from rankstone.stats.values import QueryValues
from rankstone.verbs.gate.baseline import Baseline

#: Queries listed that lost most.
WORST = 5


@dataclass(frozen=True, eq=False)
class Values:
    """Values per query of a candidate and of a baseline.

    ``lower_is_better`` are the measures of which a smaller value is better, ``ranges`` the least
    and the largest value of each measure.
    """

    candidate: QueryValues
    baseline: QueryValues
    lower_is_better: Collection[str] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    clusters: Source | None = None

    @classmethod
    def of(
        cls,
        candidate: QueryValues,
        baseline: Baseline,
        lower_is_better: Collection[str],
        ranges: Mapping[str, tuple[float, float]],
    ) -> Values:
        """Match a candidate with a baseline; their names differ."""
        unanswered = set(baseline.unanswered)
        name = baseline.name if baseline.name != candidate.name else f"{baseline.name} (baseline)"
        answered = np.array([query not in unanswered for query in baseline.queries], bool)
        columns = baseline.columns
        values = QueryValues(name, baseline.queries, columns, answered)
        return cls(candidate, values, lower_is_better, ranges)

    def pair(self, measure: str, confidence: float) -> PairComparison:
        """Compare by one measure."""
        comparison = compare(
            [self.baseline, self.candidate],
            measures=[measure],
            test="t",
            correction="none",
            confidence=confidence,
            lower_is_better=self.lower_is_better,
            moved=WORST,
            ranges=self.ranges,
            clusters=self.clusters,
            exact=True,
        )
        return comparison.comparisons[0]

    def lost(self, measure: str) -> list[Any]:
        """Return the queries with a value of the baseline and none of the candidate."""
        candidate = self.candidate
        mine = _with_value(candidate.queries, candidate.columns[measure])
        theirs = _with_value(self.baseline.queries, self.baseline.columns[measure])
        kept = set(mine)
        return [query for query in theirs if query not in kept]

    def shares(self, measure: str) -> bool:
        """Return whether both have a value of a measure for some query."""
        columns = ((v.queries, v.columns[measure]) for v in (self.candidate, self.baseline))
        mine, theirs = (set(_with_value(queries, values)) for queries, values in columns)
        return bool(mine & theirs)

    def unanswered(self) -> list[Any]:
        """Return the queries that the baseline answers and the candidate does not."""
        kept = set(_answered(self.candidate))
        return [query for query in _answered(self.baseline) if query not in kept]

    def slices(self, group_of: Mapping[Any, str]) -> dict[str, Values]:
        """Return the values of each group of queries, in the order of their names."""
        names = sorted({group_of[q] for q in self.candidate.queries if q in group_of})
        return {name: self._slice(group_of, name) for name in names}

    def _slice(self, group_of: Mapping[Any, str], name: str) -> Values:
        candidate, baseline = (
            _only(values, group_of, name) for values in (self.candidate, self.baseline)
        )
        return replace(self, candidate=candidate, baseline=baseline)


def _with_value(queries: Sequence[Any], values: np.ndarray) -> list[Any]:
    return [queries[i] for i in np.flatnonzero(~np.isnan(values)).tolist()]


def _answered(values: QueryValues) -> Iterable[Any]:
    flags = values.answered
    return [q for i, q in enumerate(values.queries) if flags is None or flags[i]]


def _only(values: QueryValues, group_of: Mapping[Any, str], name: str) -> QueryValues:
    rows = [i for i, query in enumerate(values.queries) if group_of.get(query) == name]
    return QueryValues(
        values.name,
        [values.queries[i] for i in rows],
        {measure: column[rows] for measure, column in values.columns.items()},
        None if values.answered is None else values.answered[rows],
    )
