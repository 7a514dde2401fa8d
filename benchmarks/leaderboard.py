"""Simulated leaderboards: how often rank intervals contain all true ranks, and who is in the first tier.

    python benchmarks/leaderboard.py [--trials 4000] [--seed 1]

Each trial draws the values of systems on a few collections. "ranks" is the share of trials in which
every system's interval contains all of its true ranks (equal systems have several), "first tier" the
share in which all systems that share the best true mean are in it, "mean" the share of 95 % intervals of
macro means that contain the true one. Bar: at least 95 % for the first two.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from scipy import special

from rankstone.stats import leaderboard
from rankstone.stats.leaderboard import CollectionValues, leaderboard_of

SHAPES = {
    "1 collection x 50": [50],
    "1 collection x 25": [25],
    "4 collections x 50": [50] * 4,
    "6 unequal, 20 to 300": [20, 30, 50, 80, 150, 300],
}
MEANS = {
    "all equal, 8 systems": [0.4] * 8,
    "3 best equal of 8": [0.5, 0.5, 0.5, 0.45, 0.4, 0.4, 0.35, 0.3],
    "steps, 12 systems": list(np.linspace(0.3, 0.52, 12)),
}


def drawn(kind: str, means: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return values of systems with these means on n queries that are of their own difficulty."""
    shape = (len(means), n)
    if kind == "normal":
        return means[:, None] + rng.normal(0, 0.25, n) + rng.normal(0, 0.2, shape)
    common, own = rng.normal(0, 1.0, n), rng.normal(0, 1.0, shape)
    uniform = _normal_cdf((common + own) / np.sqrt(2.0))
    if kind == "success":
        return (uniform < means[:, None]).astype(float)
    # reciprocal ranks: 0 for a part, then 1, 1/2, 1/3 ...
    rank = np.floor(np.log(np.maximum(uniform, 1e-12)) / np.log1p(-means[:, None]) + 1)
    return np.where(rank > 20, 0.0, 1 / rank)


def truth(kind: str, means: np.ndarray) -> np.ndarray:
    """Return the true means of the values that are drawn."""
    if kind != "reciprocal":
        return means
    ranks = np.arange(1, 21)
    return ((means[:, None] * (1 - means[:, None]) ** (ranks - 1)) / ranks).sum(axis=1)


def _normal_cdf(x: np.ndarray) -> np.ndarray:
    return np.interp(x, _GRID, _LEVELS)


_GRID = np.linspace(-8.0, 8.0, 20_001)
_LEVELS = np.array([0.5 * (1 + math.erf(x / math.sqrt(2.0))) for x in _GRID])


def main() -> None:
    """Print a table of all cells."""
    # The same functions to 1e-12, and several times faster for so many boards.
    leaderboard.t_tail = lambda t, df: float(special.stdtr(df, -t))
    leaderboard.t_quantile = lambda p, df: float(special.stdtrit(df, p))
    leaderboard.normal_quantile = lambda p: float(special.ndtri(p))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", nargs="*", default=["normal", "success", "reciprocal"])
    parser.add_argument("--systems", nargs="*", default=list(MEANS), help="keys of MEANS")
    args = parser.parse_args()
    print("| values | collections | systems | ranks | first tier | mean |")
    print("|---|---|---|--:|--:|--:|")
    for number, kind in enumerate(args.values):
        for shape, sizes in SHAPES.items():
            for title, listed in ((title, MEANS[title]) for title in args.systems):
                rng = np.random.default_rng([args.seed, number, len(sizes), sizes[0], len(title)])
                means = np.array(listed)
                real = np.round(truth(kind, means), 12)
                lowest = 1 + (real[None, :] > real[:, None]).sum(axis=1)
                highest = len(real) - (real[None, :] < real[:, None]).sum(axis=1)
                names = [f"s{i:02}" for i in range(len(means))]
                ranks = tier = covered = 0
                for trial in range(args.trials):
                    tables = [
                        CollectionValues(str(c), "M", names, drawn(kind, means, n, rng))
                        for c, n in enumerate(sizes)
                    ]
                    board = leaderboard_of(tables, resamples=1000, rng=trial)
                    found = [board[name] for name in names]
                    ranks += all(
                        s.best_rank <= a and b <= s.worst_rank
                        for s, a, b in zip(found, lowest, highest, strict=True)
                    )
                    tier += all(
                        s.tier == 1 for s, r in zip(found, real, strict=True) if r == real.max()
                    )
                    covered += sum(s.low <= r <= s.high for s, r in zip(found, real, strict=True))
                cells = (ranks, tier, covered / len(means))
                shown = " | ".join(f"{100 * x / args.trials:.1f} %" for x in cells)
                print(f"| {kind} | {shape} | {title} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
