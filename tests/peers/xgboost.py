"""XGBoost: its metrics on a model without trees, the scores of the run as the base margin."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, both, candidates, one_by_one

TOOL = "xgboost"
ACCEPTS = Accepts(takes="candidates", digits=1e-6)
_BINARY = Accepts(
    takes="candidates",
    graded=False,
    negative=False,
    fractional=False,
    digits=1e-6,
    refuses={"graded": "XGBoostError: map can only be used with binary labels."},
)


def version() -> str:
    import xgboost

    return xgboost.__version__


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: object) -> float:
    import numpy as np
    import xgboost

    rows = [candidates(qrels, run, q) for q in both(qrels, run)]
    labels = np.concatenate([labels for labels, _ in rows])
    data = xgboost.DMatrix(np.zeros((len(labels), 1)), labels)
    data.set_group([len(labels) for labels, _ in rows])
    data.set_base_margin(np.concatenate([scores for _, scores in rows]))
    params = {
        "objective": "rank:pairwise", "eval_metric": name.format(k=k), "nthread": 1,
        "verbosity": 0, **more,
    }  # fmt: skip
    made = xgboost.DMatrix(np.zeros((2, 1)), [0, 1])
    made.set_group([2])
    model = xgboost.train(params, made, num_boost_round=0)
    return float(model.eval(data).rpartition(":")[2])


FUNCTIONS = {
    name: one_by_one(partial(_mean, name=name))
    for name in (
        "ndcg@{k}", "ndcg@{k}-", "ndcg", "map@{k}", "map@{k}-", "map", "pre@{k}", "auc",
    )
}  # fmt: skip
FUNCTIONS["ndcg(ndcg_exp_gain=False)@{k}"] = one_by_one(
    partial(_mean, name="ndcg@{k}", ndcg_exp_gain=False)
)
EXCEPT = {name: _BINARY for name in FUNCTIONS if name.startswith(("map", "pre", "auc"))}
