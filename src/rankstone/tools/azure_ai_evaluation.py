"""Azure AI Evaluation: its DocumentRetrievalEvaluator."""

from rankstone.tools.base import MEAN_OF_COUNTS, NO_MEASURE, Conventions, Name, Tool

_CUTOFF = "its cutoff is always 3"

TOOLS = (
    Tool(
        name="azure_ai_evaluation-1",
        tested="1.18.10",
        about="grades are whole numbers from 0 to 4 (ground_truth_label_max)",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("ndcg@{k}", "nDCG", {"gain": "exp2"}, note=_CUTOFF),
            Name("fidelity", "nDCG", {"discount": "none", "gain": {g: 2.0 ** (g + 1) - 1 for g in (1, 2, 3, 4)}}),
            Name("top1_relevance", "CG", {"k": 1}),
            Name("holes_ratio", "Unjudged"),
            Name("total_retrieved_documents", "NumRet", note=MEAN_OF_COUNTS),
        ),
        unsupported={
            "xdcg@{k}": "it is RBP(gain={1: 1, 2: 2, 3: 3, 4: 4}, p=0.6)@3 times 100 / 0.784",
            "top3_max_relevance": "it is StCoverage@3 times the highest grade of the query",
            "holes": "it is the number of unjudged documents: holes_ratio is their share",
            "total_ground_truth_documents": NO_MEASURE,
        },
        limits=(
            "of a repeated document the last score counts, and the repetition counts as retrieved",
            "with grades from 10 up fidelity gives grades the weights of others",
        ),
    ),
)  # fmt: skip
