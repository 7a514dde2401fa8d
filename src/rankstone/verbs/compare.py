"""The verb ``compare``: is one run better than another, by how much, and how sure is it?"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankstone import __version__
from rankstone.choices.setup import Setup, verb
from rankstone.core.rank import adds_run_queries
from rankstone.core.result import Result
from rankstone.errors import DataError, Notice, UsageError, amount, did_you_mean
from rankstone.frozen import frozen
from rankstone.io import query_values
from rankstone.io.formats import named_runs, run_name
from rankstone.io.query_groups import query_groups
from rankstone.io.streams import read_all
from rankstone.language import tr
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.parse import parse_measure
from rankstone.measures.request import listed_measures
from rankstone.stats.compare import compare as compare_values
from rankstone.stats.comparison import Comparison, with_holes
from rankstone.stats.values import QueryValues
from rankstone.text.results import ALL
from rankstone.verbs.evaluate import evaluate_runs
from rankstone.verbs.gate.baseline import require_comparable_results

if TYPE_CHECKING:
    from rankstone.choices.options import CompareOptions

#: Measures of saved values that are compared without being chosen; each one costs power.
_MOST_MEASURES = 10
_PATH = str | os.PathLike


@verb("compare")
def compare(
    judgments: Any,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Compare runs query by query, with statistics; queries are matched by id.

    Args:
        judgments: whatever ``evaluate`` takes.
        runs: ``{name: run}`` or a list of paths. Without runs, the first argument is what was
            evaluated before: Results, values per query ``{query: {measure: value}}`` as
            pytrec_eval returns them, or paths of files of these; by name, or in a list.
        measures: names or measures; of values per query those to compare (default: all).
        options: see below.

    >>> judgments = {q: {"d1": 1} for q in "abcdefg"}
    >>> best, worst = ({q: docs for q in "abcdefg"} for docs in (["d1"], ["d2", "d1"]))
    >>> pair = compare(judgments, {"old": worst, "new": best}, "RR")["new", "RR"]
    >>> pair.difference, pair.p_value, pair.verdict
    (0.5, 0.015625, 'better')
    """
    return RunValues.of(judgments, runs, measures, Setup.of("compare", options)).compared()


Evaluate = Callable[[Any, list[tuple[str, Any]], Iterable[str | Measure], Setup], dict[str, Result]]


@frozen(eq=False)
class RunValues:
    """Values per query of runs, and how they are compared.

    ``measures`` are those to use, None for all; ``notices`` say how the runs differ. The setup has the
    clusters, the groups and the values by people's judgments as they were read.
    """

    runs: Sequence[QueryValues]
    measures: list[str] | None
    notices: Sequence[Notice]
    setup: Setup

    @classmethod
    def of(
        cls,
        judgments: Any,
        runs: Any,
        measures: str | Measure | Iterable[str | Measure] | None,
        setup: Setup,
        evaluate: Evaluate = evaluate_runs,
    ) -> RunValues:
        """Evaluate runs, or take what was evaluated before, as ``compare`` does."""
        chosen = None if measures is None else listed_measures(measures)
        asked = chosen or DEFAULT
        named: list[tuple[str, Any]] = []
        if judgments is not None and runs is not None:
            named = named_runs(runs)
            if len(named) < 2:
                raise UsageError(f"a comparison needs at least two runs, not {len(named)}.")
            results = evaluate(judgments, named, asked, setup)
            values = [values_of_result(result, name, chosen) for name, result in results.items()]
        else:
            refuse_evaluation(setup)
            saved = list(_saved(judgments if runs is None else runs, chosen, setup))
            results = {v.name: result for v, result in saved if result is not None}
            values = [v for v, _ in saved]
        notices = (*require_comparable_results(results), *_of_all_lists(results, values))
        if chosen is not None:
            whole = {name for result in results.values() for name in result.of_all_lists}
            chosen = [m for m in chosen if _own_name(str(m), [*whole]) not in whole]
        names = _measures_of(values, chosen)
        setup = with_groups(setup, judgments, (q for v in values for q in v.queries))
        if setup.statistics.trusted is not None:
            if not named:
                raise UsageError(
                    "trusted= needs judgments and runs, which people's judgments evaluate."
                )
            people = by_people(named, asked, setup)
            trusted = [values_of_result(result, name, names) for name, result in people.items()]
            setup = setup.replace(trusted=trusted)
        return cls(values, names, notices, setup)

    def compared(self) -> Comparison:
        """Compare the values as the statistics of the setup say."""
        statistics = self.setup.statistics
        weights, lower = statistics.weights, statistics.lower_is_better
        if isinstance(weights, _PATH):
            weights = read_weights(weights, self.runs)
        _check_directions(lower, self.runs)
        known = {n: m.definition for n in self.measures or () if (m := _measure(n)) is not None}
        falling = (name for name, definition in known.items() if not definition.higher_is_better)
        statistics = statistics.replace(weights=weights, lower_is_better={*lower, *falling})
        ranges = {name: definition.range for name, definition in known.items()}
        made = compare_values(self.runs, statistics, measures=self.measures, ranges=ranges)
        made = replace(made, provenance={"rankstone": __version__, **made.provenance})
        comparison = _with_notices(made, lower, self.notices)
        return comparison if weights is not None else with_holes(comparison, self.runs)


