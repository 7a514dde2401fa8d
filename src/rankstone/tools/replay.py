"""RePlay: metrics over tables of scored recommendations and ground truth."""

from rankstone.tools.base import SETS, SKIPS, Conventions, Name, Tool

#: All users who were shown anything count, whether or not they have test items.
_SHOWN = {"queries": "run"}

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
            Name("Coverage@{k}", "Coverage", {"of": "history"}, _SHOWN),
            Name("CategoricalDiversity@{k}", "Categories", {"short": "k"}, _SHOWN),
            Name(
                "Novelty@{k}",
                "Novelty",
                {"of": "own", "empty": "one"},
                note="users of the training data alone count as 1 there",
                only_here=True,
            ),
            Name("Surprisal@{k}", "Novelty", {"scale": "max", "short": "k"}, _SHOWN),
            Name(
                "Unexpectedness@{k}",
                "Serendipity",
                {"expected": "popular", "count": "all", "short": "k"},
                _SHOWN,
                note="its base recommendations are the k most popular items",
            ),
        ),
    ),
)
