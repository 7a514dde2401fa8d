"""A baseline in words."""

from __future__ import annotations

from collections.abc import Iterator

from rankstone.conventions import Conventions
from rankstone.errors import plural, printable
from rankstone.gates.baseline import Baseline
from rankstone.report.text_table import Grid, Line, rounded, terminal

_DIGITS = 4


def describe(baseline: Baseline, path: str) -> Iterator[str]:
    """Yield what a baseline holds, and why."""
    over = plural(len(baseline.queries), "query")
    yield printable(f"{path}: {baseline.name}, {over}, Rankstone {baseline.rankstone}")
    yield printable(f"judgments: {baseline.judgments}")
    yield printable(f"run: {baseline.run}")
    like = f"like {baseline.like}; " if baseline.like else ""
    choices = baseline.conventions.diff(Conventions())
    named = ", ".join(f"{name}={value}" for name, value in choices.items()) or "default"
    yield f"conventions: {like}{named}"
    yield ""
    means = list(baseline.columns)
    numbers = [rounded(baseline.means[m], _DIGITS, whole=False) for m in means]
    rows = [Line(["now"], numbers, [False] * len(means))]
    for update in baseline.history:
        numbers = [
            rounded(update.means[m], _DIGITS, whole=False) if m in update.means else "-"
            for m in means
        ]
        rows.append(Line([f"{update.date}  {update.reason}"], numbers, [False] * len(means)))
    yield from terminal(Grid(["accepted"], means, rows[1:] or rows, []), colour=False)


def changes(old: Baseline, new: Baseline, path: str) -> Iterator[str]:
    """Yield what an update of a baseline changed."""
    yield printable(f"{path}: {new.name} accepted ({new.history[-1].reason})")
    yield ""
    rows = []
    for measure, value in new.means.items():
        before = old.means.get(measure)
        cells = ["-" if before is None else f"{before:.4f}", f"{value:.4f}"]
        cells.append("-" if before is None else f"{value - before:+.4f}")
        rows.append(Line([measure], cells, [False] * 3))
    foot = []
    if old.judgments.sha256 != new.judgments.sha256:
        foot.append(printable(f"the judgments changed: {old.judgments} to {new.judgments}"))
    if old.rankstone != new.rankstone:
        foot.append(f"Rankstone changed: {old.rankstone} to {new.rankstone}")
    dropped = [measure for measure in old.columns if measure not in new.columns]
    if dropped:
        foot.append(f"no longer there: {', '.join(dropped)}")
    yield from terminal(
        Grid(["measure"], ["before", "now", "difference"], rows, foot), colour=False
    )
