"""An explanation in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from rankstone.errors import plural

if TYPE_CHECKING:
    from rankstone.report.explain import Explanation, Step

_MOST_TERMS = 8


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:g}" if value == int(value) and abs(value) < 1e6 else f"{value:.4f}"


def _rows(steps: tuple[Step, ...]) -> tuple[list[str], list[list[str]]]:
    """Return the heads and cells of a table of steps."""
    named = any(s.document is not None for s in steps)
    columns = list(steps[0].columns) if steps else []
    heads = ["rank", *(["document"] if named else []), "grade", *columns, "term", "sum"]
    rows = []
    for s in steps:
        name = [str(s.document)] if named else []
        cells = [_yes(n, v) for n, v in s.columns.items()]
        rows.append([str(s.rank), *name, _number(s.grade), *cells, _number(s.term), _number(s.sum)])
    return heads, rows


def _yes(name: str, value: float) -> str:
    return ("yes" if value else "no") if name == "relevant" else _number(value)


def substituted(e: Explanation) -> str:
    """Return the formula with the numbers put in."""
    if e.total is None:
        return f"{e.measure} = {_number(e.value)}"
    terms = [_number(s.term) for s in e.steps if s.term]
    shown = terms if len(terms) <= _MOST_TERMS else [*terms[:3], "...", *terms[-2:]]
    total = " + ".join(shown) or "0"
    steps = [e.measure]
    if e.over is None:
        steps += [total] if len(shown) > 1 else []
    else:
        steps.append(
            f"({total}) / {_number(e.over)}" if len(shown) > 1 else f"{total} / {_number(e.over)}"
        )
        if len(shown) > 1:
            steps.append(f"{_number(e.total)} / {_number(e.over)}")
    last = "left out" if math.isnan(e.value) else repr(e.value)
    return " = ".join([*steps, last])


def _gaps(steps: tuple[Step, ...]) -> str:
    """Say which ranks are not in the table, because nothing was judged there."""
    ranks = [0, *(s.rank for s in steps)]
    missing = sum(b - a - 1 for a, b in pairwise(ranks))
    if not missing:
        return ""
    verb = "is not judged and adds" if missing == 1 else "are not judged and add"
    return f"{missing} of the first {plural(ranks[-1], 'document')} {verb} nothing."


def text(e: Explanation) -> Iterator[str]:
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
    for line in (_gaps(e.steps), e.remark):
        if line:
            yield line
    yield substituted(e)
    if e.conventions:
        yield "Conventions: " + ", ".join(f"{n}={v}" for n, v in e.conventions.items())


def _side_by_side(e: Explanation) -> Iterator[str]:
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
    words = [i for i, h in enumerate(heads) if h == "document"]

    def line(cells: list[str]) -> str:
        return "  ".join(
            c.ljust(w) if i in words else c.rjust(w)
            for i, (c, w) in enumerate(zip(cells, widths, strict=True))
        )

    return [line(heads), "  ".join("─" * w for w in widths), *(line(r) for r in rows)]


def markdown(e: Explanation) -> Iterator[str]:
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
        yield "|" + "|".join(":---" if h == "document" else "---:" for h in heads) + "|"
        for row in rows:
            yield "| " + " | ".join(_escaped(c) for c in row) + " |"
    yield ""
    for line in (_gaps(e.steps), e.remark):
        if line:
            yield line
            yield ""
    yield f"`{substituted(e)}`"
    if e.conventions:
        yield ""
        yield "Conventions: " + ", ".join(f"`{n}={v}`" for n, v in e.conventions.items())


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\|`*_<>[]" else c for c in text)
