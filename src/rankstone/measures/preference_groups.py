"""The preferences of one group of people between the documents of a query, and their counts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankstone.frozen import frozen

Array = np.ndarray


class PairCounts(NamedTuple):
    """Preferences between retrieved documents (``both``), with one that was not retrieved, and all.

    ``kept`` of ``both`` and ``kept_one`` of ``one`` are kept by the ranking.
    """

    kept: int
    both: int
    kept_one: int
    one: int
    every: int

    def of(self, which: str) -> tuple[int, int]:
        """Return how many preferences are kept, and of how many."""
        if which == "retrieved":
            return self.kept, self.both
        return self.kept + self.kept_one, self.every if which == "all" else self.both + self.one


@frozen(eq=False)
class Group(ABC):
    """The preferences of one group.

    The first ``retrieved`` documents were retrieved, by rank. ``level`` is NaN for a document that
    the group did not assess.
    """

    level: Array
    retrieved: int

    @property
    @abstractmethod
    def over(self) -> Array:
        """A table: whether the document of the row is preferred to that of the column."""

    @property
    @abstractmethod
    def pairs(self) -> PairCounts:
        """The numbers of preferences."""

    @abstractmethod
    def with_fewer_others(self, wanted: int, m: int) -> tuple[int, int]:
        """Return the counts among the first m documents, keeping few documents without relevance."""

    def counts(self, which: str) -> tuple[int, int]:
        """Return how many preferences are kept, and of how many."""
        return self.pairs.of(which)

    def balanced(self, which: str) -> tuple[int, int]:
        """Return the counts as if the group had as many nonrelevant documents as relevant ones."""
        assessed = ~np.isnan(self.level)
        relevant, other = assessed & (self.level > 0), assessed & ~(self.level > 0)
        m = self.retrieved if which == "retrieved" else len(self.level)
        wanted, there = int(relevant[:m].sum()), int(other[:m].sum())
        if wanted < there:
            return self.with_fewer_others(wanted, m)
        kept, of = self.counts(which)
        more = wanted - there
        above = int(relevant[: self.retrieved].sum())
        return kept + above * more, of + int(relevant.sum()) * more


@frozen(eq=False)
class TableGroup(Group):
    """Preferences from several sessions, in a table of documents by documents."""

    table: Array

    @property
    def over(self) -> Array:
        """Whether the document of the row is preferred to that of the column."""
        return self.table

    @cached_property
    def pairs(self) -> PairCounts:
        """The numbers of preferences."""
        m, over = self.retrieved, self.table
        kept_one = int(over[:m, m:].sum())
        return PairCounts(
            int(np.triu(over[:m, :m], 1).sum()),
            int(over[:m, :m].sum()),
            kept_one,
            kept_one + int(over[m:, :m].sum()),
            int(over.sum()),
        )

    def with_fewer_others(self, wanted: int, m: int) -> tuple[int, int]:
        """Leave documents without relevance out, from the end, until as many are left."""
        relevant = self.level > 0
        other = ~np.isnan(self.level) & ~relevant
        spare = np.flatnonzero(other[:m])[int(relevant.sum()) :]
        left = np.setdiff1d(np.arange(m), spare)
        part = TableGroup(
            self.level[left], int((left < self.retrieved).sum()), self.table[np.ix_(left, left)]
        )
        return part.counts("all")


@frozen(eq=False)
class LevelGroup(Group):
    """Preferences from one session: a document is preferred to those of a lower level."""

    @property
    def over(self) -> Array:
        """Whether the document of the row is preferred to that of the column."""
        return self.level[:, None] > self.level[None, :]

    @cached_property
    def pairs(self) -> PairCounts:
        """The numbers of preferences, in time and memory that grow as n log n."""
        m = self.retrieved
        upper, lower = _assessed(self.level[:m]), _assessed(self.level[m:])
        below = np.sort(lower)
        first, last = (np.searchsorted(below, upper, side) for side in ("left", "right"))
        return PairCounts(
            _falling_pairs(upper),
            _different(upper),
            int(first.sum()),
            int((len(below) - last + first).sum()),
            _different(_assessed(self.level)),
        )

    def with_fewer_others(self, wanted: int, m: int) -> tuple[int, int]:
        """Compare with the first few documents of the lowest level, these among themselves too."""
        level = self.level[:m]
        assessed = np.flatnonzero(~np.isnan(level))
        lowest = np.nanmin(self.level)
        last = assessed[level[assessed] == lowest][:wanted]
        rest = assessed[level[assessed] != lowest]
        kept, of = LevelGroup(level[rest], int((rest < self.retrieved).sum())).counts("all")
        above = np.searchsorted(assessed, np.minimum(last, self.retrieved))
        return kept + int(above.sum()), of + len(assessed) * len(last)


def _assessed(level: Array) -> Array:
    return level[~np.isnan(level)]


def _different(level: Array) -> int:
    """Return the number of pairs of different levels."""
    counts = np.unique(level, return_counts=True)[1]
    return (len(level) ** 2 - int((counts**2).sum())) // 2


def _falling_pairs(level: Array) -> int:
    """Return the number of pairs of which the first is higher.

    Levels are numbered. Two of them differ first at some binary digit, where the higher one has a
    1; so for each digit the ones before each zero are counted, among numbers alike above it.
    """
    number = np.unique(level, return_inverse=True)[1].reshape(-1)
    total = 0
    for digit in range(int(number.max(initial=0)).bit_length()):
        alike = number >> (digit + 1)
        order = np.argsort(alike, kind="stable")
        ones = (number[order] >> digit) & 1
        before = np.cumsum(ones) - ones
        starts = np.searchsorted(alike[order], alike[order])
        total += int((before - before[starts])[ones == 0].sum())
    return total
