"""Success, also called hit rate."""

from __future__ import annotations

from rankstone.core.ranked import Ranked
from rankstone.measures.base import REL, Example, K, Measure, Working, measure


@measure(
    "Success",
    "Success (hit rate)",
    params=(K, REL),
    names={
        "trec_eval": ("success_{k}", "success.{k}"),
        "ir_measures": ("Success@{k}",),
        "ranx": ("hit_rate@{k}",),
        "recommenders": ("HR@{k}", "Hit@{k}", "HitRate@{k}", "hit_ratio@{k}"),
    },
    conventions=("ties", "no_relevant"),
    example=Example("Success@3", (0, 0, 1), "1"),
)
def Success(r: Ranked, m: Measure) -> Working:
    """1 where at least one relevant document stands among the first k, else 0.

    Success@k = 1 if the first k hold a relevant document, else 0

    Its mean is the share of queries (users) with a hit, the HR of recommender papers.

    Reading: a user who needs one good answer and reads k.
    Not for: telling good rankings apart; it saturates quickly as k grows.
    """
    first = r.relevant(m.rel) & (r.hits(m.rel) == 1)
    return Working(first, columns={"relevant": r.relevant(m.rel)})
