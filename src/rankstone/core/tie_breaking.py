"""The order of documents that share a score."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.errors import UsageError

Array = np.ndarray


def tied_before(
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
    """Return how many of the documents that share a row's score are ranked before it.

    Rows are judged documents, by query as ``offsets`` say. Of the documents that share a row's
    score, ``earlier`` come earlier in the input and ``greater`` have a greater id; ``greater`` is
    None if documents have no ids.
    """
    if rule == "input" or (greater is None and keeps_order(rule)):
        return earlier
    if rule in ("docid-desc", "docid-asc", "expected"):
        if greater is None:
            raise needs_ids(rule)
        return tied - 1 - greater if rule == "docid-asc" else greater
    # The best or the worst order: the judged documents of a tie by grade; its unjudged
    # documents rank as if their grade were 0.
    query = segments.numbers(offsets)
    sign = -1.0 if rule == "optimistic" else 1.0
    order = np.lexsort((judgment, sign * grade, above, query))
    new_tie = np.ones(len(order), bool)
    new_tie[1:] = (np.diff(query[order]) != 0) | (np.diff(above[order]) != 0)
    starts = np.flatnonzero(new_tie)
    bounds = np.append(starts, len(order))
    place = segments.positions(bounds)
    judged_in_tie = np.repeat(segments.lengths(bounds), segments.lengths(bounds))
    unjudged_in_tie = tied[order] - judged_in_tie
    after_unjudged = grade[order] <= 0 if rule == "optimistic" else grade[order] > 0
    before = np.empty(len(order), np.int64)
    before[order] = place + np.where(after_unjudged, unjudged_in_tie, 0)
    return before


def keeps_order(rule: str) -> bool:
    """Return whether tied documents without ids stay in input order."""
    return rule in ("input", "expected")


def needs_ids(rule: str) -> UsageError:
    """Return the error for a rule that compares ids on data without ids."""
    return UsageError(
        f"ties={rule!r} needs document ids, and these are bare scores. "
        "Choose 'expected', 'input', 'optimistic' or 'pessimistic'."
    )
