"""The verb ``report``: one page that shows runs, how they differ and why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack

from rankstone import __version__
from rankstone.choices.setup import Setup, verb
from rankstone.core import engine
from rankstone.core.collection import Collection, MatchedCollection
from rankstone.core.cutoff import Budget
from rankstone.core.engine import load_engine
from rankstone.core.parallel import cores, on_each
from rankstone.core.provenance import software
from rankstone.core.result import Result
from rankstone.errors import Notice, UsageError, one_of, printable
from rankstone.frozen import frozen
from rankstone.io.changes import prepared
from rankstone.io.formats import named_runs
from rankstone.io.load import check_columns_used, collection, load_judgments
from rankstone.io.query_groups import QueryGroups
from rankstone.io.texts import check_readable
from rankstone.language import LANGUAGES, in_language, language as language_in_force, tr
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.compute import compute_each, final_values
from rankstone.measures.request import listed_measures
from rankstone.page import contents as page
from rankstone.page.html import Report
from rankstone.page.model import RankingPart, ReportModel, WorkingPart, cells
from rankstone.page.rankings import rankings_part
from rankstone.page.workings import Plan, working_parts
from rankstone.stats.comparison import Comparison
from rankstone.stats.trusted import estimated
from rankstone.stats.values import QueryValues, checked_weights
from rankstone.text.results import own_aggregates
from rankstone.verbs import compare
from rankstone.verbs.evaluate import evaluate_collection
from rankstone.verbs.parts import Request, Step

if TYPE_CHECKING:
    from rankstone.choices.options import ReportOptions

_CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
_SHARES = (0.125, 0.25, 0.5, 1, 2, 4)  # of a budget
_FAMILIES = 4  # measures that are shown by cutoff

Progress = Callable[[str], None]


@verb("report")
def report(
    judgments: Any,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    title: str | None = None,
    language: str | None = None,
    query_texts: Mapping[Any, str] | str | os.PathLike[str] | None = None,
    document_texts: Mapping[Any, str] | str | os.PathLike[str] | None = None,
    depth: int = 20,
    pictures: bool = True,
    command: str | None = None,
    explain_options: str = "",
    progress: Progress | None = None,
    **options: Unpack[ReportOptions],
) -> Report:
    """Make a report on runs: a page that works offline; ``report(...).save("report.html")``.

    Args:
        judgments: whatever ``evaluate`` takes, with ids.
        runs: ``{name: run}`` or a list of paths; one or more. Without runs, the first argument is
            what was evaluated before, as in ``compare``; the page then has no rankings.
        measures: names or measures; the first one decides what is shown first.
        title: of the page.
        language: ``en`` or ``zh`` (default: that of ``set_language``).
        query_texts: texts of queries by id, or the path of a TSV or JSONL file of them.
        document_texts: texts of documents, likewise.
        depth: number of documents to show of each ranking.
        pictures: draw pictures; needs the extra ``report``.
        command: the command that makes this page again.
        explain_options: options of ``rankstone explain`` that give the numbers of this page.
        progress: function that is called with what is being done.
        options: see below.

    >>> judgments = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> page = report(judgments, {"a": {"q1": ["d1"], "q2": ["d1", "d2"]}}, "RR", pictures=False)
    >>> page.model.means
    [[0.75]]
    """
    if language is not None:
        again = locals() | {"language": None}
        more = again.pop("options")
        with in_language(one_of(language, LANGUAGES, "language")):
            return report(**again, **more)
    setup = Setup.of("report", options)
    statistics = setup.statistics
    if not 1 <= depth <= 100:
        raise UsageError(f"depth must be from 1 to 100, not {depth}.")
    progress = progress or (lambda _: None)
    for texts in (query_texts, document_texts):
        check_readable(texts)
    if statistics.trusted is not None and (runs is None or statistics.by is not None):
        raise UsageError(
            "trusted= needs judgments and runs, which people's judgments evaluate, and does not go with "
            "by=."
        )
    people: dict[str, Result] = {}
    rankings: RankingPart | None = None
    workings: list[WorkingPart] = []
    cutoffs: dict[str, dict[str, Any]] = {}
    if runs is None:
        given = compare.RunValues.of(judgments, None, measures, setup)
        ordered = dict(_ordered([(one.name, one) for one in given.runs], statistics.baseline))
        own = list(given.runs[0].columns if given.measures is None else given.measures)
        results = [page.result_of_values(one, own) for one in ordered.values()]
        setup = given.setup
        comparison = _comparison([*ordered.values()], own, setup, given.notices)
        run_parts = [page.run_part(result) for result in results]
        measure_parts = page.saved_measures(own, statistics.lower_is_better)
        ids = _ids_of(results)
    else:
        if statistics.lower_is_better:
            raise UsageError(
                "lower_is_better= goes with values that were computed before; the direction of the "
                "measures of runs is known."
            )
        named = _ordered(named_runs(runs), statistics.baseline)
        evaluated = _evaluated(judgments, named, measures, depth, setup, progress)
        results = [one.result for one in evaluated]
        ids = _ids_of(results)
        progress(tr("comparing, and collecting rankings and workings"))
        setup = compare.with_groups(setup, judgments, ids)
        if statistics.trusted is not None:
            people = compare.by_people(named, listed_measures(measures or DEFAULT), setup)
        comparison = _compared(results, setup, people)
        rankings, workings = _rankings_and_workings(evaluated, ids, depth)
        run_parts = on_each(lambda one: page.run_part(one.result, one.data, depth), evaluated)
        measure_parts = page.measure_parts(evaluated[0].plan)
        cutoffs = _by_cutoff(evaluated)
    statistics = setup.statistics
    weights = statistics.weights
    if weights is not None:
        if not isinstance(weights, Mapping):
            weights = compare.read_weights(weights, results)
        checked_weights(ids, weights)
        results = [page.weighted_result(result, weights) for result in results]
    if people:
        both = [
            estimated(
                result,
                people[result.name],
                _means(results),
                statistics.confidence,
                statistics.clusters,
            )
            for result in results
        ]
        results = [result for result, _ in both]
        parts = zip(run_parts, results, strict=True)
        run_parts = [replace(part, notices=page.shown_notices(own)) for part, own in parts]
        intervals = [
            [cells([own[m].low, own[m].high]) if m in own else None for m in result.measures]
            for result, own in both
        ]
    else:
        intervals = [page.intervals_of(result, statistics) for result in results]
    named = statistics.by
    grouped = None if named is None else QueryGroups("by", {str(q): g for q, g in named.items()})
    if rankings is not None and document_texts is not None:
        progress(tr("reading texts of documents"))
        rankings = replace(rankings, texts=page.document_texts(document_texts, rankings, results))
    first = results[0]
    model = ReportModel(
        title=title or " · ".join(result.name for result in results),
        language=language_in_force(),
        runs=run_parts,
        measures=measure_parts,
        queries=page.queries_of(ids, query_texts, grouped),
        values=[page.values_of(result, ids) for result in results],
        means=[cells(list(result.aggregates.values())) for result in results],
        intervals=intervals,
        confidence=statistics.confidence,
        pairs=page.pairs_of(comparison, run_parts),
        comparison=page.method_of(comparison),
        rankings=rankings,
        workings=workings,
        slices=page.slices_of(results, grouped, comparison),
        cutoffs={} if weights is not None or people else cutoffs,  # those are of all alike
        conventions=[] if runs is None else page.convention_rows(first.conventions),
        tables=page.tables_of(results, comparison),
        weighted=weights is not None,
        provenance={
            "rankstone": __version__,
            **software(),
            "engine": engine.name(),
            "judgments": None if runs is None else first.provenance.judgments.to_dict(),
            "like": first.like,
            "choices": None if runs is None else first.choices_in_words(),
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


@frozen(eq=False)
class _EvaluatedRun:
    """A result with the data, measures and conventions it was computed from."""

    result: Result
    data: Collection
    plan: list[Step]


def _evaluated(
    judgments: Any,
    named: list[tuple[str, Any]],
    measures: Any,
    depth: int,
    setup: Setup,
    progress: Progress,
) -> list[_EvaluatedRun]:
    setup = prepared(setup)
    request = Request.of(measures or DEFAULT, setup)
    load_engine()
    if isinstance(judgments, str | os.PathLike):  # read once
        judgments = load_judgments(judgments, setup)
    threads = setup.effort.threads or cores()
    workers = min(threads, max(1, len(named) - 1))
    lock = Lock()

    def evaluated(place: int) -> _EvaluatedRun:
        name, run = named[place]
        with lock:
            progress(tr("evaluating {} ({} of {})").format(printable(name), place + 1, len(named)))
        own = max(1, threads // (workers if place else 1))
        data = collection(judgments, run, setup.replace(name=name, threads=own))
        plan = request.plan(data.default)
        if isinstance(data, MatchedCollection):
            data = data.keeping_top(depth, plan.conventions)
        # Beside other runs the page shows the tie interval of the first measure alone.
        has_ties = data.tied(plan.conventions)[0] > 0
        tied = replace(
            request,
            setup=setup.replace(tie_interval=has_ties),
            tied_measures=1 if len(named) > 1 else None,
        )
        result = replace(evaluate_collection(data, tied), name=name)
        return _EvaluatedRun(result, data, plan.steps)

    first = evaluated(0)  # it builds the index of the judgments, which the others share
    every = [first, *on_each(evaluated, range(1, len(named)), workers)]
    check_columns_used(setup)
    return every


def _means(results: Sequence[Result]) -> list[str]:
    """Return the measures that are means over queries."""
    whole = {name for result in results for name in result.of_all_lists}
    own = own_aggregates(results[0].measures).items()
    return [name for name, how in own if how == "mean" and name not in whole]


def _compared(
    results: Sequence[Result], setup: Setup, people: Mapping[str, Result]
) -> Comparison | None:
    """Compare the runs by those measures that are means over queries that count alike."""
    weighted = {name for result in results for name in result.weights}
    means = [name for name in _means(results) if name not in weighted]
    if people:
        own = [
            compare.values_of_result(people[result.name], result.name, means) for result in results
        ]
        setup = setup.replace(trusted=own)
    values = [compare.values_of_result(result, result.name, means) for result in results]
    return _comparison(values, means, setup, ()) if means else None


def _comparison(
    values: Sequence[QueryValues], measures: list[str], setup: Setup, notices: Sequence[Notice]
) -> Comparison | None:
    """Compare runs with the first of them, if there are several."""
    if len(values) < 2:
        return None
    own = setup.replace(baseline=values[0].name)
    return compare.RunValues(values, measures, notices, own).compared()


def _ids_of(results: Sequence[Result]) -> list[Any]:
    """Return the queries of all results, each once."""
    ids = list(results[0].queries)
    if any(list(result.queries) != ids for result in results):
        ids = list(dict.fromkeys(query for result in results for query in result.queries))
    return ids


def _rankings_and_workings(
    evaluated: Sequence[_EvaluatedRun], ids: Sequence[Any], depth: int
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
    ranked = [page.plain_ranking(data, conventions) for data, conventions in matched]
    tops = [data.top(depth, conventions, ids)[1] for data, conventions in matched]
    rankings, places = rankings_part(judgments, ids, ranked, tops, depth)
    plans: list[tuple[Collection, Plan]] = [(one.data, one.plan) for one in evaluated]
    return rankings, working_parts(plans, ids, places, depth)


def _by_cutoff(evaluated: Sequence[_EvaluatedRun]) -> dict[str, dict[str, Any]]:
    """Return the means of each measure that has a cutoff, by rank or budget, and by run."""
    deepest = max(
        int(one.data.ranked(one.result.conventions).retrieved.max(initial=0)) for one in evaluated
    )
    cutoffs = [k for k in _CUTOFFS if k <= deepest] or [1]
    families: dict[str, dict[str, Any]] = {}
    for place, (_, measure, _) in enumerate(evaluated[0].plan):
        if measure.definition.cutoff_param != "k" or "k" not in measure.params:
            continue
        name = str(measure(k=None))
        budget = measure.k if isinstance(measure.k, Budget) else None
        own = cutoffs if budget is None else [round(budget.amount * s, 6) for s in _SHARES]
        if name not in families and len(families) < _FAMILIES:
            families[name] = {"measure": place, "k": own, "means": []}
    chosen = [(family["measure"], k) for family in families.values() for k in family["k"]]
    for aggregates in on_each(lambda one: _aggregates(one, chosen), evaluated):
        for family in families.values():
            family["means"].append(cells([next(aggregates) for _ in family["k"]]))
    return families


def _aggregates(one: _EvaluatedRun, chosen: Sequence[tuple[int, float]]) -> Iterator[float]:
    """Yield the aggregates of measures of a plan at some cutoffs, from one computation."""

    def at(measure: Measure, k: float) -> Measure:
        return measure @ (replace(measure.k, amount=k) if isinstance(measure.k, Budget) else k)

    steps = [(at(one.plan[place][1], k), one.plan[place][2]) for place, k in chosen]
    known = {(m, c): one.result.aggregates[name] for name, m, c in one.plan}
    plan = [(str(m), m, c) for m, c in steps if (m, c) not in known]
    parts = compute_each(one.data, plan).aggregates if plan else {}
    computed = final_values({name: m for name, m, _ in plan}, parts)
    return (known[step] if step in known else computed[str(step[0])] for step in steps)
