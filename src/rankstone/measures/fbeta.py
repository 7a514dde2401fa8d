"""F-measure."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, counted, measure
from rankstone.measures.param import REL, K, Param

_BETA = Param(
    "beta", float, "how many times as much recall counts as precision", 1, above=0, tries=(0.5, 2)
)


@measure(
    "F",
    "F-measure",
    params=(K, REL, _BETA),
    conventions=("ties", "no_relevant"),
    expected=True,
    example=Example(
        "F(beta=2)@4", (1, 0, 1, 0), "5 * (2/4) * (2/3) / (4 * (2/4) + 2/3)", missed=(1,)
    ),
)
def F(r: Ranked, m: Measure) -> Working:
    """The weighted harmonic mean of precision and recall.

    F = (1 + beta^2) P R / (beta^2 P + R)

    With h hits among the first k and R relevant documents this is
    (1 + beta^2) h / (beta^2 R + k): one division, so correctly rounded for beta = 1.
    Without k, precision is over the number retrieved.

    Reading: one number for set retrieval, beta times as much weight on recall.
    Not for: rankings; the order within the first k does not matter.
    """
    weight = float(m.beta) ** 2
    size = r.retrieved if m.k is None else np.full(len(r), m.k)
    over = weight * r.relevant_count(m.rel) + size
    hit = r.relevant(m.rel)
    if r.conventions.sums == "plain" and not r.ties_averaged:
        found = segments.total(counted(r, hit, m.k), r.offsets)
        precision = found / np.maximum(size, 1)
        recall = found / np.maximum(r.relevant_count(m.rel), 1)
        both = np.where(found > 0, weight * precision + recall, 1.0)
        return Working(value=(weight + 1.0) * precision * recall / both)
    return Working((1 + weight) * counted(r, hit, m.k), over, columns={"relevant": hit}, cut=True)
