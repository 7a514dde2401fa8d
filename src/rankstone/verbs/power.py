"""The verb ``power``: what can a number of queries detect, and how many does a difference need?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rankstone.choices.setup import Setup, verb
from rankstone.errors import UsageError
from rankstone.measures import Measure
from rankstone.stats.clusters import Clusters
from rankstone.stats.power import POWER, Plan, plan
from rankstone.stats.values import ValueTable, systems_of
from rankstone.verbs.compare import values_by_query, with_groups

if TYPE_CHECKING:
    from typing import Unpack

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
        plans[measure] = plan(
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
