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
_FEWEST = 100  # ids that are written as numbers
_LONGEST = 64  # bytes of an id that is written as numbers
_TEXT_DIGITS = 2 / 3  # estimated digits of base 64 for a character of compressed text
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


def ids_packed(ids: Ids) -> dict[str, Any]:
    r"""Return ids for JSON, in a form that is short when compressed.

    Ids with few different characters at each place, counted from the end, are columns of ``numbers``.
    Each column encodes some places, the last place first: ``number % len(characters)`` selects the
    character of a place, ``number // len(characters)`` encodes the rest. NUL stands for no character,
    in shorter ids. Other ids are one text with a separator that none of them has.

    >>> ids_packed(Ids(["d1", "d 2"], "text"))
    {'separator': '\n', 'text': 'd1\nd 2'}
    >>> many = ids_packed(Ids([f"doc-{i:03}" for i in range(300)], "text"))
    >>> many["characters"], unpacked(many["numbers"][0])[-2:].tolist()
    ([['0123456789', '0123456789', '012', '-', 'c', 'o', 'd']], [298.0, 299.0])
    """
    text, offsets = ids.encoded
    if numbers := _ids_as_numbers(text, offsets):
        return numbers
    free = (c for c in b" \n" + bytes(range(128)) if c not in text)
    if (separator := next(free, None)) is not None:
        lines = np.insert(np.frombuffer(text, np.uint8), offsets[1:-1], separator)
        return {"separator": chr(separator), "text": decode(lines.tobytes())}
    every = [str(one) for one in ids]
    rare = next(c for c in map(chr, range(128, 0x110000)) if not any(c in one for one in every))
    return {"separator": rare, "text": rare.join(every)}


def ids_unpacked(ids: dict[str, Any]) -> list[str]:
    """Return the ids that ``ids_packed`` packed.

    >>> ids_unpacked(ids_packed(Ids([f"d{i}" for i in range(200)], "text")))[7:9]
    ['d7', 'd8']
    """
    if "text" in ids:
        return ids["text"].split(ids["separator"]) if ids["text"] else []
    characters: list[np.ndarray] = []
    for places, column in zip(ids["characters"], ids["numbers"], strict=True):
        left = unpacked(column).astype(np.int64)
        for own in places:
            left, at = np.divmod(left, len(own))
            characters.append(np.array(list(own))[at])
    rows = zip(*reversed(characters), strict=True)
    return ["".join(row).replace("\0", "") for row in rows]


def _ids_as_numbers(text: bytes, offsets: np.ndarray) -> dict[str, Any] | None:
    """Return ids as numbers; None if they are shorter as text."""
    sizes = np.diff(offsets)
    longest = int(sizes.max(initial=0))
    if len(sizes) < _FEWEST or longest > _LONGEST or not text.isascii() or b"\0" in text:
        return None
    digits_left = _TEXT_DIGITS * (len(text) / len(sizes) + 1)
    codes, last = np.frombuffer(text, np.uint8), offsets[1:] - 1
    columns, radix = [np.zeros(len(sizes), np.int64)], 1
    characters: list[list[str]] = [[]]
    for place in range(longest):
        symbols = np.where(sizes > place, codes[last - place], np.uint8(0))
        used = np.flatnonzero(np.bincount(symbols, minlength=1))
        if radix * len(used) > _LARGEST // _PARTS:
            columns.append(np.zeros(len(sizes), np.int64))
            characters.append([])
            radix = 1
        value_of = np.zeros(128, np.int64)
        value_of[used] = radix * np.arange(len(used))
        columns[-1] += value_of[symbols]
        characters[-1].append(bytes(used.tolist()).decode())
        radix *= len(used)
        digits_left -= math.log2(len(used)) / _BITS
        if digits_left < 0:
            return None
    return {"characters": characters, "numbers": [packed(column) for column in columns]}
