"""What a report shows, as plain data with a version: the page reads this and nothing else.

Rankings and values are in columns, one entry per query, so that thousands of queries stay small.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SCHEMA = "rankstone/report/1"

#: A number, or None if there is none.
Cell = float | int | None


@dataclass(frozen=True)
class RunPart:
    """A run, and what there is to know about its data.

    ``judged_by_rank`` is the share of documents at each rank that are judged; ``areas`` are those
    under the pooled ``curves``, each a list of points.
    """

    name: str
    source: Mapping[str, Any]
    answered: int
    retrieved: int
    ties: Mapping[str, Any]
    notices: Sequence[Mapping[str, Any]]
    judged_by_rank: Sequence[Cell]
    areas: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, Sequence[Sequence[Cell]]] = field(default_factory=dict)


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class QueryPart:
    """Queries by position: ids, texts, and indexes into the names of groups."""

    ids: Sequence[str]
    texts: Sequence[str | None] | None = None
    group_names: Sequence[str] = ()
    groups: Sequence[int] | None = None


@dataclass(frozen=True)
class RankingPart:
    """The first documents of each query.

    ``documents[q]`` are the ids that any run has among the first ranks of query q, judged ones
    first; ``grades[q]`` are the grades of these; ``runs[r][q]`` are indexes into the documents in
    order of rank; -1 is a document whose id is not known. ``texts`` are those of documents, by id.
    """

    depth: int
    documents: Sequence[Sequence[str]]
    grades: Sequence[Sequence[Cell]]
    runs: Sequence[Sequence[Sequence[int]]]
    retrieved: Sequence[Sequence[int]]
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StepsPart:
    """What single documents add: the steps of query q are ``bounds[q]`` to ``bounds[q + 1]``.

    ``documents`` index into ``RankingPart.documents`` of the query.
    """

    bounds: Sequence[int]
    columns: Mapping[str, Sequence[Any]]
    term: Sequence[Cell]
    rank: Sequence[int] | None = None
    grade: Sequence[Cell] | None = None
    documents: Sequence[int] | None = None


@dataclass(frozen=True)
class WorkingPart:
    """The working of one measure for one run, down to the depth of the rankings."""

    measure: int
    run: int
    steps: StepsPart | None
    ideal: StepsPart | None
    total: Sequence[Cell] | None
    constant: Sequence[Cell] | None
    denominator: Sequence[Cell] | None
    expression: str
    parts: Mapping[str, Sequence[Cell]]


@dataclass(frozen=True)
class SlicePart:
    """A group of queries: for each run and measure the mean, and the number of queries."""

    name: str
    queries: int
    means: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class ReportModel:
    """Everything on the page.

    ``values[r][m]`` are those of run r by measure m, one per query. ``intervals[r][m]`` is the
    confidence interval of the mean, at ``confidence``. ``pairs`` are comparisons, with a sentence each.
    """

    title: str
    language: str
    runs: Sequence[RunPart]
    measures: Sequence[MeasurePart]
    queries: QueryPart
    values: Sequence[Sequence[Sequence[Cell]]]
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
    schema: str = SCHEMA

    def to_json(self) -> str:
        """Return everything as JSON, its version first."""
        content = {name: part for name, part in vars(self).items() if name != "schema"}
        text = json.dumps(content, default=vars, separators=(",", ":"), allow_nan=False)
        return f'{{"schema": "{self.schema}",{text[1:]}'
