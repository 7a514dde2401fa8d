"""Intervals of values that are nearly all equal."""

import math

import numpy as np
import pytest
from comparisons import compare
from scipy import stats

from rankstone.stats.bootstrap import Means
from rankstone.stats.few_changes import FewChanges
from rankstone.stats.intervals import interval, intervals_of, mean_intervals
from rankstone.stats.tests import bootstrap
from rankstone.stats.values import QueryValues


def one(x, bounds=(0.0, 1.0), **options):
    return dict(FewChanges.of(Means.of(np.asarray(x, float)[None]), bounds, **options))[0]


@pytest.mark.parametrize(("n", "k"), [(12, 0), (25, 1), (50, 7), (500, 3), (2000, 0)])
def test_of_successes_the_bounds_are_those_of_clopper_and_pearson(n, k):
    x = np.r_[np.ones(k), np.zeros(n - k)]
    low, high = one(x, exact=True).interval(0.95, exact=True)
    assert high == pytest.approx(stats.beta.ppf(0.975, k + 1, n - k), rel=1e-9)
    assert low == pytest.approx(stats.beta.ppf(0.025, k, n - k + 1) if k else 0.0, abs=1e-9)


@pytest.mark.parametrize(("n", "k"), [(25, 1), (50, 7), (500, 3)])
def test_of_successes_the_interval_is_that_of_jeffreys(n, k):
    x = np.r_[np.ones(k), np.zeros(n - k)]
    low, high = mean_intervals(x[None])
    expected = stats.beta.ppf([0.025, 0.975], k + 0.5, n - k + 0.5)
    assert [low[0], high[0]] == pytest.approx(expected, rel=1e-9)


def test_of_other_values_it_is_the_quantile_of_dirichlet_means():
    rng = np.random.default_rng(1)
    x = np.r_[np.zeros(40), rng.uniform(-0.5, 0.3, 9)]
    few = one(x, (-1.0, 1.0), exact=True)
    low, high = few.interval(0.9, exact=True)
    for end, bound, tail in ((low, -1.0, 0.05), (high, 1.0, 0.95)):
        drawn = rng.dirichlet(np.ones(50), 400_000) @ np.append(x, bound)
        assert (drawn < end).mean() == pytest.approx(tail, abs=0.0015)
        assert few.below(end, exact=True)[int(tail > 0.5)] == pytest.approx(tail, abs=1e-9)


def test_changes_not_yet_seen_may_be_larger_than_those_seen():
    x = np.r_[np.zeros(46), -0.4, -0.2, 0.2, 0.4]
    low, high = one(x, (-1.0, 1.0)).interval(0.95)
    drawn = np.random.default_rng(2).dirichlet([0.5, *np.ones(50), 0.5], 400_000)
    drawn = drawn @ np.r_[-0.475, x, 0.475]  # 1 + 3 / 16 times the largest
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([low, high], abs=3e-4)


def test_small_changes_say_nothing_about_large_ones():
    x = np.r_[np.zeros(46), -0.02, 0.01, 0.03, 0.01]
    few = one(x, (-1.0, 1.0))
    assert few.interval(0.95) == few.interval(0.95, exact=True)
    low, high = few.interval(0.95)
    assert (low < -0.05, high > 0.05) == (True, True)  # one loss in 50 would not surprise
    assert bootstrap(x[None], bounds=(-1.0, 1.0)).tolist() == [1.0]
    assert interval(x, bounds=(-1.0, 1.0)).caution.endswith("not yet seen, of any size")
    (note,) = (n for n in pair_of(x).warnings if n.code == "few-changes")
    assert note.text == (
        "only 4 of 50 queries changed; the interval allows for changes of any size that were not "
        "seen. About 250 have the 20 changes for a shorter one"
    )


def test_the_p_value_of_the_bootstrap_ends_its_interval():
    x = np.r_[np.zeros(40), -0.5, -0.4, -0.3, 0.2, -0.6, -0.1][None]
    p = float(bootstrap(x, bounds=(-1.0, 1.0))[0])
    low, high = mean_intervals(x, confidence=1 - p, bounds=(-1.0, 1.0))
    assert high[0] == pytest.approx(0.0, abs=1e-9)
    assert low[0] < x.mean()


def test_many_changes_are_left_to_the_bootstrap():
    rng = np.random.default_rng(3)
    for changed, n in ((20, 500), (25, 50), (13, 25)):
        x = np.r_[rng.normal(0, 0.2, changed), np.zeros(n - changed)]
        assert not dict(FewChanges.of(Means.of(x[None]), (-1.0, 1.0)))
    assert dict(FewChanges.of(Means.of(np.r_[rng.random(19), np.zeros(100)][None]), None))
    x = np.r_[rng.normal(0, 0.2, 149), np.zeros(400)]
    assert dict(FewChanges.of(Means.of(x[None]), (-1.0, 1.0), exact=True))


def test_no_success_leaves_a_rate_of_successes():
    low, high = mean_intervals(np.zeros((1, 25)))
    assert (low[0], high[0]) == (0.0, pytest.approx(stats.beta.ppf(0.975, 0.5, 25.5), rel=1e-9))
    low, high = mean_intervals(np.ones((1, 25)))
    assert (low[0], high[0]) == (pytest.approx(stats.beta.ppf(0.025, 25.5, 0.5), rel=1e-9), 1.0)
    assert "allows for values not yet seen" in interval(np.zeros(25)).caution


