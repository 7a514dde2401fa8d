"""Compatibility: how much a ranking overlaps with the ideal ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankstone.core import pairs, segments
from rankstone.core.pairs import Pair
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, Number
from rankstone.measures.summation import Terms, single

_P = Number(
    name="p",
    text="persistence: the weight of a depth over that of the one before",
    default=0.95,
    above=0,
    below=1,
    examples=(0.5, 0.8, 0.9, 0.95, 0.98),
)
_IDEAL = Choice.of(
    "ideal",
    "the ideal ranking, among those that differ in the order of equal grades",
    closest="the one closest to the ranking",
    mean="the mean over all of them",
)
_NORMALIZE = Choice.of(
    "normalize",
    "what the overlap is divided by",
    ideal="that of the ideal ranking with itself, so that the best value is 1",
    none="the sum of the weights",
)


def _sums(values: Pair) -> Pair:
    """Return the sum of the first n values, for every n from 0 up."""
    high, low = pairs.running_sum(values, np.array([0, len(values[0])]))
    return np.append(0.0, high), np.append(0.0, low)


def _at(values: Pair, where: np.ndarray) -> Pair:
    return values[0][where], values[1][where]


class _Place(NamedTuple):
    """The places of a row's grade in the ideal ranking: after begin, up to end.

    ``order`` numbers the rows of a grade by their ranks.
    """

    begin: np.ndarray
    end: np.ndarray
    order: np.ndarray


def _places(r: Ranked) -> _Place:
    query = segments.numbers(r.offsets)
    judged = segments.numbers(r.judged_offsets)
    levels, code = np.unique(np.append(r.judged_grade, r.grade), return_inverse=True)
    falling = len(levels) - 1 - code
    known = judged * len(levels) + falling[: len(judged)]
    own = query * len(levels) + falling[len(judged) :]
    first = r.judged_offsets[query]
    by_grade = np.argsort(own, kind="stable")
    counts = np.append(0, np.cumsum(r.first_occurrence()[by_grade]))
    order = np.empty(len(own), np.int64)
    order[by_grade] = counts[1:]
    return _Place(
        np.searchsorted(known, own) - first,
        np.searchsorted(known, own, "right") - first,
        order - counts[np.searchsorted(own[by_grade], own)],
    )


@measure(
    "Compatibility",
    params=(REL, _P, _IDEAL, _NORMALIZE),
    supports_extreme_ties=False,
    example=Example("Compat(p=0.5)", (1, 2), "(1/2 * 2/2) / (1 * 1/1 + 1/2 * 2/2)"),
)
def Compat(r: Ranked, m: Measure) -> Terms:
    """The rank-biased overlap of a ranking with the ideal ranking.

    Compat = (sum over depths d of p^(d - 1) * o_d / d) / (the same of the ideal ranking with itself),
    where o_d documents are among the first d of both

    The ideal ranking holds the relevant documents by falling grade; of those with equal grades, the
    ones closest to the ranking. Depths go down to the end of the longer of the two lists.

    Reading: a user who compares what is shown with what should have been shown, depth by depth;
    with preferences as grades it needs no gains.
    Not for: reading as a share of relevant documents found.
    Reference: Clarke, Vtyurina and Smucker, Assessing top-k preferences, TOIS 2021; rank-biased
    overlap by Webber, Moffat and Zobel, TOIS 2010.
    """
    hit, query = r.relevant(m.rel) & r.first_occurrence(), segments.numbers(r.offsets)
    relevant = r.relevant_count(m.rel)
    last = np.maximum(r.retrieved, relevant)
    longest = np.maximum(r.retrieved, segments.lengths(r.judged_offsets))
    depth = np.arange(1, int(longest.max(initial=0)) + 1)
    sums = _sums(pairs.divide(pairs.power(m.p, depth - 1), single(depth)))
    sums_of_sums = _sums(sums)
    begin, end, order = _places(r)
    if m.ideal == "closest":
        # A row that counts as not relevant may have a place beyond all depths; it adds nothing.
        place = np.minimum(np.maximum(r.rank, begin + order), len(depth))
        before = _at(sums, place - 1)
    else:  # the mean over the places of a document: its rank decides for those up to it
        upper = np.clip(r.rank - begin, 0, end - begin)
        lower = pairs.subtract(_at(sums_of_sums, end), _at(sums_of_sums, begin + upper))
        both = pairs.add(pairs.multiply(single(upper), _at(sums, r.rank - 1)), lower)
        before = pairs.divide(both, single(np.maximum(end - begin, 1)))
    overlap = pairs.subtract(_at(sums, last[query]), before)
    terms = np.where(hit, overlap[0], 0.0), np.where(hit, overlap[1], 0.0)
    if m.normalize == "ideal":
        best = pairs.multiply(single(relevant), _at(sums, last))
        below = pairs.subtract(best, _at(sums_of_sums, relevant))
    else:
        one = single(np.ones(1))
        stop = pairs.two_sum(one[0], np.full(1, -m.p))
        below = pairs.divide(pairs.subtract(one, pairs.power(m.p, last)), stop)
    columns = {"relevant": hit, "ideal rank": begin + order}
    return Terms(r, terms, below[0] + below[1], columns=columns)
