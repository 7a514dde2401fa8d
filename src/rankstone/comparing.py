"""The verb ``compare``: is one run better than another, by how much, and how sure is it?"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.core.result import Result
from rankstone.errors import DataError, Notice, UsageError, did_you_mean, plural
from rankstone.evaluation import evaluate
from rankstone.io.column_roles import Columns
from rankstone.io.formats import run_name
from rankstone.io.load import load_judgments
from rankstone.io.query_values import (
    is_parquet,
    read_parquet_values,
    read_query_values,
    read_query_weights,
)
from rankstone.io.streams import read_all
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.parse import parse_measure
from rankstone.measures.request import listed_measures
from rankstone.stats.compare import compare as compare_values
from rankstone.stats.comparison import Comparison
from rankstone.stats.holes import with_holes
from rankstone.stats.resampling import Seed
from rankstone.stats.values import QueryValues

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.options import EvaluationOptions

#: Measures of saved values that are compared without being chosen; each one costs power.
_MOST_MEASURES = 10
_PATH = str | os.PathLike


def compare(
    judgments: Any,
    runs: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    test: str | None = None,
    correction: str = "holm",
    interval: str | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    rng: Seed = 0,
    weights: Mapping[Any, float] | str | os.PathLike[str] | None = None,
    repeats: Mapping[str, Sequence[str]] | None = None,
    lower_is_better: Collection[str] = (),
    minimum_difference: float | None = None,
    incomplete_above: float = 0.1,
    zeros: str = "wilcox",
    moved: int = 5,
    **options: Unpack[EvaluationOptions],
) -> Comparison:
    """Compare runs query by query, with statistics; queries are matched by id.

    Args:
        judgments: whatever ``evaluate`` takes.
        runs: ``{name: run}`` or a list of paths. Without runs, the first argument is what was
            evaluated before: Results, values per query ``{query: {measure: value}}`` as
            pytrec_eval returns them, or paths of files of these; by name, or in a list.
        measures: names or measures; of values per query those to compare (default: all).
        baseline: name of the run that all others are compared with (default: the first).
        all_pairs: compare every two runs instead.
        test: ``randomization`` (default), ``t``, ``wilcoxon``, ``sign``, ``bootstrap``, ``tukey``.
        correction: ``holm``, ``bh``, ``bonferroni`` or ``none``, over all pairs and measures.
        interval: ``bca`` (default), ``percentile`` or ``t``.
        confidence: of the intervals; 1 - confidence is the significance level.
        resamples: number of random sign flips or permutations.
        rng: seed or NumPy Generator; the same seed gives the same numbers.
        weights: weight of each query, or the path of a file of them (default: all equal).
        repeats: names of runs by name of the system that they are repetitions of.
        lower_is_better: names of further measures of which a smaller value is better.
        minimum_difference: smallest difference that matters (default: a tenth of the baseline).
        incomplete_above: share of a difference that may come from unanswered queries.
        zeros: what the Wilcoxon test does with differences of 0: ``wilcox`` or ``pratt``.
        moved: number of queries to list that improved and worsened most.
        options: of ``evaluate``: ``like``, ``conventions``, single conventions, how to read, and
            ``unjudged_interval``, to show whether unjudged documents could reverse a difference.

    >>> judgments = {q: {"d1": 1} for q in "abcdefg"}
    >>> best, worst = ({q: docs for q in "abcdefg"} for docs in (["d1"], ["d2", "d1"]))
    >>> pair = compare(judgments, {"old": worst, "new": best}, "RR")["new", "RR"]
    >>> pair.difference, pair.p_value, pair.verdict
    (0.5, 0.015625, 'better')
    """
    values, names = values_by_query(judgments, runs, measures, dict(options))
    if isinstance(weights, _PATH):
        weights = read_weights(weights, values)
    _check_directions(lower_is_better, values)
    comparison = compare_values(
        values,
        measures=names,
        baseline=baseline,
        all_pairs=all_pairs,
        test=test,
        correction=correction,
        interval=interval,
        confidence=confidence,
        resamples=resamples,
        rng=rng,
        weights=weights,
        repeats=repeats,
        lower_is_better={*lower_is_better, *(n for n in names or () if _falls(n))},
        minimum_difference=minimum_difference,
        incomplete_above=incomplete_above,
        zeros=zeros,
        moved=moved,
    )
    comparison = _with_directions(comparison, lower_is_better)
    return comparison if weights is not None else with_holes(comparison, values)


def values_by_query(
    judgments: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] | None,
    options: dict[str, Any],
) -> tuple[list[QueryValues], list[str] | None]:
    """Return values of runs and the names of the measures to use, of what ``compare`` takes."""
    chosen = None if measures is None else listed_measures(measures)
    if judgments is not None and runs is not None:
        results = _evaluated(judgments, runs, chosen or DEFAULT, options)
        values = [values_of_result(result, name, chosen) for name, result in results.items()]
    else:
        if options:
            raise UsageError(
                f"{', '.join(options)}: values that exist already cannot be evaluated differently. "
                "Give judgments and runs, or leave this out."
            )
        values = list(_saved(judgments if runs is None else runs, chosen))
    return values, _measures_of(values, chosen)


def _evaluated(
    judgments: Any, runs: Any, measures: Iterable[str | Measure], options: dict[str, Any]
) -> dict[str, Result]:
    """Return the result of each run by name; a Result is taken as it is."""
    named = named_runs(runs)
    if len(named) < 2:
        raise UsageError(f"a comparison needs at least two runs, not {len(named)}.")
    if "name" in options:
        raise UsageError("runs have names of their own: give them as {name: run}.")
    columns = Columns.of(options.pop("columns", None))
    judgments = loaded_once(judgments, columns, options)
    measures = list(measures)
    return {
        name: run
        if isinstance(run, Result)
        else evaluate(judgments, run, measures, name=name, columns=columns, **options)
        for name, run in named
    }


def loaded_once(judgments: Any, columns: Columns, options: dict[str, Any]) -> Any:
    """Return judgments that are not read again for each run; what only they need is taken out."""
    if not isinstance(judgments, _PATH):
        return judgments
    return load_judgments(
        judgments,
        columns,
        input_format=options.get("input_format"),
        max_bytes=options.get("max_bytes"),
        encoding=options.get("encoding"),
        groups=options.pop("group_sizes", None),
    )


def named_runs(runs: Any) -> list[tuple[str, Any]]:
    """Return runs with their names: given, of a file, or of a Result."""
    if isinstance(runs, Mapping):
        return [(str(name), run) for name, run in runs.items()]
    if isinstance(runs, _PATH | Result | QueryValues) or not isinstance(runs, Iterable):
        raise UsageError("give runs as {name: run} or as a list of paths; at least two.")
    items = list(runs)
    for item in items:
        if not isinstance(item, _PATH | Result | QueryValues) and not hasattr(item, "name"):
            raise UsageError(
                f"a run without a name ({type(item).__name__}). Give runs as {{name: run}}."
            )
    names = [run_name(os.fspath(i)) if isinstance(i, _PATH) else str(i.name) for i in items]
    paths = [os.fspath(i) if isinstance(i, _PATH) else n for i, n in zip(items, names, strict=True)]
    named = [p if names.count(n) > 1 else n for n, p in zip(names, paths, strict=True)]
    for name in named:
        if named.count(name) > 1:
            raise UsageError(f"two runs are called {name!r}. Give runs as {{name: run}}.")
    return list(zip(named, items, strict=True))


def _saved(runs: Any, chosen: Sequence[str | Measure] | None) -> Iterator[QueryValues]:
    """Yield the values per query of runs that were evaluated before."""
    several: list[tuple[str, QueryValues]] = []
    for name, run in named_runs(runs):
        if isinstance(run, _PATH):
            several += [(name, values) for values in read_values(os.fspath(run), chosen, name)]
        else:
            several.append((name, _values_of(name, run, chosen)))
    outer = [name for name, _ in several]
    inner = [values.name for _, values in several]
    for name, values in several:
        # The name that was given counts, then the name in a file, then that of the file.
        is_outer = isinstance(runs, Mapping) or inner.count(values.name) > 1
        yield replace(values, name=name) if is_outer and outer.count(name) == 1 else values


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
) -> list[QueryValues]:
    """Return the values per query of the runs in a file that this or another tool wrote.

    Args:
        path: of a saved Result, of the output of another tool, CSV, JSON or Parquet.
        chosen: measures that matter (default: all).
        name: of a run that has none in the file (default: that of the file).
        max_bytes: maximum size of the file in bytes after decompression.
    """
    if is_parquet(path):
        return [QueryValues(name or run_name(path), *read_parquet_values(path))]
    content = read_all(path, max_bytes)
    if content.lstrip()[:1] in (b"{", b"[") and b'"schema"' in content[:4096]:
        try:
            results = Result.all_from_json(content)
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
        return [values_of_result(result, result.name, chosen) for result in results]
    runs = read_query_values(content, path, _is_measure)
    label = name or run_name(path)
    return [QueryValues.from_dicts(own or label, values) for own, values in runs.items()]


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
    return QueryValues(name, result.queries, result.columns, answered, ends)


def _require_mean(result: Result, measure: str) -> None:
    """Refuse a measure of which the mean over queries is not what evaluating prints."""
    weights = result.weights.get(measure)
    is_weighted = weights is not None and np.ptp(weights) > 0
    is_mean = _is_measure(measure) and parse_measure(measure).definition.aggregate == "mean"
    if is_weighted or not is_mean:
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
                f"the runs have {plural(len(shared), 'measure')} in common, and every comparison "
                "makes all others less certain. Choose the measures that matter, of: "
                f"{', '.join(shared)}."
            )
        return shared or None
    return [_own_name(str(measure), shared) for measure in chosen]


def _own_name(measure: str, names: Sequence[str]) -> str:
    """Return what values call a measure, in whichever tool's spelling."""
    if measure in names or not _is_measure(measure):
        return measure
    same = parse_measure(measure)
    return next((n for n in names if _is_measure(n) and parse_measure(n) == same), measure)


