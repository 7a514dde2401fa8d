"""XGBoost: its metrics on a model without trees, the scores of the run as the base margin."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from peers.common import Accepts, Qrels, Run, Values, both, candidates

ACCEPTS = Accepts(
    takes="candidates",
    negative=False,
    fractional=False,
    digits=1e-6,
    refuses={"negative": "XGBoostError", "fractional": "XGBoostError"},
)
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


@cache
def _model(metric: str, exp_gain: bool) -> object:
    import numpy as np
    import xgboost

    made = xgboost.DMatrix(np.zeros((2, 1)), [0, 1])
    made.set_group([2])
    params = {
        "objective": "rank:pairwise", "eval_metric": metric, "nthread": 1, "verbosity": 0,
        "ndcg_exp_gain": exp_gain,
    }  # fmt: skip
    return xgboost.train(params, made, num_boost_round=0)


def _measure(qrels: Qrels, run: Run, k: int | None, *, name: str, exp_gain: bool = True) -> Values:
    """Measure each query as a data set of its own, and all of them as one."""
    import numpy as np
    import xgboost

    queries = both(qrels, run)
    sets = []
    for part in (*([q] for q in queries), queries):
        rows = [candidates(qrels, run, q) for q in part]
        labels = np.concatenate([labels for labels, _ in rows])
        data = xgboost.DMatrix(np.zeros((len(labels), 1)), labels)
        data.set_group([len(labels) for labels, _ in rows])
        data.set_base_margin(np.concatenate([scores for _, scores in rows]))
        sets.append((data, str(len(sets))))
    said = _model(name.format(k=k), exp_gain).eval_set(sets)
    *values, mean = [float(part.rpartition(":")[2]) for part in said.split("\t")[1:]]
    return dict(zip(queries, values, strict=True)), mean


FUNCTIONS = {
    name: partial(_measure, name=name)
    for name in (
        "ndcg@{k}", "ndcg@{k}-", "ndcg", "ndcg-", "map@{k}", "map@{k}-", "map", "map-", "pre@{k}",
        "auc",
    )
}  # fmt: skip
FUNCTIONS["ndcg(ndcg_exp_gain=False)@{k}"] = partial(_measure, name="ndcg@{k}", exp_gain=False)
EXCEPT = {name: _BINARY for name in FUNCTIONS if name.startswith(("map", "pre"))}
EXCEPT["auc"] = replace(_BINARY, no_relevant=False, single_document=False)
_DOCUMENTED = ("ndcg", "map", "pre", "auc", "aucpr")


def registry() -> list[str]:
    """Return the documented metrics of rankings that it computes."""
    import numpy as np
    import xgboost

    known = []
    for name in (*_DOCUMENTED, "no_such_metric"):
        data = xgboost.DMatrix(np.zeros((2, 1)), [0, 1])
        data.set_group([2])
        try:
            _model(name, True).eval_set([(data, "data")])
        except xgboost.core.XGBoostError:
            continue
        known.append(name)
    return known
