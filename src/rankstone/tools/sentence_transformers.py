"""sentence-transformers: its InformationRetrievalEvaluator."""

from rankstone.tools.base import SETS, Conventions, Name, Tool

_ABOUT = f"{SETS}; queries without relevant documents are left out"
_NAMES = (
    Name("accuracy@{k}", "Success"),
    Name("precision@{k}", "P"),
    Name("recall@{k}", "R"),
    Name("mrr@{k}", "RR"),
    Name("ndcg@{k}", "nDCG", {"gain": "binary"}),
    Name("map@{k}", "AP", {"denominator": "min(R,k)"}),
)

TOOLS = (
    Tool(
        name="sentence_transformers-5",
        about=_ABOUT,
        conventions=Conventions(ties="input", no_relevant="skip"),
        names=_NAMES,
        limits=("documents with equal scores are in the order in which torch happens to sort",),
    ),
    Tool(
        name="sentence_transformers-6",
        tested="6.2.0",
        about=_ABOUT,
        conventions=Conventions(ties="docid-asc", no_relevant="skip"),
        names=_NAMES,
    ),
)
