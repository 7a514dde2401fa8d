"""Dicts and lists in memory, read as the JSON files that would hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from itertools import islice
from typing import Any

from rankstone.core import dicts
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.provenance import MEMORY
from rankstone.core.run import Run
from rankstone.core.text import is_number
from rankstone.errors import DataError
from rankstone.frozen import frozen
from rankstone.io import frames
from rankstone.io.column_roles import column_or_none, with_paths
from rankstone.io.files import content_of
from rankstone.io.formats import format_of
from rankstone.io.frames.columns import PlainTable
from rankstone.io.gathered import run_from
from rankstone.io.input_file import DEFAULT, Input, ReadOptions
from rankstone.io.rows import judgments_from

_LOOKED_AT = 10  # queries


class ObjectInput(Input):
    """An object in memory in the place of a JSON file."""

    def __init__(self, value: Any, what: str, columns: Mapping[str, Any] | None = None) -> None:
        super().__init__(what, BytesIO(), 0, MEMORY, ReadOptions(columns=columns))
        self.__dict__.update(carrier="json", value=_as_json(value))


def _as_json(value: Any) -> Any:
    """Return nested mappings and sequences as dicts and lists; sets stay what they are."""
    if isinstance(value, Mapping):
        return {key: _as_json(v) for key, v in value.items()}
    return [_as_json(v) for v in value] if isinstance(value, list | tuple) else value


def judgments_of(
    data: Mapping[Any, Any] | Sequence[Any], options: ReadOptions = DEFAULT
) -> Judgments:
    """Take judgments by query, a list of those of each query, or any form that JSON may have.

    A query's id is its position in a list, from 0, if a record does not name it.
    """
    data, _ = _arranged(data, "the judgments", options.columns)
    if isinstance(data, PlainTable):
        return frames.judgments_of(data, options)
    if isinstance(data, Mapping) and _is_plain(data):
        return dicts.judgments_of(data)
    file = ObjectInput(data, "the judgments", options.columns)
    content = content_of(file, format_of(file), "judgments")
    if isinstance(content, Judgments):
        return content
    return judgments_from(content, MEMORY, file.path, typed=True)


def run_of(data: Mapping[Any, Any] | Sequence[Any], options: ReadOptions) -> Run:
    """Take a run by query, a list of the rankings of each query, or any form that JSON may have."""
    name = options.name
    data, positional = _arranged(data, name or "the run", options.columns)
    if isinstance(data, PlainTable):
        return frames.run_of(data, options)
    run: Run
    if isinstance(data, Mapping) and _is_plain(data):
        run = dicts.run_of(data, name, ascending=options.ascending)
    else:
        file = ObjectInput(data, name or "the run", options.columns)
        content = content_of(file, format_of(file), "run")
        run = run_from(content, MEMORY, file.path, options, name=name or "run", typed=True)
    if positional and type(run) is dicts.ListedRun:
        return PositionalRun(run.data, run.name)
    return run


def _arranged(
    data: Mapping[Any, Any] | Sequence[Any], what: str, columns: Mapping[str, Any] | None
) -> tuple[Any, bool]:
    """Return data as a table, by query or as records, and whether queries are positions in a list."""
    positional = False
    if not isinstance(data, Mapping):
        _check_lists(data, what)
        if _are_rows(data, columns):
            return _table(data, columns, what), False
        records = are_records(data, columns) or any(map(_has_other_values, data[:_LOOKED_AT]))
        positional = not records
        data = dict(enumerate(data)) if positional else list(data)
    return _without_series(data, what), positional


def _without_series(data: Any, what: str) -> Any:
    """Return data by query with dicts or lists for labelled columns, such as a pandas Series."""
    if not isinstance(data, Mapping) or not any(
        hasattr(kind, "to_dict") and hasattr(kind, "index") for kind in {*map(type, data.values())}
    ):
        return data
    return {query: _plain_rows(rows, f"{what}, query {query!r}") for query, rows in data.items()}


def _plain_rows(rows: Any, where: str) -> Any:
    """Return documents with numbers as a dict, or documents as a list.

    Numbers under an index of text belong to the documents in the index; so do fractions, which
    are not ids. Text is the documents themselves, whatever the index.
    """
    if not (hasattr(rows, "to_dict") and hasattr(rows, "index")):
        return rows
    values, index = rows.tolist(), rows.index.tolist()
    if not values or any(isinstance(value, str) for value in values):
        return values
    if not (any(isinstance(i, str) for i in index) or any(isinstance(v, float) for v in values)):
        raise DataError(
            f"{where}: a {type(rows).__name__} of whole numbers under an index of whole numbers may "
            "hold documents, or the scores or grades of the documents in its index. Give "
            "series.tolist() for the first, series.to_dict() for the second."
        )
    if not rows.index.is_unique:
        raise DataError(
            f"{where}: the index of the {type(rows).__name__} holds a document twice. Keep one."
        )
    return dict(zip(index, values, strict=True))


def _is_plain(data: Mapping[Any, Any]) -> bool:
    """Return whether data are documents with numbers, or ids of documents, by query.

    Only the beginning is looked at: whole collections in dicts are not slowed down.
    """
    return not any(_is_structured(value) for value in islice(data.values(), _LOOKED_AT))


def _is_structured(value: Any) -> bool:
    if isinstance(value, Mapping):
        first = next(iter(value.values()), None)
        return isinstance(first, str | Mapping | list) or isinstance(value.get("hits"), Mapping)
    if isinstance(value, list | tuple):
        return bool(value) and isinstance(value[0], Mapping)
    return False


def are_records(data: Iterable[Any], columns: Mapping[str, Any] | None = None) -> bool:
    """Return whether data are records of a query with the list of its documents."""
    from rankstone.io.formats.json_records import keys_of

    some = list(islice(data, _LOOKED_AT))
    return bool(some) and all(
        isinstance(record, Mapping)
        and all(isinstance(key, str) for key in record)
        and bool(
            (keys := keys_of(with_paths(dict(record), columns), columns)).expected or keys.retrieved
        )
        for record in some
    )


def _check_lists(data: Sequence[Any], what: str) -> None:
    odd = next((v for v in data if isinstance(v, str | bytes | int | float) or v is None), data)
    if odd is not data:
        raise DataError(
            f"{what}: expected a list of lists, one for each query, but it holds {odd!r}. For a "
            "single query write [[...]], or call the measure itself."
        )


def _has_other_values(record: Any) -> bool:
    """Return whether a record has a key whose value is neither a number nor grades."""
    values = record.values() if isinstance(record, Mapping) else ()
    return any(isinstance(v, list) or (isinstance(v, str) and not is_number(v)) for v in values)


def _are_rows(data: Sequence[Any], columns: Mapping[str, Any] | None) -> bool:
    """Return whether data are records of a query, a document and a number each.

    If somebody named a column, a query is enough: that the column is missing is said later.
    """
    needed = [role for role in ("query", "doc") if role == "query" or role not in (columns or {})]
    return bool(data) and all(
        isinstance(record, dict)
        and all(isinstance(key, str) for key in record)
        and all(column_or_none(r, list(with_paths(record, columns)), columns) for r in needed)
        and not are_records([record], columns)
        for record in data[:10]
    )


def _table(
    nested: Sequence[dict[str, Any]], columns: Mapping[str, Any] | None, what: str
) -> PlainTable:
    records = [with_paths(record, columns) for record in nested]
    names = list(records[0])
    for number, record in enumerate(records):
        if not isinstance(record, dict) or set(record) != set(names):
            raise DataError(
                f"{what}: record {number} (records count from 0) has other keys than the first "
                f"({', '.join(map(repr, names))}): {record!r}."
            )
    return PlainTable({name: [record[name] for record in records] for name in names})


@frozen(eq=False)
class PositionalRun(dicts.ListedRun):
    """Rankings that belong to queries by their position alone."""

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents, if there is one ranking for each query."""
        n = len(judgments.queries)
        positional = list(judgments.queries) == list(range(n))
        if positional and len(self.data) != n:
            raise DataError(
                f"{self.name}: {len(self.data)} rankings for {n} lists of relevant documents. "
                "Lists belong together by position; give one for each query, [] if nothing was "
                "retrieved."
            )
        return super().match(judgments, float32=float32, repeats=repeats)
