"""Values as HTML tables for notebooks, in colours that suit a light and a dark ground.

Everything from outside is escaped, and styles are attributes, so that nothing leaks out of a cell.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from html import escape

from rankstone.core.result import Result
from rankstone.errors import Notice, printable
from rankstone.measures.base import Measure
from rankstone.measures.explain import ExplanationData, formula_of, parameters_in_words
from rankstone.report.comparison import MARKS
from rankstone.report.explanation import WORDS, rows_of, substituted
from rankstone.report.result_table import over_in_words, own_in_words
from rankstone.report.text_table import are_counts, rounded
from rankstone.report.verdicts import sentence
from rankstone.stats.comparison import Comparison, PairComparison

_LINE = "1px solid rgba(128,128,128,.35)"
_GOOD, _BAD = "#1f83c6", "#d4641a"  # readable on white and on black
_COLOURS = {"better": _GOOD, "worse": _BAD}
_MOST_SENTENCES = 5


def _text(value: object) -> str:
    """Return escaped text; bytes that are not UTF-8 are shown as question marks."""
    return escape(printable(str(value)).encode("utf-8", "replace").decode())


def _table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], words: Collection[int] = (0,)
) -> str:
    """Return a table of cells that are HTML already; ``words`` are the columns of text."""

    def row(cells: Sequence[str], tag: str) -> str:
        shown = (
            f'<{tag} style="text-align:{"left" if i in words else "right"};padding:2px 10px;'
            f'border-bottom:{_LINE};background:none">{cell}</{tag}>'
            for i, cell in enumerate(cells)
        )
        return f'<tr style="background:none">{"".join(shown)}</tr>'

    body = "".join(row(cells, "td") for cells in rows)
    return (
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums;color:inherit">'
        f"<thead>{row(heads, 'th')}</thead><tbody>{body}</tbody></table>"
    )


def _page(*parts: str) -> str:
    return f'<div style="color:inherit">{"".join(parts)}</div>'


def _quiet(text: str) -> str:
    return f'<div style="opacity:.75;font-size:90%;margin:4px 0">{_text(text)}</div>'


def _notices(notices: Sequence[Notice]) -> str:
    return "".join(
        f'<div style="margin:2px 0"><b style="color:{_BAD}">warning:</b> {_text(n)}</div>'
        for n in notices
    )


def of_result(result: Result) -> str:
    """Return a result: its aggregates, what they are over, and its warnings."""
    values = list(result.aggregates.values())
    cells = [rounded(v, 4, whole=are_counts([v])) for v in values]
    over = over_in_words(own_in_words(result.measures), list(result.counted.values()), result)
    return _page(
        _table(["run", *map(_text, result.measures)], [[_text(result.name), *cells]]),
        _quiet(over),
        _notices(result.warnings),
    )


def _difference(pair: PairComparison) -> str:
    """Return a difference with the mark of its verdict; bold if it is decided."""
    text = f"{pair.difference:+.4f} {MARKS.get(pair.verdict, '')}".rstrip()
    colour = _COLOURS.get(pair.verdict)
    return f'<b style="color:{colour}">{text}</b>' if colour else text


def of_comparison(comparison: Comparison) -> str:
    """Return a comparison: what to conclude, then means and differences."""
    pairs = comparison.comparisons
    verdicts = "".join(
        f'<li style="margin:2px 0"><span style="color:{_COLOURS.get(p.verdict, "inherit")}">'
        f"{MARKS.get(p.verdict, '')}</span> {_text(sentence(p, comparison))}</li>"
        for p in pairs[:_MOST_SENTENCES]
    )
    if (more := len(pairs) - _MOST_SENTENCES) > 0:
        verdicts += f'<li style="margin:2px 0;opacity:.75">and {more} more, in the table</li>'
    level = f"{comparison.confidence * 100:g} % interval"
    heads = ["measure", "run", "against", "mean", "difference", level, "p", "won/tied/lost"]
    rows = [
        [
            _text(p.measure),
            _text(p.run),
            _text(p.baseline),
            rounded(p.mean, 4, whole=False),
            _difference(p),
            "-" if math.isnan(p.ci_low) else f"{p.ci_low:+.3f} to {p.ci_high:+.3f}",
            "-" if math.isnan(p.p_adjusted) else f"{p.p_adjusted:.4f}",
            f"{p.wins}/{p.ties}/{p.losses}",
        ]
        for p in pairs
    ]
    return _page(
        f'<ul style="margin:4px 0;padding-left:1.2em">{verdicts}</ul>',
        _table(heads, rows, words=range(3)),
        _quiet(f"{comparison.method()}."),
    )


def of_explanation(working: ExplanationData) -> str:
    """Return the working of a number."""
    parts = [
        f"<div><b>{_text(working.measure)}</b>: {_text(working.pretty)}"
        + ("" if working.query is None else f", query {_text(working.query)}")
        + "</div>",
        f"<div><code>{_text(working.formula)}</code></div>",
    ]
    for title, steps in (("", working.steps), ("Ideal ranking", working.ideal)):
        if steps:
            heads, rows = rows_of(steps, None, unjudged=None if title else working.unjudged)
            words = [i for i, head in enumerate(heads) if head in WORDS]
            shown = _table([*map(_text, heads)], [[*map(_text, row)] for row in rows], words)
            parts.append((f"<div><b>{title}</b></div>" if title else "") + shown)
    if working.remark:
        parts.append(_quiet(working.remark))
    parts.append(f"<div><code>{_text(substituted(working))}</code></div>")
    if working.conventions:
        parts.append(_quiet(", ".join(f"{n}={v}" for n, v in working.conventions.items())))
    return _page(*parts)


def of_measure(measure: Measure) -> str:
    """Return a measure: its name, its formula, and what it says."""
    definition = measure.definition
    first = definition.text.split("\n\n")[0].replace("\n", " ")
    return _page(
        f"<div><b>{_text(measure)}</b>: {_text(definition.pretty)}</div>",
        f"<div>{_text(first)}</div>",
        f"<div><code>{_text(formula_of(measure))}</code></div>",
        _quiet("; ".join(parameters_in_words(measure, every=True))),
    )
