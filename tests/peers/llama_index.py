"""LlamaIndex: the metrics of its RetrieverEvaluator, one query at a time."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, ranking, relevant

ACCEPTS = Accepts(
    takes="ranking", graded=False, fractional=False, no_relevant=False, repeats=True,
    digits=1e-12,
    refuses={"no_relevant": "ValueError: Retrieved ids and expected ids must be provided"},
)  # fmt: skip
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("llama-index-core")


def _each(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: bool) -> Values:
    from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY

    metric = METRIC_REGISTRY[name](**more)
    return {
        query: metric.compute(
            expected_ids=relevant(qrels[query]), retrieved_ids=ranking(run[query])
        ).score
        for query in both(qrels, run)
    }, None


FUNCTIONS = {
    name: partial(_each, name=name)
    for name in ("hit_rate", "mrr", "precision", "recall", "ap", "ndcg")
}
FUNCTIONS["hit_rate(use_granular_hit_rate=True)"] = partial(
    _each, name="hit_rate", use_granular_hit_rate=True
)


def registry() -> list[str]:
    from llama_index.core.evaluation.retrieval.metrics import METRIC_REGISTRY

    return sorted(METRIC_REGISTRY)