def test_values_without_a_known_range_have_that_of_the_data():
    x = np.r_[np.zeros(30), 5.0, 9.0]
    assert one(x, None).bounds == (0.0, 9.0)
    assert one(x, (0.0, math.inf)).bounds == (0.0, 9.0)
    assert one(x, (-20.0, 20.0)).bounds == (-20.0, 20.0)
    assert one(x / 9, None).bounds == (0.0, 1.0)


def pair_of(d, base=None, **options):
    base = np.full(len(d), 0.5) if base is None else base
    ids = [f"q{i:03}" for i in range(len(d))]
    runs = [QueryValues("a", ids, {"RR": base}), QueryValues("b", ids, {"RR": base + d})]
    return compare(runs, **options)["b", "RR"]


def test_a_comparison_says_that_few_queries_changed():
    d = np.r_[np.zeros(56), -0.5, -0.25, -0.25, -0.4]
    pair = pair_of(d)
    assert (pair.interval, pair.ties) == ("few", 56)
    notices = {n.code: n for n in pair.warnings}
    assert notices["few-changes"].text.startswith("only 4 of 60 queries changed; the interval")
    assert notices["too-few-queries"].text == (
        "with 4 changed queries no outcome can be significant at 0.05; at least 6 are needed"
    )
    assert pair.detectable >= pair.difference - pair.ci_low
    (warning,) = (n for n in pair_of(d, interval="t").warnings if n.code == "few-changes")
    assert (warning.level, "too short" in warning.text) == ("warning", True)


def test_heavy_tails_are_said():
    d = np.random.default_rng(4).normal(0, 0.01, 40)
    d[0] = 0.45
    assert "heavy-tails" in [n.code for n in pair_of(d).warnings]
    d[0] = 0.02
    assert "heavy-tails" not in [n.code for n in pair_of(d).warnings]


def test_a_difference_beyond_the_range_cannot_be_detected():
    pair = pair_of(np.array([0.4, -0.3]))
    assert math.isnan(pair.detectable)
    (note,) = (
        n for n in pair_of(np.array([0.4, -0.3]), test="t").warnings if n.code == "underpowered"
    )
    assert note.text == "2 queries can show no difference: it would have to exceed the range"
    wide = pair_of(np.array([0.4, -0.3]), ranges={"RR": (0.0, 100.0)})
    assert wide.detectable > 1


def test_resamples_are_added_where_chance_would_decide():
    rng = np.random.default_rng(8)
    for _ in range(40):
        d = rng.normal(0.045, 0.15, 40)
        pair, much = pair_of(d, resamples=1000), pair_of(d, resamples=100_000)
        if pair.resamples > 1000:
            assert pair.resamples == 16_000
            assert abs(pair.p_value - 0.05) < 0.03
        elif abs(much.p_value - 0.05) < 0.005:
            pytest.fail("a p-value next to the level was not drawn again")


def test_tukey_has_simultaneous_intervals_and_one_name():
    rng = np.random.default_rng(5)
    base = rng.uniform(0.3, 0.7, 60)
    ids = list(range(60))
    runs = [
        QueryValues(n, ids, {"AP": base + rng.normal(s, 0.1, 60)})
        for n, s in zip("abcd", (0, 0, 0.1, 0.2), strict=True)
    ]
    result = compare(runs, all_pairs=True, test="tukey")
    lengths = {round(p.ci_high - p.ci_low, 12) for p in result.comparisons}
    assert len(lengths) == 1  # that of the largest difference by chance
    for pair in result.comparisons:
        assert (pair.correction, pair.interval) == ("tukey", "tukey")
        assert (pair.p_adjusted < 0.05) == (pair.ci_low > 0 or pair.ci_high < 0)
    assert result.correction == result.to_dict()["correction"] == "tukey"
    assert type(result).from_json(result.to_json()).correction == "tukey"
    assert "simultaneous over all pairs" in result.method()
    plain = compare(runs, all_pairs=True)
    assert all(
        p.ci_high - p.ci_low > q.ci_high - q.ci_low and p.detectable > q.detectable
        for p, q in zip(result.comparisons, plain.comparisons, strict=True)
        if q.detectable == q.detectable
    )


def test_exact_bounds_allow_for_a_loss_if_half_of_few_queries_change():
    rng = np.random.default_rng(2)
    x = np.where(np.arange(50) < 28, rng.normal(0, 0.03, 50), 0.0)[None]
    low, _, _ = intervals_of(Means.of(x), "bca", 0.95, bounds=(-1, 1), exact=True)
    # A loss of 1 in 7 % of the queries is not among 50 in 2.6 % of the cases.
    assert low[0] < x.mean() - 0.05
    described, _, _ = intervals_of(Means.of(x), "bca", 0.95, bounds=(-1, 1))
    assert described[0] > x.mean() - 0.02
    every = x + 0.001  # all queries change: many changes
    same = [
        intervals_of(Means.of(every), "bca", 0.95, bounds=(-1, 1), exact=e)[0][0]
        for e in (True, False)
    ]
    assert same[0] == same[1]
