"""Tables for people: aligned on a terminal, or in Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from textwrap import wrap

from rankstone.core.text import escape_field
from rankstone.errors import printable

_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_ESCAPES = {**{c: f"\\{c}" for c in "\\|`*_<>[]"}, "&": "&amp;"}
_FILLER = "\0"  # the second column of a wide character, where characters are counted
_NARROWEST = 12  # columns of a cell on several lines
_LINKS = re.compile(r"(?<!\w)[@#](?=\w)|:(?=//)|\bwww(?=\.)")


@dataclass(frozen=True)
class Line:
    """One line: cells that say what it is, cells with numbers, and which of these are bold."""

    names: list[str]
    numbers: list[str]
    bold: list[bool]


@dataclass(frozen=True)
class Grid:
    """A table as text, with the heads of both kinds of columns and the lines below it."""

    names: list[str]
    numbers: list[str]
    lines: list[Line]
    foot: list[str]


def terminal(grid: Grid, colour: bool = False, columns: int | None = None) -> Iterator[str]:
    """Yield an aligned table; one wider than ``columns`` is turned around, or cut into several."""
    for part, piece in enumerate(fitted(grid, columns)):
        if part:
            yield ""
        yield from _aligned_grid(piece, colour)
    for text in grid.foot:
        shown = printable(text)
        for line in wrapped(shown, columns) if columns else [shown]:
            yield _painted(_DIM, line, colour)


def _aligned_grid(grid: Grid, colour: bool) -> Iterator[str]:
    left = len(grid.names)
    head, *body = aligned(
        [[*grid.names, *grid.numbers], *([*x.names, *x.numbers] for x in grid.lines)],
        lambda column: column < left,
    )
    yield "  ".join(_bold(cell, colour) for cell in head).rstrip()
    yield _painted(_DIM, "  ".join("─" * width(cell) for cell in head), colour)
    for line, cells in zip(grid.lines, body, strict=True):
        bold = [False] * left + line.bold
        shown = [_bold(c, colour) if b else c for c, b in zip(cells, bold, strict=True)]
        yield "  ".join(shown).rstrip()


def aligned(rows: Sequence[Sequence[str]], is_left: Callable[[int], bool]) -> list[list[str]]:
    """Return cells padded to the width of their column, on the right if the column is text."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]

    def padded(column: int, cell: str) -> str:
        gap = " " * (widths[column] - width(cell))
        return cell + gap if is_left(column) else gap + cell

    return [[padded(i, cell) for i, cell in enumerate(row)] for row in cells]


def lines_of(rows: Sequence[Sequence[str]], names: int, *, wide: bool) -> Iterator[str]:
    """Yield rows whose first cells are names: aligned for a terminal, else between tabs."""
    if not wide:
        yield from ("\t".join(map(escape_field, row)) for row in rows)
        return
    for row in aligned(rows, lambda column: column < names):
        yield "  ".join(row).rstrip()


def folded(rows: Sequence[Sequence[str]], columns: int | None) -> list[list[str]]:
    """Return rows of text that are as wide as the terminal at most: long cells take several lines.

    >>> folded([["ties", "documents with equal scores"]], 20)
    [['ties', 'documents with'], ['', 'equal scores']]
    """
    columns_of_text = list(zip(*rows, strict=True))
    natural = [max(map(width, column)) for column in columns_of_text]
    room = (columns or math.inf) - 2 * (len(natural) - 1)
    if sum(natural) <= room:
        return [list(row) for row in rows]
    words = [max(map(width, " ".join(column).split()), default=0) for column in columns_of_text]
    least = words if sum(words) <= room else [min(w, _NARROWEST) for w in words]
    most = max(natural)
    widths = natural
    while sum(widths) > room and most > _NARROWEST:
        most -= 1
        widths = [max(min(w, most), word) for w, word in zip(natural, least, strict=True)]
    lines = []
    for row in rows:
        cells = [
            wrapped(cell, max(wide, 1), at_hyphens=False)
            for cell, wide in zip(row, widths, strict=True)
        ]
        lines += [list(line) for line in zip_longest(*cells, fillvalue="")]
    return lines


