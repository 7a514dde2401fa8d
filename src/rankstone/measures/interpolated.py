"""Interpolated precision."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, measure
from rankstone.measures.param import REL, Param

_ROUNDING = Param(
    "rounding",
    str,
    "how many documents a share of R is, where it is no whole number",
    default="nearest",
    choices={
        "nearest": "the nearest whole number, as in trec_eval 10",
        "up": "rounded up where the fraction is 0.1 or more, as in trec_eval 9",
    },
)
_TENTHS = (0, *(i / 10 for i in range(1, 10)), 1)
_RECALL = Param("recall", float, "recall from which on the best precision counts", 0, within=(0, 1))


def interpolated(r: Ranked, rel: float | None, recall: float, rounding: str) -> np.ndarray:
    """Return the best precision at any relevant document from that recall on."""
    hit = np.flatnonzero(r.relevant(rel))
    offsets = np.searchsorted(hit, r.offsets)
    share = recall * r.relevant_count(rel)
    if rounding == "up":
        needed = (share + 0.9).astype(np.int64)
    else:
        needed = np.floor(share).astype(np.int64)
        needed += share - needed >= 0.5
    begin = offsets[:-1] + np.maximum(needed, 1) - 1
    return segments.largest(r.hits(rel)[hit] / r.rank[hit], begin, offsets[1:])


@measure(
    "IPrec",
    "Interpolated precision",
    params=(REL, _RECALL, _ROUNDING),
    at="recall",
    conventions=("ties", "no_relevant"),
    example=Example("IPrec@0.5", (0, 1, 0, 1, 1), "3 / 5", missed=(1,)),
)
def IPrec(r: Ranked, m: Measure) -> Working:
    """The best precision at any rank from which on a share of the relevant documents is found.

    IPrec@s = max of P@i over ranks i where recall is s or more

    Reading: a point of the precision-recall curve, drawn so that it never rises.
    Not for: ranks that nobody looks at; recall 1 may be reached there.
    """
    return Working(value=interpolated(r, m.rel, m.recall, m.rounding))


@measure(
    "AvgIPrec",
    "Mean interpolated precision",
    params=(
        REL,
        Param("points", float, "the recalls", _TENTHS, within=(0, 1), many=True),
        _ROUNDING,
    ),
    conventions=("ties", "no_relevant"),
    example=Example("AvgIPrec(points=(0, 0.5, 1))", (1, 0, 1), "(1 + 1 + 2/3) / 3"),
)
def AvgIPrec(r: Ranked, m: Measure) -> Working:
    """The mean of interpolated precision at some recalls; at 0, 0.1, ... 1 unless told.

    AvgIPrec = 1/n * sum over the points s of IPrec@s

    Reading: the area under the interpolated precision-recall curve, as it was measured before
    average precision.
    Not for: new work; AP uses every relevant document.
    """
    total = np.zeros(len(r))
    for point in sorted(m.points, reverse=True):
        total += interpolated(r, m.rel, point, m.rounding)
    return Working(value=total / max(len(m.points), 1))
