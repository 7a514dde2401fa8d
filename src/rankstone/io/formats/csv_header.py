"""The first line of a CSV or TSV file: what separates its fields, and what they are called."""

from __future__ import annotations

import re

from rankstone.io.column_roles import (
    ROLES,
    candidates,
    check_single,
    column_or_none,
    looks_like_header,
    names_in,
)
from rankstone.io.input_file import Input

SEPARATORS = (",", ";", "\t")
_LOOKED_AT = 200  # lines
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")


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
    return any(map(_DECIMAL_COMMA.fullmatch, fields)) and not any("." in f for f in fields)


def separator_of(file: Input) -> str | None:
    """Return the separator of a header; None if there is no header.

    One of the columns somebody named is enough: what is wrong with the others is said later.
    """
    if b"\0" in file.head:
        return None
    named = names_in(file.options.columns)
    headers = ((s, names_of(file, s)) for s in _separators(file))
    return next(
        (s for s, n in headers if len(n) > 1 and (looks_like_header(n) or named & {*n})), None
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
    for role in ROLES:
        name = column_or_none(role, names, file.options.columns)
        if name is None:
            continue
        check_single(file.path, name, names)  # readers rename or keep one of the two
        if role in ("query", "doc", "subtopic", "importance"):
            types[name] = "id"
        elif role in (file.options.columns or ()) or len(candidates(role, names)) == 1:
            types[name] = "number"
    return types
