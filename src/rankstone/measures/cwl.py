"""C/W/L: the expected gain of a user who reads on, or stops, at each rank.

C is the probability of reading on after a rank, W the share of a user's attention that a rank has,
L the probability of stopping there. One of them gives the other two; the value of a ranking is the
sum of gain times W, the gain per document that is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankstone.core import discounts, pairs, segments
from rankstone.core.pairs import Pair
from rankstone.core.ranked import Ranked
from rankstone.measures.average_precision import harmonic
from rankstone.measures.base import Example, Measure, is_judged, measure
from rankstone.measures.dcg import GAIN, UNLISTED, gain_of
from rankstone.measures.err import MAX_GRADE, scale_top
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
_RBP_GAIN = Table(
    name="gain",
    text="gain of a grade, from 0 to 1; a table such as {1: 0.5, 2: 1} gives it by hand "
    "(divided by its highest gain, if that is above 1)",
    words={
        "binary": "1 for a relevant document",
        "scaled": "the grade over the highest grade of the query, if that is above 1",
    },
    examples=({1: 0.5, 2: 1}, {0: 1, 1: 3}),
)
_GAIN = Table(
    name="gain",
    text="gain of a grade, divided by that of max_grade; a table such as {1: 0.5, 2: 1} gives it by "
    "hand (divided by its highest gain, if that is above 1)",
    words=GAIN.words,
    examples=({1: 0.5, 2: 1}, {0: 1, 1: 3}),
)
_READ = replace(K, text="the user reads at most k documents (default: without end)")
_READ_LIST = replace(K, text="the user reads at most k documents (default: all retrieved ones)")
_READ_BY_PATIENCE = replace(
    K, text="the user reads at most k documents (default: as patience says)"
)
_T = Number(
    name="T",
    text="goal: the gain that the user expects to need",
    default=1,
    within=(0.5, 1e6),
    examples=(0.5, 1, 1.5, 2, 3),
)
_GOAL = Number(
    name="T",
    text="the user stops once the sum of gains is at least T",
    default=1,
    above=0,
    examples=(0.5, 1, 1.5, 2, 3),
)
_NERR_P = replace(_P, text="with patience='geometric', the probability of reading on", default=0.9)
_PATIENCE = Choice.of(
    "patience",
    "how the user reads on who finds nothing",
    none="to rank k, or to the end of the list",
    reciprocal="from rank i with probability i / (i + 1), to rank k or the end of the list",
    geometric="with probability p, without end",
    goal="from rank i with probability ((i + 2T - 1) / (i + 2T))^2, without end",
)
_GRADED = (REL, MAX_GRADE, _GAIN, UNLISTED)
_ENDLESS = 1 << 62  # a rank that nobody reaches


class _Patience(NamedTuple):
    """A user who finds nothing: the probability of reading a rank, and its sum over ranks.

    Args:
        chance: function of a rank.
        mass: function of two ranks: the sum of the chances after the first, up to the second.
    """

    chance: Callable[[np.ndarray], Pair]
    mass: Callable[[np.ndarray, np.ndarray], Pair]


_ONE = single(np.ones(1))
_TO_THE_END = _Patience(
    lambda rank: single(np.ones(len(rank))), lambda begin, end: single(end - begin)
)


def _discounted(name: str) -> _Patience:
    def mass(begin: np.ndarray, end: np.ndarray) -> Pair:
        if name == "reciprocal":
            high, low = harmonic(int(end.max(initial=0)))
            return pairs.subtract((high[end], low[end]), (high[begin], low[begin]))
        return single(discounts.discount_sums(begin, end, name))

    return _Patience(lambda rank: discounts.discount(rank, name), mass)


def _geometric(p: float) -> _Patience:
    stop = pairs.two_sum(np.ones(1), np.full(1, -p))
    return _Patience(
        lambda rank: pairs.power(p, rank - 1),
        lambda begin, end: pairs.divide(
            pairs.subtract(pairs.power(p, begin), pairs.power(p, end)), stop
        ),
    )


def _towards(goal: float, reached: Pair | None = None) -> _Patience:
    """Return a user who reads on with ((i + a - 1) / (i + a))^2 after rank i.

    Here a is 2 ``goal``, less the gain that was ``reached`` before each stop. The chance of reading
    rank i is then proportional to 1 / (i + a - 1)^2.
    """
    twice = single(np.full(1, 2.0 * goal))
    a = twice if reached is None else pairs.subtract(twice, reached)
    square = pairs.multiply(twice, twice)

    def mass(begin: np.ndarray, end: np.ndarray) -> Pair:
        ends = (_inverse_squares(pairs.add(single(rank), a)) for rank in (begin, end))
        return pairs.multiply(square, pairs.subtract(*ends))

    def chance(rank: np.ndarray) -> Pair:
        ratio = pairs.divide(twice, pairs.add(single(rank - 1), a))
        return pairs.multiply(ratio, ratio)

    return _Patience(chance, mass)


#: Bernoulli's numbers B_2, B_4, ...
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_STEPS = 20


def _inverse_squares(x: Pair) -> Pair:
    """Return the sum of 1 / (x + j)^2 over all j from 0 up, by the formula of Euler and Maclaurin."""
    total = single(np.zeros(len(x[0])))
    for j in range(_STEPS):
        y = pairs.add(x, single(np.full(1, float(j))))
        total = pairs.add(total, pairs.divide(_ONE, pairs.multiply(y, y)))
    y = pairs.divide(_ONE, pairs.add(x, single(np.full(1, float(_STEPS)))))
    square = pairs.multiply(y, y)
    rest = np.zeros(len(y[0]))
    for b in reversed(_BERNOULLI[1:]):
        rest = (rest + b) * square[0]
    sixth = pairs.divide(_ONE, single(np.full(1, 6.0)))
    last = pairs.multiply(pairs.multiply(y, square), pairs.add(sixth, single(rest)))
    return pairs.add(total, pairs.add(pairs.add(y, (square[0] / 2, square[1] / 2)), last))


def _scaled(r: Ranked, m: Measure) -> tuple[np.ndarray, float]:
    """Return the gain of each row, and the highest one there may be, which it is divided by."""
    gain = gain_of(r, m, r.grade)
    if m.gain == "binary":
        return gain, 1.0
    if m.tables:
        unlisted = scale_top(r, m) if m.unlisted == "grade" else 1.0
        return gain, max(1.0, unlisted, *(value for _, value in m.gain))
    top = float(gain_of(r, m, np.array([scale_top(r, m)]))[0])
    return gain, top if top > 0 else 1.0


class _Stops(NamedTuple):
    """The judged documents of each query down to its last rank, and that rank itself.

    Args:
        rank: rank of each.
        raw: gain of each, before it is divided by ``top``.
        top: highest gain that a document may have.
        offsets: where the stops of each query begin.
    """

    rank: np.ndarray
    raw: np.ndarray
    top: float
    offsets: np.ndarray

    @property
    def gain(self) -> Pair:
        """The gains, from 0 to 1."""
        return pairs.quotient(self.raw, np.full(len(self.raw), self.top))

    @property
    def before(self) -> np.ndarray:
        """The rank of the stop before each, 0 if there is none."""
        before = np.append(0, self.rank[:-1])
        before[self.offsets[:-1]] = 0
        return before


#: The patience of a user, and what each stop multiplies the chance of reading further by.
Model = Callable[[_Stops], tuple[_Patience, Pair | None]]


def _expected_gain(r: Ranked, m: Measure, model: Model, *, endless: bool = False) -> Terms:
    """Return the gain per document read, for the user of a model.

    Between two stops only patience matters, so its sum over these ranks is all that is needed.
    """
    if m.k is not None:
        last = np.full(len(r), m.k)
    else:
        last = np.full(len(r), _ENDLESS) if endless else r.retrieved
    query, ends = segments.numbers(r.offsets), r.offsets[1:]
    within = r.rank <= last[query]
    gain, top = _scaled(r, m)
    stops = _Stops(
        np.insert(np.minimum(r.rank, last[query]), ends, last),
        np.insert(np.where(within, gain, 0.0), ends, 0.0),
        top,
        r.offsets + np.arange(len(r.offsets)),
    )
    patience, kept = model(stops)
    scale = _ONE if kept is None else pairs.running_product(kept, stops.offsets)
    mass = pairs.multiply(scale, patience.mass(stops.before, stops.rank))
    depth = segments.total_parts(mass[0], stops.offsets, mass[1])
    chance = pairs.multiply(scale, patience.chance(stops.rank))
    rows = np.arange(len(query)) + query
    read = np.where(within, chance[0][rows], 0.0), np.where(within, chance[1][rows], 0.0)
    weight = pairs.divide(read, (depth[0][query], depth[1][query]))
    return _weighted(r, pairs.quotient(gain, np.full(len(gain), top)), read[0], weight)


def _weighted(r: Ranked, gain: Pair, read: np.ndarray, weight: Pair, k: int | None = None) -> Terms:
    """Return the sum of gain times weight; a row is read with the probability ``read``."""
    columns = {"gain": gain[0], "read": read, "weight": weight[0]}
    return Terms(r, pairs.multiply(gain, weight), k=k, columns=columns)


def _rbp_gains(r: Ranked, m: Measure) -> np.ndarray:
    gain = gain_of(r, m, r.grade)
    if m.gain == "binary":
        return gain
    listed = max((value for table in m.tables for _, value in table), default=0.0)
    best = gain_of(r, m, r.judged_grade)
    top = segments.largest(best, r.judged_offsets[:-1], r.judged_offsets[1:])
    top = np.maximum(top, listed)
    return gain / np.where(top > 1, top, 1.0)[segments.numbers(r.offsets)]


def _powers(p: float, highest: int) -> np.ndarray:
    """Return the powers of p from 0 to the highest, multiplied up one after the other."""
    powers = np.full(highest + 1, float(p))
    powers[0] = 1.0
    return np.multiply.accumulate(powers)


@measure(
    "Rank-biased precision",
    params=(K, REL, _P, _RBP_GAIN, UNLISTED),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    rises=lambda m: m.gain == "binary" or (bool(m.tables) and m.unlisted != "grade"),
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
    gain = _rbp_gains(r, m)

    def exact() -> Terms:
        distinct, of_row = np.unique(r.rank, return_inverse=True)
        read = _geometric(m.p).chance(distinct)
        weight = pairs.multiply(read, pairs.two_sum(np.ones(1), np.full(1, -m.p)))
        rows = weight[0][of_row], weight[1][of_row]
        return _weighted(r, single(gain), read[0][of_row], rows, m.k)

    def plain() -> Terms:
        read = _powers(m.p, int(r.rank.max(initial=1)) - 1)[r.rank - 1]
        return _weighted(r, single(gain), read, single((1 - m.p) * read), m.k)

    return by_sums(r, exact=exact, plain=plain)


@measure(
    "Residual of rank-biased precision",
    params=(
        _P,
        Choice.of(
            "tail",
            "the ranks below the last document",
            open="are left open",
            unjudged="are left open if some retrieved document was not judged, as in trec_eval",
        ),
    ),
    conventions=("ties", "unjudged"),
    higher_is_better=False,
    undefined_without_relevant=False,
    gain=is_judged,
    reaches_max=False,
    reads_nonrelevant=True,
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
        r, value, "t + (1 - p) * s", lambda: {"t": tail, "p": m.p, "s": (value - tail) / (1 - m.p)}
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
    """Return the residual and its tail, added up rank by rank as trec_eval does."""
    depth = min(int(r.retrieved.max(initial=0)), int(math.log(1e-20) / math.log(p)) + 1)
    near = r.rank <= depth
    judged = np.zeros((depth, len(r)), bool)
    judged[r.rank[near] - 1, segments.numbers(r.offsets)[near]] = True
    total = np.zeros(len(r))
    for i, power in enumerate(_powers(p, depth)[:depth].tolist()):
        total += np.where(judged[i] | (r.retrieved <= i), 0.0, power)
    tail = np.where(below, _powers(p, int(r.retrieved.max(initial=0)))[r.retrieved], 0.0)
    return tail + (1 - p) * total, tail


def _graded(**more: Any) -> dict[str, Any]:
    """Return the settings that the measures with graded gains share, and ``more``."""
    return {
        "conventions": ("ties", "unjudged"),
        "uses_grades": True,
        "gain": gain_of,
        "reads_max_grade": lambda m: (
            m.max_grade is None and (m.unlisted == "grade" if m.tables else m.gain != "binary")
        ),
        "reaches_max": False,
        **more,
    }


@measure(
    "Scaled discounted cumulated gain",
    params=(_READ_LIST, *_GRADED),
    reads_nonrelevant=True,
    example=Example(
        "SDCG@3", (2, None, 1), "(1/log2(2) + 0.5/log2(4)) / (1/log2(2) + 1/log2(3) + 1/log2(4))"
    ),
    **_graded(rises=True),
)
def SDCG(r: Ranked, m: Measure) -> Terms:
    """The expected gain per document of a user whose attention falls like the discount of DCG.

    SDCG@k = sum over ranks i <= k of gain_i / log2(i + 1), over the sum of 1 / log2(i + 1)

    It is the DCG of the ranking over that of k documents of the highest grade.

    Reading: a user who reads rank i + 1 after rank i with probability log2(i + 1) / log2(i + 2),
    and stops at rank k.
    Not for: queries with fewer good documents than k; even the best ranking is then below 1.
    Reference: Moffat et al., Incorporating user expectations and behavior into the measurement of
    search effectiveness, TOIS 2017.
    """
    return _expected_gain(r, m, lambda _: (_discounted("log2"), None))


@measure(
    "INSQ",
    params=(_READ, _T, *_GRADED),
    example=Example(
        "INSQ(T=1)@3", (2, None, 1), "(1/2**2 + 0.5/4**2) / (1/2**2 + 1/3**2 + 1/4**2)"
    ),
    **_graded(rises=True),
)
def INSQ(r: Ranked, m: Measure) -> Terms:
    """The expected gain per document of a user who knows how much gain is needed.

    INSQ = sum over ranks i of gain_i * W_i, where W_i is proportional to 1 / (i + 2T - 1)^2

    Reading: a user with a goal of T reads on after rank i with ((i + 2T - 1) / (i + 2T))^2, about
    2T + 0.5 documents on average; the further down, the more patient.
    Not for: users who stop once they have found enough; see INST.
    Reference: Moffat, Thomas and Scholer, Users versus models: what observation tells us about
    effectiveness metrics, CIKM 2013.
    """
    return _expected_gain(r, m, lambda _: (_towards(m.T), None), endless=True)


@measure(
    "INST",
    params=(_READ, _T, *_GRADED),
    example=Example(
        "INST(T=1)@3",
        (2, None, 1),
        "(1 + 0.5 * (1/2)**2 * (2/3)**2) / (1 + (1/2)**2 + (1/2)**2 * (2/3)**2)",
    ),
    **_graded(supports_extreme_ties=False),
)
def INST(r: Ranked, m: Measure) -> Terms:
    """The expected gain per document of a user who reads on until enough was found.

    INST = sum over ranks i of gain_i * W_i, where W_(i+1) / W_i = ((i + T + t - 1) / (i + T + t))^2

    t is what is left of the goal: T less the gain down to rank i.

    Reading: a user with a goal of T, who is less likely to read on the more of it was found.
    Not for: comparing values of different T.
    Reference: Bailey et al., User variability and IR system evaluation, SIGIR 2015.
    """

    def model(stops: _Stops) -> tuple[_Patience, Pair]:
        gain = stops.gain
        found = pairs.subtract(pairs.running_sum(gain, stops.offsets), gain)
        read = stops.rank > stops.before  # not so for ranks beyond the last, which nothing follows
        reached = np.where(read, found[0], 0.0), np.where(read, found[1], 0.0)
        left = pairs.subtract(single(stops.rank - 1 + 2.0 * m.T), reached)
        ratio = pairs.divide(pairs.subtract(left, gain), left)
        return _towards(m.T, reached), pairs.multiply(ratio, ratio)

    return _expected_gain(r, m, model, endless=True)


@measure(
    "Bejeweled player model",
    params=(_READ_LIST, _GOAL, *_GRADED),
    example=Example("BPM(T=1.5)@4", (1, 2, 2), "(0.5 + 1) / 2"),
    **_graded(
        rises=lambda m: m.gain == "binary", supports_extreme_ties=lambda m: m.gain == "binary"
    ),
)
def BPM(r: Ranked, m: Measure) -> Terms:
    """The gain per document of a user who stops at a total gain of T, or after k documents.

    BPM@k = (sum over ranks i <= s of gain_i) / s, where s is the first rank at which the sum of the
    gains is at least T, at most k

    The player's expectations are fixed: they do not move with what is found.

    Reading: a user with so much to find and so much time, whichever ends first.
    Not for: telling apart what comes after rank s.
    Reference: Zhang et al., Evaluating web search with a bejeweled player model, SIGIR 2017.
    """

    def model(stops: _Stops) -> tuple[_Patience, Pair]:
        found = pairs.running_sum(single(stops.raw), stops.offsets)
        missing = pairs.subtract(found, pairs.two_product(np.full(1, m.T), np.full(1, stops.top)))
        return _TO_THE_END, single(missing[0] < 0)

    return _expected_gain(r, m, model)


@measure(
    "Nearly expected reciprocal rank",
    params=(_READ_BY_PATIENCE, _PATIENCE, _NERR_P, _T, *_GRADED),
    example=Example("NERR@3", (1, 2, 2), "(0.5 + 0.5 * 1) / (1 + 0.5)"),
    **_graded(rises=True),
)
def NERR(r: Ranked, m: Measure) -> Terms:
    """The expected gain per document of a user who stops at a document with the chance of its gain.

    NERR = sum over ranks i of gain_i * W_i, where W_(i+1) / W_i = c_i * (1 - gain_i)

    c_i is 1, i / (i + 1), p or ((i + 2T - 1) / (i + 2T))^2, by ``patience``. Unlike ERR it is the
    value of a user who weighs documents only by how likely they are to be read.

    Reading: a user who is either satisfied by a document, or runs out of patience.
    Not for: comparing with values of ERR; satisfaction is the gain here.
    Reference: Azzopardi, Mackenzie and Moffat, ERR is not C/W/L: exploring the relationship between
    expected reciprocal rank and other metrics, ICTIR 2021.
    """
    patience = {
        "none": lambda: _TO_THE_END,
        "reciprocal": lambda: _discounted("reciprocal"),
        "geometric": lambda: _geometric(m.p),
        "goal": lambda: _towards(m.T),
    }[m.patience]()
    return _expected_gain(
        r,
        m,
        lambda stops: (patience, pairs.subtract(_ONE, stops.gain)),
        endless=m.patience in ("geometric", "goal"),
    )
