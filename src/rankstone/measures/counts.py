"""Counts of queries and documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, K
from rankstone.measures.summation import Sum, Value, total

# What the definitions of counts have in common.
_COUNT: dict[str, Any] = {
    "range": (0.0, np.inf),
    "aggregate": "sum",
    "undefined_without_relevant": False,
    "supports_expected_ties": True,
    "conventions": (),
}


@measure("Number of queries", example=Example("NumQ", (1, 0), "1"), **_COUNT)
def NumQ(r: Ranked, m: Measure) -> Value:  # noqa: ARG001
    """1 for each evaluated query; in all, the number of queries evaluated.

    Reading: the size of the evaluation, to be read beside every mean.
    Not for: quality; it counts queries.
    """
    return Value(r, np.ones(len(r)), "1")


@measure(
    "Number retrieved",
    params=(K,),
    example=Example("NumRet", (1, 0, None), "3"),
    **(_COUNT | {"conventions": ("duplicates", "unjudged")}),
)
def NumRet(r: Ranked, m: Measure) -> Value:
    """The number of distinct documents retrieved, at most k; in all, their sum.

    NumRet@k = min(n, k), for n documents retrieved

    Reading: how much a user is shown.
    Not for: quality; relevant or not, a document counts.
    """
    if m.k is None:
        return Value(r, r.retrieved, "n", lambda: {"n": r.retrieved})
    return Value(r, r.depth(m.k), "min(n, k)", lambda: {"n": r.retrieved, "k": m.k})


@measure(
    "Number relevant", params=(REL,), example=Example("NumRel", (1, 0), "2", missed=(3,)), **_COUNT
)
def NumRel(r: Ranked, m: Measure) -> Value:
    """The number of relevant documents judged, retrieved or not; in all, their sum.

    NumRel = h + m, for h relevant documents retrieved and m others

    Reading: how much there is to be found, according to the judgments.
    Not for: rankings; it depends on the judgments alone.
    """
    relevant, hit = r.relevant_count(m.rel), r.relevant(m.rel)
    working = Sum(r, hit, columns={"relevant": hit})
    return Value(
        r, relevant, "h + m", lambda: {"h": total(working), "m": relevant - total(working)}, working
    )


@measure(
    "Number relevant retrieved",
    params=(K, REL),
    example=Example("NumRelRet@2", (1, 0, 1), "1"),
    **(_COUNT | {"conventions": ("ties",)}),
)
def NumRelRet(r: Ranked, m: Measure) -> Sum:
    """The number of relevant documents among the first k; in all, their sum.

    Reading: what was found, as a count.
    Not for: comparing queries; those with many relevant documents decide the sum.
    """
    hit = r.relevant(m.rel)
    return Sum(r, hit, k=m.k, columns={"relevant": hit})


@measure(
    "Number non-relevant retrieved",
    params=(REL,),
    higher_is_better=False,
    reads_nonrelevant=True,
    example=Example("NumNonrelRet", (1, 0, None, 0), "2"),
    **_COUNT,
)
def NumNonrelRet(r: Ranked, m: Measure) -> Sum:
    """The number of retrieved documents that were judged not relevant; in all, their sum.

    Reading: documents that were shown and are known not to be relevant.
    Not for: quality where many documents are unjudged; they do not count.
    """
    hit = r.relevant(m.rel)
    return Sum(r, ~hit, columns={"relevant": hit})
