"""Ranks and grades: all that measures see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise
from typing import Any, TypeVar, cast

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.parallel import on_each
from rankstone.core.subtopics import Subtopics
from rankstone.core.tie_breaking import before_by_gain, keeps_order, luck_of, tied_before

T = TypeVar("T")
Array = np.ndarray

#: Makes columns with a value for each query.
Task = Callable[["Ranked"], list[Array]]

_BLOCK = 1 << 18  # documents of a part; a processor's cache holds it


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


@dataclass(frozen=True, eq=False)
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
    judged, ``width`` is that number: the rows are a table with a column for each rank.
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
    rule: str  # the order of tied documents
    width: int | None
    pooled: Array | None
    pooled_offsets: Array | None
    preferences: tuple[StatedPreferences, ...] | None
    subtopics: Subtopics | None
    has_repeats: bool  # some documents have more than one rank
    has_ties: bool
    has_small_grades: bool  # all grades are known to be whole numbers from 0 to 255
    _cache: dict[Any, Any]

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.offsets) - 1

    @property
    def whole(self) -> Ranked:
        """The ranking of all queries, of which this may be a part."""
        return self

    @property
    def ties_averaged(self) -> bool:
        """Whether values are means over the orders of tied documents, and some are tied."""
        return self.rule == "expected" and self.has_ties

    @property
    def tie_luck(self) -> int:
        """1 if tied documents are in their best order, -1 in their worst; 0 without ties."""
        luck = luck_of(self.rule)
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
        """Return what ``make`` returns, made once for each key."""
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

    def highest(self) -> Array:
        """Return the highest judged grade of each query, retrieved or not; -inf without one."""
        return self.cached("highest", self._highest)

    def _highest(self) -> Array:
        sizes = segments.lengths(self.judged_offsets)
        highest = np.full(len(self), -np.inf)
        highest[sizes > 0] = self.judged_grade[self.judged_offsets[:-1][sizes > 0]]
        return highest

    def depth(self, k: int | None) -> Array:
        """Return how many documents were retrieved, at most k."""
        return self.retrieved if k is None else np.minimum(self.retrieved, k)

    def pooled_above(self) -> Array:
        """Return, for each row, how many pooled documents without a judgment rank above it."""
        if self.pooled is None or self.pooled_offsets is None or not len(self.pooled):
            return np.zeros(len(self.rank), np.int64)
        deepest = 1 + max(int(self.rank.max(initial=0)), int(self.pooled.max()))
        keys = segments.numbers(self.pooled_offsets) * deepest + self.pooled
        query = segments.numbers(self.offsets)
        place = np.searchsorted(keys, query * deepest + self.rank)
        return place - self.pooled_offsets[query]

    def rows(self) -> RankedRows:
        """Return the same ranking with every column computed."""
        return RankedRows(
            queries=self.queries,
            offsets=self.offsets,
            rank=self.rank,
            grade=self.grade,
            original_grade=self.original_grade,
            score=self.score,
            judgment=self.judgment,
            above=self.above,
            tied=self.tied,
            retrieved=self.retrieved,
            judged_offsets=self.judged_offsets,
            judged_grade=self.judged_grade,
            max_grade=self.max_grade,
            conventions=self.conventions,
            rule=self.rule,
            pooled=self.pooled,
            pooled_offsets=self.pooled_offsets,
            preferences=self.preferences,
            subtopics=self.subtopics,
            has_repeats=self.has_repeats,
            part_of=None if self.whole is self else self.whole,
        )

    def truncated(self, n: int) -> Ranked:
        """Return the ranking cut off after n documents, as if no more had been retrieved."""
        within = self.rank <= n
        pooled, pooled_offsets = self.pooled, self.pooled_offsets
        if pooled is not None and pooled_offsets is not None:
            pooled_offsets = segments.keep(pooled <= n, pooled_offsets)
            pooled = pooled[pooled <= n]
        columns = ("rank", "grade", "original_grade", "score", "judgment", "above", "tied")
        return replace(
            self.rows(),
            offsets=segments.keep(within, self.offsets),
            retrieved=np.minimum(self.retrieved, n),
            pooled=pooled,
            pooled_offsets=pooled_offsets,
            **{name: getattr(self, name)[within] for name in columns},
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
            self.rows(),
            rank=rank[order],
            pooled=self.pooled if pooled is None else pooled,
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
            self.rows(),
            rank=place + 1,
            above=np.repeat(place[starts], sizes),
            tied=np.repeat(sizes, sizes),
            retrieved=segments.lengths(self.offsets),
            pooled=None,
            pooled_offsets=None,
            width=self.width,
        )

    def select(self, chosen: Array) -> Ranked:
        """Return the ranking of the chosen queries."""
        rows = np.repeat(chosen, segments.lengths(self.offsets))
        judged = np.repeat(chosen, segments.lengths(self.judged_offsets))
        pooled, pooled_offsets, preferences = self.pooled, self.pooled_offsets, self.preferences
        if pooled is not None and pooled_offsets is not None:
            lengths = segments.lengths(pooled_offsets)
            pooled = pooled[np.repeat(chosen, lengths)]
            pooled_offsets = segments.offsets_of(lengths[chosen])
        keep = chosen.tolist()
        if preferences is not None:
            preferences = tuple(p for p, kept in zip(preferences, keep, strict=True) if kept)
        columns = ("rank", "grade", "original_grade", "score", "judgment", "above", "tied")
        return replace(
            self.rows(),
            queries=[q for q, kept in zip(self.queries, keep, strict=True) if kept],
            offsets=segments.offsets_of(segments.lengths(self.offsets)[chosen]),
            retrieved=self.retrieved[chosen],
            judged_offsets=segments.offsets_of(segments.lengths(self.judged_offsets)[chosen]),
            judged_grade=self.judged_grade[judged],
            pooled=pooled,
            pooled_offsets=pooled_offsets,
            preferences=preferences,
            subtopics=self.subtopics and self.subtopics.select(chosen),
            **{name: getattr(self, name)[rows] for name in columns},
        )

    def ideal(self, gain: Array | None, source: str = "judged") -> Ranked:
        """Return the ranking by falling gain of the judged documents, or of the ``retrieved``.

        ``gain`` has an entry for each row of ``judged_grade``, or of ``grade``; None if the gain
        rises with the grade.
        """
        if source == "judged":
            offsets, grade = self.judged_offsets, self.judged_grade
        else:
            offsets, grade = self.offsets, self.grade
        if gain is not None:
            grade = grade[segments.falling_order(gain, offsets)]
        elif source != "judged":
            grade, _ = segments.falling_values(grade, offsets)
        return _IdealTable(grade, offsets, self, self.width)

    def listed(self, grade: Array, offsets: Array) -> Ranked:
        """Return a ranking of other documents for the same queries, from their grades by rank."""
        return _IdealTable(grade, offsets, self, None)

    def constant(self, k: int | None, grade: float) -> Ranked:
        """Return a ranking of k documents of one grade for every query.

        Without k it has as many documents as were retrieved.
        """
        sizes = self.retrieved if k is None else np.full(len(self), k)
        offsets = segments.offsets_of(sizes)
        rank = segments.positions(offsets) + 1
        return replace(
            self.rows(),
            offsets=offsets,
            rank=rank,
            grade=np.full(len(rank), grade),
            original_grade=np.full(len(rank), grade),
            score=-rank.astype(np.float64),
            judgment=np.full(len(rank), -1),
            above=rank - 1,
            tied=np.ones(len(rank), np.int64),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedRows(Ranked):
    """A ranking whose columns are plain arrays."""

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
    part_of: Ranked | None = field(default=None, repr=False)
    has_small_grades: bool = field(default=False, init=False)
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
        parts = parts_of(self.judged_offsets)
        if len(parts) == 1:
            return super().by_query(task)

        def work(ends: tuple[int, int]) -> list[Array]:
            part = self._part(*ends)
            columns = task(part)
            part.clear_cache()
            return columns

        return _one_after_the_other(on_each(work, parts))

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


def _one_after_the_other(parts: list[list[Array]]) -> list[Array]:
    if len(parts) == 1:
        return parts[0]
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def parts_of(bounds: Array) -> list[tuple[int, int]]:
    """Return begin and end of parts of the queries that a processor's cache holds."""
    last, size = len(bounds) - 1, int(bounds[-1])
    if size < 2 * _BLOCK or last < 2:
        return [(0, last)]
    marks = np.arange(0, size, _BLOCK)
    return list(pairwise(np.unique(np.append(bounds.searchsorted(marks), last)).tolist()))


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


