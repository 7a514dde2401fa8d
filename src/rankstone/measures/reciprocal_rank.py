"""Reciprocal rank."""

from __future__ import annotations

from rankstone.core.expected_ties import first_hit
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, K
from rankstone.measures.summation import Sum, Terms


@measure(
    "RR",
    "Reciprocal rank",
    params=(K, REL),
    conventions=("ties",),
    supports_expected_ties=True,
    mistaken_for=("AP",),
    example=Example("RR", (0, 1, 0, 1), "1 / 2"),
)
def RR(r: Ranked, m: Measure) -> Sum | Terms:
    """One over the rank of the first relevant document; 0 if there is none.

    RR = 1 / rank of the first relevant document. Its mean is MRR.

    Reading: a user who wants one answer and reads from the top until it is found.
    Not for: queries with several documents to be found; all but the first are ignored.
    Reference: Voorhees, The TREC-8 question answering track report, TREC 1999.
    """
    hit = r.relevant(m.rel)
    if r.ties_averaged:
        return Terms(r, first_hit(r, hit, lambda rank: 1 / rank, m.k), columns={"relevant": hit})
    first = hit & (r.hits(m.rel) == 1)
    return Sum(r, first, "reciprocal", m.k, columns={"relevant": hit})
