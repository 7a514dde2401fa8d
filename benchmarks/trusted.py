"""Do intervals from few people's and many a model's judgments hold? ``python benchmarks/trusted.py``.

1,000 queries are judged by a model, some of them by people, too; two systems are compared. Prints a Markdown
table: how often the 95 % interval of the difference contains the true one, by people alone and by both
together, and how long it is relative to people alone; 'warned' is how often the model is said to favour a
run, 'model' the coverage of an interval from the model's judgments alone.

The differences are drawn from a distribution (normal, skewed, zero-inflated), or, with ``--qrels FILE``, come from
judgments: the documents of a query are ranked by two simulated systems, people's grades are those of the
file, the model errs in some of them and favours the second system, so that the differences have the
correlation and the bias of the cell.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy import stats

from rankstone import nDCG
from rankstone.stats.trusted import Parts

_QUERIES = 1000
_UNITS = 6_000  # queries with simulated systems and judges, which trials draw from
_DOCUMENTS = 30
_BLOCK = 250  # trials at once
Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
Shape = int | tuple[int, ...]


def _zero_inflated(rng: np.random.Generator, n: Shape) -> np.ndarray:
    return np.where(rng.random(n) < 0.4, rng.normal(0.05, 0.3, n), 0.0)


#: Differences by people's judgments, of which the mean is 0.02.
VALUES: dict[str, Callable[[np.random.Generator, Shape], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(0.02, 0.3, n),
    "skewed": lambda rng, n: 0.15 * (rng.gamma(4.0, 1.0, n) - 4.0) + 0.02,
    "zero-inflated": _zero_inflated,
}


class Cell:
    """A way to draw differences by people and by the model, a row of 1,000 queries for each trial."""

    def __init__(self, draw: Draw, truth: float, correlation: float, bias: float) -> None:
        self.draw, self.truth, self.correlation, self.bias = draw, truth, correlation, bias

    def row(
        self, rng: np.random.Generator, people: int, trials: int, shifts: Sequence[float]
    ) -> str:
        """Return coverage, length, and for each bias how often it is seen, and the model alone covers."""
        shares = tuple(np.full(n, 1.0 / n) for n in (people, _QUERIES - people))
        blocks = []
        for begin in range(0, trials, _BLOCK):
            y, seen = self.draw(rng, min(_BLOCK, trials - begin))
            parts = Parts(shares, None, (seen[:, :people], seen[:, people:]))
            own = y[:, :people]
            estimates = [
                parts.estimate(values, weight)[:3]
                for values, weight in ((own, None), (own, 0.0), (seen[:, :people] - own, None))
            ]
            halves = 1.962 * seen.std(axis=1, ddof=1) / _QUERIES**0.5
            blocks.append(np.vstack([*estimates, seen.mean(axis=1), halves]))
        numbers = np.hstack(blocks)
        both, alone, bias = numbers[:3], numbers[3:6], numbers[6:9]
        halves = [stats.t.ppf(0.975, df) * error for _, error, df in (both, alone)]
        inside = [
            np.abs(part[0] - self.truth) <= half
            for part, half in zip((both, alone), halves, strict=True)
        ]
        optimum = np.sqrt(1 - self.correlation**2 * (1 - people / _QUERIES))
        rates = [100 * float(np.mean(x)) for x in (inside[1], inside[0])]
        lengths = [float(halves[0].mean() / halves[1].mean()), float(optimum)]
        shown = [f"{r:.1f}" for r in rates] + [f"{x:.3f}" for x in lengths]
        for shift in shifts:
            warned = 2 * stats.t.sf(np.abs(bias[0] + shift) / bias[1], bias[2]) <= 0.05
            model = np.abs(numbers[9] + shift - self.truth) <= numbers[10]
            shown += [f"{100 * float(np.mean(x)):.1f}" for x in (warned, model)]
        return " | ".join(shown)


def _drawn(name: str, correlation: float) -> Cell:
    """Return differences of a distribution, and a model that sees them with noise."""
    values = VALUES[name]
    spread = float(values(np.random.default_rng(0), 1_000_000).std())
    noise = spread * np.sqrt(1.0 / correlation**2 - 1.0) if correlation else spread

    def draw(rng: np.random.Generator, trials: int) -> tuple[np.ndarray, np.ndarray]:
        y = values(rng, (trials, _QUERIES))
        return y, (y if correlation else 0.0) + rng.normal(0.0, noise, y.shape)

    return Cell(draw, 0.02, correlation, 0.0)


def _judged(path: str, correlation: float, bias: float, better: float) -> Cell:
    """Return differences in nDCG@10 by judgments of a file, and by a model that errs in them."""
    rng = np.random.default_rng(0)
    grades = _grades(path, rng)
    scores = [q * grades + rng.normal(0, 1.0, grades.shape) for q in (1.0, 1.0 + better)]
    y = _difference(grades, scores)
    chance, other = rng.random(grades.shape), rng.permutation(grades.ravel()).reshape(grades.shape)
    own = np.array([np.argsort(np.argsort(-s, axis=1), axis=1) < 3 for s in scores], np.float64)

    def seen(errors: float, favours: float) -> np.ndarray:
        model = np.where(chance < errors, other, grades)
        has_ideal = model.any(axis=1, keepdims=True)
        model += favours * (own[1] - own[0]) * has_ideal
        return _difference(np.maximum(model, 0.0), scores)

    errors = favours = 0.0
    for _ in range(3):  # each of the two moves what the other is chosen for
        errors = _root(lambda e, f=favours: correlation - np.corrcoef(y, seen(e, f))[0, 1])
        favours = _root(lambda f, e=errors: np.mean(seen(e, f) - y) - bias, -2.0, 2.0)
    model = seen(errors, favours)

    def draw(rng: np.random.Generator, trials: int) -> tuple[np.ndarray, np.ndarray]:
        units = rng.integers(0, len(y), (trials, _QUERIES), np.int32)
        return y[units], model[units]

    got = float(np.corrcoef(y, model)[0, 1])
    return Cell(draw, float(y.mean()), got, float(np.mean(model - y)))


def _grades(path: str, rng: np.random.Generator) -> np.ndarray:
    """Return the grades of some documents of each query of a file, one row per simulated query."""
    by_query: dict[str, list[float]] = {}
    with open(path, encoding="utf-8") as lines:
        for query, _, _, grade in (line.split()[:4] for line in lines):
            by_query.setdefault(query, []).append(max(float(grade), 0.0))
    rows = np.zeros((_UNITS, _DOCUMENTS))
    own = [np.array(grades) for grades in by_query.values() if max(grades) > 0]
    for i, row in enumerate(rows):
        some = rng.permutation(own[i % len(own)])
        best = int(np.flatnonzero(some > 0)[0])  # a query without a relevant document has no ideal
        some[[0, best]] = some[[best, 0]]
        kept = some[: _DOCUMENTS - 10]
        row[: len(kept)] = kept  # the rest is unjudged
    return rows


def _difference(grades: np.ndarray, scores: list[np.ndarray]) -> np.ndarray:
    first, second = (np.asarray((nDCG @ 10)(grades, own)) for own in scores)
    return second - first


def _root(function: Callable[[float], float], low: float = 0.0, high: float = 1.0) -> float:
    """Return where an increasing function crosses 0."""
    for _ in range(9):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return 0.5 * (low + high)


def _cells(paths: list[str], only: str) -> Iterator[tuple[str, Cell]]:
    for name in VALUES:
        for correlation in (0.0, 0.5, 0.8, 0.9):
            if only in name:
                yield name, _drawn(name, correlation)
    for path in paths:
        name = path.rsplit("/", 1)[-1].removesuffix(".txt")
        for better, text in ((0.4, name), (0.0, f"{name}, equal systems")):
            for correlation in (0.5, 0.8, 0.9):
                for bias in (0.0, 0.03, 0.1):
                    if only in text:
                        yield text, _judged(path, correlation, bias, better)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20_000, help="experiments per cell (20000)")
    parser.add_argument("--people", type=int, nargs="+", default=[50, 100, 300])
    parser.add_argument("--qrels", nargs="*", default=[], help="judgments to simulate from")
    parser.add_argument("--only", default="", help="values whose name contains this")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    heads = "values | correlation | bias | people | alone | both | length | optimum"
    print(f"| {heads} | warned | model |" + " +.03 | | +.1 | |" * (not args.qrels))
    print("|---|" + "--:|" * (9 if args.qrels else 13))
    for name, cell in _cells(args.qrels, args.only):
        for n in args.people:
            rng = np.random.default_rng([args.seed, n])
            row = cell.row(rng, n, args.trials, (0.0,) if args.qrels else (0.0, 0.03, 0.1))
            print(
                f"| {name} | {cell.correlation:.2f} | {cell.bias:.3f} | {n} | {row} |", flush=True
            )


if __name__ == "__main__":
    main()
