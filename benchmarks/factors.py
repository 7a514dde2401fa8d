"""What exact ranks over a whole catalogue cost. ``python benchmarks/factors.py``.

Evaluates the products of user and item factors in turns with the bare blocked product of the same factors,
recometrics with and without AUC, and ``torch.topk`` of the same products, where these are installed.
Prints a Markdown table of wall and processor times and their ratios to the bare product, and the memory
that evaluation takes beyond the factors. With ``--linear``, the times for more and more users.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from timing import in_turns

import rankstone as rs

_MEASURES = ("nDCG@10", "R@10", "RR", "AUC")
_BLOCK = 1 << 25  # bytes, as evaluation has it


def _data(users: int, items: int, width: int, held_out: int) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(1)
    left, right = (rng.standard_normal((n, width), dtype=np.float32) for n in (users, items))
    per_user = 2 * held_out
    columns = np.sort(rng.integers(0, items // per_user, (users, per_user)), axis=1)
    columns = columns + items // per_user * np.arange(per_user)  # distinct, in rising order
    chosen = rng.permuted(np.tile(np.arange(per_user), (users, 1)), axis=1)
    parts = []
    for some in (chosen[:, :held_out], chosen[:, held_out:]):
        cells = np.take_along_axis(columns, np.sort(some, axis=1), axis=1)
        offsets = np.arange(users + 1) * held_out
        ones = np.ones(cells.size)
        parts.append(csr_matrix((ones, cells.ravel(), offsets), shape=(users, items)))
    return left, right, *parts


def _tasks(
    left: Any, right: Any, test: Any, train: Any, *, peers: bool = True
) -> dict[str, Callable[[], object]]:
    step = _BLOCK // (4 * len(right))
    out = np.empty((step, len(right)), np.float32)

    def product() -> None:
        for begin in range(0, len(left), step):
            part = left[begin : begin + step]
            np.matmul(part, right.T, out=out[: len(part)])

    def evaluation(**options: Any) -> Callable[[], object]:
        model = rs.Factors(left, right)
        return lambda: rs.evaluate(test, model, _MEASURES, **options)

    tasks: dict[str, Callable[[], object]] = {
        "bare product": product,
        "rankstone": evaluation(),
        "rankstone, training items excluded": evaluation(exclude=train),
    }
    if peers and find_spec("recometrics"):
        import recometrics

        for name, auc in (("recometrics", False), ("recometrics with AUC", True)):

            def peer(auc: bool = auc) -> object:
                return recometrics.calc_reco_metrics(
                    train, test, left, right, k=10, ndcg=True, recall=True, rr=True, roc_auc=auc,
                    precision=False, average_precision=False, hit=False, pr_auc=False,
                    nthreads=-1, break_ties_with_noise=False,
                )  # fmt: skip

            tasks[name] = peer
    if peers and find_spec("torch"):
        import torch

        users, items = torch.from_numpy(left), torch.from_numpy(right)

        def top() -> None:
            for begin in range(0, len(users), step):
                torch.topk(users[begin : begin + step] @ items.T, 10)

        tasks["torch.topk(10)"] = top
    return tasks


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--held-out", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--alone", action="store_true", help="without other libraries")
    parser.add_argument("--linear", action="store_true", help="times for more and more users")
    parser.add_argument("--memory", action="store_true", help="memory of one evaluation alone")
    args = parser.parse_args()
    left, right, test, train = _data(args.users, args.items, args.width, args.held_out)
    if args.memory:
        model = rs.Factors(left, right)
        rs.evaluate(test[:10], rs.Factors(left[:10], right), _MEASURES)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rs.evaluate(test, model, _MEASURES)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{(after - before) / 1024:.0f} MiB beyond the factors")
        return
    if args.linear:
        sizes = [args.users // n for n in (8, 4, 2, 1)]
        tasks = {
            f"{n}": (lambda n=n: rs.evaluate(test[:n], rs.Factors(left[:n], right), _MEASURES))
            for n in sizes
        }
        times = in_turns(tasks, args.rounds)
        print("| users | seconds | processor seconds | per 1,000 users |\n|--:|--:|--:|--:|")
        for n in sizes:
            own = times[f"{n}"]
            used = min(own.processors)
            print(f"| {n:,} | {own.best:.2f} | {used:.2f} | {1000 * used / n:.4f} |")
        return
    times = in_turns(_tasks(left, right, test, train, peers=not args.alone), args.rounds)
    bare = times["bare product"]
    print("| task | seconds | processor seconds | times the product (wall, processors) |")
    print("|---|--:|--:|--:|")
    for name, own in times.items():
        wall = median(a / b for a, b in zip(own.seconds, bare.seconds, strict=True))
        used = median(a / b for a, b in zip(own.processors, bare.processors, strict=True))
        print(
            f"| {name} | {own.median:.2f} | {median(own.processors):.2f} | {wall:.2f}, {used:.2f} |"
        )


if __name__ == "__main__":
    main()
