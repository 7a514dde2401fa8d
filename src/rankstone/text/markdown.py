"""Blocks as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankstone.errors import printable
from rankstone.text.blocks import Block, Bold, Code, Grid, Paragraphs, Sentence

_ESCAPES = {**{c: f"\\{c}" for c in "\\|`*_<>[]"}, "&": "&amp;"}
_PREFIXES = {"item": "- ", "head": "### "}
_LINKS = re.compile(r"(?<!\w)[@#](?=\w)|:(?=//)|\bwww(?=\.)")


def markdown(paragraphs: Paragraphs) -> Iterator[str]:
    """Yield the lines of a text; a blank line separates blocks other than items of a list."""
    before = ""
    for block in (block for paragraph in paragraphs for block in paragraph):
        kind = block.kind if isinstance(block, Sentence) else "table"
        if before and not before == kind == "item":
            yield ""
        yield from _lines(block)
        before = kind or "sentence"


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Grid):
        yield from table(block)
    elif isinstance(block, Sentence):
        if block.kind == "verbatim":  # an indented block holds anything
            yield f"    {printable(block.text)}"
        else:
            text = "".join(map(_part, block.parts)).lstrip()
            yield _PREFIXES.get(block.kind, "") + text
    else:
        for number, (title, grid) in enumerate(block.tables.items()):
            yield from ["", f"{title.capitalize()}:", ""] if number else ()
            yield from table(grid)


def _part(text: str) -> str:
    if isinstance(text, Code):
        return f"`{text}`"
    return f"**{escaped(text)}**" if isinstance(text, Bold) else escaped(text)


def table(grid: Grid) -> Iterator[str]:
    """Yield a table and the sentences below it."""
    columns = range(len(grid.heads))
    yield "| " + " | ".join(grid.heads) + " |"
    yield "|" + "|".join(":---" if grid.is_text(c) else "---:" for c in columns) + "|"
    for line in grid.lines:
        cells = (
            f"**{cell}**" if bold and cell else escaped(cell) if grid.is_text(c) else cell
            for c, (cell, bold) in enumerate(line.cells)
        )
        yield "| " + " | ".join(cells) + " |"
    for text in grid.foot:
        yield ""
        yield escaped(text)


def escaped(text: str) -> str:
    """Return text for Markdown, in which no character has a meaning.

    Forges make links of names such as @somebody, #7 and addresses after Markdown is rendered, which
    a comment between two characters prevents. A < before a space needs no escape.
    """
    plain = "".join(_ESCAPES.get(c, c) for c in printable(text)).replace("\\< ", "< ")
    return _LINKS.sub(lambda match: f"{match[0]}<!-- -->", plain)
