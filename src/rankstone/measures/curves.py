"""ROC and precision-recall curves of scored documents, and the areas under them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen

Numbers = Sequence[float] | np.ndarray | Any


@frozen(eq=False)
class Curve:
    """Points of a curve in order of falling threshold; documents with one score make one point."""

    x: np.ndarray
    y: np.ndarray
    thresholds: np.ndarray


def _counts(
    labels: Numbers, scores: Numbers, weights: Numbers | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the weight of relevant and of other documents at or above each distinct score."""
    relevant, score = np.asarray(labels), np.asarray(scores, np.float64)
    weight = np.ones(len(score)) if weights is None else np.asarray(weights, np.float64)
    if not relevant.shape == score.shape == weight.shape or score.ndim != 1:
        raise DataError(
            f"labels {relevant.shape}, scores {score.shape} and weights {weight.shape} must be "
            "lists of the same length."
        )
    if not (np.isfinite(score).all() and np.isfinite(weight).all() and (weight >= 0).all()):
        raise DataError("scores and weights must be finite, and weights not below 0.")
    positive = relevant.astype(np.float64) > 0
    order = segments.falling_order(score, np.array([0, len(score)]))
    falling, hit, share = score[order], positive[order], weight[order]
    last = np.append(falling[1:] != falling[:-1], True)[: len(score)]
    hits = np.cumsum(np.where(hit, share, 0.0))[last]
    others = np.cumsum(np.where(hit, 0.0, share))[last]
    return hits, others, falling[last]


def risk_coverage_curve(values: Numbers, confidence: Numbers) -> Curve:
    """Return coverage (x) and risk (y) if only the most confident queries are answered.

    ``values`` are those of a measure from 0 to 1, ``confidence`` is that of each query, such as its
    best score. At each threshold, coverage is the share of queries with at least that confidence,
    and risk is the mean of 1 - value over these. Queries with a confidence of -inf are not answered
    at any threshold.

    >>> curve = risk_coverage_curve([1.0, 0.5, 0.0, 0.0], [0.9, 0.8, 0.8, 0.1])
    >>> curve.x.tolist(), curve.y.tolist()
    ([0.25, 0.75, 1.0], [0.0, 0.5, 0.625])
    """
    value, sure = np.asarray(values, np.float64), np.asarray(confidence, np.float64)
    if value.shape != sure.shape or value.ndim != 1 or not len(value):
        raise DataError("values and confidences must be lists of the same length, and not empty.")
    if not ((value >= 0) & (value <= 1)).all() or np.isnan(sure).any():
        raise DataError("values must be from 0 to 1, and every query needs a confidence.")
    order = np.argsort(-sure, kind="stable")
    ordered = sure[order]
    last = np.append(ordered[1:] != ordered[:-1], True) & (ordered > -np.inf)
    count = np.arange(1, len(value) + 1)
    risk = np.cumsum(1.0 - value[order]) / count
    return Curve((count / len(value))[last], risk[last], ordered[last])


def risk_area(curve: Curve) -> float:
    """Return the area under a risk-coverage curve, each step at its own risk, over its width.

    It is the mean risk over all coverages that can be had; queries of one confidence are one step.

    >>> risk_area(risk_coverage_curve([1.0, 0.5, 0.0, 0.0], [0.9, 0.8, 0.8, 0.1]))
    0.40625
    """
    if not len(curve.x):
        return float("nan")
    steps = np.diff(curve.x, prepend=0.0)
    return float((steps * curve.y).sum() / curve.x[-1])


def roc_curve(labels: Numbers, scores: Numbers, weights: Numbers | None = None) -> Curve:
    """Return false positive rate (x) and true positive rate (y) at every threshold.

    Labels above 0 are relevant. The first point is (0, 0), above all scores.
    """
    return _roc(*_counts(labels, scores, weights))


def _roc(hits: np.ndarray, others: np.ndarray, thresholds: np.ndarray) -> Curve:
    if not len(hits) or not hits[-1] or not others[-1]:
        raise DataError("a ROC curve needs relevant and other documents, with weight.")
    return Curve(
        np.append(0.0, others / others[-1]),
        np.append(0.0, hits / hits[-1]),
        np.append(np.inf, thresholds),
    )


def pr_curve(labels: Numbers, scores: Numbers, weights: Numbers | None = None) -> Curve:
    """Return recall (x) and precision (y) at every threshold, after the point (0, 1)."""
    return _pr(*_counts(labels, scores, weights))


def _pr(hits: np.ndarray, others: np.ndarray, thresholds: np.ndarray) -> Curve:
    if not len(hits) or not hits[-1]:
        raise DataError("a precision-recall curve needs relevant documents, with weight.")
    found = hits + others
    precision = np.divide(hits, found, out=np.zeros(len(hits)), where=found > 0)
    return Curve(
        np.append(0.0, hits / hits[-1]), np.append(1.0, precision), np.append(np.inf, thresholds)
    )


def auc(
    labels: Numbers,
    scores: Numbers,
    weights: Numbers | None = None,
    *,
    max_fpr: float | None = None,
) -> float:
    """Return the area under the ROC curve of scored documents; ties count half.

    With ``max_fpr`` the partial area, rescaled so that chance is 0.5 and the best is 1.

    >>> auc([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1])
    0.875
    """
    curve = roc_curve(labels, scores, weights)
    x, y = curve.x, curve.y
    if max_fpr is None or max_fpr == 1:
        return _trapezoids(curve)
    if not 0 < max_fpr < 1:
        raise UsageError(f"max_fpr must be above 0 and at most 1, not {max_fpr!r}.")
    stop = int(np.searchsorted(x, max_fpr, "right"))
    edge = np.interp(max_fpr, x[stop - 1 : stop + 1], y[stop - 1 : stop + 1])
    cut = Curve(np.append(x[:stop], max_fpr), np.append(y[:stop], edge), curve.thresholds[:0])
    area = _trapezoids(cut)
    least = max_fpr**2 / 2
    return float(0.5 * (1 + (area - least) / (max_fpr - least)))


def pr_area(labels: Numbers, scores: Numbers, weights: Numbers | None = None) -> float:
    """Return the area under the precision-recall curve in steps, which is average precision.

    The sum over thresholds of (recall - recall before) * precision; nothing is interpolated.

    >>> pr_area([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.8333333333333333
    """
    return _steps(pr_curve(labels, scores, weights))


def curves_and_areas(labels: Numbers, scores: Numbers) -> dict[str, tuple[Curve, float]]:
    """Return the ROC curve (``roc``) and the precision-recall curve (``pr``) with their areas.

    Without relevant documents, or without others, there is none: precision would always be 1.

    >>> {name: area for name, (_, area) in curves_and_areas([1, 0], [0.9, 0.8]).items()}
    {'roc': 1.0, 'pr': 1.0}
    """
    counts = _counts(labels, scores, None)
    found: dict[str, tuple[Curve, float]] = {}
    if not counts[1].any():
        return found
    for name, curve_of, area_of in (("roc", _roc, _trapezoids), ("pr", _pr, _steps)):
        with suppress(DataError):
            curve = curve_of(*counts)
            found[name] = curve, area_of(curve)
    return found


def _trapezoids(curve: Curve) -> float:
    return float(np.sum(np.diff(curve.x) * (curve.y[1:] + curve.y[:-1]) / 2))


def _steps(curve: Curve) -> float:
    return float(np.sum(np.diff(curve.x) * curve.y[1:]))
