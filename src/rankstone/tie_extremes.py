"""Aggregates with tied documents in their worst or best order, for tie intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.aggregate import Part, aggregate
from rankstone.core.collection import ChosenQueries, Collection, MatchedCollection
from rankstone.core.rank import adds_run_queries, how_to_match
from rankstone.measures import Measure
from rankstone.measures.compute import Values, compute_each
from rankstone.measures.summation import depends_on_every_tie

_MOST = 0.5  # share of queries with ties, up to which it pays to leave out the others


def extreme_aggregates(
    data: Collection, steps: Sequence[tuple[str, Measure, Conventions]], values: Values
) -> dict[str, Part]:
    """Return aggregates under conventions that put tied documents in an extreme order.

    ``values`` are those under the conventions in force. Queries without ties keep them, so if few
    queries have ties, only these are computed again.
    """
    tied = _tied_queries(data, steps)
    if tied is None or not isinstance(data, MatchedCollection):
        return compute_each(data, steps).aggregates if steps else {}
    others = compute_each(ChosenQueries(data, tied), steps)
    row = {query: i for i, query in enumerate(values.queries)}
    rows = np.array([row[query] for query in others.queries], np.int64)
    aggregates = {}
    for name, measure, _ in steps:
        weights = values.weights.get(name)
        aggregates[name] = aggregate(measure.definition.aggregate).of(
            _replaced(values.columns[name], rows, others.columns[name]),
            None if weights is None else _replaced(weights, rows, others.weights[name]),
        )
    return aggregates


def _tied_queries(
    data: Collection, steps: Sequence[tuple[str, Measure, Conventions]]
) -> np.ndarray | None:
    """Return which judged queries have ties; None if all queries have to be computed again."""
    if not isinstance(data, MatchedCollection) or not steps:
        return None
    how = how_to_match(steps[0][2])
    for _, measure, conventions in steps:
        if adds_run_queries(conventions) or how_to_match(conventions) != how:
            return None
        if depends_on_every_tie(conventions) or measure.needs_all_queries(max_grade_known=True):
            return None
    matches = data.matches(**how)
    tied: np.ndarray = segments.count(matches.tied > 1, matches.offsets) > 0
    return tied if 0 < tied.mean() <= _MOST else None


def _replaced(values: np.ndarray, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    replaced = values.copy()
    replaced[rows] = others
    return replaced
