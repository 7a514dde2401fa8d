"""The verb ``power``: what can a number of queries detect, and how many does a difference need?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from rankstone.choices.setup import Setup, verb
from rankstone.errors import UsageError, plural
from rankstone.measures import Measure
from rankstone.stats.clusters import Clusters
from rankstone.stats.power import POWER, Plan, detectable_difference, plan as plan_for
from rankstone.stats.values import ValueTable, systems_of
from rankstone.text.blocks import Grid, Line, Sentence
from rankstone.text.terminal import terminal
from rankstone.verbs.compare import values_by_query, with_groups

if TYPE_CHECKING:
    from rankstone.choices.options import PowerOptions

_SIZES = (25, 50, 100, 200, 500, 1000, 5000)


@verb("power")
def power(
    judgments: Any,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    n: int | None = None,
    difference: float | None = None,
    alpha: float = 0.05,
    power: float = POWER,
    comparisons: int = 1,
    per_cluster: float | None = None,
    **options: Unpack[PowerOptions],
) -> dict[str, Plan]:
    """Plan an experiment from a pilot: two runs, or their values per query.

    Args:
        judgments: as for ``compare``.
        runs: as for ``compare``; two.
        measures: names or measures.
        n: number of queries to plan for (default: as many as the pilot has).
        difference: difference of means to plan for (default: the pilot's).
        alpha: significance level.
        power: chance of finding a true difference.
        comparisons: number of comparisons that share alpha.
        per_cluster: number of queries of a cluster to plan for (default: the pilot's mean).
        options: see below.

    Returns:
        A plan for each measure.

    >>> a = {f"q{i}": {"AP": i % 3 / 2} for i in range(20)}
    >>> b = {f"q{i}": {"AP": i % 4 / 3} for i in range(20)}
    >>> power({"a": a, "b": b}, difference=0.1)["AP"].queries
    258
    """
    setup = Setup.of("power", options)
    values, names, _ = values_by_query(judgments, runs, measures, setup)
    setup = with_groups(setup, judgments, (q for v in values for q in v.queries))
    if len(values) != 2:
        raise UsageError(f"a pilot is two runs, not {len(values)}.")
    table = ValueTable.of(systems_of(values, None), names)
    source = setup.statistics.clusters
    clusters = None if source is None else Clusters.of(table.queries, source)
    plans = {}
    for measure in table.measures:
        base, run = table.values(measure)
        plans[measure] = plan_for(
            run - base,
            n=n,
            difference=difference,
            alpha=alpha,
            power=power,
            comparisons=comparisons,
            clusters=None if clusters is None else clusters.codes,
            per_cluster=per_cluster,
        )
    return plans


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