class RankedTable(Ranked):
    """A ranking of lists of grades and scores; its columns are computed on first access.

    List q is ``bounds[q]:bounds[q + 1]`` of ``grades`` and ``scores``; without scores documents
    are in order of rank. ``judged`` masks the documents that have a grade, None if all have.
    ``retrieved_grades`` are the grades that documents have in their list, if they differ from
    their grades among the judgments. ``rule`` orders tied documents.
    """

    pooled: Array | None = None
    pooled_offsets: Array | None = None
    preferences = None
    subtopics = None
    has_repeats = False

    def __init__(
        self,
        grades: Array,
        scores: Array | None,
        bounds: Array,
        conventions: Conventions,
        *,
        rule: str = "input",
        judged: Array | None = None,
        width: int | None = None,
        retrieved_grades: Array | None = None,
        queries: list[Any] | None = None,
        whole: RankedTable | None = None,
    ) -> None:
        self.grades = grades
        self.retrieved_grades = grades if retrieved_grades is None else retrieved_grades
        self.scores = scores
        self.bounds = bounds
        self.conventions = conventions
        self.rule = rule
        self.judged = judged
        self.width = None if judged is not None else width
        self._whole = whole
        self._tie_counts: dict[int, tuple[int, int]] = {}
        self._cache = {}
        self._has_small_grades = False
        if queries is not None:
            self.queries = queries
        if judged is not None and (negative := grades < 0).any():
            self.pooled = self._place(negative)[3]
            self.pooled_offsets = segments.keep(negative, bounds)

    @property
    def whole(self) -> Ranked:
        """The ranking of all queries, of which this may be a part."""
        return self if self._whole is None else self._whole

    def _part(self, begin: int, end: int) -> RankedTable:
        if end - begin == len(self.bounds) - 1:
            return self
        first, last = self.bounds[begin].item(), self.bounds[end].item()
        return RankedTable(
            self.grades[first:last],
            None if self.scores is None else self.scores[first:last],
            self.bounds[begin : end + 1] - first,
            self.conventions,
            rule=self.rule,
            judged=None if self.judged is None else self.judged[first:last],
            width=self.width,
            retrieved_grades=self.retrieved_grades[first:last],
            queries=self.queries[begin:end],
            whole=self,
        )

    def by_query(self, task: Task) -> list[Array]:
        """Return the columns that a task makes of some queries, for all, on all cores."""

        def work(ends: tuple[int, int]) -> list[Array]:
            part = self._part(*ends)
            columns, tied = part.columns_and_ties(task)
            # Counting ties needs the order, which is at hand now.
            self._tie_counts[ends[0]] = tied, int(part.offsets[-1])
            return columns

        return _one_after_the_other(on_each(work, parts_of(self.bounds)))

    def columns_and_ties(self, task: Task) -> tuple[list[Array], int]:
        """Return a task's columns, and how many rows share their score with another document.

        Lists with ties and lists without are apart: most have none, and cost less.
        """
        some = self._has_equals
        mixed = some and not self._tied_lists.all()
        tied = self._lists(self._tied_lists) if mixed else self
        if mixed and self.rule != "input":
            columns = self._put_together(task(self._lists(~self._tied_lists)), task(tied))
        else:
            columns = task(self)
        count = Ranked.count_ties(tied)[0] if some else 0
        tied.clear_cache()
        self.clear_cache()
        return columns, count

    def _put_together(self, plain: list[Array], tied: list[Array]) -> list[Array]:
        columns = []
        for without, among in zip(plain, tied, strict=True):
            column = np.empty(len(self), np.result_type(without, among))
            column[~self._tied_lists], column[self._tied_lists] = without, among
            columns.append(column)
        return columns

    def _lists(self, mask: Array) -> RankedTable:
        """Return the ranking of some of the lists."""
        sizes = segments.lengths(self.bounds)
        rows = np.repeat(mask, sizes)
        own = self.retrieved_grades is self.grades
        table = RankedTable(
            self.grades[rows],
            None if self.scores is None else self.scores[rows],
            segments.offsets_of(sizes[mask]),
            self.conventions,
            rule=self.rule,
            judged=None if self.judged is None else self.judged[rows],
            width=self.width,
            retrieved_grades=None if own else self.retrieved_grades[rows],
            queries=list(compress(self.queries, mask.tolist())),
            whole=self if self._whole is None else self._whole,
        )
        table.__dict__["_by_score"] = self._by_score[0][rows], self._tied_lists[mask]
        return table

    def count_ties(self) -> tuple[int, int]:
        """Return how many rows share their score with another document, and how many rows."""
        parts = parts_of(self.bounds)
        if len(self._tie_counts) < len(parts):
            self.by_query(lambda _: [])
        counts = self._tie_counts.values()
        return sum(tied for tied, _ in counts), sum(rows for _, rows in counts)

    @lazy
    def _by_score(self) -> tuple[Array, Array]:
        """The retrieved grades by falling score, and in which lists documents share theirs."""
        if self.scores is None:
            return self.retrieved_grades, np.zeros(len(self.bounds) - 1, bool)
        return segments.falling_beside(self.scores, self.bounds, self.retrieved_grades)

    @property
    def _tied_lists(self) -> Array:
        """Which lists hold documents with the same score."""
        return self._by_score[1]

    @lazy
    def _has_equals(self) -> bool:
        """Whether some documents of a list have the same score."""
        return self.scores is not None and bool(self._by_score[1].any())

    @lazy
    def _order(self) -> Array:
        """All documents by falling score."""
        if self.scores is None:
            return np.arange(len(self.grades))
        return segments.falling_order(self.scores, self.bounds)

    @lazy
    def has_ties(self) -> bool:
        """Whether a judged document shares its score with another."""
        if not self._has_equals:
            return False
        return self.judged is None or bool((self._placed[2] > 1).any())

    @lazy
    def _placed(self) -> tuple[Array, Array, Array, Array]:
        """Document, documents above, documents tied and rank of each judged one, by rank."""
        return self._place(self.judged)

    @lazy
    def _tie_groups(self) -> tuple[Array, Array]:
        """Documents above and documents tied of all documents, by falling score."""
        place = segments.positions(self.bounds)
        if not self._has_equals:
            return place, np.ones(len(place), np.int64)
        starts = np.flatnonzero(self._first_of_tie())
        sizes = np.diff(starts, append=len(place))
        return np.repeat(place[starts], sizes), np.repeat(sizes, sizes)

    def _first_of_tie(self) -> Array:
        """Return, for all documents by falling score, whether none before has the same."""
        first = np.ones(len(self.grades), bool)
        if self.scores is not None and self._has_equals:
            score, _ = segments.falling_values(self.scores, self.bounds)
            first[1:] = score[1:] != score[:-1]
            first[self.bounds[:-1][segments.lengths(self.bounds) > 0]] = True
        return first

    def tie_starts(self) -> Array | None:
        """Return which rows are the first of their tie; None if rows are not all documents."""
        return self._first_of_tie() if self._in_score_order else None

    def _place(self, mask: Array | None) -> tuple[Array, Array, Array, Array]:
        """Return document, documents above, documents tied and rank of some documents, by rank."""
        order = self._order
        above, tied = self._tie_groups
        earlier = segments.positions(self.bounds) - above
        offsets = self.bounds
        if mask is not None:
            kept, offsets = mask[order], segments.keep(mask, self.bounds)
            order, above, tied, earlier = (a[kept] for a in (order, above, tied, earlier))
        if not self._has_equals:
            return order, above, tied, above + 1
        rank = (above + 1) + tied_before(
            self.rule,
            offsets=offsets,
            grade=self.retrieved_grades[order],
            above=above,
            tied=tied,
            earlier=earlier,
            judgment=order,
        )
        if keeps_order(self.rule):
            return order, above, tied, rank
        by_rank = segments.falling_order(-rank.astype(np.float64), offsets)
        return order[by_rank], above[by_rank], tied[by_rank], rank[by_rank]

    @lazy
    def _in_score_order(self) -> bool:
        """Whether all documents are judged and the order by falling score is that by rank."""
        return self.judged is None and (keeps_order(self.rule) or not self._has_equals)

    @property
    def _documents(self) -> Array:
        """The judged documents by rank."""
        return self._order if self._in_score_order else self._placed[0]

    @lazy
    def offsets(self) -> Array:
        """Where the judged documents of each list begin."""
        return self.bounds if self.judged is None else segments.keep(self.judged, self.bounds)

    @lazy
    def grade(self) -> Array:
        """The grades by rank."""
        if self._in_score_order:
            return self._by_score[0]
        return self.retrieved_grades[self._documents]

    @lazy
    def original_grade(self) -> Array:
        """The grades by rank, whatever the scores."""
        if self.retrieved_grades is self.grades:
            return self.grade
        return self.grades[self._documents]

    @lazy
    def score(self) -> Array:
        """The scores by rank."""
        if self.scores is None:
            return -self.rank.astype(np.float64)
        return self.scores[self._documents]

    @lazy
    def judgment(self) -> Array:
        """Each document's position in its list as given."""
        return self._documents - np.repeat(self.bounds[:-1], segments.lengths(self.offsets))

    @lazy
    def rank(self) -> Array:
        """The ranks."""
        if self._in_score_order:
            return segments.positions(self.bounds) + 1
        return self._placed[3]

    @lazy
    def above(self) -> Array:
        """The number of documents with a higher score."""
        return self._tie_groups[0] if self._in_score_order else self._placed[1]

    @lazy
    def tied(self) -> Array:
        """The number of documents with the same score."""
        return self._tie_groups[1] if self._in_score_order else self._placed[2]

    @lazy
    def retrieved(self) -> Array:
        """The lengths of the lists."""
        return segments.lengths(self.bounds)

    @lazy
    def judged_offsets(self) -> Array:
        """Where the grades of each list begin."""
        return self.offsets

    @lazy
    def judged_grade(self) -> Array:
        """The grades of each list, highest first."""
        grades = self.grades if self.judged is None else self.grades[self.judged]
        falling, self._has_small_grades = segments.falling_values(grades, self.offsets)
        return falling

    @property
    def has_small_grades(self) -> bool:  # type: ignore[override]
        """Whether all grades are known to be whole numbers from 0 to 255."""
        return self._has_small_grades

    @lazy
    def max_grade(self) -> float:
        """The highest grade of all queries, at least 0."""
        if self._whole is not None:
            return self._whole.max_grade
        grades = self.grades if self.judged is None else self.grades[self.judged]
        return float(grades.max(initial=0.0))

    @lazy
    def queries(self) -> list[Any]:
        """The numbers of the lists."""
        return list(range(len(self.bounds) - 1))

    def _count_from(self, level: float) -> Array:
        return segments.count(self.grades >= level, self.bounds)  # counting needs no order

    def _highest(self) -> Array:
        if not self.width:
            return super()._highest()
        if "judged_grade" in self.__dict__:
            return self.judged_grade[:: self.width]
        return self.grades.reshape(-1, self.width).max(axis=1)


class _IdealTable(RankedTable):
    """The ideal order of a ranking's documents; the queries and their judgments are its own."""

    def __init__(self, grades: Array, offsets: Array, actual: Ranked, width: int | None) -> None:
        super().__init__(grades, None, offsets, actual.conventions, width=width)
        self._actual = actual

    @property
    def has_small_grades(self) -> bool:  # type: ignore[override]
        """Whether all grades are known to be whole numbers from 0 to 255."""
        return self._actual.has_small_grades

    @lazy
    def queries(self) -> list[Any]:
        """The queries of the ranking."""
        return self._actual.queries

    @lazy
    def retrieved(self) -> Array:
        """The number of documents that the ranking retrieved."""
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
