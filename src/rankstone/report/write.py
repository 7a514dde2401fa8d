"""The formats a table of results can be written in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankstone.core.result import Result
from rankstone.core.text import escape_field
from rankstone.report.result_table import (
    ALL,
    Order,
    Row,
    Table,
    over_in_words,
    own_in_words,
    table_of,
)
from rankstone.report.text_table import Grid, Line, are_counts, markdown, rounded, terminal

if TYPE_CHECKING:
    from rankstone.report.groups import SummaryRow
    from rankstone.stats.intervals import Interval

#: Intervals of aggregates by run, then by measure.
Intervals = Mapping[str, "Mapping[str, Interval]"]

Cells = tuple[list[str], list[str]]  # of a line: text and numbers
_FORMULA = ("=", "+", "-", "@", "'")


def exact(value: float) -> str:
    """Return the shortest decimal that reads back as the same number."""
    if math.isnan(value):
        return ""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _number(value: float, digits: int | None) -> str:
    return exact(value) if digits is None or math.isnan(value) else f"{value:.{digits}f}"


def _grid(
    results: Sequence[Result], table: Table, digits: int, intervals: Intervals | None
) -> Grid:
    """Lay a table out as text; the best aggregate of each measure is bold."""
    heads, names = _names(table)
    whole = [are_counts(c) for c in zip(*(row.values for row in table.rows), strict=True)]
    best = table.best()
    lines = [
        Line(
            name,
            [
                rounded(v, digits, whole=w) + _ends(row, measure, digits, intervals)
                for measure, v, w in zip(table.measures, row.values, whole, strict=True)
            ],
            [row.query == ALL and v in b for v, b in zip(row.values, best, strict=True)],
        )
        for row, name in zip(table.rows, names, strict=True)
    ]
    return Grid(heads, list(table.measures), lines, list(_foot(results, table, digits, intervals)))


def _ends(row: Row, measure: str, digits: int, intervals: Intervals | None) -> str:
    """Return the interval of an aggregate, with one digit less than the aggregate."""
    interval = _interval(row, measure, intervals)
    if interval is None or math.isnan(interval.low):
        return ""
    return f" [{interval.low:.{max(digits - 1, 0)}f}, {interval.high:.{max(digits - 1, 0)}f}]"


def _interval(row: Row, measure: str, intervals: Intervals | None) -> Interval | None:
    return intervals[row.run].get(measure) if intervals and row.query == ALL else None


def _names(table: Table) -> tuple[list[str], list[list[str]]]:
    """Return the heads and cells of the columns that say what a row is."""
    runs = len({row.run for row in table.rows}) > 1 or len(table.rows) == 1
    queries = any(row.query != ALL for row in table.rows)
    heads = ["run"] * runs + ["query"] * queries
    cells = [[str(row.run)] * runs + [str(row.query)] * queries for row in table.rows]
    return heads, cells


def _foot(
    results: Sequence[Result], table: Table, digits: int, intervals: Intervals | None
) -> Iterator[str]:
    """Yield what aggregates are over, under which conventions, and what ties could do to them."""
    if not table.summary:
        return
    if intervals:
        some = next((i for own in intervals.values() for i in own.values()), None)
        if some is not None:
            from rankstone.stats.intervals import INTERVALS

            yield f"[{some.confidence * 100:g} % interval, {INTERVALS[some.method]}]"
    counts = [n for r in results for n in r.counted.values()]
    yield over_in_words(own_in_words(table.measures), counts, results[0])
    for result in results:
        for name, (low, high) in result.ties.interval.items():
            which = f"{result.name}, {name}" if len(results) > 1 else name
            yield f"with ties at their worst and best, {which} is {low:.{digits}f} to {high:.{digits}f}"
        if result.unjudged is not None:
            from rankstone.report.unjudged import unjudged_lines

            yield from unjudged_lines(result, digits, several=len(results) > 1)


def _wide(table: Table, digits: int | None, intervals: Intervals | None) -> Iterator[Cells]:
    """Yield the heads, then run, query and a number for each measure, and the intervals' ends."""
    ends = [f"{m} {end}" for m in table.measures for end in ("low", "high")] if intervals else []
    yield ["run", "query", *table.measures, *ends], []
    for row in table.rows:
        values = list(row.values)
        for measure in table.measures if intervals else ():
            interval = _interval(row, measure, intervals)
            values += [interval.low, interval.high] if interval else [math.nan, math.nan]
        yield [row.run, str(row.query)], [_number(v, digits) for v in values]


