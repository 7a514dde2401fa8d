"""What is worth saying about judgments as they were read."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankstone.errors import Notice, plural


def repeated_notices(found: dict[str, Any]) -> list[Notice]:
    """Say how many judgments were given more than once, and how many of them disagree."""
    notices = []
    for key, code, what, rule in (
        ("repeated", "repeated-judgments", "repeated judgment", "each counts once"),
        (
            "contradicting",
            "contradicting-judgments",
            "contradicting judgment",
            "the highest grade of a document counts",
        ),
    ):
        n = int(found[key])
        if n:
            query, doc = (p.decode("utf-8", "surrogateescape") for p in found[f"{key}_example"])
            notices.append(
                Notice(code, n, f"{plural(n, what)}; {rule}", (f"document {doc} of query {query}",))
            )
    return notices


def negative_notices(grades: np.ndarray) -> list[Notice]:
    """Say how many grades are negative."""
    n = int((grades < 0).sum())
    text = (
        f"{plural(n, 'negative grade')}; gain 0, and the convention 'negatives' says what is meant"
    )
    return [Notice("negative-grades", n, text)] if n else []
