"""The grades of the first documents as text, trec_eval's ``relstring``."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked


def relevance_strings(r: Ranked, length: int) -> list[str]:
    """Return the grades of the first documents of each query, a character for each.

    Grades above 9 are ``>``; ``-`` was not in the pool, ``.`` was in it without a judgment.
    """
    shown = np.full((len(r), length), b"-", "S1")
    near = r.rank <= length
    grade = r.grade[near].astype(np.int64)
    digits = np.array([*b"0123456789>"], np.uint8).view("S1")
    shown[segments.numbers(r.offsets)[near], r.rank[near] - 1] = digits[np.minimum(grade, 10)]
    if r.pooled is not None and r.pooled_offsets is not None:
        near = r.pooled <= length
        shown[segments.numbers(r.pooled_offsets)[near], r.pooled[near] - 1] = b"."
    text = shown.tobytes().decode("ascii")
    depth = r.depth(length).tolist()
    return [text[q * length : q * length + n] for q, n in enumerate(depth)]
