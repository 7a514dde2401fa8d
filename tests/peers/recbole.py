"""RecBole: its Evaluator over the matrix of hits that its Collector makes of a full ranking."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, one_by_one, quiet, ranking, relevant

ACCEPTS = Accepts(
    takes="ranking", graded=False, negative=False, fractional=False, digits=1e-12,
    refuses={"short_lists": "it ranks all items; the adapter fills the list up with misses"},
)  # fmt: skip
EXCEPT = {
    "Recall@{k}": replace(ACCEPTS, no_relevant=False),
    "GAUC": replace(ACCEPTS, empty=False, single_document=False),
}


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


def _grouped(qrels: Qrels, run: Run, k: int | None) -> Values:
    """Return the mean of a full ranking; relevant items outside the run are behind all others."""
    from types import SimpleNamespace

    import numpy as np
    import torch
    from recbole.evaluator import Evaluator
    from recbole.evaluator.collector import Collector, DataStruct

    np.bool = np.bool_  # as RecBole's own configuration does
    rows = []
    for query in both(qrels, run):
        truth = relevant(qrels[query])
        last = min(run[query].values()) - 1
        scores = dict.fromkeys(truth, last) | run[query]
        order = ranking(scores)
        listed = torch.tensor([[scores[d] for d in order]], dtype=torch.float64)
        ranks = Collector._average_rank(SimpleNamespace(device="cpu"), listed)[0]
        hits = torch.tensor([float(d in truth) for d in order])
        rows.append([float((ranks * hits).sum()), len(order), len(truth)])
    data = DataStruct()
    data.set("rec.meanrank", torch.tensor(rows, dtype=torch.float64))
    config = {"metrics": ["GAUC"], "metric_decimal_place": 15}
    return None, float(Evaluator(config).evaluate(data)["gauc"])


FUNCTIONS["GAUC"] = _grouped


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
