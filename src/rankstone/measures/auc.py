"""Areas under curves, and shares of pairs in the right order."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.expected_ties import ties_of
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, UsageError
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K, Number
from rankstone.measures.summation import Columns, Terms

NEGATIVES = Choice.of(
    "negatives",
    "which documents relevant ones are compared with",
    judged="those judged not relevant",
    retrieved="all retrieved documents that are not relevant, judged or not",
)
_MISSED = Choice.of(
    "missed",
    "judged documents that were not retrieved",
    last="rank behind all retrieved ones; relevant ones win no comparison",
    ignore="do not take part",
)
_SINGLE = Choice.of(
    "single_class",
    "value of a query with relevant documents only, or with none",
    skip="none: the query is left out of the mean",
    zero="0",
    half="0.5",
    one="1",
    kind="1 if there are relevant documents only, 0 if all relevant ones are missing; a query "
    "without any is left out of the mean",
    error="an error",
)
_TIED = Choice.of(
    "tied",
    "pairs of documents with the same score",
    half="count half",
    lost="are in the wrong order",
    order="are in the order that the convention on ties gives them",
)
_PAIRS = Choice.of(
    "pairs",
    "which pairs of a relevant and another document are compared",
    query="pairs within a query",
    all="pairs across queries too, so the mean is the AUC of all documents in one pool",
)
_WEIGHT = Choice.of(
    "weight",
    "what a query counts in the mean (grouped AUC)",
    none="all queries the same",
    positives="its number of relevant documents",
    impressions="its number of documents that take part",
)
_MAX_FPR = Number(
    name="max_fpr",
    text="partial area up to this false positive rate, rescaled so that a random ranking has 0.5 "
    "and the best 1",
    above=0,
    examples=(0.1, 0.25, 0.5, 1),
)


@measure(
    "Area under the ROC curve",
    params=(K, REL, NEGATIVES, _MISSED, _SINGLE, _PAIRS, _WEIGHT, _MAX_FPR, _TIED),
    undefined_without_relevant=False,
    reaches_max=False,
    supports_expected_ties=lambda m: m.k is None and m.tied != "order",
    supports_extreme_ties=lambda m: m.k is None,
    pools_queries=lambda m: m.pairs == "all",
    ties_as_one="line",
    reads_nonrelevant=lambda m: m.pairs == "all" or m.k is not None,
    reads_whole_list=True,
    conventions=(),
    example=Example("AUC", (1, 0, 1, 0), "3 / 4"),
)
def AUC(r: Ranked, m: Measure) -> Terms:
    """The probability that a relevant document scores higher than one that is not; ties count half.

    AUC = (pairs in the right order + half of the tied pairs) / (relevant x other documents)

    AUC@k is that of the first k documents, as if no more had been retrieved. Weighted by
    impressions, its mean over queries is the grouped AUC (GAUC).

    Reading: how well scores separate the two kinds, over the whole list.
    Not for: the top of a ranking; a mistake at the bottom costs as much as one at the top.
    Reference: Hanley and McNeil, The meaning and use of the area under a ROC curve, Radiology
    1982.
    """
    if m.max_fpr is not None and m.max_fpr > 1:
        raise UsageError(f"max_fpr of AUC must be at most 1, not {m.max_fpr!r}.")
    hit = r.relevant(m.rel) & _within(r, m)
    retrieved = segments.count(hit, r.offsets)
    relevant = retrieved if m.missed == "ignore" else retrieved + _missed(r, m)[0]
    above, tied, others = _all_pairs(r, m) if m.pairs == "all" else _pairs(r, m, hit)
    if m.tied == "lost":
        above, tied = above + tied, np.zeros_like(tied)
    weight = {
        "none": relevant * others if m.pairs == "all" else np.ones(len(r)),
        "positives": relevant,
        "impressions": relevant + others,
    }[m.weight]
    columns = _columns(hit, above, tied)
    fill = _single_class(r, m, relevant, others)
    total = others[segments.numbers(r.offsets)]
    if m.max_fpr is None or m.max_fpr == 1:
        terms, below = np.where(hit, total - above - tied / 2, 0), 1.0 * relevant * others
        constant = None
    else:
        terms = np.where(hit, _rescaled(m, _area(m, above, tied, total)), 0.0)
        below = np.where(others > 0, relevant, 0)
        constant = (relevant - retrieved) * _rescaled(m, np.zeros(1))
    return Terms(
        r, terms, below, columns=columns, constant=constant, undefined=fill, query_weight=weight
    )


def _missed(r: Ranked, m: Measure) -> tuple[np.ndarray, np.ndarray]:
    """Return how many relevant and how many other judged documents are not among the first k."""
    relevant = r.original_grade >= r.level(m.rel)
    first = r.first_occurrence() & _within(r, m)
    missed = r.relevant_count(m.rel) - segments.count(relevant & first, r.offsets)
    judged = segments.lengths(r.judged_offsets) - segments.count(first, r.offsets)
    return missed, judged - missed


def _single_class(r: Ranked, m: Measure, relevant: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the value of queries whose documents are of one kind."""
    single = (relevant == 0) | (others == 0)
    if m.single_class == "error" and single.any():
        query = r.queries[int(np.flatnonzero(single)[0])]
        raise DataError(
            f"query {query!r} has documents of one kind only, so {m} is undefined for it. "
            "Remove the query, or choose another single_class."
        )
    if m.single_class == "kind":
        return np.where(relevant > 0, 1.0, np.where(r.relevant_count(m.rel) > 0, 0.0, np.nan))
    fill = {"zero": 0.0, "half": 0.5, "one": 1.0}.get(m.single_class, np.nan)
    return np.full(len(r), fill)


