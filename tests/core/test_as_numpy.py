"""Tests of as numpy."""

import math

import numpy as np
import pytest

import rankstone as rs
from rankstone.core import as_numpy
from rankstone.core.as_numpy import all_finite, array_of, lowest, lowest_and_finite, numbers_of

NAN = math.nan


class Handed:
    """An array that is handed over by DLPack from a device."""

    def __init__(self, device):
        self.device = device
        self.asked = []

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **how):
        self.asked.append(how.get("dl_device"))
        return np.arange(3.0).__dlpack__()


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize("block", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("values", "low", "finite"),
    [
        ([3.0, 1.0, 2.0, 5.0], 1.0, True),
        ([1.0, 2.0, 3.0, -4.0], -4.0, True),
        ([1.0, 2.0, np.inf, 4.0], 1.0, False),
        ([1.0, np.inf, -np.inf, 4.0], -np.inf, False),
        ([1e308, 1e308, 1e308, 1e308], 1e308, True),
    ],
)
def test_the_lowest_number_and_whether_all_are_finite(monkeypatch, few, block, values, low, finite):
    monkeypatch.setattr(as_numpy, "_FEW", few)
    monkeypatch.setattr(as_numpy, "_BLOCK", block)
    numbers, zeros = np.array(values), np.zeros(4)
    assert lowest(numbers) == low
    assert all_finite(numbers) == all_finite(numbers.reshape(2, 2)) == finite
    assert lowest_and_finite(numbers, zeros) == (low, finite)
    assert lowest_and_finite(zeros, numbers) == (0, finite)
    assert lowest_and_finite(numbers.reshape(2, 2), zeros.reshape(2, 2)) == (low, finite)
    assert math.isnan(lowest(np.array([1.0, NAN, 0.0])))
    assert not all_finite(np.array([1.0, NAN, 0.0]))
    assert all_finite(np.zeros(0))


def test_numbers_of_lists_and_arrays_are_float64():
    cases = [
        ([1, 2], [1, 2]),
        ([True, False], [1, 0]),
        ([[1, None], [2, 3.5]], [[1, NAN], [2, 3.5]]),
        ((1, None), [1, NAN]),
        (np.array([1, 2], np.uint8), [1, 2]),
        (np.array([[1.5]], np.float32), [[1.5]]),
        (range(3), [0, 1, 2]),
    ]
    for value, numbers in cases:
        found = numbers_of(value, "grades")
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, numbers)


def test_other_arrays_are_refused():
    cases = [
        (np.float64(3), "grades must be numbers in one or two dimensions, not float64 in 0."),
        (np.zeros((1, 1, 1)), "grades must be numbers in one or two dimensions, not float64 in 3."),
        (
            np.zeros((1, 1, 1), int),
            "grades must be numbers in one or two dimensions, not int64 in 3.",
        ),
        (
            np.full((1, 1, 1), None),
            "grades must be numbers in one or two dimensions, not object in 3.",
        ),
        (["a"], "grades must be numbers in one or two dimensions, not <U1 in 1."),
        ([[1], [1, 2]], "grades: the rows differ in length."),
        ([None, [1]], "grades: the rows differ in length."),
        (np.ma.masked_array([1, 2], [True, False]), "grades: values of a masked array are masked"),
        (
            [np.ma.masked_array([1, 2], [True, False])],
            "grades: values of a masked array are masked",
        ),
        (
            [np.ones(2), np.ma.masked_array([1, 2], [True, False])],
            "grades: values of a masked array",
        ),
    ]
    for value, message in cases:
        with pytest.raises(rs.DataError) as caught:
            numbers_of(value, "grades")
        assert str(caught.value).startswith(message)


def test_an_array_without_masked_values_is_read():
    assert numbers_of(np.ma.masked_array([1, 2], [False, False]), "grades").tolist() == [1, 2]
    given = np.zeros(2)
    assert array_of(given, "grades") is given
    assert numbers_of(given, "grades") is given


def test_what_is_handed_over_by_protocol_is_read():
    here = Handed(1)
    assert array_of(here, "grades").tolist() == [0, 1, 2]
    assert here.asked == [None]

    class OnGpu:
        __cuda_array_interface__ = None

    with pytest.raises(rs.DataError, match="it is in the memory of a GPU; copy it to the host"):
        array_of(OnGpu(), "grades")

    class CuPy(OnGpu):
        def get(self):
            return [1.0, 2.0]

    assert array_of(CuPy(), "grades").tolist() == [1, 2]
