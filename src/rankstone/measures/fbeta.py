"""F-measure."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, K, Number
from rankstone.measures.summation import Sum, Value, is_exact, total, values

_BETA = Number(
    name="beta",
    text="weight of recall, as a multiple of that of precision",
    default=1,
    above=0,
    examples=(0.5, 1, 2),
)


@measure(
    "F-measure",
    params=(K, REL, _BETA),
    supports_expected_ties=True,
    example=Example(
        "F(beta=2)@4", (1, 0, 1, 0), "5 * (2/4) * (2/3) / (4 * (2/4) + 2/3)", missed=(1,)
    ),
)
def F(r: Ranked, m: Measure) -> Sum | Value:
    """The weighted harmonic mean of precision and recall.

    F = (1 + beta^2) P R / (beta^2 P + R)

    With h hits among the first k and R relevant documents this is
    (1 + beta^2) h / (beta^2 R + k): one division, so correctly rounded for beta = 1.
    Without k, precision is over the number retrieved.

    Reading: one number for set retrieval, beta times as much weight on recall.
    Not for: rankings; the order within the first k does not matter.
    Reference: van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """
    # 15 digits: a tool's beta^2, kept as its square root, comes back without a rounding error.
    weight = float(f"{float(m.beta) ** 2:.15g}")
    hit, relevant = r.relevant(m.rel), r.relevant_count(m.rel)
    size = r.retrieved if m.k is None else np.full(len(r), m.k)
    below, columns = weight * relevant + size, {"relevant": hit}
    once = Sum(r, (1 + weight) * hit, k=m.k, denominator=below, columns=columns)
    if r.ties_averaged:
        return once
    working = Sum(r, hit, k=m.k, columns=columns)

    precision, recall, below = _both(working, weight, relevant, size)
    return Value(
        r,
        values(once) if is_exact(r) else (weight + 1.0) * precision * recall / below,
        "(1 + w) * P * R / b",
        lambda: {"w": weight, "P": precision, "R": recall, "b": below},
        working,
    )


def _both(
    working: Sum, weight: float, relevant: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return precision and recall, each rounded, and the divisor of their product."""
    hits = total(working)
    precision, recall = hits / np.maximum(size, 1), hits / np.maximum(relevant, 1)
    return precision, recall, np.where(hits > 0, weight * precision + recall, 1.0)
