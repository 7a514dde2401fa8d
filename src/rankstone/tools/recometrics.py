"""recometrics: the metrics of calc_reco_metrics, over all items that a user has not used."""

from rankstone.tools.base import CANDIDATES, SKIPS, Conventions, Name, Tool

_CAPPED = {"denominator": "min(R,k)"}
_NOISE = "noise breaks ties"
_ROUNDED = f"{_NOISE}; rounded to 32 bits if the factors have 32"
_SHORT = f"{_NOISE}; none for a user with k items or fewer"

TOOLS = (
    Tool(
        name="recometrics-0.1",
        tested="0.1.6.post13",
        about=f"{CANDIDATES}; {SKIPS}",
        conventions=Conventions(ties="input", missed="ignore", queries="both", no_relevant="skip"),
        names=(
            Name("P@{k}", "P", note=_SHORT),
            Name("TP@{k}", "R", _CAPPED, note=_SHORT),
            Name("R@{k}", "R", note=_SHORT),
            Name("AP@{k}", "AP", note=_NOISE),
            Name("TAP@{k}", "AP", _CAPPED, note=_NOISE),
            Name("NDCG@{k}", "nDCG", note=_NOISE),
            Name("Hit@{k}", "Success", note=_SHORT),
            Name("RR@{k}", "RR", note=_NOISE),
            Name("ROC_AUC", "AUC", {"negatives": "retrieved", "missed": "ignore"}, note=_ROUNDED),
            Name("PR_AUC", "AP", note=_NOISE),
        ),
    ),
)
