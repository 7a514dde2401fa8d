"""Interpolated precision."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, Number, Several
from rankstone.measures.summation import Terms, Value

_ROUNDING = Choice.of(
    "rounding",
    "how many documents a share of R is, if it is not a whole number",
    nearest="the nearest whole number, as in trec_eval 10",
    up="rounded up if the fraction is 0.1 or more, as in trec_eval 9",
)
_RECALL = Number(
    name="recall",
    text="recall from which on the highest precision counts",
    default=0,
    within=(0, 1),
    examples=(0, 0.1, 0.2, 0.5, 1),
)

_TENTHS = (0, *(i / 10 for i in range(1, 10)), 1)


def _precisions(
    r: Ranked, rel: float | None, recall: float, rounding: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows of relevant documents, and for each query which of them have that recall."""
    hit = np.flatnonzero(r.relevant(rel))
    offsets = np.searchsorted(hit, r.offsets)
    share = recall * r.relevant_count(rel)
    if rounding == "up":
        needed = (share + 0.9).astype(np.int64)
    else:
        needed = np.floor(share).astype(np.int64)
        needed += share - needed >= 0.5
    return hit, offsets[:-1] + np.maximum(needed, 1) - 1, offsets[1:]


def interpolated(r: Ranked, rel: float | None, recall: float, rounding: str) -> np.ndarray:
    """Return the highest precision at any relevant document from that recall on."""
    hit, begin, end = _precisions(r, rel, recall, rounding)
    return segments.largest(r.hits(rel)[hit] / r.rank[hit], begin, end)


def _where(r: Ranked, m: Measure) -> dict[str, np.ndarray | float]:
    """Return the hits and the rank where the precision is highest."""
    rows, begin, end = _precisions(r, m.rel, m.recall, m.rounding)
    precision = r.hits(m.rel)[rows] / r.rank[rows]
    hits, rank = np.zeros(len(r)), np.ones(len(r))
    for q, (a, b) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        if a < b:
            best = rows[a + int(precision[a:b].argmax())]
            hits[q], rank[q] = r.hits(m.rel)[best], r.rank[best]
    return {"h": hits, "i": rank}


@measure(
    "Interpolated precision",
    params=(REL, _RECALL, _ROUNDING),
    cutoff_param="recall",
    example=Example("IPrec@0.5", (0, 1, 0, 1, 1), "3 / 5", missed=(1,)),
)
def IPrec(r: Ranked, m: Measure) -> Value:
    """The highest precision at any rank where recall is at least s.

    IPrec@s = max of P@i = h / i over ranks i where recall is s or more, for h hits down to rank i

    Reading: a point of the precision-recall curve, drawn so that it never rises.
    Not for: ranks that nobody looks at; recall 1 may be reached there.
    Reference: Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, chapter
    8.
    """
    value = interpolated(r, m.rel, m.recall, m.rounding)
    return Value(r, value, "h / i", lambda: _where(r, m))


@measure(
    "Mean interpolated precision",
    params=(
        REL,
        Several(
            name="points",
            text="the recalls",
            default=_TENTHS,
            within=(0, 1),
            examples=((0, 0.5, 1), (0.2, 0.5, 0.8)),
        ),
        _ROUNDING,
    ),
    example=Example("AvgIPrec(points=(0, 0.5, 1))", (1, 0, 1), "(1 + 1 + 2/3) / 3"),
)
def AvgIPrec(r: Ranked, m: Measure) -> Terms:
    """The mean of interpolated precision at some recalls, by default at 0, 0.1, ... 1.

    AvgIPrec = 1/n * sum over the n points s of IPrec@s

    Reading: the area under the interpolated precision-recall curve, as it was measured before
    average precision.
    Not for: new work; AP uses every relevant document.
    Reference: Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, chapter
    8.
    """
    points = sorted(m.points, reverse=True)
    each = [interpolated(r, m.rel, point, m.rounding) for point in points]
    return Terms(
        r,
        np.array(each).reshape(len(points), len(r)).T.reshape(-1),
        np.full(len(r), len(points)),
        columns={"recall": np.tile(np.array(points, np.float64), len(r))},
        offsets=np.arange(len(r) + 1) * len(points),
    )
