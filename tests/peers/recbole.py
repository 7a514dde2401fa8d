"""RecBole: its Evaluator over the matrix of hits that its Collector makes of a full ranking."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, both, one_by_one, quiet, ranking, relevant

ACCEPTS = Accepts(
    takes="ranking", graded=False, negative=False, fractional=False, digits=1e-12,
    refuses={"short_lists": "it ranks all items; the adapter fills the list up with misses"},
)  # fmt: skip
EXCEPT = {"Recall@{k}": replace(ACCEPTS, no_relevant=False)}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("recbole")


def _mean(qrels: Qrels, run: Run, k: int, *, name: str) -> float:
    import numpy as np
    import torch
    from recbole.evaluator import Evaluator
    from recbole.evaluator.collector import DataStruct

    for gone in ("float", "bool"):  # RecBole's own configuration brings these names back
        if gone not in vars(np):
            setattr(np, gone, getattr(np, f"{gone}_"))
    rows = []
    for query in both(qrels, run):
        truth = set(relevant(qrels[query]))
        hits = [int(d in truth) for d in ranking(run[query])[:k]]
        rows.append(hits + [0] * (k - len(hits)) + [len(truth)])
    data = DataStruct()
    data.set("rec.topk", torch.tensor(rows))
    config = {"metrics": [name], "topk": [k], "metric_decimal_place": 15}
    with quiet(RuntimeWarning, "invalid value"):
        return float(Evaluator(config).evaluate(data)[f"{name.lower()}@{k}"])


FUNCTIONS = {
    f"{name}@{{k}}": one_by_one(partial(_mean, name=name))
    for name in ("Recall", "MRR", "NDCG", "Hit", "Precision", "MAP")
}


def registry() -> list[str]:
    """Return the classes that its register of metrics is made from."""
    import inspect

    import numpy as np

    for gone in ("float", "bool"):
        if gone not in vars(np):
            setattr(np, gone, getattr(np, f"{gone}_"))
    from recbole.evaluator import metrics
    from recbole.evaluator.register import metrics_dict

    classes = inspect.getmembers(metrics, inspect.isclass)
    return [name for name, _ in classes if name.lower() in metrics_dict]
