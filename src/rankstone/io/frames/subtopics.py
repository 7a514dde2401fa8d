"""Judgments by subtopic in dataframes: one more column, or two for nuggets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.core.ids import Ids
from rankstone.core.subtopics import Aspect
from rankstone.errors import DataError
from rankstone.io.nuggets import is_vital


def ids_in(column: Any, *, numbers: bool, what: str) -> list[Any]:
    """Return the ids in the rows of a column, as Python objects."""
    rows = engine.load().column_of_array(np.arange(len(column), dtype=np.int64))
    scan = engine.load().judge_columns(column, rows, None)
    if scan["fault"]:
        raise DataError(f"{what} has no value in row {scan['fault'][2]} (rows count from 0).")
    raw = scan["query_bytes"]
    names = Ids.from_keys(raw) if numbers else Ids.from_bytes(raw, scan["query_offsets"])
    places = np.array(Ids.from_keys(scan["doc_bytes"]).objects, np.int64)
    values = np.empty(len(column), object)
    for name, (a, b) in zip(names.objects, pairwise(scan["groups"].tolist()), strict=True):
        values[places[a:b]] = name
    return values.tolist()


def grades_in(column: Any, rows: int) -> list[float]:
    """Return the grades in the rows of a column, 1 without a column."""
    if column is None:
        return [1.0] * rows
    at = engine.load().column_of_array(np.arange(rows, dtype=np.int64))
    scan = engine.load().judge_columns(at, at, column)
    order = np.array(Ids.from_keys(scan["doc_bytes"]).objects, np.int64)
    grades = np.empty(rows)
    grades[order] = scan["grades"]
    return grades.tolist()


def aspects(
    queries: list[Any],
    docs: list[Any],
    grades: list[float],
    subtopics: list[Any],
    importance: list[Any] | None,
    what: str,
) -> Iterator[Aspect]:
    """Yield the grades by subtopic in the rows of columns."""
    for row, (query, doc, grade, subtopic) in enumerate(
        zip(queries, docs, grades, subtopics, strict=True)
    ):
        where = f"{what}, row {row} (rows count from 0)"
        vital = None if importance is None else is_vital(importance[row], subtopic, where)
        yield Aspect(query, doc, grade, subtopic, vital)
