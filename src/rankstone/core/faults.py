"""What the engines report as wrong with a line or a column; the numbers are those of the C++ core."""

from __future__ import annotations

from enum import IntEnum


class LineFault(IntEnum):
    """What is wrong with a line of text (fault.hpp)."""

    FIELD_COUNT = 1
    NOT_A_NUMBER = 2
    NOT_FINITE = 3
    CONTROL_CHARACTER = 4
    LONG_LINE = 5


class ColumnFault(IntEnum):
    """What is wrong with a value in a column of a table (columns.hpp)."""

    MISSING = 1
    NOT_FINITE = 2
    EMPTY = 3
