"""Plans of experiments in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rankstone.errors import plural
from rankstone.stats.power import Plan, detectable_difference
from rankstone.text.blocks import Grid, Line, Sentence
from rankstone.text.terminal import terminal

_SIZES = (25, 50, 100, 200, 500, 1000, 5000)


def plan_lines(plans: Mapping[str, Plan], *, seen: bool, colour: bool = False) -> Iterator[str]:
    """Return the pilot's numbers for each measure, and the differences that more queries detect.

    Args:
        plans: by measure.
        seen: whether the difference to plan for is the pilot's.
        colour: for a terminal.
    """
    texts = []
    for measure, plan in plans.items():
        texts += [
            f"{measure}: per query the runs differ by ±{plan.sd:.3f} (pilot of {plan.pilot_n}).",
            f"  {plural(plan.n, 'query')} can show a difference of {plan.detectable:.3f} or more.",
        ]
        if plan.queries is None or plan.difference is None:
            texts.append("  The pilot's difference is 0; give another with --difference.")
            continue
        which = ", the pilot's," if seen else ""
        size = f"{plan.difference:.3f}" if plan.difference >= 0.0005 else f"{plan.difference:.1g}"
        needed = f"{plan.queries:,} {'query' if plan.queries == 1 else 'queries'}"
        if math.isinf(plan.queries):
            needed = "more than 1,000,000,000 queries"
        texts.append(f"  A difference of {size}{which} needs {needed}.")
    return terminal([[Sentence([text]) for text in texts], [_grid(plans)]], colour)


def _grid(plans: Mapping[str, Plan]) -> Grid:
    lines = []
    for n in _SIZES:
        cells = [
            f"{detectable_difference(n, p.sd, alpha=p.alpha / p.comparisons, power=p.power):.4f}"
            for p in plans.values()
        ]
        lines.append(Line([f"{n:,}"], cells))
    plan = next(iter(plans.values()))
    shared = f" for {plan.comparisons} comparisons" if plan.comparisons > 1 else ""
    foot = (
        f"smallest true difference found with a chance of {plan.power * 100:g} % "
        f"(paired t test, alpha {plan.alpha:g}{shared})"
    )
    return Grid(["queries"], list(plans), lines, [foot])
