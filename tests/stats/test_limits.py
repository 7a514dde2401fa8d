"""Distributions, plans, tests and intervals at the limits of what they take."""

import math

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from rankstone.errors import DataError, UsageError
from rankstone.stats import distributions, tests
from rankstone.stats.bootstrap import Means
from rankstone.stats.distributions import (
    _beta_half,
    _t_density,
    normal_quantile,
    t_quantile,
    t_tail,
)
from rankstone.stats.intervals import BCa, mean_intervals
from rankstone.stats.power import detectable_difference, plan, power_of, queries_needed
from rankstone.stats.sign_flips import sign_flips, threshold_of

# Distributions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("probability", [-0.5, -1e-9, 1 + 1e-9, 1.5, 2.5])
def test_what_is_no_probability_has_no_quantile(probability):
    assert math.isnan(normal_quantile(probability))
    assert math.isnan(t_quantile(probability, 5))


@pytest.mark.parametrize(
    ("df", "end"), [(5, math.inf), (0.5, math.inf), (0, math.nan), (-1, math.nan)]
)
def test_quantiles_at_the_ends_need_degrees_of_freedom(df, end):
    assert t_quantile(1.0, df) == pytest.approx(end, nan_ok=True)
    assert t_quantile(0.0, df) == pytest.approx(-end, nan_ok=True)


def test_what_is_not_a_number_has_no_tail():
    assert math.isnan(t_tail(1.0, math.nan))
    assert math.isnan(t_tail(math.nan, 3))
    assert (t_tail(math.inf, 3), t_tail(-math.inf, 3)) == (0.0, 1.0)


def test_the_beta_function_has_thirteen_digits():
    for a in (0.35, 1.0, 12.0, 99.9, 100.0, 150.0, 200.0, 3500.0):
        with mpmath.workdps(40):
            exact = float(mpmath.beta(mpmath.mpf(a), mpmath.mpf("0.5")))
        # The series for large numbers is the better the larger they are.
        assert _beta_half(a) == pytest.approx(exact, rel=3e-14 if a >= 150 else 4e-13, abs=0)


def test_the_normal_quantile_has_all_digits():
    for exponent in range(0, 300, 7):
        for digit in (0.4, 0.13):
            probability = digit * 10.0**-exponent
            with mpmath.workdps(40):
                x = mpmath.mpf(float(special.ndtri(probability)))
                for _ in range(3):
                    x -= (mpmath.ncdf(x) - mpmath.mpf(probability)) / mpmath.npdf(x)
            assert normal_quantile(probability) == pytest.approx(float(x), rel=2e-15, abs=0)


def test_the_normal_quantile_is_symmetric():
    assert normal_quantile(0.5) == pytest.approx(0.0, abs=1e-16)
    for power in (2, 3, 10, 20, 40, 52):
        below = normal_quantile(2.0**-power)
        assert below < 0
        assert normal_quantile(1 - 2.0**-power) == -below


def test_the_density_of_student_t_is_that_of_scipy():
    for df in (0.7, 1, 2, 9, 49, 199, 250.5, 6999):
        for t in (0.0, 0.5, 1.0, 2.0, 5.0, 20.0):
            assert _t_density(t, df) == pytest.approx(stats.t.pdf(t, df), rel=1e-11, abs=0)


def test_a_quantile_of_student_t_is_found_in_few_steps(monkeypatch):
    calls = []

    def counted(t, df):
        calls.append(t)
        return t_tail(t, df)

    monkeypatch.setattr(distributions, "t_tail", counted)
    for df in (1, 9, 49, 250.5, 6999):
        for probability in (0.6, 0.9, 0.975, 0.9999, 0.025):
            calls.clear()
            t_quantile(probability, df)
            assert len(calls) < 30


# Plans -----------------------------------------------------------------------------------------

PILOT = np.array([0.1, -0.1, 0.2, 0.0, 0.3])


@pytest.mark.parametrize("wrong", [0.0, 1.0, 1.5, -0.1, math.nan])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("alpha", lambda value: power_of(9, 0.1, 0.2, alpha=value)),
        ("alpha", lambda value: detectable_difference(9, 0.2, alpha=value)),
        ("power", lambda value: detectable_difference(9, 0.2, power=value)),
        ("alpha", lambda value: queries_needed(0.1, 0.2, alpha=value)),
        ("power", lambda value: queries_needed(0.1, 0.2, power=value)),
    ],
)
def test_probabilities_are_between_0_and_1(name, call, wrong):
    with pytest.raises(UsageError) as caught:
        call(wrong)
    assert str(caught.value) == f"{name} must be between 0 and 1, not {wrong!r}."


