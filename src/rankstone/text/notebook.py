"""Values as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rankstone.core.notice_texts import gravity
from rankstone.core.result import Result
from rankstone.core.shown import Shown
from rankstone.errors import Notice
from rankstone.language import tr
from rankstone.measures.base import Measure
from rankstone.measures.explain import Explanation, parameters_in_words
from rankstone.stats.comparison import Comparison
from rankstone.stats.leaderboard import Leaderboard
from rankstone.text import comparison_table as comparisons, explanation, leaderboard
from rankstone.text.blocks import Block, Bold, Code, Grid, Line, Sentence
from rankstone.text.html import html
from rankstone.text.results import result_grid


def of_result(result: Result) -> str:
    """Return a result: its aggregates, what they are over, its warnings and its notes."""
    return html([[result_grid([result]), *_sentences(result.notices)]])


def _sentences(notices: Iterable[Notice]) -> Iterator[Block]:
    """Yield the warnings and the notes, the gravest first."""
    words = {"warning": (tr("warning:"), "bad"), "note": (tr("note:"), "unsure")}
    for notice in sorted(notices, key=gravity):
        if notice.level in words:
            word, tone = words[notice.level]
            yield Sentence([Bold(word), f" {notice}"], tone=tone)


def of_numbers(value: Shown) -> str:
    """Return a value of a few numbers: a line for each, or for each group of them."""
    grouped = isinstance(value, Mapping)
    lines, heads, foot = [], [""], []
    for name, own in value.to_dict().items():
        if isinstance(own, Mapping) and all(
            isinstance(v, float | int | None) for v in own.values()
        ):
            heads = list(own) if grouped else heads
            rows = {name: [*own.values()]} if grouped else {f"{name}: {n}": [own[n]] for n in own}
            lines += [Line([str(n)], list(map(_cell, cells))) for n, cells in rows.items()]
        elif isinstance(own, str):
            foot.append(f"{name}: {own}")
        elif isinstance(own, float | int) or own is None:
            lines.append(Line([name], [_cell(own)]))
    kind = tr("group") if grouped else type(value).__name__
    notices = getattr(value, "notices", getattr(value, "warnings", ()))
    return html([[Grid([kind], heads, lines, foot), *_sentences(notices)]])


def _cell(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.4f}"


def of_comparison(comparison: Comparison) -> str:
    """Return a comparison: the conclusions, then means and differences."""
    return html(comparisons.for_notebook(comparison))


def of_leaderboard(board: Leaderboard) -> str:
    """Return a leaderboard: its conclusion and its table."""
    return html(leaderboard.blocks(board))


def of_explanation(working: Explanation) -> str:
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
