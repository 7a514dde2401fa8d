"""MLflow: the metrics of its retriever evaluation, which take a list for each query."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, quiet, ranking, relevant

ACCEPTS = Accepts(
    takes="ranking",
    graded=False,
    fractional=False,
    unjudged_queries=False,
    repeats=True,
    digits=1e-12,
)
EXCEPT = {
    "ndcg_at_{k}": replace(ACCEPTS, short_lists=False, longest=20, repeats=False, digits=1e-6)
}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("mlflow-skinny")


def _lists(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    import mlflow.metrics
    import pandas as pd

    with quiet(FutureWarning), quiet(UserWarning):
        metric = getattr(mlflow.metrics, name)(k)
    found = metric.eval_fn(
        pd.Series([ranking(run.get(q, [])) for q in qrels]),
        pd.Series([relevant(judged) for judged in qrels.values()]),
    )
    return dict(zip(qrels, found.scores, strict=True)), found.aggregate_results["mean"]


FUNCTIONS = {
    f"{name}_at_{{k}}": partial(_lists, name=f"{name}_at_k")
    for name in ("precision", "recall", "ndcg")
}


def registry() -> list[str]:
    """Return the metrics that take a cutoff: those of retrievers."""
    import mlflow.metrics

    return sorted(n.removesuffix("_at_k") for n in dir(mlflow.metrics) if n.endswith("_at_k"))
