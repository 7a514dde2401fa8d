"""The verbs of agreement: of two runs, of two sets of judgments, of two orderings of systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankstone.choices.setup import Setup, verb
from rankstone.core.judgments import EMPTY
from rankstone.core.run import NO_DOCUMENT, Run
from rankstone.errors import DataError, NothingInCommonError, UsageError
from rankstone.io.changes import changed_run, prepared
from rankstone.io.load import check_columns_used, collection, load_judgments, load_run
from rankstone.io.rows import rows_of_judgments
from rankstone.measures import Measure
from rankstone.measures.parse import parse_measure
from rankstone.stats.agreement import (
    JudgmentAgreement,
    OrderingAgreement,
    RankingAgreement,
    judgments,
    orderings,
    rankings,
)
from rankstone.verbs.evaluate import evaluate_collection, load_engine
from rankstone.verbs.parts import Request

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.choices.options import (
        AgreeJudgmentsOptions,
        AgreeOrderingsOptions,
        AgreeRunsOptions,
    )


@dataclass(frozen=True)
class RunAgreement:
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
    first: Any, second: Any, **options: Unpack[AgreeJudgmentsOptions]
) -> JudgmentAgreement:
    """Compare two sets of judgments on the documents that both judged, such as a person's and a model's.

    Args:
        first: any form of judgments.
        second: the other set.
        options: see below.

    >>> agree_judgments({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 0}}).kappa
    1.0
    """
    setup = prepared(Setup.of("agree_judgments", options))
    one, other = (
        {
            (query, doc): grade
            for query, doc, grade in rows_of_judgments(load_judgments(data, setup))
        }
        for data in (first, second)
    )
    check_columns_used(setup)
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
        second: other judgments, or the same for two measures.
        runs: by name.
        measures: one, or two: the first for ``first`` and the second for ``second``.
        options: see below.
    """
    if not 1 <= len(measures) <= 2:
        raise UsageError(f"give one measure, or two to compare, not {len(measures)}.")
    setup = prepared(Setup.of("agree_orderings", options))
    one, other = (
        {name: _upwards(judged, run, measure, setup) for name, run in runs.items()}
        for judged, measure in zip((first, second), (measures[0], measures[-1]), strict=True)
    )
    check_columns_used(setup)
    return orderings(one, other)


def _upwards(judged: Any, run: Any, measure: str | Measure, setup: Setup) -> float:
    """Return a run's value, negated if lower is better."""
    request = Request.of([measure], setup)
    load_engine()
    value = evaluate_collection(collection(judged, run, setup), request)[measure]
    higher = parse_measure(str(measure)).definition.higher_is_better
    return value if higher else -value


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
