"""Answers by their nuggets and by their citations."""

from __future__ import annotations

import re

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.core.subtopics import CITES, SENTENCE
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import Choice, K
from rankstone.measures.subtopics import OF_SUBTOPICS, added, retrieved_grades, words
from rankstone.measures.summation import Sum

Array = np.ndarray
_ANY_SUPPORT = float(np.nextafter(0.0, 1.0))  # the lowest grade above 0

_WHICH = Choice.of(
    "which",
    "which nuggets count",
    all="all alike",
    vital="those without which an answer is not good; all, if none is marked as okay",
    weighted="all, an okay nugget half as much as a vital one",
)
_PARTIAL = Choice.of(
    "partial",
    "credit for partial support: a grade above 0 that is not relevant",
    half="one half",
    strict="none",
    lenient="as for full support",
)


def _support(r: Ranked, m: Measure, grade: Array) -> Array:
    """Return the credit of a grade: 1 for full support, less for partial support."""
    partial = {"half": 0.5, "strict": 0.0, "lenient": 1.0}[m.partial]
    return np.where(grade >= r.level(None), 1.0, np.where(grade > 0, partial, 0.0))


def _weights(r: Ranked, m: Measure) -> Array:
    """Return the weight of each nugget."""
    if r.subtopics is None:
        return np.ones(len(r))
    vital = r.subtopics.vital
    weights = np.where(vital, 1.0, {"all": 1.0, "vital": 0.0, "weighted": 0.5}[m.which])
    weights[_masks(r)[0] | _masks(r)[1]] = 0.0
    return weights


def _masks(r: Ranked) -> tuple[Array, Array]:
    """Return which subtopics are sentences of answers, and which are citations in these."""
    names = r.subtopics.names if r.subtopics is not None else []
    found = [re.match(f"{SENTENCE}[0-9]+($|{CITES})", name) for name in names]
    ends = [match and match[1] for match in found]
    return np.array([end == "" for end in ends]), np.array([end == CITES for end in ends])


def _total_weight(r: Ranked, weights: Array) -> Array:
    """Return the sum of the weights of each query's nuggets, whether or not they are supported."""
    if r.subtopics is None:
        return weights
    documents, query = r.subtopics.judged()
    row, nugget, _ = r.subtopics.of_documents(documents)
    listed, at = np.unique(nugget, return_index=True)
    return np.bincount(query[row[at]], weights[listed], minlength=len(r))


@measure(
    "Nugget recall",
    params=(K, _WHICH, _PARTIAL),
    uses_grades=True,
    gain=_support,
    example=Example("NuggetRecall@2", ({"a": 1, "b": 0.5}, {"a": 1}, {"b": 1}), "(1 + 0.5) / 2"),
    **OF_SUBTOPICS,
)
def NuggetRecall(r: Ranked, m: Measure) -> Sum:
    """The share of the nuggets that the first k documents support.

    NuggetRecall@k = (sum over nuggets of weight * highest credit in the first k) / sum of weights

    The credit of a document for a nugget is 1 if its grade is relevant (full support), one half if
    it is above 0 (partial support), else 0. Nuggets are subtopics; a nugget that no document
    supports counts as missed. In files of nuggets, ``support`` is the grade 1 and
    ``partial_support`` the grade 0.5.

    Reading: how much of a good answer a language model could write from the first k documents.
    Not for: whether it did; that takes a judgment of the answer.
    Reference: Voorhees, Overview of the TREC 2003 question answering track, TREC 2003.
    """
    row, nugget, grade = retrieved_grades(r)
    credit = _support(r, m, grade)
    order = np.lexsort((r.rank[row], nugget))
    row, nugget, credit = row[order], nugget[order], credit[order]
    weights = _weights(r, m)
    new = added(r, row, weights[nugget] * _rises(credit, nugget))
    columns = {**words(r, _ANY_SUPPORT), "new": new}
    return Sum(r, new, k=m.k, denominator=_total_weight(r, weights), columns=columns)


def _rises(credit: Array, nugget: Array) -> Array:
    """Return by how much each credit exceeds all before it of the same nugget."""
    # Credits are at most 1, so steps of 2 keep nuggets apart in one running maximum.
    base = 2.0 * (np.cumsum(np.diff(nugget, prepend=-1) != 0) - 1)
    highest = np.maximum.accumulate(base + credit)
    before = np.append(0.0, highest[:-1])
    return np.maximum(highest - np.maximum(before, base), 0.0)


_ANSWER = {"sentence 1": 1, "sentence 1 cites a": 1, "sentence 1 cites b": 0, "sentence 2": 0}


@measure(
    "Citation recall",
    params=(_PARTIAL,),
    uses_grades=True,
    gain=_support,
    **OF_SUBTOPICS,
    reads_nonrelevant=True,
    undefined_without_relevant=False,
    example=Example("CitationRecall", (_ANSWER,), "1 / 2"),
)
def CitationRecall(r: Ranked, m: Measure) -> Sum:
    """The share of the sentences of an answer that a document which they cite supports.

    CitationRecall = (sum over sentences of the highest credit of their citations) / |sentences|

    A citation that supports its sentence has the credit 1, partly one half, else 0. A sentence without
    citations has none. Data without sentences take each nugget of a retrieved document for one.

    Reading: how much of an answer can be checked.
    Not for: whether it says what matters; see NuggetRecall.
    Reference: Gao et al., Enabling large language models to generate text with citations, EMNLP 2023.
    """
    return _supported(r, m, _masks(r)[0])


@measure(
    "Citation precision",
    params=(_PARTIAL,),
    uses_grades=True,
    gain=_support,
    **OF_SUBTOPICS,
    reads_nonrelevant=True,
    undefined_without_relevant=False,
    example=Example("CitationPrecision", (_ANSWER,), "1 / 2"),
)
def CitationPrecision(r: Ranked, m: Measure) -> Sum:
    """The share of the citations of an answer that support their sentence.

    CitationPrecision = (sum over citations of their credit) / |citations|

    A citation that supports its sentence has the credit 1, partly one half, else 0. An answer without
    citations has the value 0. Data without sentences take each nugget of a document for a citation.

    Reading: how far the citations of an answer can be trusted.
    Not for: answers that cite little; see CitationRecall.
    Reference: Gao et al., Enabling large language models to generate text with citations, EMNLP 2023.
    """
    return _supported(r, m, _masks(r)[1])


def _supported(r: Ranked, m: Measure, chosen: Array) -> Sum:
    """Return the mean credit of some subtopics of the answers that were given."""
    row, subtopic, grade = retrieved_grades(r)
    if any(mask.any() for mask in _masks(r)):
        row, grade = row[chosen[subtopic]], grade[chosen[subtopic]]
    size = np.bincount(segments.numbers(r.offsets)[row], minlength=len(r))
    credit = added(r, row, _support(r, m, grade))
    columns = {**words(r, _ANY_SUPPORT), "credit": credit}
    return Sum(r, credit, denominator=size, columns=columns)
