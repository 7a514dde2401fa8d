"""MLflow: the metrics of its retriever evaluation."""

from rankstone.tools.base import CALLER, SETS, Conventions, Name, Tool

_IDEAL = (
    "the ideal list is cut at the number of documents if fewer than k were retrieved, and holds "
    "the repetitions of a document, which count again"
)

TOOLS = (
    Tool(
        name="mlflow-3",
        tested="3.17.2",
        about=f"{CALLER}; {SETS}; a query without relevant documents is right if nothing was "
        "retrieved",
        conventions=Conventions(ties="input", no_relevant="silence", duplicates="keep"),
        names=(
            Name(
                "precision_at_{k}",
                "P",
                {"denominator": "retrieved"},
                {"duplicates": "count", "no_relevant": "zero"},
            ),
            Name("recall_at_{k}", "R"),
            Name("ndcg_at_{k}", "nDCG", {"gain": "binary"}, note=_IDEAL),
        ),
    ),
)
