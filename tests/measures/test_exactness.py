"""Numbers against oracles of 50 digits and of fractions."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from loading import collection
from strategies import as_collection, examples

import rankstone as rs
from rankstone.core import pairs, segments
from rankstone.core.discounts import DISCOUNTS, discount, discount_sums, log2
from rankstone.measures.dcg import exponential
from rankstone.measures.summation import Terms, total

mpmath.mp.dps = 50


def ulps(value, exact):
    return abs(mpmath.mpf(value) - exact) / math.ulp(float(exact))


def measured(found, missed, *names):
    judgments, run = as_collection(found, missed)
    result = rs.evaluate(judgments, run, names)
    return [result[n] for n in names]


numbers = st.floats(-1e9, 1e9).filter(lambda x: x == 0 or abs(x) > 1e-9)
nonzero = numbers.filter(bool)


def exactly(pair):
    """Return what a pair stands for, as fractions."""
    return [
        Fraction(h) + Fraction(r) for h, r in zip(*(part.tolist() for part in pair), strict=True)
    ]


def pair(high, share):
    """Return a number with digits behind its own, as a pair."""
    return np.array([high]), np.array([high * share * 2.0**-54])


@given(numbers, numbers, st.integers(0, 2**26 - 1))
def test_sums_and_products_of_two_numbers_are_exact(a, b, whole):
    one, other, short = np.array([a]), np.array([b]), np.array([float(whole)])
    assert exactly(pairs.two_sum(one, other)) == [Fraction(a) + Fraction(b)]
    assert exactly(pairs.two_product(one, other)) == [Fraction(a) * Fraction(b)]
    assert exactly(pairs.short_product(short, other)) == [whole * Fraction(b)]


@given(nonzero, nonzero, st.floats(-1, 1), st.floats(-1, 1))
def test_pairs_hold_a_hundred_bits(a, b, more, less):
    """Sums relative to the terms, all else relative to the result."""
    x, y = pair(a, more), pair(b, less)
    (p,), (q,) = exactly(x), exactly(y)
    tiny = Fraction(1, 2**100)
    size = abs(p) + abs(q)
    assert abs(exactly(pairs.add(x, y))[0] - (p + q)) <= tiny * size
    assert abs(exactly(pairs.subtract(x, y))[0] - (p - q)) <= tiny * size
    assert abs(exactly(pairs.multiply(x, y))[0] - p * q) <= tiny * abs(p * q)
    assert abs(exactly(pairs.divide(x, y))[0] - p / q) <= tiny * abs(p / q)
    ratio = Fraction(a) / Fraction(b)
    assert abs(exactly(pairs.quotient(x[0], y[0]))[0] - ratio) <= tiny * abs(ratio)


@pytest.mark.parametrize("base", [0.1, 0.8, 0.95, 1.0, 3.0])
def test_powers_hold_a_hundred_bits(base):
    exponent = np.array([0, 1, 2, 3, 7, 8, 63, 100])
    for n, power in zip(exponent.tolist(), exactly(pairs.power(base, exponent)), strict=True):
        assert abs(power - Fraction(base) ** n) <= Fraction(base) ** n / 2**92
    assert exponent.tolist() == [0, 1, 2, 3, 7, 8, 63, 100]  # what was given stays


@pytest.mark.parametrize("sizes", [(40,), (7, 0, 1, 30, 2), (25, 25), (0, 3, 3, 3)])
def test_running_pairs_hold_ninety_bits(sizes):
    rng = np.random.default_rng(5)
    offsets = segments.offsets_of(np.array(sizes))
    high = rng.random(offsets[-1]) * 10.0 ** -rng.integers(0, 6, offsets[-1])
    values = high, high * (rng.random(offsets[-1]) - 0.5) * 2.0**-53
    factors = 1 - high / 10, high * 2.0**-58
    sums = exactly(pairs.running_sum(values, offsets))
    products = exactly(pairs.running_product(factors, offsets))
    terms, each = exactly(values), exactly(factors)
    for begin, end in pairwise(offsets.tolist()):
        total, product, whole = Fraction(0), Fraction(1), sum(terms[begin:end])
        for i in range(begin, end):
            total += terms[i]
            assert abs(sums[i] - total) <= whole / 2**95
            assert abs(products[i] - product) <= product / 2**90
            product *= each[i]


def test_products_that_vanish_stay_numbers():
    """Below what a float64 holds, a product is 0, and so is what rounding took from it."""
    factors = np.full(400, 0.125), np.full(400, 2.0**-60)
    high, low = pairs.running_product(factors, np.array([0, 400]))
    assert high.tolist() == [0.125**i for i in range(400)]
    assert np.isfinite(low).all()
    assert low[0] == 0
    assert low[-1] == 0


long_rankings = st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 4]), min_size=1, max_size=300)


def test_log2_is_right_to_sixty_bits():
    n = np.unique(np.concatenate([np.arange(1, 4000), 2 ** np.arange(1, 50), 10 ** np.arange(12)]))
    high, low = log2(n.astype(np.float64))
    for number, h, rest in zip(n.tolist(), high.tolist(), low.tolist(), strict=True):
        exact = mpmath.log(number, 2)
        assert abs(mpmath.mpf(h) + mpmath.mpf(rest) - exact) <= abs(exact) * mpmath.mpf(2) ** -60


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("log2", lambda i: 1 / mpmath.log(i + 1, 2)),
        ("jarvelin", lambda i: 1 / mpmath.log(max(i, 2), 2)),
        ("log2+1", lambda i: 1 / (mpmath.log(i, 2) + 1)),
        ("reciprocal", lambda i: mpmath.mpf(1) / i),
        ("none", lambda _: mpmath.mpf(1)),
    ],
)
def test_discounts_are_right_to_sixty_bits(name, exact):
    ranks = np.array([1, 2, 3, 4, 7, 10, 99, 1000, 123456, 10**9])
    high, low = discount(ranks, name)
    for rank, h, rest in zip(ranks.tolist(), high.tolist(), low.tolist(), strict=True):
        wanted = exact(rank)
        assert abs(mpmath.mpf(h) + mpmath.mpf(rest) - wanted) <= wanted * mpmath.mpf(2) ** -58


def dcg(grades, gain, k=None):
    terms = [gain(g) / mpmath.log(i + 2, 2) for i, g in enumerate(grades[:k])]
    return mpmath.fsum(terms)


@settings(max_examples=examples(300))
@given(long_rankings, st.sampled_from(["linear", "exp2"]), st.sampled_from([None, 5, 100]))
def test_logarithmic_measures_are_within_one_ulp(found, name, k):
    gain = (lambda g: mpmath.mpf(g)) if name == "linear" else (lambda g: mpmath.mpf(2**g - 1))
    found = [1, *found]
    ideal = dcg(sorted(found, reverse=True), gain, k)
    actual = dcg(found, gain, k)
    got_dcg, got_ndcg = measured(found, [], rs.DCG(gain=name, k=k), rs.nDCG(gain=name, k=k))
    assert ulps(got_dcg, actual) <= 1
    assert ulps(got_ndcg, actual / ideal) <= 1


@settings(max_examples=examples(300))
@given(long_rankings, st.lists(st.integers(0, 2), max_size=30), st.integers(1, 50))
def test_ratios_of_counts_are_correctly_rounded(found, missed, k):
    found = [1, *found]
    relevant = sum(g >= 1 for g in found + missed)
    hits = sum(g >= 1 for g in found[:k])
    first = next(i for i, g in enumerate(found, 1) if g >= 1)
    names = (rs.P @ k, rs.R @ k, rs.F @ k, rs.RR, rs.Success @ k)
    exact = (
        Fraction(hits, k),
        Fraction(hits, relevant),
        Fraction(2 * hits, relevant + k),
        Fraction(1, first),
        Fraction(1),
    )
    assert measured(found, missed, *names) == [float(x) for x in exact]


@settings(max_examples=examples(200))
@given(long_rankings, st.lists(st.integers(0, 2), max_size=30))
def test_average_precision_is_within_two_ulp(found, missed):
    found = [0, 1, *found]
    ranks = [i for i, g in enumerate(found, 1) if g >= 1]
    relevant = sum(g >= 1 for g in found + missed)
    total = sum(Fraction(n, rank) for n, rank in enumerate(ranks, 1)) / relevant
    (got,) = measured(found, missed, rs.AP)
    assert ulps(got, mpmath.mpf(total.numerator) / total.denominator) <= 2


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1), st.integers(1, 2000))
def test_the_expected_share_not_judged_is_within_two_ulp(documents, k):
    """Also at cutoffs where nearly all are judged, so that a difference would lose digits."""
    judged = {f"d{i}": 1 for i, (_, known) in enumerate(documents) if known} or {"other": 1}
    scores = {f"d{i}": float(score) for i, (score, _) in enumerate(documents)}
    exact, above = Fraction(0), 0
    for score in (3, 2, 1, 0):
        tie = [known for own, known in documents if own == score]
        first = max(0, min(len(tie), k - above))
        exact += Fraction(first * tie.count(False), max(len(tie), 1) * k)
        above += len(tie)
    measure = rs.measures.Unjudged @ k
    got = rs.evaluate({"q": judged}, {"q": scores}, measure, ties="expected")[measure]
    assert abs(Fraction(got) - exact) <= 2 * Fraction(math.ulp(float(exact)))


@settings(max_examples=examples(300))
@given(st.lists(st.sampled_from([1, 0, -1, None]), min_size=1, max_size=60))
def test_inferred_average_precision_is_within_four_ulp(found):
    e, total = Fraction(1, 100_000), Fraction(0)
    for i, grade in enumerate(found):
        above = found[:i]
        hits, others = above.count(1), above.count(0)
        if grade == 1:
            seen = (hits + e) / (hits + others + 2 * e)
            pool = hits + others + above.count(-1)
            total += Fraction(1, i + 1) + Fraction(pool, i + 1) * seen
    exact = total / (found.count(1) + 1)
    (got,) = measured(found, [1], rs.infAP)
    assert abs(Fraction(got) - exact) <= 4 * Fraction(math.ulp(float(exact)))


@settings(max_examples=examples(200))
@given(long_rankings, st.sampled_from([4, 7]), st.sampled_from(["reciprocal", "log2"]))
def test_err_is_its_definition(found, top, name):
    left, total = mpmath.mpf(1), mpmath.mpf(0)
    for rank, grade in enumerate(found, 1):
        stop = mpmath.mpf(2**grade - 1) / 2**top
        worth = mpmath.mpf(1) / rank if name == "reciprocal" else 1 / mpmath.log(rank + 1, 2)
        total += worth * stop * left
        left *= 1 - stop
    (got,) = measured([*found, 0], [], rs.ERR(max_grade=top, discount=name))
    assert abs(got - total) <= 8 * math.ulp(float(total))


@given(
    st.lists(st.lists(st.floats(-1e9, 1e9), max_size=40), min_size=1, max_size=8),
)
def test_segment_sums_are_those_of_fsum(lists):
    offsets = segments.offsets_of(np.array([len(x) for x in lists]))
    values = np.array([v for x in lists for v in x], np.float64)
    got = segments.total(values, offsets)
    for x, y in zip(lists, got.tolist(), strict=True):
        assert y == pytest.approx(math.fsum(x), rel=1e-15, abs=1e-12)


@pytest.mark.parametrize("largest", [1.0, 1e-290, 1e290])
def test_segment_sums_of_any_size_are_right_to_the_last_bit(largest):
    rng = np.random.default_rng(3)
    offsets = segments.offsets_of(np.array([300, 0, 1, 700]))
    values = largest * rng.random(1001) * 10.0 ** -rng.integers(0, 12, 1001)
    low = values * 2.0**-55
    got = segments.total(values, offsets, low).tolist()
    for (a, b), y in zip(pairwise(offsets.tolist()), got, strict=True):
        assert y == math.fsum([*values[a:b].tolist(), *low[a:b].tolist()])


@pytest.mark.parametrize("name", list(DISCOUNTS))
def test_sums_of_discounts_are_right_to_the_last_bit_but_one(name):
    begin = np.array([0, 0, 3, 10, 999, 5, (1 << 20) - 3])
    end = np.array([1, 4, 3, 500, 1003, 70_000, (1 << 20) + 2])
    for kept in (slice(0, 6), slice(0, 7)):  # with and without ranks beyond the table
        got = discount_sums(begin[kept], end[kept], name).tolist()
        for a, b, y in zip(begin.tolist(), end.tolist(), got, strict=False):
            high, low = discount(np.arange(a + 1, b + 1), name)
            exact = mpmath.fsum(map(mpmath.mpf, [*high.tolist(), *low.tolist()]))
            assert abs(y - exact) <= math.ulp(y)


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(2, 400))
def test_rows_of_one_length_have_the_sums_of_any_segments(seed, rows, width):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=rows * width) * 10.0 ** rng.integers(-8, 8, rows * width)
    low = values * 2.0**-54
    # An empty segment at the end, so that lengths differ.
    offsets = segments.offsets_of(np.array([width] * rows + [0]))
    any_length = segments.total(values, offsets, low)[:-1]
    assert segments.total(values, offsets[:-1], low).tolist() == any_length.tolist()


@given(st.lists(st.lists(st.floats(0, 1), max_size=20), min_size=1, max_size=6))
def test_running_products_restart_with_each_segment(lists):
    offsets = segments.offsets_of(np.array([len(x) for x in lists]))
    values = np.array([v for x in lists for v in x], np.float64)
    expected = [math.prod(x[:i]) for x in lists for i in range(len(x))]
    assert segments.running_product(values, offsets).tolist() == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_a_perfect_ranking_is_exactly_one_at_any_depth(n):
    grades = sorted((i % 5 for i in range(n)), reverse=True) or [1]
    grades[0] = 4
    shapes = [
        rs.nDCG(gain=gain, discount=name, k=k)
        for gain in ("linear", "exp2", "binary", {0: 0.3, 1: 0.5, 2: 1, 3: 1.7, 4: 2})
        for name in DISCOUNTS
        for k in (None, 10)
    ]
    assert measured(grades, [], *shapes, "AP", "AP@10") == [1.0] * len(shapes) + [
        1.0,
        min(1.0, 10 / max(1, sum(g >= 1 for g in grades))),
    ]


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.sampled_from(["linear", "exp2"]), st.sampled_from([None, 7, 100]))
def test_a_large_table_has_the_bits_of_its_rows(seed, gain, k):
    """Whole gains in a table are added up by an exact matrix product: the same bits."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 5, (45, 100))
    scores = rng.permuted(np.tile(np.arange(100.0), (45, 1)), axis=1)
    for measure in (rs.DCG(gain=gain, k=k), rs.nDCG(gain=gain, k=k), rs.nDCG(ideal="uncut", k=k)):
        whole = measure(grades, scores)
        assert whole.tolist() == [measure(g, s) for g, s in zip(grades, scores, strict=True)]


