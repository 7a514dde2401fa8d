"""Plans of experiments in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rankstone.errors import plural
from rankstone.report.text_table import Grid, Line, terminal
from rankstone.stats.power import Plan, detectable_difference

_SIZES = (25, 50, 100, 200, 500, 1000, 5000)


def plan_lines(plans: Mapping[str, Plan], *, seen: bool, colour: bool = False) -> Iterator[str]:
    """Yield what the pilot shows for each measure, and what other numbers of queries detect.

    Args:
        plans: by measure.
        seen: whether the difference to plan for is the pilot's.
        colour: for a terminal.
    """
    for measure, plan in plans.items():
        yield f"{measure}: per query the runs differ by ±{plan.sd:.3f} (pilot of {plan.pilot_n})."
        yield f"  {plural(plan.n, 'query')} can show a difference of {plan.detectable:.3f} or more."
        if plan.queries is None or plan.difference is None:
            yield "  The pilot's difference is 0; give another with --difference."
        else:
            which = ", the pilot's," if seen else ""
            yield f"  A difference of {_size(plan.difference)}{which} needs {_needed(plan.queries)}."
    yield ""
    yield from terminal(_grid(plans), colour)


def _size(difference: float) -> str:
    return f"{difference:.3f}" if difference >= 0.0005 else f"{difference:.1g}"


def _needed(queries: float) -> str:
    if math.isinf(queries):
        return "more than 1,000,000,000 queries"
    return f"{queries:,} {'query' if queries == 1 else 'queries'}"


def _grid(plans: Mapping[str, Plan]) -> Grid:
    lines = []
    for n in _SIZES:
        cells = [
            f"{detectable_difference(n, p.sd, alpha=p.alpha / p.comparisons, power=p.power):.4f}"
            for p in plans.values()
        ]
        lines.append(Line([f"{n:,}"], cells, [False] * len(cells)))
    plan = next(iter(plans.values()))
    shared = f" for {plan.comparisons} comparisons" if plan.comparisons > 1 else ""
    foot = (
        f"smallest true difference found with a chance of {plan.power * 100:g} % "
        f"(paired t test, alpha {plan.alpha:g}{shared})"
    )
    return Grid(["queries"], list(plans), lines, [foot])
