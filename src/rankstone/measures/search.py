"""Which choices give a number that somebody else reported?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core.aggregate import summarise
from rankstone.core.collection import Collection
from rankstone.core.rank import conventions_that_matter
from rankstone.errors import RankstoneError
from rankstone.measures.base import Measure
from rankstone.measures.request import ways_in_tool
from rankstone.tools import TOOLS

Choice = tuple[str, str, Any]  # where it is made, its name, its value
_MOST_CHOICES = 3
_MOST_VALUES = 6


@dataclass(frozen=True)
class Found:
    """A combination of choices and the value it gives.

    ``choices`` are those that depart from the measure as it was asked for.
    """

    value: float
    measure: Measure
    conventions: Conventions
    aggregate: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class ToolMeasure:
    """A measure in one tool: its name there, the choices behind it, and its value if data came."""

    tool: str
    name: str
    measure: Measure
    conventions: Conventions
    note: str
    found: Found | None = None

    @property
    def value(self) -> float | None:
        """The tool's value, if there are data and the tool can be followed."""
        return self.found.value if self.found else None


def start(data: Collection, measure: Measure, base: Conventions) -> Found:
    """Return the value without any departure."""
    return _try(data, measure, base, ())


def by_choices(data: Collection, measure: Measure, base: Conventions) -> Iterator[list[Found]]:
    """Yield all combinations that depart in one choice, in two, and so on.

    Choices that cannot change anything in these data are not tried.
    """
    axes = _axes(data, measure, base)
    for size in range(1, _MOST_CHOICES + 1):
        plans = [choices for some in combinations(axes, size) for choices in product(*some)]
        # Those that share their ranking share its making, if they come one after another.
        plans.sort(key=lambda choices: [str(c) for c in choices if _moves(c)])
        tried = (_attempt(data, measure, base, choices) for choices in plans)
        yield [found for found in tried if found is not None]


def by_tools(data: Collection, measure: Measure, base: Conventions) -> Iterator[ToolMeasure]:
    """Yield what each tool that has the measure would give, in each way that it has it."""
    for row in in_tools(measure):
        choices = (
            *(("measure", n, v) for n, v in row.measure.params.items() if v != measure.params[n]),
            *(("convention", n, v) for n, v in row.conventions.diff(base).items()),
        )
        found = _attempt(data, measure, base, choices)
        yield replace(row, found=found)


def in_tools(measure: Measure) -> Iterator[ToolMeasure]:
    """Yield how each tool that has the measure defines it."""
    for name, tool in TOOLS.items():
        for way in ways_in_tool(measure, tool):
            note = way.tool_name.note if way.tool_name else ""
            conventions = way.conventions_for(tool.conventions)
            yield ToolMeasure(name, way.column, way.measure, conventions, note)


def _axes(data: Collection, measure: Measure, base: Conventions) -> list[list[Choice]]:
    """Return, for each choice to be made, its other values."""
    axes: list[list[Choice]] = []
    for p in measure.definition.params:
        values = [] if p.beside_table else [*(p.choices or ()), *p.tries]
        now = measure.params[p.name]
        axes.append([("measure", p.name, v) for v in values if v != now])
    for name, values in conventions_that_matter(data, base).items():
        now = getattr(base, name)
        axes.append([("convention", name, v) for v in values[:_MOST_VALUES] if v != now])
    if len(data.ranked(base)) > 1 and measure.definition.aggregate == "mean":
        axes.append([("aggregate", "aggregate", v) for v in ("geometric", "median")])
    return [axis for axis in axes if axis]


def _moves(choice: Choice) -> bool:
    return choice[0] == "convention" and choice[1] != "no_relevant"


def _attempt(
    data: Collection, measure: Measure, base: Conventions, choices: tuple[Choice, ...]
) -> Found | None:
    """Return the value of a combination, or None where it is refused."""
    try:
        return _try(data, measure, base, choices)
    except RankstoneError:
        return None


def _try(
    data: Collection, measure: Measure, base: Conventions, choices: tuple[Choice, ...]
) -> Found:
    params = {name: value for where, name, value in choices if where == "measure"}
    chosen = {name: value for where, name, value in choices if where == "convention"}
    how = next((v for where, _, v in choices if where == "aggregate"), measure.definition.aggregate)
    conventions = base.replace(**chosen)
    asked = measure(**params)
    ranked = data.ranked(conventions)
    working = asked.working(ranked)
    values = asked.values(ranked, working)
    weight = None if working.weight is None else working.weight.astype(np.float64)
    return Found(summarise(values, how, weight=weight).value, asked, conventions, how, choices)


def tolerance(text: str) -> tuple[float, float]:
    """Return a reported number and half a unit of the last digit it was printed with.

    0 and 1 are exact, the ends of most scales, and not what 0.5 is rounded to.

    >>> tolerance("0.550"), tolerance("93.2%")
    ((0.55, 0.0005), (0.932, 0.0005))
    """
    digits, percent = (text.strip().removesuffix("%"), text.strip().endswith("%"))
    value = float(digits)
    mantissa, _, exponent = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0) + 2 * percent
    value = value / 100 if percent else value
    unit = 0.0 if digits in ("0", "1") and not percent else 0.5 * 10.0**-decimals
    # Nobody's last digits are exact to the bit.
    return value, max(unit, 8 * math.ulp(value))
