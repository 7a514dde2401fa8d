"""LongMemEval: the scores of its retrieval, at the level of sessions or of turns."""

from rankstone.tools.base import SETS, Conventions, Name, Tool

_DCG = {"gain": "binary", "discount": "jarvelin"}

TOOLS = (
    Tool(
        name="longmemeval-1",
        tested="its eval_utils.py of commit 6a92d1a, with an alias that NumPy 2 removed",
        about=f"{SETS}; the caller ranks the whole history of a question",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("recall_any@{k}", "Success"),
            Name("recall_all@{k}", "Complete", conventions={"no_relevant": "one"}),
            Name("ndcg_any@{k}", "ChunkNDCG", _DCG),
        ),
        limits=(
            "questions to abstain from are left out by the caller",
            "sessions made of turns are parents here, of judged chunks: parents='{doc}_{n}'",
        ),
    ),
)
