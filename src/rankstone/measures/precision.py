"""Precision and R-precision."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, counted, hits_within, measure
from rankstone.measures.param import REL, K, Param

_DENOMINATOR = Param(
    "denominator",
    str,
    "what hits are divided by where fewer than k documents were retrieved",
    default="k",
    choices={
        "k": "k, as if irrelevant documents filled the list",
        "retrieved": "the number retrieved",
        "min(k,R)": "k, or the number of relevant documents if that is smaller",
    },
)

_MULTIPLE = Param("multiple", float, "how many times R documents are looked at", 1, above=0)


@measure(
    "P",
    "Precision",
    params=(K, REL, _DENOMINATOR),
    conventions=("ties", "unjudged", "no_relevant"),
    expected=True,
    example=Example("P@5", (1, 0, 1, None, 1), "3 / 5", missed=(1,)),
)
def P(r: Ranked, m: Measure) -> Working:
    """The share of the first k documents that are relevant.

    P@k = |relevant in the first k| / k; without k, over the number retrieved.

    Reading: a user who looks at exactly k documents and does not care about their order.
    Not for: comparing queries with very different numbers of relevant documents; with fewer
    than k of them even a perfect ranking stays below 1.
    """
    over = r.depth(m.k)
    if m.k is not None and m.denominator != "retrieved":
        over = np.full(len(r), m.k)
    if m.denominator == "min(k,R)":
        over = np.minimum(over, r.relevant_count(m.rel))
    return hits_within(r, r.relevant(m.rel), m.k, over)


@measure(
    "Rprec",
    "R-precision",
    params=(REL, _MULTIPLE),
    conventions=("ties", "unjudged", "no_relevant"),
    expected=True,
    example=Example("Rprec", (1, 0, 1, 1), "2 / 3"),
)
def Rprec(r: Ranked, m: Measure) -> Working:
    """Precision at rank R, where R is the number of relevant documents of the query.

    Rprec = |relevant in the first R| / R

    ``multiple`` looks at c = multiple * R documents instead, and divides by c; c is rounded up
    where its fraction is 0.1 or more.

    Reading: the point where precision and recall are equal.
    Not for: judging the top of long rankings when R is large.
    """
    count = r.relevant_count(m.rel)
    if m.multiple != 1:
        count = (m.multiple * count + 0.9).astype(np.int64)
    hit = r.relevant(m.rel)
    return Working(counted(r, hit, count), count, columns={"relevant": hit}, cut=True)
