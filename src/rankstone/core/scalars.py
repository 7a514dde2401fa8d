"""Single ids and numbers, in whatever way files and Python objects hold them."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from rankstone.core.text import decode, is_number
from rankstone.errors import DataError

_BLANKS = " \t\r\n"


def plain_id(value: object) -> str | int | None:
    """Return an id as text or as a whole number, None if it is neither and not empty text."""
    if isinstance(value, str):
        return str(value) or None
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, bytes):
        return decode(value) or None
    return str(value) if type(value).__name__ == "UUID" else None


def id_of(value: object, what: str, where: str = "") -> str | int:
    """Return an id as text or as a whole number; ``what`` and ``where`` name it in errors."""
    id_ = plain_id(value)
    if id_ is not None:
        return id_
    at = f"{where}: " if where else ""
    if isinstance(value, str | bytes):
        raise DataError(f"{at}empty {what} id. Give every {what} an id.")
    raise DataError(
        f"{at}{what} id {shown(value)} is neither text nor a whole number.{_remedy(value)}"
    )


def _remedy(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return f" Write it as {int(value)}, in the judgments and in the run."
    return ""


def number_of(value: Any, what: str, where: str) -> float:
    """Return a finite number; text that is a number counts as one."""
    if type(value) is float and isfinite(value):
        return value
    try:
        if isinstance(value, bool | bytes) or (isinstance(value, str) and not _is_number(value)):
            raise ValueError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{where}: {what} {shown(value)} is not a number.") from None
    if not isfinite(number):
        raise DataError(f"{where}: {what} {shown(value)} is not a finite number.")
    return number


def _is_number(text: str) -> bool:
    return is_number(text.strip(_BLANKS))


def shown(value: object) -> str:
    """Return a value as it is quoted in messages, cut short if it is long."""
    text = ascii(value)
    return text if len(text) <= 64 else f"{text[:60]}..."
