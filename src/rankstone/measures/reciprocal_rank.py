"""Reciprocal rank."""

from __future__ import annotations

import numpy as np

from rankstone.core.expected_ties import first_hit, ties_of
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, measure
from rankstone.measures.param import REL, K


@measure(
    "RR",
    "Reciprocal rank",
    params=(K, REL),
    conventions=("ties", "no_relevant"),
    expected=True,
    example=Example("RR", (0, 1, 0, 1), "1 / 2"),
)
def RR(r: Ranked, m: Measure) -> Working:
    """One over the rank of the first relevant document; 0 where there is none.

    RR = 1 / rank of the first relevant document. Its mean is MRR.

    Reading: a user who wants one answer and reads from the top until it is found.
    Not for: queries with several documents worth finding; all but the first are ignored.
    """
    hit = r.relevant(m.rel)
    if r.ties_averaged:
        terms = first_hit(r, hit, 1 / ties_of(r).rank, m.k)
        return Working(terms, columns={"relevant": hit}, cut=True)
    terms = np.where(hit & (r.hits(m.rel) == 1), 1 / r.rank, 0.0)
    return Working(terms, columns={"relevant": hit})
