"""Average precision."""

from __future__ import annotations

from functools import cache
from itertools import accumulate

import numpy as np

from rankstone.core import pairs, segments
from rankstone.core.expected_ties import hit_precision
from rankstone.core.pairs import Pair
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K
from rankstone.measures.summation import Sum, Terms, Value, total

_DENOMINATOR = Choice(
    name="denominator",
    text="what the sum of precisions is divided by",
    words={
        "R": "the number of relevant documents",
        "min(R,k)": "the number of relevant documents, or k if that is smaller",
        "min(R,retrieved)": "the number of relevant documents, or the length of the list down to k if that is smaller",
        "hits": "the number of relevant documents found down to k",
        "k": "k, or the number retrieved if there is no cutoff",
        "ranks": "the number of ranks down to k, with the precision of each added up, relevant or not",
    },
)


@measure(
    "Average precision",
    params=(K, REL, _DENOMINATOR),
    supports_expected_ties=lambda m: m.denominator not in ("hits", "ranks"),
    # A further hit at the end of the first k may lower the mean precision of the hits there.
    supports_extreme_ties=lambda m: m.denominator != "hits" or m.k is None,
    mistaken_for=("RR", "P"),
    example=Example("AP", (1, 0, 1, 0, 1), "(1/1 + 2/3 + 3/5) / 4", missed=(1,)),
)
def AP(r: Ranked, m: Measure) -> Sum | Terms:
    """The mean, over all relevant documents, of precision at the rank of each.

    AP = (sum over relevant documents at rank i of P@i) / R

    Relevant documents that were not retrieved, or only below k, add 0 but count in R.
    Its mean over queries is MAP.

    Reading: the area under the precision-recall curve, one step for each relevant document.
    Not for: graded judgments (grades below ``rel`` are not relevant, above it all alike).
    Reference: Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.
    """
    return _average_precision(r, m)


def _average_precision(r: Ranked, m: Measure) -> Sum | Terms:
    hit = r.relevant(m.rel)
    below = _denominator(r, m, hit)
    if m.denominator == "ranks":
        return Terms(r, _at_every_rank(r, m, hit), below, columns={"relevant": hit})
    if r.ties_averaged:
        return Terms(r, hit_precision(r, hit, m.k), below, columns={"relevant": hit})
    hits = r.hits(m.rel)
    gain = np.multiply(hits, hit, dtype=np.float64)
    columns = {"relevant": hit, "hits": hits}
    return Sum(r, gain, "reciprocal", m.k, below, largest=r.width, columns=columns)


def _denominator(r: Ranked, m: Measure, hit: np.ndarray) -> np.ndarray:
    relevant = r.relevant_count(m.rel)
    if m.denominator == "min(R,k)" and m.k is not None:
        return np.minimum(relevant, m.k)
    if m.denominator == "min(R,retrieved)":
        return np.minimum(relevant, r.depth(m.k))
    if m.denominator in ("k", "ranks"):
        return r.retrieved if m.k is None else np.full(len(r), m.k)
    if m.denominator == "hits":
        return total(Sum(r, hit, k=m.k))
    return relevant


def _at_every_rank(r: Ranked, m: Measure, hit: np.ndarray) -> Pair:
    """Return the share of each hit in the precision at its own rank and at all ranks below.

    A hit at rank i adds 1/j to the precision at every rank j from i to the last.
    """
    last = r.retrieved if m.k is None else np.full(len(r), m.k)
    last = np.repeat(last, segments.lengths(r.offsets))
    within = hit & (r.rank <= last)
    high, low = harmonic(int(max(last.max(initial=0), r.rank.max(initial=0))))
    terms, rest = pairs.two_sum(high[last], -high[r.rank - 1])
    rest += low[last] - low[r.rank - 1]
    return np.where(within, terms, 0.0), np.where(within, rest, 0.0)


@cache
def harmonic(size: int) -> Pair:
    """Return 1 + 1/2 + ... + 1/n for every n up to ``size``."""
    unit = 1 << 120
    sums = list(accumulate((unit // n for n in range(1, size + 1)), initial=0))
    high = [s / unit for s in sums]
    low = [(s - int(h * unit)) / unit for s, h in zip(sums, high, strict=True)]
    return np.array(high), np.array(low)


@measure(
    "Geometric mean of average precision",
    params=(REL,),
    aggregate="geometric",
    supports_expected_ties=True,
    example=Example("GMAP", (1, 0, 1), "(1/1 + 2/3) / 2"),
)
def GMAP(r: Ranked, m: Measure) -> Sum | Terms:
    """Average precision, whose geometric mean is taken over queries.

    GMAP = exp(mean over queries of ln max(AP, 0.00001))

    The value of a single query is its average precision.

    Reading: rewards what helps the worst queries; doubling a small value counts as much as
    doubling a large one.
    Not for: sets with many queries at 0; the floor then decides.
    Reference: Robertson, On GMAP and other transformations, CIKM 2006.
    """
    return _average_precision(r, AP(rel=m.rel))


@measure(
    "Yet another average precision",
    params=(REL,),
    range=(-np.inf, np.inf),
    undefined_without_relevant=False,
    example=Example(
        "YAAP", (1, 0, 1), "log2((1 + 1/1 + 2/3) / (1 + 2 - 1/1 - 2/3)) / log2(2.718281828459045)"
    ),
)
def YAAP(r: Ranked, m: Measure) -> Value:
    """The log-odds of a smoothed average precision.

    YAAP = ln((1 + s) / (1 + R - s)), where s = R * AP is the sum of precisions at relevant documents

    If documents that are retrieved again count again, s may reach 1 + R. Then YAAP is undefined,
    and the query is left out of the mean.

    Reading: orders rankings of a query as AP does, but differences near 0 and 1 count for more,
    so that easy and hard queries average alike.
    Not for: comparing with values from 0 to 1; its own have no bounds.
    Reference: Robertson, On smoothing average precision, ECIR 2012.
    """
    working = _average_precision(r, AP(rel=m.rel))._replace(denominator=None)
    s, relevant = total(working), r.relevant_count(m.rel)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log((1.0 + s) / (1.0 + relevant - s))
    value = np.where(s < 1.0 + relevant, odds, np.nan)
    expression = "ln((1 + s) / (1 + R - s))"
    return Value(r, value, expression, lambda: {"s": s, "R": relevant}, working)
