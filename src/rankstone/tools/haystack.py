"""Haystack: the evaluators of retrieved documents."""

from rankstone.tools.base import ANSWERS, CALLER, Conventions, Name, Tool

TOOLS = (
    Tool(
        name="haystack-3",
        tested="3.4.0",
        about=f"{CALLER}; documents are compared by their content unless another field is named; "
        "whole lists are measured, without a cutoff",
        conventions=Conventions(ties="input", queries="both", duplicates="keep"),
        names=(
            Name("DocumentMAPEvaluator", "AP"),
            Name("DocumentMRREvaluator", "RR"),
            Name("DocumentNDCGEvaluator", "nDCG"),
            Name("DocumentRecallEvaluator", "Success"),
            Name("DocumentRecallEvaluator(mode='multi_hit')", "R"),
        ),
        unsupported={
            "AnswerExactMatchEvaluator": ANSWERS,
            "ContextRelevanceEvaluator": ANSWERS,
            "FaithfulnessEvaluator": ANSWERS,
            "LLMEvaluator": ANSWERS,
            "SASEvaluator": ANSWERS,
        },
        limits=("expected documents with a score are graded by it in DocumentNDCGEvaluator",),
    ),
)
