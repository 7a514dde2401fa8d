"""Parts of a report on values that were computed before: there are no rankings to look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankstone import __version__
from rankstone.conventions import Conventions
from rankstone.core.aggregate import summarise
from rankstone.core.provenance import MEMORY, Provenance
from rankstone.core.result import Result, TieReport
from rankstone.errors import UsageError, did_you_mean
from rankstone.measures.parse import parse_measure
from rankstone.report.model import MeasurePart, RunPart
from rankstone.report.parts import measure_parts
from rankstone.stats.values import QueryValues

_NO_TIES = TieReport(0, 0)


def result_of_values(values: QueryValues, measures: Sequence[str]) -> Result:
    """Return values as a result, of which nothing is known but the numbers."""
    for name in measures:
        if name not in values.columns:
            known = list(values.columns)
            raise UsageError(
                f"{values.name} has no values of {name!r}.{did_you_mean(name, known)} It has: "
                f"{', '.join(known)}."
            )
    columns = {name: np.asarray(values.columns[name], np.float64) for name in measures}
    means = {name: summarise(column, "mean") for name, column in columns.items()}
    answered = values.answered
    unanswered = [] if answered is None else np.flatnonzero(~answered).tolist()
    return Result(
        name=values.name,
        queries=list(values.queries),
        columns=columns,
        aggregates={name: mean.value for name, mean in means.items()},
        counted={name: mean.n for name, mean in means.items()},
        weights={},
        conventions=Conventions(),
        notices=(),
        provenance=Provenance(__version__, "", MEMORY, MEMORY),
        ties=_NO_TIES,
        unanswered=tuple(values.queries[i] for i in unanswered),
    )


def saved_run(result: Result) -> RunPart:
    """Describe a run of which the values alone are known."""
    return RunPart(
        name=result.name,
        source=result.provenance.run.to_dict(),
        answered=len(result.queries) - len(result.unanswered),
        retrieved=None,
        ties=_NO_TIES.to_dict(),
        notices=[],
        judged_by_rank=[],
    )


def saved_measures(names: Sequence[str], lower_is_better: Sequence[str]) -> list[MeasurePart]:
    """Describe measures by their names; others than Rankstone's have a name only."""
    parts = []
    for name in names:
        try:
            (part,) = measure_parts([(name, parse_measure(name), Conventions())])
        except UsageError:
            higher = name not in lower_is_better
            part = MeasurePart(name, "", name, [], "", [], {}, "mean", higher, [None, None])
        parts.append(part)
    return parts
