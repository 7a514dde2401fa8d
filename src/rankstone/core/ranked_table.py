"""Rankings of lists of grades and scores, whose columns are computed if they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.core.as_numpy import highest, numbers_of
from rankstone.core.ranked import Ranked, Task, lazy, on_parts, parts_of
from rankstone.core.tie_breaking import TiedRows, keeps_order, tied_before
from rankstone.frozen import frozen

if TYPE_CHECKING:
    from rankstone.core.rank import Documents

Array = np.ndarray


_FEW_TIED = 1 / 4  # share of the lists


class RankedTable(Ranked):
    """A ranking of lists of grades and scores; its columns are computed on first access.

    List q of the documents is ``bounds[q]:bounds[q + 1]``; without scores they are in order of rank.
    ``rule`` orders tied documents. ``whole`` is the ranking of all queries, of which this is a part.
    """

    has_small_grades = False

    def __init__(
        self,
        documents: Documents,
        conventions: Conventions,
        rule: str = "input",
        whole: RankedTable | None = None,
    ) -> None:
        self.documents = documents
        self.grades, self.scores, self.bounds = documents.grades, documents.scores, documents.bounds
        self.judged, retrieved = documents.judged, documents.retrieved_grades
        self.retrieved_grades = self.grades if retrieved is None else retrieved
        self._whole = whole
        self._tie_counts: dict[int, tuple[int, int]] = {}
        width = None if self.judged is not None else documents.width
        own = {"conventions": conventions, "rule": rule, "width": width}
        self.__dict__.update(own, queries=documents.queries, _cache={})
        if self.judged is not None and (negative := self.grades < 0).any():
            pooled, offsets = self._place(negative)[3], segments.keep(negative, self.bounds)
            self.__dict__.update(pooled=pooled, pooled_offsets=offsets)

    @property
    def whole(self) -> Ranked:
        """The ranking of all queries, of which this may be a part."""
        return self if self._whole is None else self._whole

    @property
    def all_judged(self) -> bool:
        """Whether every retrieved document is known to have a judgment."""
        return self.judged is None

    def _part(self, begin: int, end: int) -> RankedTable:
        if end - begin == len(self.bounds) - 1:
            return self
        first, last = self.bounds[begin].item(), self.bounds[end].item()
        bounds, chosen = self.bounds[begin : end + 1] - first, slice(begin, end)
        return self._of_rows(slice(first, last), bounds, self.queries[chosen], chosen)

    def _of_rows(
        self, rows: slice | Array, bounds: Array, queries: Sequence[Any], chosen: slice | Array
    ) -> RankedTable:
        """Return the ranking of the chosen lists, whose documents are ``rows``."""
        columns = ("grades", "scores", "judged", "retrieved_grades")
        every = {name: getattr(self.documents, name) for name in columns}
        own: dict[str, Any] = {n: column[rows] for n, column in every.items() if column is not None}
        whole = self.documents.whole_lists
        if whole is not None:
            own["whole_lists"] = whole.select(chosen)
        part: Documents = replace(self.documents, bounds=bounds, queries=queries, **own)
        return type(self)(part, self.conventions, self.rule, self._whole or self)

    def by_query(self, task: Task) -> list[Array]:
        """Return the columns that a task makes of some queries, for all, on all cores."""

        def work(ends: tuple[int, int]) -> list[Array]:
            part = self._part(*ends)
            left = part.tied_lists & (part.rule != "input")
            if 0 < np.count_nonzero(left) <= _FEW_TIED * len(left):
                columns, tied = part.without_ties(task), 0
            else:
                columns, tied = part.columns_and_ties(task)
                left = np.zeros(len(left), bool)
            part.clear_cache()
            # Counting ties needs the order, which is at hand now.
            own = part.grades if part.judged is None else part.grades[part.judged]
            self._tie_counts[ends[0]] = tied, int((own > 0).sum())
            return [*columns, left]

        *columns, left = on_parts(work, self.bounds)
        if left.any():  # the few tied lists of all parts at once, since each call costs something
            tied_lists = self._lists(left)
            columns = _replaced(columns, left, tied_lists.by_query(task))
            self._tie_counts[-1] = tied_lists.count_ties()[0], 0
        return columns

    def columns_and_ties(self, task: Task) -> tuple[list[Array], int]:
        """Return a task's columns, and how many rows of a grade above 0 share their score.

        Lists with ties are also looked at apart: the others cost less without them.
        """
        tied = self
        if self.rule == "input" or self.tied_lists.all() or not self._has_equals:
            columns = task(self)
        else:
            tied = self._lists(self.tied_lists)
            columns = _replaced(self.without_ties(task), self.tied_lists, task(tied))
        count = 0
        if self._has_equals:
            count = int((tied.original_grade[tied.shared_scores()] > 0).sum())
        tied.clear_cache()
        return columns, count

    def without_ties(self, task: Task) -> list[Array]:
        """Return a task's columns, which are right for the lists without ties."""
        plain = copy(self)
        plain.__dict__.update(_has_equals=False, has_ties=False, _cache={})
        columns = task(plain)
        plain.clear_cache()
        return columns

    def shared_scores(self) -> Array:
        """Return which rows share their score with another document."""
        if self.judged is not None:
            return self.tied > 1
        same = self._by_score[2]
        return same | np.append(same[1:], False)

    def _lists(self, mask: Array) -> RankedTable:
        """Return the ranking of some of the lists."""
        sizes = segments.lengths(self.bounds)
        rows = np.flatnonzero(np.repeat(mask, sizes))
        queries = list(compress(self.queries, mask.tolist()))
        table = self._of_rows(rows, segments.offsets_of(sizes[mask]), queries, mask)
        if "_by_score" in self.__dict__:
            carried, _, same = self._by_score
            table.__dict__["_by_score"] = carried[rows], mask[mask], same[rows]
        return table

    def count_ties(self) -> tuple[int, int]:
        """Return how many rows of a grade above 0 share their score, and how many there are."""
        parts = parts_of(self.bounds)
        if len(self._tie_counts) < len(parts):
            self.by_query(lambda _: [])
        counts = self._tie_counts.values()
        return sum(tied for tied, _ in counts), sum(rows for _, rows in counts)

    @lazy
    def _by_score(self) -> tuple[Array, Array, Array]:
        """The retrieved grades by falling score; which lists hold ties, which documents tie the last."""
        if self.scores is None:
            none = np.zeros(1, bool)
            same = np.broadcast_to(none, len(self.grades))
            return self.retrieved_grades, np.broadcast_to(none, len(self.bounds) - 1), same
        return segments.falling_beside(self.scores, self.bounds, self.retrieved_grades)

    @property
    def tied_lists(self) -> Array:
        """The lists that hold documents with the same score, as a mask."""
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
        starts = np.flatnonzero(~self._by_score[2])
        sizes = np.diff(starts, append=len(place))
        return np.repeat(place[starts], sizes), np.repeat(sizes, sizes)

    def tie_starts(self) -> Array | None:
        """Return which rows are the first of their tie; None if rows are not all documents."""
        return ~self._by_score[2] if self._in_score_order else None

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
        grade = self.retrieved_grades[order]
        rows = TiedRows(offsets, grade, above, tied, order, earlier)
        rank = (above + 1) + tied_before(self.rule, rows)
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
        """The offsets of the judged documents of each list."""
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
        """The offsets of the grades of each list."""
        return self.offsets

    @lazy
    def judged_grade(self) -> Array:
        """The grades of each list, highest first."""
        grades = self.grades if self.judged is None else self.grades[self.judged]
        falling, self.__dict__["has_small_grades"] = segments.falling_values(grades, self.offsets)
        return falling

    @lazy
    def max_grade(self) -> float:
        """The highest grade of all queries, at least 0."""
        if self._whole is not None:
            return self._whole.max_grade
        grades = self.grades if self.judged is None else self.grades[self.judged]
        return max(highest(grades), 0.0) if len(grades) else 0.0

    def _count_from(self, level: float) -> Array:
        def count(ends: tuple[int, int]) -> list[Array]:  # counting needs no order
            bounds = self.bounds[ends[0] : ends[1] + 1]
            return [
                segments.count(self.grades[bounds[0] : bounds[-1]] >= level, bounds - bounds[0])
            ]

        return on_parts(count, self.bounds)[0]

    def _highest(self) -> Array:
        if not self.width:
            return super()._highest()
        if "judged_grade" in self.__dict__:
            return self.judged_grade[:: self.width]
        return self.grades.reshape(-1, self.width).max(axis=1)


