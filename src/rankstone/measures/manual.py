"""The manual page of a measure, from its definition."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from rankstone.core.text import wrapped
from rankstone.language import language, tr
from rankstone.measures.base import Measure
from rankstone.tools import TOOLS


def index(measures: list[Measure]) -> Iterator[str]:
    """Yield a line for each measure, by family."""
    wide = max(len(name_with_cutoff(m)) for m in measures) + 3
    for number, (title, members) in enumerate(families(measures).items()):
        if number:
            yield ""
        yield title
        for m in members:
            first, *more = wrapped(summary(m), 79 - wide)
            yield f"  {name_with_cutoff(m):<{wide - 2}}{first}"
            yield from (" " * wide + line for line in more)


def families(measures: list[Measure]) -> dict[str, list[Measure]]:
    """Return measures by family, the family first that most tools have."""
    members: dict[str, list[Measure]] = {}
    for m in measures:
        members.setdefault(family(m), []).append(m)
    return dict(sorted(members.items(), key=lambda item: -_popularity(item[1])))


def _popularity(members: list[Measure]) -> int:
    """Return how many tools have the measure of a family that most of them have."""
    return max(sum(bool(t.names_of(m.name)) for t in TOOLS.values()) for m in members)


def family(measure: Measure) -> str:
    """Return the family of a measure: the title of its module."""
    text = sys.modules[measure.definition.kernel.__module__].__doc__ or ""
    return tr(text.partition("\n")[0].rstrip("."))


def name_with_cutoff(measure: Measure) -> str:
    """Return the name of a measure, with ``@k`` if it takes a cutoff."""
    at = measure.definition.cutoff_param
    return measure.name + (f"@{at}" if measure.definition.takes(at) else "")


def summary(measure: Measure) -> str:
    """Return the first line of the manual page."""
    return measure.definition.paragraphs()[0]


def as_dict(measure: Measure) -> dict[str, Any]:
    """Return the contents of the manual page as plain data."""
    d = measure.definition
    low, high = d.range
    return {
        "name": d.name,
        "title": tr(d.pretty),
        "family": family(measure),
        "summary": summary(measure),
        "text": d.text if language() == "en" else "\n\n".join(d.paragraphs()),
        "range": [low, None if math.isinf(high) else high],
        "higher_is_better": d.higher_is_better,
        "aggregate": d.aggregate,
        "conventions": list(d.conventions),
        "parameters": [
            {
                "name": p.name,
                "text": tr(p.text),
                "default": p.default,
                "choices": {value: tr(meaning) for value, meaning in (p.choices or {}).items()},
            }
            for p in d.params
        ],
        "names": {
            tool.name: [name.shown for name in tool.names_of(d.name)]
            for tool in TOOLS.values()
            if tool.names_of(d.name)
        },
    }


def grade_in_words(grade: float | Mapping[str, float] | None) -> str:
    """Return the grade of an example, or its grades by subtopic."""
    if grade is None:
        return tr("unjudged")
    if isinstance(grade, Mapping):
        return " ".join(f"{name}:{g:g}" for name, g in grade.items()) or tr("none")
    return f"{grade:g}"


def page(measure: Measure) -> Iterator[str]:
    """Yield a measure's page."""
    d = measure.definition
    yield f"{d.name}: {tr(d.pretty)}"
    yield ""
    yield (
        d.text
        if language() == "en"
        else "\n\n".join("\n".join(wrapped(paragraph, 79)) for paragraph in d.paragraphs())
    )
    yield ""
    low, high = d.range
    top = tr("no upper bound") if math.isinf(high) else f"{high:g}"
    better = tr("higher") if d.higher_is_better else tr("lower")
    yield tr("Range: {:g} to {}; {} is better.").format(low, top, better)
    of_all = tr("that of all lists together; single lists have no value")
    yield tr("Aggregate over queries: {}.").format(of_all if d.of_all_lists else tr(d.aggregate))
    if d.conventions:
        yield tr("Conventions that matter most: {}.").format(", ".join(d.conventions))
    if d.reads_subtopics:
        yield tr("It reads judgments by subtopic; without them a query is its only subtopic.")
    yield ""
    yield tr("Parameters:") if d.params else tr("Parameters: none.")
    for p in d.params:
        default = "" if p.default is None else tr(" (default {!r})").format(p.default)
        yield f"  {p.name}: {tr(p.text)}{default}"
        for value, meaning in (p.choices or {}).items():
            yield f"      {value!r}: {tr(meaning)}"
    yield ""
    if d.example.shown:
        yield tr("Example: items in rank order {}").format(", ".join(d.example.shown))
        yield from (f"  {name}={value!r}" for name, value in d.example.given.items())
    grades = ", ".join(map(grade_in_words, d.example.grades))
    missed = ", ".join(map(grade_in_words, d.example.missed))
    if d.example.grades:
        yield tr("Example: grades in rank order {}").format(grades) + (
            tr("; not retrieved: {}").format(missed) if missed else ""
        )
    yield f"  {d.example.measure} = {d.example.value}"
    elsewhere: dict[str, list[str]] = {}
    for tool in TOOLS.values():
        names = ", ".join(name.shown for name in tool.names_of(d.name))
        elsewhere.setdefault(names, []).append(tool.name)
    elsewhere.pop("", None)
    if elsewhere:
        yield ""
        yield tr("Names elsewhere:")
        yield from (f"  {', '.join(tools)}: {names}" for names, tools in elsewhere.items())
