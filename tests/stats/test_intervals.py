"""Intervals of means, against scipy and against resampling itself."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from rankstone.errors import UsageError
from rankstone.stats import tests
from rankstone.stats.bootstrap import BootstrapMeans, Means, _grid_size
from rankstone.stats.intervals import (
    BCa,
    check_confidence,
    expansion,
    interval,
    mean_intervals,
)

values = st.lists(st.integers(0, 20).map(lambda v: v / 20), min_size=2, max_size=60).map(np.array)


def skewed(n, seed=1):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < 0.5, 0.0, rng.beta(1, 2, n))


@given(values, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_t_interval_is_that_of_scipy(x, confidence):
    low, high = mean_intervals(x[None], method="t", confidence=confidence)
    error = stats.sem(x)
    if error > 1e-12:
        theirs = stats.t.interval(confidence, len(x) - 1, x.mean(), error)
        assert (low[0], high[0]) == pytest.approx(theirs, abs=1e-12)
    else:
        assert low[0] == pytest.approx(high[0], abs=1e-12)


@pytest.mark.parametrize("n", [8, 25, 80, 300])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_bootstrap_intervals_are_those_of_scipy_within_monte_carlo_error(n, method):
    x = skewed(n)
    theirs = stats.bootstrap(
        (x,), np.mean, method=method.replace("bca", "BCa"), n_resamples=40_000, batch=2000, rng=1
    ).confidence_interval
    low, high = mean_intervals(x[None], method=method, small_sample=False)
    error = x.std() / math.sqrt(n)
    # Quantiles of 40,000 resamples are off by 0.014 standard errors; a few values make steps.
    allowed = 0.06 * error + (0.5 / n if n < 20 else 0.0) * 0.1
    assert low[0] == pytest.approx(theirs.low, abs=allowed)
    assert high[0] == pytest.approx(theirs.high, abs=allowed)


def test_bca_follows_the_formula_of_scipy_given_the_same_distribution():
    x = skewed(40, 3)
    means = Means.of(x[None])
    ours = BootstrapMeans.of(means, np.array([0]))
    # Scipy takes quantiles of the resampled means it is given; these have our distribution.
    p = (np.arange(200_000) + 0.5) / 200_000
    resampled = ours.center + ours.scale * np.interp(p, ours.cumulative[0], ours.points)
    given_to_scipy = stats.bootstrap((x,), np.mean, n_resamples=9, rng=1)
    given_to_scipy.bootstrap_distribution = resampled
    theirs = stats.bootstrap(
        (x,), np.mean, n_resamples=0, bootstrap_result=given_to_scipy, method="BCa"
    ).confidence_interval
    low, high = mean_intervals(x[None], small_sample=False)
    error = x.std() / math.sqrt(40)
    assert low[0] == pytest.approx(theirs.low, abs=2e-3 * error)
    assert high[0] == pytest.approx(theirs.high, abs=2e-3 * error)


def test_the_acceleration_is_that_of_the_jackknife():
    x = skewed(30, 2)
    jackknife = np.array([np.delete(x, i).mean() for i in range(30)])
    u = jackknife.mean() - jackknife
    theirs = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    assert Means.of(x[None]).acceleration()[0] == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("n", [30, 300])
def test_how_well_a_skewness_is_known(n):
    x = skewed(n, 2)
    u = x - x.mean()
    second, third, fourth, sixth = ((u**k).mean() for k in (2, 3, 4, 6))
    error = math.sqrt((sixth - 6 * fourth * second + 9 * second**3) / n)
    theirs = max(1 - (2 * error / third) ** 2, 0.0)
    assert Means.of(x[None]).skewness_known()[0] == pytest.approx(theirs, rel=1e-9)
    assert 0 < theirs < 1


@pytest.mark.parametrize("n", [10, 60, 700])
def test_the_bootstrap_distribution_is_that_of_resampled_means(n):
    rng = np.random.default_rng(n)
    x = skewed(n, 5)
    sampled = x[rng.integers(0, n, (100_000 if n < 100 else 20_000, n))].mean(axis=1)
    ours = BootstrapMeans.of(Means.of(x[None]), np.array([0]))
    for at in np.quantile(sampled, [0.01, 0.1, 0.5, 0.9, 0.99]):
        theirs = (np.mean(sampled < at) + np.mean(sampled <= at)) / 2
        assert ours.below(0, at) == pytest.approx(theirs, abs=0.012)


@pytest.mark.parametrize("spread", [0.3, 1.5])
def test_weighted_intervals_are_those_of_scipy_within_monte_carlo_error(spread):
    rng = np.random.default_rng(4)
    x, w = rng.beta(1, 2, 80), rng.lognormal(0, spread, 80)

    def weighted(a, b, axis):
        return (a * b).sum(axis) / b.sum(axis)

    theirs = stats.bootstrap(
        (x, w), weighted, paired=True, n_resamples=40_000, batch=2000, rng=1
    ).confidence_interval
    low, high = mean_intervals(x[None], weights=w, small_sample=False)
    error = math.sqrt(Means.of(x[None], w).variance()[0])
    assert low[0] == pytest.approx(theirs.low, abs=0.08 * error)
    assert high[0] == pytest.approx(theirs.high, abs=0.08 * error)


def test_the_effective_number_of_queries():
    x = np.array([[0.1, 0.5, 0.4, 0.2]])
    assert Means.of(x, np.array([1.0, 1.0, 1.0, 1.0])).effective[0] == 4
    assert Means.of(x, np.array([2.0, 2.0, 0.0, 0.0])).effective[0] == 2
    assert Means.of(x, np.array([1.0, 0.0, 0.0, 0.0])).effective[0] == 1


@settings(deadline=None)
@given(values, st.sampled_from(["bca", "percentile", "t"]))
def test_more_confidence_is_a_longer_interval_around_the_mean(x, method):
    short, long = (mean_intervals(x[None], method=method, confidence=c) for c in (0.8, 0.99))
    slack = 0.02 * x.std() + 1e-12
    assert long[0][0] <= short[0][0] + slack
    assert short[1][0] <= long[1][0] + slack
    usual = np.median(x)
    if method == "percentile" or (method == "bca" and 2 * np.count_nonzero(x != usual) >= len(x)):
        assert x.min() <= long[0][0] <= long[1][0] <= x.max()


@given(values)
def test_the_order_of_queries_changes_nothing(x):
    once, again = (mean_intervals(np.sort(y)[None]) for y in (x, x[::-1]))
    assert np.array_equal(once, again)


def test_several_rows_with_gaps_are_computed_one_by_one():
    rng = np.random.default_rng(1)
    rows = rng.random((9, 50))
    rows[3, 7:20] = np.nan
    rows[5, :] = 0.25
    rows[6, 1:] = np.nan
    rows[7, :] = np.nan
    together = mean_intervals(rows)
    for i, row in enumerate(rows):
        alone = mean_intervals(row[None])
        assert np.array_equal([e[i] for e in together], [e[0] for e in alone], equal_nan=True)
    low, high = (e[5] for e in together)
    assert 0.23 < low < 0.25 < high < 0.29
    assert np.isnan([e[i] for e in together for i in (6, 7)]).all()


def test_one_interval_says_what_it_is():
    ours = interval(np.array([0.2, np.nan, 0.4, 0.9]), method="percentile", confidence=0.9)
    assert (ours.n, ours.method, ours.confidence) == (3, "percentile", 0.9)
    assert ours.low < 0.5 < ours.high
    assert ours.to_dict() == {
        "low": ours.low, "high": ours.high, "confidence": 0.9, "method": "percentile", "n": 3,
        "caution": "3 queries say little about others: it takes 6 or more",
    }  # fmt: skip
    alone = interval(np.array([0.3]))
    assert alone.to_dict()["low"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 95}, "for 95 % use 0.95"),
        ({"confidence": 0}, "between 0 and 1"),
        ({"method": "BCA"}, "Did you mean bca?"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(UsageError) as caught:
        mean_intervals(np.zeros((1, 3)), **options)
    assert message in str(caught.value)


def test_the_grid_grows_with_the_square_root_of_the_queries():
    """Four times the queries need twice the points; few queries have a finer grid."""
    assert [_grid_size(n) for n in (2, 99, 100, 250, 251, 1000, 1001, 4000)] == [
        8192, 8192, 2048, 2048, 4096, 4096, 8192, 8192,
    ]  # fmt: skip


class NormalMeans:
    """Resampled means that are normal, whose quantiles are known."""

    def quantile(self, index, probability):
        assert index == 7
        return 0.5 + 0.1 * stats.norm.ppf(probability)


@pytest.mark.parametrize("reach", [0.5, 2.2])
def test_the_ends_of_a_bca_interval_follow_its_formulas(reach):
    bca = BCa(NormalMeans(), 7, 0, 0.5, 0.08, 0.05, 0.4, 1.5, 12.0)

    def end(q):
        return 0.5 + 0.1 * (0.05 + (0.05 + q) / (1 - 0.08 * (0.05 + q)))

    middle = 0.5 + 0.4 * ((end(-reach) + end(reach)) / 2 - 0.5)
    z2 = 11 * math.log(1 + reach**2 / 12)
    longer = 1.5 * max((z2 + 3) * (z2 - 1), 0) / (18 * 12)
    half = (end(reach) - end(-reach)) / 2 * (1 + longer)
    assert (longer > 0) == (reach > 1)
    assert bca.ends(reach) == pytest.approx((middle - half, middle + half), rel=1e-9)
    assert bca.reach_of(middle + half, 4.0) == pytest.approx(reach, rel=1e-6)
    assert bca.reach_of(5.0, 3.0) == pytest.approx(3.0, rel=1e-9)


# A changed number is a breaking change; other tests compare with scipy, which draws at random.
NUMBERS = {
    (12, "percentile", False): (0.057779761989, 0.398757259692),
    (12, "percentile", True): (0.060136870697, 0.507563305967),
    (12, "bca", False): (0.007628349235, 0.409866817432),
    (12, "bca", True): (0.013667695704, 0.553205720963),
    (120, "percentile", False): (0.196208662288, 0.298657222015),
    (120, "percentile", True): (0.187408031233, 0.294378986086),
    (120, "bca", False): (0.197396057865, 0.301390798940),
    (120, "bca", True): (0.188059601546, 0.296888549756),
    (300, "percentile", False): (0.219386946979, 0.284743820599),
    (300, "percentile", True): (0.217434466128, 0.288552024085),
    (300, "bca", False): (0.220110505077, 0.285857676963),
    (300, "bca", True): (0.218181509756, 0.289941657131),
}


def test_intervals_are_the_same_numbers_in_every_release():
    for (n, method, weighted), ends in NUMBERS.items():
        x = (np.arange(n) * 37 % 101 / 100.0) ** 3
        weights = 1.0 + np.arange(n) % 3 if weighted else None
        found = mean_intervals(x[None], method=method, weights=weights)
        assert [float(end[0]) for end in found] == pytest.approx(ends, abs=2e-12)


def test_a_confidence_is_between_0_and_1():
    for confidence in (1e-9, 0.5, 0.95, 1 - 1e-9):
        assert check_confidence(confidence) == confidence
    for wrong in (0, 0.0, 1, 1.0, 1.5, -0.5, True, math.nan, "0.95", None):
        with pytest.raises(UsageError) as caught:
            check_confidence(wrong)
        assert str(caught.value) == (
            f"confidence must be between 0 and 1, not {wrong!r}; for 95 % use 0.95."
        )


@pytest.mark.parametrize(("n", "factor"), [(1, 1.0), (2, 2.0), (3, 1.5), (5, 1.25)])
def test_what_makes_up_for_too_small_a_variance(n, factor):
    assert expansion(np.array([float(n)]))[0] == math.sqrt(factor)


SKEWED = (np.arange(12) * 37 % 101 / 100.0) ** 3


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_two_queries_have_an_interval(method):
    low, high = mean_intervals(np.array([[0.2, 0.6], [0.2, np.nan]]), method=method)
    assert low[0] < 0.4 < high[0]
    assert np.isnan([low[1], high[1]]).all()
    if method != "t":
        assert (low[0], high[0]) == pytest.approx((0.2, 0.6))


def test_two_queries_with_one_value_have_no_length_by_methods_that_see_only_them():
    for method in ("percentile", "t"):
        ends = mean_intervals(np.array([[0.3, 0.3], [0.3, np.nan]]), method=method)
        assert [end[0] for end in ends] == [0.3, 0.3]
        assert np.isnan([end[1] for end in ends]).all()


def test_the_variance_of_a_mean_needs_two_queries():
    values = np.array([[0.2, 0.6, np.nan], [0.2, np.nan, np.nan], [0.1, 0.1, 0.1]])
    found = Means.of(values).variance()
    assert found[0] == pytest.approx(np.var([0.2, 0.6], ddof=1) / 2, rel=1e-12)
    assert np.isnan(found[1])
    assert found[2] == 0.0


@pytest.mark.parametrize("unit", [0.01, 0.1, 100.0])
@pytest.mark.parametrize("weights", [None, 1.0 + np.arange(12) % 3])
def test_intervals_do_not_depend_on_the_unit_of_values(unit, weights):
    for method in ("bca", "percentile", "t"):
        ends = np.array(mean_intervals(SKEWED[None], method=method, weights=weights))
        scaled = np.array(mean_intervals(SKEWED[None] * unit, method=method, weights=weights))
        assert scaled == pytest.approx(ends * unit, rel=1e-9)
    p = tests.bootstrap(SKEWED - 0.15, weights=weights)
    assert tests.bootstrap((SKEWED - 0.15) * unit, weights=weights) == pytest.approx(p, rel=1e-6)


@pytest.mark.parametrize("unit", [0.01, 1.0, 100.0])
def test_skewness_does_not_depend_on_the_unit_of_values(unit):
    means = Means.of(SKEWED[None] * unit)
    u = SKEWED - SKEWED.mean()
    second, third, fourth, sixth = ((u**k).mean() for k in (2, 3, 4, 6))
    square = third**2 / second**3
    variance = (sixth - 6 * fourth * second + 9 * second**3) / second**3 / 12
    assert square > variance
    assert means.squared_skewness()[0] == pytest.approx(square - variance, rel=1e-9)
    assert means.skewness_known()[0] == pytest.approx(max(1 - 4 * variance / square, 0), rel=1e-9)
    acceleration = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    assert means.acceleration()[0] == pytest.approx(acceleration, rel=1e-9)


@pytest.mark.parametrize(
    "row", [[0.5, 0.5, 0.5, 0.5], [0.25, 0.5, 0.5, 0.75], [-1.0, 0.0, 0.0, 1.0]]
)
def test_values_that_are_not_skewed(row):
    means = Means.of(np.array([row]))
    for number in (means.acceleration(), means.squared_skewness(), means.skewness_known()):
        assert number.tolist() == [0.0]


def test_a_skewness_is_known_from_two_standard_errors_on():
    rows = np.random.default_rng(2).beta(1, 3, (300, 15))
    u = rows - rows.mean(axis=1, keepdims=True)
    second, third, fourth, sixth = ((u**k).mean(axis=1) for k in (2, 3, 4, 6))
    variance = (sixth - 6 * fourth * second + 9 * second**3) / 15
    ratio = variance / third**2
    assert ((ratio > 1 / 5) & (ratio < 1 / 4)).any()
    known = np.maximum(1 - 4 * ratio, 0)
    assert Means.of(rows).skewness_known() == pytest.approx(known, rel=1e-9, abs=1e-12)


def test_rows_are_turned_so_that_they_begin_with_a_positive_deviation():
    rows = np.array([[0.25, 0.0, 0.5], [0.25, 0.5, 0.0], [0.0, 0.5, 0.25], [0.3, 0.3, 0.3]])
    means, turned = Means.of(rows).oriented()
    assert turned.tolist() == [True, False, True, False]
    sign = np.where(turned, -1.0, 1.0)
    assert np.array_equal(means.values, rows * sign[:, None])
    assert np.array_equal(means.mean, [-0.25, 0.25, -0.25, 0.3])


def test_values_that_differ_by_rounding_only_do_not_vary():
    row = np.array([[0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 0.3]])
    for weights in (None, np.array([1.0, 2.0, 3.0, 4.0, 5.0])):
        means = Means.of(row, weights)
        assert (means.mean[0], means.variance()[0]) == (0.3, 0.0)
    assert Means.of(np.where([True, False, False, False, False], 0.3 + 1e-9, row)).variance()[0] > 0
    assert Means.of(np.array([[1e-9, 2e-9]])).variance()[0] == pytest.approx(0.25e-18, abs=0)
    assert Means.of(np.zeros((1, 4))).mean.tolist() == [0.0]


def test_a_reach_is_found_to_one_part_in_two_to_the_41():
    """A changed number is a breaking change."""

    class Unit:
        def quantile(self, index, probability):
            return 0.0

    bca = BCa(Unit(), 0, 0, 0.0, 0.0, 0.0, 1.0, 0.0, 10.0)
    assert bca.reach_of(5.0, 3.0) == 3.0 * (1 - 2.0**-41)
    assert bca.reach_of(0.0, 3.0) == 3.0 * 2.0**-41