@frozen(eq=False)
class WholeLists:
    """The whole lists of which a ranking holds the first documents: a row of ``labels`` for each.

    ``best`` holds the highest labels of each list in falling order, ``relevant`` how many are 1 and more.
    """

    labels: Array
    best: Array
    relevant: Array

    def select(self, chosen: slice | Array) -> WholeLists:
        """Return some of the lists."""
        return WholeLists(self.labels[chosen], self.best[chosen], self.relevant[chosen])


class RankedTop(RankedTable):
    """A ranking of the first documents of whole lists, all that measures with a cutoff read in order."""

    lists_all = True

    @property
    def _lists_of(self) -> Any:
        return self.documents.whole_lists

    @property
    def best(self) -> Array:
        """The highest grades of each list in falling order."""
        best: Array = self._lists_of.best
        return best

    @lazy
    def retrieved(self) -> Array:
        """The lengths of the whole lists."""
        return np.full(len(self), self._lists_of.labels.shape[1])

    @lazy
    def judged_offsets(self) -> Array:
        """The offsets of the grades of each whole list."""
        return segments.offsets_of(self.retrieved)

    @lazy
    def judged_grade(self) -> Array:
        """The grades of each whole list, highest first."""
        labels = numbers_of(self._lists_of.labels, "labels")
        return segments.falling_values(labels.reshape(-1), self.judged_offsets)[0]

    @lazy
    def has_small_grades(self) -> bool:
        """Whether all grades are known to be whole numbers from 0 to 255."""
        return bool(
            all((a < 256).all() and (a == np.floor(a)).all() for a in (self.grades, self.best))
        )

    @lazy
    def max_grade(self) -> float:
        """The highest grade of all queries, at least 0."""
        return self._whole.max_grade if self._whole is not None else float(self.best.max(initial=0))

    def _count_from(self, level: float) -> Array:
        whole: WholeLists = self._lists_of
        if level == 1:
            return whole.relevant
        return np.count_nonzero(whole.labels >= np.float64(level), axis=1)

    def _highest(self) -> Array:
        return self.best[:, 0]


def _replaced(columns: list[Array], rows: Array, others: list[Array]) -> list[Array]:
    """Return columns with other values in some rows."""
    replaced = []
    for column, among in zip(columns, others, strict=True):
        replaced.append(column.astype(np.result_type(column, among)))
        replaced[-1][rows] = among
    return replaced
