"""Cornac: its ranking metrics."""

from rankstone.tools.base import RATINGS, SETS, SKIPS, Conventions, Name, Tool

_NCRR = {"gain": "binary", "discount": "reciprocal"}
_SHORT = "the ideal ranking is cut at the length of the list"

TOOLS = (
    Tool(
        name="cornac-3",
        tested="3.0.1",
        about=f"{SETS}; {SKIPS}",
        conventions=Conventions(ties="input", queries="both", no_relevant="skip"),
        names=(
            Name("NDCG@{k}", "nDCG", {"gain": "binary"}),
            Name("MAP", "AUPRC", conventions={"missed": "ignore"}),
            Name("MRR", "RR", note="it fails if no relevant item was retrieved"),
            Name("Precision@{k}", "P"),
            Name("Recall@{k}", "R"),
            Name("FMeasure@{k}", "F"),
            Name("HitRatio@{k}", "Success"),
            Name("AUC", "AUC", {"negatives": "retrieved", "missed": "ignore", "tied": "lost"}),
            Name("NCRR@{k}", "nDCG", _NCRR, note=_SHORT),
        ),
        unsupported={
            "MAE": RATINGS,
            "MSE": RATINGS,
            "RMSE": RATINGS,
        },
    ),
)
