"""Keys of nested records, such as ``metadata.id``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankstone.io.column_roles import names_in

_ABSENT = object()


def with_paths(record: Any, columns: Mapping[str, Any] | None) -> Any:
    """Return a record in which the values at named paths are also found under the path itself.

    >>> with_paths({"metadata": {"id": "d1"}}, {"doc": "metadata.id"})["metadata.id"]
    'd1'
    """
    if not columns or not isinstance(record, Mapping):
        return record
    values = {name: value_at(record, name) for name in names_in(columns) if name not in record}
    return {**record, **{name: v for name, v in values.items() if v is not _ABSENT}}


def value_at(record: Any, path: str) -> Any:
    """Return the value at a path of keys; a key may have dots of its own."""
    if not isinstance(record, Mapping):
        return _ABSENT
    if path in record:
        return record[path]
    for at in (i for i, c in enumerate(path) if c == "."):
        value = value_at(record.get(path[:at]), path[at + 1 :])
        if value is not _ABSENT:
            return value
    return _ABSENT
