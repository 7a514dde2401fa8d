"""The search behind ``reconcile``: which choices give a number that somebody reported?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core.aggregate import AGGREGATES, summarise
from rankstone.core.collection import Collection
from rankstone.core.rank import conventions_that_matter
from rankstone.errors import RankstoneError
from rankstone.measures.base import REGISTRY, Measure
from rankstone.measures.param import REL, Param
from rankstone.measures.request import Candidate, Departure, ToolMeasure, ways_in_tool
from rankstone.tools import TOOLS

_MOST_CHOICES = 3
_MOST_LEVELS = 4


def start(data: Collection, measure: Measure, base: Conventions) -> Candidate:
    """Return the value without any departure."""
    return _try(data, measure, base, ())


def by_choices(data: Collection, measure: Measure, base: Conventions) -> Iterator[list[Candidate]]:
    """Yield all combinations that depart in one choice, in two, and so on.

    Choices that cannot change anything in these data are not tried.
    """
    axes = _axes(data, measure, base)
    for size in range(1, _MOST_CHOICES + 1):
        plans = [choices for some in combinations(axes, size) for choices in product(*some)]
        # Those that share their ranking share its making, if they come one after another.
        plans.sort(key=lambda choices: [str(c) for c in choices if _moves(c)])
        tried = (_attempt(data, measure, base, choices) for choices in plans)
        yield [candidate for candidate in tried if candidate is not None]


def by_tools(data: Collection, measure: Measure, base: Conventions) -> Iterator[ToolMeasure]:
    """Yield what each tool that has the measure would give, in each way that it has it."""
    for row in in_tools(measure):
        choices = (
            *(("measure", n, v) for n, v in row.measure.params.items() if v != measure.params[n]),
            *(("convention", n, v) for n, v in row.conventions.diff(base).items()),
        )
        yield replace(row, candidate=_attempt(data, measure, base, choices))


def in_tools(measure: Measure) -> Iterator[ToolMeasure]:
    """Yield how each tool that has the measure defines it."""
    for name, tool in TOOLS.items():
        for way in ways_in_tool(measure, tool):
            note = way.tool_name.note if way.tool_name else ""
            conventions = way.conventions_for(tool.conventions)
            yield ToolMeasure(name, way.column, way.measure, conventions, note)


def by_mistakes(data: Collection, measure: Measure, base: Conventions) -> Iterator[Candidate]:
    """Yield the measures whose values are often reported under this name, at the same cutoff."""
    for name in measure.definition.mistaken_for:
        other = REGISTRY[name]
        shared = {n: v for n, v in measure.given.items() if other.definition.takes(n)}
        candidate = _attempt(data, other(**shared) if shared else other, base, ())
        if candidate is not None:
            yield candidate


def by_measures(data: Collection, measure: Measure, base: Conventions) -> Iterator[Candidate]:
    """Yield other measures of the same scale, with the cutoff of this one and without any.

    Those that most tools have come first.
    """
    at = measure.definition.cutoff_param
    common = {m: sum(bool(tool.names_of(m)) for tool in TOOLS.values()) for m in REGISTRY}
    for other in sorted(REGISTRY.values(), key=lambda m: -common[m.name]):
        if other.name == measure.name or other.definition.range != measure.definition.range:
            continue
        cutoffs = {None, measure.params.get(at)} if other.definition.takes(at) else {None}
        for cutoff in cutoffs:
            candidate = _attempt(data, other if cutoff is None else other @ cutoff, base, ())
            if candidate is not None:
                yield candidate


def by_chance(tried: Sequence[Candidate], within: float) -> float:
    """Return how many of the values tried would meet a number by chance.

    It is the expected count if the number were anywhere in the range of the values tried.
    """
    values = {round(c.value, 12) for c in tried if not math.isnan(c.value)}
    spread = max(values) - min(values) if values else 0.0
    return len(values) * min(1.0, 2 * within / spread) if spread else 0.0


def rank_of(
    candidate: Candidate, reported: float, known: list[Measure]
) -> tuple[bool, bool, float]:
    """Return by what candidates are in order, the most likely first.

    First those that keep the cutoff, then those that are a tool's measure, then the nearest.
    """
    cutoff = candidate.measure.definition.cutoff_param
    moved = any(where == "measure" and name == cutoff for where, name, _ in candidate.choices)
    return moved, candidate.measure not in known, abs(candidate.value - reported)


def _axes(data: Collection, measure: Measure, base: Conventions) -> list[list[Departure]]:
    """Return, for each choice to be made, its other values."""
    matters = conventions_that_matter(data, base)
    levels = matters.pop("relevance", [])[:_MOST_LEVELS]
    axes: list[list[Departure]] = []
    for p in measure.definition.params:
        values = levels if p is REL else _values(p)
        now = measure.params[p.name]
        axes.append([("measure", p.name, v) for v in values if v != now])
    if REL not in measure.definition.params:
        matters["relevance"] = levels
    for name, values in matters.items():
        now = getattr(base, name)
        axes.append([("convention", name, v) for v in values if v != now])
    own = measure.definition.aggregate
    if len(data.ranked(base)) > 1 and own == "mean":
        others = [a.name for a in AGGREGATES.values() if not a.weighted]
        axes.append([("aggregate", "aggregate", name) for name in others])
    return [axis for axis in axes if axis]


def _values(p: Param) -> list[Any]:
    """Return the default of a parameter and the values in use, each once; tables are not tried."""
    if p.beside_table:
        return []
    values = [p.check(v, p.name) for v in (p.default, *p.examples)]
    return [v for i, v in enumerate(values) if v not in values[:i] and not p.is_table(v)]


def _moves(choice: Departure) -> bool:
    return choice[0] == "convention" and choice[1] != "no_relevant"


def _attempt(
    data: Collection, measure: Measure, base: Conventions, choices: tuple[Departure, ...]
) -> Candidate | None:
    """Return the value of a combination, or None if it is refused."""
    try:
        return _try(data, measure, base, choices)
    except RankstoneError:
        return None


def _try(
    data: Collection, measure: Measure, base: Conventions, choices: tuple[Departure, ...]
) -> Candidate:
    params = {name: value for where, name, value in choices if where == "measure"}
    chosen = {name: value for where, name, value in choices if where == "convention"}
    how = next((v for where, _, v in choices if where == "aggregate"), measure.definition.aggregate)
    conventions = base.replace(**chosen)
    changed = measure(**params)
    computation = changed.computation(data.ranked(conventions))
    weight = computation.query_weight
    weight = None if weight is None else weight.astype(np.float64)
    value = summarise(changed.values(computation), how, weight=weight).value
    return Candidate(value, changed, conventions, how, choices)


def tolerance(text: str) -> tuple[float, float]:
    """Return a reported number and half a unit of the last digit it was printed with.

    0 and 1 are exact, the ends of most scales, and not what 0.5 is rounded to. Both ends of the
    range count: tools round a half up, to even, or as its nearest double happens to be.

    >>> tolerance("93.2%")[0]
    0.932
    """
    digits, percent = (text.strip().removesuffix("%"), text.strip().endswith("%"))
    value = float(digits)
    mantissa, _, exponent = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0) + 2 * percent
    value = value / 100 if percent else value
    unit = 0.0 if digits in ("0", "1") and not percent else 0.5 * 10.0**-decimals
    # Nobody's last digits are exact to the bit.
    return value, unit + 8 * math.ulp(value)
