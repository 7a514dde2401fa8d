"""Success, also called hit rate."""

from __future__ import annotations

import numpy as np

from rankstone.core.expected_ties import first_hit, ties_of
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, Working, hits_within, measure
from rankstone.measures.param import REL, K, Param

_HOW = Param(
    "how",
    str,
    "what is counted",
    default="users",
    choices={
        "users": "the share of queries (users) with a hit",
        "pooled": "hits of all queries over all relevant documents",
    },
)


@measure(
    "Success",
    "Success (hit rate)",
    params=(K, REL, _HOW),
    conventions=("ties", "no_relevant"),
    expected=True,
    example=Example("Success@3", (0, 0, 1), "1"),
)
def Success(r: Ranked, m: Measure) -> Working:
    """1 where at least one relevant document stands among the first k, else 0.

    Success@k = 1 if the first k hold a relevant document, else 0

    Its mean is the share of queries (users) with a hit, the HR of most recommender papers.
    ``how='pooled'`` is the HR of others: the hits of all users over all relevant documents; a
    single query's value is then its recall.

    Reading: a user who needs one good answer and reads k.
    Not for: telling good rankings apart; it saturates quickly as k grows.
    """
    hit = r.relevant(m.rel)
    if m.how == "pooled":
        count = r.relevant_count(m.rel)
        return hits_within(r, hit, m.k, count)._replace(weight=count)
    if r.ties_averaged:
        terms = first_hit(r, hit, np.ones(len(ties_of(r).rank)), m.k)
        return Working(terms, columns={"relevant": hit}, cut=True)
    return Working(hit & (r.hits(m.rel) == 1), columns={"relevant": hit})
