"""An explanation in words and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import zip_longest

from rankstone.errors import plural, printable
from rankstone.measures.explain import ExplanationData, Step
from rankstone.report.text_table import aligned, escaped, width

_MOST_TERMS = 8
_MOST_ROWS = 40  # of a table on a terminal
_AT_THE_END = 5
_MOST_UNJUDGED = 5  # rows in a gap
_MOST_AFTER = 5  # rows below the last that adds something
_NOT_JUDGED = "(not judged)"
WORDS = ("document", "adds", "repeats")  # columns of words


class Explanation(ExplanationData):
    """The working of a measure on one query, which shows itself."""

    @classmethod
    def of(cls, working: ExplanationData) -> Explanation:
        """Return a working as an explanation."""
        return cls(**{f.name: getattr(working, f.name) for f in fields(ExplanationData)})

    def _repr_html_(self) -> str:
        """Show the working in a notebook."""
        from rankstone.report.notebook import of_explanation

        return of_explanation(self)

    def _repr_markdown_(self) -> str:
        """Show the working where Markdown is shown."""
        return "\n".join(markdown(self))

    def __str__(self) -> str:
        return "\n".join(text(self))

    __repr__ = __str__


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:g}" if value == int(value) and abs(value) < 1e6 else f"{value:.4f}"


def _cell(value: float | bool | str) -> str:
    if isinstance(value, str):
        return value
    return ("yes" if value else "no") if isinstance(value, bool) else _number(value)


def rows_of(
    steps: Sequence[Step],
    most: int | None,
    *,
    unjudged: Mapping[int, str] | None = None,
    quote: Callable[[str], str] = printable,
) -> tuple[list[str], list[list[str]]]:
    """Return the heads and cells of a table of steps, at most so many.

    With ``unjudged`` ranks between those of steps are rows of documents without a judgment, whose
    ids it holds as far as they are known. ``quote`` makes ids fit for the table.
    """
    named = any(s.document is not None for s in steps)
    ranked = any(s.rank is not None for s in steps)
    columns = list(steps[0].columns) if steps else []
    heads = [*(["rank"] * ranked), *(["document"] * named), *(["grade"] * ranked)]
    heads += [*columns, "term", "sum"]
    rows: list[list[str]] = []
    last = 0
    for s in steps:
        if unjudged is not None and s.rank is not None:
            ids = {rank: quote(document) for rank, document in unjudged.items()}
            rows += _unjudged(last, s.rank, ids if named else None, len(heads))
            last = s.rank
        rank, grade = ([], []) if s.rank is None else ([str(s.rank)], [_number(s.grade or 0.0)])
        name = ["" if s.document is None else quote(str(s.document))] * named
        cells = [_cell(v) for v in s.columns.values()]
        rows.append([*rank, *name, *grade, *cells, _number(s.term), _number(s.sum)])
    if most is None or len(rows) <= most:
        return heads, rows
    left_out = ["..."] + [""] * (len(heads) - 1)
    return heads, [*rows[: most - _AT_THE_END], left_out, *rows[-_AT_THE_END:]]


def _unjudged(last: int, rank: int, ids: Mapping[int, str] | None, width: int) -> list[list[str]]:
    """Return a row for each rank between two that holds a document without a judgment.

    Without ``ids`` the table does not name documents.
    """
    between = range(last + 1, rank)
    if len(between) > _MOST_UNJUDGED:
        places = {f"{between[0]}-{between[-1]}": _NOT_JUDGED}
    else:
        places = {str(r): (ids or {}).get(r, _NOT_JUDGED) for r in between}
    return [
        [place, *([document] if ids is not None else []), "-"]
        + [""] * (width - 2 - (ids is not None))
        for place, document in places.items()
    ]


def _counting(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps down to the last that adds something, and a few more."""
    last = max((i for i, s in enumerate(steps) if s.term), default=-1)
    return steps if len(steps) - last - 1 <= _MOST_AFTER else steps[: last + 2]


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
    missing = len(e.gaps)
    if missing:
        last = max(s.rank for s in e.steps if s.rank is not None)
        verb = (
            "is not judged (grade -) and adds"
            if missing == 1
            else "are not judged (grade -) and add"
        )
        yield f"{missing} of the first {plural(last, 'document')} {verb} nothing."
    if e.constant:
        yield f"What was not retrieved adds {_number(e.constant)}."
    if e.remark:
        yield e.remark


