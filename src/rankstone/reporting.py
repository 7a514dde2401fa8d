"""The verb ``report``: one page that shows runs, how they differ and why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np

from rankstone import __version__
from rankstone.comparing import compare, loaded_once, named_runs, read_weights, values_by_query
from rankstone.core import engine
from rankstone.core.collection import Collection, MatchedCollection
from rankstone.core.parallel import cores, on_each
from rankstone.core.result import Result
from rankstone.errors import UsageError, one_of, printable
from rankstone.evaluation import Evaluated, evaluate_collection
from rankstone.io.column_roles import Columns
from rankstone.io.input_file import ReadOptions, first_of
from rankstone.io.load import collection, run_options, split_options
from rankstone.io.query_groups import QueryGroups, read_query_groups
from rankstone.io.texts import check_readable
from rankstone.io.top_documents import keeping_top_documents, kept_documents, top_documents
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.compute import compute_each, final_values
from rankstone.report.contents import (
    document_texts,
    intervals_of,
    method_of,
    pairs_of,
    queries_of,
    slices_of,
    tables_of,
    values_of,
    weighted_result,
)
from rankstone.report.html import LANGUAGES, Report
from rankstone.report.model import (
    Cell,
    MeasurePart,
    RankingPart,
    ReportModel,
    RunPart,
    WorkingPart,
)
from rankstone.report.parts import (
    cells,
    convention_rows,
    measure_parts,
    plain_ranking,
    run_part,
)
from rankstone.report.rankings import rankings_part
from rankstone.report.result_table import ALL, own_aggregates
from rankstone.report.saved import result_of_values, saved_measures, saved_run
from rankstone.report.workings import Plan, working_parts
from rankstone.stats.comparison import Comparison
from rankstone.stats.values import QueryValues, checked_weights

_STATISTICS = (
    "test", "correction", "interval", "confidence", "resamples", "rng", "weights",
    "minimum_difference", "incomplete_above", "zeros",
)  # fmt: skip
_CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
_FAMILIES = 4  # measures that are shown by cutoff

Progress = Callable[[str], None]


def report(
    judgments: Any,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: str | None = None,
    title: str | None = None,
    language: str = "en",
    groups: Mapping[Any, str] | str | os.PathLike[str] | None = None,
    queries: Mapping[Any, str] | str | os.PathLike[str] | None = None,
    documents: Mapping[Any, str] | str | os.PathLike[str] | None = None,
    depth: int = 20,
    pictures: bool = True,
    choices: Mapping[str, Any] | None = None,
    unjudged_interval: bool = False,
    command: str | None = None,
    explain_options: str = "",
    progress: Progress | None = None,
    **options: Any,
) -> Report:
    """Make a report on runs: a page that works offline; ``report(...).save("report.html")``.

    Args:
        judgments: whatever ``evaluate`` takes, with ids.
        runs: ``{name: run}`` or a list of paths; one or more. Without runs, the first argument is
            what was evaluated before, as in ``compare``; the page then has no rankings.
        measures: names or measures; the first one decides what is shown first.
        baseline: name of the run that all others are compared with (default: the first).
        title: of the page.
        language: ``en`` or ``zh``.
        groups: the group of each query, or the path of a file of them.
        queries: texts of queries by id, or the path of a TSV or JSONL file of them.
        documents: texts of documents, likewise.
        depth: number of documents to show of each ranking.
        pictures: draw pictures; needs ``rankstone[report]``.
        choices: single conventions by name, such as ``{"queries": "run"}``: here ``queries=`` are
            texts. Others may be given as options, too.
        unjudged_interval: say whether unjudged documents could reverse a difference.
        command: the command that makes this page again.
        explain_options: options of ``rankstone explain`` that give the numbers of this page.
        progress: function that is called with what is being done.
        options: of ``compare`` (``test``, ``correction``, ...) and of ``evaluate``.

    >>> judgments = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> page = report(judgments, {"a": {"q1": ["d1"], "q2": ["d1", "d2"]}}, "RR", pictures=False)
    >>> page.model.means
    [[0.75]]
    """
    one_of(language, LANGUAGES, "language")
    if not 1 <= depth <= 100:
        raise UsageError(f"depth must be from 1 to 100, not {depth}.")
    progress = progress or (lambda _: None)
    statistics = {name: options.pop(name) for name in _STATISTICS if name in options}
    statistics.setdefault("confidence", 0.95)
    lower = options.pop("lower_is_better", ())
    for texts in (groups, queries, documents):
        check_readable(texts)
    options |= choices or {}
    if runs is None:
        if unjudged_interval:
            options["unjudged_interval"] = True
        values, names = values_by_query(judgments, None, measures, options)
        ordered = dict(_ordered([(one.name, one) for one in values], baseline))
        own = list(names if names is not None else values[0].columns)
        results = [result_of_values(one, own) for one in ordered.values()]
        comparison = _comparison([*ordered.values()], own, statistics | {"lower_is_better": lower})
        intervals = [intervals_of(result, statistics) for result in results]
        contents = _Contents([saved_run(result) for result in results], saved_measures(own, lower))
        ids = _ids_of(results)
    else:
        named = _ordered(named_runs(runs), baseline)
        reading = run_options(options)
        evaluated = _evaluated(
            judgments,
            named,
            measures,
            depth,
            options,
            progress,
            unjudged_interval=unjudged_interval,
        )
        results = [one.result for one in evaluated]
        ids = _ids_of(results)
        progress("comparing, and collecting rankings and workings")
        comparison, intervals = _compared(results, statistics)
        contents = _contents(evaluated, ids, depth, reading)
    weights = statistics.get("weights")
    if weights is not None:
        results = _weighted(results, ids, weights)
        intervals = [intervals_of(result, statistics) for result in results]
    grouped = _groups(groups, ids, first_of(options.get("encoding")))
    rankings = contents.rankings
    if rankings is not None and documents is not None:
        progress("reading texts of documents")
        rankings = replace(rankings, texts=document_texts(documents, rankings, results))
    first = results[0]
    model = ReportModel(
        title=title or " · ".join(result.name for result in results),
        language=language,
        runs=contents.runs,
        measures=contents.measures,
        queries=queries_of(ids, queries, grouped),
        values=[values_of(result, ids) for result in results],
        means=[cells(list(result.aggregates.values())) for result in results],
        intervals=intervals,
        confidence=statistics["confidence"],
        pairs=pairs_of(comparison),
        comparison=method_of(comparison),
        rankings=rankings,
        workings=contents.workings,
        slices=slices_of(results, grouped),
        cutoffs={} if weights is not None else contents.cutoffs,  # those are not weighted
        conventions=[] if runs is None else convention_rows(first.conventions),
        tables=tables_of(results, comparison),
        weighted=weights is not None,
        provenance={
            "rankstone": __version__,
            "engine": engine.name(),
            "numpy": np.__version__,
            "judgments": None if runs is None else first.provenance.judgments.to_dict(),
            "like": first.like,
            "command": command,
            "explain_options": explain_options,
        },
    )
    return Report(model, pictures=pictures)


def _ordered(named: list[tuple[str, Any]], baseline: str | None) -> list[tuple[str, Any]]:
    """Return the runs, the baseline first."""
    if not named:
        raise UsageError("a report needs at least one run.")
    if baseline is None:
        return named
    one_of(baseline, [name for name, _ in named], "run for the baseline")
    return sorted(named, key=lambda run: run[0] != baseline)


def _evaluated(
    judgments: Any,
    named: list[tuple[str, Any]],
    measures: Any,
    depth: int,
    options: dict[str, Any],
    progress: Progress,
    *,
    unjudged_interval: bool,
) -> list[Evaluated]:
    followed = {
        name: options.pop(name) for name in ("like", "conventions", "strict") if name in options
    }
    reading, choices = split_options(options)
    columns = Columns.of(reading.pop("columns", None))
    judgments = loaded_once(judgments, columns, reading)
    threads = reading.pop("threads", None)

    workers = min(threads or cores(), max(1, len(named) - 1))
    lock = Lock()

    def evaluated(place: int) -> Evaluated:
        name, run = named[place]
        with lock:
            progress(f"evaluating {printable(name)} ({place + 1} of {len(named)})")
        own = max(1, (threads or cores()) // (workers if place else 1))
        data = collection(judgments, run, name=name, columns=columns, threads=own, **reading)
        # Beside other runs the page shows the tie interval of the first measure alone.
        tied = 1 if len(named) > 1 else None
        data = keeping_top_documents(data, depth)
        one = evaluate_collection(
            data,
            measures or DEFAULT,
            tied_measures=tied,
            unjudged_interval=unjudged_interval,
            **followed,
            **choices,
        )
        return replace(one, result=replace(one.result, name=name))

    first = evaluated(0)  # it builds the index of the judgments, which the others share
    every = [first, *on_each(evaluated, range(1, len(named)), workers)]
    columns.check_used()
    return every


def _compared(
    results: Sequence[Result], statistics: dict[str, Any]
) -> tuple[Comparison | None, list[list[list[Cell] | None]]]:
    """Compare the runs by those measures that are means over queries; return intervals, too."""
    means = [
        name
        for name, how in own_aggregates(results[0].measures).items()
        if how == "mean" and all(name not in result.weights for result in results)
    ]
    comparison = _comparison(results, means, statistics) if means else None
    return comparison, [intervals_of(result, statistics) for result in results]


def _weighted(
    results: Sequence[Result],
    ids: Sequence[Any],
    weights: Mapping[Any, float] | str | os.PathLike[str],
) -> list[Result]:
    """Return results whose means over queries are weighted."""
    if not isinstance(weights, Mapping):
        weights = read_weights(weights, results)
    checked_weights(ids, weights)
    return [weighted_result(result, weights) for result in results]


def _comparison(
    runs: Sequence[Result | QueryValues], measures: Sequence[str], options: dict[str, Any]
) -> Comparison | None:
    """Compare runs with the first of them, if there are several."""
    if len(runs) < 2:
        return None
    by_name = {run.name: run for run in runs}
    return compare(by_name, measures=measures, baseline=runs[0].name, **options)


def _ids_of(results: Sequence[Result]) -> list[Any]:
    """Return the queries of all results, each once."""
    ids = list(results[0].queries)
    if any(list(result.queries) != ids for result in results):
        ids = list(dict.fromkeys(query for result in results for query in result.queries))
    return ids


@dataclass(frozen=True, eq=False)
class _Contents:
    """What a page shows beside values; of values that were computed before, runs and measures only."""

    runs: list[RunPart]
    measures: list[MeasurePart]
    rankings: RankingPart | None = None
    workings: Sequence[WorkingPart] = field(default_factory=list)
    cutoffs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def _contents(
    evaluated: Sequence[Evaluated], ids: Sequence[Any], depth: int, options: ReadOptions
) -> _Contents:
    rankings, workings = _rankings_and_workings(evaluated, ids, depth, options)
    return _Contents(
        on_each(lambda one: run_part(one.result, one.data, depth), evaluated),
        measure_parts(evaluated[0].plan),
        rankings,
        workings,
        _by_cutoff(evaluated),
    )


def _rankings_and_workings(
    evaluated: Sequence[Evaluated], ids: Sequence[Any], depth: int, options: ReadOptions
) -> tuple[RankingPart | None, list[WorkingPart]]:
    """Return the rankings and the workings, if documents have ids."""
    matched = [
        (one.data, one.result.conventions)
        for one in evaluated
        if isinstance(one.data, MatchedCollection)
    ]
    if len(matched) < len(evaluated):
        return None, []
    judgments = matched[0][0].judgments
    ranked = [plain_ranking(data, conventions) for data, conventions in matched]
    tops = [
        kept_documents(data, conventions, ids) or top_documents(data.run, ids, depth, options)
        for data, conventions in matched
    ]
    rankings, places = rankings_part(judgments, ids, ranked, tops, depth)
    plans: list[tuple[Collection, Plan]] = [(one.data, one.plan) for one in evaluated]
    return rankings, working_parts(plans, ids, places, depth)


def _groups(
    groups: Mapping[Any, str] | str | os.PathLike[str] | None,
    ids: Sequence[Any],
    encoding: str | None,
) -> QueryGroups | None:
    if groups is None:
        return None
    if isinstance(groups, Mapping):
        own = {str(query): str(group) for query, group in groups.items()}
        if ALL in own.values():
            raise UsageError(f"a group cannot be called {ALL!r}, as all queries are. Rename it.")
        return QueryGroups("groups", own).fitted(ids)
    return read_query_groups(os.fspath(groups), (ALL,), encoding=encoding).fitted(ids)


def _by_cutoff(evaluated: Sequence[Evaluated]) -> dict[str, dict[str, Any]]:
    """Return the means of each measure that has a cutoff, by cutoff and run."""
    deepest = max(
        int(one.data.ranked(one.result.conventions).retrieved.max(initial=0)) for one in evaluated
    )
    cutoffs = [k for k in _CUTOFFS if k <= deepest] or [1]
    families: dict[str, dict[str, Any]] = {}
    for place, (_, measure, _) in enumerate(evaluated[0].plan):
        if measure.definition.cutoff_param != "k" or "k" not in measure.params:
            continue
        name = str(measure(k=None))
        if name not in families and len(families) < _FAMILIES:
            families[name] = {"measure": place, "k": cutoffs, "means": []}
    places = [family["measure"] for family in families.values()]
    for aggregates in on_each(lambda one: _aggregates(one, places, cutoffs), evaluated):
        for family in families.values():
            family["means"].append(cells([next(aggregates) for _ in cutoffs]))
    return families


def _aggregates(one: Evaluated, places: Sequence[int], cutoffs: Sequence[int]) -> Iterator[float]:
    """Yield the aggregates of some measures of a plan at each cutoff, from one computation."""
    chosen = [one.plan[place] for place in places]
    steps = [(measure @ k, conventions) for _, measure, conventions in chosen for k in cutoffs]
    known = {(m, c): one.result.aggregates[name] for name, m, c in one.plan}
    plan = [(str(m), m, c) for m, c in steps if (m, c) not in known]
    parts = compute_each(one.data, plan).aggregates if plan else {}
    computed = final_values({name: m for name, m, _ in plan}, parts)
    return (known[step] if step in known else computed[str(step[0])] for step in steps)
