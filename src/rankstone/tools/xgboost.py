"""XGBoost: its ranking metrics."""

from rankstone.tools.base import CANDIDATES, Conventions, Name, Tool

_GAIN = {"gain": "exp2"}
_AP = {"denominator": "min(R,k)"}
#: Without a cutoff in the name it reads 32 documents.
_DEFAULT_CUTOFF = {"k": 32}
#: A minus at the end of the name.
_EMPTY_IS_0 = {"no_relevant": "zero"}
_NOT_ROC = "it is not the area under a query's ROC curve: grades 1, 0, 1 in rank order give 0.667"

TOOLS = (
    Tool(
        name="xgboost-3",
        tested="3.2.0",
        about=f"{CANDIDATES}; a query without relevant documents scores 1, or 0 if the name ends in -",
        conventions=Conventions(
            ties="input", precision="float32", missed="ignore", queries="both", no_relevant="one"
        ),
        names=(
            Name("ndcg@{k}", "nDCG", _GAIN),
            Name("ndcg@{k}-", "nDCG", _GAIN, _EMPTY_IS_0),
            Name("ndcg", "nDCG", {**_GAIN, **_DEFAULT_CUTOFF}),
            Name("ndcg-", "nDCG", {**_GAIN, **_DEFAULT_CUTOFF}, _EMPTY_IS_0),
            Name("ndcg(ndcg_exp_gain=False)@{k}", "nDCG"),
            Name("map@{k}", "AP", _AP),
            Name("map@{k}-", "AP", _AP, _EMPTY_IS_0),
            Name("map", "AP", {**_AP, **_DEFAULT_CUTOFF}),
            Name("map-", "AP", {**_AP, **_DEFAULT_CUTOFF}, _EMPTY_IS_0),
            Name("pre@{k}", "P", {"denominator": "retrieved"}, _EMPTY_IS_0),
        ),
        unsupported={
            "auc": _NOT_ROC,
            "aucpr": "it is not the area under a query's precision-recall curve alone",
        },
        limits=("values are printed with fewer digits than they have",),
    ),
)
