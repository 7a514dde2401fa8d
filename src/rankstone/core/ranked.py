"""Ranks and grades: all that measures see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.core.cutoff import Cuts
from rankstone.core.parallel import on_each
from rankstone.core.subtopics import Subtopics
from rankstone.core.tie_breaking import tie_extreme
from rankstone.frozen import frozen

if TYPE_CHECKING:
    from rankstone.core.items import ItemLists


class _Lazy:
    """Computes an attribute on first access; unlike cached_property it never waits for a lock."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


def lazy(compute: Callable[[Any], T]) -> T:
    """Make a method an attribute that is computed on first access; to mypy it is that attribute."""
    return cast("T", _Lazy(compute))


T = TypeVar("T")
Array = np.ndarray

#: Makes columns with a value for each query.
Task = Callable[["Ranked"], list[Array]]

_BLOCK = 1 << 18  # documents of a part; a processor's cache holds it


@frozen(eq=False)
class StatedPreferences:
    """Preference levels of one query's documents, one row per assessment.

    ``place`` indexes the assessed documents: retrieved ones by rank, then the rest.
    ``group`` is trec_eval's judgment group, ``sitting`` its subgroup; levels of different
    sittings are comparable only through documents they share.
    """

    place: Array
    group: Array
    sitting: Array
    level: Array


class Sample(NamedTuple):
    """The listed documents of a query, of which some were drawn and judged.

    ``rank``, ``grade``, ``judged`` and ``probability`` are those of the retrieved ones by rank;
    ``judged_grade`` and ``judged_probability`` belong to all that were judged.
    """

    rank: Array
    grade: Array
    judged: Array
    probability: Array
    judged_grade: Array
    judged_probability: Array


