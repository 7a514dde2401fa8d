"""The layout of a line of text, and the faults that engines report (numbers shared with C++)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class LineFault(IntEnum):
    """Faults of a line of text (fault.hpp)."""

    FIELD_COUNT = 1
    NOT_A_NUMBER = 2
    NOT_FINITE = 3
    CONTROL_CHARACTER = 4
    LONG_LINE = 5
    UNUSUAL = 6  # JSON that the strict reader has to look at


class ColumnFault(IntEnum):
    """Faults of a value in a column of a table (columns.hpp)."""

    MISSING = 1
    NOT_FINITE = 2
    EMPTY = 3


# How the number of a line is written: as a decimal number, as a number of which the lowest is the
# best (a rank, a distance), or as C's atof or atol read it.
NUMBER, RANK, ATOF, ATOL = range(4)


class RowLayout(NamedTuple):
    """The number of fields in a line and the position of each, -1 for a field that is absent.

    With ``more`` a line may have further fields. ``iteration`` is a field of judgments that names
    subtopics if it has several values; a scan keeps a few of them, to tell whether there are. If each
    line holds a JSON object, ``record`` is the text between its values, and what these are.
    """

    columns: int
    query: int
    doc: int
    value: int
    rank: int = -1
    reading: int = NUMBER
    more: bool = False
    iteration: int = -1
    record: tuple[tuple[bytes, ...], tuple[int, ...]] | None = None

    def fits(self, count: int) -> bool:
        """Return whether a line may have that many fields."""
        return count == self.columns or (self.more and count > self.columns)
