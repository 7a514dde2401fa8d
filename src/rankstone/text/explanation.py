"""An explanation in words and tables."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from rankstone.errors import plural
from rankstone.language import tr
from rankstone.measures.explain import Explanation, Step
from rankstone.text.blocks import Beside, Block, Bold, Code, Grid, Line, Paragraphs, Sentence
from rankstone.text.markdown import markdown as as_markdown
from rankstone.text.terminal import terminal

_MOST_TERMS = 8
_MOST_ROWS = 40  # of a table on a terminal
_AT_THE_END = 5
_MOST_UNJUDGED = 5  # rows in a gap
_MOST_AFTER = 5  # rows below the last that adds something
_NOT_JUDGED = "(not judged)"
_WORDS = ("document", "item", "category", "adds", "repeats")  # columns of words


def text(e: Explanation, *, whole: bool = False, columns: int | None = None) -> Iterator[str]:
    """Return the lines of an explanation for a terminal as wide as ``columns``.

    Long tables are cut unless ``whole``.
    """
    return terminal(blocks(e, cut=not whole), columns=columns)


def markdown(e: Explanation) -> Iterator[str]:
    """Return the lines of an explanation in Markdown."""
    return as_markdown(blocks(e))


def compared(
    named: Mapping[str, Explanation], *, whole: bool = False, columns: int | None = None
) -> Iterator[str]:
    """Return the lines of explanations of several runs, with their tables side by side."""
    first = next(iter(named.values()))
    tables = {
        name: _grid(e.steps if whole else _counting(e.steps), e.unjudged, e.depth, cut=not whole)
        for name, e in named.items()
    }
    results = [[Sentence([f"{name}:"]), *_result(e)] for name, e in named.items()]
    return terminal([_head(first), [Beside(tables)], *results], columns=columns)


def blocks(e: Explanation, *, cut: bool = False) -> Paragraphs:
    """Return an explanation: the formula, tables of documents, and the sum."""
    paragraphs: list[list[Block]] = [_head(e)]
    if e.steps:
        steps = _counting(e.steps) if cut else e.steps
        depth = e.depth if len(steps) == len(e.steps) else 0
        tables = {tr("actual ranking"): _grid(steps, e.unjudged, depth, cut=cut)}
        if e.ideal:
            tables[tr("ideal ranking")] = _grid(e.ideal, cut=cut)
        paragraphs.append([Beside(tables)])
        if more := len(e.steps) - len(steps):
            below = tr("{} below, adding nothing.").format(plural(more, "more judged document"))
            paragraphs[-1].append(Sentence([below]))
    return [*paragraphs, _result(e)]


def _head(e: Explanation) -> list[Block]:
    query = "" if e.query is None else tr(", query {}").format(e.query)
    codes = (e.formula, *e.choices)
    head = Sentence([Bold(e.measure), f": {e.pretty}{query}"])
    return [head, *(Sentence(["  ", Code(line)]) for line in codes)]


def _result(e: Explanation) -> list[Block]:
    """Return remarks on rows left out of the table, then the formula with numbers in it."""
    remarks = []
    if missing := len(e.gaps):
        last = max([e.depth, *(s.rank for s in e.steps if s.rank is not None)])
        verb = tr("are not judged (grade -) and add")
        if missing == 1:
            verb = tr("is not judged (grade -) and adds")
        shown = plural(last, "document")
        remarks.append(tr("{} of the first {} {} nothing.").format(missing, shown, verb))
    if e.cut:
        remarks.append(e.cut[:1].upper() + e.cut[1:])
    if e.constant:
        remarks.append(tr("What is not listed adds {}.").format(_number(e.constant)))
    if e.remark:
        remarks.append(e.remark)
    remarks.extend(e.notices)
    result: list[Block] = [*(Sentence([text], "quiet") for text in remarks)]
    result.append(Sentence([Code(_substituted(e))]))
    if e.changes:
        made = [part for text in e.changes for part in (", ", Code(text))]
        result.append(Sentence([tr("Changes to the data: "), *made[1:]], "quiet"))
    if e.conventions:
        codes = [part for n, v in e.conventions.items() for part in (", ", Code(f"{n}={v}"))]
        result.append(Sentence([tr("Conventions: "), *codes[1:]], "quiet"))
    return result


def _number(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:g}" if value == int(value) and abs(value) < 1e6 else f"{value:.4f}"


def _cell(value: float | bool | str) -> str:
    if isinstance(value, str):
        return value
    return (tr("yes") if value else tr("no")) if isinstance(value, bool) else _number(value)


def _counting(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps down to the last that adds something, and a few more."""
    last = max((i for i, s in enumerate(steps) if s.term), default=-1)
    return steps if len(steps) - last - 1 <= _MOST_AFTER else steps[: last + 2]


def _grid(
    steps: Sequence[Step],
    unjudged: Mapping[int, str] | None = None,
    depth: int = 0,
    *,
    cut: bool = False,
) -> Grid:
    """Lay steps out as a table, without those in the middle of a long one if it is ``cut``.

    With ``unjudged`` ranks between those of steps, and down to the depth, are rows of documents without a
    judgment, whose ids it holds as far as they are known.
    """
    named = any(s.document is not None for s in steps)
    ranked = any(s.rank is not None for s in steps)
    heads = [*(["rank"] * ranked), *(["document"] * named), *(["grade"] * ranked)]
    heads += [*(steps[0].columns if steps else ()), "term", "sum"]
    rows: list[list[str]] = []

    def between(above: int, below: int) -> Iterator[list[str]]:
        for place, document in _unjudged(range(above + 1, below), unjudged or {}).items():
            row = [place, *([document] * named), "-"]
            yield row + [""] * (len(heads) - len(row))

    last = 0
    for s in steps:
        if unjudged is not None and s.rank is not None:
            rows += between(last, s.rank)
            last = s.rank
        rank, grade = ([], []) if s.rank is None else ([str(s.rank)], [_number(s.grade or 0.0)])
        name = ["" if s.document is None else str(s.document)] * named
        cells = [_cell(v) for v in s.columns.values()]
        rows.append([*rank, *name, *grade, *cells, _number(s.term), _number(s.sum)])
    rows += between(last, depth + 1)
    if cut and len(rows) > _MOST_ROWS:
        left_out = ["..."] + [""] * (len(heads) - 1)
        rows = [*rows[: _MOST_ROWS - _AT_THE_END], left_out, *rows[-_AT_THE_END:]]
    words = [column for column, head in enumerate(heads) if head in _WORDS]
    return Grid([], [*map(tr, heads)], [Line([], row) for row in rows], words=words)


def _unjudged(ranks: range, ids: Mapping[int, str]) -> dict[str, str]:
    """Return documents without a judgment by rank; many as one."""
    if len(ranks) > _MOST_UNJUDGED:
        return {f"{ranks[0]}-{ranks[-1]}": tr(_NOT_JUDGED)}
    return {str(rank): ids.get(rank, tr(_NOT_JUDGED)) for rank in ranks}


def _substituted(e: Explanation) -> str:
    """Return the formula with the numbers put in."""
    last = tr("left out") if math.isnan(e.value) else repr(e.value)
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
