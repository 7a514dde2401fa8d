"""Elliot: its metrics of accuracy."""

from __future__ import annotations

from rankstone.choices.conventions import Conventions
from rankstone.tools.base import MORE_DATA, NO_MEASURE, RATINGS, Name, Tool
from rankstone.tools.texts import CALLER, SKIPS

TOOLS = (
    Tool(
        name="elliot-0.3",
        tested="0.3.1",
        about=f"{CALLER}; {SKIPS}",
        conventions=Conventions(ties="input", queries="both", no_relevant="skip"),
        names=(
            Name("nDCG@{k}", "nDCG", {"gain": "exp2"}),
            Name("nDCGRendle2020@{k}", "nDCG", {"gain": "binary"}),
            Name("MAP@{k}", "AP", {"denominator": "ranks"}),
            Name("MRR@{k}", "RR"),
            Name("Precision@{k}", "P"),
            Name("Recall@{k}", "R"),
            Name("F1@{k}", "F"),
            Name("HR@{k}", "Success"),
        ),
        unsupported={
            "MAR@{k}": NO_MEASURE,
            "DSC@{k}": NO_MEASURE,
            "ExtendedF1@{k}": NO_MEASURE,
            "AUC": MORE_DATA,
            "GAUC": MORE_DATA,
            "LAUC@{k}": MORE_DATA,
            "NumRetrieved@{k}": NO_MEASURE,
            "ItemCoverage@{k}": MORE_DATA,
            "UserCoverage@{k}": MORE_DATA,
            "UserCoverageAtN@{k}": MORE_DATA,
            "Gini@{k}": MORE_DATA,
            "SEntropy@{k}": MORE_DATA,
            "SRecall@{k}": MORE_DATA,
            "EFD@{k}": MORE_DATA,
            "ExtendedEFD@{k}": MORE_DATA,
            "EPC@{k}": MORE_DATA,
            "ExtendedEPC@{k}": MORE_DATA,
            "ARP@{k}": MORE_DATA,
            "APLT@{k}": MORE_DATA,
            "ACLT@{k}": MORE_DATA,
            "PopRSP@{k}": MORE_DATA,
            "PopREO@{k}": MORE_DATA,
            "ExtendedPopRSP@{k}": MORE_DATA,
            "ExtendedPopREO@{k}": MORE_DATA,
            "RSP@{k}": MORE_DATA,
            "REO@{k}": MORE_DATA,
            "UserMADranking@{k}": MORE_DATA,
            "ItemMADranking@{k}": MORE_DATA,
            "UserMADrating@{k}": MORE_DATA,
            "ItemMADrating@{k}": MORE_DATA,
            "BiasDisparityBR@{k}": MORE_DATA,
            "BiasDisparityBS@{k}": MORE_DATA,
            "BiasDisparityBD@{k}": MORE_DATA,
            "MAE": RATINGS,
            "MSE": RATINGS,
            "RMSE": RATINGS,
        },
    ),
)
