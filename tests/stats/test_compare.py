"""Comparisons of runs: what they say, on which queries, and how they take bad input."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from comparisons import compare
from hypothesis import given, settings, strategies as st
from scipy import stats

from rankstone.choices.setup import Setup
from rankstone.core.aggregate import MEAN
from rankstone.errors import DataError, NothingInCommonError, UsageError
from rankstone.stats import advice
from rankstone.stats.bootstrap import Means
from rankstone.stats.comparison import Comparison, with_holes
from rankstone.stats.corrections import adjust
from rankstone.stats.repeats import variance_parts
from rankstone.stats.tests import TESTS, WEIGHTED
from rankstone.stats.values import QueryValues

FIELDS = [
    "measure", "baseline", "run", "n", "baseline_mean", "mean", "difference", "ci_low", "ci_high",
    "confidence", "p_value", "p_adjusted", "test", "correction", "wins", "ties", "losses",
    "effect_size", "warnings",
]  # fmt: skip


def run(name, values, queries=None, measure="AP", **options):
    ids = [f"q{i:03}" for i in range(len(values))] if queries is None else queries
    return QueryValues(name, ids, {measure: np.array(values, np.float64)}, **options)


def systems(count, n, seed=0, step=0.03, measures=("AP", "RR")):
    """Runs of rising quality with many zeros, on queries of varying difficulty."""
    rng = np.random.default_rng(seed)
    easy = rng.beta(1, 2, n)
    ids = [f"q{i}" for i in range(n)]
    return [
        QueryValues(
            f"s{k}",
            ids,
            {
                m: np.where(
                    rng.random(n) < 0.2,
                    0.0,
                    np.clip(easy + k * step + rng.normal(0, 0.15, n), 0, 1),
                )
                for m in measures
            },
        )
        for k in range(count)
    ]


def codes(pair):
    return [notice.code for notice in pair.warnings]


def test_runs_are_matched_by_query_id():
    a = run("a", [0.1, 0.2, 0.3, 0.4], ["q1", "q2", "q3", "q4"])
    b = run("b", [0.5, 0.3, 0.3, 0.3], ["q4", "q1", "q3", "q2"])
    pair = compare([a, b])["b", "AP"]
    assert pair.difference == pytest.approx((0.2 + 0.1 + 0.0 + 0.1) / 4)
    assert (pair.wins, pair.ties, pair.losses) == (3, 1, 0)
    assert [m.query for m in pair.improved] == ["q1", "q2", "q4"]
    assert pair.improved[0] == ("q1", 0.1, 0.3, pytest.approx(0.2))
    assert pair.worsened == ()
    assert pair.superiority == (3 + 0.5) / 4


def test_the_numbers_of_a_pair():
    a, b = systems(2, 40, step=0.2)
    pair = compare([a, b], test="t", interval="t")["s1", "AP"]
    d = b.columns["AP"] - a.columns["AP"]
    theirs = stats.ttest_rel(b.columns["AP"], a.columns["AP"])
    ends = theirs.confidence_interval(0.95)
    assert pair.p_value == pytest.approx(theirs.pvalue, abs=1e-12)
    assert (pair.ci_low, pair.ci_high) == pytest.approx((ends.low, ends.high), abs=1e-12)
    assert pair.effect_size == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-12)
    assert pair.mean == MEAN.of(b.columns["AP"]).mean()
    assert pair.baseline_mean == MEAN.of(a.columns["AP"]).mean()
    assert (pair.n, pair.effective_n, pair.resamples) == (40, 40.0, None)
    assert pair.verdict == "better"


@pytest.mark.parametrize("family", ["measure", "all"])
def test_a_family_is_the_comparisons_of_one_measure_or_all(family):
    runs = systems(4, 30)
    for correction in ("holm", "bh", "bonferroni", "none"):
        result = compare(runs, correction=correction, family=family)
        assert result.family == {"measure": 3, "all": 6}[family]
        assert len(result.comparisons) == 6
        p = np.array([p.p_value for p in result.comparisons])
        expected = [adjust(part, correction) for part in np.split(p, 6 // result.family)]
        assert [p.p_adjusted for p in result.comparisons] == np.concatenate(expected).tolist()
        assert all(p.correction == correction for p in result.comparisons)
    assert len(compare(runs, all_pairs=True).comparisons) == 12


@pytest.mark.parametrize("test", list(TESTS))
def test_every_test_finds_a_large_difference_and_says_what_it_is(test):
    result = compare(systems(3, 60, step=0.2), test=test, measures=["AP"])
    assert [p.verdict for p in result.comparisons] == ["better", "better"]
    assert all(p.test == test for p in result.comparisons)
    assert TESTS[test] in result.method()
    drawn = test in ("randomization", "tukey")
    assert (result.comparisons[0].resamples == 10_000) == drawn
    assert ("10000 resamples, seed 0" in result.method()) == drawn


@pytest.mark.parametrize("test", list(TESTS))
@settings(max_examples=8, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_queries_and_runs_changes_no_number(test, random):
    runs = systems(3, 20, seed=5)
    shuffled = []
    for r in random.sample(runs, 3):
        order = random.sample(range(20), 20)
        columns = {m: c[order] for m, c in r.columns.items()}
        shuffled.append(QueryValues(r.name, [r.queries[i] for i in order], columns))
    options = {"baseline": "s1", "test": test, "resamples": 500, "rng": 3}
    once, again = compare(runs, **options), compare(shuffled, **options)
    for pair in once.comparisons:
        assert again[pair.run, pair.measure].to_dict() == pair.to_dict()


def partly_different(count, n, seed, measures="abcd"):
    """Runs that differ on some queries only, others for each measure; some have no value or answer."""
    rng = np.random.default_rng(seed)
    common = {m: rng.random(n).round(1) for m in measures}
    ids = [f"q{i}" for i in range(n)]
    runs = []
    for k in range(count):
        columns = {}
        for m, share in zip(
            measures, rng.choice([0.02, 0.2, 0.5, 1.0], len(measures)), strict=True
        ):
            columns[m] = np.where(rng.random(n) < share, rng.random(n).round(1), common[m])
            columns[m][rng.random(n) < rng.choice([0.0, 0.1])] = np.nan
        answered = rng.random(n) > rng.choice([0.0, 0.1])
        runs.append(QueryValues(f"r{k}", ids, columns, answered))
    return runs


def p_values(comparison):
    """p-values before correction by pair and measure, with those on queries that both answered."""
    return {
        (p.baseline, p.run, p.measure): (p.p_value, p.common and p.common.p_value)
        for p in comparison.comparisons
    }


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(30, 150), st.sampled_from(list(TESTS)), st.data())
def test_p_values_do_not_depend_on_other_measures(seed, n, test, data):
    runs = partly_different(3, n, seed)
    some = data.draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True))
    options = {"test": test, "resamples": 200, "rng": seed, "interval": "t"}
    options["weights"] = data.draw(st.sampled_from([None, {f"q{i}": i % 7 for i in range(n)}]))
    options["clusters"] = data.draw(st.sampled_from([None, {f"q{i}": i % 29 for i in range(n)}]))
    if test not in WEIGHTED:
        del options["weights"]
    every = p_values(compare(runs, **options))
    for pair, p in p_values(compare(runs, measures=some, **options)).items():
        assert str(p) == str(every[pair])  # nan is nan


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(30, 150))
def test_p_values_do_not_depend_on_other_runs(seed, n):
    runs = partly_different(5, n, seed)
    options = {"resamples": 200, "rng": seed, "interval": "t", "correction": "none"}
    every = p_values(compare(runs, all_pairs=True, **options))
    for pair in combinations(runs, 2):
        for key, p in p_values(compare(pair, **options)).items():
            assert str(p) == str(every[key])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(list(TESTS)))
def test_exchanging_run_and_baseline_negates_the_difference(seed, test):
    runs = systems(2, 15, seed)
    ahead = compare(runs, baseline="s0", test=test)["s1", "AP"]
    back = compare(runs, baseline="s1", test=test)["s0", "AP"]
    assert back.difference == -ahead.difference
    assert back.p_value == pytest.approx(ahead.p_value, rel=1e-9)
    assert (back.wins, back.losses) == (ahead.losses, ahead.wins)
    assert back.ci_low == pytest.approx(-ahead.ci_high, abs=1e-9)


def test_a_smaller_value_may_be_better():
    a, b = run("a", np.linspace(2, 9, 12)), run("b", np.linspace(1, 7, 12))
    pair = compare([a, b], lower_is_better=["AP"])["b", "AP"]
    assert (pair.wins, pair.losses, pair.verdict) == (12, 0, "better")
    assert pair.difference < 0
    assert pair.improved[0].difference < 0
    assert compare([a, b])["b", "AP"].verdict == "worse"


def test_a_comparison_reads_back_bit_for_bit(tmp_path):
    runs = [*systems(3, 12), run("x", [0.5] * 12, [f"q{i}" for i in range(12)])]
    runs[3] = QueryValues(
        "x", runs[3].queries, {"AP": np.full(12, 0.5), "RR": np.r_[np.nan, np.ones(11)]},
        answered=np.arange(12) > 3,
    )  # fmt: skip
    result = compare(runs, repeats={"twice": ["s1", "s2"]}, rng=9)
    path = tmp_path / "comparison.json"
    result.save(path)
    again = Comparison.load(path)
    assert again == result
    assert again.to_json() == result.to_json()
    assert repr(again) == repr(result)
    data = json.loads(result.to_json())
    assert list(data["comparisons"][0])[: len(FIELDS)] == FIELDS
    assert result.seed == data["seed"] == 9


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": "x"}', '{"schema": "rankstone/comparison/1"}']
)
def test_other_files_are_not_comparisons(text, tmp_path):
    with pytest.raises(DataError, match="not a saved Rankstone comparison"):
        Comparison.from_json(text)
    with pytest.raises(DataError, match="No such file"):
        Comparison.load(tmp_path / "none.json")


def test_queries_that_were_not_answered_are_not_a_difference_of_quality():
    rng = np.random.default_rng(2)
    values = rng.beta(2, 2, 50)
    answered = np.arange(50) < 25
    a = run("a", values)
    b = run("b", np.where(answered, values + rng.normal(0.02, 0.02, 50), 0.0), answered=answered)
    pair = compare([a, b])["b", "AP"]
    assert (pair.verdict, pair.significant) == ("incomplete", False)
    assert pair.difference < -0.1
    assert pair.p_adjusted < 0.001
    assert (pair.missing.baseline, pair.missing.run) == (0, 25)
    assert pair.missing.share > 0.9
    assert pair.missing.difference == pytest.approx(-values[25:].sum() / 50)
    assert codes(pair)[0] == "incomplete"
    assert "over the 25 queries that both answered" in pair.warnings[0].text
    assert (pair.common.n, pair.common.verdict) == (25, "better")
    alone = compare([run("a", values[:25]), run("b", b.columns["AP"][:25])])["b", "AP"]
    assert pair.common.difference == alone.difference
    assert (pair.common.ci_low, pair.common.ci_high) == (alone.ci_low, alone.ci_high)


def test_a_few_queries_without_an_answer_are_only_mentioned():
    a, b = systems(2, 60, step=0.2, measures=["AP"])
    values = b.columns["AP"].copy()
    gone = int(np.argmin(np.where(a.columns["AP"] > 0, a.columns["AP"], 1.0)))
    values[gone] = 0
    b = QueryValues("b", b.queries, {"AP": values}, np.arange(60) != gone)
    pair = compare([a, b])["b", "AP"]
    assert pair.verdict == "better"
    assert codes(pair) == ["unanswered"]
    assert (pair.common.n, pair.missing.run) == (59, 1)
    strict = compare([a, b], incomplete_above=0.0)["b", "AP"]
    assert strict.verdict == "incomplete"


@pytest.mark.parametrize("test", ["randomization", "tukey"])
def test_a_run_without_any_answer_was_not_run(test):
    a, b = run("a", np.linspace(0.1, 0.9, 20)), run("b", np.zeros(20), answered=np.zeros(20, bool))
    pair = compare([a, b], test=test)["b", "AP"]
    assert (pair.verdict, pair.common) == ("incomplete", None)
    assert "no query was answered by both" in pair.warnings[0].text


def test_the_comparison_over_common_queries_is_adjusted_with_the_others():
    runs = systems(3, 30)
    gap = QueryValues("s2", runs[2].queries, runs[2].columns, np.arange(30) > 5)
    result = compare([*runs[:2], gap])
    p = [(pair.common or pair).p_value for pair in result.comparisons]
    expected = [adjust(p[:2], "holm")[1], adjust(p[2:], "holm")[1]]
    assert [result["s2", m].common.p_adjusted for m in ("AP", "RR")] == expected
    assert result["s1", "AP"].common is None


def test_values_that_a_mean_leaves_out_are_left_out_of_the_pair():
    a = run("a", [0.1, np.nan, 0.3, 0.4, 0.2, 0.9])
    b = run("b", [0.3, 0.4, np.nan, 0.4, 0.5, 0.9])
    result = compare([a, b])
    pair = result["b", "AP"]
    assert pair.n == 4
    assert pair.baseline_mean == pytest.approx((0.1 + 0.4 + 0.2 + 0.9) / 4)
    assert result.means["a"]["AP"] == pytest.approx(1.9 / 5)
    assert str(pair.warnings[0]) == (
        "2 of 6 queries left out, because a run has no value for them (for example q001, q002)"
    )
    skipped = compare([run("a", [0.1, np.nan, 0.3]), run("b", [0.2, np.nan, 0.5])])["b", "AP"]
    assert (skipped.n, codes(skipped)) == (2, ["too-few-queries"])


def test_pairs_with_gaps_are_tested_on_their_own_queries():
    runs = systems(6, 25, measures=["AP"])
    columns = {"AP": np.where(np.arange(25) < 4, np.nan, runs[3].columns["AP"])}
    runs[3] = QueryValues("s3", runs[3].queries, columns)
    result = compare(runs, all_pairs=True, resamples=400)
    for pair in result.comparisons:
        few = "s3" in (pair.baseline, pair.run)
        assert pair.n == (21 if few else 25)
        alone = [r for r in runs if r.name in (pair.baseline, pair.run)]
        p = compare(alone, baseline=pair.baseline, resamples=400)[pair.run, "AP"].p_value
        assert pair.p_value == pytest.approx(p, abs=0.12)


def test_weights_of_queries():
    a, b = systems(2, 30, step=0.1, measures=["AP"])
    weights = {q: 1.0 + (i % 3) for i, q in enumerate(a.queries)}
    w = np.array([weights[q] for q in a.queries])
    d = b.columns["AP"] - a.columns["AP"]
    pair = compare([a, b], weights=weights)["s1", "AP"]
    assert pair.difference == pytest.approx((w * d).sum() / w.sum(), rel=1e-12)
    assert pair.effective_n == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert pair.superiority == pytest.approx(
        w @ np.select([d > 0, d == 0], [1.0, 0.5], 0.0) / w.sum()
    )
    equal = compare([a, b], weights=dict.fromkeys(a.queries, 2.0), test="t", interval="t")
    plain = compare([a, b], test="t", interval="t")
    for name in ("difference", "p_value", "ci_low", "effect_size", "detectable"):
        ours, theirs = (getattr(c["s1", "AP"], name) for c in (equal, plain))
        assert ours == pytest.approx(theirs, rel=1e-12)
    assert equal.weighted
    assert "queries weighted" in equal.method()


def test_a_query_of_weight_0_is_left_out():
    a, b = systems(2, 30, measures=["AP"])
    weights = {q: float(i >= 10) for i, q in enumerate(a.queries)}
    last = [QueryValues(r.name, r.queries[10:], {"AP": r.columns["AP"][10:]}) for r in (a, b)]
    ours, theirs = compare([a, b], weights=weights)["s1", "AP"], compare(last)["s1", "AP"]
    assert (ours.n, ours.difference, ours.wins) == (theirs.n, theirs.difference, theirs.wins)


def test_one_query_that_outweighs_all_others_decides_nothing():
    a, b = systems(2, 30, measures=["AP"])
    weights = dict.fromkeys(a.queries, 1.0) | {a.queries[0]: 1e6}
    pair = compare([a, b], weights=weights)["s1", "AP"]
    assert (pair.verdict, codes(pair)[0]) == ("untestable", "one-query")


def repeated(n, count, between, seed=0):
    """A baseline, and runs of a system whose quality varies from run to run."""
    rng = np.random.default_rng(seed)
    base = rng.beta(2, 2, n)
    repetitions = (
        run(f"x.{k}", base + 0.03 + rng.normal(0, between) + rng.normal(0, 0.05, n))
        for k in range(count)
    )
    return [run("base", base), *repetitions]


def test_repeated_runs_are_one_system_with_variance_between_runs():
    runs = repeated(60, 5, between=0.05)
    names = [r.name for r in runs[1:]]
    result = compare(runs, repeats={"x": names})
    pair = result["x", "AP"]
    assert result.runs == ("base", "x")
    assert (pair.test, pair.interval) == ("t", "t")
    values = np.array([r.columns["AP"] for r in runs[1:]])
    d = values.mean(axis=0) - runs[0].columns["AP"]
    assert pair.difference == pytest.approx(d.mean(), rel=1e-9)
    assert pair.variance.repeats == (1, 5)
    assert pair.variance.queries == pytest.approx(d.var(ddof=1) / 60, rel=1e-9)
    between = values.mean(axis=1).var(ddof=1) / 5
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    within = (rest**2).sum() / (4 * 59) / (60 * 5)
    assert pair.variance.runs == pytest.approx(between - within, rel=1e-9)
    assert pair.variance.share_of_runs > 0.5
    runs_part, queries_part = pair.variance.runs, pair.variance.queries
    reach = math.sqrt(
        stats.t.ppf(0.975, 59) ** 2 * queries_part + stats.t.ppf(0.975, 4) ** 2 * runs_part
    )
    assert (pair.ci_low, pair.ci_high) == pytest.approx((d.mean() - reach, d.mean() + reach))
    one = compare(runs[:2], test="t", interval="t")["x.0", "AP"]
    assert pair.ci_high - pair.ci_low > 2 * (one.ci_high - one.ci_low)


@pytest.mark.parametrize(("count", "shift"), [(2, 0.0), (3, 0.05), (5, 0.3)])
def test_the_p_value_of_repeated_runs_is_their_interval_turned_round(count, shift):
    base, *more = repeated(40, count, between=0.03, seed=5)
    more = [run(r.name, r.columns["AP"] + shift) for r in more]
    repeats = {"x": [r.name for r in more]}
    p = compare([base, *more], repeats=repeats)["x", "AP"].p_value
    pair = compare([base, *more], repeats=repeats, confidence=1 - p)["x", "AP"]
    assert min(abs(pair.ci_low), abs(pair.ci_high)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("count", [2, 3])
def test_intervals_of_few_repeated_runs_cover(count):
    rng = np.random.default_rng(8)
    n, trials = 200, 400
    covered = 0
    for _ in range(trials):
        noise = rng.normal(0, 0.05, (count, 1)) + rng.normal(0, 0.1, (count, n))
        system = rng.normal(0, 0.2, n) + noise
        means = Means.of(system.mean(axis=0)[None])
        parts = variance_parts(means, 0, [np.zeros((1, n)), system])
        covered += abs(float(means.mean[0])) <= parts.reach(0.025)
    assert covered / trials > 0.925  # common degrees of freedom cover 87 and 92 %


def test_runs_that_do_not_vary_add_nothing():
    base, once = repeated(40, 1, between=0.1)
    copies = [QueryValues(f"x{i}", once.queries, once.columns) for i in range(3)]
    pair = compare([base, *copies], repeats={"x": ["x0", "x1", "x2"]})["x", "AP"]
    plain = compare([base, once], test="t", interval="t")["x.0", "AP"]
    assert pair.variance.runs == 0.0
    assert pair.p_value == pytest.approx(plain.p_value, rel=1e-9)
    assert (pair.ci_low, pair.ci_high) == pytest.approx((plain.ci_low, plain.ci_high), rel=1e-9)


def test_repeated_runs_with_equal_weights_change_nothing():
    runs = repeated(30, 3, between=0.05)
    repeats = {"x": [r.name for r in runs[1:]]}
    plain = compare(runs, repeats=repeats)["x", "AP"].variance
    weighted = compare(runs, repeats=repeats, weights=dict.fromkeys(runs[0].queries, 3.0))
    ours = weighted["x", "AP"].variance
    assert (ours.queries, ours.runs, ours.n) == pytest.approx(
        (plain.queries, plain.runs, plain.n), rel=1e-9
    )


def test_two_repetitions_are_too_few():
    runs = repeated(40, 2, between=0.05)
    pair = compare(runs, repeats={"x": ["x.0", "x.1"]})["x", "AP"]
    assert "few-repeats" in codes(pair)


def test_values_that_are_all_tied():
    pair = compare([run("a", [0.1, 0.5, 0.3]), run("b", [0.1, 0.5, 0.3])])["b", "AP"]
    assert (pair.difference, pair.p_value, pair.effect_size) == (0.0, 1.0, 0.0)
    # None of three changed, which leaves a rate of changes of up to one half.
    assert (pair.ci_low, pair.ci_high) == pytest.approx((-0.488426650161, 0.488426650161))
    assert (pair.ties, pair.interval) == (3, "few")
    assert "no-difference" in codes(pair)
    assert pair.verdict == "undecided"


@pytest.mark.parametrize("test", list(TESTS))
def test_a_difference_without_variance(test):
    a = np.arange(12) / 20
    pair = compare([run("a", a), run("b", a + 0.25)], test=test)["b", "AP"]
    assert math.isnan(pair.effect_size)
    assert pair.p_value < 0.001
    if test != "tukey":  # whose interval is of all that permuting the runs gives
        assert (pair.ci_low, pair.ci_high) == pytest.approx((0.25, 0.25))
    assert codes(pair) == ["zero-variance"]
    assert pair.to_dict()["effect_size"] is None


def test_a_difference_of_one_is_a_difference():
    a = np.tile([0.0, 0.5], 10)
    pair = compare([run("a", a), run("b", a + np.repeat([0.75, 1.25], 10))])["b", "AP"]
    assert (pair.difference, pair.verdict) == (1.0, "better")


@pytest.mark.parametrize("test", list(TESTS))
def test_one_common_query(test):
    pair = compare([run("a", [0.1], ["q1"]), run("b", [0.4], ["q1"])], test=test)["b", "AP"]
    assert pair.difference == pytest.approx(0.3)
    assert math.isnan(pair.p_value)
    assert math.isnan(pair.ci_low)
    assert (pair.verdict, codes(pair)) == ("untestable", ["one-query"])


def test_noise_of_rounding_is_a_tie():
    a, b = run("a", [0.3, 0.5, 0.7]), run("b", [0.1 + 0.2, 0.5, 0.8])
    pair = compare([a, b])["b", "AP"]
    assert (pair.wins, pair.ties, pair.losses) == (1, 2, 0)


def test_comparisons_that_were_hopeless_from_the_start_say_so():
    few = compare([run("a", [0.1, 0.2, 0.3, 0.4]), run("b", [0.5, 0.7, 0.8, 0.9])])["b", "AP"]
    assert few.p_value == 0.125
    assert few.warnings[0].text == (
        "with 4 queries no outcome can be significant at 0.05; at least 6 are needed"
    )
    many = compare(systems(12, 30), all_pairs=True, resamples=1000)
    assert {n.code for n in many.warnings} == {"too-few-resamples"}
    assert "use resamples=2640 or more" in many.warnings[0].text
    assert not compare(systems(12, 30), all_pairs=True, correction="none", resamples=1000).warnings


def test_undecided_comparisons_say_what_they_could_have_found():
    a, b = systems(2, 25, step=0.01, measures=["AP"])
    pair = compare([a, b])["s1", "AP"]
    (note,) = pair.warnings
    assert (pair.verdict, note.code, note.level) == ("undecided", "underpowered", "note")
    assert f"differences of {pair.detectable:.3f} or more (80 % power)" in note.text
    assert f"for {pair.baseline_mean / 10:.3f} about" in note.text
    assert not compare([a, b], minimum_difference=0.5)["s1", "AP"].warnings


def test_measures_are_those_that_all_runs_have():
    a = QueryValues("a", ["q1", "q2"], {"AP": np.array([0.1, 0.2]), "RR": np.array([1, 1])})
    b = QueryValues("b", ["q1", "q2"], {"RR": np.array([1, 0]), "P": np.array([1, 0])})
    assert compare([a, b]).measures == ("RR",)
    with pytest.raises(UsageError, match="b has no values of AP. It has: RR, P."):
        compare([a, b], measures=["AP"])
    with pytest.raises(UsageError, match="no measure in common. a has AP. b has P."):
        compare([run("a", [1, 2]), run("b", [1, 2], measure="P")])


def test_dicts_of_pytrec_eval():
    a = QueryValues.from_dicts("a", {"1": {"map": 0.5, "P_10": 0.1}, "2": {"map": 0.1}})
    assert a.measures == ["map", "P_10"]
    assert np.isnan(a.columns["P_10"][1])
    assert compare([a, QueryValues.from_dicts("b", {"2": {"map": 0.3}, "1": {"map": 0.6}})])[
        "b", "map"
    ].difference == pytest.approx(0.15)


TWO = [run("bm25", [0.1, 0.2, 0.3]), run("dense", [0.2, 0.3, 0.3])]
IDS = ["q000", "q001", "q002"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: compare([]), UsageError, "at least two runs"),
        (lambda: compare(TWO[:1]), UsageError, "There is only 'bm25'."),
        (lambda: compare([TWO[0], TWO[0]]), UsageError, "two runs are called 'bm25'"),
        (lambda: compare(TWO, baseline="bm52"), UsageError, "Did you mean bm25?"),
        (lambda: compare(TWO, baseline="none"), UsageError, "Runs: bm25, dense."),
        (lambda: compare([TWO[0], run("x", [0.5], ["other"])]), NothingInCommonError,
         "bm25 and x have no query with a value of AP in common: bm25 has q000, q001, q002, ..."),
        (lambda: compare([TWO[0], run("x", [np.nan] * 3)]), NothingInCommonError, "in common"),
        (lambda: compare(TWO, test="wilcoxen"), UsageError, "Did you mean wilcoxon?"),
        (lambda: compare(TWO, correction="hochberg"), UsageError, "Known: holm, bh"),
        (lambda: compare(TWO, interval="normal"), UsageError, "unknown interval"),
        (lambda: compare(TWO, confidence=95), UsageError, "for 95 % use 0.95"),
        (lambda: compare(TWO, zeros="drop"), UsageError, "Known: wilcox, pratt"),
        (lambda: compare(TWO, test="tukey", correction="bh"), UsageError, "family-wise error"),
        (lambda: compare(TWO, weights=dict.fromkeys(IDS, 1), test="sign"), UsageError,
         "the sign test does not take weights"),
        (lambda: compare(TWO, weights={"q000": 1}), DataError,
         "2 queries without a weight (q001, q002)"),
        (lambda: compare(TWO, weights=dict.fromkeys(IDS, 1) | {"q001": -2}), DataError,
         "the weight of query 'q001' is -2; weights must be finite and not negative"),
        (lambda: compare(TWO, weights=dict.fromkeys(IDS, math.nan)), DataError, "is nan"),
        (lambda: compare(TWO, weights=dict.fromkeys(IDS, 0)), DataError, "all weights are 0"),
        (lambda: compare(TWO, repeats={"x": ["bm25", "dens"]}), UsageError,
         "names a run 'dens' that is not there. Did you mean dense?"),
        (lambda: compare(TWO, repeats={"x": ["bm25"], "y": ["bm25"]}), UsageError, "two systems"),
        (lambda: compare(TWO, repeats={"x": ["bm25", "dense"]}), UsageError, "only 'x'"),
        (lambda: compare([*TWO, run("c", [1, 2, 3])], repeats={"c": ["bm25", "dense"]}),
         UsageError, "both a system and a run"),
        (lambda: compare([*TWO, run("c", [1, 2, 3])], repeats={"x": ["bm25", "c"]}, test="sign"),
         UsageError, "Leave out test= and interval="),
        (lambda: run("a", [1, 2], ["q1", "q1"]), DataError, "query 'q1' has more than one row"),
        (lambda: run("a", [1, 2, 3], ["q0", "q1", "q1"]), DataError,
         "query 'q1' has more than one row"),
        (lambda: run("a", [1, 2], ["q1"]), DataError, "a: AP has 2 values for 1 query."),
        (lambda: run("a", [1, math.inf], ["q1", "q2"]), DataError, "AP of query 'q2' is infinite"),
        (lambda: QueryValues("a", ["q"], {"AP": np.array(["x"])}), DataError, "not numbers"),
        (lambda: run("a", [1], answered=np.ones(3, bool)), UsageError, "one entry per query"),
        (lambda: compare(TWO)["dnse", "AP"], UsageError, "Did you mean dense?"),
    ],
)  # fmt: skip
def test_bad_input_has_a_clear_answer(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_the_representation_shows_what_was_found():
    text = repr(compare(systems(4, 40, step=0.15), all_pairs=True, rng=4))
    assert text.startswith(
        "<Comparison all pairs (randomization test (sign flips); 10000 resamples, seed 4; "
        "Holm correction over 6 comparisons of one measure; 95 % intervals: BCa bootstrap"
    )
    assert "AP s1 - s0: +0." in text
    assert "... and 7 more" in text
    exact = compare(systems(2, 6, measures=["AP"]))
    assert "exact" in exact.method()
    wilcoxon = compare(systems(2, 6, measures=["AP"]), test="wilcoxon", zeros="pratt")
    assert "zeros pratt" in wilcoxon.method()


def test_pairs_are_found_by_name():
    result = compare(systems(3, 12), all_pairs=True)
    assert result["s0", "s2", "RR"].baseline == "s0"
    assert result["s2", "AP"].baseline == "s0"
    assert result != compare(systems(3, 12), all_pairs=True, rng=1, resamples=50)
    assert hash(result) == hash(compare(systems(3, 12), all_pairs=True))


def test_statistics_load_numpy_and_nothing_heavier():
    code = (
        "import sys, pkgutil, importlib, rankstone.stats as s\n"
        "for m in pkgutil.iter_modules(s.__path__): importlib.import_module(f'rankstone.stats.{m.name}')\n"
        "from rankstone.choices.statistics import Statistics\n"
        "from rankstone.stats.compare import compare\n"
        "from rankstone.stats.values import QueryValues\n"
        "runs = [QueryValues.from_dicts(n, {str(q): {'m': q * k % 7} for q in range(30)})"
        " for n, k in (('a', 1), ('b', 3), ('c', 5))]\n"
        "tests = ('randomization', 't', 'wilcoxon', 'sign', 'bootstrap', 'tukey')\n"
        "for t in tests: compare(runs, Statistics(test=t))\n"
        "print([m for m in ('scipy', 'pandas', 'statsmodels', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_tukey_leaves_out_queries_that_any_run_lacks_or_did_not_answer():
    runs = systems(3, 40, measures=["AP"])
    runs[2] = QueryValues(
        "s2",
        runs[2].queries,
        {"AP": np.where(np.arange(40) < 3, np.nan, runs[2].columns["AP"])},
        answered=np.arange(40) != 5,
    )
    result = compare(runs, test="tukey")
    first, second = result["s1", "AP"], result["s2", "AP"]
    assert (first.n, second.n) == (37, 37)
    assert "3 of 40 queries left out" in first.warnings[0].text
    assert first.missing is None
    assert (second.missing.run, second.common.n) == (1, 36)


def test_the_detectable_difference_of_repeated_runs_knows_of_their_variance():
    runs = repeated(60, 5, between=0.1)
    pair = compare(runs, repeats={"x": [r.name for r in runs[1:]]})["x", "AP"]
    one = compare(runs[:2], test="t")["x.0", "AP"]
    assert pair.detectable > 2 * one.detectable


def test_two_queries_are_enough_to_part_the_variance_of_repeated_runs():
    base = run("base", [0.1, 0.2])
    runs = [base, run("x.0", [0.2, 0.5]), run("x.1", [0.6, 0.9])]
    repeats = {"x": ["x.0", "x.1"]}
    parts = compare(runs, repeats=repeats)["x", "AP"].variance
    # Differences of the mean run are 0.3 and 0.5; the runs differ by 0.4 on both queries.
    assert (parts.n, parts.repeats) == (2.0, (1, 2))
    assert parts.queries == pytest.approx(0.02 / 2)
    assert parts.by_system == pytest.approx((0.0, 0.08 / 2))
    one = [QueryValues(r.name, ["q"], {"AP": r.columns["AP"][:1]}) for r in runs]
    pair = compare(one, repeats=repeats)["x", "AP"]
    assert (pair.verdict, pair.variance) == ("untestable", None)


@pytest.mark.parametrize(
    ("measures", "correction", "text"),
    [
        (["AP"], "holm", "Tukey over 3 pairs"),
        (["AP", "RR"], "none", "Tukey over 3 pairs"),
        (["AP", "RR"], "holm", "Tukey over 3 pairs, Bonferroni over 2 measures"),
    ],
)
def test_tukey_says_over_what_it_corrects(measures, correction, text):
    runs = systems(3, 12, measures=measures)
    options = {"family": "all"}
    if correction != "holm":
        options["correction"] = correction
    result = compare(runs, baseline=None, all_pairs=True, test="tukey", resamples=100, **options)
    assert result.correction_in_words() == text


def test_means_of_a_pair_are_over_the_queries_of_both():
    a = run("a", [0.1, 0.2, 0.6, np.nan, np.nan])
    b = run("b", [0.3, 0.5, np.nan, np.nan, np.nan])
    result = compare([a, b])
    pair = result["b", "AP"]
    assert (pair.n, pair.baseline_mean, pair.mean) == (2, pytest.approx(0.15), 0.4)
    assert result.means["a"]["AP"] == pytest.approx(0.3)
    assert [m.query for m in pair.improved] == ["q001", "q000"]


def test_the_part_of_missing_answers_is_of_the_queries_that_count():
    a = run("a", [0.2, 0.2, 0.2, np.nan, 0.4])
    b = run("b", [0.0, 0.4, 0.3, 0.5, 0.5], answered=np.array([False, True, True, True, True]))
    missing = compare([a, b])["b", "AP"].missing
    assert (missing.baseline, missing.run) == (0, 1)
    assert missing.difference == pytest.approx(-0.2 / 4)
    assert missing.share == pytest.approx(0.2 / (0.2 + 0.4))


def test_tukey_over_measures_gives_no_p_value_above_1():
    runs = systems(3, 12, step=0.0)
    pairs = compare(runs, all_pairs=True, test="tukey", resamples=200, family="all").comparisons
    assert all(p.p_adjusted == min(2 * p.p_value, 1.0) for p in pairs)
    assert max(2 * p.p_value for p in pairs) > 1.0


def values_of(name, values, queries=None, measure="AP", **options):
    ids = [f"q{i:02}" for i in range(len(values))] if queries is None else queries
    return QueryValues(name, ids, {measure: np.array(values, np.float64)}, **options)


def pair_of(first, second, **options):
    return compare([values_of("a", first), values_of("b", second)], **options)["b", "AP"]


def without_ties(count, n, measures=("AP",), seed=1):
    rng = np.random.default_rng(seed)
    ids = [f"q{i:02}" for i in range(n)]
    return [
        QueryValues(f"s{k}", ids, {m: rng.random(n) + 0.05 * k for m in measures})
        for k in range(count)
    ]


@pytest.mark.parametrize("limit", [0.0, 0.5, 1.0])
def test_a_limit_of_missing_answers_is_a_share(limit):
    """All of the difference comes from one query, which is not more than all of it."""
    a = values_of("a", [0.5, 0.5, 0.5])
    b = values_of("b", [0.0, 0.5, 0.5], answered=np.array([False, True, True]))
    pair = compare([a, b], incomplete_above=limit)["b", "AP"]
    assert pair.missing.share == 1.0
    assert pair.incomplete == (limit < 1)


@pytest.mark.parametrize("limit", [-0.01, 1.01, 1.5, math.nan])
def test_other_limits_of_missing_answers_are_refused(limit):
    with pytest.raises(
        UsageError, match="incomplete_above must be (from 0 to 1|a finite number), not"
    ):
        Setup.of("compare", {"incomplete_above": limit})


@pytest.mark.parametrize(("options", "count"), [({}, 5), ({"moved": 0}, 0), ({"moved": 2}, 2)])
def test_so_many_queries_that_moved_are_listed(options, count):
    change = np.array([6, 5, 4, 3, 2, 1, -1, -2, -3, -4, -5, -6, 0]) / 20
    pair = pair_of(np.full(13, 0.5), 0.5 + change, **options)
    assert [m.query for m in pair.improved] == ["q00", "q01", "q02", "q03", "q04"][:count]
    assert [m.query for m in pair.worsened] == ["q11", "q10", "q09", "q08", "q07"][:count]


def test_unless_said_a_comparison_is_with_the_first_at_95_percent():
    result = compare(without_ties(3, 20))
    assert (result.baseline, result.confidence, result.resamples, result.seed) == (
        "s0", 0.95, 10_000, 0,
    )  # fmt: skip
    assert [(p.baseline, p.run) for p in result.comparisons] == [("s0", "s1"), ("s0", "s2")]
    assert (result.weighted, result.correction, result.test) == (False, "holm", "randomization")


def test_at_most_three_queries_are_named_if_none_is_common():
    a, b = values_of("a", [0.1] * 4, ["q1", "q2", "q3", "q4"]), values_of("b", [0.2], ["x"])
    with pytest.raises(NothingInCommonError) as caught:
        compare([a, b])
    assert str(caught.value) == (
        "a and b have no query with a value of AP in common: a has q1, q2, q3, ...; b has x, .... "
        "Compare values on the same queries."
    )


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        (1, "1 query without a weight (q00). "),
        (3, "3 queries without a weight (q00, q01, q02). "),
        (4, "4 queries without a weight (q00, q01, q02, ...). "),
        (5, "5 queries without a weight (q00, q01, q02, ...). "),
    ],
)
def test_at_most_three_queries_without_a_weight_are_named(missing, text):
    weights = {f"q{i:02}": 1.0 for i in range(missing, 6)}
    with pytest.raises(DataError) as caught:
        pair_of([0.1] * 6, [0.2] * 6, weights=weights)
    assert str(caught.value) == f"{text}Give every query one; 0 leaves it out."


def test_of_several_faults_the_first_is_named():
    values = [0.1, 0.2, 0.3]
    with pytest.raises(DataError, match="AP of query 'q01' is infinite"):
        values_of("a", [0.1, math.inf, -math.inf])
    with pytest.raises(UsageError, match="two runs are called 'b'"):
        compare(
            [
                values_of("a", values),
                values_of("b", values),
                values_of("c", values),
                values_of("b", values),
            ]
        )
    with pytest.raises(DataError, match="the weight of query 'q01' is -1"):
        pair_of(values, values, weights={"q00": 1, "q01": -1, "q02": -2})
    with pytest.raises(DataError, match="the weight of query 'q00' is inf"):
        pair_of(values, values, weights={"q00": math.inf, "q01": 1, "q02": -2})
    with pytest.raises(UsageError, match="b has no values of AP. It has: RR."):
        compare(
            [values_of("a", values), *(values_of(n, values, measure="RR") for n in "bc")],
            measures=["AP"],
        )


def test_at_most_three_runs_are_named_if_no_measure_is_common():
    runs = [
        values_of(name, [0.1, 0.2], measure=measure)
        for name, measure in zip("abcd", "WXYZ", strict=True)
    ]
    with pytest.raises(UsageError) as caught:
        compare(runs)
    assert str(caught.value) == ("the runs have no measure in common. a has W. b has X. c has Y.")


def test_measures_are_in_the_order_of_the_first_run():
    columns = {"B": np.array([0.1, 0.2]), "A": np.array([0.3, 0.4]), "C": np.array([0.5, 0.6])}
    a = QueryValues("a", ["q1", "q2"], columns)
    b = QueryValues("b", ["q1", "q2"], dict(sorted(columns.items())))
    assert compare([a, b]).measures == ("B", "A", "C")
    assert compare([b, a]).measures == ("A", "B", "C")
    assert compare([a, b], measures=["C", "A"]).measures == ("C", "A")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_value_of_a_system_is_the_mean_of_its_runs(count):
    runs = [values_of(f"x{i}", [0.1 + 0.2 * i, 0.4 * i, 0.3]) for i in range(count)]
    base = values_of("base", [0.0, 0.2, 0.1])
    pair = compare([base, *runs], repeats={"x": [r.name for r in runs]})["x", "AP"]
    means = np.mean([r.columns["AP"] for r in runs], axis=0)
    assert pair.mean == pytest.approx(means.mean(), rel=1e-12)
    assert pair.difference == pytest.approx(means.mean() - 0.1, rel=1e-12)
    assert {m.query: m.value for m in (*pair.improved, *pair.worsened)} == pytest.approx(
        {q: v for q, v, b in zip(base.queries, means, base.columns["AP"], strict=True) if v != b}
    )


def test_two_queries_can_be_tested():
    assert pair_of([0.1, 0.2], [0.3, 0.5]).p_value == 0.5  # two of four choices of signs
    assert pair_of([0.1, 0.2], [0.3, 0.5], test="sign").p_value == 0.5
    assert math.isnan(pair_of([0.1], [0.3]).p_value)


@pytest.mark.parametrize("third", [0.0, 1e-3])
def test_two_queries_of_equal_weight_can_be_tested(third):
    weights = {"q00": 1.0, "q01": 1.0, "q02": third}
    pair = pair_of([0.1, 0.2, 0.3], [0.3, 0.5, 0.3], weights=weights)
    assert pair.effective_n >= 2
    assert pair.p_value == 0.5
    heavy = pair_of([0.1, 0.2, 0.3], [0.3, 0.5, 0.3], weights=weights | {"q00": 1.1, "q02": 0.0})
    assert heavy.effective_n < 2
    assert math.isnan(heavy.p_value)


def test_pairs_with_gaps_among_all_pairs_are_tested_on_their_own_queries():
    runs = without_ties(5, 11)
    runs[2].columns["AP"][3] = np.nan
    together = compare(runs, all_pairs=True)
    for first, second in combinations(runs, 2):
        alone = compare([first, second])[second.name, "AP"].p_value
        assert together[first.name, second.name, "AP"].p_value == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize(
    ("confidence", "p", "significant"),
    [
        (0.95, 0.05, True),
        (0.95, 0.05 + 1e-13, True),
        (0.95, 0.05 + 1e-11, False),
        (0.9, 0.1, True),
        (0.5, 0.5 + 1e-12, True),
        (0.5, 0.5 + 2e-12, False),
    ],
)
def test_p_of_one_minus_the_confidence_is_significant(confidence, p, significant):
    pair = pair_of([0.1, 0.2, 0.3], [0.3, 0.5, 0.4])
    pair = replace(pair, confidence=confidence, p_adjusted=p)
    assert pair.significant == significant
    assert pair.verdict == ("better" if significant else "undecided")
    assert not replace(pair, incomplete=True).significant
    assert replace(pair, difference=0.0).verdict == "undecided"
    assert replace(pair, difference=-0.1).verdict == ("worse" if significant else "undecided")


@pytest.mark.parametrize(
    ("low", "high", "code", "level"),
    [
        (0.1, 0.2, "survives-holes", "note"),
        (-0.2, -0.1, "survives-holes", "note"),
        (0.0, 0.2, "holes", "warning"),
        (-0.2, 0.0, "holes", "warning"),
        (-0.1, 0.2, "holes", "warning"),
    ],
)
def test_unjudged_documents_reverse_what_may_be_0(low, high, code, level):
    rng = np.random.default_rng(3)
    values = rng.random(20)
    a = values_of("a", values, unjudged={"AP": (0.25, 0.5)})
    b = values_of(
        "b", values + 0.2 + rng.normal(0, 0.01, 20), unjudged={"AP": (0.5 + low, 0.25 + high)}
    )
    pair = with_holes(compare([a, b]), [a, b])["b", "AP"]
    notice = pair.warnings[-1]
    assert (pair.verdict, notice.code, notice.count, notice.level) == ("better", code, 1, level)
    assert notice.text.endswith(f"the difference is from {low:+.3f} to {high:+.3f}")


def test_the_share_of_missing_answers_is_rounded():
    (notice,) = advice.unanswered([("a", 1), ("b", 0)], 0.904, 0.95, 4)
    assert notice.text == "a has no answer for 1 query; 90 % of the difference comes from them"
