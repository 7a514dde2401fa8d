"""Tests of text and layouts."""

import pytest

from rankstone.core.row_layout import ATOF, ATOL, NUMBER, RANK, RowLayout
from rankstone.core.text import escape_controls, escape_field, unescape_field


def test_a_layout_has_no_other_fields_unless_they_are_named():
    layout = RowLayout(4, 0, 2, 3)
    assert (layout.rank, layout.iteration, layout.more) == (-1, -1, False)
    assert layout.reading == NUMBER == 0
    assert (RANK, ATOF, ATOL) == (1, 2, 3)


@pytest.mark.parametrize(
    ("more", "fitting"), [(False, [False, True, False]), (True, [False, True, True])]
)
def test_a_line_has_as_many_fields_as_its_layout_or_more(more, fitting):
    layout = RowLayout(4, 0, 2, 3, more=more)
    assert [layout.fits(n) for n in (3, 4, 5)] == fitting


def test_fields_are_written_on_one_line_and_read_again():
    cases = [
        ("a\u2028b", r"a\u2028b", r"a\u2028b"),
        ("\u061ca", r"\u061ca", r"\u061ca"),
        ("a\x9fb", r"a\x9fb", r"a\x9fb"),
        ("a\\tb", r"a\\tb", r"a\tb"),
        ("a\rb\n\t", r"a\rb\n\t", r"a\rb\n\t"),
        (" a\u3000", r"\x20a\u3000", " a\u3000"),
        ("\u0100 \xff", "\u0100 \xff", "\u0100 \xff"),
    ]
    for text, field, shown in cases:
        assert escape_field(text) == field
        assert unescape_field(field) == text
        assert escape_controls(text) == shown
