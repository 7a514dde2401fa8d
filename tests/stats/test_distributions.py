"""The distributions behind p-values and intervals, against scipy and mpmath."""

import math

import mpmath
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special, stats

from rankstone.stats.distributions import (
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
