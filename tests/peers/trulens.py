"""TruLens: the measures of retrieved chunks and memories, one query at a time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, ranking, relevant

ACCEPTS = Accepts(takes="ranking", graded=False, fractional=False, repeats=True, digits=1e-12)
EXCEPT = {"ndcg_at_{k}": replace(ACCEPTS, graded=True, fractional=True)}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("trulens-feedback")


def _agreement(golden: list[dict]):
    from trulens.feedback import GroundTruthAgreement

    return GroundTruthAgreement.model_construct(
        ground_truth=golden, ground_truth_imp=None, conversation_id=None
    )


def _chunks(qrels: Qrels, run: Run, k: int | None, *, name: str, graded: bool = False) -> Values:
    values = {}
    for query in both(qrels, run):
        judged = qrels[query] if graded else dict.fromkeys(relevant(qrels[query]), 1)
        chunks = [{"text": d, "expect_score": max(0, g)} for d, g in judged.items()]
        agreement = _agreement([{"query": query, "expected_chunks": chunks}])
        cutoff = {} if k is None else {"k": k}
        values[query] = float(getattr(agreement, name)(query, ranking(run[query]), **cutoff))
    return {q: v for q, v in values.items() if v == v}, None


def _memories(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    values = {}
    for query in both(qrels, run):
        golden = [{"query": query, "expected_memories": relevant(qrels[query])}]
        values[query] = float(getattr(_agreement(golden), name)(query, ranking(run[query])))
    return {q: v for q, v in values.items() if v == v}, None


FUNCTIONS = {
    "ndcg_at_{k}": partial(_chunks, name="ndcg_at_k", graded=True),
    "precision_at_{k}": partial(_chunks, name="precision_at_k"),
    "recall_at_{k}": partial(_chunks, name="recall_at_k"),
    "mrr": partial(_chunks, name="mrr"),
    "ir_hit_rate@{k}": partial(_chunks, name="ir_hit_rate"),
    "memory_recall": partial(_memories, name="memory_recall"),
    "memory_mrr": partial(_memories, name="memory_mrr"),
}


def registry() -> list[str]:
    """Return the functions that compare with the ground truth."""
    import inspect

    from trulens.feedback import GroundTruthAgreement

    own = vars(GroundTruthAgreement).items()
    named = [n for n, f in own if inspect.isfunction(f) or isinstance(f, property)]
    return sorted(n.removesuffix("_at_k") for n in named if not n.startswith("_"))
