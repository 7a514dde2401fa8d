"""Haystack: its evaluators of retrieved documents."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, ranking, relevant

ACCEPTS = Accepts(takes="ranking", graded=False, fractional=False, repeats=True, digits=1e-12)
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("haystack-ai")


def _lists(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: str) -> Values:
    from haystack import Document
    from haystack.components import evaluators

    queries = both(qrels, run)
    result = getattr(evaluators, name)(**more).run(
        ground_truth_documents=[[Document(content=d) for d in relevant(qrels[q])] for q in queries],
        retrieved_documents=[[Document(content=d) for d in ranking(run[q])] for q in queries],
    )
    return dict(zip(queries, result["individual_scores"], strict=True)), result["score"]


FUNCTIONS = {
    name: partial(_lists, name=name)
    for name in (
        "DocumentMAPEvaluator",
        "DocumentMRREvaluator",
        "DocumentNDCGEvaluator",
        "DocumentRecallEvaluator",
    )
}
FUNCTIONS["DocumentRecallEvaluator(mode='multi_hit')"] = partial(
    _lists, name="DocumentRecallEvaluator", mode="multi_hit"
)


def registry() -> list[str]:
    from haystack.components import evaluators

    return sorted(n for n in dir(evaluators) if n.endswith("Evaluator"))
