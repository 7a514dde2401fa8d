"""sentence-transformers: what its InformationRetrievalEvaluator computes from hits."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, one_by_one, relevant

ACCEPTS = Accepts(
    takes="scores", graded=False, fractional=False, unjudged_queries=False, empty=False,
    digits=1e-12,
)  # fmt: skip
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("sentence-transformers")


def _metrics(qrels: Qrels, run: Run, k: int) -> dict[str, dict[int, float]]:
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    evaluator = InformationRetrievalEvaluator(
        dict.fromkeys(qrels, ""), {}, {q: set(relevant(judged)) for q, judged in qrels.items()},
        mrr_at_k=[k], ndcg_at_k=[k], accuracy_at_k=[k], precision_recall_at_k=[k], map_at_k=[k],
    )  # fmt: skip
    return evaluator.compute_metrics(
        [
            [{"corpus_id": d, "score": s} for d, s in run.get(q, {}).items()]
            for q in evaluator.queries_ids
        ]
    )


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str) -> float:
    return float(_metrics(qrels, run, k or 10)[f"{name}@k"][k])


def _with_relevant(qrels: Qrels, run: Run) -> list[str]:
    return [q for q in qrels if relevant(qrels[q])]


FUNCTIONS = {
    f"{name}@{{k}}": one_by_one(partial(_mean, name=name), _with_relevant)
    for name in ("accuracy", "precision", "recall", "ndcg", "mrr", "map")
}


def registry() -> list[str]:
    found = _metrics({"q": {"a": 1}}, {"q": {"a": 1.0}}, 1)
    return sorted(name.removesuffix("@k") for name in found)
