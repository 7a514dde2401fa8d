"""Ranks of relevant documents: how far one has to read."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.expected_ties import first_hit
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice
from rankstone.measures.summation import Terms, Value


def _first_rank(r: Ranked, m: Measure) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank of the first relevant document at its row, and the part that is without a row.

    If no relevant document was retrieved, the first one comes right after the list.
    """
    hit = r.relevant(m.rel)
    if r.ties_averaged:
        terms = first_hit(r, hit, lambda rank: rank.astype(np.float64), None)
    else:
        terms = np.where(hit & (r.hits(m.rel) == 1), r.rank, 0)
    absent = (r.relevant_count(m.rel) > 0) & (segments.count(hit, r.offsets) == 0)
    return terms, np.where(absent, r.retrieved + 1.0, 0.0)


@measure(
    "Rank of the first relevant document",
    params=(REL,),
    range=(0.0, np.inf),
    higher_is_better=False,
    undefined_without_relevant=False,
    supports_expected_ties=True,
    example=Example("FirstRank", (0, None, 1, 1), "3"),
)
def FirstRank(r: Ranked, m: Measure) -> Terms:
    """The rank of the first relevant document.

    FirstRank = the lowest rank of a relevant document; one more than the number of documents if
    none was retrieved

    Its mean over queries is the mean rank of link prediction, its median less sensitive to a few
    bad queries (``aggregate='median'``). A query without relevant documents has no value.

    Reading: the documents that a user reads who wants one answer.
    Not for: runs that end early; what is not retrieved has the best rank that is left.
    """
    terms, constant = _first_rank(r, m)
    some = (r.relevant_count(m.rel) > 0).astype(np.float64)
    columns = {"relevant": r.relevant(m.rel)}
    return Terms(r, terms, some, columns=columns, constant=constant, undefined=np.nan)


@measure(
    "Adjusted mean rank index",
    params=(REL,),
    range=(-np.inf, 1.0),
    undefined_without_relevant=False,
    reaches_max=False,
    supports_expected_ties=True,
    example=Example("AMRI", (0, 1, 0, 0, 0), "1 - (2 - 1) / ((5 + 1) / 2 - 1)"),
)
def AMRI(r: Ranked, m: Measure) -> Terms:
    """How much better the rank of the first relevant document is than that of a random order.

    AMRI = 1 - (rank - 1) / (e - 1), where e = (n + 1) / (R + 1) is the mean rank of a random order
    of n documents, R of them relevant

    Queries are weighted by e - 1, so the mean is 1 - mean(rank - 1) / mean(e - 1). The n documents
    are those retrieved, and the relevant ones that were not.

    Reading: 1 is the best, 0 is random order, however many candidates there are.
    Not for: lists cut off at the top; n has to be all candidates.
    Reference: Berrendorf et al., On the ambiguity of rank-based evaluation of entity alignment or
    link prediction methods, 2020.
    """
    terms, constant = _first_rank(r, m)
    relevant = r.relevant_count(m.rel)
    n = r.retrieved + relevant - segments.count(r.relevant(m.rel), r.offsets)
    defined = np.where(relevant > 0, n - relevant, 0).astype(np.float64)
    factor = relevant + 1.0
    return Terms(
        r,
        -terms * factor[segments.numbers(r.offsets)],
        defined,
        columns={"relevant": r.relevant(m.rel)},
        constant=n + 1 - constant * factor,
        undefined=np.nan,
        query_weight=defined / factor,
    )


@measure(
    "Rank of the last relevant document",
    params=(
        REL,
        Choice.of(
            "tied",
            "rank of a document that shares its score with others",
            order="the one that the convention on ties gives it",
            last="the last one of those that have the score",
        ),
        Choice.of(
            "empty",
            "value of a query without relevant documents",
            skip="none: the query is left out of the mean",
            zero="0",
        ),
    ),
    range=(0.0, np.inf),
    higher_is_better=False,
    undefined_without_relevant=False,
    supports_expected_ties=lambda m: m.tied == "last",
    ties_as_one=lambda m: "step" if m.tied == "last" else "",
    example=Example("LastRank", (1, None, 1, 0), "4 + 1", missed=(1,)),
)
def LastRank(r: Ranked, m: Measure) -> Value:
    """The number of documents one has to read to find all relevant ones.

    LastRank = the highest rank of a relevant document; those not retrieved follow the list

    Reading: a user who has to find everything, as in patent or legal search.
    Not for: runs that end early, or judgments that are far from complete.
    Reference: Cooper, Expected search length, American Documentation 1968, for all of a query's
    relevant documents.
    """
    hit = r.relevant(m.rel)
    rank = r.above + r.tied if m.tied == "last" else r.rank
    last = segments.largest(np.where(hit, rank, 0), r.offsets[:-1], r.offsets[1:])
    relevant = r.relevant_count(m.rel)
    missed = relevant - segments.count(hit, r.offsets)
    last = np.where(missed > 0, r.retrieved + missed, last)
    value = np.where(relevant > 0, last, 0.0 if m.empty == "zero" else np.nan)
    return Value(r, value, "rank", lambda: {"rank": value})
