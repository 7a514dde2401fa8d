"""MTEB: the scores of its retrieval tasks, most of them by pytrec_eval."""

from rankstone.tools.base import NO_MEASURE, Conventions, Name, Tool

TOOLS = (
    Tool(
        name="mteb-2",
        tested="2.26.24",
        about="pytrec_eval for most measures, code of its own for reciprocal rank",
        conventions=Conventions(precision="float32", queries="both"),
        names=(
            Name("ndcg_at_{k}", "nDCG"),
            Name("map_at_{k}", "AP"),
            Name("recall_at_{k}", "R"),
            Name("accuracy", "R", {"k": 1}),
            Name("precision_at_{k}", "P"),
            Name("mrr_at_{k}", "RR", conventions={"precision": "float64"}),
            Name("hit_rate_at_{k}", "Success"),
            Name("Hole_at_{k}", "Hole", conventions={"precision": "float64"}),
            Name("R_cap_at_{k}", "R", {"denominator": "min(R,k)"}, {"precision": "float64", "no_relevant": "skip"}),
        ),
        unsupported={
            "nauc": NO_MEASURE,
            "Accuracy@{k}": "it leaves out queries without a hit, so its mean is 1",
            "p-MRR": "it compares two runs: rs.p_mrr",
            "paired_accuracy": "it needs pairs of queries",
            "robustness_at_10": "it needs groups of queries",
        },
        limits=("means are rounded to 5 digits, except those of mrr",),
    ),
)  # fmt: skip
