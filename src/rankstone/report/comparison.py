"""The formats a comparison can be written in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankstone.errors import plural, printable
from rankstone.report.latex import latex
from rankstone.report.text_table import (
    Grid,
    Line,
    grid_width,
    markdown,
    rounded,
    terminal,
    width,
    wrapped,
)
from rankstone.report.verdicts import moved, sentence
from rankstone.report.write import Cells, csv, exact, tsv
from rankstone.stats.comparison import Comparison, PairComparison

BETTER, WORSE, INCOMPLETE = "▲", "▼", "?"
MARKS = {"better": BETTER, "worse": WORSE, "incomplete": INCOMPLETE}
_MOST_SENTENCES = 10
_MOST_MOVED = 3
_TEXTS = ("measure", "baseline", "run", "test", "correction", "interval", "verdict", "warnings")
_NUMBERS = (
    "n", "baseline_mean", "mean", "difference", "ci_low", "ci_high", "confidence", "p_value",
    "p_adjusted", "wins", "ties", "losses", "effect_size", "superiority", "resamples",
)  # fmt: skip
_OF_ALL = ("seed", "family")  # the same for all comparisons
_COMMON = ("n", "difference", "ci_low", "ci_high", "p_value", "p_adjusted")


def write_comparison(
    comparison: Comparison, form: str, *, digits: int = 4, colour: bool = False, columns: int = 80
) -> Iterator[str]:
    """Yield the lines of a comparison in a format; ``columns`` is the width of the terminal."""
    if form == "json":
        yield comparison.to_json(indent=2)
    elif form in ("tsv", "csv"):
        yield from {"tsv": tsv, "csv": csv}[form](_cells(comparison))
    elif form == "latex":
        yield from latex(_means(comparison, digits, method=True), label="tab:comparison")
    elif form == "md":
        yield from _as_markdown(comparison, digits)
    else:
        yield from _on_terminal(comparison, digits, colour, columns)


def _cells(comparison: Comparison) -> Iterator[Cells]:
    """Yield the heads, then one line per pair and measure.

    The columns ``common_...`` are of the queries that both runs answered, if some were not.
    """
    yield [*_TEXTS], [*_NUMBERS, *_OF_ALL, *(f"common_{name}" for name in _COMMON)]
    for pair in comparison.comparisons:
        codes = " ".join(dict.fromkeys(notice.code for notice in pair.warnings))
        texts = [str(getattr(pair, name)) for name in _TEXTS[:-1]]
        sources = ((pair, _NUMBERS), (comparison, _OF_ALL), (pair.common, _COMMON))
        numbers = (getattr(source, name, None) for source, names in sources for name in names)
        yield [*texts, codes], ["" if n is None else exact(float(n)) for n in numbers]


def _on_terminal(comparison: Comparison, digits: int, colour: bool, columns: int) -> Iterator[str]:
    for text in _sentences(comparison):
        yield from _folded(text, columns)
    means = _means(comparison, digits)
    means = replace(means, lines=_padded(means.lines))
    for grid in (means, _details(comparison, digits, columns)):
        yield ""
        yield from terminal(grid, colour, columns)
    for pair in comparison.comparisons[:_MOST_MOVED]:
        shown = pair.common if pair.incomplete and pair.common is not None else pair
        lines = [line for text in moved(shown) for line in _folded(f"  {text}", columns)]
        if lines:
            yield ""
            yield from _folded(_moved_head(pair), columns)
            yield from lines
    yield ""
    yield from wrapped(printable(_method(comparison)), columns)


def _folded(text: str, columns: int) -> Iterator[str]:
    """Yield the lines of a text; a p-value stays on one line."""
    kept = re.sub(r"p ([<=]) ", "p\u00a0\\1\u00a0", printable(text))
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    for line in wrapped(kept, columns, indent):
        yield line.replace("\u00a0", " ")


def _as_markdown(comparison: Comparison, digits: int) -> Iterator[str]:
    for text in _sentences(comparison):
        yield f"- {printable(text)}"
    for grid in (_means(comparison, digits), _details(comparison, digits, None)):
        yield ""
        yield from markdown(grid)
    yield ""
    yield printable(_method(comparison))


def _sentences(comparison: Comparison) -> Iterator[str]:
    """Yield a sentence per pair on the first measure, then on the others while there are few."""
    pairs = comparison.comparisons
    if len(pairs) > _MOST_SENTENCES:
        pairs = tuple(p for p in pairs if p.measure == comparison.measures[0])
    for pair in pairs[:_MOST_SENTENCES]:
        yield sentence(pair, comparison)
    more = len(comparison.comparisons) - len(pairs[:_MOST_SENTENCES])
    if more:
        yield f"{more} more comparisons are in the table below."


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
            f"{rounded(means[m], digits, whole=False)} {mark}".rstrip()
            for m, mark in zip(comparison.measures, marks, strict=True)
        ]
        name = run if comparison.baseline is not None else f"{place} {run}"
        lines.append(Line([name], cells, [means[m] == best[m] for m in comparison.measures]))
    foot = list(_foot(comparison, method))
    return Grid(["run"], list(comparison.measures), lines, foot)


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
    kind = "weighted means" if comparison.weighted else "means"
    counts = sorted({p.n for p in comparison.comparisons})
    over = (
        plural(counts[0], "query") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} queries"
    )
    if any(
        comparison.means[name][p.measure] != mean
        for p in comparison.comparisons
        for name, mean in ((p.run, p.mean), (p.baseline, p.baseline_mean))
    ):
        over = f"each run's own queries, differences over those that both have ({over})"
    alpha = f"{1 - comparison.confidence:g}"
    if comparison.baseline is None:
        marks = f">1,2 is better than runs 1 and 2 (p at most {alpha})"
    else:
        marks = (
            f"{BETTER} better, {WORSE} worse than {comparison.baseline} (p at most {alpha}); "
            "no mark: cannot tell"
        )
        if any(p.incomplete for p in comparison.comparisons):
            marks += f"; {INCOMPLETE} queries without an answer decide"
    yield f"{kind} over {over}; {marks}"
    if method:
        yield comparison.method()


def _details(comparison: Comparison, digits: int, columns: int | None) -> Grid:
    """Lay the differences out, one line per pair and measure."""
    level = f"{comparison.confidence * 100:g} % interval"
    names = ["measure", "run"] + ["against"] * (comparison.baseline is None)
    numbers = ["difference", level, "p", "won/tied/lost", "effect"]
    lines = []
    for pair in comparison.comparisons:
        own = [pair.measure, pair.run, pair.baseline][: len(names)]
        lines.append(Line(own, _numbers(pair, digits), _bold(pair)))
        if pair.common is not None and pair.incomplete:
            common = [own[0], f"{pair.run} ({pair.common.n})", *own[2:]]
            lines.append(Line(common, _numbers(pair.common, digits), _bold(pair.common)))
    foot = ["queries won, tied and lost; effect: difference in standard deviations"]
    if any(pair.common is not None and pair.incomplete for pair in comparison.comparisons):
        foot.append("(n): over the n queries that both answered")
    grid = Grid(names, numbers, lines, foot)
    if columns is None or grid_width(grid) <= columns:
        return grid
    lines = [Line(line.names, line.numbers[:-1], line.bold[:-1]) for line in lines]
    return Grid(names, numbers[:-1], lines, ["queries won, tied and lost", *foot[1:]])


def _numbers(pair: PairComparison, digits: int) -> list[str]:
    short = max(digits - 1, 0)
    cells = [
        f"{pair.difference:+.{digits}f}",
        f"{pair.ci_low:+.{short}f} to {pair.ci_high:+.{short}f}",
        f"{pair.p_adjusted:.4f}",
        f"{pair.wins}/{pair.ties}/{pair.losses}",
        f"{pair.effect_size:+.2f}",
    ]
    return ["-" if "nan" in cell else cell for cell in cells]


def _bold(pair: PairComparison) -> list[bool]:
    is_decided = pair.verdict in ("better", "worse")
    return [is_decided, False, is_decided, False, False]


def _moved_head(pair: PairComparison) -> str:
    return f"Queries that moved most on {pair.measure}, {pair.run} against {pair.baseline}"


def _method(comparison: Comparison) -> str:
    return f"How: {comparison.method()}."
