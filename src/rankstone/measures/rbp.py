"""Rank-biased precision and what it leaves open."""

from __future__ import annotations

import math

import numpy as np

from rankstone.core import pairs, segments
from rankstone.core.pairs import Pair
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, is_judged, measure
from rankstone.measures.dcg import UNLISTED, gain_of
from rankstone.measures.param import REL, Choice, K, Number, Table
from rankstone.measures.summation import Terms, Value, by_sums, single

_P = Number(
    name="p",
    text="persistence: the probability that the user reads on",
    default=0.8,
    above=0,
    below=1,
    examples=(0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99),
)
_GAIN = Table(
    name="gain",
    text="gain of a grade, from 0 to 1; a table such as {1: 0.5, 2: 1} gives it by hand "
    "(divided by its highest gain, if that is above 1)",
    default="binary",
    words={
        "binary": "1 for a relevant document",
        "scaled": "the grade over the highest grade of the query, if that is above 1",
    },
    examples=({1: 0.5, 2: 1}, {0: 1, 1: 3}),
)


def _weights(r: Ranked, p: float) -> Pair:
    """Return (1 - p) * p^(rank - 1) of each row."""
    deepest = int(r.rank.max(initial=1))
    high, low = by_sums(
        r,
        exact=lambda: _exact_weights(deepest, p),
        plain=lambda: single((1 - p) * _powers(p, deepest - 1)),
    )
    return high[r.rank - 1], low[r.rank - 1]


def _exact_weights(deepest: int, p: float) -> Pair:
    rest = pairs.two_sum(np.ones(1), np.full(1, -p))
    return pairs.multiply(pairs.power(p, np.arange(deepest)), rest)


def _powers(p: float, highest: int) -> np.ndarray:
    """Return the powers of p from 0 to the highest, multiplied up one after the other."""
    powers = np.full(highest + 1, float(p))
    powers[0] = 1.0
    return np.multiply.accumulate(powers)


def _scaled_gains(r: Ranked, m: Measure) -> np.ndarray:
    gain = gain_of(r, m, r.grade)
    if m.gain == "binary":
        return gain
    listed = max((value for table in m.tables for _, value in table), default=0.0)
    best = gain_of(r, m, r.judged_grade)
    top = segments.largest(best, r.judged_offsets[:-1], r.judged_offsets[1:])
    top = np.maximum(top, listed)
    return gain / np.where(top > 1, top, 1.0)[segments.numbers(r.offsets)]


@measure(
    "RBP",
    "Rank-biased precision",
    params=(K, REL, _P, _GAIN, UNLISTED),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    gain=gain_of,
    reaches_max=False,
    example=Example("RBP(p=0.5)", (1, 0, 1), "0.5 * (1 + 0.25)"),
)
def RBP(r: Ranked, m: Measure) -> Terms:
    """The expected gain per document of a user who reads on with probability p.

    RBP = (1 - p) * sum over ranks i of gain_i * p^(i - 1)

    Reading: a user who reads on with probability p: impatient with p = 0.5, patient with
    p = 0.95, which is 20 documents on average.
    Not for: short rankings on its own; RBPResidual says how much the unseen ranks could add.
    Reference: Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness,
    TOIS 2008.
    """
    gain, weight = _scaled_gains(r, m), _weights(r, m.p)
    terms = by_sums(
        r,
        exact=lambda: pairs.multiply(single(gain), weight),
        plain=lambda: single(gain * weight[0]),
    )
    return Terms(r, terms, k=m.k, columns={"gain": gain, "weight": weight[0]})


@measure(
    "RBPResidual",
    "Residual of rank-biased precision",
    params=(
        _P,
        Choice(
            name="tail",
            text="the ranks below the last document",
            default="open",
            words={
                "open": "are left open",
                "unjudged": "are left open if some retrieved document was not judged, as in trec_eval",
            },
        ),
    ),
    conventions=("ties", "unjudged"),
    higher_is_better=False,
    undefined_without_relevant=False,
    gain=is_judged,
    reaches_max=False,
    example=Example("RBPResidual(p=0.5)", (1, None, 1), "0.5**3 + 0.5 * 0.5"),
)
def RBPResidual(r: Ranked, m: Measure) -> Value:
    """How much higher RBP could be if all that was not judged were relevant.

    RBPResidual = t + (1 - p) * s, for t = p^n and s = sum over unjudged documents at rank i of p^(i - 1)

    n documents were retrieved; t is the weight of all ranks below them.

    Reading: RBP and RBP + RBPResidual are bounds for the value under complete judgments.
    Not for: telling rankings apart.
    Reference: Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness,
    TOIS 2008.
    """
    below = np.ones(len(r), bool)
    if m.tail == "unjudged":
        below = segments.lengths(r.offsets) < r.retrieved
    value, tail = by_sums(
        r,
        exact=lambda: _exact_residual(r, m.p, below),
        plain=lambda: _plain_residual(r, m.p, below),
    )
    return Value(
        r,
        value,
        "t + (1 - p) * s",
        lambda: {"t": tail, "p": m.p, "s": (value - tail) / (1 - m.p)},
    )


def _exact_residual(r: Ranked, p: float, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the value, and the weight of the ranks below the last document if they count.

    Unjudged documents from rank a to rank b have the weight p^(a - 1) - p^b.
    """
    last = np.insert(r.rank, r.offsets[1:], r.retrieved + 1) - 1
    offsets = r.offsets + np.arange(len(r.offsets))
    before = np.zeros(len(last), np.int64)
    before[1:] = last[:-1] + 1
    before[offsets[:-1]] = 0
    weight = pairs.subtract(pairs.power(p, before), pairs.power(p, last))
    tail = tuple(np.where(below, part, 0.0) for part in pairs.power(p, r.retrieved))
    high, low = (np.insert(w, offsets[1:], t) for w, t in zip(weight, tail, strict=True))
    return segments.total(high, offsets + np.arange(len(offsets)), low), tail[0]


def _plain_residual(r: Ranked, p: float, below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the same, added up rank by rank to where a weight is next to nothing."""
    depth = min(int(r.retrieved.max(initial=0)), int(math.log(1e-20) / math.log(p)) + 1)
    near = r.rank <= depth
    judged = np.zeros((depth, len(r)), bool)
    judged[r.rank[near] - 1, segments.numbers(r.offsets)[near]] = True
    total = np.zeros(len(r))
    for i, power in enumerate(_powers(p, depth)[:depth].tolist()):
        total += np.where(judged[i] | (r.retrieved <= i), 0.0, power)
    tail = np.where(below, _powers(p, int(r.retrieved.max(initial=0)))[r.retrieved], 0.0)
    return tail + (1 - p) * total, tail
