"""A baseline in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankstone.choices.conventions import Conventions
from rankstone.core.provenance import in_words
from rankstone.errors import plural
from rankstone.text.blocks import Grid, Line, Sentence, rounded
from rankstone.text.terminal import terminal
from rankstone.verbs.gate.baseline import Baseline

_DIGITS = 4


def describe(baseline: Baseline, path: str) -> Iterator[str]:
    """Return the contents of a baseline as lines, and why they were accepted."""
    over = plural(len(baseline.queries), "query")
    like = f"like {baseline.like}; " if baseline.like else ""
    choices = baseline.conventions.diff(Conventions())
    named = ", ".join(f"{name}={value}" for name, value in choices.items()) or "default"
    made = [*in_words(baseline.run.reading), *in_words(baseline.changes)]
    texts = [
        f"{path}: {baseline.name}, {over}, Rankstone {baseline.rankstone}",
        f"judgments: {baseline.judgments}",
        f"run: {baseline.run}",
        f"conventions: {like}{named}",
        *([f"changes to the data: {', '.join(made)}"] if made else []),
    ]
    measures = list(baseline.columns)
    means = [(f"{update.date}  {update.reason}", update.means) for update in baseline.history]
    rows = [
        Line([name], [rounded(own.get(m, math.nan), _DIGITS) for m in measures])
        for name, own in means or [("now", baseline.means)]
    ]
    grid = Grid(["accepted"], measures, rows)
    return terminal([[Sentence([text]) for text in texts], [grid]])


def changes(old: Baseline, new: Baseline, path: str) -> Iterator[str]:
    """Return the changes by an update of a baseline as lines."""
    rows = []
    for measure, value in new.means.items():
        before = old.means.get(measure)
        cells = ["-" if before is None else f"{before:.4f}", f"{value:.4f}"]
        cells.append("-" if before is None else f"{value - before:+.4f}")
        rows.append(Line([measure], cells))
    foot = []
    if old.judgments.sha256 != new.judgments.sha256:
        foot.append(f"the judgments changed: {old.judgments} to {new.judgments}")
    if old.rankstone != new.rankstone:
        foot.append(f"Rankstone changed: {old.rankstone} to {new.rankstone}")
    dropped = [measure for measure in old.columns if measure not in new.columns]
    if dropped:
        foot.append(f"no longer there: {', '.join(dropped)}")
    head = Sentence([f"{path}: {new.name} accepted ({new.history[-1].reason})"])
    return terminal([[head], [Grid(["measure"], ["before", "now", "difference"], rows, foot)]])
