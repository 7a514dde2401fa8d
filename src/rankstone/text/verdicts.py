"""A comparison in plain sentences: what a reader who knows no statistics should conclude."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankstone.errors import plural
from rankstone.stats.comparison import Comparison, PairComparison

#: Warnings that the sentences already express.
_EXPRESSED = ("incomplete", "no-difference", "one-query", "underpowered", "too-few-clusters")


def sentence(pair: PairComparison, comparison: Comparison) -> str:
    """Return the conclusion: which of two runs is better, by how much, with what certainty."""
    return " ".join([_verdict(pair, comparison), *remarks(pair)])


def remarks(pair: PairComparison) -> list[str]:
    """Return remarks on a pair: the sources of its uncertainty, and its warnings."""
    parts = []
    if pair.variance is not None:
        share = pair.variance.share_of_runs * 100
        repeats = " and ".join(map(str, pair.variance.repeats))
        parts.append(
            f"Of the uncertainty {100 - share:.0f} % comes from queries and {share:.0f} % from "
            f"repeated runs ({repeats})."
        )
    for text in (str(n) for n in pair.warnings if n.code not in _EXPRESSED):
        is_name = text.startswith((pair.run, pair.baseline))  # which keeps its first letter
        parts.append(f"{text}." if is_name else f"{text[:1].upper()}{text[1:]}.")
    return parts


def _verdict(pair: PairComparison, comparison: Comparison) -> str:
    run, baseline, measure = pair.run, pair.baseline, pair.measure
    if pair.verdict == "incomplete":
        return _incomplete(pair, comparison)
    if pair.ties == pair.n:
        return f"{run} and {baseline} have the same {measure} for every query."
    if pair.verdict in ("better", "worse"):
        doubt = ", unless unjudged documents reverse it" if pair.reversible else ""
        return (
            f"{run} is {pair.verdict} than {baseline} on {measure}{doubt}: "
            f"{_numbers(pair, comparison)}."
        )
    return (
        f"Cannot tell whether {run} is better than {baseline} on {measure}: "
        f"{_undecided(pair, comparison)}"
    )


def _undecided(pair: PairComparison, comparison: Comparison) -> str:
    """Give the numbers of a pair that is not decided, and what its queries could have shown."""
    if pair.verdict == "untestable":
        why = [n.text for n in pair.warnings if n.code in _EXPRESSED]
        return f"{next(iter(why), 'its p-value cannot be computed')}."
    text = f"{_numbers(pair, comparison)}."
    if pair.detectable > 0:
        text += f" {plural(pair.n, 'query')} can only show differences of {pair.detectable:.3f} or more."
    elif math.isnan(pair.detectable):
        text += (
            f" {plural(pair.n, 'query')} can show no difference within the range of the measure."
        )
    return text


def _incomplete(pair: PairComparison, comparison: Comparison) -> str:
    missing, common = pair.missing, pair.common
    counts = [] if missing is None else [
        (pair.baseline, missing.baseline), (pair.run, missing.run),
    ]  # fmt: skip
    who = " and ".join(
        f"{name} has no answer for {count} of {plural(pair.n, 'query')}"
        for name, count in counts
        if count
    )
    head = f"Incomplete, {pair.run} against {pair.baseline} on {pair.measure}: {who}"
    if common is None or missing is None:
        return f"{head}, and no query was answered by both. This says nothing about quality."
    start = (
        f"{head}, and {missing.share * 100:.0f} % of the difference ({pair.difference:+.3f}) comes "
        "from that."
    )
    answered = f"{plural(common.n, 'query')} that both answered"
    if common.ties == common.n:
        return f"{start} On the {answered} both are equal."
    if common.verdict in ("better", "worse"):
        return (
            f"{start} On the {answered} {pair.run} is {common.verdict}: "
            f"{_numbers(common, comparison)}."
        )
    undecided = _undecided(common, comparison)
    return f"{start} The {answered} do not show which is better: {undecided}"


def _numbers(pair: PairComparison, comparison: Comparison) -> str:
    lower = "" if pair.higher_is_better else " (lower is better)"
    level = f"{pair.confidence * 100:g} %"
    return (
        f"{pair.difference:+.3f}{lower} ({level} interval {pair.ci_low:+.3f} to "
        f"{pair.ci_high:+.3f}), {_p(pair, pair.p_adjusted)}{_correction(pair, comparison)}"
    )


def _correction(pair: PairComparison, comparison: Comparison) -> str:
    if comparison.family < 2:
        return ""
    if pair.correction == "none" and comparison.test != "tukey":
        return f" (not corrected for {plural(comparison.family, 'comparison')})"
    text = comparison.correction_in_words()
    alpha = 1.0 - pair.confidence
    if pair.p_value <= alpha < pair.p_adjusted:
        text += f"; {_p(pair, pair.p_value)} without it"
    return f" ({text})"


def is_floor(pair: PairComparison) -> bool:
    """Return whether a p-value is the smallest that its resamples can give."""
    return pair.resamples is not None and pair.p_value * (pair.resamples + 1.0) < 1.5


def _p(pair: PairComparison, p: float) -> str:
    """Return a p-value in words, as a bound if more resamples might have made it smaller."""
    if not is_floor(pair) or p < 0.001:
        return p_in_words(p)
    return f"p < {math.ceil(p * 1000 + 1e-9) / 1000:.3f}"


def p_in_words(p: float) -> str:
    """Format a p-value: "p = 0.03", "p < 0.001"."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def moved(pair: PairComparison) -> Iterator[str]:
    """Yield the queries that moved most, in both directions."""
    for word, queries in (("better", pair.improved), ("worse", pair.worsened)):
        if queries:
            listed = ", ".join(f"{m.query} {m.difference:+.3f}" for m in queries)
            yield f"{word}: {listed}"
