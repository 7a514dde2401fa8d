"""The measures that rules need, and rules that make no sense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankstone.errors import UsageError
from rankstone.measures import Measure
from rankstone.measures.judged import share_judged
from rankstone.measures.request import RequestedMeasure, requested_measures
from rankstone.tools import tool
from rankstone.verbs.gate.rules import RELATIVE, Limit, Rules


@dataclass(frozen=True)
class Needs:
    """The measures that rules need.

    ``columns`` holds the name in results of each target of a limit, ``requests`` the measures.
    """

    names: list[str]
    columns: dict[str, str]
    requests: dict[str, RequestedMeasure]
    relative: list[Limit]

    @classmethod
    def of(
        cls, rules: Rules, like: str | None, *, has_baseline: bool, by: Any, has_amounts: bool
    ) -> Needs:
        """Look the measures up, and refuse rules that make no sense."""
        if not rules and not has_amounts:
            raise UsageError(
                "a gate needs a rule: max-drop or non-inferior with a baseline, min, max, "
                "min-judged, min-queries, must-find or must-not-find."
            )
        relative = rules.of_kind(*RELATIVE)
        if relative and not has_baseline:
            raise UsageError(f"{relative[0]} compares with a baseline; give one: --baseline FILE.")
        drops = rules.of_kind("max-drop", "non-inferior")
        if by is not None and not drops:
            raise UsageError("by= checks drops in groups of queries; add max-drop or non-inferior.")
        targets = {limit.target: _measure_name(limit) for limit in rules.limits}
        names = list(dict.fromkeys(targets.values()))
        if not names:
            names = [str(share_judged(1))]  # a result needs a measure, and this one is cheap
        requests = {
            name: request
            for request in requested_measures(names, tool(like) if like else None)
            for name in request.names
        }
        columns = {target: requests[name].column for target, name in targets.items()}
        needs = cls(names, columns, requests, relative)
        for limit in rules.limits:
            _check_range(limit, requests[targets[limit.target]].measure)
        _check_contradictions(rules, columns)
        return needs

    def lower_is_better(self) -> list[str]:
        """Return the columns of which a smaller value is better."""
        return [
            r.column for r in self.requests.values() if not r.measure.definition.higher_is_better
        ]

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Return the least and the largest value of each column."""
        return {r.column: r.measure.definition.range for r in self.requests.values()}


def _measure_name(limit: Limit) -> str:
    if limit.kind == "min-judged":
        return str(share_judged(int(limit.target[1:])))
    return limit.target


def _check_range(limit: Limit, measure: Measure) -> None:
    """Refuse a number that no value can reach, such as a percentage."""
    low, high = measure.definition.range
    reach = high - low if limit.kind in RELATIVE else high
    least = 0.0 if limit.kind in RELATIVE else low
    if not least <= limit.value <= reach:
        raise UsageError(
            f"{limit}: {measure} is from {low:g} to {high:g}, so this rule says nothing. For "
            f"{limit.value:g} % write {limit.value / 100:g}."
        )


def _check_contradictions(rules: Rules, columns: Mapping[str, str]) -> None:
    limits: dict[tuple[str, str], Limit] = {}
    for limit in rules.limits:
        other = limits.setdefault((limit.kind, columns[limit.target]), limit)
        if other.value != limit.value:
            raise UsageError(f"two rules contradict each other: {other} and {limit}. Keep one.")
    for (kind, column), limit in limits.items():
        ceiling = limits.get(("max", column))
        if kind == "min" and ceiling is not None and limit.value > ceiling.value:
            raise UsageError(f"two rules contradict each other: {limit} and {ceiling}.")
