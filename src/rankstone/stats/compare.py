"""Is one run better than another, by how much, how sure is it, and on which queries?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, cycle

import numpy as np

from rankstone.choices.statistics import Statistics
from rankstone.errors import NothingInCommonError, Notice, UsageError, did_you_mean, one_of
from rankstone.language import tr
from rankstone.stats.clusters import Clusters
from rankstone.stats.comparison import Comparison, PairComparison
from rankstone.stats.corrections import CORRECTIONS
from rankstone.stats.intervals import INTERVALS, check_confidence
from rankstone.stats.likely_clusters import likely_clusters
from rankstone.stats.resampling import check_resamples, seed_of
from rankstone.stats.run_pairs import compare_pairs
from rankstone.stats.samples import Options, Sample
from rankstone.stats.tests import TESTS, WEIGHTED, ZERO_RULES
from rankstone.stats.values import QueryValues, System, ValueTable, systems_of


def compare(
    runs: Sequence[QueryValues],
    statistics: Statistics,
    *,
    measures: Sequence[str] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    exact: bool = False,
) -> Comparison:
    """Compare values per query of runs, matched by query id.

    Args:
        runs: two or more, in any order.
        statistics: how they are compared. Weights, clusters and groups are given by query, and
            ``trusted`` are values of the same runs by people's judgments of some of the queries;
            those of ``runs`` are then by a model's judgments.
        measures: default: all that the runs have in common.
        ranges: least and largest value of measures (default: 0 to 1 if all values are in it,
            otherwise the values' own).
        exact: take intervals that hold for any values where few queries changed, at the price of
            their length: for decisions rather than description.

    >>> a = QueryValues("a", ["q1", "q2", "q3"], {"AP": np.array([0.1, 0.2, 0.3])})
    >>> b = QueryValues("b", ["q3", "q1", "q2"], {"AP": np.array([0.5, 0.2, 0.4])})
    >>> pair = compare([a, b], Statistics())["b", "AP"]
    >>> round(pair.difference, 4), pair.p_value, pair.wins, pair.verdict
    (0.1667, 0.25, 3, 'undecided')
    """
    systems = systems_of(runs, statistics.repeats)
    if len(systems) < 2:
        only = f" There is only {systems[0].name!r}." if systems else ""
        raise UsageError(f"a comparison needs at least two runs or systems.{only}")
    names = [system.name for system in systems]
    test, interval = _methods(statistics, systems)
    table = ValueTable.of(systems, measures)
    weights = table.weights(statistics.weights)
    grouped = (
        None if statistics.clusters is None else Clusters.of(table.queries, statistics.clusters)
    )
    if grouped is not None and interval == "bca" and statistics.interval is None:
        interval = grouped.interval(weighted=weights is not None)
    check_confidence(statistics.confidence)
    together = len(table.measures) if statistics.family == "all" else 1
    options = Options(
        **vars(statistics)
        | {"test": test, "interval": interval, "rng": seed_of(statistics.rng)}
        | {"resamples": check_resamples(statistics.resamples), "exact": exact},
        measures_in_family=together,
        families=len(table.measures) // together,
    )
    first = None if statistics.all_pairs else _place_of(statistics.baseline, names)
    pairs = _pairs(len(names), first)

    def samples_of(table: ValueTable) -> list[Sample]:
        return [
            Sample.of(
                table,
                measure,
                pairs,
                weights=weights,
                complete=test == "tukey",
                higher=measure not in statistics.lower_is_better,
                limits=(ranges or {}).get(measure),
                clusters=grouped,
            )
            for measure in table.measures
        ]

    samples = samples_of(table)
    for sample in samples:
        _require_common(sample)
    slices, ungrouped = _slices(table, samples, options)
    comparison = Comparison(
        runs=tuple(names),
        measures=table.measures,
        baseline=None if first is None else names[first],
        comparisons=compare_pairs(table, samples, options),
        means={
            name: {sample.measure: sample.system_means[i] for sample in samples}
            for i, name in enumerate(names)
        },
        queries=len(table.queries),
        test=test,
        correction="tukey"
        if test == "tukey" and statistics.correction != "none"
        else statistics.correction,
        family=len(pairs) * together,
        interval=interval,
        confidence=statistics.confidence,
        resamples=options.resamples,
        seed=options.rng,
        weighted=weights is not None,
        zeros=statistics.zeros if test == "wilcoxon" else None,
        notices=(*ungrouped, *(_seen_clusters(samples) if grouped is None else grouped.notices)),
        values={s.name: s.runs[0] for s in systems if len(s.runs) == 1},
        slices=slices,
    )
    if statistics.trusted is None:
        return comparison
    from rankstone.stats.trusted import with_people

    own = [
        replace(sample, usable=model.usable)  # that people did not judge is not a gap of a run
        for sample, model in zip(samples_of(table.filled(statistics.trusted)), samples, strict=True)
    ]
    return with_people(comparison, samples, own, options)


def _slices(
    table: ValueTable, samples: Sequence[Sample], options: Options
) -> tuple[tuple[PairComparison, ...], list[Notice]]:
    """Compare all pairs in each group of queries, and say how many queries have no group."""
    by = options.by
    if not by:
        return (), []
    if options.test == "tukey":
        raise UsageError("the Tukey test is not made in groups of queries; choose another test.")
    own = [by.get(query) for query in table.queries]
    names = list(dict.fromkeys(name for name in own if name is not None))
    masks = np.array([[name == one for one in own] for name in names])
    pairs = compare_pairs(table, [sample.in_groups(masks) for sample in samples], options)
    groups = cycle(name for name in names for _ in samples[0].pairs)
    named = (replace(pair, group=name) for pair, name in zip(pairs, groups, strict=False))
    without = [str(q) for q, name in zip(table.queries, own, strict=True) if name is None]
    text = tr("queries without a group are in none of the groups")
    notices = [Notice("ungrouped-queries", len(without), text, tuple(without[:3]))]
    return tuple(pair for pair in named if pair.n), notices if without else []


def _seen_clusters(samples: Sequence[Sample]) -> tuple[Notice, ...]:
    """Warn of the first differences that vary by groups which ids name."""
    count = sum(len(sample.differences) for sample in samples)
    for sample in samples:
        for differences in sample.differences:
            if seen := likely_clusters(sample.table.queries, differences, count):
                return tuple(seen)
    return ()


def _methods(chosen: Statistics, systems: Sequence[System]) -> tuple[str, str]:
    """Return the test and the kind of interval, and refuse choices that do not go together."""
    for value, known, what in (
        (chosen.test, TESTS, "test"),
        (chosen.interval, INTERVALS, "interval"),
        (chosen.correction, CORRECTIONS, "correction"),
        (chosen.zeros, ZERO_RULES, "rule for zeros"),
    ):
        if value is not None:
            one_of(value, known, what)
    if chosen.trusted is not None and (chosen.by or chosen.repeats):
        raise UsageError("trusted= does not go with by= and repeats=. Leave one out.")
    test, interval = chosen.test or "randomization", chosen.interval or "bca"
    repeated = any(len(system.runs) > 1 for system in systems)
    if repeated or chosen.trusted is not None:  # which Student's t alone knows of
        if chosen.test not in (None, "t") or chosen.interval not in (None, "t"):
            raise UsageError(
                "with repeated runs the test and the interval are those of Student's t, which accounts "
                "for the variance between queries and between runs. Leave out test= and interval=."
                if repeated
                else "with trusted= the test and the interval are those of Student's t."
            )
        test = interval = "t"
    if chosen.weights is not None and test not in WEIGHTED:
        raise UsageError(
            f"the {TESTS[test]} does not take weights of queries. Use one of {', '.join(WEIGHTED)}."
        )
    if test == "tukey" and chosen.correction == "bh":
        raise UsageError(
            "the Tukey test controls the family-wise error, not the false discovery rate; use "
            "correction='holm' or 'none' with it, or 'bh' with another test."
        )
    return test, interval


def _place_of(baseline: str | None, names: Sequence[str]) -> int:
    if baseline is None:
        return 0
    if baseline not in names:
        raise UsageError(
            f"the baseline {baseline!r} is not among the runs.{did_you_mean(baseline, names)} "
            f"Runs: {', '.join(names)}."
        )
    return names.index(baseline)


def _pairs(count: int, baseline: int | None) -> np.ndarray:
    """Return rows of baseline and run."""
    if baseline is None:
        return np.array(list(combinations(range(count), 2)))
    return np.array([(baseline, i) for i in range(count) if i != baseline])


def _require_common(sample: Sample) -> None:
    empty = np.flatnonzero(sample.means.n == 0)
    if not len(empty):
        return
    i, j = sample.pairs[empty[0]].tolist()
    one, other = sample.table.systems[i], sample.table.systems[j]
    raise NothingInCommonError(
        f"{one.name} and {other.name} have no query with a value of {sample.measure} in common: "
        f"{_examples(one)}; {_examples(other)}. Compare values on the same queries."
    )


def _examples(system: System) -> str:
    queries = [str(q) for run in system.runs for q in run.queries][:3]
    return f"{system.name} has " + (", ".join(queries) + ", ..." if queries else "no queries")
