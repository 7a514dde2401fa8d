"""Tests of paired differences: could they be chance?

Every test takes rows of differences, one row per comparison and one column per query, NaN where a
comparison leaves a query out, and returns one two-sided p-value per row, NaN where there is
nothing to test.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rankstone.core.parallel import on_each
from rankstone.errors import one_of
from rankstone.frozen import frozen
from rankstone.stats.bootstrap import Means
from rankstone.stats.distributions import normal_cdf, normal_quantile, t_tail
from rankstone.stats.few_changes import FewChanges
from rankstone.stats.intervals import BCa, expansion
from rankstone.stats.resampling import Seed, check_resamples, in_chunks, on_grid, seed_of
from rankstone.stats.sign_flips import sign_flips, threshold_of

#: What each test is called in output.
TESTS = {
    "randomization": "randomization test (sign flips)",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "bootstrap": "bootstrap test (BCa)",
    "tukey": "randomized Tukey HSD test",
}
#: The tests that draw random numbers.
RANDOMIZED = ("randomization", "tukey")
#: The tests that take weights of queries.
WEIGHTED = ("randomization", "t", "bootstrap", "tukey")
#: What the Wilcoxon test may do with differences of 0.
ZERO_RULES = ("wilcox", "pratt")
#: Largest number of differences for which the Wilcoxon test enumerates all choices of signs.
EXACT_WILCOXON = 50
_DIGITS = 12  # absolute differences that agree to this many are tied
_PERMUTED_CELLS = 1 << 21  # of permuted values at once


@frozen
class RandomizedTest:
    """p-values of a randomized test; ``exact`` where every outcome was enumerated.

    ``reach`` is half the length of the simultaneous intervals of differences, if there are any.
    """

    p: np.ndarray
    exact: np.ndarray
    resamples: int
    seed: int
    reach: float = math.nan


def randomization(
    differences: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    resamples: int = 10_000,
    rng: Seed = 0,
) -> RandomizedTest:
    """Flip the signs of the differences at random (Fisher 1935).

    If both runs are equally good, each difference could as well have the other sign. p is the
    share of the choices of signs whose absolute (weighted) mean is at least the observed one: of
    all choices if there are at most ``resamples``, otherwise of the observed and ``resamples``
    random ones, (1 + number) / (1 + resamples).

    >>> randomization(np.array([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1]])).p.tolist()
    [0.03125]
    """
    rows = _rows(differences)
    seed = seed_of(rng)
    filled = np.where(np.isnan(rows), 0.0, rows if weights is None else rows * weights)
    # The last row is 0, which all others are compared with.
    grid = np.vstack((on_grid(filled), np.zeros(rows.shape[1])))
    left, right = np.arange(len(rows)), np.full(len(rows), len(rows))
    flips = sign_flips(grid, left, right, resamples=resamples, seed=seed)
    p = np.where(np.isnan(rows).all(axis=1), np.nan, flips.p)
    return RandomizedTest(p, flips.exact, resamples, seed)


def paired_t(
    differences: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    freedom: np.ndarray | None = None,
) -> np.ndarray:
    """Compare the mean with its standard error, by Student's t with n - 1 degrees of freedom.

    With weights, n is the effective number of queries, and the degrees of freedom are those of
    ``Means``, or of ``Clusters`` if they are given. Differences that are all 0 have p = 1, others without variance p = 0.

    >>> paired_t(np.array([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1]])).round(4).tolist()
    [0.0041]
    """
    means = Means.of(_rows(differences), weights)
    p = np.full(len(means.mean), np.nan)
    own = means.freedom if freedom is None else freedom
    columns = (means.mean, means.variance(), means.effective, own)
    for i, (mean, variance, n, df) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if mean == 0.0 and n >= 2:
            p[i] = 1.0
        elif n >= 2:
            p[i] = 2.0 * t_tail(abs(mean) / math.sqrt(variance), df) if variance else 0.0
    return p


def wilcoxon(differences: np.ndarray, *, zeros: str = "wilcox", method: str = "auto") -> np.ndarray:
    """Compare the ranks of positive and negative differences by size (Wilcoxon 1945).

    Equal sizes share the mean of their ranks. The smaller sum of ranks is compared with its
    distribution over all choices of signs given these ranks (``exact``), or with the normal
    approximation with variance corrected for ties (``normal``); ``auto`` is exact for up to 50
    differences.

    Args:
        differences: one row per comparison.
        zeros: differences of 0 are left out (``wilcox``), or ranked and then left out (``pratt``).
        method: ``auto``, ``exact`` or ``normal``.

    >>> wilcoxon(np.array([[0.1, 0.2, -0.3, 0.4, 0.5, 0.6]])).tolist()
    [0.15625]
    """
    one_of(zeros, ZERO_RULES, "rule for zeros")
    one_of(method, ("auto", "exact", "normal"), "method")
    rows = _rows(differences)
    return np.array([_wilcoxon(row[~np.isnan(row)], zeros, method) for row in rows])


def sign(differences: np.ndarray) -> np.ndarray:
    """Compare the numbers of positive and negative differences; differences of 0 are left out.

    p is twice the chance of so few of the rarer sign among n fair coins, at most 1.

    >>> sign(np.array([[0.1, 0.2, 0.0, 0.3, 0.2, 0.1]])).tolist()
    [0.0625]
    """
    rows = _rows(differences)
    wins, losses = (rows > 0).sum(axis=1).tolist(), (rows < 0).sum(axis=1).tolist()
    p = [_coins(min(pair), sum(pair)) for pair in zip(wins, losses, strict=True)]
    return np.where(np.isnan(rows).all(axis=1), np.nan, p)


def bootstrap(
    differences: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    bounds: tuple[float, float] | None = None,
) -> np.ndarray:
    """Return the p at which the BCa interval with confidence 1 - p ends at 0.

    p is below 0.05 exactly if the 95 % interval of ``mean_intervals`` leaves 0 out.

    Args:
        differences: one row per comparison.
        weights: one per query.
        bounds: least and largest difference that there can be.
    """
    means, _ = Means.of(_rows(differences), weights).oriented()
    wide = expansion(means.effective)
    p = np.where(means.effective >= 2, np.where(means.mean == 0, 1.0, 0.0), np.nan)

    def fill(rows: np.ndarray) -> None:
        for one in BCa.of(means, rows):
            n, df = float(means.effective[one.row]), float(means.freedom[one.row])
            # No resample is rarer than n draws of one query.
            most = -normal_quantile(max(1e-15, 0.5 * n**-n))
            p[one.row] = 2.0 * t_tail(one.reach_of(0.0, most) / wide[one.row], df)

    on_each(fill, list(means.parts()))
    for row, few in FewChanges.of(means, bounds):
        p[row] = few.p_value(0.0)
    return p


def tukey(
    values: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    resamples: int = 10_000,
    rng: Seed = 0,
    confidence: float = 0.95,
) -> RandomizedTest:
    """Compare all pairs of runs with the range of means under permutation (Carterette 2012).

    Each resample permutes the runs' values within every query. p of a pair is the share of
    resamples, the observed one included, whose largest minus smallest mean is at least the pair's
    difference. This holds the family-wise error over all pairs.

    Args:
        values: one row per run, one column per query; queries with a NaN are left out.
        weights: one per query.
        resamples: number of random permutations.
        rng: seed.
        confidence: of the simultaneous intervals, whose half length is that quantile of the range.

    Returns:
        A test whose ``p`` is a matrix, run by run.
    """
    check_resamples(resamples)
    seed = seed_of(rng)
    complete = values[:, ~np.isnan(values).any(axis=0)]
    if weights is not None:
        complete = complete * weights[~np.isnan(values).any(axis=0)]
    grid = on_grid(complete)
    runs, n = grid.shape
    by_query = np.ascontiguousarray(grid.T)[None]
    at_once = max(1, _PERMUTED_CELLS // max(1, grid.size))

    def ranges(stream: np.random.PCG64, size: int) -> np.ndarray:
        widths = np.empty(size)
        for start in range(0, size, at_once):
            count = min(at_once, size - start)
            words = stream.random_raw(-(-count * grid.size // 2)).astype("<u8", copy=False)
            keys = words.view("<u4")[: count * grid.size].reshape(count, n, runs)
            permuted = np.take_along_axis(by_query, np.argsort(keys, axis=2), axis=2)
            widths[start : start + count] = np.ptp(permuted.sum(axis=1), axis=1)
        return widths

    widths = np.sort(np.concatenate(in_chunks(ranges, "permutations", seed, resamples)))
    totals = grid.sum(axis=1)
    threshold = threshold_of(totals[:, None] - totals, n)
    p = (1.0 + resamples - np.searchsorted(widths, threshold)) / (1.0 + resamples)
    p[np.eye(runs, dtype=bool) | (n == 0)] = np.nan
    size = np.abs(grid).sum()
    unit = float(np.abs(complete).sum() / size) if size else 0.0
    total = n if weights is None else weights[~np.isnan(values).any(axis=0)].sum()
    largest = widths[min(math.ceil(confidence * (resamples + 1)), resamples) - 1]
    reach = float(largest * unit / total) if n else math.nan
    return RandomizedTest(p, np.zeros(p.shape, bool), resamples, seed, reach)


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks from 1; equal values share the mean of their ranks.

    >>> average_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - 0.5 * (counts - 1))[group]


def _rows(differences: np.ndarray) -> np.ndarray:
    return np.atleast_2d(np.asarray(differences, np.float64))


def _wilcoxon(difference: np.ndarray, zeros: str, method: str) -> float:
    if not len(difference):
        return math.nan
    largest = float(np.abs(difference).max())
    if largest == 0.0:
        return 1.0
    difference = np.round(difference / largest, _DIGITS)
    if zeros == "wilcox":
        difference = difference[difference != 0]
    ranks = average_ranks(np.abs(difference))
    positive, ranks = ranks[difference > 0].sum(), ranks[difference != 0]
    smaller = float(min(positive, ranks.sum() - positive))
    if method == "exact" or (method == "auto" and len(difference) <= EXACT_WILCOXON):
        return _signed_rank_tail(smaller, ranks)
    # Each rank counts or not, by a fair coin; this holds for ties and for both rules for zeros.
    z = (smaller - 0.5 * float(ranks.sum())) / (0.5 * math.sqrt(float((ranks**2).sum())))
    return 2.0 * normal_cdf(z)


def _signed_rank_tail(smaller: float, ranks: np.ndarray) -> float:
    """Return twice the share of choices of signs with so small a sum of positive ranks."""
    doubled = np.rint(2.0 * ranks).astype(np.int64)  # mean ranks are multiples of a half
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        ways[rank:] = ways[rank:] + ways[:-rank]
    return min(1.0, 2.0 * float(ways[: round(2.0 * smaller) + 1].sum()) / 2.0 ** len(ranks))


@lru_cache(maxsize=1024)
def _coins(rarer: int, n: int) -> float:
    """Return twice the chance of at most ``rarer`` heads among n fair coins."""
    ways = total = 1
    for k in range(rarer):
        ways = ways * (n - k) // (k + 1)
        total += ways
    return min(1.0, 2 * total / 2**n)
