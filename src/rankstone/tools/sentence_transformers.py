"""sentence-transformers: its InformationRetrievalEvaluator."""

from __future__ import annotations

from rankstone.conventions import Conventions
from rankstone.tools.base import Name, Tool
from rankstone.tools.texts import SETS

TOOLS = (
    Tool(
        name="sentence_transformers-5",
        about=f"{SETS}; queries without relevant documents are left out",
        conventions=Conventions(ties="input", no_relevant="skip"),
        names=(
            Name("accuracy@{k}", "Success"),
            Name("precision@{k}", "P"),
            Name("recall@{k}", "R"),
            Name("mrr@{k}", "RR"),
            Name("ndcg@{k}", "nDCG", {"gain": "binary"}),
            Name("map@{k}", "AP", {"denominator": "min(R,k)"}),
        ),
        limits=("documents with equal scores are in the order in which torch happens to sort",),
    ),
)
