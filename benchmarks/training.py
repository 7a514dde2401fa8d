"""What measures cost in training. ``python benchmarks/training.py``.

Trains a model with a measure on the validation data after each round, and prints a Markdown table of the
processor time of a round and of a call of the measure, and the share that these calls add to training. The
libraries train in one thread, since threads that wait busily would count as work.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from timing import processor_time

import rankstone as rs


def _data(queries: int, documents: int, features: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    rows = queries * documents
    table = rng.standard_normal((rows, features), dtype=np.float32)
    labels = np.clip((table[:, :5].sum(axis=1) / 2 + rng.standard_normal(rows)).round(), 0, 4)
    return table, labels, np.full(queries, documents)


class _Timed:
    """A function, and the processor time that its calls have taken."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *arguments: Any) -> Any:
        begin = processor_time()
        value = self.function(*arguments)
        self.seconds += processor_time() - begin
        return value


def _lightgbm(train: Any, valid: Any, rounds: int) -> Iterator[float]:
    import lightgbm

    params = {"objective": "lambdarank", "verbosity": -1, "metric": "None", "num_threads": 1}
    first = lightgbm.Dataset(train[0], train[1], group=train[2], params=params).construct()
    other = lightgbm.Dataset(valid[0], valid[1], group=valid[2], reference=first).construct()
    own = _Timed(rs.training.lightgbm("nDCG@10"))
    begin = processor_time()
    lightgbm.train(params, first, rounds, valid_sets=[other], feval=own)
    yield from (processor_time() - begin, own.seconds)


def _xgboost(train: Any, valid: Any, rounds: int) -> Iterator[float]:
    import xgboost

    queries = [np.repeat(np.arange(len(g)), g) for *_, g in (train, valid)]
    first = xgboost.QuantileDMatrix(train[0], train[1], qid=queries[0])
    other = xgboost.QuantileDMatrix(valid[0], valid[1], qid=queries[1], ref=first)
    own = _Timed(rs.training.xgboost("nDCG@10"))
    params = {"objective": "rank:ndcg", "disable_default_eval_metric": True, "nthread": 1}
    begin = processor_time()
    xgboost.train(params, first, rounds, evals=[(other, "")], custom_metric=own, verbose_eval=False)
    yield from (processor_time() - begin, own.seconds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--documents", type=int, default=60, help="of each query")
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--valid", type=float, default=0.2, help="validation data, as a share")
    parser.add_argument("--boosting", type=int, default=50, help="rounds of each training")
    args = parser.parse_args()
    sizes = args.documents, args.features
    train = _data(args.queries, *sizes, seed=1)
    valid = _data(max(1, int(args.queries * args.valid)), *sizes, seed=2)
    print("| library | a round | a call | beyond training alone |\n|---|--:|--:|--:|")
    for name, task in (("lightgbm", _lightgbm), ("xgboost", _xgboost)):
        if find_spec(name):
            whole, calls = task(train, valid, args.boosting)
            each = [1000 * seconds / args.boosting for seconds in (whole - calls, calls)]
            print(f"| {name} | {each[0]:.1f} ms | {each[1]:.2f} ms | {each[1] / each[0]:.1%} |")


if __name__ == "__main__":
    main()
