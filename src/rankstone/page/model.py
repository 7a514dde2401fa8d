"""The contents of a report as plain data with a version: the page reads this and nothing else.

Columns of numbers are arrays here and lists in JSON, with six decimals; NaN is null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from rankstone.core.ids import Ids
from rankstone.frozen import frozen

SCHEMA = "rankstone/report/3"
DIGITS = 6  # decimals of a number; tables have four
_LARGEST = 2**53  # beyond, a browser does not know every whole number

#: A number, or None if there is none.
Cell = float | int | None

#: Numbers, written as a list in JSON.
Column = np.ndarray


def cells(values: Any) -> list[Cell]:
    """Return numbers for JSON: rounded, None if not finite."""
    numbers = np.asarray(values)
    if numbers.dtype.kind in "biu":
        return numbers.tolist()
    rounded = np.round(numbers.astype(np.float64), DIGITS)
    if not np.isfinite(rounded).all():
        return [v if math.isfinite(v) else None for v in rounded.tolist()]
    is_whole = (rounded == np.rint(rounded)).all() and np.abs(rounded).max(initial=0.0) < _LARGEST
    return (rounded.astype(np.int64) if is_whole else rounded).tolist()


@frozen
class RunPart:
    """A run and the health of its data.

    ``judged_by_rank`` is the share of documents at each rank that are judged, ``judged`` that of the
    first k documents (Judged@k) by k; ``areas`` are those
    under the pooled ``curves``, each a list of points. Of values that were computed before it is not
    known how many documents were ``retrieved``. ``exposure`` is the share of the first places that tenths
    of the items have, the most popular first, if their popularity is known.
    """

    name: str
    source: Mapping[str, Any]
    answered: int
    retrieved: int | None
    ties: Mapping[str, Any]
    notices: Sequence[Mapping[str, Any]]
    judged_by_rank: Sequence[Cell]
    judged: Mapping[int, Cell] = field(default_factory=dict)
    areas: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, Sequence[Sequence[Cell]]] = field(default_factory=dict)
    exposure: Sequence[Cell] = ()


@frozen
class MeasurePart:
    """A measure as it was computed: its definition, and the conventions that matter most to it.

    ``used`` are the formulas of other measures that its formula names, ``choices`` the values of its
    parameters in words.
    """

    name: str
    title: str
    formula: Any
    used: Sequence[Any]
    text: str
    choices: Sequence[str]
    conventions: Mapping[str, Any]
    aggregate: str
    higher_is_better: bool
    range: Sequence[Cell]
    beyond_accuracy: bool = False


@frozen
class QueryPart:
    """Queries by position: ids, texts, and indexes into the names of groups."""

    ids: Sequence[str]
    texts: Sequence[str | None] | None = None
    group_names: Sequence[str] = ()
    groups: Sequence[int] | None = None


@frozen(eq=False)
class RankingPart:
    """The first documents of each query.

    Each query has a list of the documents that any run has among the first ranks, judged ones first;
    unless there are too many, with all documents of at least the grade ``relevant_from``:
    ``sizes[q]`` documents, of which ``judged[q]`` are judged. The lists follow each other in
    ``documents``. ``grades`` are those of the judged documents of all queries. ``runs[r]`` are places
    in the lists in order of rank, query after query: as many as the run retrieved, at most ``depth``;
    -1 is a document whose id is not known. ``texts`` are those of documents, by id.
    """

    depth: int
    documents: Ids
    sizes: Column
    judged: Column
    grades: Column
    runs: Sequence[Column]
    retrieved: Sequence[Column]
    relevant_from: float | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


@frozen(eq=False)
class StepsPart:
    """The terms of single documents: query after query, ``sizes[q]`` steps each.

    ``documents`` are places in the list of the query in ``RankingPart.documents``.
    """

    sizes: Column
    columns: Mapping[str, Column]
    term: Column
    rank: Column | None = None
    grade: Column | None = None
    documents: Column | None = None


@frozen(eq=False)
class WorkingPart:
    """The working of one measure for one run, down to the depth of the rankings."""

    measure: int
    run: int
    steps: StepsPart | None
    ideal: StepsPart | None
    total: Column | None
    constant: Column | None
    denominator: Column | None
    expression: str
    parts: Mapping[str, Column]
    cutoff: int | None = None


@frozen
class SlicePart:
    """A group of queries: for each run and measure the mean and the verdict against the baseline."""

    name: str
    queries: int
    means: Sequence[Sequence[Cell]]
    pairs: Sequence[Sequence[Mapping[str, Any] | None]]


@frozen(eq=False)
class ReportModel:
    """Everything on the page.

    ``values[r][m]`` are those of run r by measure m, one per query. ``intervals[r][m]`` is the
    confidence interval of the mean, at ``confidence``. ``pairs`` are comparisons, with a sentence each.
    If ``weighted``, means and intervals count queries by weights that were given.
    """

    title: str
    language: str
    runs: Sequence[RunPart]
    measures: Sequence[MeasurePart]
    queries: QueryPart
    values: Sequence[Sequence[Column]]
    means: Sequence[Sequence[Cell]]
    intervals: Sequence[Sequence[Sequence[Cell] | None]]
    confidence: float
    pairs: Sequence[Mapping[str, Any]]
    comparison: Mapping[str, Any] | None
    rankings: RankingPart | None
    workings: Sequence[WorkingPart]
    slices: Sequence[SlicePart]
    cutoffs: Mapping[str, Mapping[str, Any]]
    conventions: Sequence[Mapping[str, Any]]
    tables: Mapping[str, str]
    provenance: Mapping[str, Any]
    weighted: bool = False
    schema: str = SCHEMA

    def to_json(self) -> str:
        """Return everything as JSON, its version first, by which a saved report is recognised."""
        content = {name: part for name, part in vars(self).items() if name != "schema"}
        text = json.dumps(content, default=_plain, separators=(",", ":"), allow_nan=False)
        return f'{{"schema": "{self.schema}",{text[1:]}'


def _plain(part: Any) -> Any:
    """Return a part of the model as JSON can hold it."""
    if isinstance(part, np.ndarray):
        return cells(part)
    return [*map(str, part)] if isinstance(part, Ids) else vars(part)
