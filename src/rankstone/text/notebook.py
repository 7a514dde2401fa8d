"""Values as HTML for notebooks."""

from __future__ import annotations

from rankstone.core.result import Result
from rankstone.measures.base import Measure
from rankstone.measures.explain import ExplanationData, parameters_in_words
from rankstone.stats.comparison import Comparison
from rankstone.stats.leaderboard import Leaderboard
from rankstone.text import comparison as comparisons, explanation, leaderboard
from rankstone.text.blocks import Block, Bold, Code, Sentence
from rankstone.text.html import html
from rankstone.text.write import result_grid


def of_result(result: Result) -> str:
    """Return a result: its aggregates, what they are over, and its warnings."""
    warnings: list[Block] = [
        Sentence([Bold("warning:"), f" {notice}"], tone="bad") for notice in result.warnings
    ]
    return html([[result_grid([result]), *warnings]])


def of_comparison(comparison: Comparison) -> str:
    """Return a comparison: the conclusions, then means and differences."""
    return html(comparisons.for_notebook(comparison))


def of_leaderboard(board: Leaderboard) -> str:
    """Return a leaderboard: its conclusion and its table."""
    return html(leaderboard.blocks(board))


def of_explanation(working: ExplanationData) -> str:
    """Return the working of a number."""
    return html(explanation.blocks(working))


def of_measure(measure: Measure) -> str:
    """Return a measure: its name, its formula, and the first paragraph of its manual page."""
    definition = measure.definition
    first = definition.text.split("\n\n")[0].replace("\n", " ")
    choices = "; ".join(parameters_in_words(measure, every=True))
    return html(
        [
            [
                Sentence([Bold(measure), f": {definition.pretty}"]),
                Sentence([first]),
                Sentence([Code(measure.definition.formula)]),
                Sentence([choices], "quiet"),
            ]
        ]
    )
