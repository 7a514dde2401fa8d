"""Agreement of judges on grades, beyond what chance gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rankstone.core.shown import Shown
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen
from rankstone.stats.distributions import t_quantile

Grades = np.ndarray | Sequence[float]


@frozen(eq=False)
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


def kappa_of(counts: np.ndarray, power: int = 0) -> float:
    """Return Cohen's kappa of a table of ``confusions``: 1 - observed / expected disagreement.

    Chance keeps how often each judge gives each grade. If both give all documents one and the same
    grade, kappa is NaN.

    Args:
        counts: how often each grade of the first judge meets each of the second.
        power: how much a disagreement counts: the number of grades between, to this power.
    """
    grade = np.arange(len(counts))
    distance = np.abs(grade[:, None] - grade)
    cost = np.where(distance > 0, distance**power, 0)
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / float(counts.sum())
    expected = float((cost * chance).sum())
    return 1.0 - float((cost * counts).sum()) / expected if expected else math.nan


def coincidences(ratings: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Return a table of pairs of grades for each part of the documents.

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
    return np.array(tables)


def alpha_of(table: np.ndarray) -> float:
    """Return Krippendorff's alpha, for ordered grades, of a table of ``coincidences``.

    It is 1 - observed / expected disagreement, which counts by the square of the number of grades
    given between the two; NaN if all grades are the same.
    """
    totals = table.sum(axis=0)
    position = np.cumsum(totals) - 0.5 * totals
    distance = (position[:, None] - position) ** 2
    expected = float(totals @ distance @ totals) / (float(totals.sum()) - 1.0)
    return 1.0 - float((table * distance).sum()) / expected if expected else math.nan


def fleiss_of(table: np.ndarray) -> float:
    """Return Fleiss' kappa of a table of ``coincidences`` of documents that all judges graded.

    Grades are equal or not, and judges interchangeable.
    """
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
