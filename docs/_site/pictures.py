"""How much each rank counts: two small bar charts, drawn from the values of the measure itself."""

from __future__ import annotations

from html import escape

from rankstone.errors import RankstoneError
from rankstone.measures.base import Measure

_RANKS = 15
_CUTOFF = 10
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 340, 150, 44, 26, 20


def drawn_measure(example: Measure) -> Measure:
    """Return the measure that is drawn: the one of the worked example, cut at rank 10."""
    return example(k=_CUTOFF) if example.definition.takes("k") else example


def weights(measure: Measure) -> dict[str, list[float]]:
    """Return what a relevant document at each rank is worth, alone and among relevant ones."""
    ranks = range(_RANKS)
    perfect = _value(measure, [1] * _RANKS)
    return {
        "Value if the only relevant document is at this rank": [
            _value(measure, [int(i == rank) for i in ranks]) for rank in ranks
        ],
        "Loss if this document alone is not relevant": [
            perfect - _value(measure, [int(i != rank) for i in ranks]) for rank in ranks
        ],
    }


def _value(measure: Measure, grades: list[int]) -> float:
    """Return the value of a ranking with a document below it that is not relevant.

    Without that one, measures that compare two kinds of documents would have nothing to compare.
    """
    return float(measure([*grades, 0]))


def picture(measure: Measure) -> str:
    """Return the charts as HTML, or a sentence if ranks do not count or cannot be distinguished."""
    try:
        series = weights(measure)
    except RankstoneError as error:
        return f"<p>No picture: {escape(str(error))}</p>"
    if all(max(values) - min(values) < 1e-12 for values in series.values()):
        return "<p>The same at every rank: the order of the documents does not count.</p>"
    charts = "".join(_chart(title, values) for title, values in series.items())
    return f'<div class="weights">{charts}</div>'


def _chart(title: str, values: list[float]) -> str:
    """Return a bar chart as SVG in the colours of the page."""
    low, high = min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    bottom = _HEIGHT - _BOTTOM
    scale = (bottom - _TOP) / span
    zero = bottom + low * scale
    step = (_WIDTH - _LEFT) / len(values)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
        f'<text x="0" y="12">{escape(title)}</text>',
        f'<path d="M{_LEFT} {zero:.1f}H{_WIDTH}"/>',
    ]
    for end in {low, high}:
        y = zero - end * scale
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{end:.3g}</text>')
    for i, value in enumerate(values):
        x = _LEFT + i * step
        top, tall = zero - max(value, 0.0) * scale, abs(value) * scale
        parts.append(
            f'<rect x="{x + 1.5:.1f}" y="{top:.1f}" width="{step - 3:.1f}" height="{tall:.1f}">'
            f"<title>rank {i + 1}: {value:.4f}</title></rect>"
        )
        parts.append(
            f'<text x="{x + step / 2:.1f}" y="{_HEIGHT - 5}" text-anchor="middle">{i + 1}</text>'
        )
    return "".join([*parts, "</svg>"])
