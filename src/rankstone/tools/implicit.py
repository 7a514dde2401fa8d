"""implicit: the metrics of its evaluation module, over what a model recommends."""

from rankstone.tools.base import CALLER, MORE_DATA, SETS, SKIPS, Conventions, Name, Tool

_CAPPED = {"denominator": "min(R,k)"}

TOOLS = (
    Tool(
        name="implicit-0.7",
        tested="0.7.3",
        about=f"{SETS}; {CALLER}; {SKIPS}",
        conventions=Conventions(ties="input", queries="both", no_relevant="skip"),
        names=(
            Name("precision_at_k@{k}", "R", _CAPPED, note="its mean is that of users weighted by min(R, k)"),
            Name("mean_average_precision_at_k@{k}", "AP", _CAPPED),
            Name("ndcg_at_k@{k}", "nDCG", {"gain": "binary"}),
        ),
        unsupported={"AUC_at_k@{k}": MORE_DATA},
    ),
)  # fmt: skip
