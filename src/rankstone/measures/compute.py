"""Many measures in one pass over one Ranked, and their aggregates under the best and worst ties."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.core.aggregate import Part, aggregate
from rankstone.core.collection import Collection, CollectionPart, MatchedCollection
from rankstone.core.items import ListCounts
from rankstone.core.rank import ListNeeds, adds_run_queries, match_options
from rankstone.core.ranked import Ranked
from rankstone.core.timing import stage
from rankstone.frozen import frozen
from rankstone.measures.base import Measure
from rankstone.measures.summation import Pooled, depends_on_every_tie

#: What is kept of some queries to make an aggregate of all.
State = Part | ListCounts
#: The value of the chosen queries, by a mask or by their rows, of a measure of all lists together.
Pool = Callable[[np.ndarray], float]


def list_needs(plan: Iterable[tuple[Measure, Conventions]]) -> ListNeeds:
    """Return how much of a list is read by any of the measures."""
    needs = [measure.list_needs(conventions) for measure, conventions in plan]
    cutoffs = [n.k for n in needs if n.k is not None]
    return ListNeeds(
        max(cutoffs) if len(cutoffs) == len(needs) else None,
        all(n.supports_expected_ties for n in needs),
        nonrelevant=any(n.nonrelevant for n in needs),
        below=any(n.below for n in needs),
    )


@frozen(eq=False)
class Values:
    """Per-query values, their weights where the mean is weighted, and aggregates, by measure.

    ``pools`` return the value of some queries together, of measures that have no value per query.
    """

    queries: Sequence[Any]
    columns: dict[str, np.ndarray]
    weights: dict[str, np.ndarray]
    aggregates: dict[str, State]
    pools: dict[str, Pool] = field(default_factory=dict)


def compute(ranked: Ranked, measures: Mapping[str, Measure]) -> Values:
    """Return the values of measures on one Ranked, by the names of their columns.

    Cut-offs and measures share what they have in common: a Ranked remembers its gains,
    discounts, hits and ideal ranking.
    """
    weighted = set()
    pooled: dict[str, Pooled] = {}
    for name, m in measures.items():
        if m.definition.of_all_lists is not None:
            pooled[name] = m.computation(ranked)  # type: ignore[assignment]

    def values_and_weights(part: Ranked) -> list[np.ndarray]:
        by_query = []
        for name, m in measures.items():
            if name in pooled:
                by_query.append(np.full(len(part), np.nan))
                continue
            computation = m.computation(part)
            by_query.append(m.values(computation))
            if computation.query_weight is not None:
                by_query.append(computation.query_weight)
                weighted.add(name)
        return by_query

    with stage("measures"):
        computed = iter(ranked.by_query(values_and_weights))
    columns, weights = {}, {}
    aggregates: dict[str, State] = {}
    for name, m in measures.items():
        values = columns[name] = next(computed)
        if name in weighted:
            weights[name] = next(computed).astype(np.float64)
        if name in pooled:
            aggregates[name] = pooled[name].counts()
        else:
            aggregates[name] = aggregate(m.definition.aggregate).of(values, weights.get(name))
    pools: dict[str, Pool] = {n: partial(_of_some, measures[n], p) for n, p in pooled.items()}
    return Values(ranked.queries, columns, weights, aggregates, pools)


def _of_some(measure: Measure, pooled: Pooled, chosen: np.ndarray) -> float:
    """Return the value of the chosen lists together."""
    return _finish(measure, pooled.counts(chosen))


def _finish(measure: Measure, part: State) -> float:
    if isinstance(part, Part):
        return aggregate(measure.definition.aggregate).finish(part)
    of_all: Any = measure.definition.of_all_lists
    return float(of_all(measure, part))


def final_values(
    measures: Mapping[str, Measure], aggregates: Mapping[str, State]
) -> dict[str, float]:
    """Return the number of each measure, from the parts of its aggregate."""
    return {name: _finish(measures[name], part) for name, part in aggregates.items()}


def compute_each(join: Collection, plan: Iterable[tuple[str, Measure, Conventions]]) -> Values:
    """Return the values of measures by column, each under conventions of its own, from one join."""
    groups: dict[Conventions, dict[str, Measure]] = {}
    order = []
    for name, measure, conventions in plan:
        groups.setdefault(conventions, {})[name] = measure
        order.append(name)
    parts = [compute(join.ranked(c), measures) for c, measures in groups.items()]
    return parts[0] if len(parts) == 1 else side_by_side(parts, order)


def side_by_side(parts: list[Values], order: list[str]) -> Values:
    """Put measures side by side; a query that one part leaves out has no value there."""
    longest = sorted((p.queries for p in parts), key=len, reverse=True)
    queries = list(dict.fromkeys(query for part in longest for query in part))
    row = {query: i for i, query in enumerate(queries)}
    columns: dict[str, np.ndarray] = {}
    weights: dict[str, np.ndarray] = {}
    aggregates: dict[str, State] = {}
    pools: dict[str, Pool] = {}
    for part in parts:
        if part.queries == queries:
            pools |= part.pools
        at = np.array([row[q] for q in part.queries], np.int64)
        for name, values in part.columns.items():
            columns[name] = _placed(values, at, len(queries), np.nan)
            if name in part.weights:
                weights[name] = _placed(part.weights[name], at, len(queries), 0.0)
        aggregates |= part.aggregates
    return Values(
        queries, {n: columns[n] for n in order}, weights, {n: aggregates[n] for n in order}, pools
    )


def _placed(values: np.ndarray, at: np.ndarray, size: int, rest: float) -> np.ndarray:
    placed = np.full(size, rest)
    placed[at] = values
    return placed


_MOST_TIED = 0.5  # share of queries with ties, up to which it pays to leave out the others

Steps = Sequence[tuple[str, Measure, Conventions]]


def extreme_aggregates(data: Collection, steps: Steps, values: Values) -> dict[str, State]:
    """Return aggregates under conventions that put tied documents in an extreme order.

    ``values`` are those under the conventions in force. Queries without ties keep them, so if few
    queries have ties, only these are computed again.
    """
    tied = _tied_queries(data, steps) if isinstance(data, MatchedCollection) else None
    if tied is None:
        return compute_each(data, steps).aggregates
    recomputed = compute_each(tied, steps)
    row = {query: i for i, query in enumerate(values.queries)}
    rows = np.array([row[query] for query in recomputed.queries], np.int64)
    aggregates: dict[str, State] = {}
    for name, measure, _ in steps:
        weights = values.weights.get(name)
        aggregates[name] = aggregate(measure.definition.aggregate).of(
            _replaced(values.columns[name], rows, recomputed.columns[name]),
            None if weights is None else _replaced(weights, rows, recomputed.weights[name]),
        )
    return aggregates


def _tied_queries(data: MatchedCollection, steps: Steps) -> CollectionPart | None:
    """Return the judged queries that have ties; None if all queries have to be computed again."""
    how = match_options(steps[0][2])
    for _, measure, conventions in steps:
        if adds_run_queries(conventions) or match_options(conventions) != how:
            return None
        if depends_on_every_tie(conventions) or measure.needs_all_queries(max_grade_known=True):
            return None
    matches = data.matches(**how)
    tied = segments.count(matches.tied > 1, matches.offsets) > 0
    is_few = 0 < np.count_nonzero(tied) <= _MOST_TIED * len(tied)
    return CollectionPart(data, tied) if is_few else None


def _replaced(values: np.ndarray, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    replaced = values.copy()
    replaced[rows] = others
    return replaced
