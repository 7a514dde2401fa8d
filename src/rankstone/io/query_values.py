"""Files of values per query that this or another tool wrote.

Read are the output of ``trec_eval -q`` (measure, query, value), that of ``ir_measures -q`` (query,
measure, value), CSV and TSV with a header (query, measure, value; or a column per measure), and
JSON ``{query: {measure: value}}``; and Parquet, a file or a folder of files, with a column of
queries and a column per measure, as evaluation inside Spark writes it.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankstone.core.text import decode, unescape_field, without_mark
from rankstone.errors import DataError
from rankstone.io.column_roles import column_or_none, key_named
from rankstone.io.frames import missing

#: Values by query, then by measure.
ByQuery = dict[str, dict[str, float]]
#: A value as it is written: its place, and of which run, query and measure it is.
_Cell = tuple[str, str | None, str, str, Any]
#: What tools call the row of aggregates.
_SUMMARY = ("all", "amean")
_MEASURE = ("measure", "metric")
_VALUE = ("value", "score")
_RUN = ("run", "runid", "system", "tag")


def read_query_values(
    content: bytes, path: str, is_measure: Callable[[str], bool]
) -> dict[str | None, ByQuery]:
    """Return the values of each run in a file; the name is None if the file has none.

    Args:
        content: of the file.
        path: for messages.
        is_measure: whether a text is the name of a measure, which tells a column of measures from
            one of queries if nothing else does.
    """
    text = decode(without_mark(content))
    is_json = text.lstrip()[:1] == "{"
    cells = _of_json(text, path) if is_json else _of_rows(text, path, is_measure)
    runs: dict[str | None, ByQuery] = {}
    for where, run, query, measure, value in cells:
        if query in _SUMMARY:
            continue
        row = runs.setdefault(run, {}).setdefault(query, {})
        if measure in row:
            raise DataError(f"{where}: {measure} of query {query!r} has a second value. Keep one.")
        try:
            row[measure] = math.nan if value in (None, "") else float(value)
        except ValueError:
            raise DataError(
                f"{where}: the value of {measure!r} for query {query!r} is {value!r}, which is not "
                "a number."
            ) from None
    if not runs:
        raise DataError(
            f"{path}: there are only aggregates here, and a comparison needs values per query. "
            "Write them with 'trec_eval -q', 'ir_measures -q' or 'rankstone evaluate -q'."
        )
    return runs


def _of_rows(text: str, path: str, is_measure: Callable[[str], bool]) -> Iterator[_Cell]:
    rows = list(_rows(text, path))
    if not rows:
        raise DataError(f"{path}: the file is empty. {_EXPECTED}")
    if rows[0][1][:2] == ["run", "query"]:  # as rankstone writes them
        marked = _separator(text) == ","
        rows = [(number, [_unescaped(field, marked) for field in row]) for number, row in rows]
    query = column_or_none("query", rows[0][1], None)
    return _with_header(rows, query, path) if query else _three(rows, path, is_measure)


def is_parquet(path: str) -> bool:
    """Return whether a path is a Parquet file, or a folder that Spark wrote."""
    if os.path.isdir(path):
        return any(name.endswith(".parquet") for name in os.listdir(path))
    return path.lower().endswith(".parquet")


def read_parquet_values(path: str) -> tuple[list[Any], dict[str, np.ndarray]]:
    """Return the queries of Parquet files, and the values of each measure."""
    try:
        from pyarrow import ArrowException, parquet, types
    except ImportError:
        raise missing("pyarrow", f"{path}: reading Parquet files of values") from None
    try:
        table = parquet.read_table(path)
    except (ArrowException, OSError) as error:
        raise DataError(f"{path}: these are not readable Parquet files ({error}).") from None
    query = column_or_none("query", table.column_names, None)
    if query is None:
        names = ", ".join(map(repr, table.column_names))
        raise DataError(
            f"{path}: cannot tell which column holds the queries. Columns: {names}. Expected are "
            "a column 'query' and a column of values per measure."
        )
    values = {}
    for name in table.column_names:
        column = table[name]
        if name == query:
            continue
        if not (types.is_floating(column.type) or types.is_integer(column.type)):
            raise DataError(f"{path}: column {name!r} is of type {column.type}, not numbers.")
        values[name] = column.to_numpy().astype(np.float64)  # NaN for null
    return table[query].to_pylist(), values


_EXPECTED = (
    "Expected are values per query: the output of 'trec_eval -q' or 'ir_measures -q', or CSV or "
    "TSV with the columns query, measure and value."
)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _separator(text: str) -> str | None:
    """Return the separator of the first line that is not blank; None for blanks."""
    first = next((line for line in _lines(text) if line.strip()), "")
    return next((c for c in "\t," if c in first), None)


def _rows(text: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line that is not blank."""
    lines = _lines(text)
    between = _separator(text)
    if between == ",":
        try:
            for row, fields in enumerate(csv.reader(lines, strict=True), 1):
                if any(field.strip() for field in fields):
                    yield row, [field.strip() for field in fields]
        except csv.Error as error:
            raise DataError(f"{path}: this is not valid CSV ({error}).") from None
        return
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, [field.strip() for field in line.split(between)]


