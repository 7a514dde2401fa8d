"""Areas under curves."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.expected_ties import ties_of
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, UsageError
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, Number
from rankstone.measures.summation import Terms

_NEGATIVES = Choice(
    name="negatives",
    text="which documents relevant ones are compared with",
    default="judged",
    words={
        "judged": "those judged not relevant",
        "retrieved": "all retrieved documents that are not relevant, judged or not",
    },
)
_MISSED = Choice(
    name="missed",
    text="judged documents that were not retrieved",
    default="last",
    words={
        "last": "rank behind all retrieved ones; relevant ones win no comparison",
        "ignore": "do not take part",
    },
)
_SINGLE = Choice(
    name="single_class",
    text="value of a query with relevant documents only, or with none",
    default="skip",
    words={
        "skip": "none: the query is left out of the mean",
        "zero": "0",
        "half": "0.5",
        "one": "1",
        "error": "an error",
    },
)
_PAIRS = Choice(
    name="pairs",
    text="which pairs of a relevant and another document are compared",
    default="query",
    words={
        "query": "pairs within a query",
        "all": "pairs across queries too, so the mean is the AUC of all documents in one pool",
    },
)
_WEIGHT = Choice(
    name="weight",
    text="what a query counts in the mean (grouped AUC)",
    default="none",
    words={
        "none": "all queries the same",
        "positives": "its number of relevant documents",
        "impressions": "its number of documents that take part",
    },
)
_MAX_FPR = Number(
    name="max_fpr",
    text="partial area up to this false positive rate, rescaled so that a random ranking has 0.5 "
    "and the best 1",
    above=0,
    examples=(0.1, 0.25, 0.5, 1),
)


@measure(
    "AUC",
    "Area under the ROC curve",
    params=(REL, _NEGATIVES, _MISSED, _SINGLE, _PAIRS, _WEIGHT, _MAX_FPR),
    undefined_without_relevant=False,
    reaches_max=False,
    supports_expected_ties=True,
    pools_queries=lambda m: m.pairs == "all",
    ties_as_one=True,
    example=Example("AUC", (1, 0, 1, 0), "3 / 4"),
)
def AUC(r: Ranked, m: Measure) -> Terms:
    """The probability that a relevant document scores higher than one that is not; ties count half.

    AUC = (pairs in the right order + half of the tied pairs) / (relevant x other documents)

    Reading: how well scores separate the two kinds, over the whole list.
    Not for: the top of a ranking; a mistake at the bottom costs as much as one at the top.
    Reference: Hanley and McNeil, The meaning and use of the area under a ROC curve, Radiology
    1982.
    """
    if m.max_fpr is not None and m.max_fpr > 1:
        raise UsageError(f"max_fpr of AUC must be at most 1, not {m.max_fpr!r}.")
    hit = r.relevant(m.rel)
    retrieved = segments.count(hit, r.offsets)
    relevant = retrieved if m.missed == "ignore" else _relevant_count(r, m)
    above, tied, others = _all_pairs(r, m) if m.pairs == "all" else _pairs(r, m, hit)
    weight = {
        "none": relevant * others if m.pairs == "all" else np.ones(len(r)),
        "positives": relevant,
        "impressions": relevant + others,
    }[m.weight]
    columns = {"relevant": hit, "others above": above, "others tied": tied}
    fill = _single_class(r, m, (relevant == 0) | (others == 0))
    total = others[segments.numbers(r.offsets)]
    if m.max_fpr is None or m.max_fpr == 1:
        # Twice the pairs won, so that everything stays a whole number.
        terms, below = np.where(hit, 2 * (total - above) - tied, 0), 2.0 * relevant * others
        constant = None
    else:
        terms = np.where(hit, _rescaled(m, _area(m, above, tied, total)), 0.0)
        below = np.where(others > 0, relevant, 0)
        constant = (relevant - retrieved) * _rescaled(m, np.zeros(1))
    return Terms(
        r,
        terms,
        below,
        columns=columns,
        constant=constant,
        undefined=fill,
        query_weight=weight,
    )


def _relevant_count(r: Ranked, m: Measure) -> np.ndarray:
    """Return the number of relevant documents; one that its score makes not relevant is not."""
    lost = (r.original_grade >= r.level(m.rel)) & ~r.relevant(m.rel)
    return r.relevant_count(m.rel) - segments.count(lost, r.offsets)


def _single_class(r: Ranked, m: Measure, single: np.ndarray) -> float:
    """Return the value of queries whose documents are of one kind."""
    if m.single_class == "error" and single.any():
        query = r.queries[int(np.flatnonzero(single)[0])]
        raise DataError(
            f"query {query!r} has documents of one kind only, so {m} is undefined for it. "
            "Remove the query, or choose another single_class."
        )
    return {"skip": np.nan, "zero": 0.0, "half": 0.5, "one": 1.0}.get(m.single_class, np.nan)


def _pairs(r: Ranked, m: Measure, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, for each row, the others above it and tied with it; and all others of each query."""
    ties = ties_of(r)
    relevant = ties.count(hit)
    by_query = segments.offsets_of(np.bincount(ties.query, minlength=len(r)))
    relevant_above = segments.running_total(relevant, by_query) - relevant
    if m.negatives == "retrieved":
        above, tied = ties.above - relevant_above, ties.size - relevant
        others = r.retrieved - segments.count(hit, r.offsets)
        return above[ties.of_row], tied[ties.of_row], others
    other = ties.count(~hit)
    above = segments.running_total(other, by_query) - other
    others = segments.count(~hit, r.offsets)
    if m.missed == "last":
        others = segments.lengths(r.judged_offsets) - _relevant_count(r, m)
    return above[ties.of_row], other[ties.of_row], others


