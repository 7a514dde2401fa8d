"""Inferred average precision."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, measure
from rankstone.measures.param import REL

_EPSILON = 0.00001


@measure(
    "infAP",
    "Inferred average precision",
    params=(REL,),
    conventions=("ties", "negatives", "no_relevant"),
    attained=False,
    example=Example(
        "infAP", (1, None, 1), "(1 + 1/3 + (2/3) * (1/2) * (1 + 1e-5) / (1 + 2e-5)) / 2"
    ),
)
def infAP(r: Ranked, m: Measure) -> Working:
    """Average precision estimated from a pool of which only a random sample was judged.

    infAP = 1/R * sum over relevant documents at rank i of
    (1/i + (i-1)/i * p/(i-1) * (h + e) / (h + n + 2e))

    Above the document stand p documents of the pool, judged or not (a negative grade), of which
    h are relevant and n not; e = 0.00001. (Yilmaz and Aslam, CIKM 2006.)

    Reading: the precision above a document is that of the sample, where the pool goes, and 0
    beyond it.
    Not for: judgments that do not tell which documents were in the pool; it then equals AP.
    """
    hit = r.relevant(m.rel)
    found = r.hits(m.rel) - 1
    other = segments.running_count(~hit, r.offsets)
    above = r.rank - 1.0
    pool = found + other + r.pooled_above()
    seen = (found + _EPSILON) / (found + other + 2 * _EPSILON)
    some = np.maximum(above, 1.0)
    precision = 1.0 / (above + 1.0) + (above / (above + 1.0)) * (pool / some) * seen
    terms = np.where(hit, np.where(above == 0, 1.0, precision), 0.0)
    return Working(terms, r.relevant_count(m.rel), columns={"relevant": hit})
