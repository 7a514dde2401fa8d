"""Corrections and power, against statsmodels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import examples

from rankstone.errors import DataError, UsageError
from rankstone.stats import advice
from rankstone.stats.bootstrap import Means
from rankstone.stats.corrections import CORRECTIONS, adjust
from rankstone.stats.power import (
    detectable_by,
    detectable_difference,
    plan,
    power_of,
    queries_needed,
    root,
)

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.fixture(scope="module")
def multitest():
    return pytest.importorskip("statsmodels.stats.multitest")


@settings(max_examples=examples(100))
@given(p=p_values, correction=st.sampled_from(["holm", "bonferroni", "bh"]))
def test_adjusted_p_values_are_those_of_statsmodels(multitest, p, correction):
    theirs = multitest.multipletests(p, method=correction.replace("bh", "fdr_bh"))[1]
    assert adjust(p, correction) == pytest.approx(theirs, abs=1e-12)


@given(p_values)
def test_no_correction_keeps_p_values_and_all_others_raise_them(p):
    assert adjust(p, "none").tolist() == p
    for correction in CORRECTIONS:
        adjusted = adjust(p, correction)
        assert (adjusted >= np.array(p) * (1 - 1e-12)).all()
        assert adjusted.max() <= 1


@given(p_values, st.sampled_from(list(CORRECTIONS)), st.randoms())
def test_the_order_of_comparisons_changes_nothing(p, correction, random):
    order = list(range(len(p)))
    random.shuffle(order)
    assert (
        adjust([p[i] for i in order], correction).tolist() == adjust(p, correction)[order].tolist()
    )


def test_what_could_not_be_tested_is_not_counted():
    adjusted = adjust([0.01, np.nan, 0.04], "holm")
    assert adjusted.tolist()[::2] == [0.02, 0.04]
    assert np.isnan(adjusted[1])
    with pytest.raises(UsageError, match="unknown correction 'homl'. Did you mean holm?"):
        adjust([0.5], "homl")


@pytest.mark.parametrize("n", [3, 10, 25, 50, 200, 5000])
@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("alpha", [0.05, 0.005])
def test_power_is_that_of_statsmodels(n, effect, alpha):
    power = pytest.importorskip("statsmodels.stats.power")
    theirs = power.TTestPower().power(effect, n, alpha)
    if np.isnan(theirs):  # statsmodels gives up on powers near 1
        theirs = 1.0
    allowed = 1e-9 if theirs < 1 else 1e-4
    assert power_of(n, 0.3 * effect, 0.3, alpha=alpha) == pytest.approx(theirs, abs=allowed)


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 3000), st.sampled_from([0.05, 0.01, 0.0005]), st.floats(0.3, 0.95))
def test_the_detectable_difference_has_the_power_that_was_aimed_at(n, alpha, power):
    difference = detectable_difference(n, 0.25, alpha=alpha, power=power)
    assert power_of(n, difference, 0.25, alpha=alpha) == pytest.approx(power, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.08, 2.0), st.sampled_from([0.05, 0.01]), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_queries_needed_are_the_fewest(effect, alpha, power):
    n = queries_needed(effect, 1.0, alpha=alpha, power=power)
    assert power_of(n, effect, 1.0, alpha=alpha) >= power
    assert n == 2 or power_of(n - 1, effect, 1.0, alpha=alpha) < power


def test_the_detectable_difference_of_a_comparison_is_that_of_its_differences():
    d = np.random.default_rng(1).normal(0, 0.2, (1, 40))
    ours = detectable_by(Means.of(d), 0.05)[0]
    assert ours == pytest.approx(detectable_difference(40, d.std(ddof=1)), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_two_queries_are_the_fewest_that_detect_anything(n):
    values = np.array([[0.1, 0.3, -0.2][:n]])
    found, alone = detectable_by(Means.of(values), 0.05)[0], detectable_difference(n, 0.2)
    assert math.isnan(found) == math.isnan(alone) == (n == 1)
    if n > 1:
        assert found == pytest.approx(alone / 0.2 * values.std(ddof=1), rel=1e-12)
    else:
        with pytest.raises(UsageError, match="power needs n of at least 2"):
            power_of(n, 0.1, 0.2)


def test_a_plan_from_pilot_data():
    pilot = np.array([0.1, -0.1, 0.2, 0.0, 0.3, 0.1, -0.2, np.nan, 0.0])
    ours = plan(pilot, n=200, difference=0.02, comparisons=4)
    assert (ours.pilot_n, ours.n, ours.difference) == (8, 200, 0.02)
    assert ours.sd == pytest.approx(np.nanstd(pilot, ddof=1))
    assert ours.queries == queries_needed(0.02, ours.sd, alpha=0.0125)
    assert ours.detectable == detectable_difference(200, ours.sd, alpha=0.0125)
    assert plan(pilot).difference == pytest.approx(np.nanmean(pilot))
    assert plan(np.array([0.1, -0.1])).queries is None
    assert ours.to_dict()["queries"] == ours.queries
    plain = plan(pilot, difference=0.02)
    assert (plain.alpha, plain.power, plain.comparisons, plain.n) == (0.05, 0.8, 1, 8)
    assert plain.queries == queries_needed(0.02, plain.sd, alpha=0.05, power=0.8)


def test_significance_is_at_five_percent_unless_said():
    assert power_of(50, 0.05, 0.12) == power_of(50, 0.05, 0.12, alpha=0.05)
    assert queries_needed(0.05, 0.12) == queries_needed(0.05, 0.12, alpha=0.05, power=0.8) == 48
    found = detectable_difference(50, 0.12)
    assert found == detectable_difference(50, 0.12, alpha=0.05, power=0.8)


@pytest.mark.parametrize("effect", [0.3, 0.45, 0.61, 1.0, 2.5])
def test_one_query_less_than_needed_is_too_few(effect):
    n = queries_needed(effect, 1.0)
    assert power_of(n - 1, effect, 1.0) < 0.8 <= power_of(n, effect, 1.0)
    assert power_of(2, effect, 1.0) < 0.8  # two queries are the fewest that can be tested


def test_queries_beyond_a_thousand_million_are_infinitely_many():
    # About (1.96 + 0.8416)^2 / effect^2 queries.
    assert queries_needed(1e-4, 1.0) == pytest.approx(7.849e8, rel=1e-3)
    assert queries_needed(8.9e-5, 1.0) == pytest.approx(9.909e8, rel=1e-3)
    assert queries_needed(8.8e-5, 1.0) == math.inf  # it would take 1.0136e9
    assert plan(np.array([1.0, -1.0, 0.5]), difference=1e-5).to_dict()["queries"] is None


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plan(np.array([0.1])), DataError, "a pilot of 1 query"),
        (lambda: plan(np.array([0.1, 0.1, 0.1])), DataError, "the same for every query"),
        (lambda: plan(np.array([0.1, 0.3]), comparisons=0), UsageError, "at least 1"),
        (lambda: queries_needed(0.0, 0.2), UsageError, "must not be 0"),
        (lambda: power_of(1, 0.1, 0.2), UsageError, "n of at least 2"),
        (lambda: power_of(9, 0.1, 0.0), UsageError, "sd above 0"),
        (lambda: power_of(9, 0.1, 0.2, alpha=5), UsageError, "alpha must be between 0 and 1"),
        (lambda: detectable_difference(9, 0.2, power=80), UsageError, "power must be"),
    ],
)
def test_plans_that_cannot_be_made(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("crossing", [1e-3, 0.3, 1.0, 1.05, 1.2, 7.0, 1e3])
@pytest.mark.parametrize("bent", [False, True])
def test_a_root_is_found_wherever_it_is(crossing, bent):
    """In the bracket, at its ends, below and above it; in few steps."""
    calls = []

    def function(x):
        calls.append(x)
        return x**3 - crossing**3 if bent else x - crossing

    assert root(function, 1.0, 1.2) == pytest.approx(crossing, rel=1e-12)
    assert len(calls) < 80


# Warnings: the last number that says nothing, and the first that does -------------------------


def said(notices):
    """Return the code, the number and the level of the only notice, None if there is none."""
    return [(n.code, n.count, n.level) for n in notices] or None


@pytest.mark.parametrize(
    ("n", "resamples", "factor", "alpha", "code", "needed"),
    [
        (5, None, 1, 0.05, "too-few-queries", "at least 6 are needed"),
        (6, None, 1, 0.05, None, None),
        (5, None, 1, 0.0625, None, None),
        (1, None, 1, 0.05, "too-few-queries", "with 1 query no outcome"),
        (6, None, 2, 0.05, "too-few-queries", "at least 7 are needed"),
        (7, None, 2, 0.05, None, None),
        (9, 18, 1, 0.05, "too-few-resamples", "use resamples=40 or more"),
        (9, 19, 1, 0.05, None, None),
        (9, 59, 3, 0.05, None, None),
        (9, 58, 3, 0.05, "too-few-resamples", "use resamples=120 or more"),
    ],
)
def test_when_no_outcome_can_be_significant(n, resamples, factor, alpha, code, needed):
    """With n queries p is at least 2 / 2^n, with r resamples 1 / (r + 1), times the correction."""
    found = advice.hopeless(n, resamples, factor, alpha)
    assert [notice.code for notice in found] == [code] * (code is not None)
    assert all(needed in notice.text and notice.level == "warning" for notice in found)


@pytest.mark.parametrize(
    ("n", "effective", "ties", "error", "wanted"),
    [
        (1, 1.0, 0, 0.1, ("one-query", 1, "warning")),
        (2, 1.9, 0, 0.1, ("one-query", 2, "warning")),
        (2, 2.0, 0, 0.1, None),
        (2, 2.0, 2, 0.0, ("no-difference", 2, "note")),
        (2, 2.0, 1, 0.0, ("zero-variance", 2, "warning")),
        (3, 3.0, 2, 0.1, None),
    ],
)
def test_what_too_little_variation_means(n, effective, ties, error, wanted):
    assert said(advice.degenerate(n, effective, ties, error)) == (wanted and [wanted])


@pytest.mark.parametrize(
    ("counts", "share", "common", "wanted"),
    [
        ([("a", 1), ("b", 0)], 0.2, 4, ("unanswered", 1, "note")),
        ([("a", 1), ("b", 2)], 0.25, 4, ("unanswered", 3, "note")),
        ([("a", 1), ("b", 2)], 0.26, 4, ("incomplete", 3, "warning")),
        ([("a", 1), ("b", 2)], 0.1, 0, ("incomplete", 3, "warning")),
    ],
)
def test_when_missing_answers_decide(counts, share, common, wanted):
    (notice,) = advice.unanswered(counts, share, 0.25, common)
    assert (notice.code, notice.count, notice.level) == wanted
    assert notice.text.startswith("a has no answer for 1 query")
    assert ("b has no answer for 2 queries" in notice.text) == (counts[1][1] == 2)
    if common:
        assert f"; {share * 100:.0f} % of the difference comes from them" in notice.text
    if wanted[0] == "incomplete" and common:
        assert "(more than 25 %)" in notice.text
        assert "the 4 queries that both answered" in notice.text


def test_queries_left_out_are_counted_and_some_are_named():
    (notice,) = advice.left_out([1, 2, 3, 4], 9)
    assert (notice.count, notice.level, notice.examples) == (4, "note", ("1", "2", "3"))
    assert notice.text.startswith("4 of 9 queries left out")


@pytest.mark.parametrize(("repeats", "said"), [((2, 3), 1), ((3, 3), 0), ((1, 2), 1)])
def test_two_runs_are_few(repeats, said):
    assert [n.count for n in advice.few_repeats(repeats)] == [2] * said


def test_when_a_worthwhile_difference_would_be_missed():
    """About ((z_0.975 + z_0.8) sd / difference)^2 + z_0.975^2 / 2 queries are needed."""
    assert advice.underpowered(25, 0.1, 0.1, 0.02, 0.05) == []
    assert advice.underpowered(25, 0.1, 0.0, 0.02, 0.05) == []
    (notice,) = advice.underpowered(25, 0.1001, 0.05, 0.02, 0.05)
    needed = math.ceil(((1.959964 + 0.841621) * 0.02 * 5 / 0.05) ** 2 + 1.959964**2 / 2)
    assert f"differences of 0.100 or more (80 % power); for 0.050 about {needed} " in notice.text
    assert (notice.code, notice.count, notice.level) == ("underpowered", 25, "note")


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


def test_pilots_need_two_queries():
    with pytest.raises(DataError, match="a pilot of 1 query does not show"):
        plan(np.array([0.1, np.nan]))
    assert plan(np.array([0.1, 0.2])).pilot_n == 2
