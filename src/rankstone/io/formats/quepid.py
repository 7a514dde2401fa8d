"""Quepid's ratings: CSV with the columns query, docid and rating."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial

from rankstone.core.run import Row
from rankstone.core.scalars import number_of
from rankstone.core.text import number_text
from rankstone.errors import DataError
from rankstone.io.column_roles import plain_name
from rankstone.io.encodings import ADVICE
from rankstone.io.formats import Format
from rankstone.io.formats.csv_header import declared_separator, names_of
from rankstone.io.formats.tables import write_columns
from rankstone.io.input_file import Input
from rankstone.io.rows import id_of

_COLUMNS = ("query", "docid", "rating")
_ALSO = {"querytext": "query"}  # as a case that is exported in detail has it


def _plain(fields: list[str]) -> list[str]:
    names = map(plain_name, fields)
    return [_ALSO.get(name, name) for name in names]


def _detect(file: Input) -> bool:
    """Return whether the first line is Quepid's; if columns are named, it is any table."""
    first = file.head.split(b"\n", 1)[0]
    if file.options.columns or b"," not in first or b"\0" in first:
        return False
    return declared_separator(file) is None and {*_COLUMNS} <= {*_plain(names_of(file, ","))}


def _judgments(file: Input) -> Iterator[Row]:
    """Yield the ratings; documents without one are not judged."""
    header: list[int] = []
    for number, fields in _records(file):
        if not fields:
            continue
        if not header:
            header = _places(fields, file.path)
            continue
        where = f"{file.path}:{number}"
        if len(fields) <= max(header):
            raise DataError(f"{where}: expected a query, a docid and a rating, found {fields!r}.")
        query, doc, rating = (fields[i] for i in header)
        if rating.strip(" \t"):
            yield (
                id_of(query, "query", where),
                id_of(doc, "document", where),
                number_of(rating, "rating", where),
            )


def _places(fields: list[str], path: str) -> list[int]:
    """Return the positions of the columns in the header."""
    names = _plain(fields)
    for name in _COLUMNS:
        if names.count(name) != 1:
            raise DataError(
                f"{path}: the header has {names.count(name) or 'no'} columns '{name}', not one."
            )
    return [names.index(name) for name in _COLUMNS]


def _records(file: Input) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(_decoded(file), strict=True)
    try:
        for fields in reader:
            yield reader.line_num, fields
    except csv.Error as error:
        raise DataError(
            f"{file.path}:{reader.line_num}: this is not valid CSV ({error})."
        ) from None


def _decoded(file: Input) -> Iterator[str]:
    for number, line in file.lines():
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise DataError(
                f"{file.path}:{number}: byte {error.start + 1} of the line is not UTF-8; {ADVICE}."
            ) from None


FORMAT = Format(
    "quepid",
    "CSV: query,docid,rating",
    _detect,
    _judgments,
    write_judgments=partial(write_columns, names=_COLUMNS, number=number_text),
)
