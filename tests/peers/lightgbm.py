"""LightGBM: its metrics on a model without trees, the scores of the run as the initial score."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, candidates

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
#: Other words for the two, from the parameter "metric" in its documentation.
_ALIASES = (
    "lambdarank", "rank_xendcg", "xendcg", "xe_ndcg", "xe_ndcg_mart", "xendcg_mart",
    "mean_average_precision",
)  # fmt: skip
FUNCTIONS |= {f"{name}@{{k}}": partial(_measure, name=name) for name in _ALIASES}
_DOCUMENTED = ("ndcg", "map", "auc", "average_precision", *_ALIASES)


def registry() -> list[str]:
    """Return the documented metrics of rankings and of binary labels by score that it computes."""
    import lightgbm
    import numpy as np

    known = []
    for name in (*_DOCUMENTED, "no_such_metric"):
        params = {"objective": "lambdarank", "metric": [name], "eval_at": [1], "verbosity": -1,
                  "min_data_in_leaf": 1, "min_data_in_bin": 1}  # fmt: skip
        rows = np.arange(4.0).reshape(-1, 1)
        data = lightgbm.Dataset(rows, [0, 1, 0, 1], group=[4], params=params)
        if lightgbm.Booster(params, data).eval_train():
            known.append(name)
    return known
