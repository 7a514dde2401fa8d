"""Reciprocal rank."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import REL, Example, K, Measure, Working, measure


@measure(
    "RR",
    "Reciprocal rank",
    params=(K, REL),
    names={
        "trec_eval": ("recip_rank",),
        "ir_measures": ("RR@{k}",),
        "ranx": ("mrr@{k}",),
        "beir": ("MRR@{k}",),
        "mteb": ("mrr_at_{k}",),
        "articles": ("reciprocal_rank",),
    },
    conventions=("ties", "no_relevant"),
    example=Example("RR", (0, 1, 0, 1), "1 / 2"),
)
def RR(r: Ranked, m: Measure) -> Working:
    """One over the rank of the first relevant document; 0 where there is none.

    RR = 1 / rank of the first relevant document. Its mean is MRR.

    Reading: a user who wants one answer and reads from the top until it is found.
    Not for: queries with several documents worth finding; all but the first are ignored.
    """
    first = r.relevant(m.rel) & (r.hits(m.rel) == 1)
    terms = np.where(first, 1 / r.rank, 0.0)
    return Working(terms, columns={"relevant": r.relevant(m.rel)})
