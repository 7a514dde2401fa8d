"""LightGBM: its metrics on a model without trees, the scores of the run as the initial score."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, candidates

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


def _measure(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: object) -> Values:
    """Measure each query as a data set of its own, and all of them as one."""
    import lightgbm
    import numpy as np

    params = {
        "objective": "lambdarank", "metric": [name], "eval_at": [k], "verbosity": -1,
        "feature_pre_filter": False, "min_data_in_leaf": 1, "min_data_in_bin": 1,
        "num_threads": 1, **more,
    }  # fmt: skip
    # The model needs something to have been made from; what is measured are the other data sets.
    made = lightgbm.Dataset(np.arange(4.0).reshape(-1, 1), [0, 1, 0, 1], group=[4], params=params)
    model = lightgbm.Booster(params, made)
    queries = both(qrels, run)
    for i, part in enumerate((*([q] for q in queries), queries)):
        rows = [candidates(qrels, run, q) for q in part]
        labels = np.concatenate([labels for labels, _ in rows])
        measured = lightgbm.Dataset(
            np.zeros((len(labels), 1)),
            labels,
            group=[len(labels) for labels, _ in rows],
            init_score=np.concatenate([scores for _, scores in rows]),
            reference=made,
            params=params,
        )
        model.add_valid(measured, str(i))
    *values, mean = [float(found[2]) for found in model.eval_valid()]
    return dict(zip(queries, values, strict=True)), mean


FUNCTIONS = {
    "ndcg@{k}": partial(_measure, name="ndcg"),
    "ndcg(label_gain=linear)@{k}": partial(_measure, name="ndcg", label_gain=list(range(32))),
    "map@{k}": partial(_measure, name="map"),
}
