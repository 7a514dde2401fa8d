"""The verbs of agreement: of two runs, of two sets of judgments, of two orderings of systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankstone.errors import NothingInCommonError, UsageError
from rankstone.evaluation import evaluate
from rankstone.io.whole import whole_judgments, whole_run
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


def agree_runs(
    first: Any, second: Any, *, p: float = 0.9, ties: str = "a", depths: Iterable[int] = (10,)
) -> RunAgreement:
    """Compare the rankings of two runs, query by query.

    Args:
        first: path of a file, ``{query: {document: score}}`` or ``{query: [document, ...]}``.
        second: the other run.
        p: persistence of RBO.
        ties: treatment of ties by RBO: ``w``, ``a`` or ``b``.
        depths: where to take the overlap.

    >>> agree_runs({"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}, depths=[2]).means()["overlap@2"]
    0.5
    """
    one, other = whole_run(first), whole_run(second)
    common = [query for query in one if query in other]
    if not common:
        raise NothingInCommonError("the two runs have no query in common.")
    where = list(depths)
    return RunAgreement(
        {q: rankings(one[q], other[q], p=p, ties=ties, depths=where) for q in common},
        tuple(query for query in one if query not in other),
        tuple(query for query in other if query not in one),
    )


def agree_judgments(
    first: Any, second: Any, *, relevant_from: float = 1.0, **options: Any
) -> JudgmentAgreement:
    """Compare two sets of judgments on the documents that both judged, such as a person's and a model's.

    Args:
        first: any form of judgments.
        second: the other set.
        relevant_from: lowest grade of a relevant document.
        options: of ``load_judgments``.

    >>> agree_judgments({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 0}}).kappa
    1.0
    """
    one, other = whole_judgments(first, **options), whole_judgments(second, **options)
    common = [pair for pair in one if pair in other]
    if not common:
        raise NothingInCommonError(
            "the two sets of judgments have no pair of query and document in common."
        )
    return judgments(
        [one[pair] for pair in common],
        [other[pair] for pair in common],
        relevant_from=relevant_from,
        only_first=len(one) - len(common),
        only_second=len(other) - len(common),
    )


def agree_orderings(
    first: Any,
    second: Any,
    runs: Mapping[str, Any],
    measures: Sequence[str | Measure],
    **options: Any,
) -> OrderingAgreement:
    """Compare how two sets of judgments, or two measures, order the same systems.

    Args:
        first: judgments.
        second: other judgments, or the same for two measures.
        runs: by name.
        measures: one, or two: the first for ``first`` and the second for ``second``.
        options: of ``evaluate``.
    """
    if not 1 <= len(measures) <= 2:
        raise UsageError(f"give one measure, or two to compare, not {len(measures)}.")
    one, other = (
        {name: _upwards(judged, run, measure, options) for name, run in runs.items()}
        for judged, measure in zip((first, second), (measures[0], measures[-1]), strict=True)
    )
    return orderings(one, other)


def _upwards(judged: Any, run: Any, measure: str | Measure, options: dict[str, Any]) -> float:
    """Return a run's value, negated if lower is better."""
    value = evaluate(judged, run, [measure], **options)[measure]
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
