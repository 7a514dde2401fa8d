"""Do tests reject as often as they should, and intervals cover? ``python benchmarks/significance.py``.

Values per query are those of simulated runs on real judgments: each query's judged documents and
some unjudged ones get scores of a chosen quality and are evaluated. Experiments draw queries from
thousands of these. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import rankstone as rs
from rankstone.stats import tests
from rankstone.stats.bootstrap import Means
from rankstone.stats.corrections import adjust
from rankstone.stats.distributions import t_quantile
from rankstone.stats.intervals import mean_intervals
from rankstone.stats.repeats import variance_parts

_EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
_QRELS = [
    os.path.join(_EXAMPLES, *p) for p in (("search", "qrels.txt"), ("recommender", "test.qrels"))
]
_MEASURES = {"nDCG@10": rs.nDCG @ 10, "RR@10": rs.RR @ 10, "P@10": rs.P @ 10}
_DOCUMENTS = 120  # per query, of which the others are unjudged
_POPULATION = 3000  # queries to draw from
_RUNS = 10  # of equal quality
_REPEATS = 60  # of one system, whose quality varies
_ALPHA = 0.05
_RESAMPLES = 2000
_BATCH = 200  # experiments that share random signs
_SIZES = (25, 50, 200)


@dataclass(frozen=True)
class Population:
    """Values by measure: of equally good runs, a better one, and repetitions of one system."""

    equal: dict[str, np.ndarray]
    better: dict[str, np.ndarray]
    repeated: dict[str, np.ndarray]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("qrels", nargs="*", default=_QRELS, help="judgments (those of examples/)")
    parser.add_argument("--trials", type=int, default=10_000, help="experiments per number (10000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    grades = _grades(args.qrels, rng)
    people = _population(grades, rng)
    _describe(people, len(args.qrels))
    _rejections(people, args.trials, rng)
    _coverage(people, args.trials, rng)
    _families(people, max(200, args.trials // 10), rng)
    _repeats(people, max(200, args.trials // 5), rng)
    _power(people, max(200, args.trials // 5), rng)


def _grades(paths: list[str], rng: np.random.Generator) -> np.ndarray:
    """Return a row of grades for each query of the population, unjudged documents as 0."""
    by_query: dict[tuple[str, str], list[float]] = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                query, _, _, grade = line.split()[:4]
                by_query.setdefault((path, query), []).append(max(0.0, float(grade)))
    judged = [grades for grades in by_query.values() if any(grades)]
    rows = np.zeros((_POPULATION, _DOCUMENTS))
    for row in rows:
        grades = judged[rng.integers(len(judged))]
        chosen = rng.permutation(grades)[: _DOCUMENTS // 2]
        row[: len(chosen)] = chosen
    return rows[rows.any(axis=1)]


def _population(grades: np.ndarray, rng: np.random.Generator) -> Population:
    n = len(grades)
    difficulty = rng.lognormal(0.0, 0.6, (n, 1))
    seen = np.sqrt(grades) * difficulty
    noise = rng.normal(0.0, 0.6, grades.shape)  # what all systems get wrong

    def run(sight: float) -> dict[str, np.ndarray]:
        own = sight * rng.lognormal(0.0, 0.3, (n, 1))
        scores = own * seen + noise + rng.normal(0.0, 0.8, grades.shape)
        return {name: np.asarray(m(grades, scores)) for name, m in _MEASURES.items()}

    def runs(sights: Iterator[float]) -> dict[str, np.ndarray]:
        each = [run(sight) for sight in sights]
        return {name: np.array([values[name] for values in each]) for name in _MEASURES}

    return Population(
        equal=runs(1.3 for _ in range(_RUNS)),
        better={name: v[0] for name, v in runs(iter([1.5])).items()},
        repeated=runs(1.5 * math.exp(rng.normal(0.0, 0.1)) for _ in range(_REPEATS)),
    )


def _describe(people: Population, files: int) -> None:
    print(f"Queries drawn from {_POPULATION} with the judgments of {files} files.\n")
    print("| measure | mean | values of 0 | tied with the other run | sd of differences |")
    print("|---|--:|--:|--:|--:|")
    for name, values in people.equal.items():
        d = values[1] - values[0]
        cells = values.mean(), (values == 0).mean(), (d == 0).mean()
        print(f"| {name} | {cells[0]:.3f} | {cells[1]:.0%} | {cells[2]:.0%} | {d.std():.3f} |")


_TESTS: dict[str, Callable[[np.ndarray, int], np.ndarray]] = {
    "randomization": lambda d, seed: tests.randomization(d, resamples=_RESAMPLES, rng=seed).p,
    "t": lambda d, _: tests.paired_t(d),
    "wilcoxon (wilcox)": lambda d, _: tests.wilcoxon(d),
    "wilcoxon (pratt)": lambda d, _: tests.wilcoxon(d, zeros="pratt"),
    "sign": lambda d, _: tests.sign(d),
    "bootstrap": lambda d, _: tests.bootstrap(d),
}


def _no_difference(values: np.ndarray, trials: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return differences of two equally good runs, one row per experiment."""
    a, b = np.array([rng.choice(len(values), 2, replace=False) for _ in range(trials)]).T
    queries = rng.integers(0, values.shape[1], (trials, n))
    d = values[a[:, None], queries] - values[b[:, None], queries]
    return d * rng.choice([-1.0, 1.0], d.shape)


