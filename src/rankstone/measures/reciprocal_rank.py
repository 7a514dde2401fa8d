"""Reciprocal rank."""

from __future__ import annotations

import numpy as np

from rankstone.core.expected_ties import first_hit
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, K
from rankstone.measures.summation import Sum, Terms

Array = np.ndarray


def paired_reciprocal_rank(before: Array, after: Array) -> Array:
    """Return the change of reciprocal ranks as a share: -1 to 1, above 0 if a document fell.

    If the rank rose or stayed, after / before - 1; if it fell, 1 - before / after.

    >>> paired_reciprocal_rank(np.array([1, 4, 2]), np.array([4, 1, 2])).tolist()
    [0.75, -0.75, 0.0]
    """
    return np.where(before >= after, after / before - 1, 1 - before / after)


@measure(
    "Reciprocal rank",
    params=(K, REL),
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
