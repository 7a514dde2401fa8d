"""Gain measures that average over relevant documents or levels."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.discounts import plain_log2, plain_log2_ranks
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, measure
from rankstone.measures.dcg import DCG, GAIN, UNLISTED, gains, ideal_of
from rankstone.measures.param import REL

_GAINS = (GAIN, UNLISTED)


def _curve(r: Ranked, m: Measure) -> tuple[Ranked, np.ndarray, np.ndarray, np.ndarray]:
    """Return the ideal ranking, both running DCGs and how many documents have a gain."""
    dcg = DCG(gain=m.gain, unlisted=m.unlisted)
    ideal = ideal_of(r, dcg)
    count = segments.count(gains(ideal, m.gain, m.unlisted) > 0, ideal.offsets)
    own, best = (segments.running_sum(_terms(x, dcg), x.offsets) for x in (r, ideal))
    return ideal, own, best, count


def _terms(r: Ranked, dcg: Measure) -> np.ndarray:
    return gains(r, dcg.gain, dcg.unlisted) / plain_log2_ranks(r.rank)


def _last(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the last value of each segment, 0 for an empty one."""
    return np.append(values, 0.0)[np.where(np.diff(offsets) > 0, offsets[1:] - 1, len(values))]


@measure(
    "nDCGRel",
    "nDCG averaged over relevant documents",
    params=_GAINS,
    conventions=("ties", "no_relevant"),
    graded=True,
    example=Example("nDCGRel", (0, 1), "(1/log2(3) / (1 + 1/log2(3)) * 2) / 2", missed=(1,)),
)
def nDCGRel(r: Ranked, m: Measure) -> Working:
    """The mean, over all documents with a gain, of nDCG at the rank of each.

    nDCGRel = 1/R * sum over documents with a gain, at rank i, of nDCG@i

    Documents that were not retrieved have the nDCG of the whole ranking.

    Reading: nDCG without the choice of a cut-off.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    ideal, own, best, count = _curve(r, m)
    query = segments.numbers(r.offsets)
    worth = (gains(r, m.gain, m.unlisted) > 0) & (count[query] > 0)
    at = ideal.offsets[query] + np.minimum(r.rank, count[query]) - 1
    terms = np.zeros(len(own))
    terms[worth] = own[worth] / best[at[worth]]
    end = ideal.offsets[:-1] + count - 1
    whole = np.zeros(len(r))
    some = count > 0
    missed = (count - segments.count(worth, r.offsets)) * _last(own, r.offsets)
    whole[some] = missed[some] / best[end[some]]
    total = segments.plain_total(terms, r.offsets) + whole
    return Working(value=total / np.maximum(count, 1))


@measure(
    "RnDCG",
    "nDCG averaged over levels of gain",
    params=(REL, *_GAINS),
    conventions=("ties", "no_relevant"),
    example=Example("RnDCG", (2, 0, 1), "(1 + 2 / (2 + 1/log2(3))) / 2"),
)
def RnDCG(r: Ranked, m: Measure) -> Working:
    """The mean of nDCG at the ranks where the ideal ranking passes to a lower gain.

    RnDCG = mean of nDCG@i over those ranks i, and at the end of longer rankings

    With 5 documents of grade 2 and 3 of grade 1, i is 5, 8 and, where more than 9 documents were
    retrieved, their number.

    Reading: R-precision for graded judgments.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    ideal, own, best, count = _curve(r, m)
    worth = gains(ideal, m.gain, m.unlisted)
    place = segments.positions(ideal.offsets) + 1
    query = segments.numbers(ideal.offsets)
    passes = np.append(worth[1:] != worth[:-1], True) | (place == count[query])
    at = np.flatnonzero(passes & (place <= count[query]))
    deepest = 2 + max(int(r.rank.max(initial=0)), int(place.max(initial=0)))
    row = np.searchsorted(
        segments.numbers(r.offsets) * deepest + r.rank,
        query[at] * deepest + place[at],
        side="right",
    )
    dcg = np.where(row > r.offsets[query[at]], np.append(own, 0.0)[row - 1], 0.0)
    longer = r.retrieved > count + 1
    end = np.flatnonzero(longer & (count > 0))
    final = _last(own, r.offsets)[end] / best[ideal.offsets[end] + count[end] - 1]
    terms = np.append(dcg / best[at], final)
    order = np.argsort(np.append(query[at], end), kind="stable")
    sizes = np.bincount(query[at], minlength=len(r)) + (longer & (count > 0))
    total = segments.plain_total(terms[order], segments.offsets_of(sizes))
    return Working(value=total / np.maximum(sizes, 1))


@measure(
    "G",
    "Normalised gain",
    params=_GAINS,
    conventions=("ties", "no_relevant"),
    graded=True,
    example=Example("G", (0, 2), "2 / log2(2 + 3 - 2) / 2"),
)
def G(r: Ranked, m: Measure) -> Working:
    """The gains found, each discounted by how far the ranking lags behind the ideal one there.

    G = 1/(sum of all gains) * sum over ranks i of gain_i / log2(2 + ideal_i - found_i)

    found_i is the gain down to rank i and ideal_i that of the ideal ranking, each of whose ranks
    counts as 1 at least.

    Reading: a document below many good ones loses nothing; one below many bad ones does.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    worth = gains(r, m.gain, m.unlisted)
    ideal = ideal_of(r, m)
    best = gains(ideal, m.gain, m.unlisted)
    query = segments.numbers(r.offsets)
    beyond = segments.running_sum(np.maximum(best - 1.0, 0.0), ideal.offsets)
    judged = segments.lengths(ideal.offsets)[query]
    cost = r.rank + beyond[ideal.offsets[query] + np.minimum(r.rank, judged) - 1]
    # Conventions that lower a grade in the list can give it a gain the ideal does not have.
    lag = np.maximum(cost - segments.running_sum(worth, r.offsets), 0.0)
    terms = np.zeros(len(worth))
    some = worth != 0
    terms[some] = worth[some] / plain_log2(2.0 + lag[some])
    over = segments.total(best, ideal.offsets)
    return Working(terms, over, columns={"gain": worth, "lag": lag})


@measure(
    "BinG",
    "Normalised gain of binary judgments",
    params=(REL,),
    conventions=("ties", "no_relevant"),
    example=Example("BinG", (0, 1, 1), "2 / log2(3) / 2"),
)
def BinG(r: Ranked, m: Measure) -> Working:
    """The mean, over relevant documents, of a discount by the non-relevant ones above each.

    BinG = 1/R * sum over relevant documents of 1 / log2(2 + |others above it|)

    Reading: G where every relevant document gains 1.
    Not for: comparing with nDCG; an experimental measure of trec_eval.
    """
    hit = r.relevant(m.rel)
    others = r.rank - r.hits(m.rel)
    terms = np.zeros(len(hit))
    terms[hit] = 1.0 / plain_log2(2.0 + others[hit])
    return Working(terms, r.relevant_count(m.rel), columns={"relevant": hit})
