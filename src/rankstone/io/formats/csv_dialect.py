"""CSV that every library reads alike: what they disagree about is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rankstone.errors import DataError

if TYPE_CHECKING:
    from rankstone.io.input_file import Input

_PART = 1 << 20
_LONE_CR = "a CR that is not followed by LF. Convert the line ends to LF."
_STRAY_QUOTE = (
    "a quote within a field. Put the whole field in quotes, and write each quote within it twice: "
    '"5"" disk".'
)


def check_alike(file: Input, separator: str) -> None:
    """Refuse a quote within a field that is not quoted, and a CR that is not part of a line end.

    To one library such a quote opens a field that may swallow the following rows, to another it
    is a character like any other; a CR ends a row or does not.
    """
    starts = _table(f'{separator}\n"')  # a quote beside a quote is one of a pair for a quote
    stops = _table(f'{separator}\r\n"')
    at = 0
    inside = False
    for part in _parts(file):
        if b"\r" in part and part.count(b"\r") > part.count(b"\r\n"):
            raise _fault(file, at + _lone(part), _LONE_CR)
        if b'"' in part:
            codes = np.frombuffer(b"\n" + part + b"\n", np.uint8)
            quotes = np.flatnonzero(codes == ord('"'))
            opening, closing = quotes[inside::2], quotes[not inside :: 2]
            wrong = np.append(
                opening[~starts[codes[opening - 1]]], closing[~stops[codes[closing + 1]]]
            )
            if len(wrong):
                raise _fault(file, at + int(wrong.min()) - 1, _STRAY_QUOTE)
            inside ^= len(quotes) % 2 == 1
        at += len(part)
    if inside:
        raise DataError(f"{file.path}: a quote is opened and never closed.")


def _table(characters: str) -> np.ndarray:
    known = np.zeros(256, bool)
    known[list(characters.encode())] = True
    return known


def _lone(part: bytes) -> int:
    at = part.find(b"\r")
    while part[at + 1 : at + 2] == b"\n":
        at = part.find(b"\r", at + 1)
    return at


def _fault(file: Input, at: int, message: str) -> DataError:
    line = 1
    for part in _parts(file):
        line += part.count(b"\n", 0, max(at, 0))
        at -= len(part)
    return DataError(f"{file.path}:{line}: {message}")


def _parts(file: Input) -> Iterator[bytes]:
    """Yield the text in parts of whole lines, without its byte order mark."""
    file.stream.seek(file.begin)
    while part := file.stream.read(_PART) + file.stream.readline():
        yield part
