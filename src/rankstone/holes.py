"""The verb ``holes``: which unjudged documents matter most to a value, or to a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankstone.conventions import Conventions
from rankstone.core.completions import Holes
from rankstone.core.judgments import Judgments
from rankstone.core.unjudged import Hole
from rankstone.errors import UsageError
from rankstone.io.load import collection
from rankstone.io.tops import Tops
from rankstone.measures.base import Measure
from rankstone.measures.influence import influences


def holes(
    judgments: Judgments, runs: Sequence[Tops], measure: Measure, conventions: Conventions
) -> list[Hole]:
    """Return the unjudged documents of a run, or of two, by the size of their effect.

    Where effects add up, as those of DCG or precision do, judging documents in this order narrows
    the interval of the mean, or of the difference, fastest.
    """
    if not 1 <= len(runs) <= 2:
        raise UsageError(f"give one run, or two to compare, not {len(runs)}.")
    effects: dict[tuple[Any, Any], float] = {}
    ranks: dict[tuple[Any, Any], list[int | None]] = {}
    for i, run in enumerate(runs):
        ranked = collection(judgments, run).ranked(conventions)
        found = influences(measure, Holes.of(ranked))
        sign = 1.0 - 2.0 * i
        for q, rank, effect in zip(
            found.query.tolist(), found.rank.tolist(), found.effect.tolist(), strict=True
        ):
            query = ranked.queries[q]
            key = query, run[str(query)][rank - 1]
            effects[key] = effects.get(key, 0.0) + sign * effect / len(ranked)
            ranks.setdefault(key, [None] * len(runs))[i] = rank
    order = sorted(effects, key=lambda key: (-abs(effects[key]), _first(ranks[key]), str(key)))
    return [Hole(*key, tuple(ranks[key]), effects[key]) for key in order]


def _first(ranks: Sequence[int | None]) -> int:
    return min(rank for rank in ranks if rank is not None)
