"""Cornac: its ranking metrics."""

from __future__ import annotations

from rankstone.conventions import Conventions
from rankstone.tools.base import NO_MEASURE, RATINGS, Name, Tool
from rankstone.tools.texts import SETS, SKIPS, TIED_PAIR

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
            Name("AUC", "AUC", {"negatives": "retrieved", "missed": "ignore"}, note=TIED_PAIR),
        ),
        unsupported={
            "NCRR@{k}": NO_MEASURE,
            "NCRR": NO_MEASURE,
            "MAE": RATINGS,
            "MSE": RATINGS,
            "RMSE": RATINGS,
        },
    ),
)
