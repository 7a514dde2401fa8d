"""Sparse matrices of scipy: a row for each query, a column for each document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.core.counted import Entries
from rankstone.core.judgments import Judgments
from rankstone.core.reading_notices import reading_notice
from rankstone.core.run import Run
from rankstone.errors import DataError, Notice
from rankstone.io import frames
from rankstone.io.frames.columns import PlainTable

_MATRIX = "the sparse matrix"


def is_sparse(data: Any) -> bool:
    """Return whether data are a sparse matrix or array of scipy."""
    return type(data).__module__.startswith("scipy.sparse") and hasattr(data, "tocoo")


def judgments_of(matrix: Any, *, graded: bool) -> Judgments:
    """Take the stored entries as judgments; a row without any is a query with nothing relevant."""
    table = _table(matrix, "grade")
    judgments = frames.judgments_of(table, None, graded=graded)
    rated = frames.ratings_as_grades(_MATRIX, judgments.grades)
    judgments = replace(judgments, notices=(*judgments.notices, *rated))
    known = set(judgments.queries)
    empty = [row for row in range(matrix.shape[0]) if row not in known]
    return judgments.with_queries(empty) if empty else judgments


def run_of(matrix: Any, name: str | None, *, ascending: bool) -> Run:
    """Take the stored entries as the scores of the documents that were retrieved."""
    return frames.run_of(_table(matrix, "score"), None, name, ascending=ascending)


def _table(matrix: Any, number: str) -> PlainTable:
    entries = matrix.tocsr().tocoo()  # the former adds up entries that are stored twice
    keep = ~np.isneginf(entries.data.astype(np.float64))
    columns = {
        "query": entries.row[keep].tolist(),
        "doc": entries.col[keep].tolist(),
        number: entries.data[keep].tolist(),
    }
    return PlainTable(columns)


def beside_scores(
    judgments: Any, scores: Any, exclude: Any, mask: Any
) -> tuple[Any, Any, tuple[Notice, ...]]:
    """Return judgments beside a table of scores as labels, and ``exclude`` as a mask.

    And the notices on them.
    """
    shape = np.shape(scores)
    for what, matrix in (("judgments", judgments), ("exclude", exclude)):
        if is_sparse(matrix) and matrix.shape != shape:
            rows, columns = matrix.shape
            raise DataError(
                f"{what} are {rows} x {columns} and scores {' x '.join(map(str, shape))}: the two "
                "must have the same shape, a row for each query and a column for each document."
            )
    rated: list[Notice] = []
    if is_sparse(judgments):
        rated = frames.ratings_as_grades(_MATRIX, judgments.data)
    if not is_sparse(exclude):
        return judgments, mask, tuple(rated)
    kept = np.ones(shape, bool) if mask is None else np.array(mask)
    entries = entries_of(exclude)
    removed = np.zeros(shape, bool)
    removed[entries.rows, entries.columns] = True
    removed &= kept
    labels = judgments.toarray() if is_sparse(judgments) else np.asarray(judgments)
    judged = removed & (labels > 0)
    notices = (
        *rated,
        *reading_notice("excluded", int(removed.sum()), _first(removed)),
        *reading_notice("excluded-judged", int(judged.sum()), _first(judged)),
    )
    return judgments, kept & ~removed, notices


def entries_of(labels: Any) -> Entries:
    """Return the entries of a matrix that are not 0."""
    matrix = labels.tocsr(copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    offsets, columns = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices))
    return Entries(offsets, columns, matrix.data.astype(np.float64))


def _first(chosen: np.ndarray) -> tuple[str, ...]:
    """Return the first chosen cell of a table in words."""
    if not chosen.any():
        return ()
    row, column = np.unravel_index(int(chosen.argmax()), chosen.shape)
    return (f"document {column} of query {row}",)
