"""Aggregates with tied documents in their worst or best order, for tie intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.core.aggregate import Part, aggregate
from rankstone.core.collection import ChosenQueries, Collection, MatchedCollection
from rankstone.core.rank import adds_run_queries, how_to_match
from rankstone.measures import Measure
from rankstone.measures.compute import Values, compute_each
from rankstone.measures.summation import depends_on_every_tie

_MOST_TIED = 0.5  # share of queries with ties, up to which it pays to leave out the others

Steps = Sequence[tuple[str, Measure, Conventions]]


def extreme_aggregates(data: Collection, steps: Steps, values: Values) -> dict[str, Part]:
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
    aggregates = {}
    for name, measure, _ in steps:
        weights = values.weights.get(name)
        aggregates[name] = aggregate(measure.definition.aggregate).of(
            _replaced(values.columns[name], rows, recomputed.columns[name]),
            None if weights is None else _replaced(weights, rows, recomputed.weights[name]),
        )
    return aggregates


def _tied_queries(data: MatchedCollection, steps: Steps) -> ChosenQueries | None:
    """Return the judged queries that have ties; None if all queries have to be computed again."""
    how = how_to_match(steps[0][2])
    for _, measure, conventions in steps:
        if adds_run_queries(conventions) or how_to_match(conventions) != how:
            return None
        if depends_on_every_tie(conventions) or measure.needs_all_queries(max_grade_known=True):
            return None
    matches = data.matches(**how)
    tied = segments.count(matches.tied > 1, matches.offsets) > 0
    is_few = 0 < np.count_nonzero(tied) <= _MOST_TIED * len(tied)
    return ChosenQueries(data, tied) if is_few else None


def _replaced(values: np.ndarray, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    replaced = values.copy()
    replaced[rows] = others
    return replaced
