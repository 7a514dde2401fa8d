"""RePlay: metrics over tables of scored recommendations and ground truth."""

from __future__ import annotations

from rankstone.conventions import Conventions
from rankstone.tools.base import MORE_DATA, NO_CUTOFF, Name, Tool
from rankstone.tools.texts import SETS, SKIPS

TOOLS = (
    Tool(
        name="replay-0.22",
        tested="0.22.0",
        about=f"{SETS}; {SKIPS}",
        conventions=Conventions(no_relevant="skip"),
        names=(
            Name("NDCG@{k}", "nDCG", {"gain": "binary"}),
            Name("MAP@{k}", "AP", {"denominator": "min(R,k)"}),
            Name("MRR@{k}", "RR"),
            Name("Precision@{k}", "P"),
            Name("Recall@{k}", "R"),
            Name("HitRate@{k}", "Success"),
        ),
        unsupported={
            "RocAuc@{k}": NO_CUTOFF,
            "Coverage@{k}": MORE_DATA,
            "CategoricalDiversity@{k}": MORE_DATA,
            "Novelty@{k}": MORE_DATA,
            "Surprisal@{k}": MORE_DATA,
            "Unexpectedness@{k}": MORE_DATA,
        },
    ),
)
