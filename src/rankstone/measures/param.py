"""Parameters of measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np

from rankstone.core.cutoff import Budget
from rankstone.errors import UsageError, one_of
from rankstone.frozen import frozen


@frozen
class Param:
    """A parameter of a measure.

    Args:
        name: its name.
        text: one line about it.
        default: value if it is not given; None if it may be left out.
        examples: values in use. Tests draw from them, and ``reconcile`` tries them.
        type: kind of its values, if they are numbers: int or float.
        beside_table: it matters only if another parameter is a table.
    """

    name: str
    text: str
    _: KW_ONLY
    default: Any = None
    examples: tuple[Any, ...] = ()
    type: type = str
    beside_table: bool = False

    @property
    def choices(self) -> Mapping[str, str]:
        """Values that are words, each with its meaning."""
        return {}

    def check(self, value: Any, measure: str) -> Any:
        """Return the value in its one normal form, or raise an error that says what is wrong."""
        if value is None and self.default is None:
            return None
        return self.normal(value, f"{self.name} of {measure}")

    def normal(self, value: Any, what: str) -> Any:
        """Return a value that is not None in its normal form; ``what`` names it in errors."""
        raise NotImplementedError

    def is_table(self, value: Any) -> bool:
        """Return whether a value in its normal form is a table of gains."""
        return False

    def implies(self, value: Any) -> dict[str, Any]:
        """Return other parameters that a value, as it was given, sets."""
        return {}

    def shown(self, value: Any) -> str:
        """Return a value as it is written."""
        return repr(value)


@frozen(kw_only=True)
class Number(Param):
    """A number, above or below a bound, or from one number to another."""

    type: type = float
    above: float | None = None
    below: float | None = None
    within: tuple[float, float] | None = None

    def normal(self, value: Any, what: str) -> Any:
        """Return the number, an int if it is whole."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise UsageError(f"{what} must be a number, not {value!r}.")
        number = _finite(value)
        if number is None or (self.type is int and number != int(number)):
            kind = "whole number" if self.type is int else "finite number"
            raise UsageError(f"{what} must be a {kind}, not {value!r}.")
        if self.type is int and abs(number) >= _TOO_LARGE:
            raise UsageError(f"{what} is too large: {value!r}.")
        if not self._is_within(number):
            raise UsageError(f"{what} must be {self._bounds()}, not {value!r}.")
        return int(number) if number == int(number) else number

    def _is_within(self, number: float) -> bool:
        low, high = self.within or (-np.inf, np.inf)
        return (
            (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
            and low <= number <= high
        )

    def _bounds(self) -> str:
        bounds = []
        if self.above is not None:
            whole = f"at least {int(self.above) + 1}"
            bounds.append(whole if self.type is int else f"above {self.above:g}")
        if self.below is not None:
            bounds.append(f"below {self.below:g}")
        if self.within is not None:
            bounds.append(f"from {self.within[0]:g} to {self.within[1]:g}")
        return " and ".join(bounds)


_TOO_LARGE = 10**15  # as in names; engines count with 64 bits


def _finite(value: Any) -> float | None:
    """Return a number as a float, None if it is too large or not finite."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if np.isfinite(number) else None


@frozen(kw_only=True)
class Several(Number):
    """Some numbers."""

    def normal(self, value: Any, what: str) -> Any:
        """Return the numbers as a tuple."""
        if not isinstance(value, list | tuple):
            raise UsageError(
                f"{what} must be some numbers, for example (0, 0.5, 1), not {value!r}."
            )
        return tuple(super(Several, self).normal(number, what) for number in value)


@frozen(kw_only=True)
class Choice(Param):
    """One of several words; the first is the default."""

    words: Mapping[str, str]

    @classmethod
    def of(cls, name: str, text: str, **words: str) -> Self:
        """Make a choice of words that are given by name, each with its meaning."""
        return cls(name, text, words=words)

    def __post_init__(self) -> None:
        """Take the words as examples, and the first as the default."""
        object.__setattr__(self, "default", next(iter(self.words)))
        object.__setattr__(self, "examples", (*self.words, *self.examples))

    @property
    def choices(self) -> Mapping[str, str]:
        """The words, each with its meaning."""
        return self.words

    def normal(self, value: Any, what: str) -> Any:
        """Return the word."""
        return one_of(value, self.words, f"value for {what}")


@frozen(kw_only=True)
class Text(Param):
    """A name that the data have, such as a category."""

    def normal(self, value: Any, what: str) -> Any:
        """Return the name."""
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{what} must be a name, not {value!r}.")
        return value


@frozen(kw_only=True)
class Table(Choice):
    """One of some words, or a table of gains such as {1: 1, 2: 3}.

    A function of a grade is read as its table for the grades 0 to 10, so that the measure can be
    printed, saved and computed again; other grades are an error then.
    """

    def implies(self, value: Any) -> dict[str, Any]:
        """Refuse grades at which a function was not read."""
        return {"unlisted": "error"} if callable(value) else {}

    def normal(self, value: Any, what: str) -> Any:
        """Return the word, or the rows of the table by grade."""
        if callable(value):
            value = {grade: value(grade) for grade in range(_HIGHEST_READ + 1)}
        if not isinstance(value, Mapping | tuple):
            return super().normal(value, what)
        try:
            rows = sorted((float(g), float(v)) for g, v in dict(value).items())
        except (TypeError, ValueError):
            raise UsageError(
                f"{what} must map grades to numbers, for example {{1: 1, 2: 3}}, not {value!r}."
            ) from None
        if not rows or not all(np.isfinite(g) and np.isfinite(v) and v >= 0 for g, v in rows):
            raise UsageError(f"{what} must map grades to finite numbers from 0 up, not {value!r}.")
        return tuple(rows)

    def is_table(self, value: Any) -> bool:
        """Return whether a value in its normal form is a table of gains."""
        return isinstance(value, tuple)

    def shown(self, value: Any) -> str:
        """Return a value as it is written."""
        if not self.is_table(value):
            return repr(value)
        return "{" + ", ".join(f"{_written(g)}: {_written(v)}" for g, v in value) + "}"


_HIGHEST_READ = 10


def _written(number: float) -> str:
    return repr(int(number)) if number == int(number) else repr(number)


@frozen(kw_only=True)
class CutoffParam(Number):
    """A rank, or a budget such as 2000tokens."""

    type: type = int

    def normal(self, value: Any, what: str) -> Any:
        """Return the rank or the budget."""
        if isinstance(value, str) and (budget := Budget.read(value)):
            return budget
        return value if isinstance(value, Budget) else super().normal(value, what)

    def shown(self, value: Any) -> str:
        """Return a rank or a budget as it is written in parentheses."""
        return repr(str(value)) if isinstance(value, Budget) else repr(value)


K = CutoffParam(
    name="k",
    text="cutoff: only the first k documents are read; or a budget such as 2000tokens",
    above=0,
    examples=(1, 3, 5, 10, 20, 50, 100),
)
REL = Number(
    name="rel", text="lowest grade that counts as relevant", above=0, examples=(0.5, 1, 2, 3)
)
