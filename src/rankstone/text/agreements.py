"""Agreement in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rankstone.errors import plural, printable
from rankstone.language import tr
from rankstone.stats.agreement import (
    JudgesAgreement,
    JudgmentAgreement,
    OrderingAgreement,
    RunAgreement,
)
from rankstone.text.blocks import Grid, Line, Sentence, rounded
from rankstone.text.terminal import terminal

_MOST_SWAPPED = 5
_DIGITS = 4
_COEFFICIENTS = {
    "kappa": "kappa (all disagreements alike)",
    "kappa_linear": "kappa, linear weights",
    "kappa_quadratic": "kappa, quadratic weights",
    "kappa_relevant": "kappa, relevant or not",
    "fleiss": "Fleiss' kappa",
    "alpha": "Krippendorff's alpha (ordinal)",
}


def run_lines(agreement: RunAgreement, *, each: bool, colour: bool = False) -> Iterator[str]:
    """Return the agreement of two runs as lines; with ``each`` that of each query, too."""
    per_query = agreement.per_query
    rows = [(str(q), own.numbers()) for q, own in per_query.items()] if each else []
    rows.append((tr("mean"), agreement.means()))
    foot = [
        tr("mean over {}; 1 is the same order, tau 0 is chance").format(
            plural(len(per_query), "query")
        ),
        tr("tau is over common documents; the residual is what unseen ranks could add to RBO"),
    ]
    alone = len(agreement.only_first), len(agreement.only_second)
    if any(alone):
        foot.append(
            tr("left out: {} queries of the first run alone, {} of the second").format(*alone)
        )
    lines = [Line([name], [rounded(v, _DIGITS) for v in own.values()]) for name, own in rows]
    return terminal([[Grid([tr("query")], [*rows[-1][1]], lines, foot)]], colour)


def judgment_lines(agreement: JudgmentAgreement, *, colour: bool = False) -> Iterator[str]:
    """Return the agreement of two sets of judgments, and the confusion of their grades."""
    both = tr("Both judged {}; {} only the first, {} only the second.").format(
        plural(agreement.n, "document"), agreement.only_first, agreement.only_second
    )
    same = tr("The same grade for {:.1f} % of them.").format(agreement.agreement * 100)
    table = agreement.confusion
    grades = [f"{grade:g}" for grade in table.grades]
    counts = [
        Line([grade], [f"{count:,}" for count in row], [i == j for j in range(len(grades))])
        for i, (grade, row) in enumerate(zip(grades, table.counts.tolist(), strict=True))
    ]
    foot = [
        tr("documents by grade: the first set in rows, the second in columns"),
        tr("the second grades {:+.3f} higher on average; by grade of the first: ").format(
            agreement.bias[None]
        )
        + tr(", ").join(f"{g:g} {v:+.2f}" for g, v in agreement.bias.items() if g is not None),
    ]
    cautions = [Sentence([tr("{}.").format(agreement.caution)])] if agreement.caution else []
    return terminal(
        [
            [Sentence([both]), Sentence([same]), *cautions],
            [_coefficients(agreement)],
            [Grid([tr("grade")], grades, counts, foot)],
        ],
        colour,
    )


def judges_lines(
    agreement: JudgesAgreement, names: Sequence[str], *, colour: bool = False
) -> Iterator[str]:
    """Return the agreement of three and more judges, and of each with the majority of the others.

    Args:
        agreement: of the judges.
        names: of the judges.
        colour: for a terminal.
    """
    each = []
    for name, one in zip(names, agreement.against, strict=True):
        cells = ["0", "-", "-", "-"]
        if one is not None:
            same, bias = tr("{:.1f} %").format(one.agreement * 100), f"{one.bias[None]:+.3f}"
            cells = [f"{one.n:,}", same, rounded(one.kappa, _DIGITS), bias]
        each.append(Line([name], cells))
    both = tr("{} judges, {} that at least two of them judged.").format(
        len(names), plural(agreement.n, "document")
    )
    heads = [tr("documents"), tr("same grade"), "kappa", tr("higher by")]
    foot = [tr("the majority is the most frequent grade of the others, if there is one")]
    return terminal(
        [
            [Sentence([both])],
            [_coefficients(agreement)],
            [Grid([tr("against the majority of the others")], heads, each, foot)],
        ],
        colour,
    )


def _coefficients(agreement: JudgmentAgreement | JudgesAgreement) -> Grid:
    """Return the coefficients of agreement with their intervals."""
    lines = []
    for name, (low, high) in agreement.intervals.items():
        ends = "-" if math.isnan(low) else tr("{:.3f} to {:.3f}").format(low, high)
        value = rounded(getattr(agreement, name), _DIGITS)
        lines.append(Line([tr(_COEFFICIENTS[name])], [value, ends]))
    return Grid([tr("agreement beyond chance")], [tr("value"), tr("95 % interval")], lines)


def ordering_lines(agreement: OrderingAgreement, first: str, second: str) -> Iterator[str]:
    """Yield how much two orderings of systems agree, and which pairs they order differently."""
    n = len(agreement.systems)
    taus = {"tau": agreement.tau_a, "tau-b": agreement.tau_b, "tau_ap": agreement.tau_ap}
    shown = tr(", ").join(f"{name} {rounded(tau, _DIGITS)}" for name, tau in taus.items())
    yield printable(tr("Order of {} systems by {} and by {}: {}.").format(n, first, second, shown))
    swapped = agreement.swapped
    if not swapped:
        yield tr("No pair of systems is ordered differently.")
    else:
        yield from _swapped(swapped, n)
    if agreement.bias:
        yield ""
        yield tr("What the second set adds to the mean of a system:")
        for name, one in agreement.bias.items():
            low, high = one.interval(0.95)
            ends = f"{low:+.3f}", f"{high:+.3f}"
            yield printable(
                tr("  {} {:+.3f} (95 % interval {} to {})").format(name, one.mean, *ends)
            )
    if agreement.by_rank:
        ranks = tr(", ").join(
            f"{ranks} {bias:+.2f} ({n:,})" for ranks, (n, bias) in agreement.by_rank.items()
        )
        yield tr("and to the grades of documents, by rank (and their number): {}.").format(ranks)
    for notice in agreement.warnings:
        yield printable(tr("Warning: {}.").format(notice.text))


def _swapped(swapped: Sequence[tuple[str, str]], n: int) -> Iterator[str]:
    some = tr(", ").join(tr("{} and {}").format(a, b) for a, b in swapped[:_MOST_SWAPPED])
    more = ", ..." if len(swapped) > _MOST_SWAPPED else ""
    yield printable(
        tr("{} of {} pairs are ordered differently: {}{}.").format(
            len(swapped), n * (n - 1) // 2, some, more
        )
    )
