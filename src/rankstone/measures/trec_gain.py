"""Gain measures that average over relevant documents or levels."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.pairs import Pair
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.dcg import GAIN, UNLISTED, gain_of, gains, ideal_ranking
from rankstone.measures.param import REL
from rankstone.measures.summation import Sum, Terms, arithmetic, running_total, single

_GAINS = (GAIN, UNLISTED)


def _curve(r: Ranked, m: Measure) -> tuple[Ranked, Pair, Pair, np.ndarray]:
    """Return the ideal ranking, both running DCGs and how many documents have a gain."""
    ideal = ideal_ranking(r, m)
    count = segments.count(gains(ideal, m) > 0, ideal.offsets)
    own, best = (running_total(Sum(x, gains(x, m), "log2")) for x in (r, ideal))
    return ideal, own, best, count


def _take(pair: Pair, at: np.ndarray) -> Pair:
    return pair[0][at], pair[1][at]


def _last(values: Pair, offsets: np.ndarray) -> Pair:
    """Return the last value of each segment, 0 for an empty one."""
    at = np.where(np.diff(offsets) > 0, offsets[1:] - 1, len(values[0]))
    return np.append(values[0], 0.0)[at], np.append(values[1], 0.0)[at]


@measure(
    "nDCG averaged over relevant documents",
    params=_GAINS,
    conventions=("ties",),
    uses_grades=True,
    gain=gain_of,
    example=Example("nDCGRel", (0, 1), "(1/log2(3) / (1 + 1/log2(3)) * 2) / 2", missed=(1,)),
)
def nDCGRel(r: Ranked, m: Measure) -> Terms:
    """The mean, over all documents with a gain, of nDCG at the rank of each.

    nDCGRel = 1/R * sum over documents with a gain, at rank i, of nDCG@i

    Documents that were not retrieved have the nDCG of the whole ranking.

    Reading: nDCG without the choice of a cutoff.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    ideal, own, best, count = _curve(r, m)
    divide = arithmetic(r).divide
    query = segments.numbers(r.offsets)
    useful = (gains(r, m) > 0) & (count[query] > 0)
    at = ideal.offsets[query] + np.minimum(r.rank, np.maximum(count[query], 1)) - 1
    terms = np.zeros(len(query)), np.zeros(len(query))
    terms[0][useful], terms[1][useful] = divide(_take(own, useful), _take(best, at[useful]))
    some = np.flatnonzero(count)
    missed = (count - segments.count(useful, r.offsets))[some]
    high, low = _take(_last(own, r.offsets), some)
    whole = np.zeros(len(r))
    end = ideal.offsets[some] + count[some] - 1
    whole[some] = divide((missed * high, missed * low), _take(best, end))[0]
    columns = {"gain": gains(r, m), "DCG": own[0], "ideal DCG": best[0][at]}
    return Terms(r, terms, count, columns=columns, constant=whole)