def by_people(
    named: list[tuple[str, Any]], measures: Iterable[str | Measure], setup: Setup
) -> dict[str, Result]:
    """Return the results of runs by the trusted judgments; only queries that these judge count."""
    for name, run in named:
        if isinstance(run, Result):
            raise UsageError(
                f"{name} is a result, and trusted= needs the run, which people's judgments evaluate."
            )
    own = setup.replace(strict=False, tie_interval=False, unjudged_interval=False)
    results = evaluate_runs(setup.statistics.trusted, named, measures, own)
    if any(adds_run_queries(result.conventions) for result in results.values()):
        own = own.replace(queries="both")
        results = evaluate_runs(setup.statistics.trusted, named, measures, own)
    lost = [_lost_documents(result) for result in results.values()]
    if all(lost):
        raise DataError(f"the trusted judgments: {lost[0]}. Write their ids as the runs do.")
    return results


def _lost_documents(result: Result) -> Notice | None:
    """Return the warning that no judged document was retrieved, or only ids that look alike."""
    if any(np.nan_to_num(column).any() for column in result.columns.values()):
        return None
    codes = ("no-document-found", "ids-look-alike")
    return next((notice for notice in result.notices if notice.code in codes), None)


def with_groups(setup: Setup, judgments: Any, queries: Iterable[Any]) -> Setup:
    """Return a setup whose clusters and groups are read: from a file, a frame or the judgments."""
    clusters, by = setup.statistics.clusters, setup.statistics.by
    ids = list(dict.fromkeys(queries))
    if hasattr(clusters, "columns") or (isinstance(clusters, _PATH) and "{" not in str(clusters)):
        read = query_groups(clusters, judgments, setup, noun="cluster").fitted(ids)
        others = read.group_of.keys() - set(map(str, ids))  # which a warning counts
        setup = setup.replace(clusters=read.of([*ids, *sorted(others)]))
    if by is not None:
        read = query_groups(by, judgments, setup, taken=(ALL,))
        setup = setup.replace(by=read.fitted(ids).of(ids))
    return setup


def _of_all_lists(results: Mapping[str, Result], values: Sequence[QueryValues]) -> list[Notice]:
    """Return notes with the values of measures of all lists together, which are not tested."""
    names = dict.fromkeys(name for result in results.values() for name in result.of_all_lists)
    if names and not any(v.columns for v in values):
        raise UsageError(
            f"{next(iter(names))} is a number of all lists together, and a comparison tests means over "
            "queries. Add a measure of single lists; the comparison notes both."
        )
    notes = []
    for name in names:
        own = ((run, result) for run, result in results.items() if name in result.columns)
        shown = tr(", ").join(f"{run} {result[name]:.4f}" for run, result in own)
        text = tr("{} is a number of all lists together, and not tested: {}").format(name, shown)
        notes.append(Notice("all-lists", 1, text, level="note"))
    return notes


