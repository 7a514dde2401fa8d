"""The words of files of nuggets: how important a nugget is, and whether a document supports it."""

from __future__ import annotations

from typing import Any

from rankstone.core.scalars import number_of, shown
from rankstone.core.text import is_number
from rankstone.errors import DataError
from rankstone.io.column_roles import plain_name

_IMPORTANCE = {"vital": True, "okay": False, "ok": False}
_SUPPORT = {
    word: grade
    for words, grade in (
        ("support fullsupport supported fs", 1.0),
        ("partialsupport partial partiallysupported ps", 0.5),
        ("notsupport nosupport notsupported ns", 0.0),
    )
    for word in words.split()
}


def is_vital(value: Any, nugget: object, where: str) -> bool:
    """Return whether a nugget is vital, by the word for its importance."""
    word = plain_name(value) if isinstance(value, str) else value
    if isinstance(word, bool):
        return word
    if word not in _IMPORTANCE:
        raise DataError(
            f"{where}: the importance of the nugget {shown(nugget)} is {shown(value)}; it is "
            "either 'vital' or 'okay'."
        )
    return _IMPORTANCE[word]


def grade_of(value: Any, nugget: object, where: str) -> float:
    """Return the grade of a document for a nugget: a number, or a word for its support."""
    if isinstance(value, str) and (word := plain_name(value)) in _SUPPORT:
        return _SUPPORT[word]
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float) or (isinstance(value, str) and is_number(value.strip())):
        return number_of(value, "grade", where)
    raise DataError(
        f"{where}: the assignment of the nugget {shown(nugget)} is {shown(value)}; it is "
        "'support', 'partial_support', 'not_support' or a grade."
    )
