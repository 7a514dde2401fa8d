"""Measures of chunks, each of which is as relevant as its document."""

from __future__ import annotations

from rankstone.core.ranked import Ranked
from rankstone.core.ranked_rows import chunks_of, truncated
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.dcg import DISCOUNT, GAIN, REL_GAIN, UNLISTED, gain_of, gains, ideal_ranking
from rankstone.measures.param import K
from rankstone.measures.summation import Sum


@measure(
    "Normalised discounted cumulated gain of chunks",
    params=(K, REL_GAIN, GAIN, UNLISTED, DISCOUNT),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    lowest_at_ends=True,
    gain=gain_of,
    reads_whole_list=True,
    supports_extreme_ties=False,
    example=Example(
        "ChunkNDCG@3",
        (2, None, 3, 1),
        "(2/log2(2) + 3/log2(4)) / (3/log2(2) + 2/log2(3) + 1/log2(4))",
    ),
)
def ChunkNDCG(r: Ranked, m: Measure) -> Sum:
    """The nDCG of a list of chunks, each with the grade of its document.

    ChunkNDCG@k = DCG@n / DCG@n of the ideal ranking, where n chunks hold k different documents

    n is at least k. The ideal ranking holds every retrieved chunk of a judged document, and one of
    each judged document of which none was retrieved. Chunks are known by ``parents``; without it each
    document is its own chunk, and this is nDCG.

    Reading: the order of all that is read until k documents, such as sessions of a history, are in.
    Not for: how early documents are found; chunks of one document gain again and again.
    """
    chunks, ends = chunks_of(r, m.k)
    best = ideal_ranking(chunks, m)
    best, k = (best, m.k) if ends is None else (truncated(best, ends), None)
    ideal = Sum(best, gains(best, m), m.discount, k)
    return Sum(chunks, gains(chunks, m), m.discount, k, denominator=ideal)
