"""Gain measures that average over relevant documents or levels."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.discounts import plain_log2
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.dcg import GAIN, UNLISTED, gain_of, gains, ideal_ranking
from rankstone.measures.param import REL
from rankstone.measures.summation import Sum, Terms, running_total

_GAINS = (GAIN, UNLISTED)


def _curve(r: Ranked, m: Measure) -> tuple[Ranked, np.ndarray, np.ndarray, np.ndarray]:
    """Return the ideal ranking, both running DCGs and how many documents have a gain."""
    ideal = ideal_ranking(r, m)
    count = segments.count(gains(ideal, m) > 0, ideal.offsets)
    own, best = (running_total(Sum(x, gains(x, m), "log2")) for x in (r, ideal))
    return ideal, own, best, count


@measure(
    "nDCG averaged over relevant documents",
    params=_GAINS,
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
    query = segments.numbers(r.offsets)
    useful = (gains(r, m) > 0) & (count[query] > 0)
    at = ideal.offsets[query] + np.minimum(r.rank, np.maximum(count[query], 1)) - 1
    terms = np.zeros(len(query))
    terms[useful] = own[useful] / best[at[useful]]
    some = np.flatnonzero(count)
    missed = (count - segments.count(useful, r.offsets))[some]
    last = np.append(own, 0.0)[np.where(np.diff(r.offsets) > 0, r.offsets[1:] - 1, len(own))]
    whole = np.zeros(len(r))
    whole[some] = missed * last[some] / best[ideal.offsets[some] + count[some] - 1]
    columns = {"gain": gains(r, m), "DCG": own, "ideal DCG": best[at]}
    return Terms(r, terms, count, columns=columns, constant=whole)


@measure(
    "nDCG averaged over levels of gain",
    params=(REL, *_GAINS),
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
    ideal_dcg = best[np.append(at, ideal.offsets[end] + count[end] - 1)[order]]
    sizes = np.bincount(query[at], minlength=len(r)) + np.bincount(end, minlength=len(r))
    return Terms(
        r,
        dcg / ideal_dcg,
        sizes,
        columns={"rank": rank, "DCG": dcg, "ideal DCG": ideal_dcg},
        offsets=segments.offsets_of(sizes),
    )


def _down_to(r: Ranked, own: np.ndarray, query: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return the running DCG of some queries at some ranks."""
    deepest = 2 + max(int(r.rank.max(initial=0)), int(rank.max(initial=0)))
    keys = segments.numbers(r.offsets) * deepest + r.rank
    row = np.searchsorted(keys, query * deepest + rank, side="right")
    return np.append(own, 0.0)[np.where(row > r.offsets[query], row - 1, len(own))]


@measure(
    "Normalised gain",
    params=_GAINS,
    # A document that adds much raises the terms of all below it, so it may be best off last.
    supports_extreme_ties=False,
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
    gain, ideal = gains(r, m), ideal_ranking(r, m)
    best = gains(ideal, m)
    query = segments.numbers(r.offsets)
    beyond = segments.running_sum(np.maximum(best - 1.0, 0.0), ideal.offsets)
    judged = segments.lengths(ideal.offsets)[query]
    at = ideal.offsets[query] + np.minimum(r.rank, judged) - 1
    # Conventions that lower a grade in the list can give it a gain the ideal does not have.
    lag = np.maximum(r.rank + beyond[at] - segments.running_sum(gain, r.offsets), 0.0)
    some = np.flatnonzero(gain)
    terms = np.zeros(len(gain))
    terms[some] = gain[some] / plain_log2(2.0 + lag[some])
    return Terms(r, terms, Sum(ideal, best), columns={"gain": gain, "lag": lag})


@measure(
    "Normalised gain of binary judgments",
    params=(REL,),
    example=Example("BinG", (0, 1, 1), "2 / log2(3) / 2"),
)
def BinG(r: Ranked, m: Measure) -> Terms:
    """The mean, over relevant documents, of a discount by the non-relevant ones above each.

    BinG = 1/R * sum over relevant documents of 1 / log2(2 + |others above it|)

    Reading: G if every relevant document gains 1.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    hit = r.relevant(m.rel)
    others = r.rank - r.hits(m.rel)
    some = np.flatnonzero(hit)
    terms = np.zeros(len(hit))
    terms[some] = 1.0 / plain_log2(2.0 + others[some])
    columns = {"relevant": hit, "others above": np.where(hit, others, others - 1)}
    return Terms(r, terms, r.relevant_count(m.rel), columns=columns)