def _unescaped(field: str, marked: bool) -> str:
    """Return the id of a field that ``rankstone evaluate`` wrote; ``marked`` by a ' in CSV."""
    return unescape_field(field.removeprefix("'") if marked else field)


def _three(
    rows: Sequence[tuple[int, list[str]]], path: str, is_measure: Callable[[str], bool]
) -> Iterator[_Cell]:
    """Yield values from rows of measure, query and value, or of query, measure and value."""
    for number, row in rows:
        if len(row) not in (2, 3):
            raise DataError(f"{path}:{number}: {len(row)} fields, expected 3. {_EXPECTED}")
    full = [(number, row) for number, row in rows if len(row) == 3]
    measure, query = _order([row for _, row in full], is_measure)
    for number, row in full:
        yield f"{path}:{number}", None, row[query], row[measure], row[2]


def _order(rows: Sequence[list[str]], is_measure: Callable[[str], bool]) -> tuple[int, int]:
    """Return the places of the measure and of the query in rows of three fields."""
    for query in (0, 1):
        if any(row[query] in _SUMMARY for row in rows):
            return 1 - query, query
    distinct = [list(dict.fromkeys(row[place] for row in rows)) for place in (0, 1)]
    known = [sum(map(is_measure, names)) / max(len(names), 1) for names in distinct]
    if known[0] != known[1]:
        return (0, 1) if known[0] > known[1] else (1, 0)
    return (0, 1) if len(distinct[0]) <= len(distinct[1]) else (1, 0)


def _with_header(rows: Sequence[tuple[int, list[str]]], query: str, path: str) -> Iterator[_Cell]:
    """Yield values below names of columns: a column per measure, or columns measure and value."""
    head = rows[0][1]
    run, measure, value = (key_named(head, names) for names in (_RUN, _MEASURE, _VALUE))
    for number, row in rows[1:]:
        where = f"{path}:{number}"
        if len(row) != len(head):
            raise DataError(f"{where}: {len(row)} fields, and the header has {len(head)}.")
        fields = dict(zip(head, row, strict=True))
        name = fields.pop(run, None)
        of = fields.pop(query)
        if measure is not None and value is not None:
            yield where, name, of, fields[measure], fields[value]
        else:
            yield from ((where, name, of, column, text) for column, text in fields.items())


def _of_json(text: str, path: str) -> Iterator[_Cell]:
    """Yield values by query, then by measure, as pytrec_eval gives them."""
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: this is not valid JSON ({error}).") from None
    if not all(_is_row(row) for row in data.values()):
        raise DataError(
            f"{path}: expected {{query: {{measure: value}}}}, or a result that "
            "'rankstone evaluate --format json' wrote."
        )
    for query, row in data.items():
        yield from ((path, None, query, measure, value) for measure, value in row.items())


def _is_row(row: Any) -> bool:
    return isinstance(row, Mapping) and all(
        v is None or (isinstance(v, int | float) and not isinstance(v, bool)) for v in row.values()
    )


def read_query_weights(path: str, max_bytes: int | None = None) -> dict[str, float]:
    """Read a file with a query and its weight in each line."""
    from rankstone.io.query_groups import read_query_groups

    weights = {}
    for query, text in read_query_groups(path, max_bytes=max_bytes, noun="weight").group_of.items():
        try:
            weights[query] = float(text)
        except ValueError:
            raise DataError(
                f"{path}: the weight of query {query!r} is {text!r}, which is not a number."
            ) from None
    return weights
