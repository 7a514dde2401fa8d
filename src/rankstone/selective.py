"""The verb ``risk_coverage``: how wrong the answers are, if only the surest queries are answered."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.errors import DataError, UsageError
from rankstone.evaluation import evaluate
from rankstone.io.column_roles import Columns
from rankstone.io.input_file import ReadOptions, last_of
from rankstone.io.load import load_run
from rankstone.io.rows import NO_DOCUMENT, Row
from rankstone.io.scored import changed_run, scored_rows
from rankstone.measures import Measure
from rankstone.measures.curves import risk_area, risk_coverage_curve


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """The risk-coverage curve of a run.

    If queries are answered whose best score is at least ``thresholds[i]``, then ``coverage[i]`` is
    the share of queries that are answered and ``risk[i]`` the mean of 1 - value over these.
    ``area`` is the mean risk over all coverages: lower is better.
    """

    name: str
    measure: str
    queries: int
    thresholds: np.ndarray
    coverage: np.ndarray
    risk: np.ndarray
    area: float


def risk_coverage(judgments: Any, run: Any, measure: str | Measure, **options: Any) -> RiskCoverage:
    """Return how risk grows with coverage as the score threshold falls.

    A query is answered if its best score reaches the threshold. An answer to a query without a
    relevant document has the value 0, so the risk 1.

    Args:
        judgments: whatever ``evaluate`` takes.
        run: a run with scores; the highest is the best.
        measure: a measure from 0 to 1.
        options: of ``evaluate``.

    >>> judged = {"a": {"x": 1}, "b": {"x": 0}}
    >>> risk_coverage(judged, {"a": {"x": 0.9}, "b": {"x": 0.3}}, "RR").risk.tolist()
    [0.0, 0.5]
    """
    if options.get("scores", "descending") != "descending":
        raise UsageError("risk_coverage takes the highest score as the best; give -distance.")
    result = evaluate(judgments, run, measure, **options)
    (column,) = result.columns.values()
    if not ((column >= 0) & (column <= 1)).all():
        raise UsageError(
            f"{result.measures[0]} is not from 0 to 1 for every query; choose another measure, or "
            "another value of no_relevant."
        )
    best: dict[str, float] = {}
    for query, doc, score in _scored(run, options):
        if doc != NO_DOCUMENT:
            best[str(query)] = max(score, best.get(str(query), score))
    if not best:
        raise DataError(f"{result.name}: the run holds no document.")
    confidence = [best.get(str(query), -np.inf) for query in result.queries]
    curve = risk_coverage_curve(column, confidence)
    name = result.name if isinstance(run, str | os.PathLike) else options.get("name", "run")
    return RiskCoverage(
        name,
        result.measures[0],
        len(column),
        curve.thresholds,
        curve.x,
        curve.y,
        risk_area(curve),
    )


def _scored(run: Any, options: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of the run, as documents if it is one of chunks."""
    columns = Columns.of(options.get("columns"))
    form, encoding = last_of(options.get("input_format")), last_of(options.get("encoding"))
    max_bytes = options.get("max_bytes")
    loaded = load_run(
        run, columns=columns, input_format=form, max_bytes=max_bytes, encoding=encoding
    )
    if not loaded.scored:
        raise UsageError(
            f"{loaded.name}: risk and coverage need scores, of which the highest is the best, and "
            "this run has none."
        )
    reading = ReadOptions(form, max_bytes, columns=columns, encoding=encoding)
    changes = {name: options.get(name) for name in ("min_score", "parents")}
    if all(value is None for value in changes.values()):
        yield from scored_rows(run, columns, reading)
        return
    changed = changed_run(
        run,
        loaded,
        **changes,
        parent_rule=options.get("parent_rule", "first"),
        columns=columns,
        options=reading,
        ascending=False,
    )
    yield from changed.rows()
