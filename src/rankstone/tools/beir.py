"""BEIR: pytrec_eval for most measures, code of its own for the others."""

from rankstone.tools.base import FAILS_EMPTY, Conventions, Name, Tool

#: The measures that BEIR computes itself.
_OWN = {"ties": "input", "queries": "judged", "precision": "float64"}

TOOLS = (
    Tool(
        name="beir-2",
        tested="2.2.0",
        about="pytrec_eval for most measures, code of its own for the others",
        conventions=Conventions(precision="float32", queries="both"),
        names=(
            Name("NDCG@{k}", "nDCG"),
            Name("MAP@{k}", "AP"),
            Name("Recall@{k}", "R"),
            Name("P@{k}", "P"),
            Name("MRR@{k}", "RR", conventions=_OWN),
            Name("R_cap@{k}", "R", {"denominator": "min(R,k)"}, _OWN, FAILS_EMPTY),
            Name("Accuracy@{k}", "Success", conventions=_OWN),
            Name("Hole@{k}", "Hole", conventions=_OWN),
        ),
        limits=("means are rounded to 5 digits", "documents with the query's id are dropped"),
    ),
)
