"""Many measures in one pass over one Ranked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from rankstone.core.aggregate import Aggregate
from rankstone.core.ranked import Ranked
from rankstone.errors import UsageError
from rankstone.measures.base import Measure
from rankstone.measures.names import parse_measure


def measures_of(wanted: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """Return the measures asked for, each once, in the order they were asked for."""
    one = isinstance(wanted, str | Measure)
    each: list[Any] = [wanted] if one else list(cast("Iterable[Any]", wanted))
    measures = list(dict.fromkeys(parse_measure(m) for m in each))
    if not measures:
        raise UsageError("no measure was asked for; name at least one.")
    return measures


def compute(
    ranked: Ranked, measures: Iterable[Measure]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, Aggregate], dict[str, float]]:
    """Return per-query values, their weights, mergeable aggregates and final values, by name.

    Cut-offs and measures share what they have in common: a Ranked remembers its gains,
    discounts, hits and ideal ranking.
    """
    columns, weights, aggregates = {}, {}, {}
    for m in measures:
        working = m.working(ranked)
        values = columns[str(m)] = m.values(ranked, working)
        if working.weight is not None:
            weights[str(m)] = working.weight.astype(np.float64)
        aggregates[str(m)] = Aggregate.of(values, weights.get(str(m)))
    final = {str(m): aggregates[str(m)].finish(m.definition.aggregate) for m in measures}
    return columns, weights, aggregates, final
