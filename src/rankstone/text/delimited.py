"""Rows between tabs or commas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from rankstone.core.text import escape_field
from rankstone.text.terminal import aligned

Cells = tuple[Sequence[str], Sequence[str]]  # of a line: text and numbers
_FORMULA = ("=", "+", "-", "@", "'")


def exact(value: float, digits: int | None = None) -> str:
    """Return the shortest decimal that reads back as the same number, or one with so many digits."""
    if math.isnan(value):
        return ""
    if digits is not None:
        return f"{value:.{digits}f}"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def delimited(lines: Iterable[Cells], form: str) -> Iterator[str]:
    """Yield lines of ``tsv`` or ``csv``; ids are written by ``escape_field``.

    In CSV they are quoted, and text that a spreadsheet would run as a formula, or that starts with
    ', gets a ' in front.
    """
    text, separator = (escape_field, "\t") if form == "tsv" else (_csv, ",")
    return (separator.join([*map(text, names), *numbers]) for names, numbers in lines)


def _csv(text: str) -> str:
    text = escape_field(text)
    if text.startswith(_FORMULA):
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def lines_of(rows: Sequence[Sequence[str]], names: int, *, wide: bool) -> Iterator[str]:
    """Yield rows whose first cells are names: aligned for a terminal, else between tabs."""
    if not wide:
        return ("\t".join(map(escape_field, row)) for row in rows)
    return ("  ".join(row).rstrip() for row in aligned(rows, lambda column: column < names))
