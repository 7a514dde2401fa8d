"""Tests of paired differences, against scipy, enumeration and each other."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from rankstone.errors import UsageError
from rankstone.stats import resampling, tests
from rankstone.stats.intervals import mean_intervals
from rankstone.stats.resampling import check_resamples, on_grid, seed_of
from rankstone.stats.sign_flips import sign_flips

# Multiples of an eighth tie exactly, in binary as on paper.
tied_values = st.integers(-6, 6).map(lambda v: v / 8)
rows = st.lists(tied_values, min_size=2, max_size=40).map(np.array)


def realistic(rng, n, shift=0.0):
    """Differences of bounded values, many of them 0."""
    a, b = rng.beta(0.6, 1.0, (2, n))
    d = np.where(rng.random(n) < 0.3, 0.0, a - b + shift)
    return np.round(d, 4)


def enumerated(d):
    sums = [abs(sum(s * v for s, v in zip(signs, d, strict=True)))
            for signs in itertools.product((1, -1), repeat=len(d))]  # fmt: skip
    return np.mean(np.array(sums) >= abs(d.sum()) - 1e-9)


@given(st.lists(tied_values, min_size=2, max_size=10).map(np.array))
def test_few_differences_are_enumerated(d):
    result = tests.randomization(d)
    assert result.exact[0]
    assert result.p[0] == pytest.approx(enumerated(d), abs=1e-12)


@pytest.mark.parametrize("n", [6, 11, 13])
def test_enumeration_equals_scipy(n):
    d = realistic(np.random.default_rng(n), n, 0.1)
    theirs = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=1 << 14)
    assert tests.randomization(d).p[0] == pytest.approx(theirs.pvalue, abs=1e-12)


def test_sums_that_are_equal_on_paper_are_ties():
    # 0.1 + 0.2 - 0.3 is not 0 in binary; on paper every sum below is one of five values.
    d = np.array([0.1, 0.2, -0.3, 0.1, 0.2, 0.3, 0.1, -0.1, 0.2])
    tenths = np.round(d * 10)
    assert tests.randomization(d).p[0] == tests.randomization(tenths).p[0]


@pytest.mark.parametrize("n", [25, 60, 400])
def test_random_signs_agree_with_scipy_within_monte_carlo_error(n):
    d = realistic(np.random.default_rng(n), n, 0.06)
    ours = tests.randomization(d, resamples=40_000)
    theirs = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=20_000, batch=2000, rng=1
    ).pvalue
    assert not ours.exact[0]
    error = np.sqrt(theirs * (1 - theirs) * (1 / 20_000 + 1 / 40_000))
    assert abs(ours.p[0] - theirs) < 4.5 * error + 1e-4


def test_the_smallest_random_p_value_counts_the_observed_outcome():
    d = np.full(60, 0.1) + np.arange(60) * 1e-4
    assert tests.randomization(d, resamples=999).p[0] == 1 / 1000


def test_random_signs_do_not_depend_on_how_work_is_divided(monkeypatch):
    d = np.random.default_rng(1).normal(0.03, 0.3, (7, 93))
    once = tests.randomization(d, resamples=9_000, rng=5)
    monkeypatch.setattr("rankstone.core.parallel.cores", lambda: 1)
    monkeypatch.setattr("rankstone.stats.sign_flips._TABLE_CELLS", 1)
    monkeypatch.setattr("rankstone.stats.sign_flips._PAIR_CELLS", 1)
    assert np.array_equal(once.p, tests.randomization(d, resamples=9_000, rng=5).p)


def test_seeds_decide():
    d = np.random.default_rng(1).normal(0.05, 0.3, (1, 90))
    p = [tests.randomization(d, rng=seed).p[0] for seed in (0, 0, 1)]
    assert p[0] == p[1] != p[2]
    assert seed_of(np.random.default_rng(3)) == seed_of(np.random.default_rng(3))
    assert seed_of(None) != seed_of(None)
    for wrong in (-1, 1.5, True, "x"):
        with pytest.raises(UsageError, match="the seed must be a whole number"):
            seed_of(wrong)
    with pytest.raises(UsageError, match="resamples must be"):
        tests.randomization(d, resamples=0)


def test_pairs_of_rows_are_tested_like_their_differences():
    values = on_grid(np.random.default_rng(2).random((5, 60)))
    left, right = np.array(list(itertools.combinations(range(5), 2))).T
    joint = sign_flips(values, left, right, resamples=3000, seed=1)
    with_zero = np.vstack((values[left] - values[right], np.zeros((1, 60))))
    one_by_one = sign_flips(with_zero, np.arange(10), np.full(10, 10), resamples=3000, seed=1)
    assert np.array_equal(joint.p, one_by_one.p)


@given(rows)
def test_grids_keep_values_and_add_up_exactly(d):
    grid = on_grid(d)
    assert np.array_equal(grid, np.rint(grid))
    assert grid[::-1].sum() == sum(int(v) for v in grid)
    if d.any():
        unit = np.abs(grid).max() / np.abs(d).max()
        assert np.abs(grid / unit - d).max() <= 1 / unit


@settings(max_examples=60, deadline=None)
@given(rows)
def test_the_t_test_is_that_of_scipy(d):
    if len(set(d.tolist())) == 1:
        assert tests.paired_t(d)[0] == (1.0 if d[0] == 0 else 0.0)
    else:
        assert tests.paired_t(d)[0] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=1e-12)


def test_the_t_test_of_thousands_of_queries_is_that_of_scipy():
    d = realistic(np.random.default_rng(7), 7000, 0.004)
    assert tests.paired_t(d)[0] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-12)


def test_weights_that_are_equal_change_nothing():
    d = realistic(np.random.default_rng(8), 40, 0.1)
    weights = np.full(40, 3.0)
    assert tests.paired_t(d, weights=weights)[0] == pytest.approx(tests.paired_t(d)[0], rel=1e-12)
    assert tests.randomization(d, weights=weights).p[0] == tests.randomization(d).p[0]
    ours, plain = tests.bootstrap(d, weights=weights)[0], tests.bootstrap(d)[0]
    assert ours == pytest.approx(plain, rel=0.02)


@settings(max_examples=80, deadline=None)
@given(rows, st.sampled_from(["wilcox", "pratt"]))
def test_wilcoxon_with_ties_is_the_normal_approximation_of_scipy(d, zeros):
    if not d.any():
        assert tests.wilcoxon(d, zeros=zeros)[0] == 1.0
        return
    theirs = stats.wilcoxon(d, zero_method=zeros, method="asymptotic", correction=False)
    assert tests.wilcoxon(d, zeros=zeros, method="normal")[0] == pytest.approx(
        theirs.pvalue, abs=1e-12
    )


@pytest.mark.parametrize("n", [2, 5, 13, 31, 50])
def test_wilcoxon_without_ties_is_the_exact_test_of_scipy(n):
    d = np.random.default_rng(n).normal(0.1, 1, n)
    assert tests.wilcoxon(d)[0] == pytest.approx(
        stats.wilcoxon(d, method="exact").pvalue, abs=1e-12
    )


@settings(max_examples=30)
@given(st.lists(tied_values, min_size=1, max_size=9).map(np.array))
def test_wilcoxon_with_ties_enumerates_signs(d):
    d = d[d != 0]
    ranks = tests.average_ranks(np.abs(d)) if len(d) else np.zeros(0)
    total = ranks.sum()
    smaller = min(ranks[d > 0].sum(), ranks[d < 0].sum())
    sums = [sum(r for r, s in zip(ranks, signs, strict=True) if s)
            for signs in itertools.product((0, 1), repeat=len(d))]  # fmt: skip
    far = np.mean([min(s, total - s) <= smaller for s in sums])
    if len(d):
        assert tests.wilcoxon(d)[0] == pytest.approx(far, abs=1e-12)


@given(rows)
def test_average_ranks_are_those_of_scipy(values):
    assert np.array_equal(tests.average_ranks(values), stats.rankdata(values))


@given(rows)
def test_the_sign_test_is_the_binomial_test_of_scipy(d):
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    theirs = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert tests.sign(d)[0] == pytest.approx(theirs, abs=1e-12)


def test_the_sign_test_of_thousands_of_queries():
    d = np.r_[np.ones(3400), -np.ones(3600)]
    assert tests.sign(d)[0] == pytest.approx(stats.binomtest(3400, 7000).pvalue, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([12, 25, 60]), st.floats(0.8, 0.99), st.booleans())
def test_the_bootstrap_test_is_the_interval_turned_round(seed, n, confidence, skewed):
    rng = np.random.default_rng(seed)
    d = rng.exponential(1.0, 10 * n) - 0.9 if skewed else rng.normal(0.1, 0.3, n)
    low, high = mean_intervals(d[None], confidence=confidence)
    p = tests.bootstrap(d)[0]
    if abs(p - (1 - confidence)) > 1e-3:
        assert (p < 1 - confidence) == (not low[0] <= 0 <= high[0])


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2.0, 40)])
def test_which_run_is_the_baseline_changes_no_bit(weights):
    rng = np.random.default_rng(3)
    for _ in range(20 if weights is None else 2):
        d = realistic(rng, 40, 0.1)[None]
        for method in ("bca", "percentile", "t"):
            low, high = mean_intervals(d, weights=weights, method=method)
            other = mean_intervals(-d, weights=weights, method=method)
            assert (low[0], high[0]) == (-other[1][0], -other[0][0])
        p = tests.bootstrap(d, weights=weights)
        assert p[0] == tests.bootstrap(-d, weights=weights)[0]


def test_a_single_resample_is_one():
    assert check_resamples(1) == 1
    for bad in (0, -1, True, 2.0):
        with pytest.raises(UsageError, match="resamples must be a whole number from 1"):
            check_resamples(bad)


def test_nothing_to_test_is_nan():
    empty = np.full((1, 4), np.nan)
    for test in (tests.paired_t, tests.wilcoxon, tests.sign, tests.bootstrap):
        assert np.isnan(test(empty)).all()
    assert np.isnan(tests.randomization(empty).p).all()


def test_queries_that_a_row_leaves_out_do_not_count():
    d = realistic(np.random.default_rng(4), 30, 0.1)
    gaps = np.insert(d, [3, 17, 30], np.nan)
    for test in (tests.paired_t, tests.wilcoxon, tests.sign, tests.bootstrap):
        assert test(gaps)[0] == pytest.approx(test(d)[0], rel=1e-12)
    assert tests.randomization(gaps).p[0] == pytest.approx(tests.randomization(d).p[0], abs=0.02)


def tukey_by_definition(values, resamples, rng):
    """The loop as papers describe it."""
    observed = values.mean(axis=1)
    widths = [np.ptp(rng.permuted(values, axis=0).mean(axis=1)) for _ in range(resamples)]
    far = np.abs(observed[:, None] - observed)
    return (1 + (np.array(widths)[:, None, None] >= far - 1e-12).sum(axis=0)) / (1 + resamples)


def test_tukey_agrees_with_its_definition():
    rng = np.random.default_rng(6)
    values = np.round(rng.beta(1, 2, (4, 40)) + np.array([[0], [0.02], [0.1], [0.15]]), 2)
    ours = tests.tukey(values, resamples=8000).p
    theirs = tukey_by_definition(values, 8000, rng)
    off_diagonal = ~np.eye(4, dtype=bool)
    assert np.isnan(np.diag(ours)).all()
    assert np.array_equal(ours[off_diagonal], ours.T[off_diagonal])
    assert np.abs(ours - theirs)[off_diagonal].max() < 0.025
    assert ours[0, 3] < 0.05 < ours[0, 1]


def test_tukey_of_two_runs_is_the_randomization_test():
    rng = np.random.default_rng(9)
    values = rng.random((2, 50))
    values[1] += 0.08
    p = tests.randomization(values[1] - values[0], resamples=20_000).p[0]
    assert tests.tukey(values, resamples=20_000).p[0, 1] == pytest.approx(p, abs=0.015)


def test_a_chunk_is_part_of_what_a_seed_means():
    assert resampling.CHUNK == 4096


def test_a_seed_means_the_same_numbers_in_every_version():
    """So that a result that was saved with its seed can be had again; two chunks of resamples."""
    values = (np.arange(93) ** 2 * 37 % 101).reshape(3, 31) / 100
    p = tests.randomization(values[:1] - values[1:], resamples=5000, rng=7).p
    assert p.tolist() == [0.3747250549890022, 0.6274745050989802]
    tukey = tests.tukey(values, resamples=5000, rng=7).p
    assert tukey[np.triu_indices(3, 1)].tolist() == [
        0.674865026994601,
        0.8878224355128974,
        0.3759248150369926,
    ]


def test_without_a_seed_it_is_0():
    values = (np.arange(93) ** 2 * 37 % 101).reshape(3, 31) / 100
    differences = values[:1] - values[1:]
    plain, seeded = tests.randomization(differences), tests.randomization(differences, rng=0)
    assert (plain.seed, plain.resamples, plain.p.tolist()) == (0, 10_000, seeded.p.tolist())
    plain, seeded = tests.tukey(values), tests.tukey(values, rng=0)
    assert (plain.seed, plain.resamples) == (0, 10_000)
    assert np.array_equal(plain.p, seeded.p, equal_nan=True)


def test_wilcoxon_takes_differences_that_agree_to_twelve_digits_as_tied():
    """With ranks 1, 2.5, 2.5, 4, 5 instead of 1, 2, 3, 4, 5 the sum 2.5 is less likely than 2."""

    def p(odd):
        return tests.wilcoxon(np.array([1.0, 0.5, odd, 0.25, 0.75]))[0]

    # Sums of at most 2.5: none, 1, 2.5 and 2.5; of at most 2: none, 1 and 2.
    assert p(-0.5) == p(-0.5 + 2e-13) == 2 * 4 / 32
    assert p(-0.5 + 2e-12) == 2 * 3 / 32
