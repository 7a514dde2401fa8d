"""Segments and discounts against sums that are added up one by one."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from rankstone.core import discounts, pairs, segments
from rankstone.core.discounts import (
    DISCOUNTS,
    discount,
    discount_sums,
    exact_sums,
    first_discounts,
    limbs,
    plain_log2,
    plain_log2_ranks,
)

SHAPES = [[], [0], [1], [3], [2, 2], [1, 1, 1], [1, 0, 3], [0, 0, 2, 0, 3], [4, 1, 2], [0, 5, 0], [0, 0], [3, 3, 3, 3]]  # fmt: skip


def cases():
    """Yield numbers, their offsets and the lists they stand for."""
    for sizes in SHAPES:
        offsets = np.cumsum([0, *sizes], dtype=np.int64)
        numbers = (np.arange(offsets[-1]) * 7) % 5 - 1
        yield numbers, offsets, [numbers[a:b].tolist() for a, b in pairwise(offsets.tolist())]


def flat(lists):
    return [value for one in lists for value in one]


def running(one, add=lambda a, b: a + b):
    out = []
    for value in one:
        out.append(add(out[-1], value) if out else value)
    return out


def test_places_and_numbers_of_segments():
    for _, offsets, lists in cases():
        assert segments.lengths(offsets).tolist() == [*map(len, lists)]
        assert segments.numbers(offsets).tolist() == flat(
            [[i] * len(x) for i, x in enumerate(lists)]
        )
        assert segments.positions(offsets).tolist() == flat([range(len(x)) for x in lists])
        assert segments.offsets_of(segments.lengths(offsets)).tolist() == offsets.tolist()
        widths = {*map(len, lists)}
        assert segments.width_of(offsets) == (widths.pop() if len(widths) == 1 else None)


def test_counts_of_segments():
    for numbers, offsets, lists in cases():
        mask = numbers > 0
        assert segments.count(mask, offsets).tolist() == [sum(v > 0 for v in x) for x in lists]
        kept = np.cumsum([0, *(sum(v > 0 for v in x) for x in lists)])
        assert segments.keep(mask, offsets).tolist() == kept.tolist()
        ups = flat([running([int(v > 0) for v in x]) for x in lists])
        assert segments.running_count(mask, offsets).tolist() == ups
        assert segments.running_total(numbers, offsets).tolist() == flat(map(running, lists))


def test_sums_of_segments():
    for numbers, offsets, lists in cases():
        values = numbers / 10
        tens = [[v / 10 for v in x] for x in lists]
        assert segments.total(values, offsets).tolist() == [math.fsum(x) for x in tens]
        low = np.full(len(values), 2.0**-60)
        more = [math.fsum([*x, *[2.0**-60] * len(x)]) for x in tens]
        assert segments.total(values, offsets, low).tolist() == more
        assert segments.plain_total(values, offsets).tolist() == [
            running(x)[-1] if x else 0 for x in tens
        ]
        assert segments.running_sum(values, offsets).tolist() == flat(map(running, tens))
        high, rest = segments.total_parts(values, offsets, low)
        for h, r, x in zip(high.tolist(), rest.tolist(), tens, strict=True):
            exact = sum(map(Fraction, x), Fraction(0)) + len(x) * Fraction(1, 2**60)
            assert abs(Fraction(h) + Fraction(r) - exact) <= abs(exact) / 2**100


def test_products_of_segments():
    for numbers, offsets, lists in cases():
        before = [[math.prod(x[:i]) for i in range(len(x))] for x in lists]
        found = segments.running_product(numbers.astype(float), offsets).tolist()
        assert found == flat(before)
        product = segments.running(np.multiply, numbers, offsets).tolist()
        assert product == flat([running(x, lambda a, b: a * b) for x in lists])


def test_running_sums_of_few_long_and_of_many_short_segments():
    for sizes in ([1, 30, 2], [2, 1] * 20, [5, 0, 4, 0, 3] * 3):
        offsets = np.cumsum([0, *sizes])
        values = np.arange(offsets[-1]) / 7
        lists = [values[a:b].tolist() for a, b in pairwise(offsets.tolist())]
        assert segments.running_sum(values, offsets).tolist() == flat(map(running, lists))


def test_the_largest_value_of_a_stretch():
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    begin, end = np.array([0, 1, 2, 5, 3, 4, 0]), np.array([2, 2, 5, 5, 3, 5, 5])
    assert segments.largest(values, begin, end).tolist() == [3, 1, 5, 0, 0, 5, 5]
    assert segments.largest(values, begin[3:5], end[3:5]).tolist() == [0, 0]
    assert segments.largest(-values, np.array([0]), np.array([5])).tolist() == [-1]


def test_sums_of_many_numbers_hold_a_hundred_bits():
    rng = np.random.default_rng(8)
    for sizes in ([300], [150, 150], [1, 0, 298, 3], [100, 100, 100]):
        offsets = np.cumsum([0, *sizes])
        values = rng.normal(size=offsets[-1]) * 2.0 ** rng.integers(-20, 20, offsets[-1])
        low = values * 2.0**-55
        high, rest = segments.total_parts(values, offsets, low)
        whole = segments.total(values, offsets, low)
        for i, (a, b) in enumerate(pairwise(offsets.tolist())):
            terms = [*map(Fraction, values[a:b].tolist()), *map(Fraction, low[a:b].tolist())]
            size = sum(map(abs, terms))
            assert abs(Fraction(high[i]) + Fraction(rest[i]) - sum(terms)) <= size / 2**90
            assert whole[i] == float(sum(terms))


@pytest.mark.parametrize("engine", ["native", "python"])
def test_each_engine_adds_up_many_short_segments(engine, monkeypatch):
    if engine == "native":
        pytest.importorskip("rankstone._native._core")
    monkeypatch.setenv("RANKSTONE_ENGINE", engine)
    rng = np.random.default_rng(10)
    sizes = rng.integers(0, 5, 200) * (rng.random(200) < 0.7)
    offsets = np.cumsum([0, *sizes])
    values = rng.normal(size=offsets[-1]) * 2.0 ** rng.integers(-20, 20, offsets[-1])
    mask = values > 0
    bounds = [*pairwise(offsets.tolist())]
    assert segments.count(mask, offsets).tolist() == [mask[a:b].sum() for a, b in bounds]
    running_counts = [np.cumsum(mask[a:b]) for a, b in bounds]
    assert segments.running_count(mask, offsets).tolist() == flat(running_counts)
    assert len(values) > 256
    for low in (None, values * 2.0**-55):
        high, rest = segments.total_parts(values, offsets, low)
        for h, r, (a, b) in zip(high, rest, bounds, strict=True):
            terms = values[a:b].tolist() + ([] if low is None else low[a:b].tolist())
            exact = sum(map(Fraction, terms), Fraction())
            assert abs(Fraction(h) + Fraction(r) - exact) <= sum(map(abs, terms)) / 2**95
            assert h + r == float(exact)


def test_sums_need_offsets_that_fit_the_values():
    core = pytest.importorskip("rankstone._native._core")
    values = np.ones(3)
    for offsets in (np.array([0, 2]), np.array([1, 3]), np.array([0, 2, 1, 3]), np.array([0, 4])):
        for call in (core.count, core.running_count):
            with pytest.raises(ValueError, match="offsets must rise"):
                call(values > 0, offsets)
        with pytest.raises(ValueError, match="offsets must rise"):
            core.totals(values, offsets, None)
    with pytest.raises(ValueError, match="as many numbers"):
        core.totals(values, np.array([0, 3]), values[1:])


def test_sums_of_numbers_of_one_sign_hold_a_hundred_bits():
    rng = np.random.default_rng(9)
    for sign in (1, -1):
        values = sign * (1.9 + 0.1 * rng.random(600))
        for offsets in (np.array([0, 300, 600]), np.array([0, 270, 600])):
            high, rest = segments.total_parts(values, offsets)
            sums = pairs.running_sum((values, np.zeros(600)), offsets)
            for i, (a, b) in enumerate(pairwise(offsets.tolist())):
                total = sum(map(Fraction, values[a:b].tolist()))
                assert abs(Fraction(high[i]) + Fraction(rest[i]) - total) <= abs(total) / 2**95
                last = Fraction(sums[0][b - 1]) + Fraction(sums[1][b - 1])
                assert abs(last - total) <= abs(total) / 2**95


def test_values_are_put_in_falling_order():
    for numbers, offsets, lists in cases():
        for values in (numbers, numbers / 2, numbers + 300):
            own = [values[a:b].tolist() for a, b in pairwise(offsets.tolist())]
            falling, small = segments.falling_values(values.astype(float), offsets)
            assert falling.tolist() == flat([sorted(x, reverse=True) for x in own])
            assert not small or all(v in range(256) for v in values.tolist())
        assert segments.count_equals(numbers, offsets).tolist() == [
            sum(x.count(v) > 1 for v in x) for x in lists
        ]


# Pairs -------------------------------------------------------------------------------------------


def numbers():
    """Return two arrays of numbers of many sizes, all digits in use."""
    rng = np.random.default_rng(6)
    a, b = (rng.normal(size=40) * 2.0 ** rng.integers(-30, 30, 40) for _ in range(2))
    return a, np.where(np.arange(40) % 4 == 0, -a * (1 + 2.0**-40), b)


def fractions(pair):
    return [Fraction(h) + Fraction(r) for h, r in zip(*(p.tolist() for p in pair), strict=True)]


def test_sums_and_products_of_two_numbers_are_exact():
    a, b = numbers()
    x, y = [*map(Fraction, a.tolist())], [*map(Fraction, b.tolist())]
    assert fractions(pairs.two_sum(a, b)) == [p + q for p, q in zip(x, y, strict=True)]
    assert fractions(pairs.two_product(a, b)) == [p * q for p, q in zip(x, y, strict=True)]
    short = np.arange(2**26 - 40, 2**26).astype(float)
    exact = [int(w) * q for w, q in zip(short, y, strict=True)]
    assert fractions(pairs.short_product(short, b)) == exact
    for high, low in (pairs.two_sum(a, b), pairs.two_product(a, b)):
        assert (high + low == high).all()


def test_pairs_are_added_and_multiplied_to_a_hundred_bits():
    a, b = numbers()
    first, second = (a, a * 0.7 * 2.0**-54), (b, b * -0.6 * 2.0**-54)
    x, y = fractions(first), fractions(second)
    found = {
        name: fractions(getattr(pairs, name)(first, second))
        for name in ("add", "subtract", "multiply", "divide")
    }
    ratios = fractions(pairs.quotient(a, b))
    tiny = Fraction(1, 2**100)
    for i, (p, q) in enumerate(zip(x, y, strict=True)):
        assert abs(found["add"][i] - (p + q)) <= tiny * (abs(p) + abs(q))
        assert abs(found["subtract"][i] - (p - q)) <= tiny * (abs(p) + abs(q))
        assert abs(found["multiply"][i] - p * q) <= tiny * abs(p * q)
        assert abs(found["divide"][i] - p / q) <= tiny * abs(p / q)
        ratio = Fraction(a[i]) / Fraction(b[i])
        assert abs(ratios[i] - ratio) <= tiny * abs(ratio)


def test_powers_are_exact_to_ninety_bits():
    exponents = np.array([0, 1, 2, 3, 5, 8, 21])
    for base in (0.1, 0.8, 3.0):
        for n, found in zip(
            exponents.tolist(), fractions(pairs.power(base, exponents)), strict=True
        ):
            assert abs(found - Fraction(base) ** n) <= Fraction(base) ** n / 2**95
    assert exponents.tolist() == [0, 1, 2, 3, 5, 8, 21]


def test_running_sums_and_products_of_pairs():
    rng = np.random.default_rng(2)
    for sizes in ([6], [3, 0, 1, 2], [2, 2], [0, 4]):
        offsets = np.cumsum([0, *sizes])
        high = rng.random(offsets[-1]) + 0.1
        given = high, high * (rng.random(offsets[-1]) - 0.5) * 2.0**-53
        terms = fractions(given)
        sums = fractions(pairs.running_sum(given, offsets))
        products = fractions(pairs.running_product(given, offsets))
        for a, b in pairwise(offsets.tolist()):
            for i in range(a, b):
                total, product = sum(terms[a : i + 1]), math.prod(terms[a:i], start=Fraction(1))
                assert abs(sums[i] - total) <= total / 2**95
                assert abs(products[i] - product) <= product / 2**90


@mpmath.workdps(50)
def test_logarithms_of_numbers_with_all_digits():
    x = np.array([1.5, 1.75, 1.9, 1.45, 1.1, 3.3, 1e9, 1e300]) * (1 + 2.0**-52)
    high, low = discounts.log2(x)
    for number, h, r in zip(x.tolist(), high.tolist(), low.tolist(), strict=True):
        wanted = mpmath.log(mpmath.mpf(number), 2)
        assert abs(mpmath.mpf(h) + mpmath.mpf(r) - wanted) <= wanted * mpmath.mpf(2) ** -58


# Discounts ---------------------------------------------------------------------------------------


def exact(name, ranks):
    """Return discounts as fractions, from their pairs."""
    high, low = discount(np.asarray(ranks, np.int64), name)
    return [Fraction(h) + Fraction(r) for h, r in zip(high.tolist(), low.tolist(), strict=True)]


@mpmath.workdps(50)
def test_discounts_are_those_of_the_formulas():
    formulas = {
        "log2": lambda i: 1 / mpmath.log(i + 1, 2),
        "jarvelin": lambda i: 1 / mpmath.log(max(i, 2), 2),
        "log2+1": lambda i: 1 / (1 + mpmath.log(i, 2)),
        "reciprocal": lambda i: mpmath.mpf(1) / i,
        "none": lambda _: mpmath.mpf(1),
    }
    assert {*formulas} == {*DISCOUNTS}
    ranks = [1, 2, 3, 5, 7, 8, 91, 1000]
    for name, formula in formulas.items():
        first = first_discounts(name, 1000)
        for rank, value in zip(ranks, exact(name, ranks), strict=True):
            wanted = formula(rank)
            found = mpmath.mpf(value.numerator) / value.denominator
            assert abs(found - wanted) <= wanted * mpmath.mpf(2) ** -60
            assert Fraction(first[0][rank - 1]) + Fraction(first[1][rank - 1]) == value


def test_discounts_beyond_the_table_are_the_same(monkeypatch):
    ranks = np.array([9, 1, 8, 9, 16, 2])
    for name in DISCOUNTS:
        kept = exact(name, ranks)
        first = [part.tolist() for part in first_discounts(name, 20)]
        sums = discount_sums(np.array([0, 3, 4]), np.array([16, 3, 9]), name).tolist()
        with monkeypatch.context() as patch:
            patch.setattr(discounts, "_LARGEST_TABLE", 8)
            assert exact(name, ranks) == kept
            assert [part.tolist() for part in first_discounts(name, 20)] == first
            assert discount_sums(np.array([0, 3, 4]), np.array([16, 3, 9]), name).tolist() == sums


def test_sums_of_discounts_are_those_of_ranks():
    begin, end = np.array([0, 0, 3, 2, 10]), np.array([1, 4, 3, 7, 40])
    for name in DISCOUNTS:
        for a, b, found in zip(
            begin.tolist(), end.tolist(), discount_sums(begin, end, name).tolist(), strict=True
        ):
            wanted = sum(exact(name, range(a + 1, b + 1)), Fraction(0))
            assert found == float(wanted)
    assert discount_sums(np.zeros(0, int), np.zeros(0, int), "log2").tolist() == []


def test_discounts_in_whole_numbers_add_up_to_78_bits():
    for name in DISCOUNTS:
        wanted = exact(name, range(1, 21))
        for count in (2, 3):
            rows = limbs(name, 20, count)
            assert rows.shape == (count, 20)
            assert (rows == np.rint(rows)).all()
            for column, value in zip(rows.T.tolist(), wanted, strict=True):
                size = 78 // count
                found = sum(Fraction(part) / 2 ** (size * (j + 1)) for j, part in enumerate(column))
                assert abs(found - value) <= Fraction(1, 2**78)


@pytest.mark.parametrize("rows", [1, 40])
def test_sums_of_whole_gains_are_exact(rows):
    rng = np.random.default_rng(rows)
    for top in (1, 400, 100_000):
        gain = rng.integers(0, top + 1, (rows, 5)).astype(float)
        gain[0, 0] = top
        for name in DISCOUNTS:
            for largest in (lambda: None, lambda top=top: float(top)):
                high, low = exact_sums(gain, name, largest)
                weights = exact(name, range(1, 6))
                for h, r, row in zip(high.tolist(), low.tolist(), gain.tolist(), strict=True):
                    wanted = sum(int(g) * w for g, w in zip(row, weights, strict=True))
                    assert abs(Fraction(h) + Fraction(r) - wanted) <= wanted / 2**70
                    assert h == float(wanted)


@pytest.mark.parametrize("rows", [1, 40])
def test_gains_that_are_not_whole_or_too_large_are_not_added_up_so(rows):
    for value in (0.5, 2.0**26, -(2.0**-10)):
        gain = np.ones((rows, 2))
        gain[-1, 1] = value
        assert exact_sums(gain, "log2", lambda: None) is None
    for value in (2.0**25, 2.0**26):
        gain = np.ones((rows, 4))
        gain[-1, 1] = value
        assert exact_sums(gain, "log2", lambda: None) is None
    fits = np.ones((rows, 2))
    fits[-1, 1] = 2.0**25 - 1
    assert exact_sums(fits, "log2", lambda: None) is not None


def test_plain_logarithms_are_those_of_the_c_library():
    ranks = np.array([1, 2, 3, 7, 8, 9, 100])
    assert plain_log2_ranks(ranks).tolist() == [math.log2(r + 1) for r in ranks.tolist()]
    assert plain_log2(np.array([1.0, 3.5])).tolist() == [0, math.log2(3.5)]
    assert plain_log2_ranks(np.zeros(0, int)).tolist() == []


@pytest.mark.parametrize("sizes", [(3, 1, 2, 3, 2), (7, 1)])
def test_running_operations_start_anew_in_each_segment(sizes):
    offsets = np.cumsum([0, *sizes])
    values = np.arange(1.0, offsets[-1] + 1)
    expected = [np.cumprod(values[a:b]) for a, b in pairwise(offsets)]
    assert (
        segments.running(np.multiply, values, offsets).tolist() == np.concatenate(expected).tolist()
    )
