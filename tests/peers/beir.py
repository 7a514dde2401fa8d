"""BEIR: EvaluateRetrieval, which rounds its means to five digits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, one_by_one, whole

ACCEPTS = Accepts(takes="scores", fractional=False, all_negative=False, digits=5.1e-6)
_OWN = replace(ACCEPTS, unjudged_queries=False)
EXCEPT = {
    "MRR@{k}": _OWN,
    "Accuracy@{k}": _OWN,
    "Hole@{k}": replace(_OWN, digits=6 * 5.1e-6),  # a value is a rounded mean times the queries
    "R_cap@{k}": replace(_OWN, no_relevant=False),
}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("beir")


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str) -> float:
    from beir.retrieval.evaluation import EvaluateRetrieval

    copy = {q: dict(d) for q, d in run.items()}  # it drops documents named like their query
    judged = whole(qrels)
    if name in {"MRR", "R_cap", "Hole", "Accuracy"}:
        values = EvaluateRetrieval.evaluate_custom(judged, copy, [k], name)
    else:
        values = {}
        for part in EvaluateRetrieval.evaluate(judged, copy, [k]):
            values |= part
    return values[f"{name}@{k}"]


def _judged(qrels: Qrels, run: Run) -> list[str]:
    return list(qrels)


FUNCTIONS = {
    f"{name}@{{k}}": one_by_one(partial(_mean, name=name))
    for name in ("NDCG", "MAP", "Recall", "P")
}
FUNCTIONS |= {
    f"{name}@{{k}}": one_by_one(partial(_mean, name=name), _judged)
    for name in ("MRR", "R_cap", "Accuracy")
}


def _holes(qrels: Qrels, run: Run, k: int | None) -> Values:
    """Return the share of each query: what the others judge counts, so all judgments are given."""
    alone = {q: _mean(qrels, {q: run[q]} if q in run else {}, k, name="Hole") for q in qrels}
    values = {q: value * len(qrels) for q, value in alone.items()}
    return values, _mean(qrels, run, k, name="Hole")


FUNCTIONS["Hole@{k}"] = _holes


def registry() -> list[str]:
    """Return the names in the results of every function that measures."""
    import inspect

    from beir.retrieval import custom_metrics
    from beir.retrieval.evaluation import EvaluateRetrieval

    judged, run = {"q": {"d": 1}}, {"q": {"d": 1.0}}
    results = [*EvaluateRetrieval.evaluate(judged, run, [1])]
    for _, function in inspect.getmembers(custom_metrics, inspect.isfunction):
        results.append(function(judged, run, [1]))
    return sorted({key.partition("@")[0] for result in results for key in result})
