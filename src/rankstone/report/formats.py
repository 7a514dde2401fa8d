"""The formats a table of results can be written in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from rankstone.core.result import Result
from rankstone.errors import plural
from rankstone.report.table import ALL, Row, Table, table_of

_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _exact(value: float) -> str:
    """Return the shortest decimal that reads back as the same number."""
    if math.isnan(value):
        return ""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _rounded(value: float, digits: int, *, whole: bool) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if whole else f"{value:.{digits}f}"


def _whole_columns(table: Table) -> list[bool]:
    """Return which columns hold counts: whole numbers, not all of them 0 or 1."""
    columns = list(zip(*(row.values for row in table.rows), strict=True))
    return [
        all(v == int(v) for v in c if not math.isnan(v)) and any(v > 1 for v in c) for c in columns
    ]


def _cells(table: Table, digits: int) -> list[list[str]]:
    whole = _whole_columns(table)
    return [
        [_rounded(v, digits, whole=w) for v, w in zip(row.values, whole, strict=True)]
        for row in table.rows
    ]


def _names(table: Table) -> tuple[list[str], list[list[str]]]:
    """Return the heads and cells of the columns that say what a row is."""
    runs = len({row.run for row in table.rows}) > 1 or len(table.rows) == 1
    queries = any(row.query != ALL for row in table.rows)
    heads = ["run"] * runs + ["query"] * queries
    cells = [[str(row.run)] * runs + [str(row.query)] * queries for row in table.rows]
    return heads, cells


def width(text: str) -> int:
    """Return the columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def terminal(results: Sequence[Result], table: Table, digits: int, colour: bool) -> Iterator[str]:
    """Yield an aligned table; the best aggregate of each measure is bold."""
    heads, names = _names(table)
    values = _cells(table, digits)
    best = table.best()
    head = [*heads, *table.measures]
    body = [n + v for n, v in zip(names, values, strict=True)]
    widths = [max(width(line[i]) for line in [head, *body]) for i in range(len(head))]

    def align(cells: list[str], style: Callable[[int, str], str]) -> str:
        parts = []
        for i, cell in enumerate(cells):
            gap = " " * (widths[i] - width(cell))
            text = style(i, printable(cell))
            parts.append(text + gap if i < len(heads) else gap + text)
        return "  ".join(parts).rstrip()

    def paint(code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if colour else text

    yield align(head, lambda _, t: paint(_BOLD, t))
    yield paint(_DIM, "  ".join("─" * w for w in widths))
    for row, cells in zip(table.rows, body, strict=True):

        def style(i: int, text: str, row: Row = row) -> str:
            at = i - len(heads)
            winner = at >= 0 and row.query == ALL and row.values[at] in best[at]
            return paint(_BOLD, text) if winner else text

        yield align(cells, style)
    for line in _foot(results, table, digits):
        yield paint(_DIM, line)


def _foot(results: Sequence[Result], table: Table, digits: int) -> Iterator[str]:
    """Yield what a mean is over, under which conventions, and what ties could do to it."""
    if not table.summary:
        return
    counts = sorted({n for r in results for n in r.counted.values()})
    over = plural(counts[-1], "query")
    over = over if len(counts) == 1 else f"{counts[0]} to {over}"
    yield f"mean over {over}, {results[0].conventions_in_words()}"
    for result in results:
        for name, (low, high) in result.ties.interval.items():
            which = f"{result.name}, {name}" if len(results) > 1 else name
            yield f"with ties at their worst and best, {which} is {low:.{digits}f} to {high:.{digits}f}"


def printable(text: str) -> str:
    """Return the text with control characters made visible, so that ids cannot steer a terminal."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or 0xDC80 <= ord(c) <= 0xDCFF else f"\\x{ord(c):02x}" for c in text
    )


def tsv(_: Sequence[Result], table: Table, digits: int | None) -> Iterator[str]:
    """Yield tab-separated lines with a head; values in full unless digits are given."""
    yield "\t".join(["run", "query", *table.measures])
    for row in table.rows:
        values = [_exact(v) if digits is None else f"{v:.{digits}f}" for v in row.values]
        yield "\t".join([row.run, str(row.query), *values])


def csv(_: Sequence[Result], table: Table, digits: int | None) -> Iterator[str]:
    """Yield comma-separated lines; text that a spreadsheet would run as a formula is quoted."""
    yield ",".join(_csv(t) for t in ["run", "query", *table.measures])
    for row in table.rows:
        values = [_exact(v) if digits is None else f"{v:.{digits}f}" for v in row.values]
        yield ",".join([_csv(row.run), _csv(str(row.query)), *values])


def _csv(text: str) -> str:
    if text.startswith(_FORMULA):
        text = "'" + text
    if any(c in text for c in ',"\n\r'):
        text = '"' + text.replace('"', '""') + '"'
    return text


def markdown(results: Sequence[Result], table: Table, digits: int) -> Iterator[str]:
    """Yield a Markdown table; the best aggregate of each measure is bold."""
    heads, names = _names(table)
    best = table.best()
    yield "| " + " | ".join([*heads, *table.measures]) + " |"
    yield "|" + "|".join([":---"] * len(heads) + ["---:"] * len(table.measures)) + "|"
    for row, name, cells in zip(table.rows, names, _cells(table, digits), strict=True):
        bold = [
            f"**{c}**" if row.query == ALL and v in b else c
            for c, v, b in zip(cells, row.values, best, strict=True)
        ]
        yield "| " + " | ".join([_md(n) for n in name] + bold) + " |"
    for line in _foot(results, table, digits):
        yield ""
        yield _md(line)


def _md(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\|`*_<>[]" else c for c in printable(text))


def as_json(results: Sequence[Result], _: Table, __: int | None) -> Iterator[str]:
    """Yield the results whole: one object, or a list of them."""
    import json

    data = [r.to_dict() for r in results]
    yield json.dumps(data[0] if len(data) == 1 else data, indent=2)


def jsonl(_: Sequence[Result], table: Table, __: int | None) -> Iterator[str]:
    """Yield one JSON object for each row."""
    import json

    for row in table.rows:
        values = [None if math.isnan(v) else v for v in row.values]
        cells = dict(zip(table.measures, values, strict=True))
        yield json.dumps({"run": row.run, "query": row.query, **cells})


def write(
    results: Sequence[Result],
    form: str,
    *,
    per_query: bool = False,
    aggregate: bool = True,
    digits: int | None = None,
    colour: bool = False,
) -> Iterator[str]:
    """Yield the lines of results in a format."""
    table = table_of(results, per_query=per_query, aggregate=aggregate)
    if form == "table":
        return terminal(results, table, 4 if digits is None else digits, colour)
    if form == "md":
        return markdown(results, table, 4 if digits is None else digits)
    return {"tsv": tsv, "csv": csv, "json": as_json, "jsonl": jsonl}[form](results, table, digits)
