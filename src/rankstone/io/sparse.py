"""Sparse matrices of scipy: a row for each query, a column for each document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.counted import Entries
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.notice_texts import reading_notice
from rankstone.core.notices import negative_notices
from rankstone.core.provenance import MEMORY
from rankstone.core.run import Run
from rankstone.errors import DataError, Notice
from rankstone.io import frames
from rankstone.io.frames.columns import PlainTable
from rankstone.io.input_file import DEFAULT, ReadOptions
from rankstone.language import tr

_Names = Callable[[np.ndarray], Ids]
_MATRIX = "the sparse matrix"


def is_sparse(data: Any) -> bool:
    """Return whether data are a sparse matrix or array of scipy."""
    return type(data).__module__.startswith("scipy.sparse") and hasattr(data, "tocoo")


def judgments_of(
    matrix: Any,
    options: ReadOptions = DEFAULT,
    ids: tuple[_Names, _Names] = (Ids.from_numbers, Ids.from_numbers),
) -> Judgments:
    """Take the stored entries as judgments; a row without any is a query with nothing relevant.

    Args:
        matrix: a sparse matrix, or an array, whose entries are those that are not 0.
        options: whether the grades matter; if not, every entry counts 1.
        ids: functions that name rows and columns (default: by their numbers).
    """
    if is_sparse(matrix):
        cells = matrix.tocsr(copy=True)
        cells.sum_duplicates()
        offsets, columns, grades = cells.indptr.astype(np.int64), cells.indices, cells.data
    else:
        rows, columns = np.nonzero(matrix)
        grades = matrix[rows, columns]
        offsets = segments.offsets_of(np.bincount(rows, minlength=len(matrix)))
    grades = grades.astype(np.float64) if options.graded else np.ones(len(columns))
    kept = ~np.isneginf(grades)
    if not kept.all():
        offsets, columns, grades = segments.keep(kept, offsets), columns[kept], grades[kept]
    if not np.isfinite(grades).all():
        at = int(np.flatnonzero(~np.isfinite(grades))[0])
        row = int(segments.numbers(offsets)[at])
        raise DataError(
            f"{_MATRIX}: the grade in row {row}, column {int(columns[at])} is {grades[at]}; a grade "
            "is a finite number."
        )
    if not len(grades):
        raise DataError("the judgments are empty.")
    queries, docs = (
        name(at) for name, at in zip(ids, (np.arange(len(offsets) - 1), columns), strict=True)
    )
    notices = (*negative_notices(grades), *frames.ratings_as_grades(_MATRIX, grades))
    return Judgments(queries, offsets, docs, grades, MEMORY, notices)


def run_of(matrix: Any, options: ReadOptions) -> Run:
    """Take the stored entries as the scores of the documents that were retrieved."""
    entries = matrix.tocsr().tocoo()  # the former adds up entries that are stored twice
    keep = ~np.isneginf(entries.data.astype(np.float64))
    columns = {
        "query": entries.row[keep].tolist(),
        "doc": entries.col[keep].tolist(),
        "score": entries.data[keep].tolist(),
    }
    return frames.run_of(PlainTable(columns), replace(options, columns=None))


def beside_scores(
    judgments: Any, scores: Any, exclude: Any, mask: Any
) -> tuple[Any, Any, tuple[Notice, ...]]:
    """Return judgments beside a table of scores as labels, and ``exclude`` as a mask.

    And the notices on them.
    """
    shape = np.shape(scores)
    for what, matrix in (("judgments", judgments), ("exclude", exclude)):
        if is_sparse(matrix):
            check_shape(what, matrix, scores)
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
        *reading_notice("nothing-excluded", 0 if removed.any() else len(entries.columns)),
        *reading_notice("excluded-judged", int(judged.sum()), _first(judged)),
    )
    return judgments, kept & ~removed, notices


def check_shape(what: str, matrix: Any, scores: Any) -> None:
    """Refuse a matrix whose shape is not that of the scores."""
    own, expected = (" x ".join(map(str, np.shape(table))) for table in (matrix, scores))
    if own != expected:
        raise DataError(
            f"{what} are {own} and scores {expected}: the two must have the same shape, a row for "
            "each query and a column for each document."
        )


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
    return (tr("document {} of query {}").format(column, row),)
