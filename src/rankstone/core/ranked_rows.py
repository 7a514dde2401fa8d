"""Rankings whose columns are arrays: what a join makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.core.cutoff import Cuts
from rankstone.core.lazy import lazy
from rankstone.core.ranked import Ranked, Sample, StatedPreferences, Task, on_parts, parts_of
from rankstone.core.subtopics import Subtopics

Array = np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedRows(Ranked):
    """A ranking whose columns are plain arrays."""

    has_small_grades = False

    queries: list[Any]
    offsets: Array
    rank: Array
    grade: Array
    original_grade: Array
    score: Array
    judgment: Array
    above: Array
    tied: Array
    retrieved: Array
    judged_offsets: Array
    judged_grade: Array
    max_grade: float
    conventions: Conventions
    rule: str
    width: int | None = None
    pooled: Array | None = None
    pooled_offsets: Array | None = None
    preferences: tuple[StatedPreferences, ...] | None = None
    subtopics: Subtopics | None = None
    has_repeats: bool = False
    has_scores: bool = True
    all_judged: bool = False
    strangers: Callable[[int | None], Mapping[Any, Array]] | None = None
    cuts: Cuts | None = None
    samples: Mapping[Any, Sample] | None = None
    part_of: Ranked | None = field(default=None, repr=False)
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def whole(self) -> Ranked:
        """The ranking of all queries, of which this may be a part."""
        return self if self.part_of is None else self.part_of

    @lazy
    def has_ties(self) -> bool:
        """Whether a judged document shares its score with another."""
        return bool((self.tied > 1).any())

    def by_query(self, task: Task) -> list[Array]:
        """Return the columns that a task makes of some queries, for all, on all cores."""
        if len(parts_of(self.judged_offsets)) == 1:
            return super().by_query(task)

        def work(ends: tuple[int, int]) -> list[Array]:
            part = self._part(*ends)
            columns = task(part)
            part.clear_cache()
            return columns

        return on_parts(work, self.judged_offsets)

    def _part(self, begin: int, end: int) -> RankedRows:
        """Return the ranking of the queries from begin to end."""

        def cut(values: Array, bounds: Array) -> Array:
            return values[bounds[begin] : bounds[end]]

        def moved(bounds: Array) -> Array:
            return bounds[begin : end + 1] - bounds[begin]

        pooled, pooled_offsets = self.pooled, self.pooled_offsets
        if pooled is not None and pooled_offsets is not None:
            pooled, pooled_offsets = cut(pooled, pooled_offsets), moved(pooled_offsets)
        return replace(
            self,
            queries=self.queries[begin:end],
            offsets=moved(self.offsets),
            rank=cut(self.rank, self.offsets),
            grade=cut(self.grade, self.offsets),
            original_grade=cut(self.original_grade, self.offsets),
            score=cut(self.score, self.offsets),
            judgment=cut(self.judgment, self.offsets),
            above=cut(self.above, self.offsets),
            tied=cut(self.tied, self.offsets),
            retrieved=self.retrieved[begin:end],
            judged_offsets=moved(self.judged_offsets),
            judged_grade=cut(self.judged_grade, self.judged_offsets),
            pooled=pooled,
            pooled_offsets=pooled_offsets,
            preferences=None if self.preferences is None else self.preferences[begin:end],
            part_of=self,
        )


def rows_of(ranked: Ranked) -> RankedRows:
    """Return the same ranking with every column computed."""
    return RankedRows(
        queries=ranked.queries,
        offsets=ranked.offsets,
        rank=ranked.rank,
        grade=ranked.grade,
        original_grade=ranked.original_grade,
        score=ranked.score,
        judgment=ranked.judgment,
        above=ranked.above,
        tied=ranked.tied,
        retrieved=ranked.retrieved,
        judged_offsets=ranked.judged_offsets,
        judged_grade=ranked.judged_grade,
        max_grade=ranked.max_grade,
        conventions=ranked.conventions,
        rule=ranked.rule,
        pooled=ranked.pooled,
        pooled_offsets=ranked.pooled_offsets,
        preferences=ranked.preferences,
        subtopics=ranked.subtopics,
        has_repeats=ranked.has_repeats,
        has_scores=ranked.has_scores,
        strangers=ranked.strangers,
        cuts=ranked.cuts,
        samples=ranked.samples,
        part_of=None if ranked.whole is ranked else ranked.whole,
    )


def concatenated(parts: Sequence[RankedRows]) -> RankedRows:
    """Return the rankings of several sets of queries, under the same conventions, as one."""

    def joined(name: str) -> Array:
        return np.concatenate([getattr(part, name) for part in parts])

    pooled = [part.pooled for part in parts if part.pooled is not None]
    return RankedRows(
        queries=[query for part in parts for query in part.queries],
        offsets=_joined_offsets([part.offsets for part in parts]),
        rank=joined("rank"),
        grade=joined("grade"),
        original_grade=joined("original_grade"),
        score=joined("score"),
        judgment=joined("judgment"),
        above=joined("above"),
        tied=joined("tied"),
        retrieved=joined("retrieved"),
        judged_offsets=_joined_offsets([part.judged_offsets for part in parts]),
        judged_grade=joined("judged_grade"),
        max_grade=max(part.max_grade for part in parts),
        conventions=parts[0].conventions,
        rule=parts[0].rule,
        has_repeats=any(part.has_repeats for part in parts),
        pooled=np.concatenate(pooled) if pooled else None,
        pooled_offsets=_joined_offsets([_pooled_offsets(p) for p in parts]) if pooled else None,
    )


def _pooled_offsets(ranked: RankedRows) -> Array:
    if ranked.pooled_offsets is None:
        return np.zeros(len(ranked) + 1, np.int64)
    return ranked.pooled_offsets


def _joined_offsets(parts: Sequence[Array]) -> Array:
    return segments.offsets_of(np.concatenate([segments.lengths(offsets) for offsets in parts]))
