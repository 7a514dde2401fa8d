"""The formats a comparison can be written in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankstone.core.text import width
from rankstone.errors import plural
from rankstone.language import tr
from rankstone.stats.comparison import Comparison, PairComparison
from rankstone.stats.corrections import CORRECTION_NAMES
from rankstone.text.blocks import Block, Grid, Line, Paragraphs, Sentence, rounded
from rankstone.text.delimited import Cells, delimited, exact
from rankstone.text.latex import latex
from rankstone.text.markdown import markdown
from rankstone.text.results import ALL
from rankstone.text.terminal import grid_width, terminal
from rankstone.text.verdicts import is_floor, moved, sentence

BETTER, WORSE, INCOMPLETE = "▲", "▼", "?"
MARKS = {"better": BETTER, "worse": WORSE, "incomplete": INCOMPLETE}
_TONES = {"better": "good", "worse": "bad", "incomplete": "unsure"}
_MOST_SENTENCES = 5
_MOST_MOVED = 3
_TEXTS = ("measure", "baseline", "run", "test", "correction", "interval", "verdict", "warnings")
_NUMBERS = (
    "n", "baseline_mean", "mean", "difference", "ci_low", "ci_high", "confidence", "p_value",
    "p_adjusted", "wins", "ties", "losses", "effect_size", "superiority", "resamples",
)  # fmt: skip
_OF_ALL = ("seed", "family")
_COMMON = ("n", "difference", "ci_low", "ci_high", "p_value", "p_adjusted")


def write_comparison(
    comparison: Comparison, form: str, *, digits: int = 4, colour: bool = False, columns: int = 80
) -> Iterator[str]:
    """Return the lines of a comparison in a format; ``columns`` is the width of the terminal."""
    if form == "json":
        return iter([comparison.to_json(indent=2)])
    if form in ("tsv", "csv"):
        return delimited(_cells(comparison), form)
    if form == "latex":
        return latex([_means(comparison, digits, method=True)], "tab:comparison")
    means, how = _means(comparison, digits), Sentence([tr("How: {}.").format(comparison.method())])
    slices = [_slices(comparison, digits)] if comparison.slices else []
    if form == "md":
        tables: list[Block] = [means, _details(comparison, digits), *slices, how]
        return markdown([_sentences(comparison), tables])
    means = replace(means, lines=_padded(means.lines))
    details = _details(comparison, digits)
    if grid_width(details) > columns:
        foot = [tr("queries won, tied and lost"), *details.foot[1:]]
        details = replace(details.part(range(len(details.numbers) - 1)), foot=foot)
    most = [_moved(pair) for pair in comparison.comparisons[:_MOST_MOVED]]
    texts: list[list[Block]] = [_sentences(comparison), [means], [details], [*slices], *most, [how]]
    return terminal([text for text in texts if text], colour, columns)


def for_notebook(comparison: Comparison) -> Paragraphs:
    """Return the conclusions and the differences, with the means that they are of."""
    pairs = comparison.comparisons
    shown = _items(comparison, pairs[:_MOST_SENTENCES])
    if (more := len(pairs) - len(shown)) > 0:
        shown.append(Sentence([tr("and {} more, in the table").format(more)], "item"))
    how = Sentence([tr("{}.").format(comparison.method())], "quiet")
    return [[*shown, _details(comparison, 4, means=True), how]]


def _moved(pair: PairComparison) -> list[Block]:
    """Return the queries that moved most."""
    shown = pair.common if pair.incomplete and pair.common is not None else pair
    lines = [Sentence([f"  {text}"]) for text in moved(shown)]
    head = tr("Queries that moved most on {}, {} against {}").format(
        pair.measure, pair.run, pair.baseline
    )
    return [Sentence([head]), *lines] if lines else []


def _cells(comparison: Comparison) -> Iterator[Cells]:
    """Yield the heads, then one line per pair and measure.

    The columns ``common_...`` are of the queries that both runs answered, if some were not.
    """
    group = ["group"] if comparison.slices else []
    yield [*group, *_TEXTS], [*_NUMBERS, *_OF_ALL, *(f"common_{name}" for name in _COMMON)]
    for pair in (*comparison.comparisons, *comparison.slices):
        codes = " ".join(dict.fromkeys(notice.code for notice in pair.warnings))
        own = [pair.group or ALL] if group else []
        texts = [str(getattr(pair, name)) for name in _TEXTS[:-1]]
        family = comparison.slice_family if pair.group else comparison.family
        numbers = [getattr(pair, name) for name in _NUMBERS] + [comparison.seed, family]
        numbers += [getattr(pair.common, name, None) for name in _COMMON]
        yield [*own, *texts, codes], ["" if n is None else exact(float(n)) for n in numbers]


def _items(comparison: Comparison, pairs: Sequence[PairComparison]) -> list[Block]:
    return [
        Sentence([sentence(pair, comparison)], "item", _TONES.get(pair.verdict, ""))
        for pair in pairs
    ]


def _sentences(comparison: Comparison) -> list[Block]:
    """Return a sentence per pair on the first measure, then on the others while there are few."""
    pairs = comparison.comparisons
    if len(pairs) > _MOST_SENTENCES:
        pairs = tuple(p for p in pairs if p.measure == comparison.measures[0])
    shown = _items(comparison, pairs[:_MOST_SENTENCES])
    if more := len(comparison.comparisons) - len(shown):
        shown.append(
            Sentence([tr("{} more comparisons are in the table below.").format(more)], "item")
        )
    return shown


def _means(comparison: Comparison, digits: int, *, method: bool = False) -> Grid:
    """Lay the means of the runs out, the best in bold, with marks for significance."""
    verdicts = {(p.measure, p.run): p.verdict for p in comparison.comparisons}
    best = {m: _best(comparison, m) for m in comparison.measures}
    lines = []
    for place, run in enumerate(comparison.runs, 1):
        means = comparison.means[run]
        marks = [
            MARKS.get(verdicts.get((m, run), ""), "")
            if comparison.baseline is not None
            else _beaten(comparison, m, run)
            for m in comparison.measures
        ]
        cells = [
            f"{rounded(means[m], digits)} {mark}".rstrip()
            for m, mark in zip(comparison.measures, marks, strict=True)
        ]
        name = run if comparison.baseline is not None else f"{place} {run}"
        lines.append(Line([name], cells, [means[m] == best[m] for m in comparison.measures]))
    foot = list(_foot(comparison, method))
    return Grid([tr("run")], list(comparison.measures), lines, foot)


def _padded(lines: Sequence[Line]) -> list[Line]:
    """Return lines whose numbers are below each other, whatever marks follow them."""
    columns = list(zip(*(line.numbers for line in lines), strict=True))
    reach = [max(width(cell.partition(" ")[2]) for cell in column) for column in columns]
    out = []
    for line in lines:
        numbers = []
        for cell, most in zip(line.numbers, reach, strict=True):
            value, _, mark = cell.partition(" ")
            numbers.append(value + (f" {mark}" + " " * (most - width(mark)) if most else ""))
        out.append(Line(line.names, numbers, line.bold))
    return out


def _best(comparison: Comparison, measure: str) -> float:
    """Return the best mean by a measure; NaN if runs do not differ."""
    means = [comparison.means[run][measure] for run in comparison.runs]
    higher = next(p for p in comparison.comparisons if p.measure == measure).higher_is_better
    known = [m for m in means if not math.isnan(m)]
    if len(set(known)) < 2:
        return math.nan
    return max(known) if higher else min(known)


def _beaten(comparison: Comparison, measure: str, run: str) -> str:
    """Return the numbers of the runs that a run is better than."""
    place = {name: i for i, name in enumerate(comparison.runs, 1)}
    beaten = [
        place[p.baseline if p.run == run else p.run]
        for p in comparison.comparisons
        if (p.measure, p.run, p.verdict) == (measure, run, "better")
        or (p.measure, p.baseline, p.verdict) == (measure, run, "worse")
    ]
    return ">" + ",".join(map(str, sorted(beaten))) if beaten else ""


def _foot(comparison: Comparison, method: bool) -> Iterator[str]:
    kind = tr("weighted means") if comparison.weighted else tr("means")
    counts = sorted({p.n for p in comparison.comparisons})
    over = (
        plural(counts[0], "query")
        if len(counts) == 1
        else tr("{} to {} queries").format(counts[0], counts[-1])
    )
    if any(
        comparison.means[name][p.measure] != mean
        for p in comparison.comparisons
        for name, mean in ((p.run, p.mean), (p.baseline, p.baseline_mean))
    ):
        over = tr("each run's own queries, differences over those that both have ({})").format(over)
    alpha = f"{1 - comparison.confidence:g}"
    if comparison.baseline is None:
        marks = tr(">1,2 is better than runs 1 and 2 (p at most {})").format(alpha)
    else:
        marks = tr("{} better, {} worse than {} (p at most {}); no mark: cannot tell").format(
            BETTER, WORSE, comparison.baseline, alpha
        )
        if any(p.incomplete for p in comparison.comparisons):
            marks += tr("; {} queries without an answer decide").format(INCOMPLETE)
    yield tr("{} over {}; {}").format(kind, over, marks)
    if method:
        yield comparison.method()


def _details(comparison: Comparison, digits: int, *, means: bool = False) -> Grid:
    """Lay the differences out, one line per pair and measure; in notebooks with means and marks."""
    names = ["measure", "run"] + ["against"] * (means or comparison.baseline is None)
    level = tr("{:g} % interval").format(comparison.confidence * 100)
    numbers = [tr("mean")] * means + [tr("difference"), level, "p", tr("won/tied/lost")]
    numbers += [tr("effect")] * (not means)
    lines = []
    for pair in comparison.comparisons:
        own = [pair.measure, pair.run, pair.baseline][: len(names)]
        lines.append(_line(own, pair, digits, means))
        if pair.common is not None and pair.incomplete:
            common = [own[0], f"{pair.run} ({pair.common.n})", *own[2:]]
            lines.append(_line(common, pair.common, digits, means))
    foot = [tr("queries won, tied and lost; effect: difference in standard deviations")]
    foot = [] if means else foot
    if any(pair.common is not None and pair.incomplete for pair in comparison.comparisons):
        foot.append(tr("(n): over the n queries that both answered"))
    return Grid([*map(tr, names)], numbers, lines, foot)


def _slices(comparison: Comparison, digits: int) -> Grid:
    """Lay the differences in groups of queries out, each with its verdict."""
    level = tr("{:g} % interval").format(comparison.confidence * 100)
    names = ["group", "measure", "run"] + ["against"] * (comparison.baseline is None)
    lines = []
    for pair in comparison.slices:
        own = [str(pair.group), pair.measure, pair.run, pair.baseline][: len(names)]
        line = _line(own, pair, digits, means=False)
        numbers = [f"{pair.n:,}", *line.numbers[:3], _verdict(pair)]
        decided = line.bold[0]
        lines.append(Line(own, numbers, [False, decided, False, decided, decided]))
    foot = [tr("-: cannot tell; {}: queries without an answer decide").format(INCOMPLETE)]
    if comparison.slice_family > 1 and comparison.correction != "none":
        over = plural(comparison.slice_family, "comparison")
        name = tr(CORRECTION_NAMES[comparison.correction])
        foot.append(tr("p: {} over {} in groups").format(name, over))
    heads = [tr("queries"), tr("difference"), level, "p", tr("verdict")]
    return Grid([*map(tr, names)], heads, lines, foot)


def _verdict(pair: PairComparison) -> str:
    decided = pair.verdict in ("better", "worse")
    return f"{MARKS[pair.verdict]} {tr(pair.verdict)}" if decided else MARKS.get(pair.verdict, "-")


def _line(names: list[str], pair: PairComparison, digits: int, means: bool) -> Line:
    short = max(digits - 1, 0)
    mark = f" {MARKS.get(pair.verdict, '')}" if means else ""
    cells = [
        f"{pair.difference:+.{digits}f}{mark}".rstrip(),
        tr("{} to {}").format(f"{pair.ci_low:+.{short}f}", f"{pair.ci_high:+.{short}f}"),
        ("<" if is_floor(pair) else "") + f"{pair.p_adjusted:.4f}",
        f"{pair.wins}/{pair.ties}/{pair.losses}",
        f"{pair.effect_size:+.2f}",
    ]
    shown = ["-" if "nan" in cell else cell for cell in cells]
    decided = pair.verdict in ("better", "worse")
    bold = [decided, False, decided, False, False]
    if means:
        return Line(names, [rounded(pair.mean, digits), *shown[:-1]], [False, *bold[:-1]])
    return Line(names, shown, bold)
