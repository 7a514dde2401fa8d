"""The verb ``risk_coverage``: how wrong the answers are, if only the surest queries are answered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankstone.choices.setup import Setup, verb
from rankstone.core.collection import MatchedCollection
from rankstone.core.engine import load_engine
from rankstone.core.exclude import ExcludingRun
from rankstone.core.rank import rounds_scores
from rankstone.core.run import NO_DOCUMENT, Run
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen
from rankstone.io.load import read
from rankstone.measures import Measure
from rankstone.measures.curves import risk_area, risk_coverage_curve
from rankstone.verbs.evaluate import evaluate_collection
from rankstone.verbs.parts import Request

if TYPE_CHECKING:
    from rankstone.choices.options import RiskCoverageOptions


@frozen(eq=False)
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


@verb("risk_coverage")
def risk_coverage(
    judgments: Any, run: Any, measure: str | Measure, **options: Unpack[RiskCoverageOptions]
) -> RiskCoverage:
    """Return how risk grows with coverage as the score threshold falls.

    A query is answered if its best score reaches the threshold. An answer to a query without a
    relevant document has the value 0, so the risk 1.

    Args:
        judgments: whatever ``evaluate`` takes.
        run: a run with scores; the highest is the best.
        measure: a measure from 0 to 1.
        options: see below.

    >>> judged = {"a": {"x": 1}, "b": {"x": 0}}
    >>> risk_coverage(judged, {"a": {"x": 0.9}, "b": {"x": 0.3}}, "RR").risk.tolist()
    [0.0, 0.5]
    """
    setup = Setup.of("risk_coverage", options)
    if setup.changes.scores != "descending":
        raise UsageError("risk_coverage takes the highest score as the best; give -distance.")
    request = Request.of(measure, setup)
    load_engine()
    data = read(judgments, run, setup)
    if not isinstance(data, MatchedCollection) or data.run.direction < 1:
        raise UsageError(
            f"{data.name}: risk and coverage need scores, of which the highest is the best, and "
            "this run has none."
        )
    result = evaluate_collection(data, request)
    (column,) = result.columns.values()
    if not ((column >= 0) & (column <= 1)).all():
        raise UsageError(
            f"{result.measures[0]} is not from 0 to 1 for every query; choose another measure, or "
            "another value of no_relevant."
        )
    best: dict[str, float] = {}
    rounds = rounds_scores(result.conventions)
    run = data.run
    scored: Run = getattr(run, "by_score", run)
    if isinstance(run, ExcludingRun):
        scored = replace(run, run=getattr(run.run, "by_score", run.run))
    for query, doc, score in scored.rows(data.judgments):
        if doc != NO_DOCUMENT:
            own = float(np.float32(score)) if rounds else score
            best[str(query)] = max(own, best.get(str(query), own))
    if not best:
        raise DataError(f"{result.name}: the run holds no document.")
    confidence = [best.get(str(query), -np.inf) for query in result.queries]
    curve = risk_coverage_curve(column, confidence)
    return RiskCoverage(
        result.name,
        result.measures[0],
        len(column),
        curve.thresholds,
        curve.x,
        curve.y,
        risk_area(curve),
    )