def _within(r: Ranked, m: Measure) -> np.ndarray:
    """Return which rows are among the first k."""
    return np.ones(len(r.rank), bool) if m.get("k") is None else r.rank <= m.k


def _pairs(r: Ranked, m: Measure, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return, for each row, the others above it and tied with it; and all others of each query."""
    # Documents without a row have the label 0 if all are judged; below a cutoff they count as missed.
    counts_all = m.negatives == "retrieved" or (r.all_judged and m.get("k") is None)
    other = ~r.relevant(m.rel) & _within(r, m)
    if m.get("tied") == "order":
        above = segments.running_count(other, r.offsets)
        if counts_all:
            above = r.rank - segments.running_count(hit, r.offsets)
        tied = np.zeros(len(hit), np.int64)
    else:
        above, tied = count_above(r, other)
        if counts_all:
            ties, (hits_above, hits_tied) = ties_of(r), count_above(r, hit)
            end = ties.above + ties.size
            end = end if m.get("k") is None else np.minimum(end, m.k)
            above = ties.above[ties.of_row] - hits_above
            tied = (end - ties.above)[ties.of_row] - hits_tied
    if counts_all:
        return above, tied, r.depth(m.get("k")) - segments.count(hit, r.offsets)
    others = segments.count(other, r.offsets)
    if m.missed == "last":
        others = others + _missed(r, m)[1]
    return above, tied, others


def _columns(hit: np.ndarray, above: np.ndarray, tied: np.ndarray) -> Columns:
    """Return the columns of an explanation of pairs; a document is not tied with itself."""
    return {
        "relevant": hit,
        "others above": above,
        "others tied": lambda: np.where(hit, tied, np.maximum(tied - 1, 0)),
    }


def count_above(r: Ranked, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each row, how many rows of a mask have a higher score, and how many the same."""
    ties = ties_of(r)
    each = ties.count(mask)
    by_query = segments.offsets_of(np.bincount(ties.query, minlength=len(r)))
    above = segments.running_total(each, by_query) - each
    return above[ties.of_row], each[ties.of_row]


def _all_pairs(r: Ranked, m: Measure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same with the others of all queries in one pool."""
    if m.negatives == "retrieved":
        raise UsageError(
            "AUC(pairs='all') compares scores across queries, and those of unjudged documents are "
            "not kept; use negatives='judged'."
        )
    if m.k is not None or m.tied == "order":
        raise UsageError(
            "AUC(pairs='all') has all documents in one order, by their scores; leave out the cutoff "
            "and tied='order'."
        )
    whole = r.whole
    pool = whole.cached(
        ("pool", whole.level(m.rel)), lambda: np.sort(whole.score[~whole.relevant(m.rel)])
    )
    not_higher = np.searchsorted(pool, r.score, "right")
    lower = np.searchsorted(pool, r.score, "left")
    others = len(pool)
    if m.missed == "last":
        others += int(_missed(whole, m)[1].sum())
    return len(pool) - not_higher, not_higher - lower, np.full(len(r), others)


def _area(m: Measure, above: np.ndarray, tied: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the share of each relevant document in the area left of max_fpr, times their number.

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
    "Area under the precision-recall curve",
    params=(REL,),
    conventions=("unjudged",),
    supports_expected_ties=True,
    ties_as_one="step",
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


@measure(
    "Ranking loss",
    params=(REL, NEGATIVES, _MISSED),
    higher_is_better=False,
    undefined_without_relevant=False,
    supports_expected_ties=True,
    ties_as_one="step",
    reaches_max=False,
    reads_nonrelevant=True,
    conventions=(),
    example=Example("RankingLoss", (1, 0, 1, 0), "1 / 4"),
)
def RankingLoss(r: Ranked, m: Measure) -> Terms:
    """The share of pairs of a relevant and another document that are not in the right order.

    RankingLoss = (pairs in the wrong order + tied pairs) / (relevant x other documents)

    A query with documents of one kind only has 0.

    Reading: 1 - AUC for scores without ties, and what AUC forgives if there are ties.
    Not for: the top of a ranking; see AUC.
    Reference: Tsoumakas, Katakis and Vlahavas, Mining multi-label data, 2010.
    """
    hit = r.relevant(m.rel)
    retrieved = segments.count(hit, r.offsets)
    relevant = retrieved if m.missed == "ignore" else retrieved + _missed(r, m)[0]
    above, tied, others = _pairs(r, m, hit)
    columns = _columns(hit, above, tied)
    lost = np.where(hit, above + tied, 0)
    constant = ((relevant - retrieved) * others).astype(np.float64)
    return Terms(r, lost, relevant * others, columns=columns, constant=constant)


@measure(
    "Ordered pair accuracy",
    params=(
        Choice.of(
            "documents",
            "which documents are compared",
            judged="judged ones that were retrieved",
            retrieved="all retrieved ones; without a judgment they have grade 0",
        ),
    ),
    undefined_without_relevant=False,
    uses_grades=True,
    gain=lambda r, m, grade: np.maximum(grade, 0.0),  # noqa: ARG005
    reaches_max=False,
    supports_expected_ties=True,
    ties_as_one="step",
    reads_nonrelevant=True,
    conventions=(),
    example=Example("OPA", (1, 2, 0), "2 / 3"),
)
def OPA(r: Ranked, m: Measure) -> Terms:
    """The share of pairs with different grades in which the better document scores higher.

    OPA = |pairs with grade_a > grade_b and score_a > score_b| / |pairs with grade_a > grade_b|

    A tied pair is not in the right order. A query without pairs of different grades has 0.

    Reading: how well scores order documents by grade, over the whole list; AUC for grades.
    Not for: the top of a ranking; a pair at the bottom counts as much as one at the top.
    """
    grade = np.maximum(r.grade, 0.0)
    right, pairs = np.zeros(len(grade)), np.zeros(len(r))
    ties = ties_of(r)
    end = (ties.above + ties.size)[ties.of_row]
    query = segments.numbers(r.offsets)
    judged_above, judged_tied = count_above(r, np.ones(len(grade), bool))
    for level in np.unique(grade)[0 if m.documents == "retrieved" else 1 :].tolist():
        row, lower = grade == level, grade < level
        above, tied = count_above(r, lower)
        count, below = segments.count(lower, r.offsets), -above - tied
        if m.documents == "retrieved" and level > 0:
            count = count + r.retrieved - segments.lengths(r.offsets)
            below = below + judged_above + judged_tied - end
        right = np.where(row, (count[query] + below), right)
        pairs += segments.count(row, r.offsets) * count
    columns = {"grade": grade, "lower grades below": right}
    return Terms(r, right, pairs, columns=columns)
