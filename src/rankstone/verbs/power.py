"""The verb ``power``: what can a number of queries detect, and how many does a difference need?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from rankstone.choices.setup import Setup, verb
from rankstone.errors import UsageError, plural, show_in_python
from rankstone.language import tr
from rankstone.measures import Measure
from rankstone.stats.clusters import Clusters
from rankstone.stats.power import POWER, SIZES, Plan, plan as plan_for
from rankstone.stats.trusted import combine, planned
from rankstone.stats.values import ValueTable, systems_of
from rankstone.text.blocks import Grid, Line, Sentence
from rankstone.text.terminal import terminal
from rankstone.verbs.compare import RunValues

if TYPE_CHECKING:
    from rankstone.choices.options import PowerOptions


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
        judgments: as for ``compare``; or values of runs that were evaluated before.
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
    pilot = judgments
    if not isinstance(pilot, RunValues):
        pilot = RunValues.of(judgments, runs, measures, Setup.of("power", options))
    if len(pilot.runs) != 2:
        raise UsageError(f"a pilot is two runs, not {len(pilot.runs)}.")
    table = ValueTable.of(systems_of(pilot.runs, None), pilot.measures)
    source, trusted = pilot.setup.statistics.clusters, pilot.setup.statistics.trusted
    clusters = None if source is None else Clusters.of(table.queries, source)
    show_in_python("power", () if clusters is None else clusters.notices, set())
    if trusted is not None and source is not None:
        raise UsageError("power with trusted= does not go with clusters=. Leave one out.")
    own = table if trusted is None else table.filled(trusted)
    plans = {}
    for measure in table.measures:
        base, run = own.values(measure)
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
        if own is not table:
            first, second = table.values(measure)
            plans[measure] = planned(plans[measure], combine(run - base, second - first))
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
            tr("{}: per query the runs differ by ±{:.3f} (pilot of {}).").format(
                measure, plan.sd, plan.pilot_n
            ),
            tr("  {} can show a difference of {:.3f} or more.").format(
                plural(plan.n, "query"), plan.detectable
            ),
        ]
        if plan.queries is None or plan.difference is None:
            texts.append(tr("  The pilot's difference is 0; give another with --difference."))
            continue
        which = tr(", the pilot's,") if seen else ""
        size = f"{plan.difference:.3f}" if plan.difference >= 0.0005 else f"{plan.difference:.1g}"
        counted = tr("{:,} query") if plan.queries == 1 else tr("{:,} queries")
        needed = counted.format(plan.queries)
        if math.isinf(plan.queries):
            needed = tr("more than 1,000,000,000 queries")
        elif plan.clusters is not None:
            needed += tr(" in {}").format(plural(int(plan.clusters), "cluster"))
        texts.append(tr("  A difference of {}{} needs {}.").format(size, which, needed))
        if plan.with_model is not None and plan.queries_with_model is not None:
            needs = tr("  {} can show {:.3f}; {} needs {:,}.")
            if not plan.queries_with_model <= (plan.model_queries or 0):
                needs = tr("  {} can show {:.3f}; {} needs more queries than these.")
            texts += [
                tr("  If people judge them of {:,} queries that a model judged:").format(
                    plan.model_queries
                ),
                needs.format(
                    plural(plan.n, "query"),
                    plan.with_model[plan.n],
                    size,
                    plan.queries_with_model,
                ),
            ]
    return terminal([[Sentence([text]) for text in texts], [_grid(plans)]], colour)


def _grid(plans: Mapping[str, Plan]) -> Grid:
    lines = []
    by_both = [p.with_model for p in plans.values() if p.with_model is not None]
    for n in SIZES:
        found = [plan.detectable_with(n) for plan in plans.values()]
        cells = ["-" if math.isnan(least) else f"{least:.4f}" for least in found]
        cells += [f"{own[n]:.4f}" if n in own else "-" for own in by_both]
        lines.append(Line([f"{n:,}"], cells))
    plan = next(iter(plans.values()))
    shared = tr(" for {} comparisons").format(plan.comparisons) if plan.comparisons > 1 else ""
    foot = tr(
        "smallest true difference found with a chance of {:g} % (paired t test, alpha {:g}{})"
    ).format(plan.power * 100, plan.alpha, shared)
    heads = [*plans, *(tr("{} with model").format(name) for name in plans if by_both)]
    return Grid([tr("queries")], heads, lines, [foot])
