"""What measures cost in training. ``python benchmarks/training.py``.

Trains the same model in turns without evaluation and with a measure on the validation data after each
round, and prints a Markdown table of processor times and the share that evaluation adds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np
from timing import in_turns

import rankstone as rs


def _data(queries: int, documents: int, features: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    rows = queries * documents
    table = rng.standard_normal((rows, features), dtype=np.float32)
    labels = np.clip((table[:, :5].sum(axis=1) / 2 + rng.standard_normal(rows)).round(), 0, 4)
    return table, labels, np.full(queries, documents)


def _lightgbm(train: Any, valid: Any, rounds: int) -> dict[str, Callable[[], object]]:
    import lightgbm

    params = {"objective": "lambdarank", "verbosity": -1, "seed": 1, "metric": "None"}
    sets = [lightgbm.Dataset(x, y, group=g).construct() for x, y, g in (train,)]
    other = lightgbm.Dataset(valid[0], valid[1], group=valid[2], reference=sets[0]).construct()

    def fit(own: Any = None, metric: str = "None") -> object:
        chosen = {**params, "metric": metric, "eval_at": [10]}
        return lightgbm.train(chosen, sets[0], rounds, valid_sets=[other], feval=own)

    return {
        "LightGBM alone": fit,
        "LightGBM, its own ndcg@10": lambda: fit(metric="ndcg"),
        "LightGBM, nDCG@10": lambda: fit(rs.training.lightgbm("nDCG@10")),
    }


def _xgboost(train: Any, valid: Any, rounds: int) -> dict[str, Callable[[], object]]:
    import xgboost

    sets = [
        xgboost.QuantileDMatrix(x, y, qid=np.repeat(np.arange(len(g)), g)) for x, y, g in (train,)
    ]
    x, y, g = valid
    other = xgboost.QuantileDMatrix(x, y, qid=np.repeat(np.arange(len(g)), g), ref=sets[0])

    def fit(own: Any = None) -> object:
        params = {"objective": "rank:ndcg", "seed": 1, "disable_default_eval_metric": True}
        seen: dict[str, Any] = {}
        return xgboost.train(
            params, sets[0], rounds, evals=[(other, "valid")], custom_metric=own,
            evals_result=seen, verbose_eval=False,
        )  # fmt: skip

    return {
        "XGBoost alone": fit,
        "XGBoost, nDCG@10": lambda: fit(rs.training.xgboost("nDCG@10")),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--documents", type=int, default=60, help="of each query")
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--valid", type=float, default=0.2, help="validation data, as a share")
    parser.add_argument("--boosting", type=int, default=50, help="rounds of each training")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    sizes = args.documents, args.features
    train = _data(args.queries, *sizes, seed=1)
    valid = _data(max(1, int(args.queries * args.valid)), *sizes, seed=2)
    print("| task | processor seconds | beyond training alone |\n|---|--:|--:|")
    for library, tasks in (("lightgbm", _lightgbm), ("xgboost", _xgboost)):
        if not find_spec(library):
            continue
        times = in_turns(tasks(train, valid, args.boosting), args.rounds)
        alone = next(iter(times.values())).processors
        for name, own in times.items():
            more = median(a / b for a, b in zip(own.processors, alone, strict=True)) - 1
            print(f"| {name} | {median(own.processors):.2f} | {more:.1%} |")


if __name__ == "__main__":
    main()
