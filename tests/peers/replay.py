"""RePlay: metrics over pandas tables of scored recommendations and ground truth."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, relevant

ACCEPTS = Accepts(
    takes="scores", graded=False, negative=False, fractional=False, empty=False, digits=1e-12
)
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("replay-rec")


def _measure(qrels: Qrels, run: Run, k: int, *, name: str) -> Values:
    import pandas as pd
    from replay import metrics

    shown = [(q, d, s) for q, scored in run.items() for d, s in scored.items()]
    truth = [(q, d) for q, judged in qrels.items() for d in relevant(judged)]
    reco = pd.DataFrame(shown, columns=["query_id", "item_id", "rating"])
    known = pd.DataFrame(truth, columns=["query_id", "item_id"])
    metric = getattr(metrics, name)
    (values,) = metric(k, mode=metrics.PerUser())(reco, known).values()
    (mean,) = metric(k)(reco, known).values()
    return {q: float(v) for q, v in values.items()}, float(mean)


FUNCTIONS = {
    f"{name}@{{k}}": partial(_measure, name=name)
    for name in ("HitRate", "Precision", "Recall", "MAP", "MRR", "NDCG", "RocAuc")
}


def registry() -> list[str]:
    import inspect

    from replay import metrics

    classes = inspect.getmembers(metrics, inspect.isclass)
    return [n for n, c in classes if issubclass(c, metrics.Metric) and c is not metrics.Metric]
