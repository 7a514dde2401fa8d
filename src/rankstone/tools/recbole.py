"""RecBole: the metrics of its evaluator."""

from rankstone.tools.base import MORE_DATA, RATINGS, SETS, Conventions, Name, Tool

TOOLS = (
    Tool(
        name="recbole-1",
        tested="1.2.1",
        about=f"{SETS}; scores are sorted by torch.topk, which leaves ties as they fall",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("NDCG@{k}", "nDCG", {"gain": "binary"}),
            Name("MAP@{k}", "AP", {"denominator": "min(R,k)"}),
            Name("MRR@{k}", "RR"),
            Name("Precision@{k}", "P"),
            Name("Recall@{k}", "R", note="a user without relevant items makes its mean NaN"),
            Name("Hit@{k}", "Success"),
            Name(
                "GAUC",
                "AUC",
                {"negatives": "retrieved", "weight": "positives"},
                note="the run has to hold all items, which it ranks",
            ),
        ),
        unsupported={
            "AUC": "it looks at the rows of all users at once",
            "ItemCoverage@{k}": MORE_DATA,
            "AveragePopularity@{k}": MORE_DATA,
            "ShannonEntropy@{k}": MORE_DATA,
            "GiniIndex@{k}": MORE_DATA,
            "TailPercentage@{k}": MORE_DATA,
            "LogLoss": RATINGS,
            "MAE": RATINGS,
            "RMSE": RATINGS,
        },
        limits=("ties fall as torch.topk happens to leave them",),
    ),
)
