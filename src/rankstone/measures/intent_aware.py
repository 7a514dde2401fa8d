"""Precision, average precision and recall by subtopic."""

from __future__ import annotations

import numpy as np

from rankstone.core import pairs
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, K
from rankstone.measures.subtopics import (
    OF_SUBTOPICS,
    added,
    coverage,
    subtopic_count,
    subtopic_sizes,
    words,
)
from rankstone.measures.summation import Sum, Terms, single

_GRADES: tuple[dict[str, float], ...] = ({"a": 1, "b": 1}, {}, {"a": 1}, {"b": 1})


@measure(
    "Intent-aware average precision",
    params=(REL,),
    example=Example("AP_IA", _GRADES, "((1/1 + 2/3) / 2 + (1/1 + 2/4) / 2) / 2"),
    **OF_SUBTOPICS,
)
def AP_IA(r: Ranked, m: Measure) -> Terms:
    """Average precision by subtopic, averaged over subtopics.

    AP_IA = (sum over subtopics s of AP_s) / S, AP_s = the average precision of the documents that
    cover s, S = the number of subtopics that a judged document covers

    All subtopics weigh alike.

    Reading: how well all documents of a subtopic are ranked, for a user with any one intent.
    Not for: novelty; a second document about the same subtopic counts in full.
    Reference: Agrawal et al., Diversifying search results, WSDM 2009; MAP-IA of ndeval.
    """
    covered = coverage(r, m.rel)
    subtopic, sizes, _ = subtopic_sizes(r, m.rel)
    size = sizes[np.searchsorted(subtopic, covered.subtopic)]
    precision = pairs.quotient(covered.before + 1.0, r.rank[covered.row].astype(np.float64))
    high, low = pairs.divide(precision, single(size))
    terms = added(r, covered.row, high), added(r, covered.row, low)
    count = added(r, covered.row, np.ones(len(covered.row)))
    columns = {**words(r, m.rel), "covers": count}
    return Terms(r, terms, subtopic_count(r, m.rel), columns=columns)


@measure(
    "Intent-aware precision",
    params=(K, REL),
    example=Example("P_IA@3", _GRADES, "(2 + 0 + 1) / (3 * 2)"),
    **OF_SUBTOPICS,
)
def P_IA(r: Ranked, m: Measure) -> Sum:
    """Precision by subtopic, averaged over subtopics.

    P_IA@k = (sum over i = 1..k of the subtopics that the document at rank i covers) / (k * S)

    S is the number of subtopics that a judged document covers; without k the number retrieved
    takes its place.

    Reading: the share of the first k documents that a user with any one intent can use.
    Not for: novelty; ten documents about one subtopic count like one about each of ten.
    Reference: Agrawal et al., Diversifying search results, WSDM 2009.
    """
    covered = coverage(r, m.rel)
    gain = added(r, covered.row, np.ones(len(covered.row)))
    depth = r.retrieved if m.k is None else np.full(len(r), m.k)
    columns = {**words(r, m.rel), "covers": gain}
    return Sum(r, gain, k=m.k, denominator=depth * subtopic_count(r, m.rel), columns=columns)


@measure(
    "Subtopic recall",
    params=(K, REL),
    example=Example("StRecall@1", _GRADES, "2 / 3", missed=({"c": 1},)),
    **OF_SUBTOPICS,
)
def StRecall(r: Ranked, m: Measure) -> Sum:
    """The share of the subtopics that the first k documents cover.

    StRecall@k = |subtopics covered by the first k documents| / S

    S is the number of subtopics that a judged document covers. Also called coverage, or aspect
    recall.

    Reading: whether the first k documents hold the parts of an answer, as a language model needs.
    Not for: the order within the first k.
    Reference: Zhai et al., Beyond independent relevance, SIGIR 2003.
    """
    covered = coverage(r, m.rel)
    new = added(r, covered.row, (covered.before == 0).astype(np.float64))
    columns = {**words(r, m.rel), "new": new}
    return Sum(r, new, k=m.k, denominator=subtopic_count(r, m.rel), columns=columns)