def _all_pairs(r: Ranked, m: Measure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same with the others of all queries in one pool."""
    if m.negatives == "retrieved":
        raise UsageError(
            "AUC(pairs='all') compares scores across queries, and those of unjudged documents are "
            "not kept; use negatives='judged'."
        )
    whole = r.whole
    pool = whole.cached(
        ("pool", whole.level(m.rel)), lambda: np.sort(whole.score[~whole.relevant(m.rel)])
    )
    not_higher = np.searchsorted(pool, r.score, "right")
    lower = np.searchsorted(pool, r.score, "left")
    others = len(pool)
    if m.missed == "last":
        others = int((segments.lengths(whole.judged_offsets) - _relevant_count(whole, m)).sum())
    return len(pool) - not_higher, not_higher - lower, np.full(len(r), others)


def _area(m: Measure, above: np.ndarray, tied: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return what each relevant document adds to the area left of max_fpr, times their number.

    A document adds to the curve from the false positive rate a = above / total on, in full from
    b = (above + tied) / total on, and along a straight line between the two.
    """
    f = float(m.max_fpr)
    safe = np.maximum(total, 1)
    a, b = above / safe, (above + tied) / safe
    reach = np.maximum(np.minimum(f, b) - a, 0.0) ** 2
    return np.divide(reach, 2 * (b - a), out=np.zeros(len(a)), where=b > a) + np.maximum(f - b, 0.0)


def _rescaled(m: Measure, area: np.ndarray) -> np.ndarray:
    """Return the area on a scale where a random ranking has 0.5 and the best 1."""
    f = float(m.max_fpr)
    least = f * f / 2
    return 0.5 * (1 + (area - least) / (f - least))


@measure(
    "AUPRC",
    "Area under the precision-recall curve",
    params=(REL,),
    conventions=("unjudged",),
    supports_expected_ties=True,
    ties_as_one=True,
    example=Example("AUPRC", (1, 0, 1), "(1/1 + 2/3) / 2"),
)
def AUPRC(r: Ranked, m: Measure) -> Terms:
    """The area under the precision-recall curve, in steps, tied documents as one step.

    AUPRC = (sum over relevant documents of precision at the end of its tie) / R

    Without ties this is average precision.

    Reading: precision at every score threshold.
    Not for: rankings without scores; there is no threshold then.
    Reference: Davis and Goadrich, The relationship between precision-recall and ROC curves, ICML
    2006.
    """
    hit = r.relevant(m.rel)
    ties = ties_of(r)
    relevant = ties.count(hit)
    by_query = segments.offsets_of(np.bincount(ties.query, minlength=len(r)))
    reached = segments.running_total(relevant, by_query)
    precision = (reached / (ties.above + ties.size))[ties.of_row]
    terms = np.where(hit, precision, 0.0)
    columns = {"relevant": hit, "precision": precision}
    return Terms(r, terms, r.relevant_count(m.rel), columns=columns)
