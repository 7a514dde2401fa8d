"""Elliot: its metrics over recommendation lists; a checkout of it must be on the path."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

from peers.common import Accepts, Qrels, Run, Values, both, quiet, ranking

ACCEPTS = Accepts(takes="ranking", negative=False, fractional=False, empty=False, digits=1e-12)
EXCEPT = {"nDCGRendle2020@{k}": replace(ACCEPTS, graded=False)}


def version() -> str:
    with quiet(DeprecationWarning), quiet(SyntaxWarning):
        import elliot.evaluation.metrics

    return elliot.evaluation.metrics.__version__


def _measure(qrels: Qrels, run: Run, k: int, *, name: str) -> Values:
    with quiet(DeprecationWarning), quiet(SyntaxWarning):
        from elliot.evaluation import metrics
        from elliot.evaluation.relevance.relevance import Relevance

    lists = {q: [(d, run[q][d]) for d in ranking(run[q])] for q in both(qrels, run)}
    objects = SimpleNamespace(cutoff=k, relevance=Relevance(qrels, 1))
    metric = metrics.parse_metric(name)(lists, None, None, objects)
    values = {q: float(v) for q, v in metric.eval_user_metric().items()}
    return values, float(metric.eval()) if values else None


FUNCTIONS = {
    f"{name}@{{k}}": partial(_measure, name=name)
    for name in ("nDCG", "nDCGRendle2020", "MAP", "MRR", "Precision", "Recall", "F1", "HR")
}


def registry() -> list[str]:
    with quiet(DeprecationWarning), quiet(SyntaxWarning):
        from elliot.evaluation import metrics

    return sorted(metrics._metric_dictionary)
