"""Do intervals from few people's and many model's judgments hold? ``python benchmarks/trusted.py``.

Differences between two systems are drawn as people and as a model would see them, for 1,000 queries, of
which people judge some. Prints a Markdown table: coverage of people alone, of both together and of the model
alone with a bias of 0, 0.03 and 0.1 (which both together do not depend on: the model's values count relative
to each other), and how long the interval is relative to people alone. Equal systems are told apart in what
is left of the coverage to 100 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from rankstone.stats.trusted import combine

_QUERIES = 1000
_LEVEL = 0.05
Draw = Callable[[np.random.Generator, int], np.ndarray]


def _zero_inflated(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.where(rng.random(n) < 0.4, rng.normal(0.05, 0.3, n), 0.0)


#: Differences by people's judgments, and their mean.
VALUES: dict[str, tuple[Draw, float]] = {
    "normal": (lambda rng, n: rng.normal(0.02, 0.3, n), 0.02),
    "skewed": (lambda rng, n: 0.15 * (rng.gamma(4.0, 1.0, n) - 4.0) + 0.02, 0.02),
    "zero-inflated": (_zero_inflated, 0.02),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000, help="experiments per cell (20000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    heads = (
        "values | correlation | people | alone | both | length | optimum | model, bias 0 | .03 | .1"
    )
    print(f"| {heads} |")
    print("|---|" + "--:|" * 9)
    for name, (draw, mean) in VALUES.items():
        for correlation in (0.0, 0.5, 0.8, 0.9):
            for n in (50, 100, 300):
                cells = _cell(rng, draw, mean, correlation, n, args.trials)
                print(f"| {name} | {correlation:g} | {n} | {cells} |", flush=True)


def _cell(
    rng: np.random.Generator, draw: Draw, mean: float, correlation: float, n: int, trials: int
) -> str:
    spread = float(draw(rng, 1_000_000).std())
    noise = spread * np.sqrt(1.0 / correlation**2 - 1.0) if correlation else spread
    alone = both = 0
    by_model, halves = np.zeros(3), np.zeros(2)
    for _ in range(trials):
        y = draw(rng, _QUERIES)
        seen = (y if correlation else 0.0) + rng.normal(0.0, noise, _QUERIES)
        people = np.where(np.arange(_QUERIES) < n, y, np.nan)  # queries are in random order
        one = combine(people, seen)
        low, high = one.interval(1 - _LEVEL)
        alone += abs(y[:n].mean() - mean) <= one.half_alone
        both += low <= mean <= high
        half = 1.962 * seen.std(ddof=1) / _QUERIES**0.5
        by_model += np.abs(seen.mean() + np.array([0.0, 0.03, 0.1]) - mean) <= half
        halves += one.half_alone, 0.5 * (high - low)
    optimum = np.sqrt(1 - correlation**2 * (1 - n / _QUERIES))
    rates = [100 * k / trials for k in (alone, both, *by_model)]
    lengths = [float(halves[1] / halves[0]), float(optimum)]
    shown = [f"{r:.1f}" for r in rates[:2]] + [f"{x:.3f}" for x in lengths]
    return " | ".join(shown + [f"{r:.1f}" for r in rates[2:]])


if __name__ == "__main__":
    main()