def test_fractions_in_a_large_table_take_the_long_way():
    rng = np.random.default_rng(1)
    grades, scores = rng.random((50, 100)), rng.random((50, 100))
    whole = rs.nDCG(grades, scores)
    assert whole.tolist() == [rs.nDCG(g, s) for g, s in zip(grades, scores, strict=True)]


@pytest.mark.parametrize("name", list(DISCOUNTS))
@pytest.mark.parametrize("top", [1, 4, 255, 3000, 2**30])
@pytest.mark.parametrize("shape", [(1, 5), (3, 300), (40, 200)])
def test_sums_of_whole_gains_are_right_to_the_last_bit(name, top, shape):
    """Few or many numbers, discounts in two parts or three, or gains too large for either."""
    rng = np.random.default_rng(top)
    grades = rng.integers(0, top + 1, shape).astype(float)
    scores = rng.random(shape)
    values = rs.DCG(discount=name)(grades, scores)
    normalised = rs.nDCG(discount=name)(grades, scores)
    high, low = discount(np.arange(1, shape[1] + 1), name)
    parts = [
        mpmath.mpf(h) + mpmath.mpf(r) for h, r in zip(high.tolist(), low.tolist(), strict=True)
    ]
    for row in range(min(3, shape[0])):
        ranked = grades[row][np.argsort(-scores[row])].tolist()
        exact = mpmath.fsum(g * p for g, p in zip(ranked, parts, strict=True))
        best = sorted(ranked, reverse=True)
        ideal = mpmath.fsum(g * p for g, p in zip(best, parts, strict=True))
        assert ulps(values[row], exact) <= 0.5000001
        assert ulps(normalised[row], exact / ideal) <= 2


