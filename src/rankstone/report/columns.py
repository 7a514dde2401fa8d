"""Columns of numbers as short text: what takes most of a report's data.

A list of numbers in JSON is slow to write, to compress and to read in a browser, and large. Here each
number is a whole number of units, written with the same number of digits of base 64.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankstone.core.ids import Ids
from rankstone.core.text import decode

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
_BITS = 6  # of a digit
_PARTS = 10**6  # of 1: six decimals are kept, tables have four
_SAMPLE = 64
_FEWEST = 4  # hexadecimal digits of an id that are worth the trouble
_LARGEST = 1 << 53  # beyond, a browser does not know every whole number
_ALPHABET = np.frombuffer(DIGITS.encode(), np.uint8)


def packed(column: np.ndarray) -> Any:
    """Return a column for JSON: rounded to six decimals; what is not finite becomes none.

    Number i is ``(low + code) * unit / 1000000``, and none if the code equals ``none``. The text has
    the first digit of every code, then the second of every code, and so on, ``digits`` in all. With
    ``flags`` the numbers are yes (1) and no (0). A column of numbers that are too large is a list.

    >>> packed(np.array([0.5, 1.0, 0.25, 0.5]))
    {'low': 1, 'unit': 250000, 'digits': 1, 'text': '1301'}
    >>> packed(np.array([np.nan, -2.0, 71.0])), packed(np.array([True, False]))["text"]
    ({'low': -2, 'unit': 1000000, 'digits': 2, 'text': '101A09', 'none': 74}, '10')
    """
    numbers = np.asarray(column, np.float64)
    finite = np.isfinite(numbers)
    every = bool(finite.all())
    known = numbers if every else numbers[finite]
    if np.abs(known).max(initial=0.0) * _PARTS >= _LARGEST:
        return [v if math.isfinite(v) else None for v in np.round(numbers, 6).tolist()]
    parts = np.rint(known * _PARTS).astype(np.int64)
    unit = _unit(parts)
    parts //= unit
    low = int(parts.min()) if len(parts) else 0
    parts -= low
    largest = int(parts.max(initial=0))
    more: dict[str, Any] = {}
    if not every:
        largest += 1
        more["none"] = largest
        codes = np.full(len(numbers), largest, np.int64)
        codes[finite] = parts
        parts = codes
    if column.dtype == bool:
        more["flags"] = True
    digits = max(1, math.ceil(largest.bit_length() / _BITS))
    return {"low": low, "unit": unit, "digits": digits, "text": _text(parts, digits), **more}


def _unit(parts: np.ndarray) -> int:
    """Return what all numbers are multiples of."""
    some = int(np.gcd.reduce(parts[:_SAMPLE])) if len(parts) else 0
    return (some if some == 1 else int(np.gcd.reduce(parts, initial=0))) or _PARTS


def _text(codes: np.ndarray, digits: int) -> str:
    shifts = range(_BITS * (digits - 1), -1, -_BITS)
    return b"".join(_ALPHABET[codes >> shift & 63].tobytes() for shift in shifts).decode()


def unpacked(column: Any) -> np.ndarray:
    """Return the numbers of a packed column; none is NaN.

    >>> unpacked(packed(np.array([0.5, np.nan, -0.25]))).tolist()
    [0.5, nan, -0.25]
    """
    if isinstance(column, list):
        return np.array([math.nan if v is None else v for v in column])
    value_of = np.zeros(128, np.int64)
    value_of[_ALPHABET] = np.arange(64)
    rows = value_of[np.frombuffer(column["text"].encode(), np.uint8)].reshape(column["digits"], -1)
    codes = np.zeros(rows.shape[1], np.int64)
    for row in rows:
        codes = (codes << _BITS) + row
    numbers = (column["low"] + codes) * column["unit"] / _PARTS
    return np.where(codes == column.get("none", -1), math.nan, numbers)


def ids_packed(ids: Ids) -> dict[str, str]:
    r"""Return ids as one text, for JSON, with a separator that none of them has.

    Ids such as UUIDs, with hexadecimal digits at the same places in all of them, have a ``pattern``
    instead of a separator: # stands for such a digit. Three of these are two digits of base 64, and
    behind the last ones of an id are zeros.

    >>> ids_packed(Ids(["d1", "d 2"], "text"))
    {'separator': '\n', 'text': 'd1\nd 2'}
    >>> ids_packed(Ids(["id-0123456789abcdef01234", "id-123456789abcdef012345"], "text"))
    {'pattern': 'id-#####################', 'text': '0ID5PuchpUy18q4ZHMU9gytl0ID5'}
    """
    text, offsets = ids.encoded
    if short := _hexadecimal(text, offsets):
        return short
    free = (c for c in b" \n" + bytes(range(128)) if c not in text)
    if (separator := next(free, None)) is not None:
        lines = np.insert(np.frombuffer(text, np.uint8), offsets[1:-1], separator)
        return {"separator": chr(separator), "text": decode(lines.tobytes())}
    every = [str(one) for one in ids]
    rare = next(c for c in map(chr, range(128, 0x110000)) if not any(c in one for one in every))
    return {"separator": rare, "text": rare.join(every)}


def _hexadecimal(text: bytes, offsets: np.ndarray) -> dict[str, str] | None:
    sizes = np.diff(offsets)
    length = int(sizes[0]) if len(sizes) else 0
    if length < _FEWEST or (sizes != length).any() or not text.isascii():
        return None
    table = np.frombuffer(text, np.uint8).reshape(-1, length)
    value_of = np.full(128, 255, np.uint8)
    value_of[list(b"0123456789abcdef")] = np.arange(16)
    values = value_of[table]
    places: np.ndarray = (values < 16).all(axis=0) & (table != table[0]).any(axis=0)
    fixed = table[:, ~places]
    if places.sum() < _FEWEST or (fixed != fixed[0]).any() or b"#" in fixed[0].tobytes():
        return None
    digits = np.pad(values[:, places], ((0, 0), (0, -int(places.sum()) % 3))).astype(np.uint16)
    codes = digits[:, ::3] << 8 | digits[:, 1::3] << 4 | digits[:, 2::3]
    packed = _ALPHABET[np.stack((codes >> _BITS, codes & 63), axis=-1)].tobytes().decode()
    pattern = np.where(places, ord("#"), table[0]).astype(np.uint8).tobytes().decode()
    return {"pattern": pattern, "text": packed}