def _long(summaries: Sequence[SummaryRow], digits: int | None) -> Iterator[Cells]:
    """Yield the heads, then a line for each value, with what it is over."""
    yield ["run", "group", "aggregate", "measure", "value", "n", "left_out"], []
    for row in summaries:
        for measure, s in row.values.items():
            numbers = [_number(s.value, digits), str(s.n), str(s.left_out)]
            yield [row.run, row.group, s.how, measure], numbers


def tsv(lines: Iterable[Cells]) -> Iterator[str]:
    """Yield tab-separated lines; ids are written by ``escape_field``."""
    return ("\t".join([*map(escape_field, names), *numbers]) for names, numbers in lines)


def csv(lines: Iterable[Cells]) -> Iterator[str]:
    """Yield comma-separated lines; ids are written by ``escape_field``, then quoted as CSV is.

    Text that a spreadsheet would run as a formula, or that starts with ', gets a ' in front.
    """
    return (",".join([*map(_csv, names), *numbers]) for names, numbers in lines)


def _csv(text: str) -> str:
    text = escape_field(text)
    if text.startswith(_FORMULA):
        text = "'" + text
    if any(c in text for c in ',"'):
        text = '"' + text.replace('"', '""') + '"'
    return text


def as_json(
    results: Sequence[Result], summaries: Sequence[SummaryRow], intervals: Intervals | None = None
) -> Iterator[str]:
    """Yield the results whole, with their summaries: one object, or a list of them."""
    import json

    data = [result.to_dict() for result in results]
    for i, one in enumerate(data if summaries else ()):
        own = summaries[i :: len(results)]
        one["summaries"] = [part for row in own for part in row.parts()]
    for one in data if intervals else ():
        one["intervals"] = {m: i.to_dict() for m, i in (intervals or {})[one["name"]].items()}
    yield json.dumps(data[0] if len(data) == 1 else data, indent=2)


def jsonl(
    table: Table, summaries: Sequence[SummaryRow], intervals: Intervals | None = None
) -> Iterator[str]:
    """Yield one JSON object for each row, and for each value of a summary."""
    import json

    for row in table.rows:
        values = [None if math.isnan(v) else v for v in row.values]
        cells = dict(zip(table.measures, values, strict=True))
        own = {m: _interval(row, m, intervals) for m in table.measures}
        known = {m: interval.to_dict() for m, interval in own.items() if interval}
        more = {"intervals": known} if known else {}
        yield json.dumps({"run": row.run, "query": row.query, **cells, **more})
    for one in summaries:
        for part in one.parts():
            yield json.dumps({"run": one.run, **part})


def write(
    results: Sequence[Result],
    form: str,
    *,
    per_query: bool = False,
    aggregate: bool = True,
    summaries: Sequence[SummaryRow] = (),
    intervals: Intervals | None = None,
    digits: int | None = None,
    order: Order = Order(),  # noqa: B008
    colour: bool = False,
    columns: int | None = None,
) -> Iterator[str]:
    """Yield the lines of results in a format; ``summaries`` take the place of the aggregates.

    ``intervals`` are those of the aggregates, by run and measure; ``columns`` is the width of the
    terminal.
    """
    results = order.results(results)
    aggregate = aggregate and not summaries
    table = table_of(results, per_query=per_query, aggregate=aggregate, order=order)
    if form == "json":
        return as_json(results, summaries, intervals)
    if form == "jsonl":
        return jsonl(table, summaries, intervals)
    if form in ("tsv", "csv"):
        lines = _long(summaries, digits) if summaries else _wide(table, digits, intervals)
        return {"tsv": tsv, "csv": csv}[form](lines)
    digits = 4 if digits is None else digits
    grids = [_grid(results, table, digits, intervals)] if table.rows else []
    if summaries:
        from rankstone.report.groups import grid_of

        grids.append(grid_of(results, summaries, digits))
    return _for_people(grids, form, colour, columns)


def _for_people(
    grids: Sequence[Grid], form: str, colour: bool, columns: int | None
) -> Iterator[str]:
    for i, grid in enumerate(grids):
        if i:
            yield ""
        if form == "latex":
            from rankstone.report.latex import latex

            yield from latex(grid, f"tab:results{'-groups' * i}")
        else:
            yield from terminal(grid, colour, columns) if form == "table" else markdown(grid)
