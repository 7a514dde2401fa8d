"""One measure in the words of every tool, and other people's numbers explained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankstone.choices.setup import Setup, verb
from rankstone.core.cutoff import Budget
from rankstone.errors import UsageError
from rankstone.io.load import read
from rankstone.measures import Measure, parse_measure
from rankstone.measures.request import Candidate, ToolMeasure
from rankstone.text.tools import Reconciliation
from rankstone.verbs.reconcile_search import (
    by_chance,
    by_choices,
    by_measures,
    by_mistakes,
    by_tools,
    in_tools,
    rank_of,
    start,
    tolerance,
)

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.choices.options import AcrossToolsOptions, ReconcileOptions

_SHOWN = 8
_NEAREST = 3


@verb("reconcile")
def reconcile(
    measure: str | Measure,
    judgments: Any = None,
    run: Any = None,
    *,
    value: float | str,
    **options: Unpack[ReconcileOptions],
) -> Reconciliation:
    """Find the choices behind a number that somebody reported.

    Args:
        measure: a name or a measure.
        judgments: whatever ``evaluate`` takes; without a run, grades in rank order.
        run: whatever ``evaluate`` takes.
        value: the number as it was printed: its digits say how closely it has to be met.
        options: see below.

    >>> print(reconcile("nDCG@6", [3, 2, 3, 0, 1, 2], value="0.932"))
    nDCG@6 is 0.9608 by default; 0.932 was reported.
    One choice explains it: discount='jarvelin' (1 / log2(rank), ranks 1 and 2 undiscounted).
      nDCG(discount='jarvelin')@6 = 0.9315 (gain='linear', ideal='judged' as before)
    Tools that give it: lenskit-2025 as NDCG(gain=)@6, article-3 as NDCG@6, article-4 as ndcg_at_k(method=0)@6.
    """
    asked = parse_measure(measure)
    setup = Setup.of("reconcile", options)
    source = read(judgments, run, setup)
    base = setup.conventions(source.default)
    reported, within = _reported(value)

    def meets(candidate: Candidate) -> bool:
        return abs(candidate.value - reported) <= within

    usual = start(source, asked, base)
    tools = [t for t in by_tools(source, asked, base) if t.candidate and meets(t.candidate)]
    tried = [usual]
    matching = [usual] if meets(usual) else []
    others = [] if matching else [c for c in by_mistakes(source, asked, base) if meets(c)]
    for combinations in by_choices(source, asked, base):
        if matching or (others and len(tried) > 1):  # a common mistake is likelier than two choices
            break
        tried += combinations
        matching = [candidate for candidate in combinations if meets(candidate)]
    if not (matching or tools or others):
        others = [c for c in by_measures(source, asked, base) if meets(c)]
    nearest = sorted(tried, key=lambda f: abs(f.value - reported))[:_NEAREST]
    known = [t.measure for t in tools]
    matching.sort(key=lambda candidate: rank_of(candidate, reported, known))
    return Reconciliation(
        asked,
        str(value),
        usual,
        tuple(matching[:_SHOWN]),
        tuple(sorted(tools, key=lambda t: len(t.candidate.choices) if t.candidate else 0)),
        () if matching or tools or others else tuple(nearest),
        len(tried),
        tuple(others),
        by_chance(tried, within),
    )


@verb("across_tools")
def across_tools(
    measure: str | Measure,
    judgments: Any = None,
    run: Any = None,
    **options: Unpack[AcrossToolsOptions],
) -> list[ToolMeasure]:
    """Return how each tool that has a measure defines it, and its value if data are given.

    Args:
        measure: a name or a measure.
        judgments: whatever ``evaluate`` takes; without a run, grades in rank order.
        run: whatever ``evaluate`` takes.
        options: see below.

    >>> for row in across_tools("R@5", [1, 0, 1])[:2]:
    ...     print(row.tool, row.name, row.measure, row.value)
    trec_eval-9 recall_5 R@5 1.0
    trec_eval-10 recall_5 R@5 1.0
    """
    asked = parse_measure(measure)
    setup = Setup.of("across_tools", options)
    if isinstance(asked.get("k"), Budget):
        raise UsageError(f"no other tool has {asked}: their cutoffs are ranks, as in {asked @ 10}.")
    if judgments is None:
        return list(in_tools(asked))
    source = read(judgments, run, setup)
    return list(by_tools(source, asked, source.default))


def _reported(value: float | str) -> tuple[float, float]:
    try:
        return tolerance(str(value))
    except ValueError:
        raise UsageError(
            f"write the value as a number, such as 0.932 or 93.2%, not {value!r}."
        ) from None
