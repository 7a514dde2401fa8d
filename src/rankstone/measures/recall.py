"""Recall, completeness and fall-out."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.auc import NEGATIVES
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K, Number
from rankstone.measures.summation import Sum, Terms, Value, total

_DENOMINATOR = Choice(
    name="denominator",
    text="what hits are divided by",
    words={
        "R": "the number of relevant documents",
        "min(R,k)": "the number of relevant documents, or k if that is smaller (capped recall)",
        "min(R,retrieved)": "the number of relevant documents, or the length of the list down to k if that is smaller",
    },
)


@measure(
    "Recall",
    params=(K, REL, _DENOMINATOR),
    supports_expected_ties=True,
    mistaken_for=("Success", "Complete"),
    example=Example("R@3", (1, 0, 1, 1), "2 / 4", missed=(1,)),
)
def R(r: Ranked, m: Measure) -> Sum:
    """The share of the relevant documents that are among the first k.

    R@k = |relevant in the first k| / R, where R counts all relevant documents judged.

    Reading: what a second stage that sees only the first k documents can still find.
    Not for: pools that are far from complete; unjudged relevant documents are not in R.
    Reference: Kent et al., Machine literature searching VIII, American Documentation 1955.
    """
    hit, below = r.relevant(m.rel), r.relevant_count(m.rel)
    if m.denominator == "min(R,k)" and m.k is not None:
        below = np.minimum(below, m.k)
    elif m.denominator == "min(R,retrieved)":
        below = np.minimum(below, r.depth(m.k))
    return Sum(r, hit, k=m.k, denominator=below, columns={"relevant": hit})


@measure(
    "Complete (all relevant documents found)",
    params=(K, REL),
    example=Example("Complete@3", (1, 0, 1, 0), "1"),
)
def Complete(r: Ranked, m: Measure) -> Value:
    """1 if all relevant documents are among the first k, else 0.

    Complete@k = 1 if R@k = 1, else 0

    Its mean is the share of queries that are answered completely, ``recall_all`` in scorers of
    memory for agents; their ``recall_any`` is Success.

    Reading: a user (or a language model) who needs all evidence at once and reads k documents.
    Not for: queries with more relevant documents than k, whose value is always 0; see R.
    """
    hit = r.relevant(m.rel)
    working = Sum(r, hit, k=m.k, columns={"relevant": hit})
    found, relevant = total(working), r.relevant_count(m.rel)
    value = (found >= relevant).astype(np.float64)
    return Value(r, value, "h // R", lambda: {"h": found, "R": relevant}, working)


@measure(
    "Recall at fixed precision",
    params=(
        K,
        REL,
        Number(
            name="precision",
            text="lowest precision that is good enough",
            default=0.5,
            within=(0, 1),
            examples=(0, 0.25, 0.5, 0.8, 0.9, 1),
        ),
    ),
    example=Example("RecallAtP(precision=0.6)", (1, 0, 1, 0, 0, 1), "2 / 4", missed=(1,)),
)
def RecallAtP(r: Ranked, m: Measure) -> Terms:
    """The highest recall at any rank, down to k, where precision is at least p.

    RecallAtP@k = max over ranks i <= k with P@i >= p of R@i; 0 if there is none

    Reading: a user who may choose where to stop, but not to read more than a share of noise.
    Not for: comparing with curves that were averaged over queries before a rank was chosen.
    """
    hits = r.hits(m.rel)
    enough = r.relevant(m.rel) & (hits / r.rank >= m.precision)
    if m.k is not None:
        enough &= r.rank <= m.k
    last = segments.running_count(enough, r.offsets) == np.repeat(
        segments.count(enough, r.offsets), segments.lengths(r.offsets)
    )
    terms = np.where(enough & last, hits, 0)
    columns = {"hits": hits, "precision": hits / r.rank}
    return Terms(r, terms, r.relevant_count(m.rel), columns=columns)


def _harm(r: Ranked, m: Measure, grade: np.ndarray) -> np.ndarray:
    """Return the gain of documents: nonrelevant ones do harm."""
    relevant = grade >= r.level(m.rel)
    return np.where(relevant, 1.0, -1.0 if m.negatives == "judged" else 0.0)


@measure(
    "Fall-out",
    params=(
        K,
        REL,
        NEGATIVES,
        Choice.of(
            "empty",
            "value of a query of which all documents are relevant",
            zero="0",
            one="1",
            skip="none: the query is left out of the mean",
        ),
    ),
    higher_is_better=False,
    undefined_without_relevant=False,
    reaches_max=False,
    supports_expected_ties=True,
    gain=_harm,
    reads_whole_list=True,
    reads_nonrelevant=True,
    example=Example("FallOut@2", (1, 0, 1, 0), "1 / 3", missed=(0,)),
)
def FallOut(r: Ranked, m: Measure) -> Value:
    """The share of the documents that are not relevant that are among the first k.

    FallOut@k = n / N, for n documents among the first k that are not relevant, of N

    Reading: the noise that a reader of k documents has to see; the false positive rate of ROC.
    Not for: collections of which a small part was judged.
    Reference: Swets, Information retrieval systems, Science 1963.
    """
    hit = r.relevant(m.rel)
    if m.negatives == "judged":
        working = Sum(r, ~hit, k=m.k, columns={"not relevant": ~hit})
        noise, size = total(working), segments.lengths(r.judged_offsets) - r.relevant_count(m.rel)
    else:
        working = Sum(r, hit, k=m.k, columns={"relevant": hit})
        noise = r.depth(m.k) - total(working)
        size = r.retrieved - segments.count(hit, r.offsets)
    fill = {"zero": 0.0, "one": 1.0, "skip": np.nan}[m.empty]
    value = np.divide(noise, size, out=np.full(len(r), fill), where=size > 0)
    some = size > 0
    parts = {"n": np.where(some, noise, fill), "N": np.where(some, size, 1)}
    return Value(r, value, "n / N", lambda: parts, working)
