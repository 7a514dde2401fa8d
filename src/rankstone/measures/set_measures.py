"""Measures of the retrieved set, whatever its order."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Number
from rankstone.measures.summation import Sum, Value


def _weight(name: str, of: str, default: float, example: float) -> Number:
    text = f"weight of a document that is {of}"
    return Number(name=name, text=text, default=default, examples=(default, example))


@measure(
    "Utility of the retrieved set",
    params=(
        REL,
        _weight("hit", "relevant and retrieved", 1, 2),
        _weight("noise", "retrieved and not relevant", -1, -0.1),
        _weight("miss", "relevant and not retrieved", 0, -1),
        _weight("rest", "neither relevant nor retrieved", 0, 0.5),
        Number(
            name="collection",
            text="number of documents in the collection",
            type=int,
            default=0,
            above=-1,
            examples=(0, 1000),
        ),
    ),
    range=(-np.inf, np.inf),
    undefined_without_relevant=False,
    supports_expected_ties=True,
    conventions=(),
    example=Example("Utility(hit=2)", (1, 0, 1), "2*2 - 1"),
)
def Utility(r: Ranked, m: Measure) -> Value:
    """The weighted count of documents that were retrieved or missed.

    Utility = hit * a + noise * b + miss * c + rest * d, for a relevant documents retrieved, b other
    documents retrieved, c relevant documents missed and d = collection - a - b - c others

    Reading: filtering, where each document that is shown costs or earns something.
    Not for: rankings; the order does not matter.
    Reference: Lewis, The TREC-4 filtering track, TREC 1995.
    """
    hit = r.relevant(m.rel)
    a = segments.count(hit, r.offsets)
    b, c = r.retrieved - a, r.relevant_count(m.rel) - a
    counts = {"a": a, "b": b, "c": c, "d": m.collection - a - b - c}
    weights = {name: float(m.get(name)) for name in ("hit", "noise", "miss", "rest")}
    value = m.hit * a + m.noise * b + m.miss * c + m.rest * counts["d"]
    return Value(
        r,
        value,
        "hit * a + noise * b + miss * c + rest * d",
        lambda: {**weights, **counts},
        Sum(r, hit, columns={"relevant": hit}),
    )


@measure(
    "Average precision of a set",
    params=(REL,),
    supports_expected_ties=True,
    conventions=(),
    example=Example("SetAP", (1, 0, 1, 0), "2 * 2 / (4 * 3)", missed=(1,)),
)
def SetAP(r: Ranked, m: Measure) -> Value:
    """Precision times recall of the retrieved set.

    SetAP = h^2 / (n R), for h relevant documents among n retrieved and R in all

    Reading: average precision if every relevant document retrieved has the precision of the set.
    Not for: rankings; the order does not matter.
    """
    hit, relevant = r.relevant(m.rel), r.relevant_count(m.rel)
    h = segments.count(hit, r.offsets)
    return Value(
        r,
        h * h / np.maximum(r.retrieved * relevant, 1),
        "h * h / max(n * R, 1)",
        lambda: {"h": h, "n": r.retrieved, "R": relevant},
        Sum(r, hit, columns={"relevant": hit}),
    )