def _is_measure(name: str) -> bool:
    try:
        parse_measure(name)
    except UsageError:
        return False
    return True


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
        if _is_measure(name) and not _falls(name):
            raise UsageError(f"lower_is_better: higher values of {name} are better.")


def _with_directions(comparison: Comparison, lower: Collection[str]) -> Comparison:
    """Say that higher counts as better where that is not known."""
    unknown = {m for m in comparison.measures if not _is_measure(m) and m not in lower}
    pairs = tuple(
        replace(pair, warnings=(*pair.warnings, _direction(pair.measure)))
        if pair.measure in unknown
        else pair
        for pair in comparison.comparisons
    )
    return replace(comparison, comparisons=pairs)


def _direction(measure: str) -> Notice:
    text = (
        f"rankstone does not know {measure}, so higher counts as better; otherwise use "
        "--lower-is-better"
    )
    return Notice("unknown-measure", 1, text, level="note")


def _falls(name: str) -> bool:
    return _is_measure(name) and not parse_measure(name).definition.higher_is_better


def read_weights(
    path: str | os.PathLike[str], runs: Sequence[QueryValues | Result]
) -> dict[Any, float]:
    """Return the weights of a file by query; ids may be numbers where a file has text."""
    weights = read_query_weights(os.fspath(path))
    queries = (query for run in runs for query in run.queries)
    return {query: weights[str(query)] for query in queries if str(query) in weights}
