"""LensKit: its ranking metrics, over ordered item lists."""

from rankstone.tools.base import (
    CALLER,
    FAILS_EMPTY,
    FLOAT32,
    MEAN_OF_COUNTS,
    RATINGS,
    SETS,
    Argument,
    Conventions,
    Name,
    Tool,
)

_JARVELIN = {"discount": "jarvelin"}
_BINARY = {"gain": "binary", **_JARVELIN}
_ENTROPY = {"value": "entropy", "smoothing": 1e-6}
_NEGATIVE = "negative gains count there"
_FUNCTION = "it is a function of hits and weights, not of a ranking and relevant items"

TOOLS = (
    Tool(
        name="lenskit-2025",
        tested="2025.8.1",
        about=f"{SETS}; {CALLER}; a query of the run without judgments counts as 0 in the mean",
        conventions=Conventions(ties="input", queries="run"),
        names=(
            Name("NDCG@{k}", "nDCG", _BINARY),
            Name("NDCG(gain=)@{k}", "nDCG", _JARVELIN, note=_NEGATIVE),
            Name("DCG@{k}", "DCG", _BINARY),
            Name("DCG(gain=)@{k}", "DCG", _JARVELIN, note=f"{_NEGATIVE}; it fails on a query without judgments"),
            Name("AveragePrecision@{k}", "AP", {"denominator": "min(R,retrieved)"}, note=FAILS_EMPTY),
            Name("RecipRank@{k}", "RR"),
            Name("Precision@{k}", "P", {"denominator": "retrieved"}),
            Name("Recall@{k}", "R", {"denominator": "min(R,k)"}),
            Name("Hit@{k}", "Success"),
            Name("RBP@{k}", "RBP", {"p": 0.85}),
            Name("ListLength", "NumRet", note=MEAN_OF_COUNTS),
            Name("MeanPopRank@{k}", "Popularity", {"scale": "rank"}),
            Name("ListGini@{k}", "Gini"),
            Name("ExposureGini@{k}", "Gini", {"discount": "geometric"}, note=FLOAT32),
            Name("entropy@{k}", "Categories", _ENTROPY, only_here=True),
            Name("rank_biased_entropy@{k}", "Categories", {**_ENTROPY, "discount": "geometric"}),
        ),
        arguments={"n": Argument("k"), "patience": Argument("p")},
        unsupported={
            "rank_biased_precision": _FUNCTION,
            "TestItemCount": "it is an abstract class, which computes nothing",
            "rank_biased_overlap": "it compares two runs, as agree does",
            "least_item_promoted": "it compares a list with the one it was made from",
            "RMSE": RATINGS,
            "MAE": RATINGS,
        },
    ),
)  # fmt: skip
