"""Recommenders (Microsoft): python_evaluation, over tables of ratings and predictions."""

from rankstone.tools.base import RATINGS, SETS, SKIPS, Conventions, Name, Tool

#: All users who were shown anything count, whether or not they have test items; the caller cuts lists.
_SHOWN = {"queries": "run"}
_BY = "item_sim_measure=item_feature_vector"
_COMMON = {"by": "history", "unknown": "far"}
_VECTORS = {"unknown": "far"}
_SURPRISE = {"expected": "history", "count": "all", "by": "history"}

TOOLS = (
    Tool(
        name="recommenders-1",
        tested="1.2.1",
        about=f"{SETS}; {SKIPS}",
        conventions=Conventions(ties="input", queries="both", no_relevant="skip"),
        names=(
            Name("ndcg_at_k@{k}", "nDCG", {"gain": "binary"}, {"queries": "judged"}),
            Name("map@{k}", "AP"),
            Name("map_at_k@{k}", "AP", {"denominator": "min(R,k)"}),
            Name("precision_at_k@{k}", "P"),
            Name("recall_at_k@{k}", "R"),
            Name("catalog_coverage@{k}", "Coverage", {"of": "history", "unknown": "count"}, _SHOWN),
            Name("distributional_coverage@{k}", "Entropy", {"unknown": "count"}, _SHOWN),
            Name(
                "novelty@{k}",
                "Novelty",
                {"of": "interactions", "unknown": "zero", "weight": "items"},
                _SHOWN,
                only_here=True,
            ),
            Name("diversity@{k}", "Diversity", _COMMON, _SHOWN, only_here=True),
            Name(f"diversity({_BY})@{{k}}", "Diversity", _VECTORS, _SHOWN, only_here=True),
            Name("user_diversity@{k}", "Diversity", _COMMON, _SHOWN),
            Name(f"user_diversity({_BY})@{{k}}", "Diversity", _VECTORS, _SHOWN),
            Name("serendipity@{k}", "Serendipity", _SURPRISE, _SHOWN, only_here=True),
            Name(
                f"serendipity({_BY})@{{k}}",
                "Serendipity",
                {**_SURPRISE, "by": "vectors"},
                _SHOWN,
                only_here=True,
            ),
            Name(
                "serendipity(col_relevance=)@{k}",
                "Serendipity",
                {**_SURPRISE, "count": "relevant"},
                _SHOWN,
                only_here=True,
            ),
            Name("user_serendipity@{k}", "Serendipity", _SURPRISE, _SHOWN),
            Name(f"user_serendipity({_BY})@{{k}}", "Serendipity", {**_SURPRISE, "by": "vectors"}, _SHOWN),
        ),
        unsupported={
            "r_precision_at_k@{k}": "users without a hit are left out of its mean",
            "auc": "it looks at the rows of all users at once",
            "historical_item_novelty": "it is a table of items, not a number",
            "user_item_serendipity": "it is a table of users and items, as explain shows it",
            "rmse": RATINGS,
            "mae": RATINGS,
            "rsquared": RATINGS,
            "exp_var": RATINGS,
            "logloss": RATINGS,
        },
    ),
)  # fmt: skip
