"""Blocks of text in the formats that render them."""

from __future__ import annotations

import numpy as np
import pytest

import rankstone as rs
from rankstone.io.load import collection
from rankstone.measures.explain import workings
from rankstone.text.blocks import Beside, Bold, Code, Grid, Line, Sentence
from rankstone.text.html import html
from rankstone.text.markdown import markdown
from rankstone.text.terminal import terminal

TABLE = Grid(["run"], ["AP", "RR"], [Line(["a_b"], ["0.5", ""], [True, True])], ["over 2"])


def test_a_sentence_in_each_format():
    text = [[Sentence(["  ", Bold("a_b"), ": p < 0.1 in ", Code("x_y")])]]
    assert list(terminal(text)) == ["  a_b: p < 0.1 in x_y"]
    assert list(markdown(text)) == ["**a\\_b**: p < 0.1 in `x_y`"]
    assert "<b" in html(text)
    assert "p &lt; 0.1 in <code>x_y</code>" in html(text)


def test_empty_cells_are_not_bold():
    assert list(markdown([[TABLE]]))[2] == "| a\\_b | **0.5** |  |"


def test_paragraphs_are_apart_on_a_terminal_and_blocks_in_markdown():
    items = [Sentence(["one"], "item"), Sentence(["two"], "item")]
    text = [[*items, TABLE], [Sentence(["end"])]]
    assert [i for i, line in enumerate(terminal(text)) if not line] == [6]
    assert list(markdown(text))[:3] == ["- one", "- two", ""]
    assert html(text).count("<li") == 2


@pytest.mark.parametrize(("columns", "lines"), [(None, 4), (80, 4), (12, 9)])
def test_tables_are_side_by_side_if_they_fit(columns, lines):
    plain = Grid(["run"], ["AP"], [Line(["a"], ["0.5"])])
    shown = list(terminal([[Beside({"first": plain, "second": plain})]], columns=columns))
    assert len(shown) == lines


def test_a_line_of_a_sentence_is_not_a_command_of_a_build_server():
    (line,) = terminal([[Sentence(["query ::set-output was lost"])]])
    assert " ::" not in line


def test_steps_of_the_ideal_ranking_are_not_documents_of_the_run():
    data = collection({"q": {"a": 2, "b": 1}}, {"q": ["b", "a"]})
    ranked = data.ranked(rs.Conventions())
    assert workings(rs.measures.IdealDCG, ranked).steps.judgment is None
    assert np.array_equal(workings(rs.DCG, ranked).steps.judgment, ranked.judgment)
