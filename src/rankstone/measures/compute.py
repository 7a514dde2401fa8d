"""Many measures in one pass over one Ranked."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core.aggregate import Part, aggregate
from rankstone.core.gpu import Reach
from rankstone.core.parallel import on_each
from rankstone.core.ranked import Ranked
from rankstone.errors import Notice, UsageError
from rankstone.measures.base import As, Measure
from rankstone.measures.parse import read_measure
from rankstone.profiles import Profile


@dataclass(frozen=True, eq=False)
class Asked:
    """A measure as it was asked for, and as it is computed.

    ``spelling`` is its entry in the tool that is followed, if the tool has it.
    """

    name: str
    measure: Measure
    spelling: As | None = None
    notice: Notice | None = None

    def under(self, base: Conventions, fixed: Collection[str] = ()) -> Conventions:
        """Return the conventions for this measure; what is ``fixed`` stays as it is."""
        own = self.spelling.conventions if self.spelling else {}
        own = {n: v for n, v in own.items() if n not in fixed}
        return base.replace(**own) if own else base


def asked_for(
    wanted: str | Measure | Iterable[str | Measure], like: Profile | None = None
) -> list[Asked]:
    """Return the measures asked for, each once, in the order they were asked for."""
    one = isinstance(wanted, str | Measure)
    each: list[Any] = [wanted] if one else list(cast("Iterable[Any]", wanted))
    found: dict[Measure, Asked] = {}
    for m in each:
        measure, spelling = read_measure(m, like.keys if like else ())
        if like is None:
            found.setdefault(measure, Asked(str(m).strip(), measure))
            continue
        notice = None
        if spelling is None:
            text = f"{like.tool} has no {measure.name}; computed with its conventions"
            notice = Notice("not-in-tool", 1, text, level="note")
        elif spelling.note:
            text = f"{measure} is not quite {like.tool}'s {spelling.base}: {spelling.note}"
            notice = Notice("tool-differs", 1, text, level="note")
        found.setdefault(measure, Asked(str(m).strip(), measure, spelling, notice))
    if not found:
        raise UsageError("no measure was asked for; name at least one.")
    return list(found.values())


def in_tool(measure: Measure, tool: Profile) -> list[Asked]:
    """Return a measure in each way a tool has it, ways that come to the same once."""
    listed = measure.definition.names
    own = next((listed[key] for key in tool.keys if key in listed), ())
    k = measure.params.get("k")
    fitting = [s for s in own if ("{k}" in s.pattern) == (k is not None)] or own
    given = measure.given
    ways: dict[tuple[Measure, str], Asked] = {}
    for spelling in fitting:
        there = measure(**{**spelling.params, **given})
        name = spelling.pattern.replace("{k}", "k" if k is None else str(k))
        ways.setdefault((there, str(spelling.conventions)), Asked(name, there, spelling))
    return list(ways.values())


def reach_of(measures: Iterable[Measure]) -> Reach | None:
    """Return how much of a list is read by any of the measures, None where it is all of it."""
    found = [m.reach() for m in measures]
    some = [reach for reach in found if reach is not None]
    if len(some) < len(found):
        return None
    return Reach(max(r.k for r in some), all(r.closed for r in some))


class Joined(Protocol):
    """What ranks and grades are made from, under any conventions."""

    def ranked(self, conventions: Conventions) -> Ranked:
        """Return ranks and grades under some conventions."""


@dataclass(frozen=True, eq=False)
class Values:
    """Per-query values, their weights where the mean is weighted, and aggregates, by measure."""

    queries: list[Any]
    columns: dict[str, np.ndarray]
    weights: dict[str, np.ndarray]
    aggregates: dict[str, Part]
    final: dict[str, float]


def compute(ranked: Ranked, measures: Iterable[Measure]) -> Values:
    """Return the values of measures on one Ranked.

    Cut-offs and measures share what they have in common: a Ranked remembers its gains,
    discounts, hits and ideal ranking.
    """
    asked = list(measures)
    parts = on_each(lambda part: _values(ranked.part(*part), asked), ranked.parts())
    columns, weights, aggregates, final = {}, {}, {}, {}
    for m, found in zip(asked, zip(*parts, strict=True), strict=True):
        values = columns[str(m)] = np.concatenate([value for value, _ in found])
        given = [weight for _, weight in found if weight is not None]
        if given:
            weights[str(m)] = np.concatenate(given).astype(np.float64)
        how = aggregate(m.definition.aggregate)
        aggregates[str(m)] = how.of(values, weights.get(str(m)))
        final[str(m)] = how.finish(aggregates[str(m)])
    return Values(ranked.queries, columns, weights, aggregates, final)


def compute_each(join: Joined, plan: Iterable[tuple[Measure, Conventions]]) -> Values:
    """Return the values of measures, each under conventions of its own, from one join."""
    groups: dict[Conventions, list[Measure]] = {}
    order = []
    for measure, conventions in plan:
        groups.setdefault(conventions, []).append(measure)
        order.append(str(measure))
    parts = [compute(join.ranked(c), measures) for c, measures in groups.items()]
    return parts[0] if len(parts) == 1 else _together(parts, order)


def _together(parts: list[Values], order: list[str]) -> Values:
    """Put values side by side; a query that one part leaves out has no value there."""
    longest = sorted((p.queries for p in parts), key=len, reverse=True)
    queries = list(dict.fromkeys(query for part in longest for query in part))
    row = {query: i for i, query in enumerate(queries)}
    columns: dict[str, np.ndarray] = {}
    weights: dict[str, np.ndarray] = {}
    aggregates: dict[str, Part] = {}
    final: dict[str, float] = {}
    for part in parts:
        at = np.array([row[q] for q in part.queries], np.int64)
        for name, values in part.columns.items():
            columns[name] = _placed(values, at, len(queries), np.nan)
            if name in part.weights:
                weights[name] = _placed(part.weights[name], at, len(queries), 0.0)
        aggregates |= part.aggregates
        final |= part.final
    return Values(
        queries,
        {n: columns[n] for n in order},
        weights,
        {n: aggregates[n] for n in order},
        {n: final[n] for n in order},
    )


def _placed(values: np.ndarray, at: np.ndarray, size: int, rest: float) -> np.ndarray:
    placed = np.full(size, rest)
    placed[at] = values
    return placed


def _values(ranked: Ranked, measures: list[Measure]) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """Return the values and weights of each measure."""
    computations = ((m, m.computation(ranked)) for m in measures)
    values = [(m.values(c), c.query_weight) for m, c in computations]
    ranked.forget()
    return values
