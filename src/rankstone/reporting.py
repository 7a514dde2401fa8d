"""The verb ``report``: one page that shows runs, how they differ and why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone import __version__
from rankstone.comparing import compare, named_runs
from rankstone.core import engine
from rankstone.core.collection import Collection, MatchedCollection
from rankstone.core.result import Result
from rankstone.errors import UsageError, one_of
from rankstone.evaluation import Evaluated, evaluate_collection
from rankstone.io.column_roles import Columns
from rankstone.io.load import collection, load_judgments, split_options
from rankstone.io.query_groups import QueryGroups, read_query_groups
from rankstone.io.texts import read_texts
from rankstone.io.top_documents import top_documents
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.compute import compute_each
from rankstone.report.comparison import write_comparison
from rankstone.report.groups import rows_of
from rankstone.report.html import LANGUAGES, Report
from rankstone.report.model import Cell, QueryPart, RankingPart, ReportModel, SlicePart, WorkingPart
from rankstone.report.parts import (
    Plan,
    cells,
    convention_rows,
    measure_parts,
    plain_ranking,
    rankings_part,
    run_part,
    working_parts,
)
from rankstone.report.result_table import ALL, own_aggregates
from rankstone.report.verdicts import sentence
from rankstone.report.write import write
from rankstone.stats.comparison import Comparison

_STATISTICS = (
    "test", "correction", "interval", "confidence", "resamples", "rng", "weights",
    "minimum_difference", "incomplete_above", "zeros",
)  # fmt: skip
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
_FAMILIES = 4  # measures that are shown by cutoff
_TEXT = 300  # characters of a document
_TEXTS = 2_000_000  # characters of all documents

Progress = Callable[[str], None]


def report(
    judgments: Any,
    runs: Any,
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
    command: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Report:
    """Make a report on runs: a page that works offline; ``report(...).save("report.html")``.

    Args:
        judgments: whatever ``evaluate`` takes, with ids.
        runs: ``{name: run}`` or a list of paths; one or more.
        measures: names or measures; the first one decides what is shown first.
        baseline: name of the run that all others are compared with (default: the first).
        title: of the page.
        language: ``en`` or ``zh``.
        groups: the group of each query, or the path of a file of them.
        queries: texts of queries by id, or the path of a TSV or JSONL file of them.
        documents: texts of documents, likewise.
        depth: number of documents to show of each ranking.
        pictures: draw pictures; needs ``rankstone[report]``.
        command: the command that makes this page again.
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
    tell = progress or (lambda _: None)
    statistics = {name: options.pop(name) for name in _STATISTICS if name in options}
    named = _ordered(named_runs(runs), baseline)
    evaluated = _evaluated(judgments, named, measures, options, tell)
    results = [one.result for one in evaluated]
    tell(f"comparing {len(results)} runs")
    comparison = _comparison(results, statistics)
    ids = list(dict.fromkeys(query for result in results for query in result.queries))
    tell("collecting rankings and workings")
    with _no_garbage():
        rankings, workings = _looked_at(evaluated, ids, depth)
    grouped = _groups(groups, ids)
    if rankings is not None and documents is not None:
        tell("reading texts of documents")
        rankings = replace(rankings, texts=_document_texts(documents, rankings, results))
    plan = evaluated[0].plan
    model = ReportModel(
        title=title or " · ".join(result.name for result in results),
        language=language,
        runs=[run_part(one.result, one.data, depth) for one in evaluated],
        measures=measure_parts(plan),
        queries=_query_part(ids, queries, grouped),
        values=[_values(result, ids) for result in results],
        means=[cells(list(result.aggregates.values())) for result in results],
        intervals=[_intervals(result, statistics) for result in results],
        pairs=_pairs(comparison),
        comparison=_method(comparison),
        rankings=rankings,
        workings=workings,
        slices=_slices(results, grouped),
        cutoffs=_by_cutoff(evaluated),
        conventions=convention_rows(results[0].conventions),
        tables=_tables(results, comparison),
        provenance={
            "rankstone": __version__,
            "engine": engine.name(),
            "numpy": np.__version__,
            "judgments": results[0].provenance.judgments.to_dict(),
            "like": results[0].like,
            "command": command,
        },
    )
    return Report(model, pictures=pictures)


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Pause the search for garbage while many small lists are made, all of which are kept."""
    import gc

    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


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
    options: dict[str, Any],
    tell: Progress,
) -> list[Evaluated]:
    followed = {
        name: options.pop(name) for name in ("like", "conventions", "strict") if name in options
    }
    reading, choices = split_options(options)
    columns = Columns.of(reading.pop("columns", None))
    if isinstance(judgments, str | os.PathLike):  # read once, not once for each run
        formats = (reading.get("input_format") or "").split(":")
        judgments = load_judgments(
            judgments,
            columns,
            input_format=formats[0] or None,
            max_bytes=reading.get("max_bytes"),
            groups=reading.pop("group_sizes", None),
        )
    results = []
    for i, (name, run) in enumerate(named, 1):
        tell(f"evaluating {name} ({i} of {len(named)})")
        data = collection(judgments, run, name=name, columns=columns, **reading)
        one = evaluate_collection(data, measures or DEFAULT, **followed, **choices)
        results.append(replace(one, result=replace(one.result, name=name)))
    columns.check_used()
    return results


def _comparison(results: Sequence[Result], statistics: dict[str, Any]) -> Comparison | None:
    """Compare the runs by those measures that are means over queries."""
    means = [
        name
        for name, how in own_aggregates(results[0].measures).items()
        if how == "mean" and all(name not in result.weights for result in results)
    ]
    if len(results) < 2 or not means:
        return None
    by_name = {result.name: result for result in results}
    return compare(by_name, measures=means, baseline=results[0].name, **statistics)


def _looked_at(
    evaluated: Sequence[Evaluated], ids: Sequence[Any], depth: int
) -> tuple[RankingPart | None, list[WorkingPart]]:
    """Return the rankings and the workings, if documents have ids."""
    matched = [one.data for one in evaluated if isinstance(one.data, MatchedCollection)]
    if len(matched) < len(evaluated):
        return None, []
    judgments = matched[0].judgments
    ranked = [plain_ranking(one.data, one.result.conventions) for one in evaluated]
    tops = [top_documents(data.run, ids, depth) for data in matched]
    rankings = rankings_part(judgments, ids, ranked, tops, depth)
    plans: list[tuple[Collection, Plan]] = [(one.data, one.plan) for one in evaluated]
    return rankings, working_parts(plans, judgments, ids, rankings)


def _values(result: Result, ids: Sequence[Any]) -> list[list[Cell]]:
    """Return the values of each measure in the order of the report's queries."""
    if list(result.queries) == list(ids):
        return [cells(column) for column in result.columns.values()]
    row = {query: i for i, query in enumerate(result.queries)}
    order = np.array([row.get(query, len(row)) for query in ids])
    return [cells(np.append(column, np.nan)[order]) for column in result.columns.values()]


