"""How much of a ranking was judged."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, counted, measure
from rankstone.measures.param import K


@measure(
    "Judged",
    "Share judged",
    params=(K,),
    conventions=("ties", "unjudged"),
    needs_relevant=False,
    expected=True,
    example=Example("Judged@4", (1, 0, None, None, 1), "2 / 4"),
)
def Judged(r: Ranked, m: Measure) -> Working:
    """The share of the first k documents that were judged.

    Judged@k = |judged in the first k| / |first k|

    Reading: how far other measures can be trusted; what was not judged counts as not relevant.
    Not for: telling rankings apart.
    """
    every = np.ones(len(r.rank), bool)
    return Working(counted(r, every, m.k), r.depth(m.k), cut=True)


@measure(
    "Unjudged",
    "Share not judged",
    params=(K,),
    conventions=("ties", "unjudged"),
    higher_is_better=False,
    needs_relevant=False,
    attained=False,
    expected=True,
    example=Example("Unjudged@5", (1, None, None), "2 / 5"),
)
def Unjudged(r: Ranked, m: Measure) -> Working:
    """The share of the first k documents that were not judged.

    Unjudged@k = |not judged in the first k| / k; without k, over the number retrieved

    Where fewer than k documents were retrieved the missing ones count as judged.

    Reading: a red flag; a high value means that the judgments say little about the ranking.
    Not for: telling rankings apart.
    """
    every = np.ones(len(r.rank), bool)
    judged = segments.total(counted(r, every, m.k), r.offsets)
    over = r.retrieved if m.k is None else np.full(len(r), m.k)
    return Working(value=(r.depth(m.k) - judged) / np.maximum(over, 1))
