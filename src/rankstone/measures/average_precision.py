"""Average precision."""

from __future__ import annotations

from functools import cache
from itertools import accumulate

import numpy as np

from rankstone.core import segments
from rankstone.core.discounts import exact_sums
from rankstone.core.expected_ties import hit_precision
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, cut_total, measure
from rankstone.measures.param import REL, K, Param

_DENOMINATOR = Param(
    "denominator",
    str,
    "what the sum of precisions is divided by",
    default="R",
    choices={
        "R": "the number of relevant documents",
        "min(R,k)": "the number of relevant documents, or k if that is smaller",
        "min(R,retrieved)": "the number of relevant documents, or the length of the list down to k if that is smaller",
        "hits": "the number of relevant documents found down to k",
        "k": "k, or the number retrieved where there is no cut-off",
        "ranks": "the number of ranks down to k, with the precision of each added up, relevant or not",
    },
)


@measure(
    "AP",
    "Average precision",
    params=(K, REL, _DENOMINATOR),
    conventions=("ties", "no_relevant"),
    expected=lambda m: m.denominator not in ("hits", "ranks"),
    example=Example("AP", (1, 0, 1, 0, 1), "(1/1 + 2/3 + 3/5) / 4", missed=(1,)),
)
def AP(r: Ranked, m: Measure) -> Working:
    """The mean, over all relevant documents, of precision at the rank of each.

    AP = (sum over relevant documents at rank i of P@i) / R

    Relevant documents that were not retrieved, or only below k, add 0 but count in R.
    Its mean over queries is MAP.

    Reading: the area under the precision-recall curve, one step for each relevant document.
    Not for: graded judgments (grades below ``rel`` are not relevant, above it all alike).
    """
    hit = r.relevant(m.rel)
    over = r.relevant_count(m.rel)
    if m.denominator == "min(R,k)" and m.k is not None:
        over = np.minimum(over, m.k)
    elif m.denominator == "min(R,retrieved)":
        over = np.minimum(over, r.depth(m.k))
    elif m.denominator in ("k", "ranks"):
        over = r.retrieved if m.k is None else np.full(len(r), m.k)
    elif m.denominator == "hits":
        within = hit if m.k is None else hit & (r.rank <= m.k)
        over = segments.count(within, r.offsets)
    if m.denominator == "ranks":
        terms, low = _at_every_rank(r, m, hit)
        return Working(terms, over, low=low, columns={"relevant": hit}, cut=True)
    if r.ties_averaged:
        precision, low = hit_precision(r, hit, m.k)
        return Working(precision, over, low=low, columns={"relevant": hit}, cut=True)
    if not r.width or r.conventions.sums == "plain":
        return _in_full(r, m)._replace(over=over)
    width = r.width
    table = np.multiply(r.hits(m.rel), hit, dtype=np.float64).reshape(-1, width)
    return Working(
        over=over,
        sums=lambda cut: exact_sums(table[:, :cut], "reciprocal", lambda: float(width)),
        slowly=lambda: _in_full(r, m),
    )


def _in_full(r: Ranked, m: Measure) -> Working:
    """Return the precision at each hit, with what rounding takes from it."""
    hit = r.relevant(m.rel)
    precision, low = segments.quotient(r.hits(m.rel) * 1.0, r.rank * 1.0)
    terms, low = np.where(hit, precision, 0.0), np.where(hit, low, 0.0)
    return Working(terms, low=low, columns={"relevant": hit, "precision": precision})


def _at_every_rank(r: Ranked, m: Measure, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what each hit adds to the precision at its own rank and at all below it.

    A hit at rank i adds 1/j to the precision at every rank j from i to the last.
    """
    last = r.retrieved if m.k is None else np.full(len(r), m.k)
    last = np.repeat(last, segments.lengths(r.offsets))
    within = hit & (r.rank <= last)
    high, low = _harmonic(int(max(last.max(initial=0), r.rank.max(initial=0))))
    terms, rest = segments.two_sum(high[last], -high[r.rank - 1])
    rest += low[last] - low[r.rank - 1]
    return np.where(within, terms, 0.0), np.where(within, rest, 0.0)


@cache
def _harmonic(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 1 + 1/2 + ... + 1/n for every n up to ``size``, and what rounding takes from it."""
    unit = 1 << 120
    sums = list(accumulate((unit // n for n in range(1, size + 1)), initial=0))
    high = [s / unit for s in sums]
    low = [(s - int(h * unit)) / unit for s, h in zip(sums, high, strict=True)]
    return np.array(high), np.array(low)


@measure(
    "GMAP",
    "Geometric mean of average precision",
    params=(REL,),
    conventions=("ties", "no_relevant"),
    aggregate="geometric",
    expected=True,
    example=Example("GMAP", (1, 0, 1), "(1/1 + 2/3) / 2"),
)
def GMAP(r: Ranked, m: Measure) -> Working:
    """Average precision, whose geometric mean is taken over queries.

    GMAP = exp(mean over queries of ln max(AP, 0.00001))

    The value of a single query is its average precision.

    Reading: rewards what helps the worst queries; doubling a small value counts as much as
    doubling a large one.
    Not for: sets with many queries at 0; the floor then decides.
    """
    return AP(rel=m.rel).working(r)


@measure(
    "YAAP",
    "Yet another average precision",
    params=(REL,),
    range=(-np.inf, np.inf),
    conventions=("ties",),
    needs_relevant=False,
    example=Example(
        "YAAP", (1, 0, 1), "log2((1 + 1/1 + 2/3) / (1 + 2 - 1/1 - 2/3)) / log2(2.718281828459045)"
    ),
)
def YAAP(r: Ranked, m: Measure) -> Working:
    """The log-odds of a smoothed average precision (Robertson, ECIR 2012).

    YAAP = ln((1 + s) / (1 + R - s)), where s = R * AP is the sum of precisions at relevant documents

    Reading: orders rankings of a query as AP does, but differences near 0 and 1 count for more,
    so that easy and hard queries average alike.
    Not for: comparing with values from 0 to 1; its own have no bounds.
    """
    s = cut_total(r, AP(rel=m.rel).working(r), None)
    return Working(value=np.log((1.0 + s) / (1.0 + r.relevant_count(m.rel) - s)))
