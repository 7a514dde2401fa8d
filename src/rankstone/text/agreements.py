"""Agreement in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rankstone.errors import plural, printable
from rankstone.stats.agreement import JudgmentAgreement, OrderingAgreement, RankingAgreement
from rankstone.text.blocks import Grid, Line, Sentence, rounded
from rankstone.text.terminal import terminal

_MOST_SWAPPED = 5
_DIGITS = 4
_COEFFICIENTS = {
    "kappa": "kappa (all disagreements alike)",
    "kappa_linear": "kappa, linear weights",
    "kappa_quadratic": "kappa, quadratic weights",
    "kappa_relevant": "kappa, relevant or not",
    "alpha": "Krippendorff's alpha (ordinal)",
}


def run_lines(
    means: Mapping[str, float],
    per_query: Mapping[object, RankingAgreement],
    alone: tuple[int, int],
    *,
    each: bool,
    colour: bool = False,
) -> Iterator[str]:
    """Return the agreement of two runs as lines.

    Args:
        means: by name of the coefficient.
        per_query: the agreement of each query.
        alone: numbers of queries that one run alone has.
        each: show each query.
        colour: for a terminal.
    """
    rows: dict[str, list[float]] = {}
    for query, agreement in per_query.items() if each else ():
        taus = [agreement.tau_a, agreement.tau_b, agreement.tau_ap]
        rbo = [agreement.rbo.extrapolated, agreement.rbo.residual]
        rows[str(query)] = [*taus, *rbo, *agreement.overlap.values()]
    values = [*rows.items(), ("mean", list(means.values()))]
    foot = [
        f"mean over {plural(len(per_query), 'query')}; 1 is the same order, tau 0 is chance",
        "tau is over common documents; the residual is what unseen ranks could add to RBO",
    ]
    if any(alone):
        foot.append(
            f"left out: {alone[0]} queries of the first run alone, {alone[1]} of the second"
        )
    lines = [Line([name], [rounded(v, _DIGITS) for v in own]) for name, own in values]
    return terminal([[Grid(["query"], list(means), lines, foot)]], colour)


def judgment_lines(agreement: JudgmentAgreement, *, colour: bool = False) -> Iterator[str]:
    """Return the agreement of two sets of judgments, and the confusion of their grades."""
    both = (
        f"Both judged {plural(agreement.n, 'document')}; {agreement.only_first} only the first, "
        f"{agreement.only_second} only the second."
    )
    same = f"The same grade for {agreement.agreement * 100:.1f} % of them."
    coefficients = [
        Line([name], [rounded(getattr(agreement, field), _DIGITS), _ends(agreement, field)])
        for field, name in _COEFFICIENTS.items()
    ]
    table = agreement.confusion
    grades = [f"{grade:g}" for grade in table.grades]
    counts = [
        Line([grade], [f"{count:,}" for count in row], [i == j for j in range(len(grades))])
        for i, (grade, row) in enumerate(zip(grades, table.counts.tolist(), strict=True))
    ]
    foot = [
        "documents by grade: the first set in rows, the second in columns",
        f"the second grades {agreement.bias[None]:+.3f} higher on average; by grade of the first: "
        + ", ".join(f"{g:g} {v:+.2f}" for g, v in agreement.bias.items() if g is not None),
    ]
    cautions = [Sentence([f"{agreement.caution}."])] if agreement.caution else []
    return terminal(
        [
            [Sentence([both]), Sentence([same]), *cautions],
            [Grid(["agreement beyond chance"], ["value", "95 % interval"], coefficients)],
            [Grid(["grade"], grades, counts, foot)],
        ],
        colour,
    )


def _ends(agreement: JudgmentAgreement, name: str) -> str:
    low, high = agreement.intervals[name]
    return "-" if math.isnan(low) else f"{low:.3f} to {high:.3f}"


def ordering_lines(agreement: OrderingAgreement, first: str, second: str) -> Iterator[str]:
    """Yield how much two orderings of systems agree, and which pairs they order differently."""
    n = len(agreement.systems)
    taus = {"tau": agreement.tau_a, "tau-b": agreement.tau_b, "tau_ap": agreement.tau_ap}
    shown = ", ".join(f"{name} {rounded(tau, _DIGITS)}" for name, tau in taus.items())
    yield printable(f"Order of {n} systems by {first} and by {second}: {shown}.")
    swapped = agreement.swapped
    if not swapped:
        yield "No pair of systems is ordered differently."
        return
    some = ", ".join(f"{a} and {b}" for a, b in swapped[:_MOST_SWAPPED])
    more = ", ..." if len(swapped) > _MOST_SWAPPED else ""
    yield printable(
        f"{len(swapped)} of {n * (n - 1) // 2} pairs are ordered differently: {some}{more}."
    )
