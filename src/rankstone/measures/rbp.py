"""Rank-biased precision and what it leaves open."""

from __future__ import annotations

import math

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, measure
from rankstone.measures.dcg import UNLISTED, gains_of
from rankstone.measures.param import REL, K, Param

_P = Param("p", float, "persistence: the chance that the user reads on", 0.8, above=0, below=1)
_GAIN = Param(
    "gain",
    str,
    "worth of a grade, from 0 to 1; a table such as {1: 0.5, 2: 1} gives it by hand",
    default="binary",
    choices={
        "binary": "1 for a relevant document",
        "scaled": "the grade over the highest grade of the query, if that is above 1",
    },
    table=True,
)


def _weights(rank: np.ndarray, p: float) -> np.ndarray:
    """Return p^(rank - 1), multiplied up from rank 1."""
    deepest = int(rank.max(initial=1))
    powers = np.full(deepest + 1, p)
    powers[0] = 1.0
    return np.multiply.accumulate(powers)[rank - 1]


def _unjudged(r: Ranked, p: float) -> np.ndarray:
    """Return the weight of the unjudged documents, down to where it is next to nothing."""
    depth = min(int(r.retrieved.max(initial=0)), int(math.log(1e-20) / math.log(p)) + 1)
    near = r.rank <= depth
    judged = np.zeros((depth, len(r)), bool)
    judged[r.rank[near] - 1, segments.numbers(r.offsets)[near]] = True
    total = np.zeros(len(r))
    for i, weight in enumerate(_weights(np.arange(1, depth + 1), p).tolist()):
        total += np.where(judged[i] | (r.retrieved <= i), 0.0, weight)
    return total


def _worth(r: Ranked, m: Measure) -> np.ndarray:
    if m.gain == "binary":
        return r.relevant(m.rel).astype(np.float64)
    gain = "linear" if m.gain == "scaled" else m.gain
    worth = gains_of(r, r.grade, gain, m.unlisted)
    listed = max((v for _, v in gain), default=0.0) if isinstance(gain, tuple) else 0.0
    best = gains_of(r, r.judged_grade, gain, m.unlisted)
    top = segments.largest(best, r.judged_offsets[:-1], r.judged_offsets[1:])
    top = np.maximum(top, listed)
    return worth / np.where(top > 1, top, 1.0)[segments.numbers(r.offsets)]


@measure(
    "RBP",
    "Rank-biased precision",
    params=(K, REL, _P, _GAIN, UNLISTED),
    conventions=("ties", "unjudged"),
    attained=False,
    example=Example("RBP(p=0.5)", (1, 0, 1), "0.5 * (1 + 0.25)"),
)
def RBP(r: Ranked, m: Measure) -> Working:
    """The rate at which a user gains who reads on from each document with chance p.

    RBP = (1 - p) * sum over ranks i of gain_i * p^(i - 1)

    (Moffat and Zobel, TOIS 2008.)

    Reading: p = 0.5 is an impatient user, p = 0.95 a patient one, who reads 20 documents in the
    mean.
    Not for: short rankings without RBPResidual beside it, which tells how much is left open.
    """
    worth = _worth(r, m)
    weight = (1 - m.p) * _weights(r.rank, m.p)
    return Working(worth * weight, columns={"gain": worth, "weight": weight})


@measure(
    "RBPResidual",
    "Rank-biased precision left open",
    params=(
        _P,
        Param(
            "tail",
            str,
            "the ranks below the last document",
            default="open",
            choices={
                "open": "are left open",
                "unjudged": "are left open where some retrieved document was not judged, as in trec_eval",
            },
        ),
    ),
    conventions=("ties", "unjudged"),
    higher_is_better=False,
    needs_relevant=False,
    attained=False,
    example=Example("RBPResidual(p=0.5)", (1, None, 1), "0.5**3 + 0.5 * 0.5"),
)
def RBPResidual(r: Ranked, m: Measure) -> Working:
    """How much higher RBP could be if all that was not judged were relevant.

    RBPResidual = p^n + (1 - p) * sum over unjudged documents at rank i <= n of p^(i - 1)

    n documents were retrieved; p^n is the weight of all ranks below them.

    Reading: RBP and RBP + RBPResidual are bounds for the value under complete judgments.
    Not for: telling rankings apart.
    """
    value = _weights(r.retrieved + 1, m.p) + (1 - m.p) * _unjudged(r, m.p)
    if m.tail == "unjudged":
        value = np.where(segments.lengths(r.offsets) < r.retrieved, value, 0.0)
    return Working(value=value)