def text(e: ExplanationData, *, whole: bool = False, columns: int | None = None) -> Iterator[str]:
    """Yield the lines of an explanation for a terminal as wide as ``columns``.

    Long tables are cut unless ``whole``.
    """
    yield from _head(e)
    most = None if whole else _MOST_ROWS
    if e.steps:
        steps = e.steps if whole else _counting(e.steps)
        tables = {"actual ranking": _aligned(*rows_of(steps, most, unjudged=e.unjudged))}
        if e.ideal:
            tables["ideal ranking"] = _aligned(*rows_of(e.ideal, most))
        yield from _beside(tables, columns)
        if len(steps) < len(e.steps):
            yield f"{plural(len(e.steps) - len(steps), 'more judged document')} below, adding nothing."
        yield ""
    yield from _result(e)


def compared(
    named: Mapping[str, ExplanationData], *, whole: bool = False, columns: int | None = None
) -> Iterator[str]:
    """Yield the lines of explanations of several runs, with their tables side by side."""
    first = next(iter(named.values()))
    yield from _head(first)
    most = None if whole else _MOST_ROWS
    yield from _beside(
        {
            printable(name): _aligned(
                *rows_of(e.steps if whole else _counting(e.steps), most, unjudged=e.unjudged)
            )
            for name, e in named.items()
        },
        columns,
    )
    for name, e in named.items():
        yield ""
        yield f"{printable(name)}:"
        yield from _result(e)


def _head(e: ExplanationData) -> Iterator[str]:
    query = "" if e.query is None else f", query {printable(str(e.query))}"
    yield f"{e.measure}: {e.pretty}{query}"
    yield f"  {e.formula}"
    for line in e.choices:
        yield f"  {line}"
    yield ""


def _result(e: ExplanationData) -> Iterator[str]:
    yield from _remarks(e)
    yield substituted(e)
    if e.conventions:
        yield "Conventions: " + ", ".join(f"{n}={v}" for n, v in e.conventions.items())


def _beside(tables: Mapping[str, list[str]], columns: int | None) -> Iterator[str]:
    """Yield tables under their titles, side by side if they fit; a single one has no title."""
    if len(tables) == 1:
        yield from next(iter(tables.values()))
        return
    if columns and sum(max(map(width, lines)) + 3 for lines in tables.values()) - 3 > columns:
        for number, (title, lines) in enumerate(tables.items()):
            yield from ([""] if number else [])
            yield title
            yield from lines
        return
    rows = [tuple(tables), *zip_longest(*tables.values(), fillvalue="")]
    for cells in aligned(rows, lambda _: True):
        yield "   ".join(cells).rstrip()


def _aligned(heads: list[str], rows: list[list[str]]) -> list[str]:
    head, *body = aligned([heads, *rows], lambda column: heads[column] in WORDS)
    rule = ["─" * width(cell) for cell in head]
    return ["  ".join(cells).rstrip() for cells in (head, rule, *body)]


def markdown(e: ExplanationData) -> Iterator[str]:
    """Yield the lines of an explanation in Markdown."""
    query = "" if e.query is None else f", query {escaped(str(e.query))}"
    yield f"**{e.measure}**: {e.pretty}{query}"
    yield ""
    yield f"`{e.formula}`"
    for line in e.choices:
        yield ""
        yield f"`{line}`"
    for title, steps in (("", e.steps), ("Ideal ranking:", e.ideal)):
        if not steps:
            continue
        heads, rows = rows_of(steps, None, unjudged=None if title else e.unjudged, quote=escaped)
        yield ""
        if title:
            yield title
            yield ""
        yield "| " + " | ".join(heads) + " |"
        yield "|" + "|".join(":---" if h in WORDS else "---:" for h in heads) + "|"
        for row in rows:
            yield "| " + " | ".join(row) + " |"
    yield ""
    for line in _remarks(e):
        yield line
        yield ""
    yield f"`{substituted(e)}`"
    if e.conventions:
        yield ""
        yield "Conventions: " + ", ".join(f"`{n}={v}`" for n, v in e.conventions.items())
