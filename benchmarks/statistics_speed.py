"""Measure the statistics beside other tools: ``python benchmarks/statistics_speed.py``.

Needs scipy, to compare with.
"""

from __future__ import annotations

import argparse
import sys

import memory
import numpy as np
from timing import Times, in_turns

from rankstone.choices.statistics import Statistics
from rankstone.stats.compare import compare
from rankstone.stats.intervals import mean_intervals
from rankstone.stats.tests import randomization
from rankstone.stats.values import QueryValues

_MEASURES, _QUERIES, _FLIPS = 20, 7000, 100_000
_RUNS, _FEW_QUERIES, _FEW_MEASURES, _RESAMPLES = 50, 250, 5, 10_000
_SHARE = 100  # of the flips that scipy does; all would take minutes
_MB = 1_000_000


Ratios = dict[str, float]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Measure the statistics beside other tools.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flips-only", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.flips_only:
        randomization(_differences(), resamples=_FLIPS)
        return
    ratios: Ratios = {}
    times: dict[str, Times] = {}
    for section in (_sign_flips, _all_pairs, _intervals):
        more_ratios, more_times = section(args.rounds)
        ratios |= more_ratios
        times |= more_times
    print("| what | measured |\n|---|--:|")
    for what, number in ratios.items():
        print(f"| {what} | {number:.3g} |")
    print("\n| seconds | median | best |\n|---|--:|--:|")
    for name, own in times.items():
        print(f"| {name} | {own.median:.3f} | {own.best:.3f} |")


def _differences() -> np.ndarray:
    rng = np.random.default_rng(1)
    d = rng.beta(0.6, 1.0, (2, _MEASURES, _QUERIES))
    shift = np.linspace(0.0, 0.02, _MEASURES)[:, None]
    return np.where(rng.random((_MEASURES, _QUERIES)) < 0.3, 0.0, d[0] - d[1] + shift)


def _sign_flips(rounds: int) -> tuple[Ratios, dict[str, Times]]:
    from scipy import stats

    d = _differences()
    p: dict[str, np.ndarray] = {}

    def ours() -> None:
        p["ours"] = randomization(d, resamples=_FLIPS).p

    def theirs() -> None:
        p["theirs"] = stats.permutation_test(
            (d,), _mean, permutation_type="samples", n_resamples=_FLIPS // _SHARE,
            batch=50, axis=-1, vectorized=True, rng=1,
        ).pvalue  # fmt: skip

    names = f"{_FLIPS:,} sign flips", f"scipy, {_FLIPS // _SHARE:,} of them"
    times = in_turns(dict(zip(names, (ours, theirs), strict=True)), rounds)
    whole = Times([_SHARE * s for s in times[names[1]].seconds])
    # Errors of the estimates of both, of which scipy's is the larger.
    error = np.sqrt(p["ours"] * (1 - p["ours"]) * _SHARE / _FLIPS) + _SHARE / _FLIPS
    off = float((np.abs(p["ours"] - p["theirs"]) / error).max())
    what = f"{_FLIPS:,} sign flips of {_MEASURES} measures on {_QUERIES:,} queries"
    ratios = {
        f"{what}: times as fast as scipy": whole.median / times[names[0]].median,
        "p-values: largest difference, in standard errors": off,
    }
    if memory.measurable():
        peak = memory.peak_anonymous([sys.executable, __file__, "--flips-only"]) / _MB
        ratios[f"{what}: peak memory, MB"] = peak
    return ratios, times


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    return values.mean(axis=axis)


def _all_pairs(rounds: int) -> tuple[Ratios, dict[str, Times]]:
    rng = np.random.default_rng(2)
    ids = [f"q{i}" for i in range(_FEW_QUERIES)]
    easy = rng.beta(1.0, 2.0, _FEW_QUERIES)
    runs = [
        QueryValues(
            f"run{k}",
            ids,
            {
                f"m{m}": np.where(
                    rng.random(_FEW_QUERIES) < 0.2,
                    0.0,
                    np.clip(easy + rng.normal(0.0, 0.2, _FEW_QUERIES), 0.0, 1.0),
                )
                for m in range(_FEW_MEASURES)
            },
        )
        for k in range(_RUNS)
    ]
    pairs = _FEW_MEASURES * _RUNS * (_RUNS - 1) // 2
    signs = rng.choice([-1.0, 1.0], (_RESAMPLES, _FEW_QUERIES))
    differences = rng.random((_FEW_QUERIES, pairs))
    names = "compare, all pairs", "bare matrix product"
    times = in_turns(
        {
            names[0]: lambda: compare(runs, Statistics(all_pairs=True, resamples=_RESAMPLES)),
            names[1]: lambda: signs @ differences,
        },
        rounds,
    )
    what = f"all pairs of {_RUNS} runs, {_FEW_QUERIES} queries, {_FEW_MEASURES} measures"
    ours, product = times.values()
    return {f"{what}: times the time of the product": ours.median / product.median}, times


def _intervals(rounds: int) -> tuple[Ratios, dict[str, Times]]:
    from scipy import stats

    d = _differences()[:2]
    names = f"BCa intervals, {_QUERIES:,} queries", f"scipy, {_RESAMPLES:,} resamples"
    times = in_turns(
        {
            names[0]: lambda: mean_intervals(d),
            names[1]: lambda: [
                stats.bootstrap((row,), np.mean, n_resamples=_RESAMPLES, batch=100, rng=1)
                for row in d
            ],
        },
        rounds,
    )
    ours, theirs = times.values()
    return {"BCa intervals: times as fast as scipy": theirs.median / ours.median}, times


if __name__ == "__main__":
    main()
