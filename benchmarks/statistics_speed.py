"""Measure the statistics against their bars: ``python benchmarks/statistics_speed.py``.

Needs scipy, to compare with.
"""

from __future__ import annotations

import argparse
import sys

import memory
import numpy as np
import table
from table import Row
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


def main() -> int:
    """Print the tables; return 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description="Measure the statistics against their bars.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flips-only", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.flips_only:
        randomization(_differences(), resamples=_FLIPS)
        return 0
    rows: list[Row] = []
    times: dict[str, Times] = {}
    for section in (_sign_flips, _all_pairs, _intervals):
        more_rows, more_times = section(args.rounds)
        rows += more_rows
        times |= more_times
    print("\n".join(table.markdown(rows)), end="\n\n")
    print("\n".join(table.seconds(times)))
    return 1 if any(row.met is False for row in rows) else 0


def _differences() -> np.ndarray:
    rng = np.random.default_rng(1)
    d = rng.beta(0.6, 1.0, (2, _MEASURES, _QUERIES))
    shift = np.linspace(0.0, 0.02, _MEASURES)[:, None]
    return np.where(rng.random((_MEASURES, _QUERIES)) < 0.3, 0.0, d[0] - d[1] + shift)


def _sign_flips(rounds: int) -> tuple[list[Row], dict[str, Times]]:
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
    rows = [
        table.faster(f"{what}: against scipy", 20, times[names[0]], whole),
        Row("p-values: largest difference, in standard errors", "at most 4", 4, off, off),
    ]
    if memory.measurable():
        child = [sys.executable, __file__]
        idle = memory.peak_anonymous([sys.executable, "-c", "import numpy"]) / _MB
        peak = memory.peak_anonymous([*child, "--flips-only"]) / _MB
        rows.append(Row(f"{what}: peak memory, MB", "at most 300", 300, peak, peak - idle))
    return rows, times


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    return values.mean(axis=axis)


def _all_pairs(rounds: int) -> tuple[list[Row], dict[str, Times]]:
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
    return [table.slower(f"{what}: against the product", 3, *times.values())], times


def _intervals(rounds: int) -> tuple[list[Row], dict[str, Times]]:
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
    return [table.faster("BCa intervals: against scipy", 20, *times.values())], times


if __name__ == "__main__":
    sys.exit(main())
