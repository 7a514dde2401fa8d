"""Reciprocal rank."""

from __future__ import annotations

from rankstone.core.expected_ties import first_hit, ties_of
from rankstone.core.ranked import Ranked
from rankstone.measures.base import As, Example, Measure, measure
from rankstone.measures.lines import Line
from rankstone.measures.param import REL, K
from rankstone.measures.quirks import BEIR_OWN, TOPK, TORCH
from rankstone.measures.summation import Sum, Terms


@measure(
    "RR",
    "Reciprocal rank",
    params=(K, REL),
    lines=(Line("recip_rank", 9, "official all_trec"),),
    names={
        "ir_measures": (
            "RR",
            As("RR@{k}", conventions={"ties": "docid-asc", "precision": "float64"}),
        ),
        "ranx": ("mrr@{k}",),
        "beir": (
            As(
                "MRR@{k}",
                conventions=BEIR_OWN,
            ),
        ),
        "torchmetrics": (
            As("RetrievalMRR@{k}", conventions=TORCH, note=TOPK),
            As("retrieval_reciprocal_rank@{k}", conventions=TORCH, note=TOPK),
        ),
        "rectools": ("MRR@{k}",),
        "lenskit": ("RecipRank@{k}",),
        "recbole": ("MRR@{k}",),
        "replay": ("MRR@{k}",),
        "rax": ("mrr_metric@{k}",),
        "cornac": (As("MRR", note="it fails where no relevant item was retrieved"),),
        "article-1": ("reciprocal_rank",),
        "mteb": ("mrr_at_{k}",),
        "articles": ("reciprocal_rank",),
    },
    conventions=("ties",),
    supports_expected_ties=True,
    example=Example("RR", (0, 1, 0, 1), "1 / 2"),
)
def RR(r: Ranked, m: Measure) -> Sum | Terms:
    """One over the rank of the first relevant document; 0 if there is none.

    RR = 1 / rank of the first relevant document. Its mean is MRR.

    Reading: a user who wants one answer and reads from the top until it is found.
    Not for: queries with several documents to be found; all but the first are ignored.
    """
    hit = r.relevant(m.rel)
    if r.ties_averaged:
        return Terms(r, first_hit(r, hit, 1 / ties_of(r).rank, m.k), columns={"relevant": hit})
    first = hit & (r.hits(m.rel) == 1)
    return Sum(r, first, "reciprocal", m.k, columns={"relevant": hit})
