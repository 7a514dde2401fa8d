"""RePlay: metrics over tables of scored recommendations and ground truth."""

from rankstone.tools.base import MORE_DATA, SETS, SKIPS, Conventions, Name, Tool

TOOLS = (
    Tool(
        name="replay-0.22",
        tested="0.22.0",
        about=f"{SETS}; {SKIPS}",
        conventions=Conventions(no_relevant="skip"),
        names=(
            Name("NDCG@{k}", "nDCG", {"gain": "binary"}),
            Name("MAP@{k}", "AP", {"denominator": "min(R,k)"}),
            Name("MRR@{k}", "RR"),
            Name("Precision@{k}", "P"),
            Name("Recall@{k}", "R"),
            Name("HitRate@{k}", "Success"),
            Name(
                "RocAuc@{k}",
                "AUC",
                {
                    "negatives": "retrieved",
                    "missed": "ignore",
                    "tied": "order",
                    "single_class": "kind",
                },
            ),
        ),
        unsupported={
            "Coverage@{k}": MORE_DATA,
            "CategoricalDiversity@{k}": MORE_DATA,
            "Novelty@{k}": MORE_DATA,
            "Surprisal@{k}": MORE_DATA,
            "Unexpectedness@{k}": MORE_DATA,
        },
    ),
)
