"""Agreement in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rankstone.errors import plural, printable
from rankstone.report.text_table import Grid, Line, terminal
from rankstone.stats.agreement import JudgmentAgreement, OrderingAgreement, RankingAgreement

_MOST_SWAPPED = 5


def run_lines(
    means: Mapping[str, float],
    per_query: Mapping[object, RankingAgreement],
    alone: tuple[int, int],
    *,
    each: bool,
    colour: bool = False,
) -> Iterator[str]:
    """Yield the agreement of two runs.

    Args:
        means: by name of the coefficient.
        per_query: the agreement of each query.
        alone: numbers of queries that one run alone has.
        each: show each query.
        colour: for a terminal.
    """
    lines = []
    for query, agreement in per_query.items() if each else ():
        overlaps = list(agreement.overlap.values())
        taus = [agreement.tau_a, agreement.tau_b, agreement.tau_ap]
        row = [*taus, agreement.rbo.extrapolated, agreement.rbo.residual, *overlaps]
        lines.append(Line([str(query)], [_cell(v) for v in row], [False] * len(row)))
    lines.append(Line(["mean"], [_cell(v) for v in means.values()], [False] * len(means)))
    foot = [
        f"mean over {plural(len(per_query), 'query')}; 1 is the same order, tau 0 is chance",
        "tau is over common documents; the residual is what unseen ranks could add to RBO",
    ]
    if any(alone):
        foot.append(
            f"left out: {alone[0]} queries of the first run alone, {alone[1]} of the second"
        )
    yield from terminal(Grid(["query"], list(means), lines, foot), colour)


def judgment_lines(agreement: JudgmentAgreement, *, colour: bool = False) -> Iterator[str]:
    """Yield the agreement of two sets of judgments, and the confusion of their grades."""
    yield (
        f"Both judged {plural(agreement.n, 'document')}; {agreement.only_first} only the first, "
        f"{agreement.only_second} only the second."
    )
    yield f"The same grade for {agreement.agreement * 100:.1f} % of them."
    names = {
        "kappa": "kappa (all disagreements alike)",
        "kappa_linear": "kappa, linear weights",
        "kappa_quadratic": "kappa, quadratic weights",
        "kappa_relevant": "kappa, relevant or not",
        "alpha": "Krippendorff's alpha (ordinal)",
    }
    yield ""
    rows = [Line([n], [_cell(getattr(agreement, f))], [False]) for f, n in names.items()]
    yield from terminal(Grid(["agreement beyond chance"], ["value"], rows, []), colour)
    yield ""
    table = agreement.confusion
    grades = [f"{grade:g}" for grade in table.grades]
    lines = [
        Line([grade], [f"{count:,}" for count in row], [i == j for j in range(len(grades))])
        for i, (grade, row) in enumerate(zip(grades, table.counts.tolist(), strict=True))
    ]
    foot = ["documents by grade: the first set in rows, the second in columns"]
    yield from terminal(Grid(["grade"], grades, lines, foot), colour)


def ordering_lines(agreement: OrderingAgreement, first: str, second: str) -> Iterator[str]:
    """Yield how much two orderings of systems agree, and which pairs they order differently."""
    n = len(agreement.systems)
    yield printable(
        f"Order of {n} systems by {first} and by {second}: tau {_cell(agreement.tau_a)}, tau-b "
        f"{_cell(agreement.tau_b)}, tau_ap {_cell(agreement.tau_ap)}."
    )
    swapped = agreement.swapped
    if not swapped:
        yield "No pair of systems is ordered differently."
        return
    some = ", ".join(f"{a} and {b}" for a, b in swapped[:_MOST_SWAPPED])
    more = ", ..." if len(swapped) > _MOST_SWAPPED else ""
    yield printable(
        f"{len(swapped)} of {n * (n - 1) // 2} pairs are ordered differently: {some}{more}."
    )


def _cell(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"