def fitted(grid: Grid, columns: int | None) -> list[Grid]:
    """Return tables that are as wide as the terminal at most, if names and numbers can be.

    Few lines are turned around: a column for each. Of many lines the numbers are divided among
    several tables.
    """
    if columns is None or grid_width(grid) <= columns:
        return [grid]
    grid = _with_short_names(grid, columns // 2)
    turned = _turned(grid)
    if turned is not None and grid_width(turned) <= columns < grid_width(grid):
        return [turned]
    return _divided(grid, columns)


def grid_width(grid: Grid) -> int:
    """Return the columns that a table takes on a terminal."""
    rows = [[*grid.names, *grid.numbers], *([*x.names, *x.numbers] for x in grid.lines)]
    return sum(max(map(width, column)) + 2 for column in zip(*rows, strict=True)) - 2


def _with_short_names(grid: Grid, columns: int) -> Grid:
    most = max(columns // max(len(grid.names), 1) - 2, 8)
    lines = [replace(x, names=[shortened(printable(n), most) for n in x.names]) for x in grid.lines]
    return replace(grid, lines=lines)


def _turned(grid: Grid) -> Grid | None:
    """Return the table with a line for each number and a column for each line."""
    if len(grid.numbers) < 2 or not grid.lines:
        return None
    heads = [" ".join(line.names) or "value" for line in grid.lines]
    lines = [
        Line([name], [x.numbers[i] for x in grid.lines], [x.bold[i] for x in grid.lines])
        for i, name in enumerate(grid.numbers)
    ]
    return Grid([" ".join(grid.names)], heads, lines, [])


def _divided(grid: Grid, columns: int) -> list[Grid]:
    """Return tables with the same names and some of the numbers each."""
    names = grid_width(Grid(grid.names, [], [replace(x, numbers=[]) for x in grid.lines], []))
    parts: list[list[int]] = [[]]
    used = names
    for i, head in enumerate(grid.numbers):
        wide = 2 + max(width(head), *(width(x.numbers[i]) for x in grid.lines))
        if used + wide > columns and parts[-1]:
            parts.append([])
            used = names
        parts[-1].append(i)
        used += wide
    return [
        Grid(
            grid.names,
            [grid.numbers[i] for i in part],
            [
                Line(x.names, [x.numbers[i] for i in part], [x.bold[i] for i in part])
                for x in grid.lines
            ],
            [],
        )
        for part in parts
    ]


def shortened(text: str, most: int) -> str:
    """Return a text with its middle left out, so that it takes at most so many columns.

    >>> shortened("https://example.org/a/b/c/page-17.html", 21)
    'https://ex…ge-17.html'
    """
    if width(text) <= most:
        return text
    half = (most - 1) // 2
    start, end = text[:half], text[-half:]
    while width(start) > half:
        start = start[:-1]
    while width(end) > half:
        end = end[1:]
    return f"{start}…{end}"


def _bold(cell: str, colour: bool) -> str:
    """Return a padded cell with its text in bold."""
    text = cell.strip(" ")
    return cell.replace(text, _painted(_BOLD, text, colour), 1) if text else cell


def _painted(code: str, text: str, colour: bool) -> str:
    return f"{code}{text}{_RESET}" if colour else text


def markdown(grid: Grid) -> Iterator[str]:
    """Yield a Markdown table."""
    yield "| " + " | ".join([*grid.names, *grid.numbers]) + " |"
    yield "|" + "|".join([":---"] * len(grid.names) + ["---:"] * len(grid.numbers)) + "|"
    for line in grid.lines:
        numbers = [f"**{c}**" if b else c for c, b in zip(line.numbers, line.bold, strict=True)]
        yield "| " + " | ".join([*map(escaped, line.names), *numbers]) + " |"
    for text in grid.foot:
        yield ""
        yield escaped(text)


def escaped(text: str) -> str:
    """Return text for Markdown, in which no character has a meaning.

    Forges make links of names such as @somebody, #7 and addresses after Markdown is rendered, which
    a comment between two characters prevents.
    """
    plain = "".join(_ESCAPES.get(c, c) for c in printable(text))
    return _LINKS.sub(lambda match: f"{match[0]}<!-- -->", plain)


def rounded(value: float, digits: int, *, whole: bool) -> str:
    """Return a number as a cell."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if whole else f"{value:.{digits}f}"


def are_counts(values: Sequence[float]) -> bool:
    """Return whether numbers are whole, and not all of them 0 or 1."""
    return all(v == int(v) for v in values if not math.isnan(v)) and any(v > 1 for v in values)


def wrapped(text: str, columns: int, indent: str = "", *, at_hyphens: bool = True) -> list[str]:
    """Return the lines of a text that take at most so many columns; all but the first are indented."""
    filled = text if text.isascii() else "".join(c + _FILLER * (width(c) - 1) for c in text)
    lines = wrap(filled, columns, subsequent_indent=indent, break_on_hyphens=at_hyphens)
    return [line.replace(_FILLER, "") for line in lines]


def width(text: str) -> int:
    """Return the columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)
