"""The order of documents that share a score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.errors import UsageError

Array = np.ndarray


class TiedRows(NamedTuple):
    """Judged documents, by query as ``offsets`` say.

    ``above`` documents have a higher score than a row, and ``tied`` the same, itself included. Of the
    latter ``earlier`` come earlier in the input and ``greater`` have a greater id (None: no ids).
    """

    offsets: Array
    grade: Array
    above: Array
    tied: Array
    judgment: Array
    earlier: Array | None = None
    greater: Array | None = None


def tied_before(rule: str, rows: TiedRows) -> Array:
    """Return how many of the documents that share a row's score are ranked before it."""
    if keeps_order(rule) and rows.earlier is not None:
        return rows.earlier
    if is_by_id(rule):
        if rows.greater is None:
            raise needs_ids(rule)
        return rows.tied - 1 - rows.greater if rule == "docid-asc" else rows.greater
    return before_by_gain(_EXTREMES[rule], rows, rows.grade, 0.0)


def tie_extreme(rule: str) -> int:
    """Return 1 if tied documents are in their best order, -1 in their worst, 0 if in neither."""
    return _EXTREMES.get(rule, 0)


_EXTREMES = {"optimistic": 1, "pessimistic": -1}


def before_by_gain(luck: int, rows: TiedRows, gain: Array, unjudged_gain: float) -> Array:
    """Return the number of tied documents before each row if ties are ordered by gain.

    The most first if ``luck`` is 1, last if it is -1; of equal gain by grade. Documents without a
    judgment gain ``unjudged_gain`` and have grade 0.
    """
    before = np.zeros(len(rows.tied), np.int64)
    shared = np.flatnonzero(
        rows.tied > 1
    )  # the others are alone, and sorting takes most of the time
    query, above = segments.numbers(rows.offsets)[shared], rows.above[shared]
    tied, gain, grade = rows.tied[shared], gain[shared], rows.grade[shared]
    order = np.lexsort((rows.judgment[shared], -luck * grade, -luck * gain, above, query))
    new_tie = np.ones(len(order), bool)
    new_tie[1:] = (np.diff(query[order]) != 0) | (np.diff(above[order]) != 0)
    starts = np.flatnonzero(new_tie)
    bounds = np.append(starts, len(order))
    place = segments.positions(bounds)
    judged_in_tie = np.repeat(segments.lengths(bounds), segments.lengths(bounds))
    unjudged_in_tie = tied[order] - judged_in_tie
    more = (gain > unjudged_gain) | ((gain == unjudged_gain) & (grade > 0))
    after_unjudged = ~more[order] if luck > 0 else more[order]
    before[shared[order]] = place + np.where(after_unjudged, unjudged_in_tie, 0)
    return before


def keeps_order(rule: str) -> bool:
    """Return whether tied documents stay in input order."""
    return rule in ("input", "expected")


def is_by_id(rule: str) -> bool:
    """Return whether tied documents are in order of their ids."""
    return id_order(rule) != 0


def id_order(rule: str) -> int:
    """Return 1 if the greater of tied ids is first, -1 if the smaller is, 0 if ids do not decide."""
    return {"docid-desc": 1, "docid-asc": -1}.get(rule, 0)


def is_by_input(rule: str) -> bool:
    """Return whether the order of rows in the input decides between tied documents."""
    return not (rule == "expected" or is_by_id(rule) or tie_extreme(rule))


def needs_ids(rule: str) -> UsageError:
    """Return the error for a rule that compares ids on data without ids."""
    others = [repr(other) for other in Conventions.choices()["ties"] if not is_by_id(other)]
    return UsageError(
        f"ties={rule!r} needs document ids, and these are bare scores. "
        f"Choose {', '.join(others[:-1])} or {others[-1]}."
    )
