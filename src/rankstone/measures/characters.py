"""Recall and precision by characters, for results that are parts of documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.graded_coverage import StCoverage
from rankstone.measures.intent_aware import StRecall
from rankstone.measures.param import K
from rankstone.measures.precision import P
from rankstone.measures.recall import R
from rankstone.measures.reciprocal_rank import RR
from rankstone.measures.subtopics import added, retrieved_grades
from rankstone.measures.summation import Sum, total

Array = np.ndarray


def _new_characters(r: Ranked) -> tuple[Array, Array]:
    """Return how many characters each row adds to those above it: relevant ones, and all."""
    subtopics = r.subtopics
    if subtopics is None or subtopics.length is None:
        return r.relevant().astype(np.float64), np.ones(len(r.rank))
    row, part, grade = retrieved_grades(r)
    order = np.lexsort((r.rank[row], part))
    first = np.diff(part[order], prepend=-1) != 0
    row, part, grade = (column[order][first] for column in (row, part, grade))
    length = subtopics.length[part]
    return added(r, row, length * (grade >= r.level(None))), added(r, row, length)


def _relevant_characters(r: Ranked) -> Array:
    """Return the number of relevant characters of each query, retrieved or not."""
    subtopics = r.subtopics
    if subtopics is None or subtopics.length is None:
        return r.relevant_count()
    documents, query = subtopics.judged()
    document, part, grade = subtopics.of_documents(documents)
    relevant = grade >= r.level(None)
    parts, at = np.unique(part[relevant], return_index=True)
    return np.bincount(query[document[relevant][at]], subtopics.length[parts], minlength=len(r))


@measure(
    "Recall by characters",
    params=(K,),
    supports_expected_ties=lambda m: m.k is None,
    example=Example("CharRecall@2", (1, 0, 1), "1 / 2"),
)
def CharRecall(r: Ranked, m: Measure) -> Sum:
    """The share of the relevant characters that the first k results hold.

    CharRecall@k = |relevant characters in the first k results| / |relevant characters|

    A character that several results hold counts once. Results are parts of documents, and so is
    what was judged relevant ('rankstone spans'); without parts a document is one character.

    Reading: how much of the evidence reaches a language model, however texts are cut into chunks.
    Not for: the irrelevant text that comes with it; see CharPrecision.
    Reference: Kamps et al., INEX 2007 evaluation measures, INEX 2007.
    """
    new, _ = _new_characters(r)
    columns = {"new": new}
    return Sum(r, new, k=m.k, denominator=_relevant_characters(r), columns=columns)


@measure(
    "Precision by characters",
    params=(K,),
    supports_extreme_ties=False,
    example=Example("CharPrecision@2", (1, 0, 1), "1 / 2"),
)
def CharPrecision(r: Ranked, m: Measure) -> Sum:
    """The share of the characters in the first k results that are relevant.

    CharPrecision@k = |relevant characters in the first k results| / |characters in the first k results|

    A character that several results hold counts once. Without parts of documents a document is
    one character.

    Reading: how much of what a language model must read is evidence.
    Not for: whether all the evidence is there; see CharRecall.
    Reference: Kamps et al., INEX 2007 evaluation measures, INEX 2007.
    """
    new, every = _new_characters(r)
    subtopics = r.subtopics
    if subtopics is None or subtopics.length is None:
        below = r.depth(m.k)
    else:
        below = total(Sum(r, every, k=m.k))
    return Sum(r, new, k=m.k, denominator=below, columns={"new": new, "read": every})


class SpanMeasures(NamedTuple):
    """The measures of documents, of pages, of judged parts, and of characters."""

    documents: list[Measure]
    pages: list[Measure]
    spans: list[Measure]
    characters: list[Measure]


def span_measures(cutoffs: Iterable[int], overlap: float) -> SpanMeasures:
    """Return the measures at some cutoffs.

    A judged part is found by a result that covers at least the share ``overlap`` of it; by degree
    it counts the highest share that a result covers.
    """
    units = (R, P, RR)
    levels = (units, units, (StRecall(rel=overlap), StCoverage), (CharRecall, CharPrecision))
    cuts = list(cutoffs)
    return SpanMeasures(*([m @ k for m in level for k in cuts] for level in levels))
