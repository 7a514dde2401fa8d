"""Rankings with hypothetical grades for unjudged documents."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from rankstone.core import segments
from rankstone.core.ids import at
from rankstone.core.ranked import Ranked
from rankstone.core.ranked_rows import RankedRows, rows_of
from rankstone.core.subtopics import Subtopics, ranges
from rankstone.errors import UsageError
from rankstone.frozen import frozen

Array = np.ndarray


@frozen(eq=False)
class UnjudgedPositions:
    """The retrieved documents without a judgment, by rank.

    Rows ``offsets[q]:offsets[q + 1]`` of ``rank`` belong to query q. Documents that are listed in
    the judgments with a negative grade are known, and no holes.
    """

    ranked: Ranked
    offsets: Array
    rank: Array

    @classmethod
    def of(cls, ranked: Ranked) -> UnjudgedPositions:
        """Find the holes of a ranking; its documents must have one order."""
        if ranked.ties_averaged or ranked.tie_luck:
            raise UsageError(
                f"the interval of unjudged documents needs one order of tied documents, and "
                f"ties={ranked.rule!r} has many. Choose another rule for ties, such as 'input'."
            )
        if ranked.has_repeats:
            raise UsageError(
                "the interval of unjudged documents needs each document once, and some are ranked "
                "more than once. Choose duplicates='first'."
            )
        sizes = ranked.retrieved
        places = segments.offsets_of(sizes)
        is_hole = np.ones(places[-1], bool)
        is_hole[np.repeat(places[:-1], segments.lengths(ranked.offsets)) + ranked.rank - 1] = False
        if ranked.pooled is not None and ranked.pooled_offsets is not None:
            pooled = np.repeat(places[:-1], segments.lengths(ranked.pooled_offsets))
            is_hole[pooled + ranked.pooled - 1] = False
        rank = segments.positions(places)[is_hole] + 1
        return cls(ranked, segments.keep(is_hole, places), rank)

    @cached_property
    def count(self) -> Array:
        """The number of holes of each query."""
        return segments.lengths(self.offsets)

    def ranks(self, query: int) -> Array:
        """Return the ranks of a query's holes."""
        return self.rank[self.offsets[query] : self.offsets[query + 1]]

    @cached_property
    def ties_known(self) -> bool:
        """Whether no two holes may share a score that no judged document has.

        Ties among unjudged documents alone are not kept.
        """
        if not self.ranked.has_scores:
            return True
        query = np.arange(len(self.ranked))
        filled = self.filled(query, np.zeros(len(self.rank)))
        alone = (filled.judgment < 0) & (filled.tied == 1)
        numbers = segments.numbers(filled.offsets)
        beside = (np.diff(filled.rank) == 1) & (numbers[1:] == numbers[:-1])
        return not (alone[1:] & alone[:-1] & beside).any()

    def subtopics(self, query: int) -> Array:
        """Return the subtopics of a query, as numbers in ``ranked.subtopics``."""
        known = self.ranked.subtopics
        if known is None:
            return np.zeros(0, np.int64)
        rows = slice(known.offsets[known.first[query]], known.offsets[known.last[query]])
        return np.unique(known.subtopic[rows])

    def filled_by_subtopic(self, query: Array, grades: list[Array]) -> Ranked:
        """Return rankings in which the holes are judged for each subtopic of their query.

        Args:
            query: index of the query of each ranking.
            grades: a table for each ranking, with a row for each hole by rank and a column for
                each of the query's subtopics.
        """
        known = self.ranked.subtopics
        if known is None:
            raise UsageError("the judgments have no subtopics.")
        highest = [table.max(axis=1, initial=0.0) for table in grades]
        ranked = self.filled(query, np.concatenate([np.zeros(0), *highest]))
        judgment = ranked.judgment.copy()
        columns: dict[str, list[Array]] = {
            name: [] for name in ("sizes", "subtopic", "grade", "known", "parts", "documents")
        }
        documents = parts = 0
        for i, (q, table) in enumerate(zip(query.tolist(), grades, strict=True)):
            first, last = int(known.first[q]), int(known.last[q])
            own, count = self.subtopics(q), len(table)
            rows = slice(known.offsets[first], known.offsets[last])
            columns["sizes"] += [np.diff(known.offsets[first : last + 1]), np.full(count, len(own))]
            columns["subtopic"] += [
                parts + np.searchsorted(own, known.subtopic[rows]),
                parts + np.tile(np.arange(len(own)), count),
            ]
            columns["grade"] += [known.grade[rows], table.ravel()]
            counts = np.ones(last - first, bool) if known.known is None else known.known[first:last]
            columns["known"] += [counts, np.ones(count, bool)]
            columns["parts"].append(own)
            columns["documents"].append(np.array([last - first + count]))
            mine = judgment[ranked.offsets[i] : ranked.offsets[i + 1]]
            is_hole = mine < 0
            mine[~is_hole] += documents - first
            mine[is_hole] = documents + last - first + np.arange(count)
            documents += last - first + count
            parts += len(own)
        every = {name: np.concatenate(values) for name, values in columns.items()}
        bounds = segments.offsets_of(every["documents"])
        subtopics = Subtopics(
            names=[known.names[part] for part in every["parts"].tolist()],
            vital=known.vital[every["parts"]],
            offsets=segments.offsets_of(every["sizes"]),
            subtopic=every["subtopic"],
            grade=every["grade"],
            by_id=np.arange(documents),
            first=bounds[:-1],
            last=bounds[1:],
            known=every["known"],
            length=None if known.length is None else known.length[every["parts"]],
        )
        return replace(ranked, judgment=judgment, subtopics=subtopics)

    def filled(
        self, query: Array, grades: Array, missed: tuple[Array, Array] | None = None
    ) -> RankedRows:
        """Return rankings in which the holes are judged, one for each entry of ``query``.

        Args:
            query: index of the query of each ranking.
            grades: the grades of its holes by rank, laid end to end.
            missed: number of the ranking and grade of each document that is judged too, and was
                not retrieved.
        """
        r = self.ranked
        rows = ranges(r.offsets[query], segments.lengths(r.offsets)[query])
        holes = ranges(self.offsets[query], self.count[query])
        number = np.concatenate(
            [
                np.repeat(np.arange(len(query)), n[query])
                for n in (segments.lengths(r.offsets), self.count)
            ]
        )
        rank = np.concatenate([r.rank[rows], self.rank[holes]])
        order = np.lexsort((rank, number))
        above, tied = self._ties(rows, number[order], rank[order], order)
        every = segments.offsets_of(segments.lengths(r.offsets)[query] + self.count[query])

        def column(known: Array, new: Array) -> Array:
            return np.concatenate([known[rows], new])[order]

        known = ranges(r.judged_offsets[query], segments.lengths(r.judged_offsets)[query])
        judged = np.concatenate([r.judged_grade[known], grades])
        owner = np.concatenate(
            [
                np.repeat(np.arange(len(query)), n[query])
                for n in (segments.lengths(r.judged_offsets), self.count)
            ]
        )
        if missed is not None:
            owner = np.append(owner, missed[0])
            judged = np.append(judged, missed[1])
        pooled, pooled_offsets = r.pooled, r.pooled_offsets
        if pooled is not None and pooled_offsets is not None:
            sizes = segments.lengths(pooled_offsets)[query]
            pooled = pooled[ranges(pooled_offsets[query], sizes)]
            pooled_offsets = segments.offsets_of(sizes)
        return replace(
            rows_of(r),
            queries=at(r.queries, query),
            offsets=every,
            rank=rank[order],
            grade=column(r.grade, grades),
            original_grade=column(r.original_grade, grades),
            score=-rank[order].astype(np.float64),
            judgment=column(r.judgment, np.full(len(holes), -1)),
            above=above,
            tied=tied,
            retrieved=r.retrieved[query],
            judged_offsets=segments.offsets_of(np.bincount(owner, minlength=len(query))),
            judged_grade=judged[np.lexsort((-judged, owner))],
            pooled=pooled,
            pooled_offsets=pooled_offsets,
            subtopics=None,
            part_of=None,
        )

    def _ties(self, rows: Array, number: Array, rank: Array, order: Array) -> tuple[Array, Array]:
        """Count the documents above and tied with each; an unjudged one may share a judged one's tie."""
        is_hole = order >= len(rows)
        above, tied = rank - 1, np.ones(len(rank), np.int64)
        above[~is_hole] = self.ranked.above[rows][order[~is_hole]]
        tied[~is_hole] = self.ranked.tied[rows][order[~is_hole]]
        at, last = np.arange(len(rank)), len(rank) - 1
        before = np.maximum.accumulate(np.where(is_hole, 0, at))
        after = np.minimum.accumulate(np.where(is_hole, last, at)[::-1])[::-1]
        for near in (before, after):
            here = is_hole & ~is_hole[near] & (number == number[near])
            here &= (above[near] < rank) & (rank <= above[near] + tied[near])
            above[here], tied[here] = above[near][here], tied[near][here]
        return above, tied


def judged_by_rank(ranked: Ranked, deepest: int = 100) -> list[float]:
    """Return the share of queries whose document at rank 1, 2, ... is judged.

    Queries with fewer documents do not count at a rank; the list ends where none has more.
    """
    depth = int(min(ranked.retrieved.max(initial=0), deepest))
    judged = np.bincount(ranked.rank[ranked.rank <= depth] - 1, minlength=depth)
    if ranked.pooled is not None:
        judged += np.bincount(ranked.pooled[ranked.pooled <= depth] - 1, minlength=depth)
    lists = [int((ranked.retrieved > rank).sum()) for rank in range(depth)]
    return [float(n / of) for n, of in zip(judged.tolist(), lists, strict=True)]
