"""Blocks on a terminal: aligned tables, and sentences that end where the terminal does."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from rankstone.core.text import pieces, width, wrapped
from rankstone.errors import printable
from rankstone.language import tr
from rankstone.text.blocks import Beside, Grid, Line, Paragraphs, Sentence

_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_TONES = {"good": "\x1b[32m", "bad": "\x1b[31m", "unsure": "\x1b[33m"}
_NARROWEST = 12  # columns of a cell on several lines


def terminal(
    paragraphs: Paragraphs, colour: bool = False, columns: int | None = None
) -> Iterator[str]:
    """Yield the lines of a text; a blank line separates paragraphs."""
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ""
        for block in paragraph:
            if isinstance(block, Grid):
                yield from table(block, colour, columns)
            elif isinstance(block, Beside):
                yield from _beside(block.tables, columns)
            else:
                yield from _sentence(block, colour, columns)


def _sentence(sentence: Sentence, colour: bool, columns: int | None) -> Iterator[str]:
    """Yield the lines of a sentence; a p-value stays on one line."""
    # A line that starts with two colons is a command to some build servers.
    text = re.sub(r"(?<=\s)::", r"\\x3a:", printable(sentence.text))
    code = _TONES.get(sentence.tone, "") if sentence.kind == "head" else ""
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    kept = re.sub(r"p ([<=]) ", "p\u00a0\\1\u00a0", text)
    for line in wrapped(kept, columns, indent, at_hyphens=False) if columns else [text]:
        yield _painted(code, line.replace("\u00a0", " "), colour and bool(code))


def _beside(tables: Mapping[str, Grid], columns: int | None) -> Iterator[str]:
    """Yield tables under their titles, side by side if they fit; a single one has no title."""
    texts = {printable(title): list(table(grid)) for title, grid in tables.items()}
    if len(texts) == 1:
        yield from next(iter(texts.values()))
    elif columns and sum(max(map(width, lines)) + 3 for lines in texts.values()) - 3 > columns:
        for number, (title, lines) in enumerate(texts.items()):
            yield from ["", title, *lines] if number else [title, *lines]
    else:
        rows = [tuple(texts), *zip_longest(*texts.values(), fillvalue="")]
        for cells in aligned(rows, lambda _: True):
            yield "   ".join(cells).rstrip()


def table(grid: Grid, colour: bool = False, columns: int | None = None) -> Iterator[str]:
    """Yield an aligned table; one wider than ``columns`` is turned around, or cut into several."""
    for number, piece in enumerate(_fitted(grid, columns)):
        if number:
            yield ""
        rows = [piece.heads, *([cell for cell, _ in line.cells] for line in piece.lines)]
        head, *body = aligned(rows, piece.is_text)
        yield "  ".join(_bold(cell, colour) for cell in head).rstrip()
        yield _painted(_DIM, "  ".join("─" * width(cell) for cell in head), colour)
        for line, cells in zip(piece.lines, body, strict=True):
            bold = (is_bold for _, is_bold in line.cells)
            shown = (_bold(c, colour) if b else c for c, b in zip(cells, bold, strict=True))
            yield "  ".join(shown).rstrip()
    for text in map(printable, grid.foot):
        parts = wrapped(text, columns) if columns else [text]
        yield from (_painted(_DIM, part, colour) for part in parts)


def aligned(rows: Sequence[Sequence[str]], is_left: Callable[[int], bool]) -> list[list[str]]:
    """Return cells padded to the width of their column, on the right if the column is text."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]

    def padded(column: int, cell: str) -> str:
        gap = " " * (widths[column] - width(cell))
        return cell + gap if is_left(column) else gap + cell

    return [[padded(i, cell) for i, cell in enumerate(row)] for row in cells]


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
    words = [max(map(width, pieces(" ".join(column))), default=0) for column in columns_of_text]
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


def _fitted(grid: Grid, columns: int | None) -> list[Grid]:
    """Return tables that are as wide as the terminal at most, if names and numbers can be.

    Few lines are turned around: a column for each. Of many lines the numbers are divided among
    several tables.
    """
    if columns is None or grid_width(grid) <= columns:
        return [grid]
    most = max(columns // 2 // max(len(grid.names), 1) - 2, 8)
    lines = [replace(x, names=[shortened(printable(n), most) for n in x.names]) for x in grid.lines]
    grid = replace(grid, lines=lines)
    turned = _turned(grid)
    if turned is not None and grid_width(turned) <= columns < grid_width(grid):
        return [turned]
    return _divided(grid, columns)


def grid_width(grid: Grid) -> int:
    """Return the columns that a table takes on a terminal."""
    return sum(wide + 2 for wide in _widths(grid)) - 2


def _widths(grid: Grid) -> list[int]:
    rows = [grid.heads, *([*x.names, *x.numbers] for x in grid.lines)]
    return [max(map(width, column)) for column in zip(*rows, strict=True)]


def _turned(grid: Grid) -> Grid | None:
    """Return the table with a line for each number and a column for each line."""
    if len(grid.numbers) < 2 or not grid.lines:
        return None
    columns = zip(*(line.cells[len(grid.names) :] for line in grid.lines), strict=True)
    return Grid(
        [" ".join(grid.names)],
        [" ".join(line.names) or tr("value") for line in grid.lines],
        [
            Line([name], [cell for cell, _ in column], [bold for _, bold in column])
            for name, column in zip(grid.numbers, columns, strict=True)
        ],
    )


def _divided(grid: Grid, columns: int) -> list[Grid]:
    """Return tables with the same names and some of the numbers each."""
    left = len(grid.names)
    widths = [wide + 2 for wide in _widths(grid)]
    parts: list[list[int]] = [[]]
    for i, wide in enumerate(widths[left:]):
        used = sum(widths[:left]) + sum(widths[left + other] for other in parts[-1])
        if parts[-1] and used + wide - 2 > columns:
            parts.append([])
        parts[-1].append(i)
    return [grid.part(part) for part in parts]


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
