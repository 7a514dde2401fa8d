"""Runs read as rows of query, document and score, to leave some rows out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankstone.core.run import Run
from rankstone.errors import DataError, UsageError
from rankstone.io.column_roles import Columns
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.rows import NO_DOCUMENT, Id, Row, run_from


def scored_rows(
    data: Any, columns: Mapping[str, Any] | None, options: ReadOptions
) -> Iterator[Row]:
    """Yield the rows of a run that has scores, from a path, a dict, a list or a table."""
    if isinstance(data, str | os.PathLike):
        yield from _of_file(os.fspath(data), options)
    elif isinstance(data, Mapping):
        yield from _of_dict(data)
    elif hasattr(data, "match") and hasattr(data, "source"):
        raise UsageError("min_score= needs the run itself: a path, a dict or a table.")
    else:
        yield from _of_table(data, columns)


def _of_file(path: str, options: ReadOptions) -> Iterator[Row]:
    from rankstone.io.files import rows_in
    from rankstone.io.formats import format_of

    with Input.open(path, options) as file:
        yield from rows_in(file, format_of(file), "run")
        file.check_unchanged()


def _of_dict(data: Mapping[Any, Any]) -> Iterator[Row]:
    from rankstone.core.values import number_of

    for query, docs in data.items():
        yield query, NO_DOCUMENT, 0.0
        if not isinstance(docs, Mapping):
            if len(docs):
                raise UsageError("min_score= needs scores, and the run is lists of documents.")
            continue
        for doc, score in docs.items():
            where = f"run of query {query!r}, document {doc!r}"
            yield query, doc, number_of(score, "score", where)


def _of_table(data: Any, columns: Mapping[str, Any] | None) -> Iterator[Row]:
    from rankstone.io import frames, lists
    from rankstone.io.frames.subtopics import grades_in, ids_in

    run = lists.run_of(data, None, columns) if isinstance(data, list | tuple) else None
    if run is None:
        run = frames.run_of(data, columns)
    if not isinstance(run, frames.FrameRun) or run.number is None:
        raise UsageError("min_score= needs a run with scores by query and document.")
    ids = (
        ids_in(column, numbers=frames.is_whole(column), what=f"run: the {what} column")
        for what, column in (("query", run.query), ("document", run.doc))
    )
    yield from zip(*ids, grades_in(run.number, len(run.doc)), strict=True)


def with_min_score(
    data: Any,
    run: Run,
    min_score: float,
    columns: Mapping[str, Any] | None,
    options: ReadOptions,
    *,
    ascending: bool,
) -> Run:
    """Return a run without the documents whose score is worse than a threshold.

    A query that is left without documents stays a query of the run. If the lowest score is the
    best, the threshold is the highest that counts.
    """
    if isinstance(min_score, bool) or not isinstance(min_score, int | float):
        raise UsageError(f"min_score must be a number, not {min_score!r}.")
    if not run.scored and not ascending:
        raise UsageError(
            f"{run.name}: min_score= needs scores, and this run is ranked without them."
        )
    kept = _kept(scored_rows(data, Columns.of(columns), options), min_score, ascending=ascending)
    typed = not isinstance(data, str | os.PathLike)
    try:
        return run_from(
            kept, run.name, run.source, run.source.name, ascending=ascending, typed=typed
        )
    except DataError as error:
        raise DataError(f"{error} (with min_score={min_score:g})") from None


def _kept(rows: Iterable[Row], min_score: float, *, ascending: bool) -> Iterator[Row]:
    seen: set[Id] = set()
    for query, doc, score in rows:
        if query not in seen:
            seen.add(query)
            yield query, NO_DOCUMENT, 0.0
        if doc != NO_DOCUMENT and (score <= min_score if ascending else score >= min_score):
            yield query, doc, score
