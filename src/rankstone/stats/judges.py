"""Agreement of judges on grades, beyond what chance gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rankstone.core.shown import Shown
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
class Confusion(Shown):
    """How often each grade of the first judge meets each of the second.

    ``counts[i, j]`` is the number of documents that have ``grades[i]`` from the first and
    ``grades[j]`` from the second.
    """

    grades: tuple[float, ...]
    counts: np.ndarray

    @property
    def agreement(self) -> float:
        """The share of documents that have the same grade from both."""
        return float(np.trace(self.counts)) / float(self.counts.sum())


def confusion(first: Grades, second: Grades) -> Confusion:
    """Count pairs of grades.

    >>> confusion([0, 1, 1, 2], [0, 1, 2, 2]).counts.tolist()
    [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    """
    grades, tables = confusions(first, second, np.zeros(len(first), np.int64))
    return Confusion(tuple(grades.tolist()), tables[0])


def confusions(first: Grades, second: Grades, parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the grades, and a table of pairs of grades for each part of the documents.

    Args:
        first: grades of the first judge.
        second: grades of the second judge.
        parts: number of the part of each document, from 0.
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
    n, k = int(parts.max()) + 1, len(grades)
    cells = (parts * k + rows) * k + columns
    return grades, np.bincount(cells, minlength=n * k * k).reshape(n, k, k)


def cohen_kappa(first: Grades, second: Grades, weights: str = "none") -> float:
    """Return Cohen's kappa: 1 - observed disagreement / disagreement expected by chance.

    Chance keeps how often each judge gives each grade. ``weights`` says how much a disagreement
    counts, see ``KAPPA_WEIGHTS``. If both give all documents one and the same grade, kappa is NaN.

    >>> round(cohen_kappa([0, 1, 1, 2], [0, 1, 2, 2]), 4)
    0.6364
    """
    return kappa_of(confusion(first, second).counts, weights)


def kappa_of(counts: np.ndarray, weights: str = "none") -> float:
    """Return Cohen's kappa of a table that ``confusion`` made."""
    one_of(weights, KAPPA_WEIGHTS, "weights of kappa")
    grade = np.arange(len(counts))
    distance = np.abs(grade[:, None] - grade)
    cost = {"none": distance > 0, "linear": distance, "quadratic": distance**2}[weights]
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / float(counts.sum())
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
    if not ((~np.isnan(table)).sum(axis=0) >= 2).any():
        raise DataError("no document was graded by two judges, so there is nothing to compare.")
    grades, tables = coincidences(table, np.zeros(table.shape[1], np.int64))
    return alpha_of(tables[0], level, grades)


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
    return fleiss_of(coincidences(table, np.zeros(table.shape[1], np.int64))[1][0])


def coincidences(ratings: np.ndarray, parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the grades, and a table of pairs of grades for each part of the documents.

    Every ordered pair of grades that two judges gave to a document counts 1 / (judges of it - 1).

    Args:
        ratings: one row per judge, one column per document; NaN where a judge gave no grade.
        parts: number of the part of each document, from 0.
    """
    known = ~np.isnan(ratings)
    grades, place = np.unique(ratings[known], return_inverse=True)
    counts = np.zeros((ratings.shape[1], len(grades)))
    np.add.at(counts, (np.nonzero(known)[1], place.ravel()), 1.0)
    weighted = counts / np.maximum(counts.sum(axis=1, keepdims=True) - 1.0, 1.0)
    inside = (parts == part for part in range(int(parts.max(initial=0)) + 1))
    tables = [counts[p].T @ weighted[p] - np.diag(weighted[p].sum(axis=0)) for p in inside]
    return grades, np.array(tables)


def alpha_of(table: np.ndarray, level: str = "ordinal", grades: np.ndarray | None = None) -> float:
    """Return Krippendorff's alpha of a table of ``coincidences``, whose grades some levels need."""
    totals = table.sum(axis=0)
    distance = _distances(np.arange(len(table)) if grades is None else grades, totals, level)
    expected = float(totals @ distance @ totals) / (float(totals.sum()) - 1.0)
    return 1.0 - float((table * distance).sum()) / expected if expected else math.nan


def fleiss_of(table: np.ndarray) -> float:
    """Return Fleiss' kappa of a table of ``coincidences`` of documents that all judges graded."""
    total = float(table.sum())
    chance = float((table.sum(axis=0) ** 2).sum()) / total**2 if total else 1.0
    return (float(np.trace(table)) / total - chance) / (1.0 - chance) if chance < 1.0 else math.nan


def jackknife(
    tables: np.ndarray, of: Callable[[np.ndarray], float], confidence: float = 0.95
) -> tuple[float, tuple[float, float]]:
    """Return a coefficient of agreement and its interval, by leaving out one part at a time.

    Args:
        tables: of the queries, or of groups of them.
        of: the coefficient of a sum of tables.
        confidence: of the interval.

    Returns:
        The coefficient, and the ends of the interval, at least -1 and at most 1; NaN if there are
        fewer than two tables, or if the coefficient has no value without one of them.
    """
    n, total = len(tables), tables.sum(axis=0)
    value = of(total)
    if n < 2:
        return value, (math.nan, math.nan)
    variance = (n - 1.0) * float(np.array([of(total - own) for own in tables]).var())
    reach = t_quantile(0.5 + 0.5 * confidence, n - 1.0) * math.sqrt(variance)
    if math.isnan(reach + value):
        return value, (math.nan, math.nan)
    return value, (max(value - reach, -1.0), min(value + reach, 1.0))


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
