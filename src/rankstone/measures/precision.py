"""Precision and R-precision."""

from __future__ import annotations

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures.base import As, Example, Measure, measure
from rankstone.measures.lines import CUTS, Line
from rankstone.measures.param import REL, Choice, K, Number
from rankstone.measures.quirks import TOPK, TORCH
from rankstone.measures.summation import Sum

_DENOMINATOR = Choice(
    name="denominator",
    text="what hits are divided by if fewer than k documents were retrieved",
    default="k",
    words={
        "k": "k, as if irrelevant documents filled the list",
        "retrieved": "the number retrieved",
        "min(k,R)": "k, or the number of relevant documents if that is smaller",
    },
)

_MULTIPLE = Number(
    name="multiple",
    text="number of documents that are looked at, as a multiple of R",
    default=1,
    above=0,
    examples=(0.2, 0.5, 1, 2),
)
_MULTIPLES = tuple(i / 10 for i in range(2, 21, 2))


@measure(
    "P",
    "Precision",
    params=(K, REL, _DENOMINATOR),
    lines=(
        Line("P", 11, "official all_trec", each="k", values=CUTS),
        Line("set_P", 30, "all_trec set"),
        Line("set_relative_P", 31, "all_trec set", {"denominator": "min(k,R)"}),
        Line("relative_P", 28, "all_trec", {"denominator": "min(k,R)"}, each="k", values=CUTS),
        Line("P_avgjg", 51, "qrels_jg", each="k", values=CUTS, format="qrels_jg"),
    ),
    names={
        "ir_measures": (
            "P@{k}",
            "SetP",
            As("SetRelP", {"denominator": "min(k,R)"}),
            As("SetP(relative=True)", {"denominator": "min(k,R)"}),
        ),
        "ranx": ("precision@{k}", "precision@{k}-l{rel}"),
        "beir": ("P@{k}",),
        "mteb": ("precision_at_{k}",),
        "torchmetrics": (
            As("RetrievalPrecision@{k}", conventions=TORCH, note=TOPK),
            As("retrieval_precision@{k}", conventions=TORCH, note=TOPK),
            As(
                "RetrievalPrecision(adaptive_k=True)@{k}",
                {"denominator": "retrieved"},
                TORCH,
                TOPK,
            ),
        ),
        "xgboost": (As("pre@{k}", {"denominator": "retrieved"}, {"no_relevant": "zero"}),),
        "spark": ("precisionAt@{k}", "precisionAtK@{k}"),
        "rectools": (
            "Precision@{k}",
            As("Precision(r_precision=True)@{k}", {"denominator": "min(k,R)"}),
        ),
        "lenskit": (As("Precision@{k}", {"denominator": "retrieved"}),),
        "recbole": ("Precision@{k}",),
        "replay": ("Precision@{k}",),
        "rax": (As("precision_metric@{k}", {"denominator": "retrieved"}),),
        "cornac": ("Precision@{k}",),
        "recommenders": ("precision_at_k@{k}",),
        "article-1": ("precision@{k}",),
        "articles": ("Precision@{k}", "Prec@{k}"),
    },
    conventions=("ties", "unjudged"),
    supports_expected_ties=True,
    example=Example("P@5", (1, 0, 1, None, 1), "3 / 5", missed=(1,)),
)
def P(r: Ranked, m: Measure) -> Sum:
    """The share of the first k documents that are relevant.

    P@k = |relevant in the first k| / k; without k, over the number retrieved.

    Reading: a user who looks at exactly k documents and does not care about their order.
    Not for: comparing queries with very different numbers of relevant documents; with fewer
    than k of them even a perfect ranking stays below 1.
    """
    hit, below = r.relevant(m.rel), r.depth(m.k)
    if m.k is not None and m.denominator != "retrieved":
        below = np.full(len(r), m.k)
    if m.denominator == "min(k,R)":
        below = np.minimum(below, r.relevant_count(m.rel))
    return Sum(r, hit, k=m.k, denominator=below, columns={"relevant": hit})


@measure(
    "Rprec",
    "R-precision",
    params=(REL, _MULTIPLE),
    lines=(
        Line("Rprec", 7, "official all_trec"),
        Line("Rprec_mult", 16, "all_trec", each="multiple", values=_MULTIPLES),
        Line(
            "Rprec_mult_avgjg",
            52,
            "qrels_jg",
            each="multiple",
            values=_MULTIPLES,
            format="qrels_jg",
        ),
    ),
    names={
        "ir_measures": ("Rprec",),
        "ranx": ("r-precision",),
        "torchmetrics": (
            As("RetrievalRPrecision", note=TOPK),
            As("retrieval_r_precision", note=TOPK),
        ),
    },
    conventions=("ties", "unjudged"),
    supports_expected_ties=True,
    example=Example("Rprec", (1, 0, 1, 1), "2 / 3"),
)
def Rprec(r: Ranked, m: Measure) -> Sum:
    """Precision at rank R, where R is the number of relevant documents of the query.

    Rprec = |relevant in the first R| / R

    ``multiple`` looks at c = multiple * R documents instead, and divides by c; c is rounded up
    if its fraction is 0.1 or more.

    Reading: the point where precision and recall are equal.
    Not for: judging the top of long rankings when R is large.
    """
    count = r.relevant_count(m.rel)
    if m.multiple != 1:
        count = (m.multiple * count + 0.9).astype(np.int64)
    hit = r.relevant(m.rel)
    return Sum(r, hit, k=count, denominator=count, columns={"relevant": hit})
