"""From numbers to a verdict: every rule, over all queries and in slices of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankstone.core.result import Result
from rankstone.stats.comparison import PairComparison
from rankstone.verbs.gate import checks
from rankstone.verbs.gate.needs import Needs
from rankstone.verbs.gate.pairs import Values
from rankstone.verbs.gate.rules import RELATIVE, Limit, MustFind, Rules
from rankstone.verbs.gate.verdict import FAIL, Check, Verdict


def decide(
    rules: Rules,
    needs: Needs,
    result: Result,
    values: Values | None,
    groups: Mapping[Any, str],
    ranks: Mapping[MustFind, int | None],
) -> Verdict:
    """Check every rule.

    Args:
        rules: what to check.
        needs: the measures of the rules.
        result: of the candidate.
        values: of the candidate and the baseline; None if there is no baseline.
        groups: slice of each query.
        ranks: rank of each document of a rule, None if it was not retrieved.
    """
    answered = len(result.queries) - len(result.unanswered)
    outcomes = [
        checks.answers_check(
            answered,
            values.unanswered() if values else [],
            left_out=not result.conventions.counts_unanswered,
        ),
        *checks.queries_check(rules, answered),
    ]
    pairs: dict[str, PairComparison] = {}
    for limit in rules.limits:
        column = needs.columns[limit.target]
        if limit.kind not in RELATIVE:
            outcomes.append(
                checks.mean_check(limit, column, result[column], result.counted[column])
            )
        elif values is not None:
            outcomes.append(_relative(limit, column, values, pairs, rules.confidence))
    if values is not None and groups:
        outcomes += _slices(rules, needs, values.slices(groups))
    outcomes += [checks.document_check(rule, ranks) for rule in rules.must_find]
    worst = next(iter(pairs.values()), None)
    return Verdict(
        candidate=result.name,
        baseline=values.baseline.name if values else None,
        queries=answered,
        checks=tuple(outcomes),
        inconclusive=rules.inconclusive,
        confidence=rules.confidence,
        conventions=result.choices_in_words(),
        worst_measure=worst.measure if worst else None,
        worst=worst.worsened if worst else (),
        notices=result.notices,
    )


def _relative(
    limit: Limit,
    column: str,
    values: Values,
    pairs: dict[str, PairComparison],
    confidence: float,
) -> Check:
    if not values.shares(column):
        text = f"{column}: candidate and baseline have no query with a value in common"
        return Check(str(limit), FAIL, text, measure=column, n=0)
    if column not in pairs:
        pairs[column] = values.pair(column, confidence)
    if limit.kind == "max-gain":
        return checks.gain_check(limit, pairs[column])
    return checks.drop_check(limit, pairs[column], values.lost(column))


def _slices(rules: Rules, needs: Needs, slices: Mapping[str, Values]) -> Iterator[Check]:
    """Yield the checks of each slice, their intervals corrected for the number of slices."""
    limits = rules.of_kind("max-drop", "non-inferior")
    large = [s for s in slices.values() if len(s.candidate.queries) >= rules.smallest_slice]
    confidence = 1.0 - (1.0 - rules.confidence) / max(1, len(large) * len(limits))
    for limit in limits:
        column = needs.columns[limit.target]
        for name, values in slices.items():
            if values.shares(column):
                pair = values.pair(column, confidence)
                yield checks.slice_check(limit, pair, name, rules.smallest_slice)
