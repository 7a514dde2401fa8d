"""Tables for people: aligned on a terminal, or in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankstone.errors import printable

_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


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


def terminal(grid: Grid, colour: bool) -> Iterator[str]:
    """Yield an aligned table."""
    texts = [[*grid.names, *grid.numbers], *([*x.names, *x.numbers] for x in grid.lines)]
    head, *body = [[printable(cell) for cell in line] for line in texts]
    left = len(grid.names)
    widths = [max(width(line[i]) for line in [head, *body]) for i in range(len(head))]

    def paint(code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if colour else text

    def align(cells: list[str], bold: list[bool]) -> str:
        parts = []
        for i, cell in enumerate(cells):
            gap = " " * (widths[i] - width(cell))
            text = paint(_BOLD, cell) if bold[i] else cell
            parts.append(text + gap if i < left else gap + text)
        return "  ".join(parts).rstrip()

    yield align(head, [True] * len(head))
    yield paint(_DIM, "  ".join("─" * w for w in widths))
    for line, cells in zip(grid.lines, body, strict=True):
        yield align(cells, [False] * left + line.bold)
    for text in grid.foot:
        yield paint(_DIM, printable(text))


def markdown(grid: Grid) -> Iterator[str]:
    """Yield a Markdown table."""
    yield "| " + " | ".join([*grid.names, *grid.numbers]) + " |"
    yield "|" + "|".join([":---"] * len(grid.names) + ["---:"] * len(grid.numbers)) + "|"
    for line in grid.lines:
        numbers = [f"**{c}**" if b else c for c, b in zip(line.numbers, line.bold, strict=True)]
        yield "| " + " | ".join([*map(in_markdown, line.names), *numbers]) + " |"
    for text in grid.foot:
        yield ""
        yield in_markdown(text)


def in_markdown(text: str) -> str:
    """Return text without what Markdown would read as its own."""
    return "".join(f"\\{c}" if c in "\\|`*_<>[]" else c for c in printable(text))


def rounded(value: float, digits: int, *, whole: bool) -> str:
    """Return a number as a cell."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if whole else f"{value:.{digits}f}"


def are_counts(values: Sequence[float]) -> bool:
    """Return whether numbers are whole, and not all of them 0 or 1."""
    return all(v == int(v) for v in values if not math.isnan(v)) and any(v > 1 for v in values)


def width(text: str) -> int:
    """Return the columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)
