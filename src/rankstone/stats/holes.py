"""Whether a difference between runs survives the documents that nobody judged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rankstone.errors import Notice
from rankstone.stats.comparison import Comparison, PairComparison
from rankstone.stats.values import QueryValues


def with_holes(comparison: Comparison, values: Iterable[QueryValues]) -> Comparison:
    """Return the comparison with a notice on each pair whose unjudged intervals are known."""
    known = {run.name: run.unjudged for run in values if run.unjudged}
    if not known:
        return comparison
    pairs = tuple(
        replace(pair, warnings=(*pair.warnings, _notice(pair, ends)))
        if (ends := difference_interval(pair, known)) is not None
        else pair
        for pair in comparison.comparisons
    )
    return replace(comparison, comparisons=pairs)


def difference_interval(
    pair: PairComparison, known: Mapping[str, Mapping[str, tuple[float, float]]]
) -> tuple[float, float] | None:
    """Return between which values the difference lies, whatever the grades of unjudged documents.

    It is a bound: a document that both runs retrieved counts against each of them.
    """
    run, baseline = (known.get(name, {}).get(pair.measure) for name in (pair.run, pair.baseline))
    if run is None or baseline is None:
        return None
    return run[0] - baseline[1], run[1] - baseline[0]


def _notice(pair: PairComparison, ends: tuple[float, float]) -> Notice:
    low, high = ends
    if math.isinf(low) or math.isinf(high):
        span = "may be anything"
    else:
        span = f"is from {low:+.3f} to {high:+.3f}"
    if low * high > 0:  # both ends on one side of 0
        text = f"unjudged documents cannot reverse it: whatever their grades, the difference {span}"
        return Notice("survives-holes", 1, text, level="note")
    text = f"unjudged documents could reverse it: whatever their grades, the difference {span}"
    # What is undecided cannot be reversed.
    level = "warning" if pair.verdict in ("better", "worse") else "note"
    return Notice("holes", 1, text, level=level)
