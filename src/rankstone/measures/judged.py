"""How much of a ranking was judged."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, is_judged, measure
from rankstone.measures.param import K
from rankstone.measures.summation import Sum, Value, total


def judged_by_rank(ranked: Ranked, depth: int) -> np.ndarray:
    """Return the share of the documents at each rank, 1 to depth, that are judged; NaN if none.

    share(i) = |queries with a judged document at rank i| / |queries with at least i documents|
    """
    judged = np.bincount(ranked.rank[ranked.rank <= depth], minlength=depth + 1)[1:]
    reached = np.array([(ranked.retrieved >= i).sum() for i in range(1, depth + 1)])
    return np.divide(judged, reached, out=np.full(depth, np.nan), where=reached > 0)


@measure(
    "Judged",
    "Share judged",
    params=(K,),
    conventions=("ties", "unjudged"),
    undefined_without_relevant=False,
    gain=is_judged,
    supports_expected_ties=True,
    example=Example("Judged@4", (1, 0, None, None, 1), "2 / 4"),
)
def Judged(r: Ranked, m: Measure) -> Sum:
    """The share of the first k documents that were judged.

    Judged@k = |judged in the first k| / |first k|

    Reading: how far other measures can be trusted; what was not judged counts as not relevant.
    Not for: telling rankings apart.
    """
    every = np.ones(len(r.rank), bool)
    return Sum(r, every, k=m.k, denominator=r.depth(m.k), columns={"judged": every})


@measure(
    "Unjudged",
    "Share not judged",
    params=(K,),
    conventions=("ties", "unjudged"),
    higher_is_better=False,
    undefined_without_relevant=False,
    gain=is_judged,
    reaches_max=False,
    supports_expected_ties=True,
    example=Example("Unjudged@5", (1, None, None), "2 / 5"),
)
def Unjudged(r: Ranked, m: Measure) -> Value:
    """The share of the first k documents that were not judged.

    Unjudged@k = |not judged in the first k| / k; without k, over the number retrieved

    If fewer than k documents were retrieved the missing ones count as judged.

    Reading: a red flag; a high value means that the judgments say little about the ranking.
    Not for: telling rankings apart.
    """
    every = np.ones(len(r.rank), bool)
    working = Sum(r, every, k=m.k, columns={"judged": every})
    judged, first = total(working), r.depth(m.k)
    size = np.maximum(r.retrieved, 1) if m.k is None else np.full(len(r), m.k)
    value = (first - judged) / size
    return Value(r, value, "(n - j) / k", lambda: {"n": first, "j": judged, "k": size}, working)


def share_judged(k: int) -> Measure:
    """Return the measure of how much of the first k documents was judged."""
    return Judged @ k
