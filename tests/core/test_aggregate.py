"""Tests of aggregate."""

import math
from fractions import Fraction

import numpy as np
import pytest

import rankstone as rs
from rankstone.core.aggregate import FLOOR, GEOMETRIC, MEAN, MEDIAN, SUM, Part, summarise


def test_the_floor_of_a_geometric_mean():
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    result = rs.evaluate(judged, {"q1": ["a"], "q2": ["b"]}, ["RR"])
    assert result.summary("RR", "geometric", floor=0.25).value == 0.5
    assert result.summary("RR", "geometric", floor=0.0625).value == 0.25
    assert result.summary("RR", "geometric").value == pytest.approx(FLOOR**0.5, rel=1e-15)
    half = rs.evaluate(judged, {"q1": ["a"], "q2": ["b", "a"]}, ["RR"])
    assert half.summary("RR", "geometric", floor=0.25).value == pytest.approx(0.5**0.5, rel=1e-15)


def test_a_weighted_mean_is_that_of_the_weights():
    values, weight = np.array([1.0, 0.0, 0.5]), np.array([0.25, 0.5, 0.75])
    assert summarise(values, "mean", weight=weight).value == (0.25 + 0.375) / 1.5


NAN = math.nan


def magnitudes(size, seed):
    """Return numbers of both signs, from the smallest to the largest, and their near negatives."""
    random = np.random.default_rng(seed)
    half = size // 2
    numbers = random.normal(size=half) * 2.0 ** random.integers(-1070, 1010, half)
    return np.concatenate((numbers, -numbers[::-1], random.random(size - 2 * half)))


def test_means_are_exactly_rounded_with_and_without_weights():
    rng = np.random.default_rng(4)
    values = rng.random(50) * 10.0 ** rng.integers(-9, 9, 50)
    weight = rng.integers(0, 4, 50)
    values[7] = NAN
    kept = [
        (Fraction(v), w) for v, w in zip(values.tolist(), weight.tolist(), strict=True) if v == v
    ]
    plain = sum(v for v, _ in kept) / len(kept)
    weighted = sum(v * w for v, w in kept) / sum(w for _, w in kept)
    assert MEAN.of(values).mean() == float(plain)
    assert MEAN.of(values, weight).mean() == float(weighted)
    assert SUM.finish(SUM.of(values, weight)) == float(sum(v * w for v, w in kept))
    assert MEAN.of(values, weight).n == sum(w > 0 for _, w in kept)
    parts = MEAN.of(values[:20], weight[:20]).merge(MEAN.of(values[20:], weight[20:]))
    assert parts.mean() == float(weighted)
    both = MEAN.of(values[:20]).merge(MEAN.of(values[20:], weight[20:]))
    assert both.mean() == float(
        sum(v * (w if i >= 19 else 1) for i, (v, w) in enumerate(kept))
        / sum(w if i >= 19 else 1 for i, (_, w) in enumerate(kept))
    )


def test_an_aggregate_of_nothing_is_none():
    for by in (MEAN, GEOMETRIC, MEDIAN):
        assert math.isnan(by.finish(by.of(np.array([NAN]))))
    assert math.isnan(MEAN.of(np.array([1.0]), np.array([0])).mean())
    assert SUM.finish(SUM.of(np.zeros(0))) == 0
    assert Part() == Part((), 0, None, ())
    assert MEAN.of(np.array([3.0])).merge(Part()).mean() == 3


def test_summaries():
    cases = [
        ("median", [3.0, 1.0, 2.0, NAN], 2.0, 3),
        ("median", [1.0, 2.0], 1.5, 2),
        ("sum", [1.0, 2.0, NAN], 3.0, 2),
        ("mean", [1.0, 2.0, NAN, NAN], 1.5, 2),
        ("geometric", [0.25, 1.0], 0.5, 2),
        ("geometric", [0.0, 1.0], math.sqrt(1e-5), 2),
    ]
    for how, values, value, n in cases:
        found = summarise(np.array(values), how)
        assert found.value == pytest.approx(value, rel=1e-15)
        assert (found.how, found.n, found.left_out) == (how, n, len(values) - n)


def test_weights_count_in_means_and_sums_only():
    values, weight = np.array([1.0, 3.0]), np.array([3, 1])
    assert [summarise(values, how, weight=weight).value for how in ("mean", "sum", "median")] == [
        1.5,
        6,
        2,
    ]
    geometric = summarise(values, "geometric", weight=weight).value
    assert geometric == pytest.approx(math.sqrt(3), rel=1e-15)
    assert summarise(values, "geometric", 2.0).value == pytest.approx(math.sqrt(6), rel=1e-15)
    assert GEOMETRIC.note == "values below 1e-05 count as 1e-05 in a geometric mean"
    assert MEDIAN.of(values).merge(MEDIAN.of(np.array([9.0]))).median() == 3
    assert MEAN.of(values).values == ()
    assert summarise(values, "mean", 2.5).value == 2


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 66, 127, 128, 129, 1000])
def test_sums_of_many_values_are_exact(size):
    for seed in range(30):
        random = np.random.default_rng(seed)
        for values in (
            random.random(size),
            random.integers(0, 3, size) / 2,
            random.random(size) * 2.0 ** random.integers(-60, 60, size),
            random.random(size) * 5e-321,
            magnitudes(size, seed),
            random.random(size) / 2 - 1,
            1 - random.random(size) / 4,
            np.full(size, 0.1),
        ):
            exact = sum(map(Fraction, values.tolist()))
            part = MEAN.of(values)
            assert sum(map(Fraction, part.parts)) == exact
            # Each part is what is left, rounded: so the parts are few and do not overlap.
            for i, own in enumerate(part.parts):
                assert own == float(exact - sum(map(Fraction, part.parts[:i])))
            assert part.mean() == float(exact / size)
            if np.abs(values).max() < 1 and np.abs(values).min() > 1e-200:  # products are exact
                weights = random.integers(1, 4, size).astype(np.float64)
                weighted = MEAN.of(values, weights)
                products = zip(values.tolist(), weights.tolist(), strict=True)
                total = sum(Fraction(v) * Fraction(w) for v, w in products)
                assert sum(map(Fraction, weighted.parts)) == total
                assert weighted.weight == (float(weights.sum()),)


@pytest.mark.parametrize("power", [1014, 1015, 1016, 1017])
def test_sums_up_to_the_largest_power(power):
    assert MEAN.of(np.full(100, 2.0**power) * np.tile([1, -1], 50)).parts == ()
    if power < 1017:
        assert MEAN.of(np.full(100, 2.0**power)).sum() == 100 * 2.0**power


def test_sums_of_the_largest_values():
    largest = np.full(100, np.finfo(float).max)
    largest[1::2] *= -1
    assert MEAN.of(np.append(largest, 0.25)).parts == (0.25,)
    with pytest.raises(OverflowError):
        MEAN.of(np.abs(largest))
    with pytest.raises(ValueError, match="inf"):
        MEAN.of(np.full(100, math.inf)).mean()
