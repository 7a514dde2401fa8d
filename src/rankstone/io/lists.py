"""Lists: of what was expected and what was retrieved, query by query, or of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankstone.core import dicts
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.errors import DataError
from rankstone.io import frames
from rankstone.io.column_roles import column_or_none
from rankstone.io.formats.json_records import keys_of
from rankstone.io.frames.columns import PlainTable


def judgments_of(
    data: Sequence[Any], columns: Mapping[str, Any] | None = None, *, graded: bool = True
) -> Judgments:
    """Take the relevant documents of each query, or records.

    A query's id is its position, from 0, where a record does not name it.
    """
    what = "the judgments"
    _check(data, what)
    if _are_rows(data, columns):
        return frames.judgments_of(_table(data, what), columns, graded=graded)
    if (found := _listed(data, what, "expected")) is not None:
        return dicts.judgments_of(found)
    return dicts.judgments_of(dict(enumerate(data)))


def run_of(
    data: Sequence[Any], name: str | None = None, columns: Mapping[str, Any] | None = None
) -> Any:
    """Take the ranked documents of each query, or records.

    A query's id is its position, from 0, where a record does not name it.
    """
    what = "the run"
    _check(data, what)
    if _are_rows(data, columns):
        return frames.run_of(_table(data, what), columns, name)
    if (found := _listed(data, what, "retrieved")) is not None:
        return dicts.run_of(found, name)
    run = dicts.run_of(dict(enumerate(data)), name)
    if isinstance(run, dicts.ListedRun):
        return PositionalRun(run.data, run.name)
    return run


def _check(data: Sequence[Any], what: str) -> None:
    odd = next((v for v in data if isinstance(v, str | bytes | int | float) or v is None), data)
    if odd is not data:
        raise DataError(
            f"{what}: expected a list of lists, one for each query, but it holds {odd!r}. For a "
            "single query write [[...]], or call the measure itself."
        )


def _are_rows(data: Sequence[Any], columns: Mapping[str, Any] | None) -> bool:
    """Return whether data are records of a query, a document and a number each."""
    return bool(data) and all(
        isinstance(record, dict)
        and all(isinstance(key, str) for key in record)
        and all(column_or_none(role, list(record), columns) for role in ("query", "doc"))
        for record in data[:10]
    )


def _table(records: Sequence[dict[str, Any]], what: str) -> PlainTable:
    names = list(records[0])
    for number, record in enumerate(records):
        if not isinstance(record, dict) or set(record) != set(names):
            raise DataError(
                f"{what}: record {number} (records count from 0) has other keys than the first "
                f"({', '.join(map(repr, names))}): {record!r}."
            )
    return PlainTable({name: [record[name] for record in records] for name in names})


def _listed(data: Sequence[Any], what: str, part: str) -> dict[Any, Any] | None:
    """Return documents by query where data are records of a query and its lists, else None."""
    if not data or not all(isinstance(r, dict) and _has_lists(r) for r in data[:10]):
        return None
    found: dict[Any, Any] = {}
    for number, record in enumerate(data):
        keys = keys_of(record) if isinstance(record, dict) else None
        held = None if keys is None else getattr(keys, part)
        if keys is None or held is None:
            shown = ", ".join(map(repr, record)) if isinstance(record, dict) else repr(record)
            raise DataError(
                f"{what}: record {number} (records count from 0) has no list under a name such as "
                f"'{part}_ids': {shown}."
            )
        (query,) = Ids.of([record[keys.query] if keys.query else number], "query")
        if query in found:
            raise DataError(f"{what}: record {number} is a second one of query {query!r}.")
        found[query] = record[held]
    return found


def _has_lists(record: dict[Any, Any]) -> bool:
    if not all(isinstance(key, str) for key in record):
        return False
    keys = keys_of(record)
    return bool(keys.expected or keys.retrieved)


@dataclass(frozen=True, eq=False)
class PositionalRun(dicts.ListedRun):
    """Rankings that belong to queries by their position alone."""

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Find the judged documents, if there is one ranking for each query."""
        n = len(judgments.queries)
        positional = list(judgments.queries) == list(range(n))
        if positional and len(self.data) != n:
            raise DataError(
                f"{self.name}: {len(self.data)} rankings for {n} lists of relevant documents. "
                "Lists belong together by position; give one for each query, [] where nothing "
                "was retrieved."
            )
        return super().match(judgments, float32=float32)
