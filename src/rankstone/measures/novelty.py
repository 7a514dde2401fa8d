"""Measures of novelty and diversity: a document counts for the subtopics it adds."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K, Number
from rankstone.measures.subtopics import (
    ALPHA,
    IDEAL,
    OF_SUBTOPICS,
    best_possible,
    ideal_sum,
    novelty_gain,
    subtopic_count,
    words,
)
from rankstone.measures.summation import Sum, Terms, total

_DENOMINATOR = Choice.of(
    "denominator",
    "what the sum is divided by",
    none="nothing",
    best="the sum for k documents that each cover every subtopic (without k, as many as "
    "were retrieved), as ndeval does",
)
_BETA = Number(
    name="beta",
    text="patience: the probability that the user reads on",
    default=0.5,
    above=0,
    below=1,
    examples=(0.5, 0.8, 0.9),
)
_GRADES: tuple[dict[str, float], ...] = ({"a": 1, "b": 1}, {"a": 1}, {"c": 1})


def _sum(r: Ranked, m: Measure, discount: str) -> Sum:
    gain = novelty_gain(r, m.alpha, m.rel)
    return Sum(r, gain, discount, m.k, columns={**words(r, m.rel), "gain": gain})


@measure(
    "Alpha discounted cumulative gain",
    params=(K, REL, ALPHA, _DENOMINATOR),
    range=(0.0, np.inf),
    example=Example("alpha_DCG", _GRADES, "2 / log2(2) + 0.5 / log2(3) + 1 / log2(4)"),
    **OF_SUBTOPICS,
)
def alpha_DCG(r: Ranked, m: Measure) -> Sum:
    """The discounted gain of new subtopics: a subtopic seen before gains less each time.

    alpha_DCG@k = sum over i = 1..k of gain_i / log2(i + 1), gain_i = sum over the subtopics that
    the document at rank i covers of (1 - alpha)^c, c = number of documents above that cover it

    A document covers a subtopic if its grade for it is relevant.

    Reading: a user who wants a subtopic is satisfied by a document about it with probability
    alpha, so the next one about it gains less.
    Not for: comparing queries with different numbers of subtopics; see alpha_nDCG.
    Reference: Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR
    2008.
    """
    working = _sum(r, m, "log2")
    if m.denominator == "none":
        return working
    return working._replace(denominator=best_possible(r, m.alpha, "log2", m.k, m.rel))


@measure(
    "Normalised alpha discounted cumulative gain",
    params=(K, REL, ALPHA, IDEAL),
    reads_ids=lambda m: m.ideal == "greedy",
    example=Example(
        "alpha_nDCG@2", _GRADES, "(2 + 0.5 / log2(3)) / (2 + 1 / log2(3))", missed=({"c": 1},)
    ),
    **OF_SUBTOPICS,
)
def alpha_nDCG(r: Ranked, m: Measure) -> Sum:
    """Alpha-DCG over the alpha-DCG of an ideal ranking of the judged documents.

    alpha_nDCG@k = alpha_DCG@k / ideal alpha_DCG@k

    To find the ideal is NP-hard. It is built greedily, as ndeval does: at each rank the document
    that gains most. A better order may exist, whose value then exceeds 1 by a little;
    ``ideal='exact'`` tries all orders.

    Reading: the share of the attainable novelty that the first k documents have.
    Not for: judgments without subtopics, where it only punishes a second relevant document.
    Reference: Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR
    2008.
    """
    ideal = ideal_sum(r, m.alpha, "log2", m.k, m.rel, m.ideal)
    return _sum(r, m, "log2")._replace(denominator=ideal)


@measure(
    "Intent-aware expected reciprocal rank",
    params=(K, REL, ALPHA),
    reaches_max=False,
    example=Example("ERR_IA@2", _GRADES, "(2 / 1 + 0.5 / 2) / (3 * (1 + 0.5 / 2))"),
    **OF_SUBTOPICS,
)
def ERR_IA(r: Ranked, m: Measure) -> Sum:
    """Expected reciprocal rank by subtopic, averaged, over its highest possible value.

    ERR_IA@k = (sum over i = 1..k of gain_i / i) / (S * sum over i = 1..k of (1 - alpha)^(i - 1) / i),
    gain_i = sum over the subtopics that the document at rank i covers of (1 - alpha)^c

    c is the number of documents above that cover the subtopic, S the number of subtopics that a
    judged document covers. The denominator is the sum for k documents that each cover every
    subtopic (without k, as many as were retrieved).

    Reading: how soon users with different intents are satisfied.
    Not for: queries on which no document covers every subtopic; 1 is then out of reach.
    Reference: Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009; as in
    ndeval.
    """
    best = best_possible(r, m.alpha, "reciprocal", m.k, m.rel)
    return _sum(r, m, "reciprocal")._replace(denominator=best)


@measure(
    "Normalised intent-aware expected reciprocal rank",
    params=(K, REL, ALPHA, IDEAL),
    reads_ids=lambda m: m.ideal == "greedy",
    example=Example("nERR_IA@2", _GRADES, "(2 / 1 + 0.5 / 2) / (2 / 1 + 1 / 2)"),
    **OF_SUBTOPICS,
)
def nERR_IA(r: Ranked, m: Measure) -> Sum:
    """Intent-aware expected reciprocal rank over that of an ideal ranking.

    nERR_IA@k = (sum over i = 1..k of gain_i / i) / (the same sum of the ideal ranking)

    The gains are those of ERR_IA, the ideal is that of alpha_nDCG.

    Reading: as ERR_IA, with 1 within reach.
    Not for: comparing collections; the ideal depends on which documents were judged.
    """
    ideal = ideal_sum(r, m.alpha, "reciprocal", m.k, m.rel, m.ideal)
    return _sum(r, m, "reciprocal")._replace(denominator=ideal)


def _nrbp(r: Ranked, m: Measure) -> Terms:
    gain = novelty_gain(r, m.alpha, m.rel)
    return Terms(r, gain * m.beta ** (r.rank - 1.0), columns={**words(r, m.rel), "gain": gain})


@measure(
    "Novelty- and rank-biased precision",
    params=(REL, ALPHA, _BETA),
    reaches_max=False,
    example=Example("NRBP", _GRADES, "(2 + 0.5 * 0.5 + 1 * 0.25) * (1 - 0.25) / 3"),
    **OF_SUBTOPICS,
)
def NRBP(r: Ranked, m: Measure) -> Terms:
    """Rank-biased precision in which a subtopic seen before gains less each time.

    NRBP = (1 - (1 - alpha) beta) / S * sum over ranks i of gain_i * beta^(i - 1)

    gain_i and S are those of ERR_IA.

    Reading: the user reads on with probability beta and is satisfied by a document about the
    wanted subtopic with probability alpha.
    Not for: comparing values of different alpha or beta.
    Reference: Clarke et al., An effectiveness measure for ambiguous and underspecified queries,
    ICTIR 2009.
    """
    below = subtopic_count(r, m.rel) / (1.0 - (1.0 - m.alpha) * m.beta)
    return _nrbp(r, m)._replace(denominator=below)


@measure(
    "Normalised novelty- and rank-biased precision",
    params=(REL, ALPHA, _BETA),
    reads_ids=True,
    example=Example("nNRBP", _GRADES, "(2 + 0.5 * 0.5 + 1 * 0.25) / (2 + 1 * 0.5 + 0.5 * 0.25)"),
    **OF_SUBTOPICS,
)
def nNRBP(r: Ranked, m: Measure) -> Terms:
    """Novelty- and rank-biased precision over that of an ideal ranking.

    nNRBP = (sum over ranks i of gain_i * beta^(i - 1)) / (the same sum of the ideal ranking)

    The ideal is the greedy one of alpha_nDCG, over all judged documents.

    Reading: as NRBP, with 1 within reach.
    Not for: comparing collections; the ideal depends on which documents were judged.
    """
    ideal = ideal_sum(r, m.alpha, "none", None, m.rel, "greedy")
    below = total(Terms(ideal.ranked, ideal.gain * m.beta ** (ideal.ranked.rank - 1.0)))
    return _nrbp(r, m)._replace(denominator=below)
