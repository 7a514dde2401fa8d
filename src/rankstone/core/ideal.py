"""Rankings to compare others with: the best order of their documents, or the best of all grades."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.lazy import lazy
from rankstone.core.ranked import Ranked
from rankstone.core.ranked_rows import RankedRows, rows_of

Array = np.ndarray


def ideal_of(ranked: Ranked, gain: Array | None, source: str = "judged") -> Ranked:
    """Return the ranking by falling gain of the judged documents, or of the ``retrieved``.

    ``gain`` has an entry for each row of ``judged_grade``, or of ``grade``; None if the gain
    rises with the grade.
    """
    if source == "judged":
        offsets, grade = ranked.judged_offsets, ranked.judged_grade
    else:
        offsets, grade = ranked.offsets, ranked.grade
    if gain is not None:
        grade = grade[segments.falling_order(gain, offsets)]
    elif source != "judged":
        grade, _ = segments.falling_values(grade, offsets)
    return IdealRanking(grade, offsets, ranked, ranked.width)


def constant(ranked: Ranked, k: int | None, grade: float) -> RankedRows:
    """Return a ranking of k documents of one grade for every query.

    Without k it has as many documents as were retrieved.
    """
    sizes = ranked.retrieved if k is None else np.full(len(ranked), k)
    offsets = segments.offsets_of(sizes)
    rank = segments.positions(offsets) + 1
    return replace(
        rows_of(ranked),
        offsets=offsets,
        rank=rank,
        grade=np.full(len(rank), grade),
        original_grade=np.full(len(rank), grade),
        score=-rank.astype(np.float64),
        judgment=np.full(len(rank), -1),
        above=rank - 1,
        tied=np.ones(len(rank), np.int64),
    )


class IdealRanking(Ranked):
    """Documents for the queries of another ranking, from their grades by rank, without ties."""

    rule = "input"
    pooled = None
    pooled_offsets = None
    preferences = None
    subtopics = None
    has_repeats = False
    has_ties = False

    def __init__(
        self, grade: Array, offsets: Array, actual: Ranked, width: int | None = None
    ) -> None:
        self.grade = self.original_grade = grade
        self.offsets = offsets
        self.width = width
        self.conventions = actual.conventions
        self._actual = actual
        self._cache = {}

    @property
    def has_small_grades(self) -> bool:  # type: ignore[override]
        """Whether all grades are known to be whole numbers from 0 to 255."""
        return self._actual.has_small_grades

    @lazy
    def rank(self) -> Array:
        """The ranks."""
        return segments.positions(self.offsets) + 1

    @lazy
    def above(self) -> Array:
        """The number of documents before each."""
        return self.rank - 1

    @lazy
    def tied(self) -> Array:
        """1 for each document."""
        return np.ones(len(self.rank), np.int64)

    @lazy
    def score(self) -> Array:
        """Scores in the order of the ranks."""
        return -self.rank.astype(np.float64)

    @lazy
    def judgment(self) -> Array:
        """Each document's position in its list."""
        return self.above

    @lazy
    def queries(self) -> list[Any]:
        """The queries of the actual ranking."""
        return self._actual.queries

    @lazy
    def retrieved(self) -> Array:
        """The number of documents that the actual ranking retrieved."""
        return self._actual.retrieved

    @lazy
    def judged_offsets(self) -> Array:
        """Where the judged grades of each query begin."""
        return self._actual.judged_offsets

    @lazy
    def judged_grade(self) -> Array:
        """The judged grades of each query, highest first."""
        return self._actual.judged_grade

    @lazy
    def max_grade(self) -> float:
        """The highest grade, at least 0."""
        return self._actual.max_grade