def refuse_evaluation(setup: Setup) -> None:
    """Refuse choices of an evaluation beside values that exist already."""
    groups = (setup.evaluation, setup.reading, setup.changes)
    for name in (*(name for group in groups for name in group.given()), *setup.single):
        raise UsageError(
            f"{name}= cannot be applied to values that exist already. Give judgments and runs, or "
            "leave it out."
        )


def _saved(
    runs: Any, chosen: Sequence[str | Measure] | None, setup: Setup
) -> Iterator[tuple[QueryValues, Result | None]]:
    """Yield the values per query of runs that were evaluated before, and the Results among them."""
    several: list[tuple[str, QueryValues, Result | None]] = []
    for name, run in named_runs(runs):
        if isinstance(run, _PATH):
            read = read_values(os.fspath(run), chosen, name, setup.effort.max_bytes)
            several += [(name, values, result) for values, result in read]
        else:
            own = run if isinstance(run, Result) else None
            several.append((name, _values_of(name, run, chosen), own))
    outer = [name for name, _, _ in several]
    inner = [values.name for _, values, _ in several]
    for name, values, result in several:
        # The name that was given counts, then the name in a file, then that of the file.
        is_outer = isinstance(runs, Mapping) or inner.count(values.name) > 1
        named = replace(values, name=name) if is_outer and outer.count(name) == 1 else values
        yield named, result


def _values_of(name: str, data: Any, chosen: Sequence[str | Measure] | None) -> QueryValues:
    if isinstance(data, QueryValues):
        return data
    if isinstance(data, Result):
        return values_of_result(data, name, chosen)
    if isinstance(data, Mapping) and all(isinstance(row, Mapping) for row in data.values()):
        return QueryValues.from_dicts(name, data)
    raise UsageError(
        f"{name}: without judgments, give Results, values per query {{query: {{measure: value}}}} "
        f"or paths of files of these, not {type(data).__name__}."
    )


def read_values(
    path: str,
    chosen: Sequence[str | Measure] | None = None,
    name: str | None = None,
    max_bytes: int | None = None,
) -> list[tuple[QueryValues, Result | None]]:
    """Return the values per query of the runs in a file that this or another tool wrote.

    With each the saved Result, None if it is another tool's.

    Args:
        path: of a saved Result, of the output of another tool, CSV, JSON or Parquet.
        chosen: measures that matter (default: all).
        name: of a run that has none in the file (default: that of the file).
        max_bytes: maximum size of the file in bytes after decompression.
    """
    if query_values.is_parquet(path):
        columns = query_values.read_parquet_values(path)
        return [(QueryValues(name or run_name(path), *columns), None)]
    content = read_all(path, max_bytes)
    if content.lstrip()[:1] in (b"{", b"[") and b'"schema"' in content[:4096]:
        try:
            results = Result.all_from_json(content)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
        return [(values_of_result(result, result.name, chosen), result) for result in results]
    runs = query_values.read_query_values(content, path, lambda name: _measure(name) is not None)
    label = name or run_name(path)
    return [(QueryValues.from_dicts(own or label, values), None) for own, values in runs.items()]


def values_of_result(
    result: Result, name: str, chosen: Sequence[str | Measure] | None
) -> QueryValues:
    """Return a result's values of the chosen measures, with which queries were answered."""
    wanted = {_own_name(str(m), result.measures) for m in chosen or result.measures}
    for measure in wanted & set(result.measures):
        _require_mean(result, measure)
    unanswered = set(result.unanswered)
    answered = np.array([query not in unanswered for query in result.queries], bool)
    known = {} if result.unjudged is None else result.unjudged.interval
    ends = {measure: (interval.low, interval.high) for measure, interval in known.items()}
    columns = {m: c for m, c in result.columns.items() if m not in result.of_all_lists}
    return QueryValues(name, result.queries, columns, answered, ends)


