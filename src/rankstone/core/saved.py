"""Checks of saved JSON: content that Rankstone does not write raises ``ValueError`` or ``TypeError``."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
_NUMBERS = {int, float, type(None)}  # bool is another type


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is not text")
    return value


def whole(value: Any) -> int:
    """Return a count."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r:.40} is not a count")
    return value


def number(value: Any) -> float:
    """Return a number; None stands for a value that is missing.

    >>> number(2), number(None)
    (2.0, nan)
    """
    if type(value) in _NUMBERS:
        with suppress(OverflowError):  # a whole number of 400 digits
            found = math.nan if value is None else float(value)
            if not math.isinf(found):
                return found
    raise ValueError(f"{value!r:.40} is not a number")


def optional(check: Callable[[Any], T], value: Any) -> T | None:
    """Return a checked value, or None if it is missing."""
    return None if value is None else check(value)


def items(value: Any) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.40} is not a list")
    return value


def column(value: Any) -> np.ndarray:
    """Return a list of numbers, some of them missing, as an array."""
    if not {*map(type, items(value))} <= _NUMBERS:
        raise ValueError("some values are not numbers")
    found = np.array([math.nan if v is None else v for v in value], np.float64)
    if np.isinf(found).any():
        raise ValueError("some values are infinite")
    return found


def ids(value: Any) -> list[str | int]:
    """Return ids, all of them different.

    >>> ids(["q1", 2])
    ['q1', 2]
    """
    if not {*map(type, items(value))} <= {str, int} or "" in value:
        raise ValueError("some ids are neither text nor whole numbers")
    if len({*value}) < len(value):
        raise ValueError("an id is repeated")
    return value
