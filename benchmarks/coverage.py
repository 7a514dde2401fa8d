"""Do verdicts hold where queries are few, rare, weighted or in clusters? ``python benchmarks/coverage.py``.

Rules (such as how many changes are few) were chosen on the populations ``chosen``; the tables in
``docs/simulations.md`` are of others: those of the gate of ``others``, those of intervals, whose rule
was mended after a look at these, of ``fresh``. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

import rankstone as rs
from rankstone.stats import bootstrap, few_changes, intervals, tests
from rankstone.stats.bootstrap import Means
from rankstone.stats.clusters import Clusters, freedom
from rankstone.stats.few_changes import FewChanges
from rankstone.stats.intervals import gap, interval, intervals_of, mean_intervals
from rankstone.stats.likely_clusters import likely_clusters

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
_BATCH = 1000  # experiments worked on at once
_LEVEL = 0.05
_RESAMPLES = 2000


def _reciprocal(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return 1.0 / np.minimum(rng.geometric(0.35, size), 10)


def _signs(rng: np.random.Generator, size: tuple[int, int], share: float) -> np.ndarray:
    return np.where(rng.random(size) < share, 1.0, -1.0)


def _discounts(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return 1.0 / np.log2(rng.integers(1, 11, size) + 1.0)


#: Sizes of changes, in [-1, 1]; those of a true drop have a negative mean.
CHANGES: dict[str, dict[str, Draw]] = {
    "chosen": {
        "one flips in five up": lambda rng, s: _signs(rng, s, 0.2),
        "lost": lambda _, s: -np.ones(s),
        "normal": lambda rng, s: np.clip(rng.normal(-0.1, 0.3, s), -1, 1),
        "uniform loss": lambda rng, s: -rng.random(s),
    },
    "others": {
        "flips, one in three up": lambda rng, s: _signs(rng, s, 1 / 3),
        "moves of one document": lambda rng, s: _discounts(rng, s) - np.sqrt(_discounts(rng, s)),
        "skewed losses and gains": lambda rng, s: np.where(
            rng.random(s) < 0.3, rng.beta(2, 5, s), -rng.beta(1.5, 3, s)
        ),
        "mostly tiny, some lost": lambda rng, s: np.where(
            rng.random(s) < 0.9, rng.normal(0, 0.02, s), -1.0
        ),
    },
    "fresh": {
        "reciprocal ranks": lambda rng, s: (
            1 / np.minimum(rng.geometric(0.3, s), 10) - 1 / np.minimum(rng.geometric(0.45, s), 10)
        ),
        "recall of five": lambda rng, s: rng.integers(-3, 3, s) / 5,
        "small gains and losses": lambda rng, s: _signs(rng, s, 0.25) * rng.beta(0.8, 4, s),
        "one in twelve lost, others small": lambda rng, s: np.where(
            rng.random(s) < 1 / 12, -0.9, rng.normal(0, 0.03, s)
        ),
    },
}
#: Values of one run that are mostly 0, with the share of those that are not.
RARE: dict[str, dict[str, tuple[float, Draw]]] = {
    "chosen": {
        "success 4.8 %": (0.048, lambda _, s: np.ones(s)),
        "reciprocal rank, 10 %": (0.1, _reciprocal),
        "uniform, 20 %": (0.2, lambda rng, s: rng.random(s)),
    },
    "others": {
        "success 5.5 %": (0.055, lambda _, s: np.ones(s)),
        "discount of one document, 8 %": (0.08, _discounts),
        "P@10 of up to 4, 12 %": (0.12, lambda rng, s: rng.integers(1, 5, s) / 10),
        "recall, 15 %": (0.15, lambda rng, s: rng.beta(1, 1.5, s)),
    },
    "fresh": {
        "success 7 %": (0.07, lambda _, s: np.ones(s)),
        "reciprocal of ranks to 10, 9 %": (0.09, lambda rng, s: 1.0 / rng.integers(1, 11, s)),
        "AP, 12 %": (0.12, lambda rng, s: rng.beta(1, 3, s)),
        "P@5 of up to 2, 14 %": (0.14, lambda rng, s: rng.integers(1, 3, s) / 5),
    },
}


def main() -> None:
    """Print the tables."""
    sections = {
        "clusters": _clusters, "unequal": _unequal, "gate": _gate, "rare": _rare,
        "weights": _weights, "alarms": _alarms, "items": _items,
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(sections)} (default: all)")
    parser.add_argument("--trials", type=int, default=20_000, help="experiments per cell (20000)")
    parser.add_argument("--populations", choices=("chosen", "others", "fresh"), default="others")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    # Chances to 2e-6 instead of 1e-12, twelve times as fast; ends of weighted intervals to a thousandth
    # of their length, four times as fast.
    few_changes._STEP, few_changes._NEGLIGIBLE = 0.1, 12.0  # noqa: SLF001
    bootstrap._grid_size = lambda n: 2048  # noqa: SLF001, ARG005
    for name in args.sections or sections:
        rng = np.random.default_rng(args.seed)
        sections[name](args.populations, args.trials, rng)


def _batches(trials: int) -> Iterator[int]:
    for start in range(0, trials, _BATCH):
        yield min(_BATCH, trials - start)


def _grouped(
    rng: np.random.Generator, trials: int, sizes: np.ndarray, icc: float, skewed: bool
) -> np.ndarray:
    """Return differences of mean 0 and standard deviation 0.3, a share of it common to clusters."""
    codes = np.repeat(np.arange(len(sizes)), sizes)

    def noise(size: tuple[int, int]) -> np.ndarray:
        return rng.gamma(4.0, 0.5, size) - 2.0 if skewed else rng.normal(size=size)

    common, own = noise((trials, len(sizes))), noise((trials, len(codes)))
    return 0.3 * (np.sqrt(icc) * common[:, codes] + np.sqrt(1.0 - icc) * own)


def _clusters(_: str, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## Clusters of equal size: {trials} experiments a cell, in %\n")
    print(
        "| shape | values | ICC | rejected | t rejects | covered | covered (t) | as if independent |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for count, size in ((10, 150), (50, 20)):
        sizes = np.full(count, size)
        for skewed in (False, True):
            for icc in (0.0, 0.02, 0.05, 0.1, 0.2):
                cells = _cluster_rates(rng, trials, sizes, icc, skewed)
                kind = "skewed" if skewed else "normal"
                print(f"| {count} x {size} | {kind} | {icc:g} | {cells} |", flush=True)


def _unequal(_: str, trials: int, rng: np.random.Generator) -> None:
    """Degrees of freedom were chosen on geometric sizes; log-normal ones and weights are others."""
    print(f"\n## Clusters of unequal size: {trials} experiments a cell, in %\n")
    print(
        "| clusters | sizes | values | ICC | rejected | t rejects | covered | covered (t) | as if independent |"
    )
    print("|--:|---|---|--:|--:|--:|--:|--:|--:|")
    for count in (10, 50):
        levels = (np.arange(count) + 0.5) / count
        lognormal = np.maximum(1, np.exp(2.0 + 0.9 * special.ndtri(levels)))
        for name, sizes, spread in (
            ("3 to 30", np.geomspace(3, 30, count), 0.0),
            ("1 to 100", np.geomspace(1, 100, count), 0.0),
            ("log-normal, weights", lognormal, 0.7),
        ):
            weights = rng.lognormal(0.0, spread, int(sizes.astype(int).sum())) if spread else None
            for skewed in (False, True):
                for icc in (0.0, 0.1, 0.4):
                    cells = _cluster_rates(rng, trials, sizes.astype(int), icc, skewed, weights)
                    kind = "skewed" if skewed else "normal"
                    print(f"| {count} | {name} | {kind} | {icc:g} | {cells} |", flush=True)


def _cluster_rates(
    rng: np.random.Generator,
    trials: int,
    sizes: np.ndarray,
    icc: float,
    skewed: bool,
    by_query: np.ndarray | None = None,
) -> str:
    groups = np.repeat(np.arange(len(sizes)), sizes)
    queries = list(range(len(groups)))
    clusters = Clusters.of(queries, dict(zip(queries, groups.tolist(), strict=True)))
    outcomes = []
    for count in _batches(trials):
        d = _grouped(rng, count, sizes, icc, skewed)
        means, weights = clusters.means(d, by_query)
        weight = None if weights is None else weights[0]
        seed = int(rng.integers(1 << 40))
        own = None if weights is None else freedom(weights)
        flips = tests.randomization(means, weights=weight, resamples=_RESAMPLES, rng=seed).p
        t = tests.paired_t(means, weights=weight, freedom=own)
        units = Means.of(means, weight)
        units = units if own is None else replace(units, freedom=own)
        low, high, _ = intervals_of(units, "t", 1 - _LEVEL)
        by_t = (low <= 0) & (high >= 0)
        covered = by_t.copy()
        if clusters.interval(weighted=by_query is not None) == "bca":
            # Only where 0 is near an end of Student's interval; elsewhere both say the same.
            near = np.abs(units.mean) / (0.5 * (high - low))
            rows = np.flatnonzero((near > 0.6) & (near < 1.7)) if outcomes else np.arange(count)
            low, high, _ = intervals_of(units.only(rows), "bca", 1 - _LEVEL)
            covered[rows] = (low <= 0) & (high >= 0)
            assert (covered == by_t)[(near < 0.6) | (near > 1.7)].all()  # of the whole first batch
        alone = tests.paired_t(d, weights=by_query)
        outcomes.append([flips <= _LEVEL, t <= _LEVEL, covered, by_t, alone <= _LEVEL])
    return " | ".join(f"{100 * r:.1f}" for r in np.concatenate(outcomes, axis=1).mean(axis=1))


def _covers(
    x: np.ndarray,
    truth: float,
    bounds: tuple[float, float] | None,
    *,
    exact: bool = False,
    enough: int = few_changes.ENOUGH,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return which rows miss the true mean below and above, and what was few.

    The last two are rows with few changes, and those whose interval allows for changes of any size.

    The ends of few changes are found by halving; where only the side counts, one chance does.
    """
    means = Means.of(x)
    few = dict(FewChanges.of(means, bounds, exact=exact, enough=enough))
    rest = np.array([row for row in range(len(x)) if row not in few], np.int64)
    below, above = np.zeros(len(x), bool), np.zeros(len(x), bool)
    if len(rest):
        low, high, _ = intervals_of(
            means.only(rest), "bca", 1 - _LEVEL, bounds=bounds, exact=exact, enough=enough
        )
        below[rest], above[rest] = truth < low - 1e-12, truth > high + 1e-12
    for row, one in few.items():
        lower, upper = one.below(truth, exact=exact)
        below[row], above[row] = lower < 0.5 * _LEVEL, upper > 1 - 0.5 * _LEVEL
    if few:  # the same by the ends themselves
        row, one = next(iter(few.items()))
        low, high = one.interval(1 - _LEVEL, exact=exact)
        if one.changed:
            assert (below[row], above[row]) == (truth < low, truth > high)
    any_size = [row for row, one in few.items() if exact or one.is_small]
    rows = np.arange(len(x))
    return below, above, np.isin(rows, list(few)), np.isin(rows, any_size)


