"""Tests of paired differences, against scipy, enumeration and each other."""

import itertools
import math
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from comparisons import compare
from hypothesis import given, settings, strategies as st
from scipy import stats

from rankstone.errors import UsageError
from rankstone.stats import p_values, resampling, tests
from rankstone.stats.intervals import mean_intervals
from rankstone.stats.repeats import VarianceParts
from rankstone.stats.resampling import check_resamples, on_grid, seed_of
from rankstone.stats.sign_flips import sign_flips, threshold_of
from rankstone.stats.values import QueryValues

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


def run(name, values, queries=None, measure="AP", **options):
    ids = [f"q{i:02}" for i in range(len(values))] if queries is None else queries
    return QueryValues(name, ids, {measure: np.array(values, np.float64)}, **options)


def pair_of(first, second, **options):
    return compare([run("a", first), run("b", second)], **options)["b", "AP"]


def without_ties(count, n, measures=("AP",), seed=1):
    rng = np.random.default_rng(seed)
    ids = [f"q{i:02}" for i in range(n)]
    return [
        QueryValues(f"s{k}", ids, {m: rng.random(n) + 0.05 * k for m in measures})
        for k in range(count)
    ]


def sized(pairs, runs):
    return SimpleNamespace(pairs=range(pairs), values=range(runs))


@pytest.mark.parametrize("weighted", [False, True])
def test_each_of_all_pairs_has_the_p_value_that_it_has_alone(weighted):
    runs = without_ties(5, 30, ("AP", "RR"))
    weights = {q: 1.0 + i % 3 for i, q in enumerate(runs[0].queries)} if weighted else None
    options = {"resamples": 500, "weights": weights, "correction": "none"}
    together = compare(runs, all_pairs=True, **options)
    for first, second in combinations(runs, 2):
        alone = compare([first, second], **options)
        for measure in ("AP", "RR"):
            p = alone[second.name, measure].p_value
            assert together[first.name, second.name, measure].p_value == p


@pytest.mark.parametrize("test", ["randomization", "t", "wilcoxon", "sign", "bootstrap"])
def test_queries_without_a_value_of_both_have_no_part_in_the_p_value(test):
    rng = np.random.default_rng(4)
    a, b = rng.random((2, 11))
    b += 0.3
    gaps_a, gaps_b = np.insert(a, [2, 5], [np.nan, 0.9]), np.insert(b, [2, 5], [0.1, np.nan])
    pair = pair_of(gaps_a, gaps_b, test=test)
    assert pair.n == 11
    assert pair.p_value == pytest.approx(pair_of(a, b, test=test).p_value, rel=1e-12)


def test_repeated_runs_that_are_the_same_have_the_p_value_of_one():
    """However small it is: no runs vary, so there is nothing but Student's t."""
    rng = np.random.default_rng(6)
    base = rng.random(60)
    better = base + 0.5 + rng.normal(0, 0.001, 60)
    runs = [run("base", base), run("x.0", better), run("x.1", better)]
    p = compare(runs, repeats={"x": ["x.0", "x.1"]})["x", "AP"].p_value
    assert p == compare(runs[:2], test="t")["x.0", "AP"].p_value
    assert 0 < p < 1e-100


@pytest.mark.parametrize(
    ("sizes", "together"),
    [
        ([(1, 2)], [1]),
        ([(128, 300)] * 5, [2, 2, 1]),
        ([(300, 128)] * 4, [2, 2]),
        ([(128, 200), (129, 200)], [1, 1]),
        ([(127, 200), (129, 200), (1, 2)], [2, 1]),
        ([(400, 500)] * 2, [1, 1]),
        ([(85, 300)] * 4, [3, 1]),
    ],
)
def test_signs_of_at_most_256_rows_are_flipped_together(sizes, together):
    groups = p_values._groups([sized(*size) for size in sizes])
    assert [len(group) for group in groups] == together


def test_without_variance_a_difference_is_certain():
    parts = VarianceParts(0.0, 10.0, (0.0, 0.0), (1, 3))
    assert (parts.total, parts.share_of_runs) == (0.0, 0.0)
    assert (parts.p_value(0.0), parts.p_value(0.5), parts.p_value(-0.5)) == (1.0, 0.0, 0.0)


def test_without_a_difference_p_is_1():
    assert VarianceParts(0.01, 10.0, (0.0, 0.01), (1, 3)).p_value(0.0) == 1.0


def test_the_smallest_p_of_repeated_runs():
    parts = VarianceParts(1e-6, 1000.0, (0.0, 1e-9), (1, 500))
    assert parts.p_value(1.0) == parts.p_value(-1.0) == 2e-30
    assert 2e-30 < parts.p_value(0.01) < 1e-15


def test_the_share_of_runs():
    parts = VarianceParts(0.03, 10.0, (0.01, 0.02), (2, 3))
    assert parts.runs == pytest.approx(0.03)
    assert parts.total == pytest.approx(0.06)
    assert parts.share_of_runs == pytest.approx(0.5)
    assert VarianceParts(0.0, 10.0, (0.0, 0.02), (1, 3)).share_of_runs == 1.0


def test_seeds_have_53_bits():
    fresh = [seed_of(None) for _ in range(64)]
    assert 1 << 52 <= max(fresh) < 1 << 53
    assert seed_of(np.random.default_rng(3)) == np.random.default_rng(3).integers(1 << 53)
    assert seed_of(np.int64(0)) == seed_of(0) == 0


@pytest.mark.parametrize(
    ("values", "bits"), [([0.75, -0.25], 49), ([0.75, 0.5, -0.25, 0.125], 48), ([1.5, 0.5], 48)]
)
def test_grids_have_51_bits_less_those_of_the_number_of_queries(values, bits):
    assert on_grid(np.array(values)).tolist() == [v * 2**bits for v in values]


def test_a_grid_of_zeros_is_zeros():
    assert on_grid(np.zeros((2, 3))).tolist() == [[0.0] * 3] * 2
    assert tests.randomization(np.zeros((1, 5))).p.tolist() == [1.0]


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
