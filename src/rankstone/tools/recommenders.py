"""Recommenders (Microsoft): python_evaluation, over tables of ratings and predictions."""

from rankstone.tools.base import MORE_DATA, RATINGS, SETS, SKIPS, Conventions, Name, Tool

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
        ),
        unsupported={
            "r_precision_at_k@{k}": "users without a hit are left out of its mean",
            "auc": "it looks at the rows of all users at once",
            "catalog_coverage": MORE_DATA,
            "distributional_coverage": MORE_DATA,
            "diversity": MORE_DATA,
            "user_diversity": MORE_DATA,
            "novelty": MORE_DATA,
            "historical_item_novelty": MORE_DATA,
            "serendipity": MORE_DATA,
            "user_serendipity": MORE_DATA,
            "user_item_serendipity": MORE_DATA,
            "rmse": RATINGS,
            "mae": RATINGS,
            "rsquared": RATINGS,
            "exp_var": RATINGS,
            "logloss": RATINGS,
        },
    ),
)