@pytest.mark.parametrize("wrong", [0, 0.0, math.inf, -math.inf, math.nan])
def test_a_difference_to_plan_for_is_a_number_other_than_0(wrong):
    with pytest.raises(UsageError) as caught:
        plan(PILOT, difference=wrong)
    assert str(caught.value) == (
        f"the difference to plan for must be a number other than 0, not {wrong!r}."
    )


def test_a_loss_is_planned_for_like_a_gain():
    loss, gain = plan(PILOT, difference=-0.02), plan(PILOT, difference=0.02)
    assert loss == gain
    assert plan(-PILOT).difference == pytest.approx(0.1)
    assert plan(PILOT, difference=0.02, comparisons=1).queries == gain.queries


@pytest.mark.parametrize("sd", [0.0, -0.2])
def test_plans_need_values_that_vary(sd):
    with pytest.raises(UsageError, match="sd must be above 0"):
        queries_needed(0.1, sd)
    with pytest.raises(UsageError, match="power needs n of at least 2 and sd above 0"):
        power_of(9, 0.1, sd)


@pytest.mark.parametrize("n", [2, 3, 10, 11, 16, 100])
def test_as_many_queries_as_have_exactly_the_power_are_enough(n):
    power = power_of(n, 0.5, 1.0)
    assert queries_needed(0.5, 1.0, power=power) == n
    assert queries_needed(-0.5, 1.0, power=power) == n


def test_two_queries_are_enough_for_a_great_difference():
    assert queries_needed(100.0, 1.0) == 2
    assert queries_needed(1.0, 1.0) > 2


# Tests of differences --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "p"),
    [([0.0], math.nan), ([0.3], math.nan), ([0.0, 0.0], 1.0), ([0.3, 0.3], 0.0), ([0.3, -0.3], 1)],
)
@pytest.mark.parametrize("test", [tests.paired_t, tests.bootstrap])
def test_few_differences(test, row, p):
    assert test(np.array([row]))[0] == pytest.approx(p, nan_ok=True, abs=1e-6)


def test_the_t_test_of_two_differences():
    assert tests.paired_t(np.array([0.1, 0.3]))[0] == pytest.approx(
        stats.ttest_1samp([0.1, 0.3], 0).pvalue, rel=1e-12
    )


@pytest.mark.parametrize("n", [2, 3, 5, 20, 60])
def test_no_bootstrap_p_value_is_less_than_that_of_the_rarest_resample(n):
    """It is that of n draws of one query, one in n^n, and at least 1e-15 on each side."""
    row = 0.5 + 0.001 * np.arange(n)
    most = -stats.norm.ppf(max(1e-15, 0.5 * float(n) ** -n))
    expected = 2 * stats.t.sf(most * math.sqrt((n - 1) / n), n - 1)
    assert tests.bootstrap(row)[0] == pytest.approx(expected, rel=1e-9)
    assert tests.bootstrap(-row)[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [50, 51])
def test_wilcoxon_is_exact_for_up_to_50_differences(n):
    row = np.random.default_rng(n).normal(0.1, 1, n)
    found = {
        method: tests.wilcoxon(row, method=method)[0] for method in ("auto", "exact", "normal")
    }
    assert found["exact"] != found["normal"]
    assert found["auto"] == found["exact" if n <= 50 else "normal"]
    zeros = np.append(row, 0.0)
    assert tests.wilcoxon(zeros)[0] == found["auto"]


@pytest.mark.parametrize(
    ("resamples", "n", "exact"),
    [(1, 1, False), (2, 1, True), (15, 4, False), (16, 4, True), (31, 5, False), (32, 5, True)],
)
def test_signs_are_enumerated_if_there_are_no_more_than_resamples(resamples, n, exact):
    found = tests.randomization(np.arange(1.0, n + 1), resamples=resamples)
    assert found.exact.tolist() == [exact]
    if exact:
        assert found.p[0] == 2 / 2**n


def test_sums_within_two_units_for_each_number_are_equal():
    assert threshold_of(np.array([-100.0, 7.0]), 5).tolist() == [90.0, -3.0]
    # 4 - 2 is within four units of 4 + 2, whether signs are enumerated or drawn.
    grid, rows = np.array([[4.0, 2.0], [0.0, 0.0]]), (np.array([0]), np.array([1]))
    assert sign_flips(grid, *rows, resamples=4, seed=0).p.tolist() == [1.0]
    drawn = [sign_flips(grid, *rows, resamples=3, seed=seed) for seed in range(9)]
    assert all(flips.p[0] == 1.0 and not flips.exact[0] for flips in drawn)
    wider = np.array([[5.0, 3.0], [0.0, 0.0]])
    assert sign_flips(wider, *rows, resamples=4, seed=0).p.tolist() == [0.5]


