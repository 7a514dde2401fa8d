"""Comparisons at their edges: the last value that is still fine, and the first that is not."""

import math
from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from rankstone.errors import DataError, NothingInCommonError, UsageError
from rankstone.stats import advice, p_values, tests
from rankstone.stats.compare import compare
from rankstone.stats.comparison import with_holes
from rankstone.stats.intervals import check_confidence, expansion
from rankstone.stats.repeats import VarianceParts
from rankstone.stats.resampling import on_grid, seed_of
from rankstone.stats.values import QueryValues


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


# Options ---------------------------------------------------------------------------------------


def test_a_confidence_is_between_0_and_1():
    for confidence in (1e-9, 0.5, 0.95, 1 - 1e-9):
        assert check_confidence(confidence) == confidence
    for wrong in (0, 0.0, 1, 1.0, 1.5, -0.5, True, math.nan, "0.95", None):
        with pytest.raises(UsageError) as caught:
            check_confidence(wrong)
        assert str(caught.value) == (
            f"confidence must be between 0 and 1, not {wrong!r}; for 95 % use 0.95."
        )


@pytest.mark.parametrize("limit", [0.0, 0.5, 1.0])
def test_a_limit_of_missing_answers_is_a_share(limit):
    """All of the difference comes from one query, which is not more than all of it."""
    a = run("a", [0.5, 0.5, 0.5])
    b = run("b", [0.0, 0.5, 0.5], answered=np.array([False, True, True]))
    pair = compare([a, b], incomplete_above=limit)["b", "AP"]
    assert pair.missing.share == 1.0
    assert pair.incomplete == (limit < 1)


@pytest.mark.parametrize("limit", [-0.01, 1.01, 1.5, math.nan])
def test_other_limits_of_missing_answers_are_refused(limit):
    with pytest.raises(UsageError, match="incomplete_above must be from 0 to 1, not"):
        pair_of([0.1, 0.2], [0.2, 0.3], incomplete_above=limit)


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


# Values of runs --------------------------------------------------------------------------------


def test_at_most_three_queries_are_named_if_none_is_common():
    a, b = run("a", [0.1] * 4, ["q1", "q2", "q3", "q4"]), run("b", [0.2], ["x"])
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
        run("a", [0.1, math.inf, -math.inf])
    with pytest.raises(UsageError, match="two runs are called 'b'"):
        compare([run("a", values), run("b", values), run("c", values), run("b", values)])
    with pytest.raises(DataError, match="the weight of query 'q01' is -1"):
        pair_of(values, values, weights={"q00": 1, "q01": -1, "q02": -2})
    with pytest.raises(DataError, match="the weight of query 'q00' is inf"):
        pair_of(values, values, weights={"q00": math.inf, "q01": 1, "q02": -2})
    with pytest.raises(UsageError, match="b has no values of AP. It has: RR."):
        compare([run("a", values), *(run(n, values, measure="RR") for n in "bc")], measures=["AP"])


def test_at_most_three_runs_are_named_if_no_measure_is_common():
    runs = [
        run(name, [0.1, 0.2], measure=measure) for name, measure in zip("abcd", "WXYZ", strict=True)
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
    runs = [run(f"x{i}", [0.1 + 0.2 * i, 0.4 * i, 0.3]) for i in range(count)]
    base = run("base", [0.0, 0.2, 0.1])
    pair = compare([base, *runs], repeats={"x": [r.name for r in runs]})["x", "AP"]
    means = np.mean([r.columns["AP"] for r in runs], axis=0)
    assert pair.mean == pytest.approx(means.mean(), rel=1e-12)
    assert pair.difference == pytest.approx(means.mean() - 0.1, rel=1e-12)
    assert {m.query: m.value for m in (*pair.improved, *pair.worsened)} == pytest.approx(
        {q: v for q, v, b in zip(base.queries, means, base.columns["AP"], strict=True) if v != b}
    )


# p-values --------------------------------------------------------------------------------------


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


def test_pairs_with_gaps_among_all_pairs_are_tested_on_their_own_queries():
    runs = without_ties(5, 11)
    runs[2].columns["AP"][3] = np.nan
    together = compare(runs, all_pairs=True)
    for first, second in combinations(runs, 2):
        alone = compare([first, second])[second.name, "AP"].p_value
        assert together[first.name, second.name, "AP"].p_value == pytest.approx(alone, rel=1e-12)


def test_repeated_runs_that_are_the_same_have_the_p_value_of_one():
    """However small it is: no runs vary, so there is nothing but Student's t."""
    rng = np.random.default_rng(6)
    base = rng.random(60)
    better = base + 0.5 + rng.normal(0, 0.001, 60)
    runs = [run("base", base), run("x.0", better), run("x.1", better)]
    p = compare(runs, repeats={"x": ["x.0", "x.1"]})["x", "AP"].p_value
    assert p == compare(runs[:2], test="t")["x.0", "AP"].p_value
    assert 0 < p < 1e-100


def sized(pairs, runs):
    return SimpleNamespace(pairs=range(pairs), values=range(runs))


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


# Repeated runs ---------------------------------------------------------------------------------


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


# What is found ---------------------------------------------------------------------------------


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
    a = run("a", values, unjudged={"AP": (0.25, 0.5)})
    b = run("b", values + 0.2 + rng.normal(0, 0.01, 20), unjudged={"AP": (0.5 + low, 0.25 + high)})
    pair = with_holes(compare([a, b]), [a, b])["b", "AP"]
    notice = pair.warnings[-1]
    assert (pair.verdict, notice.code, notice.count, notice.level) == ("better", code, 1, level)
    assert notice.text.endswith(f"the difference is from {low:+.3f} to {high:+.3f}")


def test_the_share_of_missing_answers_is_rounded():
    (notice,) = advice.unanswered([("a", 1), ("b", 0)], 0.904, 0.95, 4)
    assert notice.text == "a has no answer for 1 query; 90 % of the difference comes from them"


@pytest.mark.parametrize(("n", "factor"), [(1, 1.0), (2, 2.0), (3, 1.5), (5, 1.25)])
def test_what_makes_up_for_too_small_a_variance(n, factor):
    assert expansion(np.array([float(n)]))[0] == math.sqrt(factor)


# Random numbers --------------------------------------------------------------------------------


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
