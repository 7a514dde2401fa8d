"""Preferences: how often the preferred document of a pair is ranked first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked, StatedPreferences
from rankstone.errors import DataError
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import Choice
from rankstone.measures.summation import Terms

if TYPE_CHECKING:
    from rankstone.measures.preference_groups import Group

Array = np.ndarray


def _implied(r: Ranked, q: int) -> tuple[StatedPreferences, int]:
    """Return the preferences that grades imply: all of one group, in one session."""
    rows = slice(r.offsets[q], r.offsets[q + 1])
    grade = r.grade[rows]
    missed = r.judged_grade[r.judged_offsets[q] : r.judged_offsets[q + 1]]
    found = r.original_grade[rows]
    if r.has_repeats:  # a document that counts twice was judged once
        found = found[np.unique(r.judgment[rows], return_index=True)[1]]
    level = np.concatenate((grade, _without(missed, found)))
    zero = np.zeros(len(level), np.int64)
    return StatedPreferences(np.arange(len(level)), zero, zero, level), len(grade)


def _without(grades: Array, some: Array) -> Array:
    """Return grades less some that are among them, each as often as it is there."""
    values, counts = np.unique(grades, return_counts=True)
    taken, numbers = np.unique(some, return_counts=True)
    at = np.searchsorted(values, taken)
    known = np.flatnonzero(at < len(values))
    known = known[values[at[known]] == taken[known]]
    counts[at[known]] -= np.minimum(numbers[known], counts[at[known]])
    return np.repeat(values, counts)


def _groups(r: Ranked, q: int) -> list[Group]:
    if r.preferences is None:
        said, retrieved = _implied(r, q)
    else:
        said, retrieved = r.preferences[q], int(r.offsets[q + 1] - r.offsets[q])
    size = int(said.place.max(initial=-1)) + 1
    groups = []
    for group in np.unique(said.group).tolist():
        of = said.group == group
        groups.append(
            _group(r.queries[q], said.place[of], said.sitting[of], said.level[of], size, retrieved)
        )
    return groups


def _group(
    query: object, place: Array, sitting: Array, level: Array, size: int, retrieved: int
) -> Group:
    from rankstone.measures.preference_groups import LevelGroup, TableGroup

    sittings = np.unique(sitting)
    levels = np.full(size, np.nan)
    levels[place] = level
    if len(sittings) == 1 and len(np.unique(place)) == len(place):
        return LevelGroup(levels, retrieved)
    over = np.zeros((size, size), bool)
    for one in sittings.tolist():
        at, given = place[sitting == one], level[sitting == one]
        better, worse = np.nonzero(given[:, None] > given[None, :])
        over[at[better], at[worse]] = True  # also over itself, if it was given two levels
    while not np.array_equal(over, wider := over | (over @ over)):
        over = wider
    if over.diagonal().any():
        raise DataError(
            f"the preferences of a group contradict each other for query {query!r}: they are "
            "circular. Give people who disagree groups of their own."
        )
    if ((levels[place] > 0) != (level > 0)).any():
        raise DataError(
            f"query {query!r}: a group gave a document both the level 0 and another. "
            "0 means not relevant; use one of the two."
        )
    return TableGroup(levels, retrieved, over)


def _all_groups(r: Ranked) -> list[list[Group]]:
    return r.cached("groups", lambda: [_groups(r, q) for q in range(len(r))])


def _counts(r: Ranked, count: Callable[[Group], tuple[int, int]]) -> tuple[Array, Array, Array]:
    """Return the preferences kept and all preferences of each group, and the groups of each query."""
    each = [[count(group) for group in groups] for groups in _all_groups(r)]
    counts = np.array([c for groups in each for c in groups], np.int64).reshape(-1, 2)
    return counts[:, 0], counts[:, 1], _offsets(each)


def _offsets(each: Iterable[list[tuple[int, int]] | Array]) -> Array:
    return segments.offsets_of(np.array([len(some) for some in each], np.int64))


def _level(r: Ranked, m: Measure, grade: Array) -> Array:  # noqa: ARG001
    """Return the gain by which documents are in order: the grade."""
    return grade


_WHICH = Choice.of(
    "which",
    "which preferences are looked at",
    all="all; one between documents that were not retrieved is not kept",
    found="those with at least one document retrieved",
    retrieved="those between retrieved documents",
)


@measure(
    "Number of preferences",
    params=(
        _WHICH,
        Choice.of(
            "kept",
            "whether all are counted",
            no="all are",
            yes="those the ranking keeps are",
        ),
    ),
    range=(0.0, np.inf),
    aggregate="sum",
    undefined_without_relevant=False,
    gain=_level,
    reads_nonrelevant=True,
    example=Example("NumPref(kept='yes')", (2, 0, 1), "2"),
)
def NumPref(r: Ranked, m: Measure) -> Terms:
    """The number of preferences between documents, or of those that the ranking keeps.

    A preference is kept if the preferred document ranks above the other, or was retrieved
    and the other not. Grades imply a preference for each two documents with different grades.

    Reading: how much evidence is behind Pref.
    Not for: quality; it grows with the number of judgments.
    """
    kept, of, offsets = _counts(r, lambda group: group.counts(m.which))
    terms = kept if m.kept == "yes" else of
    return Terms(r, terms, columns={"kept": kept, "of": of}, offsets=offsets)


def _shares(groups: list[Group], which: str) -> tuple[Array, int]:
    """Return, for each pair of documents, the share of preferences kept; and the number of pairs.

    The shares of a single group are added up.
    """
    if not groups:
        return np.zeros(0), 0
    if len(groups) == 1:  # each pair is kept or not
        kept, of = groups[0].counts(which)
        return np.array([float(kept)]), of
    counts = np.zeros(groups[0].over.shape, np.int64)
    for group in groups:
        counts += group.over
    m, n = groups[0].retrieved, len(counts)
    i, j = np.triu_indices(n, 1)
    some = (counts[i, j] + counts[j, i]) > 0
    i, j = i[some], j[some]
    both, one = j < m, (i < m) & (j >= m)
    seen = np.concatenate([np.flatnonzero(both), np.flatnonzero(one & (which != "retrieved"))])
    share = counts[i, j][seen] / (counts[i, j] + counts[j, i])[seen]
    return share, len(i) if which == "all" else len(seen)


@measure(
    "Share of preferences kept",
    params=(
        _WHICH,
        Choice.of(
            "mean",
            "what counts alike",
            preferences="every preference",
            pairs="every pair of documents, whoever compared them",
            groups="every group",
            balanced="every group, as if it had called as many documents not relevant as relevant",
        ),
    ),
    undefined_without_relevant=False,
    gain=_level,
    reaches_max=False,
    reads_nonrelevant=True,
    example=Example("Pref", (1, 2, 0), "2 / 3"),
)
def Pref(r: Ranked, m: Measure) -> Terms:
    """The share of preferences between documents that the ranking keeps.

    Pref = |preferences kept| / |preferences|

    A preference is kept if the preferred document ranks above the other, or was retrieved
    and the other not. Grades imply a preference for each two documents with different grades;
    preferences of several people are read from a file of their own ('rankstone trec_eval -R prefs').

    Reading: no scale of grades is needed, and people may disagree.
    Not for: the top of a ranking; a pair at the end counts as much as one at the top.
    Reference: Carterette and Bennett, Evaluation measures for preference judgments, SIGIR 2008.
    """
    if m.mean == "pairs":
        pairs = [_shares(groups, m.which) for groups in _all_groups(r)]
        shares = [share for share, _ in pairs]
        size = np.array([n for _, n in pairs], np.int64)
        return Terms(r, np.concatenate([np.zeros(0), *shares]), size, offsets=_offsets(shares))
    if m.mean == "balanced":
        kept, of, offsets = _counts(r, lambda group: group.balanced(m.which))
    else:
        kept, of, offsets = _counts(r, lambda group: group.counts(m.which))
    columns = {"kept": kept, "of": of}
    if m.mean == "preferences":
        every = segments.total(of * 1.0, offsets)
        return Terms(r, kept, every, columns=columns, offsets=offsets)
    share = np.divide(kept, of, out=np.zeros(len(of)), where=of > 0)
    size = segments.lengths(offsets)
    if m.mean == "balanced":  # a group without anything to compare makes the value 0
        size = np.where(segments.count(of == 0, offsets) > 0, 0, size)
    return Terms(r, share, size, columns=columns, offsets=offsets)
