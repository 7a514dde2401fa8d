"""Preferences: how often a ranking puts the document first that somebody preferred."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankstone.core.ranked import Ranked, Said
from rankstone.errors import DataError
from rankstone.measures.base import Example, Measure, Working, measure
from rankstone.measures.param import Param

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Group:
    """What one group prefers: ``over[i, j]`` where place i is preferred to place j.

    The first ``found`` places were retrieved. ``level`` is NaN where nothing was said, and
    ``ranked`` tells that all documents were compared in one sitting.
    """

    over: Array
    level: Array
    found: int
    ranked: bool

    @cached_property
    def kept(self) -> int:
        """Preferences between retrieved documents that the ranking keeps."""
        m = self.found
        return int(np.triu(self.over[:m, :m], 1).sum())

    @cached_property
    def both(self) -> int:
        """Preferences between retrieved documents."""
        return int(self.over[: self.found, : self.found].sum())

    @cached_property
    def kept_one(self) -> int:
        """Preferences for a retrieved document over one that was not retrieved."""
        return int(self.over[: self.found, self.found :].sum())

    @cached_property
    def one(self) -> int:
        """Preferences between a retrieved document and one that was not retrieved."""
        return self.kept_one + int(self.over[self.found :, : self.found].sum())

    @cached_property
    def every(self) -> int:
        """All preferences."""
        return int(self.over.sum())

    def counts(self, which: str) -> tuple[int, int]:
        """Return how many preferences are kept, and of how many."""
        if which == "retrieved":
            return self.kept, self.both
        return self.kept + self.kept_one, self.every if which == "all" else self.both + self.one

    def balanced(self, which: str) -> tuple[int, int]:
        """Return the same as if there were as many documents without as with relevance."""
        said = ~np.isnan(self.level)
        relevant, other = said & (self.level > 0), said & ~(self.level > 0)
        m = self.found if which == "retrieved" else len(self.level)
        wanted, there = int(relevant[:m].sum()), int(other[:m].sum())
        if wanted >= there:
            kept, of = self.counts(which)
            more = wanted - there
            return kept + int(relevant[: self.found].sum()) * more, of + int(relevant.sum()) * more
        if self.ranked:
            return self._first_others(wanted, m)
        spare = np.flatnonzero(other[:m])[int(relevant.sum()) :]
        left = np.setdiff1d(np.arange(m), spare)
        part = Group(
            self.over[np.ix_(left, left)],
            self.level[left],
            int((left < self.found).sum()),
            ranked=False,
        )
        return part.counts("all")

    def _first_others(self, wanted: int, m: int) -> tuple[int, int]:
        """Compare with the first few documents of the lowest level, these among themselves too."""
        said = np.flatnonzero(~np.isnan(self.level[:m]))
        lowest = np.nanmin(self.level)
        last = said[self.level[said] == lowest]
        rest = said[self.level[said] != lowest]
        kept = of = 0
        for left, right, free in ((rest, rest, False), (said, last[:wanted], True)):
            compared = self.over[np.ix_(left, right)] | free
            before = (left[:, None] < right[None, :]) & (left[:, None] < self.found)
            kept += int((compared & before).sum())
            of += int(compared.sum())
        return kept, of


def _implied(r: Ranked, q: int) -> tuple[Said, int]:
    """Return the preferences that grades imply: all of one group, in one sitting."""
    grade = r.grade[r.offsets[q] : r.offsets[q + 1]]
    rest = r.judged_grade[r.judged_offsets[q] : r.judged_offsets[q + 1]]
    for g, n in zip(*np.unique(grade, return_counts=True), strict=True):
        rest = np.delete(rest, np.flatnonzero(rest == g)[:n])
    level = np.concatenate((grade, rest))
    zero = np.zeros(len(level), np.int64)
    return Said(np.arange(len(level)), zero, zero, level), len(grade)


def _groups(r: Ranked, q: int) -> list[Group]:
    if r.preferences is None:
        said, found = _implied(r, q)
    else:
        said, found = r.preferences[q], int(r.offsets[q + 1] - r.offsets[q])
    size = int(said.place.max(initial=-1)) + 1
    groups = []
    for group in np.unique(said.group).tolist():
        of = said.group == group
        groups.append(
            _group(r.queries[q], said.place[of], said.sitting[of], said.level[of], size, found)
        )
    return groups


def _group(
    query: object, place: Array, sitting: Array, level: Array, size: int, found: int
) -> Group:
    over = np.zeros((size, size), bool)
    sittings = np.unique(sitting)
    for one in sittings.tolist():
        at, given = place[sitting == one], level[sitting == one]
        over[np.ix_(at, at)] |= given[:, None] > given[None, :]
    levels = np.full(size, np.nan)
    levels[place] = level
    if len(sittings) > 1:
        step = over | np.eye(size, dtype=bool)
        while not np.array_equal(step, wider := (step @ step) > 0):
            step = wider
        over = step & ~np.eye(size, dtype=bool)
    if (over & over.T).any() or over.diagonal().any():
        raise DataError(
            f"the preferences of a group contradict each other for query {query!r}: a document is "
            "preferred to another, and that to it. Give people who disagree groups of their own."
        )
    if ((levels[place] > 0) != (level > 0)).any():
        raise DataError(
            f"query {query!r}: a group gave a document both the level 0 and another. "
            "0 means not relevant; use one of the two."
        )
    return Group(over, levels, found, len(sittings) == 1)


def _each(r: Ranked, value: Callable[[list[Group]], float]) -> Working:
    every = r.once("groups", lambda: [_groups(r, q) for q in range(len(r))])
    return Working(value=np.array([value(groups) for groups in every], np.float64))


_WHICH = Param(
    "which",
    str,
    "which preferences are looked at",
    default="all",
    choices={
        "all": "all; one between documents that were not retrieved is not kept",
        "found": "those with at least one document retrieved",
        "retrieved": "those between retrieved documents",
    },
)


@measure(
    "NumPref",
    "Number of preferences",
    params=(
        _WHICH,
        Param(
            "kept",
            str,
            "whether all are counted",
            default="no",
            choices={"no": "all are", "yes": "those the ranking keeps are"},
        ),
    ),
    range=(0.0, np.inf),
    aggregate="sum",
    needs_relevant=False,
    conventions=("ties",),
    example=Example("NumPref(kept='yes')", (2, 0, 1), "2"),
)
def NumPref(r: Ranked, m: Measure) -> Working:
    """The number of preferences between documents, or of those that the ranking keeps.

    A preference is kept where the preferred document stands above the other, or was retrieved
    and the other not. Grades imply a preference for each two documents with different grades.
    """
    which = 0 if m.kept == "yes" else 1
    return _each(r, lambda groups: sum(g.counts(m.which)[which] for g in groups))


def _ratio(kept: float, of: float) -> float:
    return kept / of if of else 0.0


def _of_pairs(groups: list[Group], which: str, plain: bool) -> float:
    """Return the mean over pairs of documents of the share of preferences kept."""
    if not groups:
        return 0.0
    counts = np.zeros(groups[0].over.shape, np.int64)
    for group in groups:
        counts += group.over
    m, n = groups[0].found, len(counts)
    i, j = np.triu_indices(n, 1)
    some = (counts[i, j] + counts[j, i]) > 0
    i, j = i[some], j[some]
    both, one = j < m, (i < m) & (j >= m)
    seen = np.concatenate([np.flatnonzero(both), np.flatnonzero(one & (which != "retrieved"))])
    share = counts[i, j][seen] / (counts[i, j] + counts[j, i])[seen]
    total = float(np.add.accumulate(share)[-1]) if plain and len(share) else math.fsum(share)
    return _ratio(total, len(i) if which == "all" else len(seen))


@measure(
    "Pref",
    "Share of preferences kept",
    params=(
        _WHICH,
        Param(
            "mean",
            str,
            "what counts alike",
            default="preferences",
            choices={
                "preferences": "every preference",
                "pairs": "every pair of documents, whoever compared them",
                "groups": "every group",
                "balanced": "every group, as if it had called as many documents not relevant "
                "as relevant",
            },
        ),
    ),
    needs_relevant=False,
    attained=False,
    conventions=("ties",),
    example=Example("Pref", (1, 2, 0), "2 / 3"),
)
def Pref(r: Ranked, m: Measure) -> Working:
    """The share of preferences between documents that the ranking keeps.

    Pref = |preferences kept| / |preferences|

    A preference is kept where the preferred document stands above the other, or was retrieved
    and the other not. Grades imply a preference for each two documents with different grades;
    preferences of several people are read from a file of their own ('rankstone trec_eval -R prefs').

    Reading: no scale of grades is needed, and people may disagree.
    Not for: the top of a ranking; a pair at the end counts as much as one at the top.
    """
    if m.mean == "preferences":
        return _each(
            r,
            lambda groups: (
                _ratio(*map(sum, zip(*(g.counts(m.which) for g in groups), strict=True)))
                if groups
                else 0.0
            ),
        )
    if m.mean == "pairs":
        plain = r.conventions.sums == "plain"
        return _each(r, lambda groups: _of_pairs(groups, m.which, plain))
    if m.mean == "groups":
        return _each(r, lambda groups: _mean([g.counts(m.which) for g in groups]))
    return _each(r, lambda groups: _mean([g.balanced(m.which) for g in groups], strict=True))


def _mean(counts: list[tuple[int, int]], *, strict: bool = False) -> float:
    """Return the mean share; ``strict`` makes it 0 where a group has nothing to compare."""
    if strict and not all(of for _, of in counts):
        return 0.0
    return _ratio(sum(_ratio(*c) for c in counts), len(counts))
