"""Spark: RankingMetrics of mllib and RankingEvaluator of ml."""

from rankstone.tools.base import CALLER, SETS, Conventions, Name, Tool

_AP = {"denominator": "min(R,k)"}
_BINARY = {"gain": "binary"}

TOOLS = (
    Tool(
        name="spark-4",
        tested="4.3.0",
        about=f"{SETS}; {CALLER}",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("ndcgAt@{k} | ndcgAtK@{k}", "nDCG", _BINARY),
            Name("meanAveragePrecision", "AP"),
            Name("meanAveragePrecisionAt@{k} | meanAveragePrecisionAtK@{k}", "AP", _AP),
            Name("precisionAt@{k} | precisionAtK@{k}", "P"),
            Name("recallAt@{k} | recallAtK@{k}", "R"),
        ),
        unsupported={
            "ndcgAt(graded)@{k}": (
                "from Python the grades are not read, and every judged document counts as relevant"
            )
        },
        limits=("a document that is listed twice in a ranking counts twice",),
    ),
)
