"""Agreement of rankings, orderings and judgments, against published values and by definition."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from rankstone.errors import DataError, UsageError
from rankstone.stats import agreement
from rankstone.stats.judges import alpha_of, coincidences, confusions, fleiss_of, kappa_of
from rankstone.stats.rank_biased_overlap import Ranking, overlap_at, rbo
from rankstone.stats.rank_correlation import inversions, kendall_tau, tau_ap

scores = st.lists(st.integers(0, 5), min_size=2, max_size=30)
pairs_of_scores = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
)


@st.composite
def tied_rankings(draw, items="abcdefgh", most=6):
    """A ranking of some items, some of them tied."""
    chosen = draw(st.permutations(items))[: draw(st.integers(1, most))]
    groups, i = [], 0
    while i < len(chosen):
        size = draw(st.integers(1, 3))
        groups.append(list(chosen[i : i + size]))
        i += size
    return groups


# --- RBO -------------------------------------------------------------------------------------

X = ["red", {"blue", "green"}, "yellow", "pink"]
Y = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]


@pytest.mark.parametrize(
    ("ties", "extrapolated", "minimum", "maximum"),
    [
        ("a", 0.6922853, 0.3310519, 0.8930692),
        ("w", 0.7068257, 0.3429684, 0.9049857),
        ("b", 0.7207131, 0.3509163, 0.9129336),
    ],
)
def test_rbo_with_ties_has_the_values_that_its_authors_publish(
    ties, extrapolated, minimum, maximum
):
    ours = rbo(X, Y, 0.95, ties)
    assert (ours.extrapolated, ours.minimum, ours.maximum) == pytest.approx(
        (extrapolated, minimum, maximum), abs=5e-8
    )
    assert ours.residual == pytest.approx(0.5620173, abs=5e-8)
    assert rbo(Y, X, 0.95, ties) == ours


@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
def test_rbo_follows_the_formulas_of_webber_moffat_and_zobel(p):
    s, t = "abcdefg", "cazxbyd"
    k = 7
    overlap = [len(set(s[:d]) & set(t[:d])) for d in range(1, k + 1)]
    sum1 = sum((x - overlap[-1]) / d * p**d for d, x in enumerate(overlap, 1))
    minimum = (1 - p) / p * (sum1 - overlap[-1] * math.log(1 - p))
    extrapolated = overlap[-1] / k * p**k + (1 - p) / p * sum(
        x / d * p**d for d, x in enumerate(overlap, 1)
    )
    ours = rbo(s, t, p)
    assert (ours.minimum, ours.extrapolated) == pytest.approx((minimum, extrapolated), abs=1e-12)


def long_sum(s, t, p, depth=4000):
    """RBO of rankings that are known to a great depth."""
    seen_s, seen_t, total = set(), set(), 0.0
    for d in range(1, depth + 1):
        seen_s.add(s(d))
        seen_t.add(t(d))
        total += p**d * len(seen_s & seen_t) / d
    return (1 - p) / p * total


@settings(max_examples=40, deadline=None)
@given(st.permutations("abcdef"), st.permutations("abcdxy"), st.integers(1, 6), st.integers(1, 6))
def test_rbo_is_between_its_bounds_however_rankings_go_on(s, t, m, n):
    p = 0.8
    ours = rbo(s[:m], t[:n], p)

    # Two ways to go on: with items of their own, and with the whole alphabet in the same order.
    def apart(prefix, name):
        return lambda d: prefix[d - 1] if d <= len(prefix) else f"{name}{d}"

    value = long_sum(apart(s[:m], "s"), apart(t[:n], "t"), p, 200)
    assert ours.minimum == pytest.approx(value, abs=1e-9)
    assert -1e-12 <= ours.minimum <= ours.extrapolated + 1e-12
    assert ours.extrapolated <= ours.maximum + 1e-12 <= 1 + 2e-12
    assert ours.residual == pytest.approx(ours.maximum - ours.minimum)
    # Each goes on with what it lacks of the other, then both with the same items.
    rest_s = [*s[:m], *(i for i in t[:n] if i not in s[:m])]
    rest_t = [*t[:n], *(i for i in s[:m] if i not in t[:n])]
    best = long_sum(
        lambda d: rest_s[d - 1] if d <= len(rest_s) else d,
        lambda d: rest_t[d - 1] if d <= len(rest_t) else d,
        p, 200,
    )  # fmt: skip
    assert best <= ours.maximum + 1e-9


@settings(max_examples=40, deadline=None)
@given(tied_rankings(), tied_rankings("cdefghij"))
def test_rbo_a_is_the_mean_over_all_orders_of_ties(x, y):
    assume(math.prod(math.factorial(len(g)) for g in [*x, *y]) <= 400)

    def orders(groups):
        for parts in itertools.product(*(itertools.permutations(g) for g in groups)):
            yield [item for part in parts for item in part]

    values = [rbo(a, b, 0.85).minimum for a in orders(x) for b in orders(y)]
    assert rbo(x, y, 0.85, "a").minimum == pytest.approx(np.mean(values), abs=1e-12)


@given(tied_rankings(), st.floats(0.1, 0.99))
def test_a_ranking_agrees_with_itself(x, p):
    assert rbo(x, x, p, "w").extrapolated == pytest.approx(1.0, abs=1e-12)
    assert rbo(x, x, p, "b").extrapolated == pytest.approx(1.0, abs=1e-12)
    assert rbo(x, x, p, "a").extrapolated <= 1.0 + 1e-12


@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("n", [1, 3, 10, 30, 100])
def test_bounds_of_rbo_are_exact(n, p):
    same, other = rbo(range(n), range(n), p), rbo(range(n), range(n, 2 * n), p)
    assert (same.extrapolated, same.maximum) == (1.0, 1.0)
    assert (other.extrapolated, other.minimum) == (0.0, 0.0)


@given(tied_rankings(), tied_rankings("efghijkl"))
def test_forms_of_rbo_are_ordered_and_symmetric(x, y):
    a, b = rbo(x, y, 0.9, "a"), rbo(x, y, 0.9, "b")
    assert a.extrapolated <= b.extrapolated + 1e-12
    assert rbo(y, x, 0.9, "b").extrapolated == pytest.approx(b.extrapolated, abs=1e-12)
    if all(len(g) == 1 for g in [*x, *y]):
        same = [rbo(x, y, 0.9, t).to_dict() | {"ties": ""} for t in "wab"]
        assert same[0] == pytest.approx(same[1])
        assert same[0] == pytest.approx(same[2])


def test_rankings_come_from_scores_or_from_lists():
    by_score = {"d": 1.0, "a": 9.0, "c": 4.0, "b": 4.0}
    assert rbo(by_score, ["a", {"b", "c"}, "d"]) == rbo(["a", ["c", "b"], "d"], by_score)
    ranking = Ranking.of(by_score)
    assert (ranking.top.tolist(), ranking.bottom.tolist()) == ([1, 2, 2, 4], [1, 3, 3, 4])
    assert Ranking.of(ranking) is ranking


def test_overlap_at_a_depth():
    assert overlap_at("abcd", "bxay", 2) == 0.5
    assert overlap_at("abcd", "ab", 4) == 0.5
    assert overlap_at("abcd", "ab", 100) == 0.5
    # Either of b and c is second.
    assert overlap_at(["a", {"b", "c"}], "abc", 2) == 0.75


# --- tau and tau-AP --------------------------------------------------------------------------


@given(pairs_of_scores)
def test_tau_b_is_that_of_scipy(pair):
    x, y = pair
    theirs = stats.kendalltau(x, y).statistic
    ours = kendall_tau(x, y, "b")
    assert (math.isnan(ours) and math.isnan(theirs)) or ours == pytest.approx(theirs, abs=1e-12)


@given(pairs_of_scores)
def test_tau_a_counts_pairs(pair):
    x, y = pair
    signs = [np.sign(a - b) * np.sign(c - d)
             for (a, c), (b, d) in itertools.combinations(zip(x, y, strict=True), 2)]  # fmt: skip
    assert kendall_tau(x, y, "a") == pytest.approx(np.mean(signs), abs=1e-12)


@given(st.lists(st.integers(0, 9), max_size=60))
def test_inversions_are_pairs_out_of_order(values):
    expected = sum(a > b for a, b in itertools.combinations(values, 2))
    assert inversions(np.array(values)) == expected


# Two vectors, and the values of their authors' package: form a of both and with the second one
# rounded, form b of both and with both rounded.
PUBLISHED = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        (0.8333, 0.7321),
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        (0.2880, 0.297),
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        (-0.668, -0.7047),
    ),
]


@pytest.mark.parametrize(("x", "y", "values"), PUBLISHED)
def test_tau_ap_has_the_values_that_its_authors_publish(x, y, values):
    tied_x, tied_y = np.round(x, 1), np.round(y, 1)
    ours = tau_ap(x, y), tau_ap(tied_x, tied_y)
    assert ours == pytest.approx(values, abs=5e-5)


def test_tau_ap_of_ties_alone_is_not_known():
    assert math.isnan(tau_ap([1, 1, 1], [1, 2, 3]))


# --- judges ----------------------------------------------------------------------------------


def kappa(x, y, power=0):
    return kappa_of(confusions(x, y, np.zeros(len(x), np.int64))[1][0], power)


def table_of(ratings):
    ratings = np.array(ratings, np.float64)
    return coincidences(ratings, np.zeros(ratings.shape[1], np.int64))[0]


@given(pairs_of_scores, st.sampled_from([None, "linear", "quadratic"]))
def test_kappa_is_that_of_scikit_learn(pair, weights):
    x, y = pair
    ours = kappa(x, y, [None, "linear", "quadratic"].index(weights))
    if len({*x, *y}) == 1:
        assert math.isnan(ours)
        return
    theirs = cohen_kappa_score(x, y, weights=weights)
    assert ours == pytest.approx(theirs, abs=1e-12)


@given(pairs_of_scores)
def test_confusion_is_that_of_scikit_learn(pair):
    x, y = pair
    assume(len({*x, *y}) > 1)
    table = agreement.judgments(x, y).confusion
    assert np.array_equal(table.counts, confusion_matrix(x, y, labels=sorted({*x, *y})))
    assert table.grades == tuple(sorted({*map(float, x), *map(float, y)}))
    assert table.agreement == pytest.approx(np.mean(np.array(x) == np.array(y)))


KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def test_alpha_has_the_value_that_krippendorff_publishes():
    rows = [[math.nan if v == "." else float(v) for v in line.split()]
            for line in KRIPPENDORFF.strip().splitlines()]  # fmt: skip
    assert alpha_of(table_of(rows)) == pytest.approx(0.815, abs=5e-4)


def test_judgments_are_compared_in_every_way():
    first, second = [0, 0, 1, 2, 3, 1], [0, 1, 1, 2, 2, 0]
    result = agreement.judgments(first, second, only_first=4, only_second=1)
    assert (result.n, result.only_first, result.only_second) == (6, 4, 1)
    assert result.agreement == 0.5
    assert result.kappa == pytest.approx(cohen_kappa_score(first, second))
    assert result.kappa_linear == pytest.approx(cohen_kappa_score(first, second, weights="linear"))
    binary = [[int(g >= 1) for g in grades] for grades in (first, second)]
    assert result.kappa_relevant == pytest.approx(cohen_kappa_score(*binary))
    strict = agreement.judgments(first, second, relevant_from=2)
    assert strict.kappa_relevant == 1.0
    data = result.to_dict()
    assert data["confusion"]["counts"][3] == [0, 0, 1, 0]
    assert agreement.judgments([1, 1], [1, 1]).to_dict()["kappa"] is None


# --- orderings and rankings ------------------------------------------------------------------


def test_orderings_of_systems():
    first = {"a": 0.1, "b": 0.2, "c": 0.3, "only": 0.5}
    result = agreement.orderings(first, {"c": 0.4, "b": 0.1, "a": 0.3})
    assert result.systems == ("a", "b", "c")
    assert result.swapped == (("a", "b"),)
    assert result.tau_a == pytest.approx(1 / 3)
    assert result.to_dict()["swapped"] == [["a", "b"]]
    tied = agreement.orderings({"a": 0.1, "b": 0.1}, {"a": 0.1, "b": 0.2})
    assert tied.swapped == ()
    assert tied.to_dict()["tau_b"] is None


def test_rankings_are_compared_in_every_way():
    result = agreement.rankings({"a": 3, "b": 2, "c": 2, "d": 1}, ["b", "a", "x"], depths=[1, 2])
    assert (result.first_length, result.second_length, result.common) == (4, 3, 2)
    assert (result.tau_a, result.tau_b) == (-1.0, -1.0)
    assert result.overlap == {1: 0.0, 2: 0.75}
    assert result.rbo == rbo({"a": 3, "b": 2, "c": 2, "d": 1}, ["b", "a", "x"])
    apart = agreement.rankings("ab", "cd")
    assert math.isnan(apart.tau_a)
    assert apart.to_dict()["tau_ap"] is None
    assert apart.to_dict()["overlap"] == {"10": 0.0}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rbo("ab", ""), DataError, "a ranking is empty"),
        (lambda: rbo("aa", "ab"), DataError, "'a' is in the ranking twice"),
        (lambda: rbo({"a": math.nan}, "ab"), DataError, "the score of 'a' is not a number"),
        (lambda: rbo("ab", "ab", 1.0), UsageError, "p must be between 0 and 1"),
        (lambda: rbo("ab", "ab", 0.9, "c"), UsageError, "Known: w, a, b"),
        (lambda: overlap_at("ab", "ab", 0), UsageError, "k must be at least 1"),
        (lambda: kendall_tau([1, 2], [1, 2, 3]), UsageError, "not 2 and 3"),
        (lambda: kendall_tau([1], [1]), DataError, "at least two items"),
        (lambda: kendall_tau([1, math.nan], [1, 2]), DataError, "not a number"),
        (lambda: kendall_tau([1, 2], [1, 2], "c"), UsageError, "form of tau"),
        (lambda: agreement.judgments([1], [1, 2]), UsageError, "not 1 and 2"),
        (lambda: agreement.judgments([], []), DataError, "no document in common"),
        (lambda: agreement.judgments([math.nan], [1]), DataError, "a grade is not a number"),
        (lambda: agreement.orderings({"a": 1}, {"a": 2}), DataError, "at least two systems"),
    ],
)  # fmt: skip
def test_bad_input_has_a_clear_answer(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_one_common_item_has_no_order():
    found = agreement.rankings("ab", "ac")
    assert found.common == 1
    assert all(map(math.isnan, (found.tau_a, found.tau_b, found.tau_ap)))
    assert (found.rbo.p, found.rbo.ties, found.overlap) == (0.9, "a", {10: 0.5})


def test_systems_that_one_ordering_ties_are_not_swapped():
    first, second = {"a": 0.1, "b": 0.2, "c": 0.3}, {"a": 0.5, "b": 0.5, "c": 0.4}
    assert agreement.orderings(first, second).swapped == (("a", "c"), ("b", "c"))
    assert agreement.orderings(second, first).swapped == (("a", "c"), ("b", "c"))


def test_judgments_of_the_same_documents_leave_none_to_one_judge():
    found = agreement.judgments([0, 1, 2], [0, 1, 1])
    assert (found.n, found.only_first, found.only_second) == (3, 0, 0)
    assert found.kappa_relevant == 1.0  # grade 1 is relevant


def test_intervals_of_agreement_cover():
    rng = np.random.default_rng(3)

    def drawn(queries, size):
        first = rng.integers(0, 3, queries * size)
        wrong = np.repeat(rng.beta(2, 6, queries), size)  # queries differ in how hard they are
        second = np.where(rng.random(len(first)) < wrong, rng.integers(0, 3, len(first)), first)
        return first, second, np.repeat(np.arange(queries), size)

    a, b, _ = drawn(40_000, 10)
    truth = {"kappa": kappa(a, b), "alpha": alpha_of(table_of([a, b]))}
    assert agreement.judgments(a, b).alpha == pytest.approx(truth["alpha"], abs=1e-12)
    inside = dict.fromkeys(truth, 0)
    for _ in range(300):
        x, y, queries = drawn(40, 10)
        found = agreement.judgments(x, y, queries=queries.tolist())
        for name, value in truth.items():
            low, high = found.intervals[name]
            inside[name] += low <= value <= high
    assert all(0.90 <= count / 300 <= 0.985 for count in inside.values())
    assert found.caution is None
    assert found.bias[None] == pytest.approx((y - x).mean())
    few = agreement.judgments([0, 1, 1, 2], [0, 1, 2, 2])
    assert "4 documents of 4 queries say little" in few.caution
    assert np.isnan(agreement.judgments([1], [1]).intervals["kappa"]).all()


def test_fleiss_kappa_is_that_of_statsmodels():
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(4)
    for judges in (3, 5):
        ratings = rng.integers(0, 4, (judges, 60))
        ratings[:, ::2] = ratings[0, ::2]
        table, _ = inter_rater.aggregate_raters(ratings.T)
        expected = inter_rater.fleiss_kappa(table)
        assert fleiss_of(table_of(ratings)) == pytest.approx(expected, abs=1e-12)