@measure(
    "nDCG averaged over levels of gain",
    params=(REL, *_GAINS),
    conventions=("ties",),
    gain=gain_of,
    example=Example("RnDCG", (2, 0, 1), "(1 + 2 / (2 + 1/log2(3))) / 2"),
)
def RnDCG(r: Ranked, m: Measure) -> Terms:
    """The mean of nDCG at the ranks where the ideal ranking passes to a lower gain.

    RnDCG = mean of nDCG@i over those ranks i, and at the end of longer rankings

    With 5 documents of grade 2 and 3 of grade 1, i is 5, 8 and, if more than 9 documents were
    retrieved, their number.

    Reading: R-precision for graded judgments.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    ideal, own, best, count = _curve(r, m)
    gain = gains(ideal, m)
    place = segments.positions(ideal.offsets) + 1
    query = segments.numbers(ideal.offsets)
    passes = np.append(gain[1:] != gain[:-1], True)[: len(gain)] | (place == count[query])
    at = np.flatnonzero(passes & (place <= count[query]))
    end = np.flatnonzero((r.retrieved > count + 1) & (count > 0))
    order = np.argsort(np.append(query[at], end), kind="stable")
    rank = np.append(place[at], r.retrieved[end])[order]
    dcg = _down_to(r, own, np.append(query[at], end)[order], rank)
    ideal_dcg = _take(best, np.append(at, ideal.offsets[end] + count[end] - 1)[order])
    sizes = np.bincount(query[at], minlength=len(r)) + np.bincount(end, minlength=len(r))
    return Terms(
        r,
        arithmetic(r).divide(dcg, ideal_dcg),
        sizes,
        columns={"rank": rank, "DCG": dcg[0], "ideal DCG": ideal_dcg[0]},
        offsets=segments.offsets_of(sizes),
    )


def _down_to(r: Ranked, own: Pair, query: np.ndarray, rank: np.ndarray) -> Pair:
    """Return the running DCG of some queries at some ranks."""
    deepest = 2 + max(int(r.rank.max(initial=0)), int(rank.max(initial=0)))
    keys = segments.numbers(r.offsets) * deepest + r.rank
    row = np.searchsorted(keys, query * deepest + rank, side="right")
    some = row > r.offsets[query]
    high, low = (np.append(x, 0.0)[np.where(some, row - 1, len(x))] for x in own)
    return high, low


@measure(
    "Normalised gain",
    params=_GAINS,
    # A document that adds much raises the terms of all below it, so it may be best off last.
    supports_extreme_ties=False,
    conventions=("ties",),
    uses_grades=True,
    gain=gain_of,
    example=Example("G", (0, 2), "2 / log2(2 + 3 - 2) / 2"),
)
def G(r: Ranked, m: Measure) -> Terms:
    """The gains of retrieved documents, each discounted by how far the ranking is behind the ideal.

    G = 1/(sum of all gains) * sum over ranks i of gain_i / log2(2 + ideal_i - actual_i)

    actual_i is the gain down to rank i and ideal_i that of the ideal ranking, each of whose ranks
    counts as 1 at least.

    Reading: a document below many good ones loses nothing; one below many bad ones does.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    gain, ideal, exact = gains(r, m), ideal_ranking(r, m), arithmetic(r)
    best = gains(ideal, m)
    query = segments.numbers(r.offsets)
    beyond = exact.running_sum(single(np.maximum(best - 1.0, 0.0)), ideal.offsets)
    judged = segments.lengths(ideal.offsets)[query]
    at = ideal.offsets[query] + np.minimum(r.rank, judged) - 1
    cost = exact.add(single(r.rank), _take(beyond, at))
    lag, rest = exact.subtract(cost, exact.running_sum(single(gain), r.offsets))
    # Conventions that lower a grade in the list can give it a gain the ideal does not have.
    lag, rest = np.maximum(lag, 0.0), np.where(lag < 0, 0.0, rest)
    some = np.flatnonzero(gain)
    terms = np.zeros(len(gain)), np.zeros(len(gain))
    below = exact.log2(exact.add(single(np.full(len(some), 2.0)), (lag[some], rest[some])))
    terms[0][some], terms[1][some] = exact.divide(single(gain[some]), below)
    return Terms(r, terms, Sum(ideal, best), columns={"gain": gain, "lag": lag})


@measure(
    "Normalised gain of binary judgments",
    params=(REL,),
    conventions=("ties",),
    example=Example("BinG", (0, 1, 1), "2 / log2(3) / 2"),
)
def BinG(r: Ranked, m: Measure) -> Terms:
    """The mean, over relevant documents, of a discount by the non-relevant ones above each.

    BinG = 1/R * sum over relevant documents of 1 / log2(2 + |others above it|)

    Reading: G if every relevant document gains 1.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    hit, exact = r.relevant(m.rel), arithmetic(r)
    others = r.rank - r.hits(m.rel)
    some = np.flatnonzero(hit)
    terms = np.zeros(len(hit)), np.zeros(len(hit))
    below = exact.log2(single(2.0 + others[some]))
    terms[0][some], terms[1][some] = exact.divide(single(np.ones(len(some))), below)
    columns = {"relevant": hit, "others above": np.where(hit, others, others - 1)}
    return Terms(r, terms, r.relevant_count(m.rel), columns=columns)
