"""How far documents moved from one ranking to another."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def paired_reciprocal_rank(before: Array, after: Array) -> Array:
    """Return the change of reciprocal ranks as a share: -1 to 1, above 0 if a document fell.

    If the rank rose or stayed, after / before - 1; if it fell, 1 - before / after.

    >>> paired_reciprocal_rank(np.array([1, 4, 2]), np.array([4, 1, 2])).tolist()
    [0.75, -0.75, 0.0]
    """
    return np.where(before >= after, after / before - 1, 1 - before / after)
