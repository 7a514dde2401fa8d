"""LlamaIndex: the metrics of its RetrieverEvaluator."""

from rankstone.tools.base import ANSWERS, CALLER, FAILS_EMPTY, SETS, Conventions, Name, Tool

_REPEATS = {"duplicates": "count"}  # a node that is retrieved twice counts twice

TOOLS = (
    Tool(
        name="llama_index-0.14",
        tested="0.14.25",
        about=f"{CALLER}; {SETS}; whole lists are measured, without a cutoff",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("hit_rate", "Success", note=FAILS_EMPTY),
            Name("hit_rate(use_granular_hit_rate=True)", "R", conventions=_REPEATS, note=FAILS_EMPTY),
            Name("mrr", "RR", note=FAILS_EMPTY),
            Name("precision", "P", note=FAILS_EMPTY),
            Name("recall", "R", note=FAILS_EMPTY),
            Name("ap", "AP", conventions=_REPEATS, note=FAILS_EMPTY),
            Name("ndcg", "nDCG", {"gain": "binary"}, _REPEATS, FAILS_EMPTY),
        ),
        unsupported={
            "mrr(use_granular_mrr=True)": (
                "it is the mean of 1 / rank over the relevant nodes that were retrieved"
            ),
            "cohere_rerank_relevancy": ANSWERS,
        },
    ),
)  # fmt: skip
