"""The header of a CSV or TSV file (separator, names, types), and quotes that readers disagree on."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from rankstone.errors import DataError
from rankstone.io import column_roles as known
from rankstone.io.input_file import Input

SEPARATORS = (",", ";", "\t")
_LOOKED_AT = 200  # lines
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")


def _separators(file: Input) -> tuple[str, ...]:
    declared = declared_separator(file)
    return SEPARATORS if declared is None else (declared,)


def has_decimal_commas(file: Input) -> bool:
    """Return whether numbers are written as ``0,5``: some of the first are, and none as ``0.5``."""
    separator, names = header_of(file)
    if separator == ",":
        return False
    places = [names.index(n) for n, kind in types_of(file).items() if kind == "number"]
    text = file.head.decode("utf-8", "replace")
    rows = [line.split(separator) for line in text.split("\n")[:_LOOKED_AT]]
    fields = [row[i].strip().strip('"') for row in rows for i in places if i < len(row)]
    return any(map(DECIMAL_COMMA.fullmatch, fields)) and not any("." in f for f in fields)


def separator_of(file: Input) -> str | None:
    """Return the separator of a header; None if there is no header.

    One of the columns somebody named is enough: what is wrong with the others is said later.
    """
    if b"\0" in file.head:
        return None
    named = known.names_in(file.options.columns)
    headers = ((s, names_of(file, s)) for s in _separators(file))
    return next(
        (s for s, n in headers if len(n) > 1 and (known.looks_like_header(n) or named & {*n})), None
    )


def declared_separator(file: Input) -> str | None:
    """Return the separator that a line such as ``sep=;`` before the header declares, if any."""
    first = file.head.split(b"\n", 1)[0].rstrip(b"\r")
    return chr(first[4]) if len(first) == 5 and first[:4].lower() == b"sep=" else None


def names_of(file: Input, separator: str) -> list[str]:
    """Return the fields of the header."""
    import csv

    lines = file.head.split(b"\n", 2)
    header = lines[1] if declared_separator(file) and len(lines) > 1 else lines[0]
    line = header.rstrip(b"\r").decode("utf-8", "replace")
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def header_of(file: Input) -> tuple[str, list[str]]:
    """Return the separator of a text, and the names in its header."""
    most = max(_separators(file), key=lambda s: len(names_of(file, s)))
    separator = separator_of(file) or most
    return separator, names_of(file, separator)


def types_of(file: Input) -> dict[str, str]:
    """Return which columns of a text are ids, to be left as they are written, and which numbers."""
    names = header_of(file)[1]
    types = {}
    for role in known.ROLES:
        name = known.column_or_none(role, names, file.options.columns)
        if name is None:
            continue
        known.check_single(file.path, name, names)  # readers rename or keep one of the two
        if role in ("query", "doc", "subtopic", "importance"):
            types[name] = "id"
        elif role in (file.options.columns or ()) or len(known.candidates(role, names)) == 1:
            types[name] = "number"
    return types


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
    table = np.zeros(256, bool)
    table[list(characters.encode())] = True
    return table


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
