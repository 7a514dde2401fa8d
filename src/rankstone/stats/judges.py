"""Agreement of judges on grades, beyond what chance gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.errors import DataError, UsageError, one_of
from rankstone.stats.distributions import t_quantile

Grades = np.ndarray | Sequence[float]

#: How far apart two grades are, for Krippendorff's alpha.
LEVELS = {
    "nominal": "equal or not",
    "ordinal": "by the number of grades between them",
    "interval": "by their difference",
    "ratio": "by their difference relative to their sum",
}
#: How much disagreements count, for Cohen's kappa.
KAPPA_WEIGHTS = {
    "none": "all alike",
    "linear": "by the number of grades between them",
    "quadratic": "by the square of that number",
}


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often each grade of the first judge meets each of the second.

    ``counts[i, j]`` is the number of documents that have ``grades[i]`` from the first and
    ``grades[j]`` from the second.
    """

    grades: tuple[float, ...]
    counts: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"grades": list(self.grades), "counts": self.counts.tolist()}

    @property
    def agreement(self) -> float:
        """The share of documents that have the same grade from both."""
        return float(np.trace(self.counts)) / float(self.counts.sum())


def confusion(first: Grades, second: Grades) -> Confusion:
    """Count pairs of grades.

    >>> confusion([0, 1, 1, 2], [0, 1, 2, 2]).counts.tolist()
    [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    """
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise UsageError(f"both judges must grade the same documents, not {a.size} and {b.size}.")
    if not len(a):
        raise DataError("the judges have no document in common, so there is nothing to compare.")
    if np.isnan(a).any() or np.isnan(b).any():
        raise DataError("a grade is not a number. Leave documents without a grade out.")
    grades, place = np.unique(np.concatenate((a, b)), return_inverse=True)
    rows, columns = np.split(place, 2)
    k = len(grades)
    counts = np.bincount(rows * k + columns, minlength=k * k).reshape(k, k)
    return Confusion(tuple(grades.tolist()), counts)


def cohen_kappa(first: Grades, second: Grades, weights: str = "none") -> float:
    """Return Cohen's kappa: 1 - observed disagreement / disagreement expected by chance.

    Chance keeps how often each judge gives each grade. ``weights`` says how much a disagreement
    counts, see ``KAPPA_WEIGHTS``. If both give all documents one and the same grade, kappa is NaN.

    >>> round(cohen_kappa([0, 1, 1, 2], [0, 1, 2, 2]), 4)
    0.6364
    """
    return kappa_of(confusion(first, second), weights)


def kappa_of(table: Confusion, weights: str = "none") -> float:
    """Return Cohen's kappa of a table that ``confusion`` made."""
    one_of(weights, KAPPA_WEIGHTS, "weights of kappa")
    grade = np.arange(len(table.grades))
    distance = np.abs(grade[:, None] - grade)
    cost = {"none": distance > 0, "linear": distance, "quadratic": distance**2}[weights]
    counts = table.counts.astype(np.float64)
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    expected = float((cost * chance).sum())
    return 1.0 - float((cost * counts).sum()) / expected if expected else math.nan


def krippendorff_alpha(
    ratings: np.ndarray | Sequence[Sequence[float]], level: str = "ordinal"
) -> float:
    """Return Krippendorff's alpha of any number of judges: 1 - observed / expected disagreement.

    Args:
        ratings: one row per judge, one column per document; NaN where a judge gave no grade.
        level: how far apart two grades are, see ``LEVELS``.

    Returns:
        1 for perfect agreement, 0 for chance; NaN if all grades are the same.

    >>> round(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, 4]], "nominal"), 4)
    0.6957
    """
    one_of(level, LEVELS, "level")
    table = np.asarray(ratings, np.float64)
    if table.ndim != 2 or len(table) < 2:
        raise UsageError("alpha needs ratings of at least two judges, one row each.")
    known = ~np.isnan(table)
    comparable = known.sum(axis=0) >= 2
    if not comparable.any():
        raise DataError("no document was graded by two judges, so there is nothing to compare.")
    table, known = table[:, comparable], known[:, comparable]
    grades, place = np.unique(table[known], return_inverse=True)
    documents = np.nonzero(known)[1]
    by_document = np.zeros((table.shape[1], len(grades)))
    np.add.at(by_document, (documents, place), 1.0)
    per_document = by_document.sum(axis=1)
    # Every ordered pair of grades of a document, each document with the weight of its grades.
    weighted = by_document / (per_document - 1.0)[:, None]
    coincidences = by_document.T @ weighted - np.diag(weighted.sum(axis=0))
    totals = coincidences.sum(axis=0)
    distance = _distances(grades, totals, level)
    expected = float(totals @ distance @ totals) / (float(totals.sum()) - 1.0)
    if not expected:
        return math.nan
    return 1.0 - float((coincidences * distance).sum()) / expected


