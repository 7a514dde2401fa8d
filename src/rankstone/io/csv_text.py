"""CSV that every library reads alike: what they disagree about is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rankstone.errors import DataError

if TYPE_CHECKING:
    from rankstone.io.registry import Input

_PART = 1 << 20
_QUOTE, _CR, _LF = b'"\r\n'
_LONE_CR = "a CR that is not followed by LF. Convert the line ends to LF."
_STRAY_QUOTE = (
    "a quote within a field. Put the whole field in quotes, and write each quote within it twice: "
    '"5"" disk".'
)


def check_alike(text: Input, separator: str) -> None:
    """Refuse a quote within a field that is not quoted, and a CR that is not part of a line end.

    To one library such a quote opens a field that may swallow the following rows, to another it
    is a character like any other; a CR ends a row or does not.
    """
    line = 1
    inside = False
    for part in _parts(text):
        if b'"' in part or b"\r" in part:
            faults = _faults(np.frombuffer(part, np.uint8), ord(separator), inside)
            for message, places in faults.items():
                if len(places):
                    line += part.count(b"\n", 0, int(places[0]))
                    raise DataError(f"{text.path}:{line}: {message}")
            inside ^= part.count(b'"') % 2 == 1
        line += part.count(b"\n")
    if inside:
        raise DataError(f"{text.path}: a quote is opened and never closed.")


def _faults(codes: np.ndarray, separator: int, inside: bool) -> dict[str, np.ndarray]:
    """Return where a text is at fault, by what to say; it may start inside of quotes."""
    before, after = np.append(_LF, codes[:-1]), np.append(codes[1:], _LF)
    quotes = np.flatnonzero(codes == _QUOTE)
    opens = (np.arange(len(quotes)) + inside) % 2 == 0
    # A quote beside a quote is one of a pair that stands for a quote.
    starts = np.isin(before[quotes], (separator, _LF, _QUOTE))
    stops = np.isin(after[quotes], (separator, _CR, _LF, _QUOTE))
    return {
        _LONE_CR: np.flatnonzero((codes == _CR) & (after != _LF)),
        _STRAY_QUOTE: quotes[~np.where(opens, starts, stops)],
    }


def _parts(text: Input) -> Iterator[bytes]:
    """Yield the text in parts of whole lines, without its byte order mark."""
    text.stream.seek(0)
    part = (text.stream.read(_PART) + text.stream.readline()).removeprefix(b"\xef\xbb\xbf")
    while part:
        yield part
        part = text.stream.read(_PART) + text.stream.readline()
