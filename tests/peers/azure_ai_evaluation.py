"""Azure AI Evaluation: its DocumentRetrievalEvaluator, one query at a time."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both

ACCEPTS = Accepts(
    takes="scores",
    negative=False,
    fractional=False,
    unjudged_queries=False,
    digits=1e-12,
    refuses={
        "negative": "an error: labels are not below the lowest",
        "fractional": "an error: labels are whole numbers",
    },
)
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("azure-ai-evaluation")


def _all(judged: dict[str, float], scored: dict[str, float]) -> dict[str, float]:
    from azure.ai.evaluation import DocumentRetrievalEvaluator

    found = DocumentRetrievalEvaluator()(
        retrieval_ground_truth=[
            {"document_id": d, "query_relevance_label": int(g)} for d, g in judged.items()
        ],
        retrieved_documents=[{"document_id": d, "relevance_score": s} for d, s in scored.items()],
    )
    return found["document_retrieval_properties"]


def _each(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    return {q: _all(qrels[q], run[q])[name] for q in both(qrels, run)}, None


FUNCTIONS = {
    name: partial(_each, name=name)
    for name in (
        "ndcg@3",
        "fidelity",
        "top1_relevance",
        "holes_ratio",
        "total_retrieved_documents",
    )
}


def registry() -> list[str]:
    found = _all({"a": 1, "b": 0}, {"a": 2.0, "c": 1.0})
    ends = ("_result", "_passed", "_threshold", "_higher_is_better")
    return sorted(name.removesuffix("@3") for name in found if not name.endswith(ends))
