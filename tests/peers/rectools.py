"""RecTools: metrics over tables of ranked recommendations and interactions."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, ranking, relevant

ACCEPTS = Accepts(takes="ranking", graded=False, negative=False, fractional=False, digits=1e-12)
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("rectools")


def _measure(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: object) -> Values:
    import pandas as pd
    from rectools import metrics

    shown = [(q, d, i) for q, s in run.items() for i, d in enumerate(ranking(s), 1)]
    truth = [(q, d) for q, judged in qrels.items() for d in relevant(judged)]
    reco = pd.DataFrame(shown, columns=["user_id", "item_id", "rank"])
    interactions = pd.DataFrame(truth, columns=["user_id", "item_id"])
    metric = getattr(metrics, name)(k=k, **more)
    values = metric.calc_per_user(reco, interactions)
    return {q: float(v) for q, v in values.items()}, float(metric.calc(reco, interactions))


_NAMES: dict[str, dict[str, object]] = {
    "Precision@{k}": {}, "Precision(r_precision=True)@{k}": {"r_precision": True},
    "Recall@{k}": {}, "F1Beta@{k}": {}, "F1Beta(beta=2)@{k}": {"beta": 2}, "HitRate@{k}": {},
    "MAP@{k}": {}, "MAP(divide_by_k=True)@{k}": {"divide_by_k": True},
    "NDCG@{k}": {}, "NDCG(divide_by_achievable=True)@{k}": {"divide_by_achievable": True},
    "MRR@{k}": {},
}  # fmt: skip
FUNCTIONS = {
    name: partial(_measure, name=name.partition("(")[0].partition("@")[0], **more)
    for name, more in _NAMES.items()
}


def registry() -> list[str]:
    import inspect

    from rectools import metrics
    from rectools.metrics.base import MetricAtK

    listed = ((name, getattr(metrics, name)) for name in metrics.__all__)
    return [name for name, c in listed if inspect.isclass(c) and issubclass(c, MetricAtK)]
