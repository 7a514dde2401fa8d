"""Rankings to compare others with: the best order of their documents, or the best of all grades."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked, lazy
from rankstone.core.ranked_rows import RankedRows, rows_of

Array = np.ndarray


def ideal_of(ranked: Ranked, gain: Array | None, source: str = "judged") -> Ranked:
    """Return the ranking by falling gain of the judged documents, or of the ``retrieved``.

    ``gain`` has an entry for each row of ``judged_grade``, or of ``grade``; None if the gain
    rises with the grade. The ``best`` are the first of the judged documents.
    """
    width = ranked.width
    if source == "best" and ranked.best is not None:
        count, width = ranked.best.shape
        return IdealRanking(ranked.best.reshape(-1), np.arange(count + 1) * width, ranked, width)
    if source == "judged":
        offsets, grade = ranked.judged_offsets, ranked.judged_grade
        width = None if ranked.best is not None else width
    else:
        offsets, grade = ranked.offsets, ranked.grade
    if gain is not None:
        grade = grade[segments.falling_order(gain, offsets)]
    elif source != "judged":
        grade, _ = segments.falling_values(grade, offsets)
    return IdealRanking(grade, offsets, ranked, width)


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


def _of_actual(name: str) -> Any:
    """Return a column that an ideal ranking takes from the actual one."""
    return lazy(lambda ideal: getattr(ideal.actual, name))


class IdealRanking(Ranked):
    """Documents for the queries of another ranking, from their grades by rank, without ties."""

    rule = "input"
    has_ties = False

    def __init__(
        self, grade: Array, offsets: Array, actual: Ranked, width: int | None = None
    ) -> None:
        self.actual = actual
        own = {"grade": grade, "original_grade": grade, "offsets": offsets, "width": width}
        self.__dict__.update(own, conventions=actual.conventions, _cache={})

    @property
    def has_small_grades(self) -> bool:
        """Whether all grades are known to be whole numbers from 0 to 255."""
        return self.actual.has_small_grades

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

    def _highest(self) -> Array:
        return self.actual.highest()

    queries = _of_actual("queries")
    retrieved = _of_actual("retrieved")
    judged_offsets = _of_actual("judged_offsets")
    judged_grade = _of_actual("judged_grade")
    max_grade = _of_actual("max_grade")
