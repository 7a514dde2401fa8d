"""Ranks and grades: all that measures see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.ranked_table import Lists
from rankstone.core.tie_breaking import before_by_gain, luck_of

T = TypeVar("T")
Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Said:
    """Levels given to documents of one query, one row for each time a document was given one.

    ``place`` is the document's place among all of which something was said, the retrieved ones
    first, by rank. ``group`` tells who said it; what was said in different ``sitting``s of one
    group is comparable by way of documents they share.
    """

    place: Array
    group: Array
    sitting: Array
    level: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked:
    """Where the judged documents of each query stand, in order of rank.

    Rows ``offsets[q]:offsets[q + 1]`` of ``rank``, ``grade`` and ``judgment`` are the judged
    documents that query q retrieved; ``above`` documents have a higher score than a row's and
    ``tied`` the same, itself included; ``original_grade`` is a row's grade in the judgments, whatever
    its score. Rows ``judged_offsets[q]:judged_offsets[q + 1]`` of
    ``judged_grade`` are all its judged grades, highest first, retrieved or not. ``pooled`` are
    the ranks of documents that stand in the judgments without a judgment (a grade below 0), and
    ``pooled_offsets`` theirs; ``preferences`` are what people said beyond grades. Where every
    query retrieved the same number of documents, all judged, ``width`` is that number: the rows
    are a table with a column for each rank.

    A Ranked made of lists works its columns out when they are first asked for. ``whole`` is the
    ranking it is a part of, None where it is whole itself.
    """

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
    width: int | None = None
    lists: Lists | None = field(default=None, repr=False)
    whole: Ranked | None = field(default=None, repr=False)
    pooled: Array | None = None
    pooled_offsets: Array | None = None
    preferences: tuple[Said, ...] | None = None
    _memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, lists: Lists, conventions: Conventions, **known: Any) -> Ranked:
        """Return the ranking of lists; ``known`` are columns that need no working out."""
        self = cls.__new__(cls)
        self.__dict__.update(
            lists=lists, conventions=conventions, width=lists.width, _memo={}, **known
        )
        self.__dict__.update(lists.pooled())
        return self

    def __getattr__(self, name: str) -> Any:
        """Return a column of the lists, which is worked out now."""
        lists = self.__dict__.get("lists")
        column = None if name.startswith("_") else getattr(lists, name, None)
        if column is None:
            raise AttributeError(f"a Ranked has no {name!r}")
        value = self.__dict__[name] = column()
        return value

    def parts(self) -> list[tuple[int, int]]:
        """Return begin and end of parts of the queries, so small that work on each is quick."""
        return [(0, len(self))] if self.lists is None else self.lists.parts()

    def part(self, begin: int, end: int) -> Ranked:
        """Return some of the queries, of a ranking made of lists; or all."""
        if self.lists is None or end - begin == len(self):
            return self
        return Ranked.of(
            self.lists.part(begin, end),
            self.conventions,
            queries=self.queries[begin:end],
            max_grade=self.max_grade,
            whole=self,
        )

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.offsets) - 1

    @property
    def ties_averaged(self) -> bool:
        """Whether values are means over all orders of documents that share their score."""
        return self.conventions.ties == "expected" and self.once("has_ties", self._has_ties)

    @property
    def tie_luck(self) -> int:
        """1 if tied documents are to be in their best order, -1 in their worst; 0 without ties."""
        luck = luck_of(self.conventions.ties)
        return luck if luck and self.once("has_ties", self._has_ties) else 0

    def _has_ties(self) -> bool:
        return bool((self.tied > 1).any()) if self.lists is None else self.lists.has_ties

    @property
    def has_small_grades(self) -> bool:
        """Whether all grades are known to be whole numbers from 0 to 255."""
        return self.lists is not None and self.lists.are_small

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Return what ``make`` returns, made once for each key."""
        if key not in self._memo:
            self._memo[key] = make()
        value: T = self._memo[key]
        return value

    def forget(self) -> None:
        """Let go of what is remembered. It refers back here, so memory would be freed late."""
        for held in self._memo.values():
            if isinstance(held, Ranked):
                held.forget()
        self._memo.clear()

    def level(self, rel: float | None) -> float:
        """Return the lowest relevant grade: a measure's own, else the conventions'."""
        return self.conventions.relevance if rel is None else rel

    def relevant(self, rel: float | None = None) -> Array:
        """Return which of the retrieved judged documents are relevant."""
        level = self.level(rel)
        return self.once(("relevant", level), lambda: self.grade >= level)

    def hits(self, rel: float | None = None) -> Array:
        """Return, for each row, how many relevant documents stand at its rank or above."""
        return self.once(
            ("hits", self.level(rel)),
            lambda: segments.running_count(self.relevant(rel), self.offsets),
        )

    def relevant_count(self, rel: float | None = None) -> Array:
        """Return R, the number of relevant documents of each query, retrieved or not."""
        level = self.level(rel)
        return self.once(("relevant_count", level), lambda: self._count_from(level))

    def _count_from(self, level: float) -> Array:
        if self.lists is not None:  # as they were given: counting needs no order
            return segments.count(self.lists.grades >= level, self.lists.bounds)
        return segments.count(self.judged_grade >= level, self.judged_offsets)

    def highest(self) -> Array:
        """Return the highest judged grade of each query, retrieved or not; -inf without one."""
        return self.once("highest", self._highest)

    def _highest(self) -> Array:
        if self.lists is not None and self.width:
            if "judged_grade" in self.__dict__:
                return self.judged_grade[:: self.width]
            return self.lists.grades.reshape(-1, self.width).max(axis=1)
        sizes = segments.lengths(self.judged_offsets)
        highest = np.full(len(self), -np.inf)
        highest[sizes > 0] = self.judged_grade[self.judged_offsets[:-1][sizes > 0]]
        return highest

    def depth(self, k: int | None) -> Array:
        """Return how many documents were retrieved, at most k."""
        return self.retrieved if k is None else np.minimum(self.retrieved, k)

    def pooled_above(self) -> Array:
        """Return, for each row, how many pooled documents without a judgment stand above it."""
        if self.pooled is None or self.pooled_offsets is None or not len(self.pooled):
            return np.zeros(len(self.rank), np.int64)
        deepest = 1 + max(int(self.rank.max(initial=0)), int(self.pooled.max()))
        keys = segments.numbers(self.pooled_offsets) * deepest + self.pooled
        query = segments.numbers(self.offsets)
        found = np.searchsorted(keys, query * deepest + self.rank)
        return found - self.pooled_offsets[query]

    def first(self, n: int) -> Ranked:
        """Return the ranking cut off after n documents, as if no more had been retrieved."""
        kept = self.rank <= n
        pooled, pooled_offsets = self.pooled, self.pooled_offsets
        if pooled is not None and pooled_offsets is not None:
            pooled_offsets = segments.keep(pooled <= n, pooled_offsets)
            pooled = pooled[pooled <= n]
        columns = ("rank", "grade", "original_grade", "score", "judgment", "above", "tied")
        return replace(
            self,
            offsets=segments.keep(kept, self.offsets),
            retrieved=np.minimum(self.retrieved, n),
            pooled=pooled,
            pooled_offsets=pooled_offsets,
            width=None,
            lists=None,
            _memo={},
            **{name: getattr(self, name)[kept] for name in columns},
        )

    def with_ties_by(self, gain: Array, unjudged_gain: float) -> Ranked:
        """Return the ranking with the documents of each tie in order of what they gain.

        Best or worst first, as ``tie_luck`` says. ``gain`` has an entry for each row.
        """
        before = before_by_gain(
            self.tie_luck,
            offsets=self.offsets,
            gain=gain,
            unjudged_gain=unjudged_gain,
            grade=self.grade,
            above=self.above,
            tied=self.tied,
            judgment=self.judgment,
        )
        return self.with_ranks(self.above + 1 + before)

    def with_ranks(self, rank: Array, pooled: Array | None = None) -> Ranked:
        """Return the ranking with other ranks of its rows, and of its pooled documents."""
        order = np.lexsort((rank, segments.numbers(self.offsets)))
        columns = ("grade", "original_grade", "score", "judgment", "above", "tied")
        return replace(
            self,
            rank=rank[order],
            pooled=self.pooled if pooled is None else pooled,
            width=None,
            lists=None,
            _memo={},
            **{name: getattr(self, name)[order] for name in columns},
        )

    def condensed(self) -> Ranked:
        """Return the ranking without the documents that were not judged."""
        place = segments.positions(self.offsets)
        query = segments.numbers(self.offsets)
        first = np.ones(len(place), bool)
        first[1:] = (np.diff(query) != 0) | (np.diff(self.above) != 0)
        starts = np.flatnonzero(first)
        sizes = np.diff(np.append(starts, len(place)))
        return replace(
            self,
            rank=place + 1,
            above=np.repeat(place[starts], sizes),
            tied=np.repeat(sizes, sizes),
            retrieved=segments.lengths(self.offsets),
            lists=None,
            pooled=None,
            pooled_offsets=None,
            _memo={},
        )

    def ideal(self, worth: Array | None, source: str = "judged") -> Ranked:
        """Return the ranking of falling worth of the judged documents, or of the ``retrieved``.

        ``worth`` has an entry for each row of ``judged_grade``, or of ``grade``; None stands for
        worth that rises with the grade.
        """
        if source == "judged":
            offsets, grade = self.judged_offsets, self.judged_grade
        else:
            offsets, grade = self.offsets, self.grade
        if worth is not None:
            grade = grade[segments.falling_order(worth, offsets)]
        elif source != "judged":
            grade, _ = segments.falling_values(grade, offsets)
        return Ranked.of(_Ideal(grade, offsets, self), self.conventions)

    def filled(self, k: int | None, grade: float) -> Ranked:
        """Return a ranking of k documents of one grade, for every query.

        Without k, of as many documents as were retrieved.
        """
        sizes = self.retrieved if k is None else np.full(len(self), k)
        offsets = segments.offsets_of(sizes)
        rank = segments.positions(offsets) + 1
        return replace(
            self,
            offsets=offsets,
            rank=rank,
            grade=np.full(len(rank), grade),
            original_grade=np.full(len(rank), grade),
            score=-rank.astype(np.float64),
            judgment=np.full(len(rank), -1),
            above=rank - 1,
            tied=np.ones(len(rank), np.int64),
            width=None,
            lists=None,
            _memo={},
        )


class _Ideal(Lists):
    """The ideal order of a ranking's documents; what queries have is what they had there."""

    def __init__(self, grades: Array, offsets: Array, actual: Ranked) -> None:
        super().__init__(grades, None, offsets, "input", width=actual.width)
        self._actual = actual

    def queries(self) -> list[Any]:
        return self._actual.queries

    def retrieved(self) -> Array:
        return self._actual.retrieved

    def judged_offsets(self) -> Array:
        return self._actual.judged_offsets

    def judged_grade(self) -> Array:
        return self._actual.judged_grade

    @property
    def are_small(self) -> bool:
        return self._actual.has_small_grades

    def max_grade(self) -> float:
        return self._actual.max_grade