def _require_mean(result: Result, measure: str) -> None:
    """Refuse a measure whose printed value is not the mean over queries."""
    weights = result.weights.get(measure)
    is_weighted = weights is not None and np.ptp(weights) > 0
    own = _measure(measure)
    if is_weighted or own is None or own.definition.aggregate != "mean":
        why = "weighs queries" if is_weighted else "is not a mean over queries"
        raise UsageError(
            f"{measure} {why}, and comparisons are of means over queries that count alike. "
            "Choose other measures."
        )


def _measures_of(
    values: Sequence[QueryValues], chosen: Sequence[str | Measure] | None
) -> list[str] | None:
    """Return the names that the values have for the chosen measures; None for all."""
    shared = [m for m in values[0].columns if all(m in v.columns for v in values)] if values else []
    if chosen is None:
        if len(shared) > _MOST_MEASURES:
            raise UsageError(
                f"the runs have {amount(len(shared), 'measure')} in common, and every comparison "
                "makes all others less certain. Choose the measures that matter, of: "
                f"{', '.join(shared)}."
            )
        return shared or None
    return [_own_name(str(measure), shared) for measure in chosen]


def _own_name(measure: str, names: Sequence[str]) -> str:
    """Return the name that values have for a measure, in any tool's spelling."""
    same = None if measure in names else _measure(measure)
    if same is None:
        return measure
    return next((name for name in names if _measure(name) == same), measure)


def _measure(name: str) -> Measure | None:
    """Return the measure of a name, None if it is not Rankstone's."""
    try:
        return parse_measure(name)
    except UsageError:
        return None


def _check_directions(lower: Collection[str], values: Sequence[QueryValues]) -> None:
    """Refuse a measure that no run has, or whose direction is known to be the other one."""
    names = list(dict.fromkeys(name for run in values for name in run.columns))
    for name in lower:
        if name not in names:
            hint = did_you_mean(name, names)
            raise UsageError(
                f"lower_is_better: no run has a measure {name!r}.{hint} They have: "
                f"{', '.join(names)}."
            )
        own = _measure(name)
        if own is not None and own.definition.higher_is_better:
            raise UsageError(f"lower_is_better: higher values of {name} are better.")


def _with_notices(
    comparison: Comparison, lower: Collection[str], notices: Sequence[Notice]
) -> Comparison:
    """Warn where higher counts as better though that is not known, and of how runs differ."""
    unknown = {
        measure: Notice(
            "unknown-measure",
            1,
            tr(
                "rankstone does not know {}, so higher counts as better; otherwise use "
                "--lower-is-better"
            ).format(measure),
            level="note",
        )
        for measure in comparison.measures
        if measure not in lower and _measure(measure) is None
    }
    if not unknown and not notices:
        return comparison
    pairs = []
    for place, pair in enumerate(comparison.comparisons):
        own = [unknown[pair.measure]] if pair.measure in unknown else []
        # Values that are not tested are those of no pair, so one place is enough.
        every = (notice for notice in notices if place == 0 or notice.code != "all-lists")
        pairs.append(replace(pair, warnings=(*pair.warnings, *own, *every)))
    return replace(comparison, comparisons=tuple(pairs))


def read_weights(
    path: str | os.PathLike[str], runs: Sequence[QueryValues | Result]
) -> dict[Any, float]:
    """Return the weights of a file by query; ids may be numbers where a file has text."""
    weights = query_values.read_query_weights(os.fspath(path))
    queries = (query for run in runs for query in run.queries)
    return {query: weights[str(query)] for query in queries if str(query) in weights}
