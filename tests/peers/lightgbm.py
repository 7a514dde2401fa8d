"""LightGBM: its metrics on a model without trees, the scores of the run as the initial score."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, both, candidates, one_by_one

TOOL = "lightgbm"
ACCEPTS = Accepts(
    takes="candidates",
    negative=False,
    fractional=False,
    digits=1e-12,
    refuses={},
)
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import lightgbm

    return lightgbm.__version__


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: object) -> float:
    import lightgbm
    import numpy as np

    params = {
        "objective": "lambdarank", "metric": [name], "eval_at": [k], "verbosity": -1,
        "feature_pre_filter": False, "min_data_in_leaf": 1, "min_data_in_bin": 1,
        "num_threads": 1, **more,
    }  # fmt: skip
    # The model needs something to have been made from; what is measured is the other data set.
    made = lightgbm.Dataset(np.arange(4.0).reshape(-1, 1), [0, 1, 0, 1], group=[4], params=params)
    model = lightgbm.Booster(params, made)
    rows = [candidates(qrels, run, q) for q in both(qrels, run)]
    labels = np.concatenate([labels for labels, _ in rows])
    measured = lightgbm.Dataset(
        np.zeros((len(labels), 1)),
        labels,
        group=[len(labels) for labels, _ in rows],
        init_score=np.concatenate([scores for _, scores in rows]),
        reference=made,
        params=params,
    )
    model.add_valid(measured, "run")
    (found,) = model.eval_valid()
    return float(found[2])


FUNCTIONS = {
    "ndcg@{k}": one_by_one(partial(_mean, name="ndcg")),
    "ndcg(label_gain=linear)@{k}": one_by_one(
        partial(_mean, name="ndcg", label_gain=list(range(32)))
    ),
    "map@{k}": one_by_one(partial(_mean, name="map")),
}
