"""Q-measure: average precision for grades."""

from __future__ import annotations

import numpy as np

from rankstone.core import pairs, segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.dcg import GAIN, UNLISTED, gain_of, gains, ideal_ranking
from rankstone.measures.param import K, Number
from rankstone.measures.summation import Terms, single

_BETA = Number(
    name="beta",
    text="weight of gains beside that of counting documents; 0 makes it average precision",
    default=1,
    within=(0, 1e6),
    examples=(0, 0.5, 1, 10),
)


@measure(
    "Q-measure",
    params=(K, _BETA, GAIN, UNLISTED),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    gain=gain_of,
    supports_extreme_ties=False,
    example=Example("Q", (1, 0, 2), "((1 + 1) / (1 + 2) + (2 + 3) / (3 + 3)) / 2"),
)
def Q(r: Ranked, m: Measure) -> Terms:
    """The mean, over all documents with a gain, of the blended ratio at the rank of each.

    Q = (sum over documents with a gain at rank i of (c_i + beta * g_i) / (i + beta * b_i)) / R, where
    c_i documents with a gain are among the first i, g_i is the sum of their gains, b_i that of the
    first i of the ideal ranking, and R counts all documents with a gain

    Reading: average precision for a user to whom the first ranks also have to hold the best
    documents; beta says how much.
    Not for: grades that are not a scale of gains; choose ``gain``.
    Reference: Sakai, On the properties of evaluation metrics for finding one highly relevant
    document, IPSJ Digital Courier 2007.
    """
    gain, query = gains(r, m), segments.numbers(r.offsets)
    useful = gain > 0
    ideal = ideal_ranking(r, m)
    best = gains(ideal, m)
    sizes = segments.lengths(ideal.offsets)
    reached = pairs.running_sum(single(gain), r.offsets)
    attainable = pairs.running_sum(single(best), ideal.offsets)
    place = ideal.offsets[query] + np.minimum(r.rank, np.maximum(sizes[query], 1)) - 1
    beta = single(np.full(1, float(m.beta)))
    count = segments.running_count(useful, r.offsets)
    above = pairs.add(single(count), pairs.multiply(beta, reached))
    there = attainable[0][place], attainable[1][place]
    ratio = pairs.divide(above, pairs.add(single(r.rank), pairs.multiply(beta, there)))
    terms = np.where(useful, ratio[0], 0.0), np.where(useful, ratio[1], 0.0)
    columns = {"gain": gain, "ratio": ratio[0]}
    return Terms(r, terms, segments.count(best > 0, ideal.offsets), k=m.k, columns=columns)