def _p(test: str, d: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    parts = np.array_split(d, max(1, len(d) // _BATCH))
    return np.concatenate([_TESTS[test](part, int(rng.integers(1 << 40))) for part in parts])


def _rejections(people: Population, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## No difference: share of p <= {_ALPHA} in {trials} experiments, in %\n")
    heads = [f"{name}, n={n}" for name in _MEASURES for n in _SIZES]
    print(f"| test | {' | '.join(heads)} | mean n=25 | n=50 | n=200 |")
    print("|---|" + "--:|" * (len(heads) + 3))
    data = {
        (name, n): _no_difference(people.equal[name], trials, n, rng)
        for name in _MEASURES
        for n in _SIZES
    }
    for test in _TESTS:
        rates = {key: 100 * float((_p(test, d, rng) <= _ALPHA).mean()) for key, d in data.items()}
        _print_rates(test, rates)
    for test, highest in _HIGHEST.items():
        rates = {key: 100 * float(highest(d, rng).mean()) for key, d in data.items()}
        _print_rates(f"{test}: highest possible", rates)


def _print_rates(head: str, rates: dict[tuple[str, int], float]) -> None:
    means = [np.mean([rates[name, n] for name in _MEASURES]) for n in _SIZES]
    print(f"| {head} | {' | '.join(f'{r:.1f}' for r in [*rates.values(), *means])} |")


def _highest_by_flips(d: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the largest p-value of at most alpha that flipped signs of each row can give."""
    signs = rng.choice([-1.0, 1.0], (d.shape[1], _RESAMPLES))
    levels = []
    for part in np.array_split(d, max(1, len(d) // _BATCH)):
        sums = np.sort(np.abs(part @ signs), axis=1)
        limit = sums[:, -1 - int(_ALPHA * _RESAMPLES), None]
        levels.append((sums > limit + 1e-9).mean(axis=1))
    return np.concatenate(levels)


def _highest_by_coins(d: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """Return the largest p-value of at most alpha that the sign test of each row can give."""
    untied = np.count_nonzero(d, axis=1)
    levels = {
        m: max((p for k in range(m) if (p := _sign_p(k, m)) <= _ALPHA), default=0.0)
        for m in np.unique(untied).tolist()
    }
    return np.array([levels[m] for m in untied.tolist()])


def _sign_p(rarer: int, n: int) -> float:
    signs = np.where(np.arange(n) < rarer, -1.0, 1.0)
    return float(tests.sign(signs[None])[0])


_HIGHEST = {"randomization": _highest_by_flips, "sign": _highest_by_coins}


def _coverage(people: Population, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## Intervals of 95 %: share that contains the true mean, of {trials}, in %\n")
    heads = [f"{name}, n={n}" for name in _MEASURES for n in _SIZES]
    print(f"| interval | of | {' | '.join(heads)} | mean n=25 | n=50 | n=200 |")
    print("|---|---|" + "--:|" * (len(heads) + 3))
    difference = {name: people.better[name] - people.equal[name][0] for name in _MEASURES}
    single = {name: people.equal[name][0] for name in _MEASURES}
    weight = rng.lognormal(0.0, 0.7, len(difference["RR@10"]))
    for what, values, weights in (
        ("a difference", difference, None),
        ("one run", single, None),
        ("a weighted difference", difference, weight),
    ):
        for method in ("bca", "percentile", "t"):
            rates = {
                (name, n): 100 * _covered(values[name], weights, method, trials, n, rng)
                for name in _MEASURES
                for n in _SIZES
            }
            _print_rates(f"{method} | {what}", rates)


def _covered(
    values: np.ndarray,
    weights: np.ndarray | None,
    method: str,
    trials: int,
    n: int,
    rng: np.random.Generator,
) -> float:
    queries = rng.integers(0, len(values), (trials, n))
    if weights is None:
        low, high = mean_intervals(values[queries], method=method)
        truth = values.mean()
    else:
        # Each experiment has weights of its own, which one call does not take.
        queries = queries[: max(200, trials // 10)]
        ends = [
            mean_intervals(values[row][None], weights=weights[row], method=method)
            for row in queries
        ]
        low, high = np.array(ends)[:, :, 0].T
        truth = float(values @ weights / weights.sum())
    return float(((low <= truth) & (truth <= high)).mean())


def _families(people: Population, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## No difference among {_RUNS} runs, n=50: share of {trials} experiments with any")
    print(f"adjusted p <= {_ALPHA}, in %\n")
    print("| correction | against a baseline | all pairs |")
    print("|---|--:|--:|")
    values = people.equal["nDCG@10"]
    pairs = np.array([(i, j) for i in range(_RUNS) for j in range(i + 1, _RUNS)])
    some = pairs[:, 0] == 0
    rejected: dict[str, list[tuple[bool, bool]]] = {}
    for _ in range(trials):
        x = rng.permuted(values[:, rng.integers(0, values.shape[1], 50)], axis=0)
        seed = int(rng.integers(1 << 40))
        p = tests.randomization(x[pairs[:, 1]] - x[pairs[:, 0]], resamples=_RESAMPLES, rng=seed).p
        for correction in ("holm", "bonferroni", "bh", "none"):
            both = tuple(bool((adjust(q, correction) <= _ALPHA).any()) for q in (p[some], p))
            rejected.setdefault(correction, []).append(both)
        q = tests.tukey(x, resamples=_RESAMPLES, rng=seed).p[*pairs.T]
        both = bool((q[some] <= _ALPHA).any()), bool((q <= _ALPHA).any())
        rejected.setdefault("tukey (test)", []).append(both)
    for name, outcomes in rejected.items():
        base, every = 100 * np.mean(outcomes, axis=0)
        print(f"| {name} | {base:.1f} | {every:.1f} |")


def _repeats(people: Population, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## Repeated runs: share of {trials} intervals of 95 % that contain the true")
    print("difference over all queries and runs, in %\n")
    print("| runs of the system | n | queries and runs | queries only | variance due to runs |")
    print("|--:|--:|--:|--:|--:|")
    name = "nDCG@10"
    base, system = people.equal[name][0], people.repeated[name]
    truth = float(system.mean() - base.mean())
    for count in (3, 5, 10):
        for n in _SIZES:
            both = only = share = 0.0
            for _ in range(trials):
                queries = rng.integers(0, len(base), n)
                # With replacement, as if there were infinitely many runs to draw from.
                x = system[rng.integers(0, _REPEATS, count)][:, queries]
                means = Means.of((x.mean(axis=0) - base[queries])[None])
                parts = variance_parts(means, 0, [base[None, queries], x])
                off = abs(float(means.mean[0]) - truth)
                both += off <= parts.reach(0.025)
                only += off <= t_quantile(0.975, n - 1) * math.sqrt(parts.queries)
                share += parts.share_of_runs
            cells = (f"{100 * v / trials:.1f}" for v in (both, only, share))
            print(f"| {count} | {n} | {' | '.join(cells)} |")


def _power(people: Population, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## A true difference: share of p <= {_ALPHA} in {trials} experiments, in %\n")
    heads = [f"{name}, n={n}" for name in _MEASURES for n in _SIZES]
    print(f"| test | {' | '.join(heads)} |")
    print("|---|" + "--:|" * len(heads))
    data = {}
    for name in _MEASURES:
        d = people.better[name] - people.equal[name][0]
        for n in _SIZES:
            data[name, n] = d[rng.integers(0, len(d), (trials, n))]
    for test in _TESTS:
        rates = [100 * float((_p(test, d, rng) <= _ALPHA).mean()) for d in data.values()]
        print(f"| {test} | {' | '.join(f'{r:.0f}' for r in rates)} |")


if __name__ == "__main__":
    main()
