"""Success, also called hit rate."""

from __future__ import annotations

import numpy as np

from rankstone.core.expected_ties import first_hit
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K
from rankstone.measures.summation import Sum, Terms

_HOW = Choice.of(
    "how",
    "what is counted",
    users="the share of queries (users) with a hit",
    pooled="hits of all queries over all relevant documents",
)


@measure(
    "Success (hit rate)",
    params=(K, REL, _HOW),
    supports_expected_ties=True,
    mistaken_for=("R",),
    example=Example("Success@3", (0, 0, 1), "1"),
)
def Success(r: Ranked, m: Measure) -> Sum | Terms:
    """1 if at least one relevant document is among the first k, else 0.

    Success@k = 1 if the first k hold a relevant document, else 0

    Its mean is the share of queries (users) with a hit, the HR of most recommender papers.
    ``how='pooled'`` is the HR of others: the hits of all users over all relevant documents; a
    single query's value is then its recall.

    Reading: a user who needs one good answer and reads k.
    Not for: telling good rankings apart; it saturates quickly as k grows.
    Reference: Deshpande and Karypis, Item-based top-N recommendation algorithms, TOIS 2004.
    """
    hit = r.relevant(m.rel)
    columns = {"relevant": hit}
    if m.how == "pooled":
        count = r.relevant_count(m.rel)
        return Sum(r, hit, k=m.k, denominator=count, query_weight=count, columns=columns)
    if r.ties_averaged:
        terms = first_hit(r, hit, np.ones_like, m.k)
        return Terms(r, terms, columns=columns)
    return Sum(r, hit & (r.hits(m.rel) == 1), k=m.k, columns=columns)
