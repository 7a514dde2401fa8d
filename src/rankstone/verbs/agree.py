"""The verbs of agreement: of two runs, of two sets of judgments, of two orderings of systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.choices.setup import Setup, verb
from rankstone.core.collection import Collection, MatchedCollection
from rankstone.core.engine import load_engine
from rankstone.core.judgments import EMPTY
from rankstone.core.result import Result
from rankstone.core.run import NO_DOCUMENT, Run
from rankstone.core.shown import Shown
from rankstone.errors import DataError, NothingInCommonError, UsageError
from rankstone.io.changes import changed_run, prepared
from rankstone.io.load import check_columns_used, collection, load_judgments, load_run
from rankstone.io.rows import rows_of_judgments
from rankstone.measures import Measure
from rankstone.measures.parse import parse_measure
from rankstone.stats.agreement import (
    JudgesAgreement,
    JudgmentAgreement,
    OrderingAgreement,
    RankingAgreement,
    judges,
    judgments,
    orderings,
    rankings,
)
from rankstone.stats.trusted import combine, favours
from rankstone.verbs.evaluate import evaluate_collection
from rankstone.verbs.parts import Request

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.choices.options import (
        AgreeJudgmentsOptions,
        AgreeOrderingsOptions,
        AgreeRunsOptions,
    )


@dataclass(frozen=True)
class RunAgreement(Shown):
    """Agreement of two runs, query by query.

    ``only_first`` and ``only_second`` are queries that one run alone has.
    """

    per_query: Mapping[Any, RankingAgreement]
    only_first: tuple[Any, ...]
    only_second: tuple[Any, ...]

    def means(self) -> dict[str, float]:
        """Return the means over the common queries; queries without a value are left out."""
        rows = [_numbers(agreement) for agreement in self.per_query.values()]
        return {name: _mean([row[name] for row in rows]) for name in rows[0]}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; NaN is None."""
        means = {n: None if math.isnan(v) else v for n, v in self.means().items()}
        return {
            "queries": len(self.per_query),
            "means": means,
            "per_query": {str(q): a.to_dict() for q, a in self.per_query.items()},
            "only_first": list(self.only_first),
            "only_second": list(self.only_second),
        }


@verb("agree_runs")
def agree_runs(
    first: Any,
    second: Any,
    *,
    p: float = 0.9,
    rbo_ties: str = "a",
    depths: Iterable[int] = (10,),
    **options: Unpack[AgreeRunsOptions],
) -> RunAgreement:
    """Compare the rankings of two runs, query by query.

    Args:
        first: any form of run that ``evaluate`` takes.
        second: the other run.
        p: persistence of RBO.
        rbo_ties: treatment of ties by RBO: ``w``, ``a`` or ``b``.
        depths: where to take the overlap.
        options: see below.

    >>> agree_runs({"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}, depths=[2]).means()["overlap@2"]
    0.5
    """
    setup = prepared(Setup.of("agree_runs", options))
    runs = [changed_run(load_run(run, setup), EMPTY, setup) for run in (first, second)]
    check_columns_used(setup)
    as_text = not all(getattr(run, "typed", False) for run in runs)
    one, other = (_rankings(run, as_text=as_text) for run in runs)
    common = [query for query in one if query in other]
    if not common:
        raise NothingInCommonError("the two runs have no query in common.")
    where = list(depths)
    return RunAgreement(
        {q: rankings(one[q], other[q], p=p, ties=rbo_ties, depths=where) for q in common},
        tuple(query for query in one if query not in other),
        tuple(query for query in other if query not in one),
    )


def _rankings(run: Run, *, as_text: bool) -> dict[Any, Any]:
    """Return the rankings of a run by query: scores by document, or documents in order."""
    rankings: dict[Any, dict[Any, float]] = {}
    for row in run.rows():
        query, document, score = (str(row[0]), str(row[1]), row[2]) if as_text else row
        scores = rankings.setdefault(query, {})
        if document in scores:
            raise DataError(
                f"{run.source.name}: query {query!r} has document {document!r} twice. Keep one."
            )
        if document != NO_DOCUMENT:
            scores[document] = score
    return rankings if run.direction else {query: list(own) for query, own in rankings.items()}


@verb("agree_judgments")
def agree_judgments(
    first: Any, second: Any, *others: Any, **options: Unpack[AgreeJudgmentsOptions]
) -> JudgmentAgreement | JudgesAgreement:
    """Compare sets of judgments on the documents that they share, such as a person's and a model's.

    Args:
        first: any form of judgments.
        second: the other set.
        others: further sets; three and more are compared all together, and each with the majority of the
            others.
        options: see below.

    >>> agree_judgments({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 0}}).kappa
    1.0
    """
    setup = prepared(Setup.of("agree_judgments", options))
    one, other, *more = (
        {
            (query, doc): grade
            for query, doc, grade in rows_of_judgments(load_judgments(data, setup))
        }
        for data in (first, second, *others)
    )
    check_columns_used(setup)
    if more:
        every = list(dict.fromkeys(pair for own in (one, other, *more) for pair in own))
        ratings = [[own.get(pair, math.nan) for pair in every] for own in (one, other, *more)]
        queries = [query for query, _ in every]
        return judges(
            np.array(ratings, np.float64), queries, relevant_from=setup.conventions().relevance
        )
    common = [pair for pair in one if pair in other]
    if not common:
        raise NothingInCommonError(
            "the two sets of judgments have no pair of query and document in common."
        )
    return judgments(
        [one[pair] for pair in common],
        [other[pair] for pair in common],
        relevant_from=setup.conventions().relevance,
        only_first=len(one) - len(common),
        only_second=len(other) - len(common),
        queries=[query for query, _ in common],
    )


