"""Cornac: ranking metrics, one user at a time; the mean is that of its ranking_eval."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, ranking, relevant

ACCEPTS = Accepts(
    takes="ranking", graded=False, negative=False, fractional=False, no_relevant=False,
    digits=1e-12, refuses={"no_relevant": "such users are left out before anything is measured"},
)  # fmt: skip
EXCEPT = {
    "AUC": replace(ACCEPTS, single_document=False),
    "NCRR@{k}": replace(ACCEPTS, short_lists=False, longest=22),
}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("cornac")


def _each(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    """Measure each user; items are numbers there, so they are numbered."""
    import numpy as np
    from cornac import metrics

    metric = getattr(metrics, name)(**({} if k is None else {"k": k}))
    values = {}
    for query in both(qrels, run):
        number = {d: i for i, d in enumerate(dict.fromkeys([*run[query], *qrels[query]]))}
        values[query] = float(
            metric.compute(
                gt_pos=np.array([number[d] for d in relevant(qrels[query])]),
                pd_rank=np.array([number[d] for d in ranking(run[query])]),
                item_indices=np.array([number[d] for d in run[query]]),
                pd_scores=np.array(list(run[query].values())),
            )
        )
    return values, None


_CUT = ("NDCG", "Precision", "Recall", "FMeasure", "HitRatio")
FUNCTIONS = {f"{n}@{{k}}": partial(_each, name=n) for n in (*_CUT, "NCRR")}
FUNCTIONS |= {n: partial(_each, name=n) for n in (*_CUT, "MRR", "MAP", "AUC")}


def registry() -> list[str]:
    import inspect

    from cornac import metrics

    kinds = (metrics.RankingMetric, metrics.RatingMetric)
    classes = inspect.getmembers(metrics, inspect.isclass)
    return [name for name, c in classes if issubclass(c, kinds) and c not in kinds]