@pytest.mark.parametrize("misses", [1, 2, 5, 50])
@pytest.mark.parametrize("found", [20, 200, 1000])
def test_log_odds_far_from_0_have_thirteen_digits(found, misses):
    """Of rankings that are nearly perfect, and of their reverse."""
    for grades in ([1] * found + [0] * misses + [1], [0] * misses * 20 + [1] * 3 + [0] + [1]):
        ranks = [i for i, g in enumerate(grades, 1) if g]
        s = sum(Fraction(n, rank) for n, rank in enumerate(ranks, 1))
        odds = (1 + s) / (1 + len(ranks) - s)
        exact = mpmath.log(mpmath.mpf(odds.numerator) / odds.denominator)
        assert measured(grades, [], rs.measures.YAAP)[0] == pytest.approx(float(exact), rel=1e-13)


def test_exponential_gains_of_any_grade_are_within_two_ulp():
    grades = np.concatenate([np.arange(400) / 37, np.arange(200) / 1000, [1e-9, 1e-5, 20.5, 50.3]])
    for grade, gain in zip(grades.tolist(), exponential(grades).tolist(), strict=True):
        exact = mpmath.mpf(2) ** mpmath.mpf(grade) - 1
        assert ulps(gain, exact) <= 2  # NumPy's powers differ by processor: 1.03 has been seen


def test_a_constant_is_added_to_a_sum_before_it_is_rounded():
    ranked = collection([["a", "b"]], [["a", "b"]]).ranked(rs.Conventions())
    (value,) = total(Terms(ranked, np.array([0.1, 0.2]), constant=np.array([-0.3])))
    assert value == float(Fraction(0.1) + Fraction(0.2) - Fraction(0.3)) != 0.1 + 0.2 - 0.3
