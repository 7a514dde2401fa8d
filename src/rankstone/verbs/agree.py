"""The verbs of agreement: of two runs, of two sets of judgments, of two orderings of systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.choices.setup import Setup, verb
from rankstone.core.collection import Collection, MatchedCollection
from rankstone.core.engine import load_engine
from rankstone.core.judgments import EMPTY
from rankstone.core.result import Result
from rankstone.core.run import NO_DOCUMENT, Run
from rankstone.errors import DataError, NothingInCommonError, UsageError
from rankstone.io.changes import changed_run, prepared
from rankstone.io.load import check_columns_used, collection, load_judgments, load_run
from rankstone.io.rows import rows_of_judgments
from rankstone.measures import Measure
from rankstone.measures.parse import parse_measure
from rankstone.stats import agreement
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


@verb("agree_runs")
def agree_runs(
    first: Any,
    second: Any,
    *,
    p: float = 0.9,
    rbo_ties: str = "a",
    depths: Iterable[int] = (10,),
    **options: Unpack[AgreeRunsOptions],
) -> agreement.RunAgreement:
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
    return agreement.RunAgreement(
        {q: agreement.rankings(one[q], other[q], p=p, ties=rbo_ties, depths=where) for q in common},
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
) -> agreement.JudgmentAgreement | agreement.JudgesAgreement:
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
        return agreement.judges(
            np.array(ratings, np.float64), queries, relevant_from=setup.conventions().relevance
        )
    common = [pair for pair in one if pair in other]
    if not common:
        raise NothingInCommonError(
            "the two sets of judgments have no pair of query and document in common."
        )
    return agreement.judgments(
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
) -> agreement.OrderingAgreement:
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
    one, other = (
        {name: _evaluated(judged, run, measure, setup) for name, run in runs.items()}
        for judged, measure in ((first, measures[0]), (second, measures[-1]))
    )
    check_columns_used(setup)
    order = agreement.orderings(_means(one), _means(other))
    if len(measures) == 2:
        return order
    results = [[result for result, _ in own.values()] for own in (one, other)]
    measure = results[0][0].measures[0]
    ids = sorted({query for result in results[1] for query in result.queries}, key=str)
    people, model = (np.array([r.values(measure, ids) for r in own]) for own in results)
    common = ~np.isnan(people + model).any(axis=0)
    if common.sum() < 2:
        return order
    higher = parse_measure(measure).definition.higher_is_better
    names, tests = list(runs), list(combinations(range(len(runs)), 2))
    means = ((1.0 if higher else -1.0) * own[:, common].mean(axis=1) for own in (people, model))
    warnings = (
        favours(
            combine(people[j] - people[i], model[j] - model[i]),
            (names[i], names[j]),
            measure,
            len(tests),
            higher=higher,
        )
        for i, j in tests
    )
    return replace(
        agreement.orderings(*(dict(zip(names, own.tolist(), strict=True)) for own in means)),
        bias={name: combine(people[i], model[i]).bias for i, name in enumerate(names)},
        by_rank=_by_rank(one, other),
        warnings=tuple(notice for notice in warnings if notice),
    )


_RANKS = {"1": 1, "2-3": 3, "4-10": 10, "11-100": 100}
_Evaluated = tuple[Result, Collection]


def _evaluated(judged: Any, run: Any, measure: str | Measure, setup: Setup) -> _Evaluated:
    load_engine()
    data = collection(judged, run, setup)
    return evaluate_collection(data, Request.of([measure], setup)), data


def _means(results: Mapping[str, _Evaluated]) -> dict[str, float]:
    """Return the values of runs, negated if lower is better."""
    values = {name: (result.measures[0], result) for name, (result, _) in results.items()}
    return {
        name: result[measure] * (1 if parse_measure(measure).definition.higher_is_better else -1)
        for name, (measure, result) in values.items()
    }


def _by_rank(
    one: Mapping[str, _Evaluated], other: Mapping[str, _Evaluated]
) -> dict[str, tuple[int, float]]:
    """Return how many documents runs put at some ranks, and how much higher the second grades them."""
    rows = []
    for name, evaluated in one.items():
        second = _grades(*other[name])
        for document, (rank, grade) in _grades(*evaluated).items():
            if document in second:
                rows.append((rank, second[document][1] - grade))
    at, more = np.array(rows, np.float64).reshape(-1, 2).T
    place = np.searchsorted([*_RANKS.values()], at)
    inside = {ranks: more[place == i] for i, ranks in enumerate(_RANKS)}
    return {ranks: (len(own), float(own.mean())) for ranks, own in inside.items() if len(own)}


def _grades(result: Result, data: Collection) -> dict[Any, tuple[int, float]]:
    """Return the rank and the grade of each judged document that a run retrieved."""
    if not isinstance(data, MatchedCollection):
        return {}
    ranked = data.ranked(result.conventions.replace(unjudged="nonrelevant"))
    queries = np.repeat(np.arange(len(ranked.queries)), np.diff(ranked.offsets)).tolist()
    rows = zip(
        queries, ranked.judgment.tolist(), ranked.rank.tolist(), ranked.grade.tolist(), strict=True
    )
    return {(ranked.queries[q], data.document(at)): (rank, grade) for q, at, rank, grade in rows}
