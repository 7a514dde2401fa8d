"""Adjust p-values for the number of comparisons they come from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankstone.errors import one_of

CORRECTIONS = ("holm", "bh", "bonferroni", "none")

#: What each correction is called in output.
CORRECTION_NAMES = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "bonferroni": "Bonferroni",
    "none": "no",
    "tukey": "Tukey",
}


def adjust(p_values: Sequence[float] | np.ndarray, correction: str = "holm") -> np.ndarray:
    """Return adjusted p-values: reject where they are at most alpha.

    With the m p-values in ascending order p(1) ... p(m):

    - ``holm``: max over j <= i of (m - j + 1) p(j), for the family-wise error, step-down (Holm 1979);
    - ``bh``: min over j >= i of m p(j) / j, for the false discovery rate (Benjamini and Hochberg 1995);
    - ``bonferroni``: m p(i), for the family-wise error;
    - ``none``: p(i).

    All are at most 1. NaN (a comparison that could not be tested) stays NaN and is not counted.

    >>> adjust([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    one_of(correction, CORRECTIONS, "correction")
    p = np.asarray(p_values, np.float64)
    tested = np.flatnonzero(~np.isnan(p))
    adjusted = np.full(p.shape, np.nan)
    order = tested[np.argsort(p[tested], kind="stable")]
    ascending, m = p[order], len(order)
    rank = np.arange(1, m + 1)
    if correction == "holm":
        ascending = np.maximum.accumulate((m - rank + 1) * ascending)
    elif correction == "bh":
        ascending = np.minimum.accumulate((m / rank * ascending)[::-1])[::-1]
    elif correction == "bonferroni":
        ascending = m * ascending
    adjusted[order] = np.minimum(ascending, 1.0)
    return adjusted