def alpha_of(table: Confusion, level: str = "ordinal") -> float:
    """Return Krippendorff's alpha of two judges, from a table that ``confusion`` made."""
    coincidences = (table.counts + table.counts.T).astype(np.float64)
    totals = coincidences.sum(axis=0)
    distance = _distances(np.asarray(table.grades), totals, level)
    expected = float(totals @ distance @ totals) / (float(totals.sum()) - 1.0)
    return 1.0 - float((coincidences * distance).sum()) / expected if expected else math.nan


def fleiss_kappa(ratings: np.ndarray | Sequence[Sequence[float]]) -> float:
    """Return Fleiss' kappa of three or more judges: grades are equal or not, judges interchangeable.

    Args:
        ratings: one row per judge, one column per document; documents that a judge did not grade
            are left out.

    >>> round(fleiss_kappa([[0, 1, 1, 2], [0, 1, 2, 2], [0, 1, 1, 1]]), 4)
    0.4667
    """
    table = np.asarray(ratings, np.float64)
    table = table[:, ~np.isnan(table).any(axis=0)] if table.ndim == 2 else table
    if table.ndim != 2 or len(table) < 2 or not table.shape[1]:
        raise UsageError("kappa needs documents that each of two or more judges graded.")
    judges, documents = table.shape
    grades, place = np.unique(table, return_inverse=True)
    counts = np.zeros((documents, len(grades)))
    np.add.at(counts, (np.tile(np.arange(documents), judges), place.ravel()), 1.0)
    observed = float((counts * (counts - 1.0)).sum()) / (documents * judges * (judges - 1.0))
    chance = float(((counts.sum(axis=0) / (documents * judges)) ** 2).sum())
    return (observed - chance) / (1.0 - chance) if chance < 1.0 else math.nan


def jackknife_interval(
    tables: Sequence[Confusion], of: Callable[[Confusion], float], confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of a coefficient of agreement, by leaving out one table at a time.

    Args:
        tables: of the queries, or of groups of them, with the same grades.
        of: the coefficient of a table.
        confidence: of the interval.

    Returns:
        Its ends, at least -1 and at most 1; NaN if there are fewer than two tables, or if the
        coefficient has no value without one of them.
    """
    if len(tables) < 2:
        return math.nan, math.nan
    grades, counts = tables[0].grades, np.array([table.counts for table in tables])
    total = counts.sum(axis=0)
    without = np.array([of(Confusion(grades, total - own)) for own in counts])
    return jackknife_ends(of(Confusion(grades, total)), without, confidence)


def jackknife_ends(
    value: float, without: np.ndarray, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of a coefficient from its values without one part at a time."""
    n = len(without)
    if n < 2:
        return math.nan, math.nan
    variance = float(((without - without.mean()) ** 2).sum()) * (n - 1) / n
    reach = t_quantile(0.5 + 0.5 * confidence, n - 1.0) * math.sqrt(variance)
    if math.isnan(reach + value):
        return math.nan, math.nan
    return max(value - reach, -1.0), min(value + reach, 1.0)


def _distances(grades: np.ndarray, totals: np.ndarray, level: str) -> np.ndarray:
    """Return the squared distances between grades."""
    if level == "nominal":
        return 1.0 - np.eye(len(grades))
    if level == "ordinal":
        position = np.cumsum(totals) - 0.5 * totals
        return (position[:, None] - position) ** 2
    difference = grades[:, None] - grades
    if level == "interval":
        return difference**2
    if (grades < 0).any():
        raise UsageError("the level 'ratio' needs grades of at least 0; use 'interval'.")
    total = grades[:, None] + grades
    return (difference / np.where(total > 0, total, 1.0)) ** 2
