"""Blocks as HTML for notebooks, in colours that suit a light and a dark ground.

Everything from outside is escaped, and styles are attributes, so that nothing leaks out of a cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby

from rankstone.errors import printable
from rankstone.text.blocks import Block, Bold, Code, Grid, Paragraphs, Sentence

_COLOURS = {"good": "#1f83c6", "bad": "#d4641a"}  # readable on white and on black
_MARKS = {"good": "▲ ", "bad": "▼ ", "unsure": "? "}
_QUIET = "opacity:.75;font-size:90%;margin:4px 0"
_CELL = "padding:2px 10px;border-bottom:1px solid rgba(128,128,128,.35);background:none"


def html(paragraphs: Paragraphs) -> str:
    """Return a text as one element."""
    blocks = (block for paragraph in paragraphs for block in paragraph)
    parts = []
    for is_list, group in groupby(blocks, lambda b: isinstance(b, Sentence) and b.kind == "item"):
        inside = "".join(map(_element, group))
        style = "margin:4px 0;padding-left:1.2em"
        parts.append(f'<ul style="{style}">{inside}</ul>' if is_list else inside)
    return f'<div style="color:inherit">{"".join(parts)}</div>'


def _element(block: Block) -> str:
    if isinstance(block, Grid):
        return _table(block)
    if not isinstance(block, Sentence):
        _, *titles = (f"<div><b>{escaped(t).capitalize()}</b></div>" for t in block.tables)
        grids = block.tables.values()
        return "".join(t + _table(grid) for t, grid in zip(["", *titles], grids, strict=True))
    colour = f"color:{_COLOURS.get(block.tone, 'inherit')}"
    inside = "".join(_part(part, colour) for part in block.parts).lstrip()
    if block.kind == "item":
        mark = f'<span style="{colour}">{_MARKS.get(block.tone, "")}</span>'
        return f'<li style="margin:2px 0">{mark}{inside}</li>'
    style = _QUIET if block.kind == "quiet" else "margin:2px 0"
    return f'<div style="{style}">{inside}</div>'


def _part(text: str, colour: str) -> str:
    if isinstance(text, Bold):
        return f'<b style="{colour}">{escaped(text)}</b>'
    return f"<code>{escaped(text)}</code>" if isinstance(text, Code) else escaped(text)


def _table(grid: Grid) -> str:
    def row(cells: Iterable[str], tag: str) -> str:
        shown = (
            f'<{tag} style="text-align:{"left" if grid.is_text(i) else "right"};{_CELL}">{cell}</{tag}>'
            for i, cell in enumerate(cells)
        )
        return f'<tr style="background:none">{"".join(shown)}</tr>'

    body = "".join(row((_cell(*cell) for cell in line.cells), "td") for line in grid.lines)
    foot = "".join(f'<div style="{_QUIET}">{escaped(text)}</div>' for text in grid.foot)
    return (
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums;color:inherit">'
        f"<thead>{row(map(escaped, grid.heads), 'th')}</thead><tbody>{body}</tbody></table>{foot}"
    )


def _cell(cell: str, bold: bool) -> str:
    tone = next((tone for tone, mark in _MARKS.items() if mark.strip() in cell), "")
    colour = _COLOURS.get(tone, "inherit")
    return f'<b style="color:{colour}">{escaped(cell)}</b>' if bold else escaped(cell)


def escaped(value: object) -> str:
    """Return escaped text; bytes that are not UTF-8 are shown as question marks."""
    return escape(printable(str(value)).encode("utf-8", "replace").decode())
