"""The first line of a CSV or TSV file: what separates its fields, and what they are called."""

from __future__ import annotations

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


def separator_of(file: Input) -> str | None:
    """Return what separates the names of a header; None if there is no header.

    One of the columns somebody named is enough: what is wrong with the others is said later.
    """
    if b"\0" in file.head:
        return None
    named = names_in(file.options.columns)
    headers = ((s, names_of(file, s)) for s in SEPARATORS)
    return next(
        (s for s, n in headers if len(n) > 1 and (looks_like_header(n) or named & {*n})), None
    )


def names_of(file: Input, separator: str) -> list[str]:
    """Return the fields of the first line."""
    import csv

    line = file.head.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "replace")
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def header_of(file: Input) -> tuple[str, list[str]]:
    """Return what separates the fields of a text, and the names in its header."""
    most = max(SEPARATORS, key=lambda s: len(names_of(file, s)))
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
