"""Faults of a line or a column that engines report; the numbers are those of the C++ core."""

from __future__ import annotations

from enum import IntEnum


class LineFault(IntEnum):
    """Faults of a line of text (fault.hpp)."""

    FIELD_COUNT = 1
    NOT_A_NUMBER = 2
    NOT_FINITE = 3
    CONTROL_CHARACTER = 4
    LONG_LINE = 5


class ColumnFault(IntEnum):
    """Faults of a value in a column of a table (columns.hpp)."""

    MISSING = 1
    NOT_FINITE = 2
    EMPTY = 3
