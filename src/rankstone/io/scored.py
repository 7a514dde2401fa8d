"""Runs read as rows of query, document and score, to leave some rows out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from rankstone.core.run import Run
from rankstone.errors import UsageError, one_of
from rankstone.io.column_roles import Columns
from rankstone.io.gathered import GatheredRun, run_from
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.parents import RULES, ParentRun, Parents, documents_of
from rankstone.io.rows import NO_DOCUMENT, Id, Row


def scored_rows(
    data: Any, columns: Mapping[str, Any] | None, options: ReadOptions
) -> Iterator[Row]:
    """Yield the rows of a run that has scores, from a path, a dict, a list or a table.

    A rank, and the number in a column of distances, is negative, so that the highest is the best.
    """
    if isinstance(data, str | os.PathLike):
        yield from _of_file(os.fspath(data), options)
    elif hasattr(data, "match") and hasattr(data, "source"):
        raise UsageError("min_score= and parents= need the run itself: a path, a dict or a table.")
    else:
        yield from _of_memory(data, columns)


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
            last = len(docs)
            yield from ((query, doc, float(last - i)) for i, doc in enumerate(docs))
            continue
        for doc, score in docs.items():
            where = f"run of query {query!r}, document {doc!r}"
            yield query, doc, number_of(score, "score", where)


def _of_memory(data: Any, columns: Mapping[str, Any] | None) -> Iterator[Row]:
    from rankstone.io import frames, lists, objects
    from rankstone.io.frames.subtopics import grades_in, ids_in
    from rankstone.io.retrieved import has_objects, plain_results

    if isinstance(data, Mapping | list | tuple) and has_objects(data):
        data = plain_results(data, "the run")
    run: Any
    if isinstance(data, Mapping):
        run = objects.run_of(data, None, columns)
    elif isinstance(data, list | tuple):
        run = lists.run_of(data, None, columns)
    else:
        run = frames.run_of(data, columns)
    if not isinstance(run, frames.FrameRun):
        rows = run.rows() if isinstance(run, GatheredRun) else _of_dict(run.data)
        yield from rows
        return
    ids = (
        ids_in(column, numbers=frames.is_whole(column), what=f"run: the {what} column")
        for what, column in (("query", run.query), ("document", run.doc))
    )
    count = len(run.doc)
    numbers = range(count, 0, -1) if run.number is None else grades_in(run.number, count)
    is_lowest_best = run.number is not None and run.roles.number_role in ("rank", "distance")
    for query, doc, number in zip(*ids, numbers, strict=True):
        yield query, doc, -number if is_lowest_best else number


def changed_run(
    data: Any,
    run: Run,
    *,
    min_score: float | None,
    parents: Any,
    parent_rule: str,
    columns: Mapping[str, Any] | None,
    options: ReadOptions,
    ascending: bool,
) -> GatheredRun:
    """Return a run without documents of a worse score than a threshold, or of documents for chunks.

    A query that is left without documents stays a query of the run. If the lowest score is the
    best, the threshold is the highest that counts.
    """
    are_distances = not ascending and Columns.of(columns).get("distance") is not None
    has_scores = run.scored or ascending or are_distances
    check_changes(run.name, min_score, parents, parent_rule, has_scores=has_scores)
    rows = scored_rows(data, Columns.of(columns), options)
    if min_score is not None:
        rows = _kept(rows, -min_score if are_distances else min_score, ascending=ascending)
    typed = not isinstance(data, str | os.PathLike)
    if parents is None:
        left = run_from(rows, run.name, run.source, run.name, ascending=ascending, typed=typed)
        return cast("GatheredRun", left)
    known = Parents.of(parents, options.max_bytes)
    scores, about = documents_of(rows, known, parent_rule, ascending=ascending)
    return ParentRun(scores, run.name, run.source, ascending, typed, {}, about)


def check_changes(
    name: str, min_score: float | None, parents: Any, parent_rule: str, *, has_scores: bool
) -> None:
    """Refuse options that do not suit a run."""
    one_of(parent_rule, RULES, "rule for chunks")
    if min_score is not None:
        if isinstance(min_score, bool) or not isinstance(min_score, int | float):
            raise UsageError(f"min_score must be a number, not {min_score!r}.")
        if not has_scores:
            raise UsageError(f"{name}: min_score= needs scores, and this run has none.")
    if parents is not None and parent_rule != "first" and not has_scores:
        raise UsageError(
            f"{name}: the rule '{parent_rule}' needs scores, and this run has none. Choose 'first'."
        )


def _kept(rows: Iterable[Row], min_score: float, *, ascending: bool) -> Iterator[Row]:
    seen: set[Id] = set()
    for query, doc, score in rows:
        if query not in seen:
            seen.add(query)
            yield query, NO_DOCUMENT, 0.0
        if doc != NO_DOCUMENT and (score <= min_score if ascending else score >= min_score):
            yield query, doc, score
