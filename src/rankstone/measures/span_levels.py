"""Measures of results that are parts of documents, by level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rankstone.measures.base import Measure
from rankstone.measures.characters import CharPrecision, CharRecall
from rankstone.measures.graded_coverage import StCoverage
from rankstone.measures.intent_aware import StRecall
from rankstone.measures.precision import P
from rankstone.measures.recall import R
from rankstone.measures.reciprocal_rank import RR


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
