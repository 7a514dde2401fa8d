"""How the lines of a text file are laid out."""

from __future__ import annotations

from typing import NamedTuple

# How the number of a line is written: as a decimal number, as a rank, of which the lowest is
# the best, or as C's atof or atol take it.
NUMBER, RANK, ATOF, ATOL = range(4)


class Layout(NamedTuple):
    """How many fields a line has, and which of them hold what; ``rank`` is -1 where none does.

    With ``more`` a line may have further fields.
    """

    columns: int
    query: int
    doc: int
    value: int
    rank: int = -1
    reading: int = NUMBER
    more: bool = False

    def fits(self, count: int) -> bool:
        """Return whether a line may have that many fields."""
        return count == self.columns or (self.more and count > self.columns)
