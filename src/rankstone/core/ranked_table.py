"""Lists of grades and scores as arrays hold them, put in order when a measure asks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rankstone.core import segments
from rankstone.core.tie_breaking import before_in_tie, keeps_order

Array = np.ndarray

_BLOCK = 1 << 18


class Lists:
    """Grades and scores of documents, list after list.

    List q is ``offsets[q]:offsets[q + 1]``; without scores its documents stand in order of rank.
    ``judged`` says which documents have a grade, None that all have. Where all do, and all
    lists are of one length, ``width`` is that length. ``found`` are the grades documents have
    in their list, where those are not their grades. Each method is a column of a Ranked.
    """

    def __init__(
        self,
        grades: Array,
        scores: Array | None,
        offsets: Array,
        ties: str,
        judged: Array | None = None,
        width: int | None = None,
        found: Array | None = None,
    ) -> None:
        self.grades = grades
        self.found = grades if found is None else found
        self.scores = scores
        self.bounds = offsets
        self.ties = ties
        self.mask = judged
        self.width = None if judged is not None else width
        self._small = False
        self._carried: tuple[Array, bool] | None = None
        self._ordered: Array | None = None
        self._sharing: tuple[Array, Array] | None = None
        self._stands: tuple[Array, Array, Array, Array] | None = None

    @property
    def _by_score(self) -> tuple[Array, bool]:
        """The grades found by falling score, and whether some documents share theirs."""
        if self._carried is None:
            if self.scores is None:
                self._carried = self.found, False
            else:
                self._carried = segments.falling_beside(self.scores, self.bounds, self.found)
        return self._carried

    @property
    def _order(self) -> Array:
        """All documents by falling score."""
        if self._ordered is None:
            if self.scores is None:
                self._ordered = np.arange(len(self.grades))
            else:
                self._ordered = segments.falling_order(self.scores, self.bounds)
        return self._ordered

    @property
    def has_ties(self) -> bool:
        """Whether a judged document shares its score with another."""
        if not self._by_score[1]:
            return False
        return self.mask is None or bool((self._standing[2] > 1).any())

    @property
    def _standing(self) -> tuple[Array, Array, Array, Array]:
        """Row, documents above, documents tied and rank of each judged document, by rank."""
        if self._stands is None:
            self._stands = self._stand(self.mask)
        return self._stands

    @property
    def _shared(self) -> tuple[Array, Array]:
        """Documents above and documents tied of all documents, by falling score."""
        if self._sharing is None:
            place = segments.positions(self.bounds)
            if self._by_score[1]:
                starts = np.flatnonzero(self._first_of_tie())
                sizes = np.diff(starts, append=len(place))
                self._sharing = np.repeat(place[starts], sizes), np.repeat(sizes, sizes)
            else:
                self._sharing = place, np.ones(len(place), np.int64)
        return self._sharing

    def _first_of_tie(self) -> Array:
        """Return, for all documents by falling score, whether none before has the same."""
        first = np.ones(len(self.found), bool)
        if self.scores is not None and self._by_score[1]:
            score, _ = segments.falling_values(self.scores, self.bounds)
            first[1:] = score[1:] != score[:-1]
            first[self.bounds[:-1][segments.lengths(self.bounds) > 0]] = True
        return first

    def tie_starts(self) -> Array | None:
        """Return which rows are the first of their tie; None where rows are not all documents."""
        return self._first_of_tie() if self._is_plain else None

    def _stand(self, mask: Array | None) -> tuple[Array, Array, Array, Array]:
        """Return row, documents above, documents tied and rank of some documents, by rank."""
        order = self._order
        above, tied = self._shared
        earlier = segments.positions(self.bounds) - above
        offsets = self.bounds
        if mask is not None:
            kept, offsets = mask[order], segments.keep(mask, self.bounds)
            order, above, tied, earlier = (a[kept] for a in (order, above, tied, earlier))
        if not self._by_score[1]:
            return order, above, tied, above + 1
        rank = (above + 1) + before_in_tie(
            self.ties,
            offsets=offsets,
            grade=self.found[order],
            above=above,
            tied=tied,
            earlier=earlier,
            judgment=order,
        )
        if keeps_order(self.ties):
            return order, above, tied, rank
        by_rank = segments.falling_order(-rank.astype(np.float64), offsets)
        return order[by_rank], above[by_rank], tied[by_rank], rank[by_rank]

    @property
    def _is_plain(self) -> bool:
        """Whether documents rank as they stand by falling score, and all are judged."""
        return self.mask is None and (keeps_order(self.ties) or not self._by_score[1])

    @property
    def _rows(self) -> Array:
        """The judged documents by rank."""
        return self._order if self._is_plain else self._standing[0]

    def offsets(self) -> Array:
        """Return where the judged documents of each list begin."""
        return self.bounds if self.mask is None else segments.keep(self.mask, self.bounds)

    def grade(self) -> Array:
        """Return the grades by rank."""
        return self._by_score[0] if self._is_plain else self.found[self._rows]

    def original_grade(self) -> Array:
        """Return the grades by rank, whatever the scores."""
        return self.grade() if self.found is self.grades else self.grades[self._rows]

    def score(self) -> Array:
        """Return the scores by rank."""
        if self.scores is None:
            return -self.rank().astype(np.float64)
        return self.scores[self._rows]

    def judgment(self) -> Array:
        """Return each document's place in its list as it was given."""
        return self._rows - np.repeat(self.bounds[:-1], segments.lengths(self.offsets()))

    def rank(self) -> Array:
        """Return the ranks."""
        if self._is_plain:
            return segments.positions(self.bounds) + 1
        return self._standing[3]

    def above(self) -> Array:
        """Return how many documents have a higher score."""
        return self._shared[0] if self._is_plain else self._standing[1]

    def tied(self) -> Array:
        """Return how many documents have the same score."""
        return self._shared[1] if self._is_plain else self._standing[2]

    def retrieved(self) -> Array:
        """Return the lengths of the lists."""
        return segments.lengths(self.bounds)

    def judged_offsets(self) -> Array:
        """Return where the grades of each list begin."""
        return self.offsets()

    def judged_grade(self) -> Array:
        """Return the grades of each list, highest first."""
        grades = self.grades if self.mask is None else self.grades[self.mask]
        falling, self._small = segments.falling_values(grades, self.offsets())
        return falling

    @property
    def are_small(self) -> bool:
        """Whether all grades are known to be whole numbers from 0 to 255."""
        return self._small

    def max_grade(self) -> float:
        """Return the highest grade, at least 0."""
        grades = self.grades if self.mask is None else self.grades[self.mask]
        return float(grades.max(initial=0.0))

    def pooled(self) -> dict[str, Array]:
        """Return the ranks of documents with a grade that means they were not judged."""
        if self.mask is None or not (negative := self.grades < 0).any():
            return {}
        offsets = segments.keep(negative, self.bounds)
        return {"pooled": self._stand(negative)[3], "pooled_offsets": offsets}

    def queries(self) -> list[int]:
        """Return the numbers of the lists."""
        return list(range(len(self.bounds) - 1))

    def parts(self) -> list[tuple[int, int]]:
        """Return begin and end of parts that a processor's cache holds."""
        last = len(self.bounds) - 1
        if len(self.grades) < 2 * _BLOCK or last < 2:
            return [(0, last)]
        marks = np.arange(0, len(self.grades), _BLOCK)
        return list(pairwise(np.unique(np.append(self.bounds.searchsorted(marks), last)).tolist()))

    def part(self, begin: int, end: int) -> Lists:
        """Return some of the lists."""
        first, last = self.bounds[begin].item(), self.bounds[end].item()
        return Lists(
            self.grades[first:last],
            None if self.scores is None else self.scores[first:last],
            self.bounds[begin : end + 1] - first,
            self.ties,
            None if self.mask is None else self.mask[first:last],
            self.width,
            self.found[first:last],
        )
