"""FreshStack: nuggets by pyndeval and by code of its own, documents by pytrec_eval."""

from rankstone.tools.base import Conventions, Name, Tool

#: The measures that FreshStack computes itself.
_OWN = {"ties": "input", "precision": "float64"}

TOOLS = (
    Tool(
        name="freshstack-0.0",
        tested="0.0.6",
        about="pyndeval for nuggets, pytrec_eval for documents, code of its own for the others",
        conventions=Conventions(precision="float32"),
        names=(
            Name("alpha-nDCG@{k}", "alpha_nDCG", conventions={"ties": "docid-asc", "precision": "float64"}),
            Name("Coverage@{k}", "NuggetRecall", {"partial": "lenient"}, _OWN, only_here=True),
            Name("Recall@{k}", "R"),
            Name("NDCG@{k}", "nDCG"),
            Name("Hole@{k}", "Hole", conventions={**_OWN, "queries": "both"}),
        ),
        limits=(
            "means are rounded to 4 digits, those of NDCG to 5",
            "alpha-nDCG has cutoffs up to 20, and ties at the largest cutoff are cut in input order",
            "a nugget that no document supports counts as missed in Coverage: give it a document of grade 0",
        ),
    ),
)  # fmt: skip
