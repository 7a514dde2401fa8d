"""How much of a ranking was judged."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankstone.core import segments
from rankstone.core.aggregate import summarise
from rankstone.core.expected_ties import ties_of
from rankstone.core.ranked import Ranked
from rankstone.errors import UsageError
from rankstone.measures.base import Example, Measure, is_judged, measure
from rankstone.measures.param import K
from rankstone.measures.summation import Sum, Value, total


def judged_to_rank(ranked: Ranked, cutoffs: Iterable[int]) -> dict[int, float]:
    """Return the share of the first k documents that are judged, by k: the mean of Judged@k.

    It is empty for a whole catalogue, of which relevant items alone are known to be judged.
    """
    if not ranked.lists_all:
        return {}
    return {k: summarise((Judged @ k).compute(ranked), "mean").value for k in cutoffs}


@measure(
    "Share judged",
    params=(K,),
    conventions=("ties", "unjudged"),
    undefined_without_relevant=False,
    gain=is_judged,
    supports_expected_ties=True,
    reads_nonrelevant=True,
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
    "Share not judged",
    params=(K,),
    conventions=("ties", "unjudged"),
    higher_is_better=False,
    undefined_without_relevant=False,
    gain=is_judged,
    reaches_max=False,
    supports_expected_ties=True,
    reads_nonrelevant=True,
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
    value = (_unjudged_in_ties(r, m.k) if r.ties_averaged else first - judged) / size
    return Value(r, value, "(n - j) / k", lambda: {"n": first, "j": judged, "k": size}, working)


@measure(
    "Share judged for no query",
    params=(K,),
    conventions=("ties", "unjudged"),
    higher_is_better=False,
    undefined_without_relevant=False,
    gain=is_judged,
    reaches_max=False,
    supports_extreme_ties=False,
    reads_below=True,
    reads_nonrelevant=True,
    example=Example("Hole@5", (1, None, None), "2 / 5"),
)
def Hole(r: Ranked, m: Measure) -> Value:
    """The share of the first k documents that were judged for no query at all.

    Hole@k = |first k that the judgments list for no query| / k; without k, over the number retrieved

    A document that was judged for another query is not a hole, whatever its grade there.

    Reading: how much of a ranking the pool has never seen, as after a change of the corpus.
    Not for: arrays with unlabelled documents, parts with judgments of their own, or
    ties='expected': which documents are among the first k has to be known. Unjudged takes these.
    Reference: Thakur et al., BEIR, NeurIPS 2021.
    """
    size = np.maximum(r.retrieved, 1) if m.k is None else np.full(len(r), m.k)
    holes = np.zeros(len(r), np.int64)
    listed = len(r.rank) + (0 if r.pooled is None else len(r.pooled))
    if r.retrieved.sum() > listed:
        if r.strangers is None or r.rule in ("expected", "optimistic", "pessimistic"):
            raise UsageError(
                f"{m} looks up the unjudged documents in the judgments of all queries, so it needs "
                "their ids, all judgments at once, and one order of tied documents. Take "
                f"{Unjudged(k=m.k)}, which counts what was not judged for its own query."
            )
        strangers = r.strangers(m.k)
        lists = zip(r.queries, r.retrieved, strict=True)
        holes += [sum(rank <= last for rank in strangers.get(q, ())) for q, last in lists]
    return Value(r, holes / size, "h / k", lambda: {"h": holes, "k": size})


def _unjudged_in_ties(r: Ranked, k: int | None) -> np.ndarray:
    """Return the mean number of unjudged documents in the first k over all orders of ties.

    It is a sum of shares: the difference of the first k and the judged ones would cancel digits.
    """
    ties = ties_of(r)
    first = ties.size if k is None else np.clip(k - ties.above, 0, ties.size)
    shares = first * (ties.size - ties.count(np.ones(len(r.rank), bool))) / ties.size
    by_query = segments.offsets_of(np.bincount(ties.query, minlength=len(r)))
    elsewhere = r.depth(k) - segments.total(first.astype(np.float64), by_query)
    return np.asarray(elsewhere + segments.total(shares, by_query))


def share_judged(k: int) -> Measure:
    """Return the measure of how much of the first k documents was judged."""
    return Judged @ k
