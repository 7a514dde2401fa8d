"""Signs that a number may not mean what it seems to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.core.text import decode
from rankstone.errors import Notice, plural

_LOW = 0.5


def without_relevant(ranked: Ranked) -> list[Notice]:
    """Say how many queries have no relevant document, since that lowers or thins every mean."""
    empty = ranked.relevant_count() == 0
    n = int(empty.sum())
    if not n:
        return []
    rule = ranked.conventions.no_relevant
    text = f"{n} of {plural(len(empty), 'query')} without a relevant document; no_relevant={rule}"
    examples = tuple(str(ranked.queries[i]) for i in np.flatnonzero(empty)[:3].tolist())
    return [Notice("no-relevant", n, text, examples, "note")]


def judged_share(ranked: Ranked, cuts: Iterable[int | None]) -> list[Notice]:
    """Say so where fewer than half of the documents down to the first cut-off are judged.

    Only queries with at least as many judged documents as the cut-off count: where judgments
    are sparse by design, a low share means nothing.
    """
    if ranked.lists is not None and ranked.lists.mask is None:
        return []
    k = min((c for c in cuts if c is not None), default=0)
    rich = (np.diff(ranked.judged_offsets) >= k) & (ranked.retrieved > 0)
    if not k or not rich.any():
        return []
    judged = segments.count(ranked.rank <= k, ranked.offsets)[rich].sum()
    share = judged / ranked.depth(k)[rich].sum()
    if share >= _LOW:
        return []
    text = f"only {share:.0%} of the documents down to rank {k} are judged; the rest count as not relevant"
    return [Notice("judged-share", int(judged), text, level="note")]


def judgment_notices(scan: dict[str, Any]) -> list[Notice]:
    """Return the notices on judgments that an engine read."""
    return [
        *commented_notices(scan),
        *repeated_notices(scan),
        *negative_notices(scan["grades"]),
    ]


def commented_notices(scan: dict[str, Any]) -> list[Notice]:
    """Say how many comments would be rows, since an id may start with # too."""
    n = int(scan["commented"])
    text = f"{plural(n, 'row')} after a # at the start of the line; read as comments"
    return [Notice("commented-rows", n, text)] if n else []


def repeated_notices(scan: dict[str, Any]) -> list[Notice]:
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
        n = int(scan[key])
        if n:
            query, doc = map(decode, scan[f"{key}_example"])
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
