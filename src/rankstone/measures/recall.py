"""Recall."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K
from rankstone.measures.summation import Sum

_DENOMINATOR = Choice(
    name="denominator",
    text="what hits are divided by",
    default="R",
    words={
        "R": "the number of relevant documents",
        "min(R,k)": "the number of relevant documents, or k if that is smaller (capped recall)",
        "min(R,retrieved)": "the number of relevant documents, or the length of the list down to k if that is smaller",
    },
)


@measure(
    "R",
    "Recall",
    params=(K, REL, _DENOMINATOR),
    conventions=("ties",),
    supports_expected_ties=True,
    example=Example("R@3", (1, 0, 1, 1), "2 / 4", missed=(1,)),
)
def R(r: Ranked, m: Measure) -> Sum:
    """The share of the relevant documents that are among the first k.

    R@k = |relevant in the first k| / R, where R counts all relevant documents judged.

    Reading: what a second stage that sees only the first k documents can still find.
    Not for: pools that are far from complete; unjudged relevant documents are not in R.
    Reference: Kent et al., Machine literature searching VIII, American Documentation 1955.
    """
    hit, below = r.relevant(m.rel), r.relevant_count(m.rel)
    if m.denominator == "min(R,k)" and m.k is not None:
        below = np.minimum(below, m.k)
    elif m.denominator == "min(R,retrieved)":
        below = np.minimum(below, r.depth(m.k))
    return Sum(r, hit, k=m.k, denominator=below, columns={"relevant": hit})
