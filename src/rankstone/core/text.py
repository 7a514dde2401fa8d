"""Text in bytes: the byte order mark, ids that are not UTF-8, numbers; text in columns of a terminal."""

from __future__ import annotations

import re
from textwrap import wrap

BOM = b"\xef\xbb\xbf"
_HALVES = dict.fromkeys(map(chr, range(0xDC80, 0xDD00)), "surrogateescape")
_NUMBER = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)


def decode(raw: bytes) -> str:
    """Return bytes as text; bytes that are not UTF-8 survive as surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return text as the bytes that ``decode`` made it from.

    Other lone surrogates, as in text that was cut within a character, have three bytes each, which
    ``decode`` does not restore.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return b"".join(c.encode("utf-8", _HALVES.get(c, "surrogatepass")) for c in text)


def without_mark(raw: bytes) -> bytes:
    """Return the beginning of a file without its byte order mark."""
    return raw.removeprefix(BOM)


def number_text(number: float) -> str:
    """Return a number as text that reads as exactly that number, a whole one without decimals.

    >>> number_text(3.0), number_text(0.1), number_text(1e22)
    ('3', '0.1', '1e+22')
    """
    return repr(number).removesuffix(".0")


_STEERING = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_CONTROLS = re.compile(f"[{_STEERING}]")
_ESCAPED = re.compile(rf"[\\{_STEERING}]|\A\s|\s\Z")
_ESCAPE = re.compile(r"\\(?:([\\tnr])|x([0-9a-f]{2})|u([0-9a-f]{4}))")
_LETTERS = {"\\": "\\", "\t": "t", "\n": "n", "\r": "r"}
_CHARACTERS = {letter: character for character, letter in _LETTERS.items()}


def escape_field(text: str) -> str:
    r"""Return text as a field of TSV or CSV, which is one line and cannot steer a terminal.

    A backslash is written twice; tab, newline and CR as ``\t``, ``\n`` and ``\r``; other control
    characters, those that turn the direction of text, and a blank at an end as ``\xNN`` or
    ``\uNNNN``.

    >>> print(escape_field("a\tb\x1b "))
    a\tb\x1b\x20
    """
    return _ESCAPED.sub(_escape_character, text)


def escape_controls(text: str) -> str:
    r"""Return text that cannot steer a terminal, but is otherwise as trec_eval would print it.

    >>> print(escape_controls("a\\b\x1b[2J"))
    a\b\x1b[2J
    """
    return _CONTROLS.sub(_escape_character, text)


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match[0])
    letter = _LETTERS.get(match[0])
    return f"\\{letter}" if letter else f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def unescape_field(text: str) -> str:
    r"""Return the text that ``escape_field`` escaped.

    >>> unescape_field(r"a\tb\x1b\x20")
    'a\tb\x1b '
    """
    return _ESCAPE.sub(lambda m: _CHARACTERS[m[1]] if m[1] else chr(int(m[2] or m[3], 16)), text)


def is_number(text: str | bytes) -> bool:
    """Return whether text is a decimal number, nan or inf; Python's ``float`` accepts more.

    >>> [is_number(text) for text in ("-1.5e3", "inf", "1_000", "0x1A", "\u0663")]
    [True, True, False, False, False]
    """
    if isinstance(text, str):
        return text.isascii() and _NUMBER.fullmatch(text.encode()) is not None
    return _NUMBER.fullmatch(text) is not None


#: What stays together at the end of a line: a word, or a wide character and the marks around it.
_WIDE = "\u2e80-\u303e\u3041-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003fffd"
_PIECE = (  # compiled on first use; a space that does not break is part of a word
    rf"[ \t\n]+|[（「《【“]*(?:[^ \t\n{_WIDE}]+|[{_WIDE}])[，。；：、）」》】”！？]*"  # noqa: RUF001
)


def pieces(text: str) -> list[str]:
    """Return the parts of a text between which a line may end, with the spaces between them."""
    return text.split() if text.isascii() else re.findall(_PIECE, text)


def wrapped(text: str, columns: int, indent: str = "", *, at_hyphens: bool = True) -> list[str]:
    """Return the lines of a text that take at most so many columns; all but the first are indented."""
    if text.isascii():
        return wrap(text, columns, subsequent_indent=indent, break_on_hyphens=at_hyphens)
    lines = [""]
    for piece in pieces(text):
        if piece.isspace():
            lines[-1] += piece if lines[-1].strip() or len(lines) == 1 else ""
            continue
        if lines[-1].strip() and width(lines[-1] + piece) > columns:
            lines.append(indent)
        for character in piece:  # one that is longer than a line is cut
            if lines[-1].strip() and width(lines[-1] + character) > columns:
                lines.append(indent)
            lines[-1] += character
    return [line.rstrip() for line in lines if line.strip()]


def width(text: str) -> int:
    """Return the columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)