def _intervals(result: Result, statistics: Mapping[str, Any]) -> list[list[Cell] | None]:
    chosen = {
        name: statistics[option]
        for name, option in (("confidence", "confidence"), ("method", "interval"))
        if statistics.get(option) is not None
    }
    intervals: list[list[Cell] | None] = []
    for measure, how in own_aggregates(result.measures).items():
        if how != "mean":
            intervals.append(None)
            continue
        one = result.interval(measure, **chosen)
        intervals.append(cells([one.low, one.high]))
    return intervals


def _pairs(comparison: Comparison | None) -> list[dict[str, Any]]:
    """Return the comparisons as plain data, each with its sentence."""
    if comparison is None:
        return []
    left_out = ("improved", "worsened")  # the explorer sorts by difference
    return [
        {
            **{name: value for name, value in pair.to_dict().items() if name not in left_out},
            "sentence": sentence(pair, comparison),
            "significant": pair.significant,
        }
        for pair in comparison.comparisons
    ]


def _method(comparison: Comparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    return {
        "baseline": comparison.baseline,
        "method": comparison.method(),
        "test": comparison.test,
        "correction": comparison.correction,
        "confidence": comparison.confidence,
        "family": comparison.family,
        "seed": comparison.seed,
        "notices": [notice.to_dict() for notice in comparison.notices],
    }


def _slices(results: Sequence[Result], groups: QueryGroups | None) -> list[SlicePart]:
    if groups is None:
        return []
    by_group: dict[str, list[Any]] = {}
    for row in rows_of(results, (), groups):
        if row.group != ALL:
            by_group.setdefault(row.group, []).append(row)
    return [
        SlicePart(
            name=group,
            queries=max(row.queries for row in rows),
            means=[cells([summary.value for summary in row.values.values()]) for row in rows],
        )
        for group, rows in by_group.items()
    ]


def _groups(
    groups: Mapping[Any, str] | str | os.PathLike[str] | None, ids: Sequence[Any]
) -> QueryGroups | None:
    if groups is None:
        return None
    if isinstance(groups, Mapping):
        own = {str(query): str(group) for query, group in groups.items()}
        return QueryGroups("groups", own).fitted(ids)
    return read_query_groups(os.fspath(groups), taken=(ALL,)).fitted(ids)


def _query_part(
    ids: Sequence[Any],
    queries: Mapping[Any, str] | str | os.PathLike[str] | None,
    groups: QueryGroups | None,
) -> QueryPart:
    names = [str(query) for query in ids]
    texts = None
    if queries is not None:
        by_id = _texts(queries, set(names))
        texts = [by_id.get(name) for name in names]
    if groups is None:
        return QueryPart(names, texts)
    place = {group: i for i, group in enumerate(groups.names)}
    group_of = groups.group_of
    return QueryPart(
        names, texts, groups.names, [place.get(group_of.get(name, ""), -1) for name in names]
    )


def _texts(
    texts: Mapping[Any, str] | str | os.PathLike[str], wanted: set[str]
) -> Mapping[str, str]:
    if isinstance(texts, Mapping):
        return {str(one): str(text) for one, text in texts.items() if str(one) in wanted}
    return read_texts(os.fspath(texts), wanted)


def _document_texts(
    documents: Mapping[Any, str] | str | os.PathLike[str],
    rankings: RankingPart,
    results: Sequence[Result],
) -> dict[str, str]:
    """Return the beginnings of texts, for the queries that changed most if not all fit."""
    wanted = {doc for docs in rankings.documents for doc in docs}
    known = _texts(documents, wanted)
    texts: dict[str, str] = {}
    room = _TEXTS
    for q in _by_change(results, len(rankings.documents)):
        for doc in rankings.documents[q]:
            text = known.get(doc)
            if text is None or doc in texts:
                continue
            texts[doc] = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
            room -= len(texts[doc])
        if room < 0:
            break
    return texts


def _by_change(results: Sequence[Result], count: int) -> list[int]:
    """Return the queries in order of how much runs differ by the first measure."""
    columns = [next(iter(result.columns.values())) for result in results]
    if any(len(column) != count for column in columns):
        return list(range(count))
    spread = np.ptp(np.nan_to_num(np.array(columns)), axis=0)
    return np.argsort(-spread, kind="stable").tolist()


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
        if name in families or len(families) == _FAMILIES:
            continue
        means = []
        for one in evaluated:
            conventions = one.plan[place][2]
            plan = [(str(k), measure @ k, conventions) for k in cutoffs]
            means.append(cells(list(compute_each(one.data, plan).final.values())))
        families[name] = {"measure": place, "k": cutoffs, "means": means}
    return families


def _tables(results: Sequence[Result], comparison: Comparison | None) -> dict[str, str]:
    """Return the table of means in the formats that can be copied from the page."""
    forms = ("md", "latex", "csv")
    if comparison is None:
        return {form: "\n".join(write(results, form)) for form in forms}
    return {form: "\n".join(write_comparison(comparison, form)) for form in forms}
