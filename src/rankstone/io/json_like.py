"""Objects in memory, read as the JSON files that would hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO
from itertools import islice
from typing import Any

from rankstone.core import dicts
from rankstone.core.judgments import Judgments
from rankstone.core.provenance import MEMORY
from rankstone.core.run import Run
from rankstone.errors import DataError
from rankstone.io.column_roles import with_paths
from rankstone.io.formats import Format, format_of
from rankstone.io.gathered import run_from
from rankstone.io.input_file import Input, ReadOptions
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
    data: Mapping[Any, Any] | list[Any] | tuple[Any, ...], columns: Mapping[str, Any] | None = None
) -> Judgments:
    """Take judgments by query, or in any form that a JSON file may have."""
    data = _without_series(data, "the judgments")
    if isinstance(data, Mapping) and _is_plain(data):
        return dicts.judgments_of(data)
    file = ObjectInput(data, "the judgments", columns)
    form = format_of(file)
    if form.judgments is None:
        raise _cannot_hold(form, "judgments")
    content = form.judgments(file)
    if isinstance(content, Judgments):
        return content
    return judgments_from(content, MEMORY, file.path, typed=True)


def run_of(
    data: Mapping[Any, Any] | list[Any] | tuple[Any, ...],
    name: str | None = None,
    columns: Mapping[str, Any] | None = None,
    *,
    ascending: bool = False,
    by_score: bool = False,
) -> Run:
    """Take a run by query, or in any form that a JSON file may have."""
    data = _without_series(data, name or "run")
    if isinstance(data, Mapping) and _is_plain(data):
        return dicts.run_of(data, name, ascending=ascending)
    file = ObjectInput(data, name or "the run", columns)
    form = format_of(file)
    if form.run is None:
        raise _cannot_hold(form, "run")
    content: Any = form.run(file)
    return run_from(
        content,
        name or "run",
        MEMORY,
        file.path,
        ascending=ascending,
        by_score=by_score,
        typed=True,
    )


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


def _cannot_hold(form: Format, kind: str) -> DataError:
    return DataError(
        f"the object is of the format '{form.name}' ({form.example}), which holds no {kind}; the "
        "order is judgments first, then runs."
    )


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
