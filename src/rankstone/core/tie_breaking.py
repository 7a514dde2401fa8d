"""The rules for documents that share a score: which stands before which."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.as_numpy import lowest
from rankstone.errors import UsageError

Array = np.ndarray


def before_in_tie(
    rule: str,
    *,
    offsets: Array,
    grade: Array,
    above: Array,
    tied: Array,
    earlier: Array,
    judgment: Array,
    greater: Array | None = None,
) -> Array:
    """Return how many of the documents that share a row's score stand before it.

    Rows are judged documents, by query as ``offsets`` say. Of the documents that share a row's
    score ``earlier`` came earlier and ``greater`` have a greater id, None where there are no ids.
    """
    if rule == "input" or (greater is None and keeps_order(rule)):
        return earlier
    if rule in ("docid-desc", "docid-asc", "expected"):
        if greater is None:
            raise needs_ids(rule)
        return tied - 1 - greater if rule == "docid-asc" else greater
    return before_by_gain(
        luck_of(rule),
        offsets=offsets,
        gain=grade,
        unjudged_gain=0.0,
        grade=grade,
        above=above,
        tied=tied,
        judgment=judgment,
    )


def luck_of(rule: str) -> int:
    """Return 1 if tied documents are in their best order, -1 in their worst, 0 if in neither."""
    return _LUCK.get(rule, 0)


_LUCK = {"optimistic": 1, "pessimistic": -1}


def before_by_gain(
    luck: int,
    *,
    offsets: Array,
    gain: Array,
    unjudged_gain: float,
    grade: Array,
    above: Array,
    tied: Array,
    judgment: Array,
) -> Array:
    """Return how many documents of its tie come before each row, ordered by what they gain.

    The most first if ``luck`` is 1, last if it is -1; of equal gain by grade. Documents without a
    judgment gain ``unjudged_gain`` and have grade 0.
    """
    query = segments.numbers(offsets)
    order = np.lexsort((judgment, -luck * grade, -luck * gain, above, query))
    new_tie = np.ones(len(order), bool)
    new_tie[1:] = (np.diff(query[order]) != 0) | (np.diff(above[order]) != 0)
    starts = np.flatnonzero(new_tie)
    ties_at = np.append(starts, len(order))
    place = segments.positions(ties_at)
    judged_in_tie = np.repeat(segments.lengths(ties_at), segments.lengths(ties_at))
    others = tied[order] - judged_in_tie
    more = (gain > unjudged_gain) | ((gain == unjudged_gain) & (grade > 0))
    after_others = ~more[order] if luck > 0 else more[order]
    before = np.empty(len(order), np.int64)
    before[order] = place + np.where(after_others, others, 0)
    return before


def keeps_order(rule: str) -> bool:
    """Return whether documents without ids that share a score stand as they came."""
    return rule in ("input", "expected")


def needs_ids(rule: str) -> UsageError:
    """Return the error for a rule that compares ids where there are none."""
    return UsageError(
        f"ties={rule!r} needs document ids, and these are bare scores. "
        "Choose 'expected', 'input', 'optimistic' or 'pessimistic'."
    )


def meant_grades(
    grades: Array, negatives: str, known: float | None = None
) -> tuple[Array, Array | None]:
    """Return grades as the conventions mean negative ones, and which are grades; None: all.

    ``known`` is the lowest grade, where somebody looked.
    """
    if (
        not len(grades) or (lowest(grades) if known is None else known) >= 0
    ):  # NaN, which is no grade, fails this too
        return grades, None
    if negatives == "nonrelevant":
        grades = np.maximum(grades, 0.0)
    judged = grades >= 0
    return grades, None if judged.all() else judged


def found_grades(grades: Array, scores: Array) -> Array:
    """Return the grades of documents in a list where a score of 0 or less is not relevant."""
    return np.where(scores > 0, grades, np.minimum(grades, 0.0))
