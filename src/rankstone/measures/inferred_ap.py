"""Inferred average precision."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.expected_ties import ties_of
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure, relevance_gain
from rankstone.measures.param import REL
from rankstone.measures.summation import Terms

_EPSILON = 0.00001


def _best_order(r: Ranked, m: Measure, luck: int) -> Ranked:
    """Return the ranking with tied documents in their best order (1) or their worst (-1).

    Best is a relevant document above all others, except that documents of the pool without a
    judgment may raise the inferred precision of a relevant one below them. So in the best order
    these and the relevant ones share the first places of a tie, in the worst the last places, and
    the best mixture of the two is looked for.
    """
    from rankstone.core.ranked_rows import with_ranks, with_ties_by

    ranked = with_ties_by(r, relevance_gain(r, m, r.grade), 0.0)
    if ranked.pooled is None or ranked.pooled_offsets is None or not len(ranked.pooled):
        return ranked
    hit, ties = ranked.relevant(m.rel), ties_of(ranked)
    rank, pooled = ranked.rank.copy(), ranked.pooled.copy()
    ends = np.append(ties.starts[1:], len(rank))
    for t in np.flatnonzero((ties.size > 1) & (ties.count(hit) > 0)).tolist():
        query, begin, end = int(ties.query[t]), int(ties.starts[t]), int(ends[t])
        above, below = int(ties.above[t]), int(ties.above[t] + ties.size[t])
        pool = slice(*ranked.pooled_offsets[query : query + 2].tolist())
        inside = pool.start + np.flatnonzero((pooled[pool] > above) & (pooled[pool] <= below))
        relevant = begin + np.flatnonzero(hit[begin:end])
        others = begin + np.flatnonzero(~hit[begin:end])
        size = len(relevant) + len(inside)
        first = above if luck > 0 else below - size  # documents above the mixture
        start = int(ranked.offsets[query])
        counts = (
            int(hit[start:begin].sum()),
            int((~hit[start : begin if luck > 0 else end]).sum()),
            int((pooled[pool] <= above).sum()),
        )
        mixed = _mixture(luck, first, counts, len(relevant), len(inside))
        rank[relevant] = first + 1 + np.arange(len(relevant)) + mixed
        pooled[inside] = np.setdiff1d(np.arange(first + 1, first + 1 + size), rank[relevant])
        rank[others] = np.arange(len(others)) + (below - len(others) if luck > 0 else above) + 1
    return with_ranks(ranked, rank, pooled)


def _mixture(
    luck: int, first: int, counts: tuple[int, int, int], relevant: int, pooled: int
) -> np.ndarray:
    """Return how many of the pooled documents come before each relevant one.

    ``first`` documents are above all of these; ``counts`` of them are relevant, judged not
    relevant, and pooled without a judgment.
    """
    hits, others, unjudged = counts
    before, place = np.arange(pooled + 1), np.arange(relevant)[:, None]
    h = hits + place
    seen = (h + _EPSILON) / (h + others + 2 * _EPSILON)
    term = luck * (1 + (h + others + unjudged + before) * seen) / (first + 1 + place + before)
    best = [term[0]]
    for row in term[1:]:
        best.append(np.maximum.accumulate(best[-1]) + row)
    chosen = np.zeros(relevant, np.int64)
    most = pooled
    for i in range(relevant - 1, -1, -1):
        most = chosen[i] = int(best[i][: most + 1].argmax())
    return chosen


@measure(
    "Inferred average precision",
    params=(REL,),
    conventions=("ties", "negatives"),
    best_order=_best_order,
    reaches_max=False,
    reads_nonrelevant=True,
    example=Example(
        "infAP", (1, None, 1), "(1 + 1/3 + (2/3) * (1/2) * (1 + 1e-5) / (1 + 2e-5)) / 2"
    ),
)
def infAP(r: Ranked, m: Measure) -> Terms:
    """Average precision estimated from a pool of which only a random sample was judged.

    infAP = 1/R * sum over relevant documents at rank i of
    (1/i + (i-1)/i * p/(i-1) * (h + e) / (h + n + 2e))

    Above the document are p documents of the pool, judged or not (a negative grade), of which
    h are relevant and n not; e = 0.00001.

    Reading: the precision above a document is that of the sample, as far as the pool goes, and 0
    beyond it.
    Not for: judgments that do not say which documents were in the pool; it then equals AP.
    Reference: Yilmaz and Aslam, Estimating average precision with incomplete and imperfect
    judgments, CIKM 2006.
    """
    hit = r.relevant(m.rel)
    relevant = r.hits(m.rel) - 1
    other = segments.running_count(~hit, r.offsets)
    above = r.rank - 1.0
    pool = relevant + other + r.pooled_above()
    seen = (relevant + _EPSILON) / (relevant + other + 2 * _EPSILON)
    some = np.maximum(above, 1.0)
    precision = 1.0 / (above + 1.0) + (above / (above + 1.0)) * (pool / some) * seen
    terms = np.where(hit, np.where(above == 0, 1.0, precision), 0.0)
    columns = {"relevant": hit, "pool above": pool}
    return Terms(r, terms, r.relevant_count(m.rel), columns=columns)
