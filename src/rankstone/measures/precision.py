"""Precision and R-precision."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K, Number
from rankstone.measures.summation import Sum

_DENOMINATOR = Choice(
    name="denominator",
    text="what hits are divided by if fewer than k documents were retrieved",
    words={
        "k": "k, as if irrelevant documents filled the list",
        "retrieved": "the number retrieved",
        "min(k,R)": "k, or the number of relevant documents if that is smaller",
    },
)

_MULTIPLE = Number(
    name="multiple",
    text="number of documents that are looked at, as a multiple of R",
    default=1,
    above=0,
    examples=(0.2, 0.5, 1, 2),
)


@measure(
    "Precision",
    params=(K, REL, _DENOMINATOR),
    conventions=("ties", "unjudged"),
    supports_expected_ties=True,
    mistaken_for=("R", "Success"),
    example=Example("P@5", (1, 0, 1, None, 1), "3 / 5", missed=(1,)),
)
def P(r: Ranked, m: Measure) -> Sum:
    """The share of the first k documents that are relevant.

    P@k = |relevant in the first k| / k; without k, over the number retrieved.

    Reading: a user who looks at exactly k documents and does not care about their order.
    Not for: comparing queries with very different numbers of relevant documents; with fewer
    than k of them even a perfect ranking stays below 1.
    Reference: Kent et al., Machine literature searching VIII, American Documentation 1955.
    """
    hit, below = r.relevant(m.rel), r.depth(m.k)
    if m.k is not None and m.denominator != "retrieved":
        below = np.full(len(r), m.k)
    if m.denominator == "min(k,R)":
        below = np.minimum(below, r.relevant_count(m.rel))
    return Sum(r, hit, k=m.k, denominator=below, columns={"relevant": hit})


@measure(
    "R-precision",
    params=(REL, _MULTIPLE),
    conventions=("ties", "unjudged"),
    supports_expected_ties=True,
    example=Example("Rprec", (1, 0, 1, 1), "2 / 3"),
)
def Rprec(r: Ranked, m: Measure) -> Sum:
    """Precision at rank R, where R is the number of relevant documents of the query.

    Rprec = |relevant in the first R| / R

    ``multiple`` looks at c = multiple * R documents instead, and divides by c; c is rounded up
    if its fraction is 0.1 or more.

    Reading: the point where precision and recall are equal.
    Not for: judging the top of long rankings when R is large.
    Reference: Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.
    """
    count = r.relevant_count(m.rel)
    if m.multiple != 1:
        count = (m.multiple * count + 0.9).astype(np.int64)
    hit = r.relevant(m.rel)
    return Sum(r, hit, k=count, denominator=count, columns={"relevant": hit})
