"""Systems on several collections: macro means, ranks with simultaneous intervals, and tiers.

The queries of a collection are a sample of its own. With V_c the variance of a difference of means in
collection c of C, that of the difference of macro means is the sum of V_c / C^2, and its degrees of
freedom are those of Welch and Satterthwaite. All pairs of systems are tested together: the smallest
p-value of all pairs is compared with its distribution among equal systems, drawn from normal
variables that are correlated as the systems' values are (single-step min-p; Westfall and Young 1993).
A system's rank is then at least 1 + the number of systems that are better, and at most the number of
systems less those that are worse. These intervals hold for all systems at once (Mogstad, Romano, Shaikh
and Wilhelm, Review of Economic Studies 2024); equal systems have an interval of ranks as their truth.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankstone.core.shown import plain
from rankstone.errors import DataError, Notice, UsageError, amount, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.stats.distributions import normal_quantile, t_quantile, t_tail
from rankstone.stats.resampling import seed_of

SCHEMA = "rankstone/leaderboard/1"
_CELLS = 1 << 21  # pairs x draws at once, 16 MB


@frozen(eq=False)
class CollectionValues:
    """Values of systems on one collection, one row per system and one column per query.

    ``systems`` are those of the rows, ``clusters`` the number of each query's cluster, if queries
    belong together.
    """

    name: str
    measure: str
    systems: Sequence[str]
    values: np.ndarray
    clusters: np.ndarray | None = None


@frozen
class Standing:
    """A system on a leaderboard: its macro mean, ranks and tier.

    ``means`` are those of the collections that it has. A system that misses one has no macro mean, no
    rank and no tier: NaN and 0.
    """

    system: str
    means: Mapping[str, float]
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    best_rank: int = 0
    worst_rank: int = 0
    tier: int = 0


@frozen(eq=False)
class Leaderboard:
    """Systems from the best to the worst, then those that miss a collection.

    ``measures`` and ``queries`` are by collection. ``p_values`` has a row and a column for each ranked
    system: corrected for all pairs.
    """

    standings: tuple[Standing, ...]
    measures: Mapping[str, str]
    queries: Mapping[str, int]
    clusters: Mapping[str, int]
    p_values: np.ndarray
    confidence: float
    resamples: int
    seed: int
    notices: tuple[Notice, ...] = ()

    @property
    def ranked(self) -> tuple[Standing, ...]:
        """The systems that have all collections."""
        return tuple(s for s in self.standings if s.tier)

    def __getitem__(self, system: str) -> Standing:
        for standing in self.standings:
            if standing.system == system:
                return standing
        raise UsageError(f"there is no system {system!r} on the leaderboard.")

    def p_value(self, system: str, other: str) -> float:
        """Return the p-value of two systems, corrected for all pairs of the leaderboard."""
        names = [s.system for s in self.ranked]
        return float(self.p_values[names.index(system), names.index(other)])

    def method(self) -> str:
        """Return a sentence on the computation of ranks and intervals."""
        return tr(
            "macro means over {0}, queries as samples of each; {1:g} % intervals by t; ranks "
            "at {1:g} % for all systems at once, by min-p over {2} ({3:,} draws, seed {4})"
        ).format(
            plural(len(self.measures), "collection"),
            self.confidence * 100,
            plural(math.comb(len(self.ranked), 2), "pair"),
            self.resamples,
            self.seed,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; NaN is None."""
        return {
            "schema": SCHEMA,
            "collections": {
                name: {
                    "measure": measure,
                    "queries": self.queries[name],
                    **({"clusters": self.clusters[name]} if name in self.clusters else {}),
                }
                for name, measure in self.measures.items()
            },
            "systems": plain(self.standings),
            "p_values": plain(self.p_values),
            "confidence": self.confidence,
            "resamples": self.resamples,
            "seed": self.seed,
            "notices": plain(self.notices),
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def _repr_html_(self) -> str:
        from rankstone.text.notebook import of_leaderboard

        return of_leaderboard(self)


def leaderboard_of(
    collections: Sequence[CollectionValues],
    *,
    higher_is_better: bool = True,
    confidence: float = 0.95,
    resamples: int = 10_000,
    rng: Any = 0,
    notices: Sequence[Notice] = (),
) -> Leaderboard:
    """Rank systems by their macro means.

    Args:
        collections: the values of each.
        higher_is_better: direction of all measures.
        confidence: of the intervals; 1 - confidence is the chance that any rank is wrong.
        resamples: number of draws.
        rng: seed, or a NumPy Generator.
        notices: on the data.

    >>> values = np.array([[0.9, 0.7, 0.8, 0.9, 0.7, 0.6], [0.1, 0.2, 0.1, 0.3, 0.2, 0.2]])
    >>> board = leaderboard_of([CollectionValues("nq", "nDCG@10", ["a", "b"], values)])
    >>> [(s.system, s.best_rank, s.worst_rank, s.tier) for s in board.standings]
    [('a', 1, 1, 1), ('b', 2, 2, 2)]
    """
    every = sorted({s for c in collections for s in c.systems})
    ranked = [s for s in every if all(s in c.systems for c in collections)]
    if len(ranked) < 2:
        raise DataError(
            "a leaderboard needs at least two systems that have all collections; "
            f"{amount(len(ranked), 'system')} has. Systems are matched by the names of their runs."
        )
    sign = 1.0 if higher_is_better else -1.0
    tables = [c.values[[c.systems.index(s) for s in ranked]] for c in collections]
    means = np.mean([table.mean(axis=1) for table in tables], axis=0)
    order = np.lexsort((np.arange(len(ranked)), -sign * means))
    ranked, means = [ranked[i] for i in order], means[order]
    parts = [_influence(c, t[order], len(tables)) for c, t in zip(collections, tables, strict=True)]
    changed = sum(_changes(c, t[order]) for c, t in zip(collections, tables, strict=True))
    p, se, freedom = _pairwise(means, parts, np.asarray(changed))
    seed = seed_of(rng)
    adjusted = _smallest_of_all(p, parts, resamples, np.random.default_rng(seed))
    differs = adjusted <= 1 - confidence
    above = sign * (means[None, :] - means[:, None]) > 0
    better, worse = (differs & above).sum(axis=1), (differs & above.T).sum(axis=1)
    reach = np.array([-t_quantile((1 - confidence) / 2, f) for f in freedom]) * se
    tier, leader, tiers = 1, 0, []
    for i in range(len(ranked)):
        if differs[leader, i]:
            tier, leader = tier + 1, i
        tiers.append(tier)
    own = {s: {c.name: float(c.values[c.systems.index(s)].mean()) for c in collections
               if s in c.systems} for s in every}  # fmt: skip
    standings = [
        Standing(
            name, own[name], float(means[i]), float(means[i] - reach[i]), float(means[i] + reach[i]),
            int(1 + better[i]), int(len(ranked) - worse[i]), tiers[i],
        )
        for i, name in enumerate(ranked)
    ]  # fmt: skip
    standings += [Standing(s, own[s]) for s in every if s not in ranked]
    return Leaderboard(
        tuple(standings),
        {c.name: c.measure for c in collections},
        {c.name: c.values.shape[1] for c in collections},
        {c.name: len(set(c.clusters.tolist())) for c in collections if c.clusters is not None},
        adjusted,
        confidence,
        resamples,
        seed,
        tuple(notices),
    )


def _influence(collection: CollectionValues, values: np.ndarray, collections: int) -> np.ndarray:
    """Return the influence of each query, or cluster, on the macro mean of each system.

    Scaled so that the sum of squares of a row is the variance of the mean, with n - 1 below.
    """
    n = values.shape[1]
    influence = (values - values.mean(axis=1, keepdims=True)) / (n * collections)
    if collection.clusters is not None:
        codes, member = np.unique(collection.clusters, return_inverse=True)
        sums = np.zeros((len(values), len(codes)))
        np.add.at(sums.T, member, influence.T)
        influence = sums
    units = influence.shape[1]
    if units < 2:
        noun = "query" if collection.clusters is None else "cluster"
        raise DataError(
            f"{collection.name} has {amount(units, noun)}; at least two show how values vary."
        )
    return influence * math.sqrt(units / (units - 1))


def _changes(collection: CollectionValues, values: np.ndarray) -> np.ndarray:
    """Return on how many queries, or clusters, each two systems differ."""
    changed = np.zeros((len(values), len(values)))
    for i, row in enumerate(values):
        differs = values != row
        if collection.clusters is not None:
            codes, member = np.unique(collection.clusters, return_inverse=True)
            differs = (differs @ (member[:, None] == np.arange(len(codes)))) > 0
        changed[i] = differs.sum(axis=1)
    return changed


def _pairwise(
    means: np.ndarray, parts: Sequence[np.ndarray], changed: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return p-values of all pairs by t, and standard error and degrees of freedom of each mean."""
    grams = np.array([part @ part.T for part in parts])
    units = np.array([part.shape[1] for part in parts]).reshape(-1, 1, 1)
    own = grams.diagonal(axis1=1, axis2=2)
    pairs = np.maximum(own[:, :, None] + own[:, None, :] - 2 * grams, 0.0)
    pairs[pairs <= 1e-14 * (own[:, :, None] + own[:, None, :])] = 0.0  # rounding of equal values
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = pairs.sum(0) ** 2 / (pairs**2 / (units - 1)).sum(0)
        own_freedom = own.sum(0) ** 2 / (own**2 / (units[:, :, 0] - 1)).sum(0)
        t = np.abs(means[:, None] - means[None, :]) / np.sqrt(pairs.sum(0))
    lowest = float((units - 1).min())
    p = np.ones_like(t)
    for i, j in zip(*np.triu_indices(len(means), 1), strict=True):
        if t[i, j] > 0:
            f = freedom[i, j] if freedom[i, j] > 0 else lowest
            tail = 2 * t_tail(t[i, j], f) if math.isfinite(t[i, j]) else 0.0
            # No test of so few changes can reach less: all of them have one sign.
            p[i, j] = p[j, i] = min(max(tail, 2.0 ** (1 - changed[i, j])), 1.0)
    return p, np.sqrt(own.sum(0)), np.where(own_freedom > 0, own_freedom, lowest)


def _smallest_of_all(
    p: np.ndarray, parts: Sequence[np.ndarray], resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """Return for each pair how often the smallest p-value of all pairs of equal systems is as small."""
    rows = np.concatenate(parts, axis=1)
    first, second = np.triu_indices(len(rows), 1)
    se = np.linalg.norm(rows[first] - rows[second], axis=1)
    used = np.flatnonzero(se > 1e-12 * np.abs(rows).max(initial=0.0))
    first, second, se = first[used], second[used], se[used]
    largest = np.zeros(resamples)
    step = max(1, _CELLS // max(len(se), 1))
    for start in range(0, resamples, step):
        draws = rng.standard_normal((min(step, resamples - start), rows.shape[1])) @ rows.T
        if len(se):
            z = np.abs(draws[:, first] - draws[:, second]) / se
            largest[start : start + len(draws)] = z.max(axis=1)
    largest.sort()
    flat = np.clip(p.ravel(), np.finfo(float).tiny, 1.0)
    levels, back = np.unique(flat, return_inverse=True)
    z = np.array([-normal_quantile(level / 2) for level in levels])
    count = resamples - np.searchsorted(largest, z - 1e-12)
    adjusted = np.where(levels >= 1, 1.0, (count + 1) / (resamples + 1))
    return np.maximum(adjusted[back], flat).reshape(p.shape)
