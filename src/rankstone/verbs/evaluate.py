"""The verb ``evaluate``: judgments and a run in, numbers out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup, verb
from rankstone.core.as_numpy import numbers_of
from rankstone.core.collection import Collection, MatchedCollection
from rankstone.core.cutoff import units_of
from rankstone.core.engine import load_engine
from rankstone.core.notices import data_notices
from rankstone.core.parallel import cores, on_each
from rankstone.core.rank import ListNeeds, ScoreNeeds, keeping_unjudged, rank, score_needs
from rankstone.core.result import Result
from rankstone.core.timing import stage
from rankstone.errors import NothingInCommonError, UsageError
from rankstone.io.arrays import table_of_labels
from rankstone.io.changes import prepared
from rankstone.io.load import check_columns_used, collection, load_judgments, load_run
from rankstone.measures import DEFAULT, Measure
from rankstone.verbs.parts import Plan, Request

if TYPE_CHECKING:
    from rankstone.choices.options import EvaluateOptions
    from rankstone.core.unjudged import UnjudgedReport


@verb("evaluate")
def evaluate(
    judgments: Any,
    run: Any = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    **options: Unpack[EvaluateOptions],
) -> Result:
    """Evaluate a run against judgments.

    Args:
        judgments: path of a file, ``{query: {document: grade}}``, ``{query: relevant documents}``,
            a list of the relevant documents of each query, a dataframe, or an array or tensor of
            labels. For one query also a set or dict of its documents.
        run: path of a file, ``{query: {document: score}}``, ``{query: [document, ...]}``, a list
            of the ranked documents of each query, a dataframe, or an array or tensor of scores.
            Without a run the judgments are grades in rank order.
        measures: names or measures.
        options: see below.

    >>> result = evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, ["RR"])
    >>> result["RR"]
    0.5
    """
    setup = Setup.of("evaluate", options)
    request = Request.of(measures, setup)
    load_engine()
    setup = prepared(setup)
    data = collection(judgments, run, setup, needs=request.needs)
    result = evaluate_collection(data, request)
    check_columns_used(setup)
    return result


def evaluate_collection(data: Collection, request: Request) -> Result:
    """Evaluate data that are loaded: an evaluation in one part."""
    plan = request.plan(data.default)
    result = plan.result(plan.evaluate(data, is_whole=True), data)
    if request.setup.evaluation.unjudged_interval:
        result = replace(result, unjudged=_unjudged(data, plan))
    return result


def evaluate_runs(
    judgments: Any,
    named: Sequence[tuple[str, Any]],
    measures: str | Measure | Iterable[str | Measure],
    setup: Setup,
    watch: Callable[[Any], None] | None = None,
) -> dict[str, Result]:
    """Return the result of each run by name, also of the fused run; a Result is taken as it is.

    With ``watch``, which is called with each run first, they are evaluated at once, each by its share of
    the threads.
    """
    setup = prepared(setup)
    request = Request.of(measures, setup)  # names are checked before files are read
    load_engine()
    if isinstance(judgments, str | os.PathLike):  # read once
        with stage("reading"):
            judgments = load_judgments(judgments, setup)
    each: Callable[..., Iterable[Result]] = map if watch is None else on_each
    threads = setup.effort.threads or max(1, cores() // len(named))
    if setup.evaluation.fuse is not None:
        from rankstone.verbs.fuse import with_fused

        named = with_fused(named, setup)

    def result_of(one: tuple[str, Any]) -> Result:
        name, run = one
        if isinstance(run, Result):
            return run
        own = setup.replace(name=name)
        if watch is not None:
            own = own.replace(threads=threads)
            run = load_run(run, own)
            watch(run)
        data = collection(judgments, run, own, needs=request.needs)
        result = evaluate_collection(data, request)
        return result if result.name == name else replace(result, name=name)

    first = [result_of(one) for one in named[:1]]  # so that what runs share is there for the others
    results = [*first, *each(result_of, named[1:])]
    check_columns_used(setup)
    return {name: result for (name, _), result in zip(named, results, strict=True)}


def _unjudged(data: Collection, plan: Plan) -> UnjudgedReport:
    """Return the interval of each measure over all grades that unjudged documents may have."""
    from rankstone.core.hypothetical_grades import UnjudgedPositions, judged_by_rank
    from rankstone.core.unjudged import UnjudgedInterval, UnjudgedReport
    from rankstone.measures.unjudged import unjudged_extremes

    ranked = data.ranked(keeping_unjudged(plan.conventions))
    holes = UnjudgedPositions.of(ranked)
    interval = {}
    for name, measure, conventions in plan.steps:
        own = UnjudgedPositions.of(data.ranked(keeping_unjudged(conventions)))
        if measure.is_cut_apart(own.ranked):
            raise UsageError(
                f"unjudged_interval= is not known for {measure}, whose lists are cut by "
                f"{units_of(measure.k)}; it goes with cutoffs at ranks of documents."
            )
        ends = unjudged_extremes(measure, own)
        interval[name] = UnjudgedInterval(*ends.ends, ends.exact, (ends.low, ends.high))
    return UnjudgedReport(
        int(holes.count.sum()),
        int(ranked.retrieved.sum()),
        tuple(judged_by_rank(ranked)),
        interval,
    )


_LARGE = 1 << 12  # from here on it pays to look whether few labels are not 0


def call(measure: Measure, data: tuple[Any, ...], conventions: Conventions | None) -> Any:
    """Return the value of a measure on data given directly: a number, or one for each query."""
    if len(data) > 2:
        raise UsageError(
            "give grades in rank order; true grades and predicted scores; or relevant documents "
            f"and a ranked list; not {len(data)} arguments."
        )

    def needs(default: Conventions) -> tuple[ListNeeds, ScoreNeeds]:
        own = conventions or default
        return measure.list_needs(own), score_needs([own])

    labels, scores = data[0], data[-1]
    if len(data) == 2 and _are_labels_and_scores(labels, scores):
        source: Collection = table_of_labels(
            numbers_of(labels, "labels"), numbers_of(scores, "scores")
        )
    else:
        source = collection(*data, finite=True, needs=needs)
    chosen = source.default if conventions is None else conventions
    ranked = rank(source, chosen)
    if isinstance(source, MatchedCollection) and not len(ranked.rank):
        for notice in data_notices(source.tally(chosen), chosen):
            if notice.code == "ids-look-alike":  # a bare number cannot carry a warning
                raise NothingInCommonError(f"no judged document was retrieved: {notice}.")
    values = measure.compute(ranked)
    if source.single:
        return float(values[0])
    if hasattr(scores, "columns") and hasattr(labels, "index"):
        return type(labels)(values, index=getattr(scores, "index", None), name=str(measure))
    return values


def _are_labels_and_scores(labels: Any, scores: Any) -> bool:
    """Return whether data are small arrays that can only be labels and scores."""
    return (
        type(labels) is type(scores) is np.ndarray
        and labels.shape == scores.shape
        and labels.dtype.kind in "biuf"
        and scores.dtype.kind == "f"
        and labels.size < _LARGE
    )
