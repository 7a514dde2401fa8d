"""The manual page of a measure, from its definition."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rankstone.measures.base import Measure
from rankstone.tools import TOOLS


def index(measures: list[Measure]) -> Iterator[str]:
    """Yield one line for each measure."""
    for m in measures:
        at = m.definition.cutoff_param
        cut = f"@{at}" if any(p.name == at for p in m.definition.params) else ""
        first = m.definition.text.split("\n", 1)[0]
        yield f"{m.name + cut:<12} {m.definition.pretty + ':':<38} {first}"


def _grade(grade: float | Mapping[str, float] | None) -> str:
    """Return the grade of an example, or its grades by subtopic."""
    if grade is None:
        return "unjudged"
    if isinstance(grade, Mapping):
        return " ".join(f"{name}:{g:g}" for name, g in grade.items()) or "none"
    return f"{grade:g}"


def page(measure: Measure) -> Iterator[str]:
    """Yield a measure's page."""
    d = measure.definition
    yield f"{d.name}: {d.pretty}"
    yield ""
    yield d.text
    yield ""
    low, high = d.range
    top = "no upper bound" if math.isinf(high) else f"{high:g}"
    yield f"Range: {low:g} to {top}; {'higher' if d.higher_is_better else 'lower'} is better."
    yield f"Over queries: {d.aggregate}."
    if d.reads_subtopics:
        yield "It reads judgments by subtopic; without them a query is its only subtopic."
    if d.conventions:
        yield f"Conventions that matter most: {', '.join(d.conventions)}."
    yield ""
    yield "Parameters:" if d.params else "Parameters: none."
    for p in d.params:
        default = "" if p.default is None else f" (default {p.default!r})"
        yield f"  {p.name}: {p.text}{default}"
        for value, meaning in (p.choices or {}).items():
            yield f"      {value!r}: {meaning}"
    yield ""
    grades = ", ".join(map(_grade, d.example.grades))
    missed = ", ".join(map(_grade, d.example.missed))
    yield f"Example: grades in rank order {grades}" + (
        f"; not retrieved: {missed}" if missed else ""
    )
    yield f"  {d.example.measure} = {d.example.value}"
    elsewhere: dict[str, list[str]] = {}
    for tool in TOOLS.values():
        names = ", ".join(name.shown for name in tool.names_of(d.name))
        elsewhere.setdefault(names, []).append(tool.name)
    elsewhere.pop("", None)
    if elsewhere:
        yield ""
        yield "Names elsewhere:"
        yield from (f"  {', '.join(tools)}: {names}" for names, tools in elsewhere.items())
