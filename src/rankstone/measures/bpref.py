"""Binary preference."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL
from rankstone.measures.summation import Terms


@measure(
    "Binary preference",
    params=(REL,),
    conventions=("ties", "negatives"),
    reads_nonrelevant=True,
    example=Example("Bpref", (0, 1, None, 0, 1), "(1 - 1/3 + 1 - 2/3) / 3", missed=(1, 0)),
)
def Bpref(r: Ranked, m: Measure) -> Terms:
    """The share of judged non-relevant documents that do not rank above a relevant one.

    Bpref = 1/R * sum over relevant documents retrieved of (1 - min(n, R) / min(N, R)),
    where n judged non-relevant documents rank above the document and N were judged in all

    Documents without a judgment are passed over.

    Reading: as average precision, but safe against judgments that are far from complete.
    Not for: small R and few judged non-relevant documents; each of them then weighs heavily.
    Reference: Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.
    """
    return _bpref(r, m.rel)


def _bpref(r: Ranked, rel: float | None) -> Terms:
    hit = r.relevant(rel)
    relevant = r.relevant_count(rel)
    judged = segments.lengths(r.judged_offsets)
    query = segments.numbers(r.offsets)
    above = np.minimum(segments.running_count(~hit, r.offsets), relevant[query])
    most = np.maximum(np.minimum(judged - relevant, relevant), 1)[query]
    terms = np.where(hit, 1.0 - above / most, 0.0)
    return Terms(r, terms, relevant, columns={"relevant": hit, "non-relevant above": above})


@measure(
    "Geometric mean of binary preference",
    params=(REL,),
    conventions=("ties", "negatives"),
    aggregate="geometric",
    reads_nonrelevant=True,
    example=Example("GMBpref", (1, 0, 1), "(1 + 0) / 2"),
)
def GMBpref(r: Ranked, m: Measure) -> Terms:
    """Binary preference, whose geometric mean is taken over queries.

    GMBpref = exp(mean over queries of ln max(Bpref, 0.00001))

    The value of a single query is its binary preference.

    Reading: rewards what helps the worst queries.
    Not for: sets with many queries at 0; the floor then decides.
    """
    return _bpref(r, m.rel)
