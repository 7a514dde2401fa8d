"""The verb ``p_mrr``: do rankings follow an instruction that makes documents irrelevant?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup, verb
from rankstone.core.judgments import Judgments
from rankstone.core.notices import data_notices
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, Notice
from rankstone.frozen import frozen
from rankstone.io.changes import prepared
from rankstone.io.load import load_judgments, read
from rankstone.io.parents import judged_documents
from rankstone.measures.reciprocal_rank import paired_reciprocal_rank

if TYPE_CHECKING:
    from rankstone.choices.options import PMrrOptions


@frozen
class PairedMRR:
    """The mean over queries of the change of reciprocal ranks, and the value of each query.

    Above 0 the documents that became irrelevant fell, below 0 they rose. ``notices`` are those of
    each of the two runs, ``before`` and ``after``.
    """

    value: float
    per_query: dict[Any, float]
    notices: dict[str, tuple[Notice, ...]]


@verb("p_mrr")
def p_mrr(changed: Any, before: Any, after: Any, **options: Unpack[PMrrOptions]) -> PairedMRR:
    """Compare the ranks of documents that an instruction made irrelevant, in two runs (p-MRR).

    A document that was not retrieved ranks behind the last one. Queries that are missing from a run
    are left out. (Weller et al., 2024; FollowIR, as MTEB computes it.)

    Args:
        changed: the documents whose relevance changed, ``{query: [document, ...]}`` or whatever
            ``evaluate`` takes as judgments.
        before: the run without the instruction.
        after: the run with it; queries have the same ids.
        options: see below.

    >>> p_mrr({"q": ["a"]}, {"q": ["a", "b", "c"]}, {"q": ["b", "a", "c"]}).value
    0.5
    """
    setup = prepared(Setup.of("p_mrr", options))
    judgments = judged_documents(load_judgments(changed, setup), setup.changes)
    setup = setup.replace(judged_chunks=False)
    conventions = setup.conventions(Conventions(queries="both"))
    data = {
        name: read(judgments, run, setup) for name, run in (("before", before), ("after", after))
    }
    old, new = (_ranks(judgments, own.ranked(conventions)) for own in data.values())
    both = [query for query in old if query in new]
    if not both:
        raise DataError("no query with changed documents is in both runs.")
    values = {q: float(paired_reciprocal_rank(old[q], new[q]).mean()) for q in both}
    notices = {n: data_notices(own.tally(conventions), conventions) for n, own in data.items()}
    return PairedMRR(float(np.mean(list(values.values()))), values, notices)


def _ranks(judgments: Judgments, ranked: Ranked) -> dict[Any, np.ndarray]:
    """Return the ranks of the changed documents of each query of a run, in their order."""
    ranks = {}
    places = {query: q for q, query in enumerate(judgments.queries)}
    for i, query in enumerate(ranked.queries):
        first, last = judgments.groups[places[query] : places[query] + 2]
        ranks[query] = np.full(last - first, ranked.retrieved[i] + 1)
        rows = slice(ranked.offsets[i], ranked.offsets[i + 1])
        ranks[query][ranked.judgment[rows] - first] = ranked.rank[rows]
    return ranks
