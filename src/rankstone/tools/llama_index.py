"""LlamaIndex: the metrics of its RetrieverEvaluator."""

from __future__ import annotations

from rankstone.conventions import Conventions
from rankstone.tools.base import ANSWERS, NO_MEASURE, Name, Tool
from rankstone.tools.texts import CALLER, FAILS_EMPTY, SETS

_REPEATS = f"a node that is retrieved twice counts twice; {FAILS_EMPTY}"

TOOLS = (
    Tool(
        name="llama_index-0.14",
        tested="0.14.25",
        about=f"{CALLER}; {SETS}; whole lists are measured, without a cutoff",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("hit_rate", "Success", note=FAILS_EMPTY),
            Name("hit_rate(use_granular_hit_rate=True)", "R", note=_REPEATS),
            Name("mrr", "RR", note=FAILS_EMPTY),
            Name("precision", "P", note=FAILS_EMPTY),
            Name("recall", "R", note=FAILS_EMPTY),
            Name("ap", "AP", note=_REPEATS),
            Name("ndcg", "nDCG", {"gain": "binary"}, note=_REPEATS),
        ),
        unsupported={
            "mrr(use_granular_mrr=True)": NO_MEASURE,
            "cohere_rerank_relevancy": ANSWERS,
        },
    ),
)
