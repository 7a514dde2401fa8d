"""Tables and code in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence


def code(text: str) -> str:
    """Return text as code that may stand in a table."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text.replace('|', chr(92) + '|')}{fence}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def names_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table whose code may break anywhere, so that it fits into the page."""
    yield "```{table}\n:class: names\n"
    yield from table(heads, rows)
    yield "```"


def prose(text: str) -> str:
    """Return the text of a docstring as Markdown: its code as code, the rest as it is written."""
    parts = text.split("``")
    parts[::2] = [re.sub(r"([\\*_<|\[\]])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and MyST make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