@frozen(eq=False, repr=False, kw_only=True)
class Ranked:
    """The judged documents of each query that were retrieved, in order of rank.

    Rows ``offsets[q]:offsets[q + 1]`` of ``rank``, ``grade``, ``score`` and ``judgment`` belong
    to query q; ``above`` documents have a higher score than a row's and ``tied`` the same, itself
    included; ``original_grade`` is a row's grade in the judgments, whatever its score. Rows
    ``judged_offsets[q]:judged_offsets[q + 1]`` of ``judged_grade`` are the grades
    of all its judged documents, highest first, retrieved or not. ``pooled`` holds the ranks of
    documents that are listed in the judgments without a judgment (a grade below 0), and
    ``pooled_offsets`` their offsets. ``subtopics`` holds grades by subtopic of the documents that
    ``judgment`` numbers, if they were judged by subtopic. If every query retrieved the same number of documents, all
    judged, ``width`` is that number: the rows are a table with a column for each rank. ``strangers``
    returns the ranks, down to k, of each query's documents that are judged for no query, if known.
    ``cuts`` say where lists end, if cutoffs are not all ranks of documents. ``shown`` returns the first
    items of lists, judged or not, down to k, if documents have ids.
    ``samples`` hold, by query, what was drawn to be judged, if documents were drawn.
    """

    queries: Sequence[Any]
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
    rule: str  # the order of tied documents
    width: int | None = None
    pooled: Array | None = None
    pooled_offsets: Array | None = None
    preferences: tuple[StatedPreferences, ...] | None = None
    subtopics: Subtopics | None = None
    has_repeats: bool = False  # some documents have more than one rank
    has_scores: bool = True  # scores decide the order, or position alone
    all_judged: bool = False  # every retrieved document is known to have a judgment
    strangers: Callable[[int | None], Mapping[Any, Array]] | None = None
    cuts: Cuts | None = None
    shown: Callable[[int | None], ItemLists] | None = None
    samples: Mapping[Any, Sample] | None = None
    best: Array | None = None  # rows of the highest grades of each query, if these are at hand
    has_ties: bool = field(init=False)
    has_small_grades: bool = field(init=False)  # all are known to be whole numbers from 0 to 255
    _cache: dict[Any, Any] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.offsets) - 1

    @property
    def whole(self) -> Ranked:
        """The ranking of all queries, of which this may be a part."""
        return self

    @property
    def lists_all(self) -> bool:
        """Whether there is a row for each document, if all count as judged; a catalogue was counted."""
        return not self.all_judged or len(self.rank) == self.retrieved.sum()

    @property
    def ties_averaged(self) -> bool:
        """Whether values are means over the orders of tied documents, and some are tied."""
        return self.rule == "expected" and self.has_ties

    @property
    def tie_luck(self) -> int:
        """1 if tied documents are in their best order, -1 in their worst; 0 without ties."""
        luck = tie_extreme(self.rule)
        return luck if luck and self.has_ties else 0

    def by_query(self, task: Task) -> list[Array]:
        """Return the columns that a task makes of some queries, for all; caches are cleared."""
        columns = task(self)
        self.clear_cache()
        return columns

    def count_ties(self) -> tuple[int, int]:
        """Return how many rows share their score with another document, and how many rows."""
        return int((self.tied > 1).sum()) if self.has_ties else 0, int(self.offsets[-1])

    def tie_starts(self) -> Array | None:
        """Return which rows are the first of their tie; None if rows are not all documents."""
        return None

    def with_conventions(self, conventions: Conventions) -> Ranked:
        """Return the same ranking under conventions that move no document."""
        other = copy(self)
        other.__dict__["conventions"] = conventions
        return other

    def cached(self, key: Any, make: Callable[[], T]) -> T:
        """Return the result of ``make``, made once for each key."""
        if key not in self._cache:
            self._cache[key] = make()
        value: T = self._cache[key]
        return value

    def clear_cache(self) -> None:
        """Clear the cache; it refers back to this object, so memory would be freed late."""
        for value in self._cache.values():
            if isinstance(value, Ranked):
                value.clear_cache()
        self._cache.clear()

    def level(self, rel: float | None) -> float:
        """Return the lowest relevant grade: a measure's own, else the conventions'."""
        return self.conventions.relevance if rel is None else rel

    def relevant(self, rel: float | None = None) -> Array:
        """Return which of the retrieved judged documents are relevant."""
        level = self.level(rel)
        return self.cached(("relevant", level), lambda: self.grade >= level)

    def hits(self, rel: float | None = None) -> Array:
        """Return, for each row, the number of relevant documents at its rank or above."""
        return self.cached(
            ("hits", self.level(rel)),
            lambda: segments.running_count(self.relevant(rel), self.offsets),
        )

    def relevant_count(self, rel: float | None = None) -> Array:
        """Return R, the number of relevant documents of each query, retrieved or not."""
        level = self.level(rel)
        return self.cached(("relevant_count", level), lambda: self._count_from(level))

    def _count_from(self, level: float) -> Array:
        return segments.count(self.judged_grade >= level, self.judged_offsets)

    def counts(self, k: int) -> list[Array]:
        """Return how many rows of each query are relevant, and how many are down to rank k."""
        return [
            segments.count(self.relevant(), self.offsets),
            segments.count(self.rank <= k, self.offsets),
        ]

    def highest(self) -> Array:
        """Return the highest judged grade of each query, retrieved or not; -inf without one."""
        return self.cached("highest", self._highest)

    def _highest(self) -> Array:
        sizes = segments.lengths(self.judged_offsets)
        highest = np.full(len(self), -np.inf)
        filled = np.flatnonzero(sizes)
        highest[filled] = self.judged_grade[self.judged_offsets[filled]]
        return highest

    def depth(self, k: int | None) -> Array:
        """Return how many documents were retrieved, at most k."""
        return self.retrieved if k is None else np.minimum(self.retrieved, k)

    def first_occurrence(self) -> Array:
        """Return which rows are not repetitions of a document further up."""
        first = np.ones(len(self.rank), bool)
        if self.has_repeats:
            keys = np.stack((segments.numbers(self.offsets), self.judgment))
            first[:] = False
            first[np.unique(keys, axis=1, return_index=True)[1]] = True
        return first

    def pooled_above(self) -> Array:
        """Return, for each row, how many pooled documents without a judgment rank above it."""
        if self.pooled is None or self.pooled_offsets is None or not len(self.pooled):
            return np.zeros(len(self.rank), np.int64)
        deepest = 1 + max(int(self.rank.max(initial=0)), int(self.pooled.max()))
        keys = segments.numbers(self.pooled_offsets) * deepest + self.pooled
        query = segments.numbers(self.offsets)
        place = np.searchsorted(keys, query * deepest + self.rank)
        return place - self.pooled_offsets[query]


def parts_of(bounds: Array) -> list[tuple[int, int]]:
    """Return begin and end of parts of the queries that a processor's cache holds."""
    last, size = len(bounds) - 1, int(bounds[-1])
    if size < 2 * _BLOCK or last < 2:
        return [(0, last)]
    marks = bounds.searchsorted(np.arange(0, size, _BLOCK)).tolist()
    return list(pairwise(sorted({*marks, last})))  # np.unique would load np.ma


def on_parts(work: Callable[[tuple[int, int]], list[Array]], bounds: Array) -> list[Array]:
    """Return the columns that work makes of each part of the queries, one after the other."""
    parts = on_each(work, parts_of(bounds))
    if len(parts) == 1:
        return parts[0]
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]
