"""Recall."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, hits_within, measure
from rankstone.measures.param import REL, K, Param

_DENOMINATOR = Param(
    "denominator",
    str,
    "what hits are divided by",
    default="R",
    choices={
        "R": "the number of relevant documents",
        "min(R,k)": "the number of relevant documents, or k if that is smaller (capped recall)",
        "min(R,retrieved)": "the number of relevant documents, or the length of the list down to k if that is smaller",
    },
)


@measure(
    "R",
    "Recall",
    params=(K, REL, _DENOMINATOR),
    conventions=("ties", "no_relevant"),
    expected=True,
    example=Example("R@3", (1, 0, 1, 1), "2 / 4", missed=(1,)),
)
def R(r: Ranked, m: Measure) -> Working:
    """The share of the relevant documents that stand among the first k.

    R@k = |relevant in the first k| / R, where R counts all relevant documents judged.

    Reading: what a system that reads the first k documents on can still use.
    Not for: pools that are far from complete; unjudged relevant documents are not in R.
    """
    over = r.relevant_count(m.rel)
    if m.denominator == "min(R,k)" and m.k is not None:
        over = np.minimum(over, m.k)
    elif m.denominator == "min(R,retrieved)":
        over = np.minimum(over, r.depth(m.k))
    return hits_within(r, r.relevant(m.rel), m.k, over)
