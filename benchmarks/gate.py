"""How often does each rule of a gate stop a candidate? ``python benchmarks/gate.py``.

Experiments draw queries, with replacement, from the values per query of two runs. For each query
chance decides which of the two values is the baseline's and which the candidate's, so that the
candidate is equal on average, or worse by a chosen number of points. In a small change the
candidate differs from the baseline on a third of the queries only. Every rule is the one that
``rankstone gate`` applies. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import rankstone as rs
from rankstone.stats.bootstrap import Means
from rankstone.stats.intervals import intervals_of
from rankstone.stats.power import detectable_by
from rankstone.verbs.gate.checks import Gain, drop_status

_EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
_SEARCH = [
    os.path.join(_EXAMPLES, "search", name) for name in ("qrels.txt", "bm25.run", "hybrid.run")
]
_SIZES = (50, 200, 1000)
_DROPS = (0.0, 0.005, 0.01, 0.02, 0.05)
_TOUCHED = {"another system": 1.0, "a small change": 1 / 3}  # share of queries that differ
_BATCH = 200


@dataclass(frozen=True)
class Sample:
    """Numbers of some experiments, an entry each."""

    baseline: np.ndarray
    candidate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    detectable: np.ndarray


def _rule(kind: str, limit: float) -> Callable[[Sample], list[str]]:
    def statuses(s: Sample) -> list[str]:
        numbers = zip(s.candidate - s.baseline, s.low, s.high, s.detectable, strict=True)
        return [drop_status(kind, limit, Gain(d, low, high), x) for d, low, high, x in numbers]

    return statuses


def _naive(digits: int | None) -> Callable[[Sample], list[str]]:
    def statuses(s: Sample) -> list[str]:
        old = s.baseline if digits is None else s.baseline.round(digits)
        return ["pass" if passes else "fail" for passes in s.candidate >= old]

    return statuses


_RULES = {
    "naive: new >= old": _naive(None),
    "naive: new >= old, rounded to 0.01": _naive(2),
    "`--max-drop 0.01`": _rule("max-drop", 0.01),
    "`--non-inferior 0.01`": _rule("non-inferior", 0.01),
    "`--non-inferior 0.02`": _rule("non-inferior", 0.02),
    "`--non-inferior 0.05`": _rule("non-inferior", 0.05),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="*", default=_SEARCH, help="judgments and two runs")
    parser.add_argument("-m", "--measure", default="nDCG@10")
    parser.add_argument("--trials", type=int, default=2000, help="experiments per number (2000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    judgments, *runs = args.files
    values = np.array(
        [rs.evaluate(judgments, run, args.measure).values(args.measure) for run in runs]
    )
    rng = np.random.default_rng(args.seed)
    print(
        f"{args.measure}, {values.shape[1]} queries to draw from, {args.trials} experiments each."
    )
    for kind, share in _TOUCHED.items():
        _table(kind, share, values, args, rng)


def _table(
    kind: str, share: float, values: np.ndarray, args: argparse.Namespace, rng: np.random.Generator
) -> None:
    size = share * float(np.abs(values[0] - values[1]).mean())
    sd = float(np.sqrt(share * ((values[0] - values[1]) ** 2).mean()))
    print(f"\nThe candidate is {kind}: differences per query of ±{sd:.2f}.\n")
    print("| queries | rule | equal | " + " | ".join(f"-{d:g}" for d in _DROPS[1:]) + " |")
    print("|--:|:---|" + "--:|" * len(_DROPS))
    for n in _SIZES:
        counts = {
            drop: _experiments(values, n, share, 0.5 + 0.5 * drop / size, args, rng)
            for drop in _DROPS
        }
        for rule in _RULES:
            cells = [_cell(counts[drop][rule], args.trials) for drop in _DROPS]
            print(f"| {n} | {rule} | {' | '.join(cells)} |")


def _cell(count: Counter[str], trials: int) -> str:
    stopped, unclear = (100 * count[s] / trials for s in ("fail", "cannot tell"))
    return f"{stopped:.0f}" + (f" ({unclear:.0f})" if round(unclear) else "")


def _experiments(
    values: np.ndarray,
    n: int,
    share: float,
    worse: float,
    args: argparse.Namespace,
    rng: np.random.Generator,
) -> dict[str, Counter[str]]:
    """Return how often each rule came to each status.

    Args:
        values: of two runs, one row each.
        n: number of queries of an experiment.
        share: of the queries on which the candidate differs from the baseline.
        worse: chance that the candidate's is the smaller of two values.
        args: of the command.
        rng: to draw with.
    """
    counts: dict[str, Counter[str]] = {rule: Counter() for rule in _RULES}
    for begin in range(0, args.trials, _BATCH):
        shape = min(_BATCH, args.trials - begin), n
        drawn = values[:, rng.integers(0, values.shape[1], shape)]
        low, high = drawn.min(axis=0), drawn.max(axis=0)
        is_worse = rng.random(shape) < worse
        baseline = np.where(is_worse, high, low)
        candidate = np.where(rng.random(shape) < share, np.where(is_worse, low, high), baseline)
        sample = _sample(baseline, candidate)
        for rule, statuses in _RULES.items():
            counts[rule].update(statuses(sample))
    return counts


def _sample(baseline: np.ndarray, candidate: np.ndarray) -> Sample:
    """Return the numbers that ``rankstone gate`` decides by, at a confidence of 95 %."""
    means = Means.of(candidate - baseline)
    low, high, few = intervals_of(means, "bca", 0.95, bounds=(-1.0, 1.0), exact=True)
    detectable = detectable_by(means, 0.05)
    reach = np.maximum(means.mean - low, high - means.mean)
    detectable = np.where(few, np.maximum(detectable, reach), detectable)
    return Sample(baseline.mean(axis=1), candidate.mean(axis=1), low, high, detectable)


if __name__ == "__main__":
    main()
