"""TruLens: the measures of retrieved chunks and memories in its GroundTruthAgreement."""

from rankstone.tools.base import ANSWERS, CALLER, RATINGS, Conventions, Name, Tool

_TIES = (
    "given scores, it takes all chunks that share the score of the k-th; without retrieved chunks "
    "it is NaN"
)
_ALL_GOLDEN = "every expected chunk is relevant, whatever its expect_score"

TOOLS = (
    Tool(
        name="trulens-2",
        tested="2.16.0",
        about=f"{CALLER}; texts are compared; a query without expected chunks is left out",
        conventions=Conventions(
            ties="input", queries="both", no_relevant="skip", duplicates="keep"
        ),
        names=(
            Name("ndcg_at_{k}", "nDCG"),
            Name(
                "precision_at_{k}",
                "P",
                {"denominator": "retrieved"},
                {"duplicates": "count"},
                f"{_ALL_GOLDEN}; {_TIES}",
            ),
            Name("recall_at_{k}", "R", note=f"{_ALL_GOLDEN}; {_TIES}"),
            Name("mrr", "RR", note=_ALL_GOLDEN),
            Name("ir_hit_rate@{k}", "Success", note=_ALL_GOLDEN),
            Name("memory_recall", "R"),
            Name("memory_mrr", "RR"),
        ),
        unsupported={
            "absolute_error": RATINGS,
            "agreement_measure": ANSWERS,
            "bert_score": ANSWERS,
            "bleu": ANSWERS,
            "mae": RATINGS,
            "rouge": ANSWERS,
        },
        limits=("memories are compared by similar text below a threshold of 1",),
    ),
)
