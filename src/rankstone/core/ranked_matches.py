"""Rankings of documents that were looked up in a run, whose columns are computed if they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments, tie_breaking
from rankstone.core.matches import Matches
from rankstone.core.ranked import Ranked, Sample, Task, lazy, on_parts, parts_of
from rankstone.core.tie_breaking import TiedRows

if TYPE_CHECKING:
    from rankstone.core.rank import Documents

Array = np.ndarray


class RankedMatches(Ranked):
    """A ranking of matches; its columns are computed on first access.

    ``rule`` orders tied documents. ``whole`` is the ranking of all queries, of which this is a part:
    the ``chosen`` ones.
    """

    has_small_grades = False

    def __init__(
        self,
        documents: Documents,
        matches: Matches,
        conventions: Conventions,
        rule: str,
        *,
        has_repeats: bool,
        whole: Ranked | None = None,
        chosen: slice = slice(None),
    ) -> None:
        self.documents, self.matches, self._whole, self._chosen = documents, matches, whole, chosen
        self.__dict__.update(
            retrieved=matches.retrieved,
            conventions=conventions,
            rule=rule,
            has_repeats=has_repeats,
            has_scores=documents.scores is not None,
            subtopics=documents.subtopics and replace(documents.subtopics, known=documents.judged),
            strangers=documents.strangers and partial(documents.strangers, conventions),
            cuts=documents.cuts and documents.cuts(conventions),
            shown=documents.shown and partial(documents.shown, conventions),
            _cache={},
        )

    @property
    def whole(self) -> Ranked:
        """The ranking of all queries, of which this may be a part."""
        return self if self._whole is None else self._whole

    def by_query(self, task: Task) -> list[Array]:
        """Return the columns that a task makes of some queries, for all, on all cores."""
        return self._on_parts(lambda part: Ranked.by_query(part, task))

    def _on_parts(self, task: Callable[[RankedMatches], list[Array]]) -> list[Array]:
        # Queries weigh as judged documents do, so that there are parts of many short lists, too.
        bounds = self.documents.bounds + np.arange(len(self.documents.bounds))
        if self._whole is not None or len(parts_of(bounds)) == 1:
            return task(self)
        return on_parts(lambda ends: task(self._part(*ends)), bounds)

    def _part(self, begin: int, end: int) -> RankedMatches:
        """Return the ranking of consecutive queries; rows of judgments keep their numbers."""
        documents, chosen = self.documents, slice(begin, end)
        rows = slice(*self.matches.offsets[[begin, end]].tolist())
        by_row: dict[str, Any] = {
            "scores": documents.scores,
            "retrieved_grades": documents.retrieved_grades,
        }
        part: Documents = replace(
            documents,
            bounds=documents.bounds[begin : end + 1],
            subtopics=documents.subtopics and documents.subtopics.select(chosen),
            **{name: own[rows] for name, own in by_row.items() if own is not None},
        )
        matches = self.matches.part(begin, end)
        return RankedMatches(
            part,
            matches,
            self.conventions,
            self.rule,
            has_repeats=self.has_repeats,
            whole=self.whole,
            chosen=chosen,
        )

    @lazy
    def queries(self) -> Sequence[Any]:
        """The ids of the queries."""
        queries = self.documents.queries
        return queries if self._whole is None else queries[self._chosen]

    @lazy
    def _grades(self) -> Array:
        """The grades of the matches."""
        retrieved = self.documents.retrieved_grades
        return self.documents.grades[self.matches.judgment] if retrieved is None else retrieved

    @lazy
    def _kept(self) -> Array | None:
        """The matches that have a judgment, as a mask; None if all have."""
        judged = self.documents.judged
        kept = None if judged is None else judged[self.matches.judgment]
        return None if kept is None or kept.all() else kept

    def _bounds_of(self, chosen: Array | slice) -> Array:
        """Return the offsets of some matches."""
        if isinstance(chosen, slice):
            return self.matches.offsets
        return segments.keep(chosen, self.matches.offsets)

    @lazy
    def _ranks(self) -> Array:
        """The ranks of the matches. Documents without a judgment take the place they would have."""
        kept = self._kept
        if kept is None:
            return self._ranks_of(slice(None))
        ranks = np.empty(len(kept), np.int64)
        for chosen in (kept, ~kept):
            ranks[chosen] = self._ranks_of(chosen)
        return ranks

    def _ranks_of(self, chosen: Array | slice) -> Array:
        names = ("above", "tied", "judgment", "earlier", "greater")
        columns = (getattr(self.matches, name)[chosen] for name in names)
        rows = TiedRows(self._bounds_of(chosen), self._grades[chosen], *columns)
        return (rows.above + 1) + tie_breaking.tied_before(self.rule, rows)

    @lazy
    def _every(self) -> Array:
        """The matches by rank."""
        return segments.falling_order(-self._ranks, self.matches.offsets)

    @lazy
    def _order(self) -> Array:
        """The matches that have a judgment, by rank."""
        return self._every if self._kept is None else self._every[self._kept[self._every]]

    @lazy
    def offsets(self) -> Array:
        """The offsets of the judged documents of each query."""
        return self._bounds_of(slice(None) if self._kept is None else self._kept)

    @lazy
    def rank(self) -> Array:
        """The ranks."""
        return self._ranks[self._order]

    @lazy
    def grade(self) -> Array:
        """The grades by rank."""
        return self._grades[self._order]

    @lazy
    def original_grade(self) -> Array:
        """The grades by rank, whatever the scores."""
        return self.documents.grades[self.judgment]

    @lazy
    def score(self) -> Array:
        """The scores by rank."""
        return self.matches.score[self._order]

    @lazy
    def judgment(self) -> Array:
        """The row of each document in the judgments."""
        return self.matches.judgment[self._order]

    @lazy
    def above(self) -> Array:
        """The number of documents with a higher score."""
        return self.matches.above[self._order]

    @lazy
    def tied(self) -> Array:
        """The number of documents with the same score."""
        return self.matches.tied[self._order]

    @lazy
    def has_ties(self) -> bool:
        """Whether a judged document shares its score with another."""
        tied = self.matches.tied
        return bool((tied > 1 if self._kept is None else tied[self._kept] > 1).any())

    @lazy
    def pooled(self) -> Array | None:
        """The ranks of documents that are listed in the judgments without a judgment."""
        if self._kept is None:
            return None
        return self._ranks[self._every[~self._kept[self._every]]]

    @lazy
    def pooled_offsets(self) -> Array | None:
        """The offsets of these."""
        return None if self._kept is None else self._bounds_of(~self._kept)

    @property
    def all_judged(self) -> bool:
        """Whether every retrieved document is known to have a judgment."""
        return self.documents.all_judged and self._kept is None

    @lazy
    def _judged(self) -> tuple[Array, Array]:
        """The grades of all judged documents, and their offsets."""
        bounds, judged = self.documents.bounds, self.documents.judged
        own = slice(bounds[0], bounds[-1])
        grades, offsets = self.documents.grades[own], bounds - bounds[0]
        if judged is None:
            return grades, offsets
        return grades[judged[own]], segments.keep(judged[own], offsets)

    @lazy
    def judged_offsets(self) -> Array:
        """The offsets of the grades of each query's judged documents."""
        return self._judged[1]

    @lazy
    def judged_grade(self) -> Array:
        """The grades of each query's judged documents, highest first."""
        falling, self.__dict__["has_small_grades"] = segments.falling_values(*self._judged)
        return falling

    @lazy
    def max_grade(self) -> float:
        """The highest grade of the scale, at least 0."""
        if self._whole is not None:
            return self._whole.max_grade
        known = self.documents.max_grade
        return float(self.documents.grades.max(initial=0.0)) if known is None else known

    @lazy
    def samples(self) -> dict[Any, Sample] | None:
        """The sample of documents that was judged, by query; None if nothing was drawn."""
        documents, matches = self.documents, self.matches
        odds = documents.probabilities
        if odds is None:
            return None
        judged = documents.grades >= 0 if documents.judged is None else documents.judged
        samples = {}
        for q, query in enumerate(self.queries):
            begin, end = matches.offsets[q : q + 2]
            rows = begin + np.argsort(self._ranks[begin:end], kind="stable")
            own = np.arange(*documents.bounds[q : q + 2])
            own = own[judged[own]]
            drawn = odds[matches.judgment[rows]]
            known = judged[matches.judgment[rows]]
            samples[query] = Sample(
                self._ranks[rows],
                self._grades[rows],
                known,
                drawn,
                documents.grades[own],
                odds[own],
            )
        return samples

    def counts(self, k: int) -> list[Array]:
        """Return how many rows of each query are relevant, and how many are down to rank k."""

        def counted(part: RankedMatches) -> list[Array]:
            masks = part._grades >= part.level(None), part._ranks <= k
            kept = True if part._kept is None else part._kept
            return [segments.count(mask & kept, part.matches.offsets) for mask in masks]

        return self._on_parts(counted)

    def _count_from(self, level: float) -> Array:
        grades, offsets = self._judged
        return segments.count(grades >= level, offsets)  # counting needs no order
