"""Parts of a run that end in the middle of a query."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rankstone.errors import UsageError
from rankstone.io.frames import is_frame, roles_of
from rankstone.io.frames.columns import open_table


def last_query_apart(part: Any, columns: Mapping[str, Any] | None) -> tuple[Any, Any]:
    """Return a part without its last query, None if it has no other; and the rows of that query."""
    if isinstance(part, Mapping):
        *closed, last = part
        return {query: part[query] for query in closed} or None, {last: part[last]}
    queries = np.asarray(_queries(part, columns))
    same = queries == queries[-1]
    start = 0 if same.all() else len(same) - int(np.argmin(same[::-1]))
    return _rows(part, 0, start) if start else None, _rows(part, start, len(queries))


def _queries(part: Any, columns: Mapping[str, Any] | None) -> Any:
    if not (_module(part) in _JOIN and is_frame(part)):
        raise UsageError(
            f"carry=True takes parts of a run as dicts, as pandas or polars frames or as Arrow "
            f"tables, not as {type(part).__name__}."
        )
    name = roles_of(open_table(part), "run", "run", columns).names[0]
    return part[name]


def _rows(part: Any, start: int, end: int) -> Any:
    return part.iloc[start:end] if hasattr(part, "iloc") else part.slice(start, end - start)


def joined(open_part: Any, part: Any) -> Any:
    """Return the rows of a query that was left open, followed by those of the next part."""
    if open_part is None:
        return part
    if isinstance(open_part, Mapping) and isinstance(part, Mapping):
        (query, rows), *_ = open_part.items()
        if query not in part:
            return {**open_part, **part}
        more = part[query]
        both = {**rows, **more} if isinstance(rows, Mapping) else [*rows, *more]
        return {query: both, **{q: r for q, r in part.items() if q != query}}
    if _module(open_part) != _module(part) or _module(part) not in _JOIN:
        raise UsageError(
            "with carry=True all parts are of one kind: dicts, or tables of a library."
        )
    return _JOIN[_module(part)](sys.modules[_module(part)], [open_part, part])


def _module(part: Any) -> str:
    return type(part).__module__.partition(".")[0]


# How each library joins tables; a batch of Arrow is made a table first.
_JOIN: dict[str, Callable[[Any, list[Any]], Any]] = {
    "pandas": lambda library, parts: library.concat(parts, ignore_index=True),
    "polars": lambda library, parts: library.concat(parts),
    "pyarrow": lambda library, parts: library.concat_tables(
        library.Table.from_batches([p]) if isinstance(p, library.RecordBatch) else p for p in parts
    ),
}
