"""Text in bytes: the byte order mark, ids that are not UTF-8, and what counts as a number."""

from __future__ import annotations

import re

BOM = b"\xef\xbb\xbf"
_NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)


def decode(raw: bytes) -> str:
    """Return bytes as text; bytes that are not UTF-8 survive as surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return text as the bytes that ``decode`` made it from."""
    return text.encode("utf-8", "surrogateescape")


def without_mark(raw: bytes) -> bytes:
    """Return the beginning of a file without its byte order mark."""
    return raw.removeprefix(BOM)


def number_text(number: float) -> str:
    """Return a number as text that reads as exactly that number, a whole one without decimals.

    >>> number_text(3.0), number_text(0.1), number_text(1e22)
    ('3', '0.1', '1e+22')
    """
    return repr(number).removesuffix(".0")


def is_number(text: str | bytes) -> bool:
    """Return whether text is a decimal number, nan or inf; Python's ``float`` accepts more.

    >>> [is_number(text) for text in ("-1.5e3", "inf", "1_000", "0x1A", "\u0663")]
    [True, True, False, False, False]
    """
    if isinstance(text, str):
        return text.isascii() and _NUMBER.fullmatch(text.encode()) is not None
    return _NUMBER.fullmatch(text) is not None