@verb("agree_orderings")
def agree_orderings(
    first: Any,
    second: Any,
    runs: Mapping[str, Any],
    measures: Sequence[str | Measure],
    **options: Unpack[AgreeOrderingsOptions],
) -> OrderingAgreement:
    """Compare how two sets of judgments, or two measures, order the same systems.

    Args:
        first: judgments.
        second: other judgments, such as a model's for more queries, or the same for two measures. The
            order is over the queries that both judged.
        runs: by name.
        measures: one, or two: the first for ``first`` and the second for ``second``.
        options: see below.
    """
    if not 1 <= len(measures) <= 2:
        raise UsageError(f"give one measure, or two to compare, not {len(measures)}.")
    setup = prepared(Setup.of("agree_orderings", options))
    pairs = list(zip((first, second), (measures[0], measures[-1]), strict=True))
    one, other = (
        {name: _evaluated(judged, run, measure, setup) for name, run in runs.items()}
        for judged, measure in pairs
    )
    check_columns_used(setup)
    if len(measures) == 2:
        return orderings(*(_means(own, m) for own, (_, m) in zip((one, other), pairs, strict=True)))
    names, measure = list(runs), str(measures[0])
    higher = parse_measure(measure).definition.higher_is_better
    ids = sorted(dict.fromkeys(q for r, _ in other.values() for q in r.queries), key=str)
    table = [
        np.array([[own.get(q, math.nan) for q in ids] for own in map(_by_query, results.values())])
        for results in (one, other)
    ]
    common = ~np.isnan(table[0] + table[1]).any(axis=0)
    if common.sum() < 2:
        return orderings(_means(one, measure), _means(other, measure))
    sign = 1.0 if higher else -1.0
    found = orderings(
        *(
            dict(zip(names, (sign * own[:, common].mean(axis=1)).tolist(), strict=True))
            for own in table
        )
    )
    tests = list(combinations(range(len(names)), 2))
    warnings = [
        notice
        for i, j in tests
        for notice in favours(
            combine(table[0][j] - table[0][i], table[1][j] - table[1][i]),
            (names[i], names[j]),
            measure,
            len(tests),
            higher=higher,
        )
    ]
    return replace(
        found,
        bias={name: combine(table[0][i], table[1][i]).bias for i, name in enumerate(names)},
        by_rank=_by_rank(one, other),
        warnings=tuple(warnings),
    )


_RANKS = {"1": 1, "2-3": 3, "4-10": 10, "11-100": 100}
_Evaluated = tuple[Result, Collection]


def _evaluated(judged: Any, run: Any, measure: str | Measure, setup: Setup) -> _Evaluated:
    load_engine()
    data = collection(judged, run, setup)
    return evaluate_collection(data, Request.of([measure], setup)), data


def _means(results: Mapping[str, _Evaluated], measure: str | Measure) -> dict[str, float]:
    """Return the values of runs, negated if lower is better."""
    sign = 1.0 if parse_measure(str(measure)).definition.higher_is_better else -1.0
    return {name: sign * result[measure] for name, (result, _) in results.items()}


def _by_query(evaluated: _Evaluated) -> dict[Any, float]:
    result, _ = evaluated
    return dict(zip(result.queries, result.columns[result.measures[0]].tolist(), strict=True))


def _by_rank(
    one: Mapping[str, _Evaluated], other: Mapping[str, _Evaluated]
) -> dict[str, tuple[int, float]]:
    """Return how much higher the second grades the documents that runs put at some ranks."""
    differences: dict[str, list[float]] = {ranks: [] for ranks in _RANKS}
    for name, evaluated in one.items():
        first, second = (_grades(*own) for own in (evaluated, other[name]))
        for document, (rank, grade) in first.items():
            ranks = next((ranks for ranks, last in _RANKS.items() if rank <= last), None)
            if ranks is not None and document in second:
                differences[ranks].append(second[document][1] - grade)
    return {ranks: (len(own), _mean(own)) for ranks, own in differences.items() if own}


def _grades(result: Result, data: Collection) -> dict[Any, tuple[int, float]]:
    """Return the rank and the grade of each judged document that a run retrieved."""
    if not isinstance(data, MatchedCollection):
        return {}
    ranked = data.ranked(result.conventions.replace(unjudged="nonrelevant"))
    rows = zip(ranked.judgment.tolist(), ranked.rank.tolist(), ranked.grade.tolist(), strict=True)
    queries = np.repeat(np.arange(len(ranked.queries)), np.diff(ranked.offsets)).tolist()
    return {
        (ranked.queries[q], data.document(judgment)): (rank, grade)
        for q, (judgment, rank, grade) in zip(queries, rows, strict=True)
    }


def _numbers(agreement: RankingAgreement) -> dict[str, float]:
    return {
        "tau_a": agreement.tau_a,
        "tau_b": agreement.tau_b,
        "tau_ap": agreement.tau_ap,
        "rbo": agreement.rbo.extrapolated,
        "residual": agreement.rbo.residual,
        **{f"overlap@{k}": value for k, value in agreement.overlap.items()},
    }


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
