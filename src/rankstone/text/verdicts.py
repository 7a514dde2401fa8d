"""The sentence of a verdict: the conclusion of a comparison for readers who know no statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankstone.errors import plural
from rankstone.language import joined, tr
from rankstone.stats.comparison import Comparison, PairComparison

#: Warnings that the sentences already express.
_EXPRESSED = ("incomplete", "no-difference", "one-query", "underpowered", "too-few-clusters")


def sentence(pair: PairComparison, comparison: Comparison) -> str:
    """Return the conclusion: which of two runs is better, by how much, with what certainty."""
    return joined([_verdict(pair, comparison), *remarks(pair)])


def remarks(pair: PairComparison) -> list[str]:
    """Return remarks on a pair: the sources of its uncertainty, and its warnings."""
    parts = []
    if pair.variance is not None:
        share = pair.variance.share_of_runs * 100
        repeats = tr(" and ").join(map(str, pair.variance.repeats))
        parts.append(
            tr(
                "Of the uncertainty {:.0f} % comes from queries and {:.0f} % from repeated runs "
                "({})."
            ).format(100 - share, share, repeats)
        )
    for text in (str(n) for n in pair.warnings if n.code not in _EXPRESSED):
        is_name = text.startswith((pair.run, pair.baseline))  # which keeps its first letter
        parts.append(tr("{}.").format(text if is_name else f"{text[:1].upper()}{text[1:]}"))
    return parts


def _verdict(pair: PairComparison, comparison: Comparison) -> str:
    run, baseline, measure = pair.run, pair.baseline, pair.measure
    if pair.verdict == "incomplete":
        return _incomplete(pair, comparison)
    if pair.ties == pair.n and not pair.difference:
        return tr("{} and {} have the same {} for every query.").format(run, baseline, measure)
    if pair.verdict in ("better", "worse"):
        doubt = tr(", unless unjudged documents reverse it") if pair.reversible else ""
        return tr("{} is {} than {} on {}{}: {}.").format(
            run, tr(pair.verdict), baseline, measure, doubt, _numbers(pair, comparison)
        )
    return tr("Cannot tell whether {} is better than {} on {}: {}").format(
        run, baseline, measure, _undecided(pair, comparison)
    )


def _undecided(pair: PairComparison, comparison: Comparison) -> str:
    """Give the numbers of a pair that is not decided, and what its queries could have shown."""
    if pair.verdict == "untestable":
        why = [n.text for n in pair.warnings if n.code in _EXPRESSED]
        return tr("{}.").format(next(iter(why), tr("its p-value cannot be computed")))
    text = tr("{}.").format(_numbers(pair, comparison))
    if pair.detectable > 0:
        text += tr(" {} can only show differences of {:.3f} or more.").format(
            plural(pair.n, "query"), pair.detectable
        )
    elif math.isnan(pair.detectable):
        text += tr(" {} can show no difference within the range of the measure.").format(
            plural(pair.n, "query")
        )
    return text


def _incomplete(pair: PairComparison, comparison: Comparison) -> str:
    missing, common = pair.missing, pair.common
    counts = [] if missing is None else [
        (pair.baseline, missing.baseline), (pair.run, missing.run),
    ]  # fmt: skip
    who = tr(" and ").join(
        tr("{} has no answer for {} of {}").format(name, count, plural(pair.n, "query"))
        for name, count in counts
        if count
    )
    head = tr("Incomplete, {} against {} on {}: {}").format(
        pair.run, pair.baseline, pair.measure, who
    )
    if common is None or missing is None:
        return tr("{}, and no query was answered by both. This says nothing about quality.").format(
            head
        )
    start = tr("{}, and {:.0f} % of the difference ({:+.3f}) comes from that.").format(
        head, missing.share * 100, pair.difference
    )
    answered = tr("{} that both answered").format(plural(common.n, "query"))
    if common.ties == common.n:
        return tr("{} On the {} both are equal.").format(start, answered)
    if common.verdict in ("better", "worse"):
        return tr("{} On the {} {} is {}: {}.").format(
            start, answered, pair.run, tr(common.verdict), _numbers(common, comparison)
        )
    undecided = _undecided(common, comparison)
    return tr("{} The {} do not show which is better: {}").format(start, answered, undecided)


def _numbers(pair: PairComparison, comparison: Comparison) -> str:
    lower = "" if pair.higher_is_better else tr(" (lower is better)")
    level = tr("{:g} %").format(pair.confidence * 100)
    return tr("{:+.3f}{} ({} interval {:+.3f} to {:+.3f}), {}{}").format(
        pair.difference,
        lower,
        level,
        pair.ci_low,
        pair.ci_high,
        _p(pair, pair.p_adjusted),
        _correction(pair, comparison),
    )


def _correction(pair: PairComparison, comparison: Comparison) -> str:
    if comparison.family < 2:
        return ""
    if pair.correction == "none" and comparison.test != "tukey":
        return tr(" (not corrected for {})").format(plural(comparison.family, "comparison"))
    text = comparison.correction_in_words()
    alpha = 1.0 - pair.confidence
    if pair.p_value <= alpha < pair.p_adjusted:
        text += tr("; {} without it").format(_p(pair, pair.p_value))
    return tr(" ({})").format(text)


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
    for text, queries in ((tr("better: {}"), pair.improved), (tr("worse: {}"), pair.worsened)):
        if queries:
            yield text.format(", ".join(f"{m.query} {m.difference:+.3f}" for m in queries))
