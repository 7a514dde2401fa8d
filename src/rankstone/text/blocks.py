"""The blocks that texts consist of: sentences and tables, rendered by the modules of each format.

A text is a sequence of paragraphs, each a list of blocks. What verbs show is built as blocks once;
``terminal``, ``markdown``, ``latex`` and ``html`` know nothing of verbs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from rankstone.frozen import frozen


class Code(str):
    """Part of a sentence that is code or a formula."""

    __slots__ = ()


class Bold(str):
    """Part of a sentence that is emphasised, except on a terminal."""

    __slots__ = ()


@frozen
class Sentence:
    """A text of one or more parts.

    Args:
        parts: plain text, ``Code`` and ``Bold``. Spaces at the start indent it on a terminal.
        kind: ``item`` of a list, ``head``, ``quiet`` or ``verbatim``; default: none of these.
        tone: ``good``, ``bad`` or ``unsure``, shown as a colour or a mark.
    """

    parts: Sequence[str]
    kind: str = ""
    tone: str = ""

    @property
    def text(self) -> str:
        """The text without emphasis."""
        return "".join(self.parts)


@frozen
class Line:
    """A line of a table: cells that say what it is, cells with numbers, and which of these are bold."""

    names: Sequence[str]
    numbers: Sequence[str]
    bold: Sequence[bool] = ()

    @property
    def cells(self) -> list[tuple[str, bool]]:
        """All cells, each with whether it is bold."""
        bold = [False] * len(self.names) + [*(self.bold or [False] * len(self.numbers))]
        return list(zip([*self.names, *self.numbers], bold, strict=True))


@frozen
class Grid:
    """A table: the heads of both kinds of columns, lines, and sentences below it.

    ``words`` are the columns that hold text (default: those of the names).
    """

    names: Sequence[str]
    numbers: Sequence[str]
    lines: Sequence[Line]
    foot: Sequence[str] = ()
    words: Collection[int] | None = None

    @property
    def heads(self) -> list[str]:
        """The heads of all columns."""
        return [*self.names, *self.numbers]

    def is_text(self, column: int) -> bool:
        """Return whether a column holds text, which is aligned on the left and escaped."""
        return column in (range(len(self.names)) if self.words is None else self.words)

    def part(self, columns: Sequence[int]) -> Grid:
        """Return the table with some of its numbers, and nothing below it."""
        return Grid(
            self.names,
            [self.numbers[i] for i in columns],
            [
                Line(
                    x.names, [x.numbers[i] for i in columns], [x.bold[i] for i in columns if x.bold]
                )
                for x in self.lines
            ],
        )


@frozen
class Beside:
    """Tables by title, side by side if they fit; a single one has no title."""

    tables: Mapping[str, Grid]


Block = Sentence | Grid | Beside
Paragraphs = Sequence[Sequence[Block]]


def rounded(value: float, digits: int, *, whole: bool = False) -> str:
    """Return a number as a cell."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if whole else f"{value:.{digits}f}"


def are_counts(values: Sequence[float]) -> bool:
    """Return whether numbers are whole, and not all of them 0 or 1."""
    return all(v == int(v) for v in values if not math.isnan(v)) and any(v > 1 for v in values)