def test_enumerated_signs_are_those_of_the_difference_of_two_rows():
    grid = np.array([[900.0, 700.0, 100.0], [600.0, 400.0, 400.0]])
    # The differences are 300, 300 and -300: whatever their signs, the sum is at least 300 from 0.
    assert sign_flips(grid, np.array([0]), np.array([1]), resamples=8, seed=0).p.tolist() == [1.0]


def test_resamples_need_not_fill_bytes():
    """The seed means the same numbers in every version."""
    values = (np.arange(93) ** 2 * 37 % 101).reshape(3, 31) / 100
    p = tests.randomization(values[:1] - values[1:], resamples=1003, rng=7).p
    assert p.tolist() == [393 / 1004, 625 / 1004]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tukey_needs_a_query(n):
    values = np.array([[0.1, 0.2, 0.3], [0.4, 0.6, 0.5], [0.9, 0.8, 0.7]])
    values[:, n:] = np.nan
    p = tests.tukey(values, resamples=200).p
    assert np.isnan(np.diag(p)).all()
    assert np.isnan(p[0, 1]) == (n == 0)
    if n == 1:
        assert p[0, 2] == 1.0  # the range of one query is the same in any order


def test_tukey_weighs_the_queries_that_all_runs_have():
    values = (np.arange(93) ** 2 * 37 % 101).reshape(3, 31) / 100
    values[1, 4] = np.nan
    weights = 1.0 + np.arange(31) % 4
    weighted = tests.tukey(values, weights=weights, resamples=300).p
    assert np.array_equal(weighted, tests.tukey(values * weights, resamples=300).p, equal_nan=True)
    gone = np.delete(values, 4, axis=1) * np.delete(weights, 4)
    assert np.array_equal(weighted, tests.tukey(gone, resamples=300).p, equal_nan=True)
    assert not np.array_equal(weighted, tests.tukey(values, resamples=300).p, equal_nan=True)


@pytest.mark.parametrize("cells", [1, 62, 300, 6200])
def test_permutations_do_not_depend_on_how_work_is_divided(monkeypatch, cells):
    values = (np.arange(62) ** 2 * 37 % 101).reshape(2, 31) / 100
    once = tests.tukey(values, resamples=250, rng=3).p
    monkeypatch.setattr(tests, "_PERMUTED_CELLS", cells)
    assert np.array_equal(once, tests.tukey(values, resamples=250, rng=3).p, equal_nan=True)


def test_wilcoxon_does_not_depend_on_the_unit_of_differences():
    row = np.array([0.5, -0.25, 1.0, 0.75, 2.0, -0.125])
    for unit in (1e-13, 1e-3, 1e6):
        assert tests.wilcoxon(row * unit)[0] == tests.wilcoxon(row)[0]


def test_wilcoxon_by_pratt_ranks_zeros_and_leaves_them_out():
    """The ranks are 2, 3 and 4, and no choice of signs but one has a sum of 0."""
    row = np.array([0.0, 1.0, 2.0, 3.0])
    assert tests.wilcoxon(row, zeros="pratt").tolist() == [2 / 8]
    # Sums of at most 2: none and 2.
    assert tests.wilcoxon(row * [1, -1, 1, 1], zeros="pratt").tolist() == [2 * 2 / 8]


def test_random_signs_of_weighted_differences_are_those_of_their_products():
    row, weights = np.arange(-17.0, 23.0) / 20, 1.0 + np.arange(40) % 3
    found = tests.randomization(row, weights=weights, resamples=500).p
    assert found == tests.randomization(row * weights, resamples=500).p
    assert found != tests.randomization(row, resamples=500).p


def test_no_p_value_is_above_1():
    """Of two signs, three of four choices have a sum of ranks of at most 1.5."""
    assert tests.wilcoxon(np.array([1.0, -1.0])).tolist() == [1.0]
    assert tests.sign(np.array([1.0, -1.0])).tolist() == [1.0]
    assert tests.sign(np.array([1.0, -1.0, 1.0])).tolist() == [1.0]


# Intervals -------------------------------------------------------------------------------------


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


SKEWED = (np.arange(12) * 37 % 101 / 100.0) ** 3


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


def test_pilots_need_two_queries():
    with pytest.raises(DataError, match="a pilot of 1 query does not show"):
        plan(np.array([0.1, np.nan]))
    assert plan(np.array([0.1, 0.2])).pilot_n == 2