def _gate(populations: str, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## The gate at its limit and without a drop: {trials} experiments a cell, in %\n")
    print(
        "| changes | share | n | passes at the limit | few changes | passes without a drop, limit .05 |"
    )
    print("|---|--:|--:|--:|--:|--:|")
    for name, draw in CHANGES[populations].items():
        mean = float(draw(rng, (1, 2_000_000)).mean())
        for share in (0.03, 0.1, 0.2, 0.5):
            for n in (50, 200, 500):
                passed, few, fine = [], [], []
                for count in _batches(trials):
                    x = np.where(rng.random((count, n)) < share, draw(rng, (count, n)), 0.0)
                    # It passes if the lower end is not below the limit, which is the true mean.
                    missed, _, is_few, _ = _covers(x, share * mean, (-1, 1), exact=True)
                    passed.append(missed)
                    few.append(is_few)
                for count in _batches(trials // 10):
                    x = np.where(rng.random((count, n)) < share, draw(rng, (count, n)), 0.0)
                    x *= _signs(rng, x.shape, 0.5)  # no drop
                    missed, *_ = _covers(x, -0.05, (-1, 1), exact=True)
                    fine.append(missed)
                cells = (100 * float(np.concatenate(part).mean()) for part in (passed, few, fine))
                print(
                    f"| {name} | {share:.0%} | {n} | "
                    + " | ".join(f"{c:.1f}" for c in cells)
                    + " |",
                    flush=True,
                )


def _rare(populations: str, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## Intervals of rare values and few changes: {trials} experiments a cell, in %\n")
    print("| values | n | covered | below | above | few changes | for any size | plain BCa |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    cases = [(name, share, draw, (0.0, 1.0)) for name, (share, draw) in RARE[populations].items()]
    cases += [
        (f"{name}, {share:.0%} change", share, draw, (-1.0, 1.0))
        for name, draw in CHANGES[populations].items()
        for share in (0.1, 0.2)
    ]
    for name, share, draw, bounds in cases:
        truth = share * float(draw(rng, (1, 2_000_000)).mean())
        for n in (25, 50, 100, 200):
            rates = []
            for count in _batches(trials):
                x = np.where(rng.random((count, n)) < share, draw(rng, (count, n)), 0.0)
                below, above, few, any_size = _covers(x, truth, bounds)
                rates.append([~(below | above), below, above, few, any_size])
            low, high = mean_intervals(x, small_sample=False)
            plain = ((low <= truth) & (truth <= high)).mean()
            cells = [*np.concatenate(rates, axis=1).mean(axis=1), plain]
            print(
                f"| {name} | {n} | " + " | ".join(f"{100 * c:.1f}" for c in cells) + " |",
                flush=True,
            )


def _weights(_: str, trials: int, rng: np.random.Generator) -> None:
    trials = max(200, trials // 10)
    print(f"\n## Weights tied to the values: {trials} experiments a cell, in %\n")
    print("| weights | n | bca | t |")
    print("|---|--:|--:|--:|")

    def both(kind: str, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        x = rng.beta(1, 2, size) if kind != "against" else rng.beta(0.7, 1, size)
        slope = {"with": 1.5, "against": -1.5, "apart": 0.0}[kind]
        return x, np.exp(slope * x) * rng.lognormal(0, 0.5, size)

    for kind in ("with", "against", "apart"):
        x, w = both(kind, (1, 2_000_000))
        truth = float((x * w).sum() / w.sum())
        for n in (25, 50, 200):
            inside = []
            for _ in range(trials):
                x, w = both(kind, (1, n))
                ends = (mean_intervals(x, weights=w[0], method=m) for m in ("bca", "t"))
                inside.append([low[0] <= truth <= high[0] for low, high in ends])
            bca, t = 100 * np.mean(inside, axis=0)
            print(f"| {kind} the values | {n} | {bca:.1f} | {t:.1f} |", flush=True)


@dataclass(frozen=True)
class Recommender:
    """A population of users who like what is popular, and one of several kinds of items.

    ``popular`` is the exponent of the popularity of items, ``taste`` how much more users choose of
    their kind, and ``run`` both of the recommender; ``history`` is the least and the mean number of
    items that a user has used, ``short`` the share of lists of fewer than k items.
    """

    items: int
    kinds: int
    popular: float
    taste: float
    run: tuple[float, float]
    history: tuple[int, int]
    judged: int
    short: float
    k: int


#: Populations of recommendations: rules were chosen on the first.
RECOMMENDERS = {
    "chosen": Recommender(2000, 8, 0.9, 2.0, (0.9, 1.5), (5, 20), 5, 0.1, 10),
    "others": Recommender(500, 20, 0.6, 1.0, (1.2, 3.0), (2, 8), 3, 0.03, 5),
    "fresh": Recommender(5000, 4, 1.1, 0.5, (0.7, 0.8), (10, 40), 10, 0.3, 20),
}


def _recommendations(rng: np.random.Generator, of: Recommender) -> rs.Result:
    """Evaluate the lists of a population."""
    users, kind = 20_000, rng.integers(0, of.kinds, of.items)
    chance = np.log(1 / np.arange(1, of.items + 1))

    def drawn(sizes: np.ndarray, popular: float, taste: float) -> dict[str, list[int]]:
        lists = {}
        for user, size in enumerate(sizes.tolist()):
            score = popular * chance + taste * (kind == user % of.kinds)
            score += rng.gumbel(size=of.items)
            lists[f"u{user}"] = np.argpartition(-score, size)[:size].tolist()
        return lists

    least, mean = of.history
    used = least + np.minimum(rng.geometric(1 / mean, users), 3 * mean)
    history = drawn(used, of.popular, of.taste)
    is_short = rng.random(users) < of.short
    run = drawn(np.where(is_short, rng.integers(1, of.k, users), of.k), *of.run)
    judged = drawn(np.full(users, of.judged), of.popular, of.taste)
    known = rs.Items(
        catalogue=range(of.items),
        categories={i: [f"c{c}", f"d{i % 5}"] for i, c in enumerate(kind.tolist())},
        vectors=rng.normal(size=(of.items, 8)) + 2 * np.eye(8)[kind % 8],
    )
    names = [f"{name}@{of.k}" for name in OF_ITEMS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.RankstoneWarning)
        return rs.evaluate(judged, run, names, history=history, items=known)


#: Measures beyond accuracy that have an interval.
OF_ITEMS = (
    "Novelty", "Novelty(of='own')", "Novelty(weight='items')", "Popularity",
    "Popularity(scale='rank')", "Popularity(scale='lift')", "Exposure",
    "Exposure(of='c0')", "Exposure(of='c0', minus='c1')", "Exposure(of='head', count='hits')",
    "Exposure(of='tail', count='hits')", "Diversity", "Diversity(distance='euclidean')",
    "Diversity(by='categories', distance='jaccard')", "Categories",
    "Categories(value='entropy')", "Calibration", "Calibration(divergence='js')",
    "Serendipity", "Serendipity(expected='popular')", "Serendipity(expected='history')",
    "Serendipity(expected='history', count='all')", "Filled",
)  # fmt: skip


def _items(populations: str, trials: int, rng: np.random.Generator) -> None:
    result = _recommendations(rng, RECOMMENDERS[populations])
    print(f"\n## Measures beyond accuracy: {trials} samples of users a cell, covered in %\n")
    print("In brackets: the share of samples that have an interval, if not all have one.\n")
    print("| measure | 50 users | 100 users | 200 users | 500 users | gap of 60 and 140 users |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in result.measures:
        values, weights = result.values(name), result.weights.get(name)
        known = np.flatnonzero(~np.isnan(values))
        some = trials if weights is None else trials // 5  # one at a time
        of_items = name in result.of_items
        cells = []
        for n in (50, 100, 200, 500):
            parts = []
            for count in _batches(some):
                rows = rng.choice(known, (count, n))
                parts.append(_given(values, weights, rows, result[name], of_items=of_items))
            cells.append(np.concatenate(parts))
        sides = [known[known % 8 < 3], known[known % 8 >= 3]]
        own = weights if weights is None else [weights[side] for side in sides]
        means = [np.average(values[s], weights=own and own[i]) for i, s in enumerate(sides)]
        masks = np.arange(200) < np.array([[60], [200]])
        masks[1] ^= masks[0]
        inside = np.full(some, np.nan)
        for i in range(some):
            rows = np.concatenate([rng.choice(s, n) for s, n in zip(sides, (60, 140), strict=True)])
            chosen = None if weights is None else weights[rows]
            one = gap(masks, values[rows], weights=chosen, of_items=of_items)
            if not np.isnan(one.low):
                inside[i] = one.low <= means[0] - means[1] <= one.high
        print(f"| {name} | " + " | ".join(map(_rate, [*cells, inside])) + " |", flush=True)


def _given(
    values: np.ndarray,
    weights: np.ndarray | None,
    rows: np.ndarray,
    truth: float,
    *,
    of_items: bool,
) -> np.ndarray:
    """Return whether each row's interval contains the truth, NaN where none is given."""
    x = values[rows]
    if weights is not None:
        ends = [interval(x[i], weights=weights[rows[i]], of_items=of_items) for i in range(len(x))]
        return np.array([np.nan if np.isnan(e.low) else e.low <= truth <= e.high for e in ends])
    enough = intervals._ENOUGH_OTHERS if of_items else few_changes.ENOUGH  # noqa: SLF001
    others = (x != np.median(x, axis=1, keepdims=True)).sum(axis=1)
    if of_items and x.shape[1] < intervals._USERS:  # noqa: SLF001
        return np.full(len(x), np.nan)
    below, above, _, any_size = _covers(x, truth, None, enough=enough)
    withheld = of_items & (any_size | (others < intervals._OTHERS))  # noqa: SLF001
    return np.where(withheld, np.nan, ~(below | above))


def _rate(inside: np.ndarray) -> str:
    """Return the share of samples whose interval contains the truth, and how many have one."""
    given = ~np.isnan(inside)
    if not given.any():
        return "none"
    share = f"{100 * inside[given].mean():.1f}"
    return share if given.all() else f"{share} ({100 * given.mean():.0f})"


def _alarms(_: str, trials: int, rng: np.random.Generator) -> None:
    print(f"\n## Groups seen in ids: share of {trials} comparisons with a warning, in %\n")
    print("| groups | values | no group effect | ICC 0.1 |")
    print("|---|---|--:|--:|")
    kinds: dict[str, Draw] = {
        "normal": lambda rng, s: rng.normal(size=s),
        "skewed": lambda rng, s: rng.lognormal(0, 1.5, s),
        "10 % change": lambda rng, s: np.where(rng.random(s) < 0.1, rng.normal(size=s), 0.0),
    }
    for count, size in ((10, 150), (50, 20), (100, 3)):
        ids = [f"conv-{g}_q{i}" for g in range(count) for i in range(size)]
        codes = np.repeat(np.arange(count), size)
        for name, draw in kinds.items():
            seen = [0, 0]
            for _ in range(trials):
                x = draw(rng, (1, len(ids)))[0]
                seen[0] += bool(likely_clusters(ids, x))
                x = x / x.std() + np.sqrt(0.1 / 0.9) * rng.normal(size=count)[codes]
                seen[1] += bool(likely_clusters(ids, x))
            cells = " | ".join(f"{100 * s / trials:.2f}" for s in seen)
            print(f"| {count} x {size} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
