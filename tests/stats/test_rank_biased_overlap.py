"""Agreement of rankings, orderings and judges at the limits of what they take."""

import itertools
import math
import random

import numpy as np
import pytest

from rankstone.errors import DataError, UsageError
from rankstone.stats.rank_biased_overlap import overlap_at, rbo
from rankstone.stats.rank_correlation import kendall_tau, tau_ap


@pytest.mark.parametrize("p", [0.0, 1.0, 1.5, -0.5, math.nan])
def test_a_persistence_is_between_0_and_1(p):
    with pytest.raises(UsageError) as caught:
        rbo("ab", "ab", p)
    assert str(caught.value) == f"p must be between 0 and 1, not {p!r}."


@pytest.mark.parametrize("p", [0.3, 0.9])
def test_rankings_that_agree_on_one_late_item_overlap_little(p):
    """Of infinite rankings that share nothing but the fourth item."""
    tail = -math.log(1 - p) - sum(p**d / d for d in (1, 2, 3))
    found = rbo("abcx", "defx", p)
    assert found.minimum == pytest.approx((1 - p) / p * tail, rel=1e-12)
    rest = p**4 / 4 + p**5 / (1 - p) / 4
    assert found.extrapolated == pytest.approx((1 - p) / p * rest, rel=1e-12)


@pytest.mark.parametrize("p", [0.3, 0.9])
def test_unseen_items_may_be_any_of_those_that_are_tied(p):
    """At depth 3 the long ranking has one and a half of its own three items."""
    found = rbo("a", ["a", "x", {"y", "z"}], p)
    # The agreement is 1 but at depth 3, where 2 unseen items add 4/3 to 1, at most 3/2.
    assert found.extrapolated == pytest.approx(1 - (1 - p) * p**2 * (1 - 7 / 9), rel=1e-12)
    assert found.maximum == pytest.approx(1 - (1 - p) * p**2 * (1 - 5 / 6), rel=1e-12)


def orders(groups):
    """Return all orders of a ranking with ties."""
    ways = itertools.product(*(itertools.permutations(sorted(group)) for group in groups))
    return [[item for group in way for item in group] for way in ways]


def test_of_which_values_ties_are_the_mean_over_all_orders():
    rng = random.Random(7)
    for _ in range(25):
        lengths = [rng.randint(1, 5), rng.randint(1, 5)]
        pair = []
        for length in lengths:
            items = rng.sample("abcdefg", length)
            ends = sorted({0, length, *rng.choices(range(1, length + 1), k=2)})
            pair.append([items[i:j] for i, j in itertools.pairwise(ends)])
        tied = rbo(*pair, 0.8)
        every = [rbo(one, other, 0.8) for one in orders(pair[0]) for other in orders(pair[1])]
        names = ["minimum", "extrapolated", "maximum"]
        for name in names if lengths[0] == lengths[1] else names[:1]:
            mean = sum(getattr(one, name) for one in every) / len(every)
            assert getattr(tied, name) == pytest.approx(mean, rel=1e-12), (name, pair)
    # a agrees with a; at depth 2 the unseen item is half of x or y, not the one that comes next.
    uneven = rbo("a", ["a", {"x", "y"}], 0.5)
    assert uneven.extrapolated == pytest.approx(1 - 0.5 * 0.5 * (1 - (1 + 1 / 2) / 2))
    assert {rbo("a", order, 0.5).extrapolated for order in ("axy", "ayx")} == {1.0}


@pytest.mark.parametrize("p", [0.5, 0.9, 0.99, 0.999])
def test_rounding_makes_no_overlap_larger_than_1(p):
    for n in range(1, 9):
        for k in range(1, n + 1):
            found = rbo(range(n), range(k), p)
            assert found.extrapolated == pytest.approx(1.0, abs=1e-12)
            assert max(found.minimum, found.extrapolated, found.maximum) <= 1.0


@pytest.mark.parametrize(
    ("items", "twice"), [("aba", "a"), ("abcbc", "b"), (["a", {"b"}, "b"], "b")]
)
def test_the_first_item_that_is_there_twice_is_named(items, twice):
    with pytest.raises(DataError) as caught:
        rbo(items, "xy")
    assert str(caught.value) == f"{twice!r} is in the ranking twice. Keep its first occurrence."


def test_the_first_score_that_is_not_a_number_is_named():
    with pytest.raises(DataError, match="the score of 'b' is not a number: no rank."):
        rbo({"a": 1.0, "b": math.nan, "c": math.nan}, "xy")


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_overlap_at_every_depth(k):
    assert overlap_at("abcd", "bcda", k) == [0.0, 0.5, 2 / 3, 1.0, 1.0][k - 1]


def test_a_correlation_needs_two_items():
    assert kendall_tau([1, 2], [2, 1]) == -1.0
    assert tau_ap([1, 2], [2, 1]) == -1.0
    for correlation in (kendall_tau, tau_ap):
        with pytest.raises(DataError, match="an ordering needs at least two items"):
            correlation([1], [1])
        with pytest.raises(UsageError, match="equally many scores, not 4 and 4"):
            correlation(np.ones((2, 2)), np.ones((2, 2)))


def test_orderings_of_more_items_than_are_compared_at_once():
    items = np.arange(1100)
    assert (tau_ap(items, items), tau_ap(items, -items)) == (1.0, -1.0)
