"""Estimates from judgments of a sample, drawn with known probabilities."""

from __future__ import annotations

import numpy as np

from rankstone.core.discounts import first_discounts
from rankstone.core.ranked import Ranked, Sample
from rankstone.errors import DataError, UsageError
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.dcg import GAIN, UNLISTED, gain_of, nDCG
from rankstone.measures.inferred_ap import infAP
from rankstone.measures.param import REL, K
from rankstone.measures.summation import Computation, Sum, Terms

_EPSILON = 0.00001


def _samples(r: Ranked, m: Measure) -> list[Sample]:
    """Return the samples of all queries, whose probabilities must be above 0 and at most 1."""
    samples = [(r.samples or {})[query] for query in r.queries]
    if r.conventions.removes_unjudged or sum(s.judged.sum() for s in samples) != len(r.rank):
        raise UsageError(
            f"{m} is an estimate from drawn documents where they were ranked: it goes neither with "
            "unjudged='remove' nor with an interval of unjudged documents."
        )
    for query, sample in zip(r.queries, samples, strict=True):
        odds = sample.judged_probability
        if not ((odds > 0) & (odds <= 1)).all():
            raise DataError(
                f"query {query!r} has judged documents whose probability is not above 0 and at most 1."
            )
    return samples


@measure(
    "Extended inferred average precision",
    params=(REL,),
    conventions=("ties", "negatives"),
    supports_extreme_ties=False,
    reaches_max=False,
    reads_nonrelevant=True,
    example=Example("xinfAP", (1, 0, 1), "(1 + 1/3 * (1 + 2 * (1 + 1e-5) / (2 + 2e-5))) / 2"),
)
def xinfAP(r: Ranked, m: Measure) -> Computation:
    """Average precision estimated from samples of strata, each drawn at a rate of its own.

    xinfAP = 1/R * sum over relevant documents at rank i of
    1/p * 1/i * (1 + sum over strata of d * (h + e) / (h + n + 2e))

    Documents with the same probability p are a stratum. Of each, d documents are above rank i, h of
    them judged relevant and n not; documents that were not drawn have a negative grade. R is the sum
    of 1/p over relevant documents; e = 0.00001. Without probabilities it is infAP.

    Reading: each stratum above a document is as relevant as its sample is.
    Not for: single queries; an estimate may be above 1. Judgments that leave out the documents that
    were not drawn; files other than prels.
    Reference: Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP
    and NDCG, SIGIR 2008.
    """
    if r.samples is None:
        return infAP.definition.kernel(r, infAP(rel=m.rel))
    terms, relevant = [np.zeros(0)], []
    for s in _samples(r, m):
        hit = s.judged & (s.grade >= r.level(m.rel))
        above = np.zeros(len(hit))
        for rate in np.unique(s.probability):
            own = s.probability == rate
            d, h, n = (np.cumsum(x) - x for x in (own, own & hit, own & s.judged & ~hit))
            above += d * (h + _EPSILON) / (h + n + 2 * _EPSILON)
        rates = np.where(hit, s.probability, 1.0)
        terms.append(np.where(hit, (1 + above) / s.rank / rates, 0.0)[s.judged])
        relevant.append((1 / s.judged_probability)[s.judged_grade >= r.level(m.rel)].sum())
    return Terms(r, np.concatenate(terms), np.array(relevant))


@measure(
    "Inferred nDCG",
    params=(K, GAIN, UNLISTED),
    conventions=("ties", "negatives"),
    uses_grades=True,
    gain=gain_of,
    supports_extreme_ties=False,
    example=Example("infNDCG@2", (0, 2), "(2/log2(3)) / (3/log2(2) + 2/log2(3))", missed=(3,)),
)
def infNDCG(r: Ranked, m: Measure) -> Computation:
    """An estimate of nDCG from documents that were sampled for judging with known probabilities.

    infNDCG@k = sum over judged documents at ranks i <= k of gain / p / log2(i + 1) over that of the ideal

    A judged document of probability p stands for 1/p documents of its grade: so many it has in the
    ideal ranking, where part of a document takes that part of a rank. Without probabilities it is
    nDCG.

    Reading: the expected nDCG if all documents of the pool were judged.
    Not for: single queries; an estimate may be above 1. Files other than prels.
    Reference: Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP
    and NDCG, SIGIR 2008.
    """
    if r.samples is None:
        return nDCG.definition.kernel(r, nDCG(k=m.k, gain=m.gain, unlisted=m.unlisted))
    gains, ideal = [np.zeros(0)], []
    for s in _samples(r, m):
        known = s.judged
        gains.append(gain_of(r, m, s.grade[known]) / s.probability[known])
        gain = gain_of(r, m, s.judged_grade)
        order = np.argsort(-gain, kind="stable")
        ends = np.append(0.0, np.cumsum(1 / s.judged_probability[order]))
        ends = ends if m.k is None else np.minimum(ends, m.k)
        sums = np.append(0.0, np.cumsum(first_discounts("log2", int(np.ceil(ends[-1])))[0]))
        ideal.append(gain[order] @ np.diff(np.interp(ends, np.arange(len(sums)), sums)))
    return Sum(r, np.concatenate(gains), "log2", m.k, denominator=np.array(ideal))
