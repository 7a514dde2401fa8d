"""Values as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Mapping

from rankstone.core.reading_notices import gravity
from rankstone.core.result import Result
from rankstone.core.shown import Shown
from rankstone.language import tr
from rankstone.measures.base import Measure
from rankstone.measures.explain import ExplanationData, parameters_in_words
from rankstone.stats.comparison import Comparison
from rankstone.stats.leaderboard import Leaderboard
from rankstone.text import comparison as comparisons, explanation, leaderboard
from rankstone.text.blocks import Block, Bold, Code, Grid, Line, Sentence
from rankstone.text.html import html
from rankstone.text.write import result_grid


def of_result(result: Result) -> str:
    """Return a result: its aggregates, what they are over, its warnings and its notes."""
    words = {"warning": (tr("warning:"), "bad"), "note": (tr("note:"), "unsure")}
    notices: list[Block] = [
        Sentence([Bold(words[n.level][0]), f" {n}"], tone=words[n.level][1])
        for n in sorted(result.notices, key=gravity)
        if n.level in words
    ]
    return html([[result_grid([result]), *notices]])


def of_numbers(value: Shown) -> str:
    """Return a value of a few numbers: a line for each, or for each group of them."""
    lines, heads, foot = [], [""], []
    for name, own in value.to_dict().items():
        if isinstance(own, Mapping) and all(
            isinstance(v, float | int | None) for v in own.values()
        ):
            heads = list(own) if isinstance(value, Mapping) else heads
            rows = (
                {name: list(own.values())}
                if isinstance(value, Mapping)
                else {f"{name}: {n}": [v] for n, v in own.items()}
            )
            lines += [Line([str(n)], list(map(_cell, cells))) for n, cells in rows.items()]
        elif isinstance(own, str):
            foot.append(f"{name}: {own}")
        elif isinstance(own, float | int) or own is None:
            lines.append(Line([name], [_cell(own)]))
    return html([[Grid([type(value).__name__], heads, lines, foot)]])


def _cell(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"


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
    choices = "; ".join(parameters_in_words(measure, every=True))
    return html(
        [
            [
                Sentence([Bold(measure), f": {tr(definition.pretty)}"]),
                Sentence([definition.paragraphs()[0]]),
                Sentence([Code(measure.definition.formula)]),
                Sentence([choices], "quiet"),
            ]
        ]
    )
