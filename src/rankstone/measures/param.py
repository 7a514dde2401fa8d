"""Parameters of measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankstone.errors import UsageError, one_of


@dataclass(frozen=True)
class Param:
    """A parameter: its type, bounds or choices, default and one line of text.

    ``tries`` are numbers in use, worth trying where somebody else's value is to be explained.
    """

    name: str
    type: type
    text: str
    default: Any = None
    above: float | None = None
    below: float | None = None
    within: tuple[float, float] | None = None
    many: bool = False
    beside_table: bool = False  # matters only where another parameter is a table
    choices: Mapping[str, str] | None = None
    table: bool = False
    tries: tuple[float, ...] = ()

    def check(self, value: Any, measure: str) -> Any:
        """Return the value in its one normal form, or say what is wrong with it."""
        what = f"{self.name} of {measure}"
        if value is None and self.default is None:
            return None
        if self.table and isinstance(value, Mapping | tuple):
            return _table(value, what)
        if self.many and isinstance(value, list | tuple):
            single = replace(self, many=False)
            return tuple(single.check(v, measure) for v in value)
        if self.choices is not None:
            return one_of(value, self.choices, f"value for {what}")
        if self.many:
            raise UsageError(
                f"{what} must be some numbers, for example (0, 0.5, 1), not {value!r}."
            )
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise UsageError(f"{what} must be a number, not {value!r}.")
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if not np.isfinite(number) or (self.type is int and number != int(number)):
            kind = "whole number" if self.type is int else "finite number"
            raise UsageError(f"{what} must be a {kind}, not {value!r}.")
        if self.above is not None and number <= self.above:
            bound = (
                f"at least {int(self.above) + 1}" if self.type is int else f"above {self.above:g}"
            )
            raise UsageError(f"{what} must be {bound}, not {value!r}.")
        if self.below is not None and number >= self.below:
            raise UsageError(f"{what} must be below {self.below:g}, not {value!r}.")
        if self.within is not None and not self.within[0] <= number <= self.within[1]:
            low, high = self.within
            raise UsageError(f"{what} must be from {low:g} to {high:g}, not {value!r}.")
        return int(number) if number == int(number) else number


def _table(
    value: Mapping[Any, Any] | tuple[Any, ...], what: str
) -> tuple[tuple[float, float], ...]:
    try:
        rows = sorted((float(g), float(v)) for g, v in dict(value).items())
    except (TypeError, ValueError):
        raise UsageError(
            f"{what} must map grades to numbers, for example {{1: 1, 2: 3}}, not {value!r}."
        ) from None
    if not rows or not all(np.isfinite(g) and np.isfinite(v) and v >= 0 for g, v in rows):
        raise UsageError(f"{what} must map grades to finite numbers from 0 up, not {value!r}.")
    return tuple(rows)


K = Param("k", int, "cut-off: only the first k documents are read", above=0)
REL = Param("rel", float, "lowest grade that counts as relevant", above=0)
