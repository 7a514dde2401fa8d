"""ROC and precision-recall curves of scored documents, and the areas under them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.errors import DataError, UsageError

Numbers = Sequence[float] | np.ndarray | Any


@dataclass(frozen=True, eq=False)
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
    order = np.argsort(-score, kind="stable")
    last = np.append(score[order][1:] != score[order][:-1], True)[: len(score)]
    hits = np.cumsum(np.where(positive, weight, 0.0)[order])[last]
    others = np.cumsum(np.where(positive, 0.0, weight)[order])[last]
    return hits, others, score[order][last]


def roc_curve(labels: Numbers, scores: Numbers, weights: Numbers | None = None) -> Curve:
    """Return false positive rate (x) and true positive rate (y) at every threshold.

    Labels above 0 are relevant. The first point is (0, 0), above all scores.
    """
    hits, others, thresholds = _counts(labels, scores, weights)
    if not len(hits) or not hits[-1] or not others[-1]:
        raise DataError("a ROC curve needs relevant and other documents, with weight.")
    return Curve(
        np.append(0.0, others / others[-1]),
        np.append(0.0, hits / hits[-1]),
        np.append(np.inf, thresholds),
    )


def pr_curve(labels: Numbers, scores: Numbers, weights: Numbers | None = None) -> Curve:
    """Return recall (x) and precision (y) at every threshold, after the point (0, 1)."""
    hits, others, thresholds = _counts(labels, scores, weights)
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
        return float(_trapezoids(x, y))
    if not 0 < max_fpr < 1:
        raise UsageError(f"max_fpr must be above 0 and at most 1, not {max_fpr!r}.")
    stop = int(np.searchsorted(x, max_fpr, "right"))
    edge = np.interp(max_fpr, x[stop - 1 : stop + 1], y[stop - 1 : stop + 1])
    area = _trapezoids(np.append(x[:stop], max_fpr), np.append(y[:stop], edge))
    least = max_fpr**2 / 2
    return float(0.5 * (1 + (area - least) / (max_fpr - least)))


def pr_area(labels: Numbers, scores: Numbers, weights: Numbers | None = None) -> float:
    """Return the area under the precision-recall curve in steps, which is average precision.

    The sum over thresholds of (recall - recall before) * precision; nothing is interpolated.

    >>> pr_area([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.8333333333333333
    """
    curve = pr_curve(labels, scores, weights)
    return float(np.sum(np.diff(curve.x) * curve.y[1:]))


def _trapezoids(x: np.ndarray, y: np.ndarray) -> np.floating:
    return np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)
