"""Whether numbers of a candidate and of a baseline may be compared at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rankstone.choices.base import EVALUATION, IDENTITY, RUN
from rankstone.choices.setup import field_named
from rankstone.core.provenance import in_words
from rankstone.core.result import Result
from rankstone.errors import DataError, Notice, UsageError, plural
from rankstone.verbs.gate.baseline import Baseline, Origin


def require_measures(baseline: Baseline, measures: Iterable[str]) -> None:
    """Refuse a baseline without values of a measure that a rule needs."""
    for measure in measures:
        if measure not in baseline.columns:
            raise UsageError(
                f"the baseline {baseline.name} has no values of {measure}, and a rule needs them. "
                f"It has: {', '.join(baseline.columns)}. Add the measure with 'rankstone gate baseline "
                "accept' and one -m for each measure, or change the rule."
            )


def require_comparable(
    candidate: Result, baseline: Baseline, measures: Iterable[str], *, same_queries: bool = True
) -> tuple[Notice, ...]:
    """Refuse numbers that were made under other conditions; return warnings on other runs.

    Conventions, judgments, how they were read, and changes to the data must agree. What belongs to a
    run, such as its score column, may differ, and is said.

    Args:
        candidate: the new numbers.
        baseline: the numbers to compare them with.
        measures: those that are compared.
        same_queries: refuse other queries, if that is all that is known of the judgments.
    """
    then, now = baseline.judgments, Origin.of(candidate.provenance.judgments)
    reasons = [
        *_conventions(candidate, baseline, measures),
        *_judgments(candidate, baseline, now, same_queries=same_queries),
        *(f"the judgments: {text}" for text in _choices(then.reading, now.reading)),
        *_choices(baseline.changes, candidate.changes, EVALUATION),
        *_version(candidate, baseline),
    ]
    if reasons:
        raise DataError(
            f"{candidate.name} cannot be compared with the baseline {baseline.name}: "
            f"{'; '.join(reasons)}."
        )
    run = candidate.provenance.run.reading
    others = (
        *_choices(baseline.run.reading, run),
        *_choices(baseline.changes, candidate.changes, RUN),
    )
    return tuple(
        Notice("read-differently", 1, f"{candidate.name} and {baseline.name} differ: {text}")
        for text in others
    )


def require_comparable_results(results: Mapping[str, Result]) -> tuple[Notice, ...]:
    """Refuse results that were made differently; return warnings on runs that were read differently."""
    if len(results) < 2:
        return ()
    (name, first), *others = results.items()
    base = replace(Baseline.of(first), name=name)
    return tuple(
        notice
        for name, other in others
        for notice in require_comparable(
            replace(other, name=name),
            base,
            [m for m in other.measures if m in base.columns],
            same_queries=False,
        )
    )


def _choices(then: Mapping[str, Any], now: Mapping[str, Any], part: str = "") -> Iterator[str]:
    """Yield the recorded choices that differ, in words."""
    for name in dict.fromkeys([*then, *now]):
        of = field_named(name).metadata["part"]
        if then.get(name) != now.get(name) and of != IDENTITY and part in ("", of):
            old, new = (
                ", ".join(in_words({name: made[name]})) if name in made else f"no {name}"
                for made in (then, now)
            )
            yield f"{old} before, {new} now"


def _conventions(candidate: Result, baseline: Baseline, measures: Iterable[str]) -> Iterator[str]:
    seen = set()
    for measure in measures:
        exceptions = candidate.exceptions.get(measure, {})
        then, now = baseline.conventions_for(measure), candidate.conventions.replace(**exceptions)
        for name, value in now.diff(then).items():
            change = f"{name} was {getattr(then, name)} and is {value}"
            if change not in seen:
                seen.add(change)
                yield f"the convention {change} (set it with -c {name}={getattr(then, name)})"


def _judgments(
    candidate: Result, baseline: Baseline, now: Origin, *, same_queries: bool
) -> Iterator[str]:
    then = baseline.judgments
    same_file = then.source.path is not None and then.source == now.source
    if same_file or (then.sha256 is not None and then.sha256 == now.sha256):
        return
    known = then.sha256 is not None and now.sha256 is not None
    old, new = set(map(str, baseline.queries)), set(map(str, candidate.queries))
    added, removed = len(new - old), len(old - new)
    queries = f"{plural(added, 'query')} added, {removed} removed"
    again = "accept the new ones with 'rankstone gate baseline accept'"
    if known:
        yield f"the judgments were {then} and are {now} ({queries}; {again})"
    elif same_queries and (added or removed) and candidate.conventions.counts_unanswered:
        yield f"the judgments are of other queries ({queries}; {again})"


def _version(candidate: Result, baseline: Baseline) -> Iterator[str]:
    then, now = baseline.rankstone, candidate.provenance.rankstone
    if _same_numbers(then) != _same_numbers(now):
        yield (
            f"its numbers are of Rankstone {then} and this is {now}, which may compute others "
            "(see CHANGELOG, 'Numbers'; then run 'rankstone gate baseline accept')"
        )


def _same_numbers(version: str) -> tuple[str, ...]:
    """Return the part of a version that changes if a number changes: a breaking change.

    >>> _same_numbers("0.1.7"), _same_numbers("2.3.1")
    (('0', '1'), ('2',))
    """
    parts = tuple(version.split("."))
    return parts[:2] if parts[0] == "0" else parts[:1]
