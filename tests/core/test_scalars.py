"""Tests of scalars."""

import math
from fractions import Fraction

import numpy as np
import pytest

import rankstone as rs
from rankstone.core.scalars import id_of, number_of, plain_id, shown


def test_ids_are_text_or_whole_numbers():
    cases = [
        ("a", "a"),
        (np.str_("a"), "a"),
        (3, 3),
        (np.int8(3), 3),
        (b"a", "a"),
        (True, None),
        (1.5, None),
        ("", None),
        (b"", None),
        (None, None),
    ]
    for value, id_ in cases:
        assert plain_id(value) == id_
        assert type(plain_id(value)) is type(id_)


def test_other_ids_are_refused():
    cases = [
        ("", "here: empty query id. Give every query an id."),
        (
            2.0,
            "here: query id 2.0 is neither text nor a whole number. Write it as 2, in the judgments and in the run.",
        ),
        (2.5, "here: query id 2.5 is neither text nor a whole number."),
        (True, "here: query id True is neither text nor a whole number."),
    ]
    for value, message in cases:
        with pytest.raises(rs.DataError) as caught:
            id_of(value, "query", "here")
        assert str(caught.value) == message
        with pytest.raises(rs.DataError) as caught:
            id_of(value, "query")
        assert str(caught.value) == message.removeprefix("here: ")


@pytest.mark.parametrize("value", [2.0, 2, "2", " 2\n", "2e0", np.float32(2), Fraction(2)])
def test_numbers_may_be_text(value):
    assert number_of(value, "grade", "here") == 2


def test_other_numbers_are_refused():
    cases = [
        (True, "here: grade True is not a number."),
        (b"2", "here: grade b'2' is not a number."),
        ("1_0", "here: grade '1_0' is not a number."),
        (None, "here: grade None is not a number."),
        (10**400, f"here: grade {'1' + '0' * 59}... is not a number."),
        ("nan", "here: grade 'nan' is not a finite number."),
        (math.inf, "here: grade inf is not a finite number."),
    ]
    for value, message in cases:
        with pytest.raises(rs.DataError) as caught:
            number_of(value, "grade", "here")
        assert str(caught.value) == message


def test_long_values_are_cut_short_in_messages():
    assert shown("a" * 62) == "'" + "a" * 62 + "'"
    assert shown("a" * 63) == "'" + "a" * 59 + "..."
