"""An explanation in words and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise

from rankstone.errors import plural
from rankstone.measures.explain import ExplanationData, Step

_MOST_TERMS = 8
_WORDS = ("document", "adds", "repeats")  # columns of words


class Explanation(ExplanationData):
    """The working of a measure on one query, which shows itself."""

    @classmethod
    def of(cls, working: ExplanationData) -> Explanation:
        """Return a working as an explanation."""
        return cls(**{f.name: getattr(working, f.name) for f in fields(ExplanationData)})

    def _repr_markdown_(self) -> str:
        """Show the working in a notebook."""
        return "\n".join(markdown(self))

    def __str__(self) -> str:
        return "\n".join(text(self))


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:g}" if value == int(value) and abs(value) < 1e6 else f"{value:.4f}"


def _cell(value: float | bool | str) -> str:
    if isinstance(value, str):
        return value
    return ("yes" if value else "no") if isinstance(value, bool) else _number(value)


def _rows(steps: tuple[Step, ...]) -> tuple[list[str], list[list[str]]]:
    """Return the heads and cells of a table of steps."""
    named = any(s.document is not None for s in steps)
    ranked = any(s.rank is not None for s in steps)
    columns = list(steps[0].columns) if steps else []
    heads = [*(["rank"] * ranked), *(["document"] * named), *(["grade"] * ranked)]
    rows = []
    for s in steps:
        rank, grade = ([], []) if s.rank is None else ([str(s.rank)], [_number(s.grade or 0.0)])
        name = [str(s.document)] * named
        cells = [_cell(v) for v in s.columns.values()]
        rows.append([*rank, *name, *grade, *cells, _number(s.term), _number(s.sum)])
    return [*heads, *columns, "term", "sum"], rows


def substituted(e: ExplanationData) -> str:
    """Return the formula with the numbers put in."""
    last = "left out" if math.isnan(e.value) else repr(e.value)
    if e.expression:
        names = "|".join(e.parts) or "$^"
        put_in = re.sub(rf"\b({names})\b", lambda m: _number(e.parts[m[0]]), e.expression)
        return " = ".join([e.measure, *([put_in] if " " in put_in else []), last])
    terms = [_number(t) for t in (*(s.term for s in e.steps), e.constant) if t]
    shown = terms if len(terms) <= _MOST_TERMS else [*terms[:3], "...", *terms[-2:]]
    total = " + ".join(shown) or "0"
    steps = [e.measure]
    if e.denominator is None:
        steps += [total] if len(shown) > 1 else []
    elif e.total is not None:
        below = _number(e.denominator)
        steps.append(f"({total}) / {below}" if len(shown) > 1 else f"{total} / {below}")
        if len(shown) > 1:
            steps.append(f"{_number(e.total)} / {below}")
    return " = ".join([*steps, last])


def _remarks(e: ExplanationData) -> Iterator[str]:
    """Yield what the table does not show."""
    ranks = [0, *(s.rank for s in e.steps if s.rank is not None)]
    missing = sum(b - a - 1 for a, b in pairwise(ranks))
    if missing:
        verb = "is not judged and adds" if missing == 1 else "are not judged and add"
        yield f"{missing} of the first {plural(ranks[-1], 'document')} {verb} nothing."
    if e.constant:
        yield f"What was not retrieved adds {_number(e.constant)}."
    if e.remark:
        yield e.remark


def text(e: ExplanationData) -> Iterator[str]:
    """Yield the lines of an explanation for a terminal."""
    query = "" if e.query is None else f", query {e.query}"
    yield f"{e.measure}: {e.pretty}{query}"
    yield f"  {e.formula}"
    for line in e.choices:
        yield f"  {line}"
    yield ""
    if e.steps:
        yield from _side_by_side(e)
        yield ""
    yield from _remarks(e)
    yield substituted(e)
    if e.conventions:
        yield "Conventions: " + ", ".join(f"{n}={v}" for n, v in e.conventions.items())


def _side_by_side(e: ExplanationData) -> Iterator[str]:
    left = _aligned(*_rows(e.steps))
    if not e.ideal:
        yield from left
        return
    right = _aligned(*_rows(e.ideal))
    width = max(map(len, left))
    yield f"{'actual ranking':<{width}}   ideal ranking"
    for i in range(max(len(left), len(right))):
        a = left[i] if i < len(left) else ""
        b = right[i] if i < len(right) else ""
        yield f"{a:<{width}}   {b}".rstrip()


def _aligned(heads: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(r[i]) for r in [heads, *rows]) for i in range(len(heads))]
    words = [i for i, h in enumerate(heads) if h in _WORDS]

    def line(cells: list[str]) -> str:
        return "  ".join(
            c.ljust(w) if i in words else c.rjust(w)
            for i, (c, w) in enumerate(zip(cells, widths, strict=True))
        )

    return [line(heads), "  ".join("─" * w for w in widths), *(line(r) for r in rows)]


def markdown(e: ExplanationData) -> Iterator[str]:
    """Yield the lines of an explanation in Markdown."""
    query = "" if e.query is None else f", query {_escaped(str(e.query))}"
    yield f"**{e.measure}**: {e.pretty}{query}"
    yield ""
    yield f"`{e.formula}`"
    for line in e.choices:
        yield ""
        yield f"`{line}`"
    for title, steps in (("", e.steps), ("Ideal ranking:", e.ideal)):
        if not steps:
            continue
        heads, rows = _rows(steps)
        yield ""
        if title:
            yield title
            yield ""
        yield "| " + " | ".join(heads) + " |"
        yield "|" + "|".join(":---" if h in _WORDS else "---:" for h in heads) + "|"
        for row in rows:
            yield "| " + " | ".join(_escaped(c) for c in row) + " |"
    yield ""
    for line in _remarks(e):
        yield line
        yield ""
    yield f"`{substituted(e)}`"
    if e.conventions:
        yield ""
        yield "Conventions: " + ", ".join(f"`{n}={v}`" for n, v in e.conventions.items())


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\|`*_<>[]" else c for c in text)
