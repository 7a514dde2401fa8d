"""Lists: the documents of each query, rows of a table, or records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankstone.core import dicts
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.run import Run
from rankstone.errors import DataError
from rankstone.io import frames, json_like
from rankstone.io.column_roles import column_or_none, with_paths
from rankstone.io.frames.columns import PlainTable


def judgments_of(
    data: Sequence[Any], columns: Mapping[str, Any] | None, *, graded: bool
) -> Judgments:
    """Take the relevant documents of each query, or records.

    A query's id is its position, from 0, if a record does not name it.
    """
    _check(data, "the judgments")
    if _are_rows(data, columns):
        return frames.judgments_of(_table(data, columns, "the judgments"), columns, graded=graded)
    if json_like.are_records(data, columns):
        return json_like.judgments_of(list(data), columns)
    return json_like.judgments_of(dict(enumerate(data)), columns)


def run_of(
    data: Sequence[Any],
    name: str | None = None,
    columns: Mapping[str, Any] | None = None,
    *,
    ascending: bool = False,
    by_score: bool = False,
) -> Run:
    """Take the ranked documents of each query, or records.

    A query's id is its position, from 0, if a record does not name it.
    """
    _check(data, "the run")
    if _are_rows(data, columns):
        return frames.run_of(_table(data, columns, "the run"), columns, name, ascending=ascending)
    if json_like.are_records(data, columns):
        return json_like.run_of(list(data), name, columns, ascending=ascending, by_score=by_score)
    by_query = dict(enumerate(data))
    run = json_like.run_of(by_query, name, columns, ascending=ascending, by_score=by_score)
    return PositionalRun(run.data, run.name) if type(run) is dicts.ListedRun else run


def _check(data: Sequence[Any], what: str) -> None:
    odd = next((v for v in data if isinstance(v, str | bytes | int | float) or v is None), data)
    if odd is not data:
        raise DataError(
            f"{what}: expected a list of lists, one for each query, but it holds {odd!r}. For a "
            "single query write [[...]], or call the measure itself."
        )


def _are_rows(data: Sequence[Any], columns: Mapping[str, Any] | None) -> bool:
    """Return whether data are records of a query, a document and a number each.

    If somebody named a column, a query is enough: that the column is missing is said later.
    """
    needed = [role for role in ("query", "doc") if role == "query" or role not in (columns or {})]
    return bool(data) and all(
        isinstance(record, dict)
        and all(isinstance(key, str) for key in record)
        and all(column_or_none(r, list(with_paths(record, columns)), columns) for r in needed)
        and not json_like.are_records([record], columns)
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


@dataclass(frozen=True, eq=False)
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
