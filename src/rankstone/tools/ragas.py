"""RAGAS: its two metrics that compare ids of contexts."""

from rankstone.tools.base import SETS, Conventions, Name, Tool

TOOLS = (
    Tool(
        name="ragas-0.4",
        tested="0.4.3",
        about=f"{SETS}; retrieved contexts are a set, too",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("id_based_context_precision", "P", note="without retrieved contexts it is NaN"),
            Name(
                "id_based_context_recall",
                "R",
                conventions={"no_relevant": "skip"},
                note="without reference contexts it is NaN",
            ),
        ),
        limits=("all other metrics ask a language model",),
    ),
)  # fmt: skip
