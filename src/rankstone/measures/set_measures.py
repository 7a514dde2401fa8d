"""Measures of the retrieved set, whatever its order."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, measure
from rankstone.measures.param import REL, Param


def _worth(name: str, of: str, default: float) -> Param:
    return Param(name, float, f"worth of a document that is {of}", default)


@measure(
    "Utility",
    "Utility of the retrieved set",
    params=(
        REL,
        _worth("hit", "relevant and retrieved", 1),
        _worth("noise", "retrieved and not relevant", -1),
        _worth("miss", "relevant and not retrieved", 0),
        _worth("rest", "neither relevant nor retrieved", 0),
        Param("collection", int, "number of documents in the collection", 0, above=-1),
    ),
    range=(-np.inf, np.inf),
    needs_relevant=False,
    expected=True,
    example=Example("Utility(hit=2)", (1, 0, 1), "2*2 - 1"),
)
def Utility(r: Ranked, m: Measure) -> Working:
    """The worth of a set: so much for each document found, so much for each that was missed.

    Utility = hit * a + noise * b + miss * c + rest * d, for a relevant documents retrieved, b other
    documents retrieved, c relevant documents missed and d = collection - a - b - c others

    Reading: filtering, where each document that is shown costs or earns something.
    Not for: rankings; the order does not matter.
    """
    found = segments.count(r.relevant(m.rel), r.offsets)
    relevant = r.relevant_count(m.rel)
    value = m.hit * found + m.noise * (r.retrieved - found) + m.miss * (relevant - found)
    if m.rest:
        value = value + m.rest * (m.collection + found - r.retrieved - relevant)
    return Working(value=value)


@measure(
    "SetAP",
    "Average precision of a set",
    params=(REL,),
    conventions=("no_relevant",),
    expected=True,
    example=Example("SetAP", (1, 0, 1, 0), "2 * 2 / (4 * 3)", missed=(1,)),
)
def SetAP(r: Ranked, m: Measure) -> Working:
    """Precision times recall of the retrieved set.

    SetAP = h^2 / (n R), for h relevant documents among n retrieved and R in all

    Reading: average precision where every relevant document found has the precision of the set.
    Not for: rankings; the order does not matter.
    """
    found = segments.count(r.relevant(m.rel), r.offsets)
    over = np.maximum(r.retrieved * r.relevant_count(m.rel), 1)
    return Working(value=found * found / over)
