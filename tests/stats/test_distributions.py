"""The distributions behind p-values and intervals, against scipy and mpmath."""

import math

import mpmath
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special, stats

from rankstone.stats import distributions
from rankstone.stats.distributions import (
    _beta_half,
    _t_density,
    noncentral_t_tail,
    normal_cdf,
    normal_quantile,
    t_quantile,
    t_tail,
)

DF = [0.7, 1, 2, 3.3, 9, 24, 49, 199, 250.5, 6999, 1e5]


def exact_t_tail(t, df):
    with mpmath.workdps(40):
        x = mpmath.mpf(df) / (mpmath.mpf(df) + mpmath.mpf(t) ** 2)
        half = mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, x, regularized=True) / 2
        return float(half)


@pytest.mark.parametrize("df", DF)
@pytest.mark.parametrize("t", [0.0, 1e-8, 1e-3, 0.5, 1.0, 1.65, 1.8, 1.96, 2.2, 3.5, 8.0, 40.0])
def test_the_t_tail_has_twelve_digits(df, t):
    assert t_tail(t, df) == pytest.approx(exact_t_tail(t, df), rel=1e-12)
    assert t_tail(-t, df) == pytest.approx(1 - exact_t_tail(t, df), rel=1e-12)


@pytest.mark.parametrize("df", DF)
@pytest.mark.parametrize("probability", [0.5, 0.6, 0.9, 0.975, 0.995, 0.9999, 0.025, 1e-6])
def test_the_t_quantile_is_that_of_scipy(df, probability):
    ours = t_quantile(probability, df)
    assert ours == pytest.approx(stats.t.ppf(probability, df), rel=1e-12, abs=1e-12)


@given(st.floats(1e-300, 1 - 1e-12))
def test_the_normal_quantile_is_that_of_scipy(probability):
    ours = normal_quantile(probability)
    assert ours == pytest.approx(float(special.ndtri(probability)), rel=1e-12, abs=1e-12)
    if probability > 1e-15:
        assert normal_cdf(ours) == pytest.approx(probability, rel=1e-11)


def test_quantiles_at_the_ends():
    assert (normal_quantile(0.0), normal_quantile(1.0)) == (-math.inf, math.inf)
    assert math.isnan(normal_quantile(1.5))
    assert (t_quantile(0.0, 5), t_quantile(1.0, 5)) == (-math.inf, math.inf)
    assert math.isnan(t_quantile(0.9, math.nan))
    assert t_tail(math.inf, 5) == 0.0
    assert math.isnan(t_tail(math.nan, 5))


@settings(max_examples=50, deadline=None)
@given(st.floats(-4, 8), st.sampled_from([2, 5, 24, 49, 500, 7000]), st.floats(0, 6))
def test_the_noncentral_t_tail_is_that_of_scipy(t, df, shift):
    theirs = float(stats.nct.sf(t, df, shift))
    assert noncentral_t_tail(t, df, shift) == pytest.approx(theirs, abs=1e-9)


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
