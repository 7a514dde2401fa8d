"""Counts of queries and documents."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, hits_within, measure
from rankstone.measures.param import REL, K


@measure(
    "NumQ",
    "Number of queries",
    range=(0.0, np.inf),
    aggregate="sum",
    needs_relevant=False,
    expected=True,
    example=Example("NumQ", (1, 0), "1"),
)
def NumQ(r: Ranked, m: Measure) -> Working:  # noqa: ARG001
    """1 for each evaluated query; in all, the number of queries evaluated."""
    return Working(value=np.ones(len(r)))


@measure(
    "NumRet",
    "Number retrieved",
    params=(K,),
    range=(0.0, np.inf),
    aggregate="sum",
    conventions=("duplicates", "unjudged"),
    needs_relevant=False,
    expected=True,
    example=Example("NumRet", (1, 0, None), "3"),
)
def NumRet(r: Ranked, m: Measure) -> Working:
    """The number of distinct documents retrieved, at most k; in all, their sum."""
    return Working(value=r.depth(m.k))


@measure(
    "NumRel",
    "Number relevant",
    params=(REL,),
    range=(0.0, np.inf),
    aggregate="sum",
    needs_relevant=False,
    expected=True,
    example=Example("NumRel", (1, 0), "2", missed=(3,)),
)
def NumRel(r: Ranked, m: Measure) -> Working:
    """The number of relevant documents judged, retrieved or not; in all, their sum."""
    return Working(value=r.relevant_count(m.rel))


@measure(
    "NumRelRet",
    "Number relevant retrieved",
    params=(K, REL),
    range=(0.0, np.inf),
    aggregate="sum",
    conventions=("ties",),
    needs_relevant=False,
    expected=True,
    example=Example("NumRelRet@2", (1, 0, 1), "1"),
)
def NumRelRet(r: Ranked, m: Measure) -> Working:
    """The number of relevant documents among the first k; in all, their sum."""
    return hits_within(r, r.relevant(m.rel), m.k)


@measure(
    "NumNonrelRet",
    "Number non-relevant retrieved",
    params=(REL,),
    range=(0.0, np.inf),
    aggregate="sum",
    higher_is_better=False,
    needs_relevant=False,
    expected=True,
    example=Example("NumNonrelRet", (1, 0, None, 0), "2"),
)
def NumNonrelRet(r: Ranked, m: Measure) -> Working:
    """The number of retrieved documents that were judged not relevant; in all, their sum."""
    return Working(~r.relevant(m.rel), columns={"relevant": r.relevant(m.rel)})
