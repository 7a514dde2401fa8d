"""Silence on queries without relevant documents."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice
from rankstone.measures.summation import Terms

_OF = Choice.of(
    "of",
    "which queries count in the mean",
    unanswerable="those without a relevant document: the share with right silence",
    answerable="those with a relevant document: the share that was answered at all",
    all="all: the share of right decisions, to answer or to be silent",
)


@measure(
    "Right silence",
    params=(REL, _OF),
    conventions=("queries",),
    undefined_without_relevant=False,
    supports_expected_ties=True,
    example=Example("Silence(of='all')", (0, 1), "1"),
)
def Silence(r: Ranked, m: Measure) -> Terms:
    """Whether the system answered a query that has an answer, or was silent on one that has none.

    Silence = 1 if something was retrieved and there is a relevant document, or neither; else 0

    The mean is over the queries without a relevant document, or over those that ``of`` names. A
    score threshold (``min_score``) decides what counts as retrieved.

    Reading: whether users are told that nothing fits, instead of being shown what does not.
    Not for: the quality of an answer; one wrong document counts as an answer.
    """
    answerable, answered = r.relevant_count(m.rel) > 0, r.retrieved > 0
    right = answerable == answered
    chosen = {"unanswerable": ~answerable, "answerable": answerable, "all": np.ones(len(r), bool)}
    columns = {"answerable": answerable, "answered": answered}
    return Terms(
        r,
        right.astype(np.float64),
        columns=columns,
        offsets=np.arange(len(r) + 1),
        query_weight=chosen[m.of].astype(np.float64),
    )
