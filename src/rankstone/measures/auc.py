"""Areas under curves."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.expected_ties import ties_of
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, UsageError
from rankstone.measures.base import Example, Measure, Working, measure
from rankstone.measures.param import REL, Param

_NEGATIVES = Param(
    "negatives",
    str,
    "which documents relevant ones are compared with",
    default="judged",
    choices={
        "judged": "those judged not relevant",
        "retrieved": "all retrieved documents that are not relevant, judged or not",
    },
)
_MISSED = Param(
    "missed",
    str,
    "judged documents that were not retrieved",
    default="last",
    choices={
        "last": "stand behind all retrieved ones; relevant ones win no comparison",
        "ignore": "do not take part",
    },
)
_SINGLE = Param(
    "single_class",
    str,
    "value of a query with relevant documents only, or with none",
    default="skip",
    choices={
        "skip": "none: the query is left out of the mean",
        "zero": "0",
        "half": "0.5",
        "one": "1",
        "error": "an error",
    },
)
_PAIRS = Param(
    "pairs",
    str,
    "which pairs of a relevant and another document are compared",
    default="query",
    choices={
        "query": "pairs within a query",
        "all": "pairs across queries too, so the mean is the AUC of all documents in one pool",
    },
)
_WEIGHT = Param(
    "weight",
    str,
    "what a query counts in the mean (grouped AUC)",
    default="none",
    choices={
        "none": "all queries the same",
        "positives": "its number of relevant documents",
        "impressions": "its number of documents that take part",
    },
)
_MAX_FPR = Param(
    "max_fpr",
    float,
    "partial area up to this false positive rate, rescaled so that chance is 0.5 and the best is 1",
    above=0,
)


@measure(
    "AUC",
    "Area under the ROC curve",
    params=(REL, _NEGATIVES, _MISSED, _SINGLE, _PAIRS, _WEIGHT, _MAX_FPR),
    needs_relevant=False,
    attained=False,
    expected=True,
    example=Example("AUC", (1, 0, 1, 0), "3 / 4"),
)
def AUC(r: Ranked, m: Measure) -> Working:
    """The chance that a relevant document scores higher than one that is not; ties count half.

    AUC = (pairs in the right order + half of the tied pairs) / (relevant x other documents)

    Reading: how well scores separate the two kinds, over the whole list.
    Not for: the top of a ranking; a mistake at the bottom costs as much as one at the top.
    """
    if m.max_fpr is not None and m.max_fpr > 1:
        raise UsageError(f"max_fpr of AUC must be at most 1, not {m.max_fpr!r}.")
    hit = r.relevant(m.rel)
    found = segments.count(hit, r.offsets)
    relevant = found if m.missed == "ignore" else r.relevant_count(m.rel)
    above, tied, others = _all_pairs(r, m) if m.pairs == "all" else _pairs(r, m, hit)
    query = segments.numbers(r.offsets)
    total = others[query]
    if m.max_fpr is None:
        # Twice the pairs won, so that everything stays a whole number.
        terms = np.where(hit, 2 * (total - above) - tied, 0)
        over = 2.0 * relevant * others
    else:
        terms, over = _partial(m, hit, above, tied, total), relevant
    single = (relevant == 0) | (others == 0)
    weight = {
        "none": relevant * others if m.pairs == "all" else np.ones(len(r)),
        "positives": relevant,
        "impressions": relevant + others,
    }[m.weight]
    working = Working(
        terms, over, columns={"relevant": hit, "others above": above, "others tied": tied}
    )
    if not single.any():
        return Working(terms, over, columns=working.columns, weight=weight)
    return _with_single(r, m, working, single, weight)


def _with_single(
    r: Ranked, m: Measure, working: Working, single: np.ndarray, weight: np.ndarray
) -> Working:
    if m.single_class == "error":
        query = r.queries[int(np.flatnonzero(single)[0])]
        raise DataError(
            f"query {query!r} has documents of one kind only, so {m} is undefined for it. "
            "Remove the query, or choose another single_class."
        )
    fill = {"skip": np.nan, "zero": 0.0, "half": 0.5, "one": 1.0}[m.single_class]
    return Working(
        working.terms,
        working.over,
        columns=working.columns,
        weight=weight,
        instead=np.where(single, fill, np.inf),
    )


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
        others = segments.lengths(r.judged_offsets) - r.relevant_count(m.rel)
    return above[ties.of_row], other[ties.of_row], others


def _all_pairs(r: Ranked, m: Measure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same with the others of all queries in one pool."""
    if m.negatives == "retrieved":
        raise UsageError(
            "AUC(pairs='all') compares scores across queries, and those of unjudged documents are "
            "not kept; use negatives='judged'."
        )
    whole = r if r.whole is None else r.whole
    pool = whole.once(
        ("pool", whole.level(m.rel)), lambda: np.sort(whole.score[~whole.relevant(m.rel)])
    )
    not_higher = np.searchsorted(pool, r.score, "right")
    lower = np.searchsorted(pool, r.score, "left")
    others = len(pool)
    if m.missed == "last":
        others = int((segments.lengths(whole.judged_offsets) - whole.relevant_count(m.rel)).sum())
    return len(pool) - not_higher, not_higher - lower, np.full(len(r), others)


def _partial(
    m: Measure, hit: np.ndarray, above: np.ndarray, tied: np.ndarray, total: np.ndarray
) -> np.ndarray:
    """Return each relevant document's share of the rescaled area left of max_fpr.

    A document adds to the curve from the false positive rate a = above / total on, in full from
    b = (above + tied) / total on, and along a straight line between the two.
    """
    f = float(m.max_fpr)
    safe = np.maximum(total, 1)
    a, b = above / safe, (above + tied) / safe
    slope = np.where(b > a, (np.minimum(f, b) - a) ** 2 / (2 * np.where(b > a, b - a, 1)), 0.0)
    area = np.where(f <= a, 0.0, slope + np.maximum(f - b, 0.0))
    least = f * f / 2
    return np.where(hit, 0.5 * (1 + (area - least) / (f - least)), 0.0)


@measure(
    "AUPRC",
    "Area under the precision-recall curve",
    params=(REL,),
    conventions=("unjudged", "no_relevant"),
    expected=True,
    example=Example("AUPRC", (1, 0, 1), "(1/1 + 2/3) / 2"),
)
def AUPRC(r: Ranked, m: Measure) -> Working:
    """The area under the precision-recall curve, in steps, tied documents as one step.

    AUPRC = (sum over relevant documents of precision at the end of its tie) / R

    Without ties this is average precision. Reading: precision at every score threshold.
    Not for: rankings without scores; there is no threshold then.
    """
    hit = r.relevant(m.rel)
    ties = ties_of(r)
    relevant = ties.count(hit)
    by_query = segments.offsets_of(np.bincount(ties.query, minlength=len(r)))
    reached = segments.running_total(relevant, by_query)
    precision = (reached / (ties.above + ties.size))[ties.of_row]
    terms = np.where(hit, precision, 0.0)
    over = r.relevant_count(m.rel)
    return Working(terms, over, columns={"relevant": hit, "precision": precision})
