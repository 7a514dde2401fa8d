"""Whether numbers of a candidate and of a baseline may be compared at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rankstone.core.result import Result
from rankstone.errors import DataError, UsageError, plural
from rankstone.gates.baseline import Baseline, Origin


def require_measures(baseline: Baseline, measures: Iterable[str]) -> None:
    """Refuse a baseline without values of a measure that a rule needs."""
    for measure in measures:
        if measure not in baseline.columns:
            raise UsageError(
                f"the baseline {baseline.name} has no values of {measure}, and a rule needs them. "
                f"It has: {', '.join(baseline.columns)}. Add the measure with 'rankstone baseline "
                "accept' and one -m for each measure, or change the rule."
            )


def require_comparable(candidate: Result, baseline: Baseline, measures: Iterable[str]) -> None:
    """Refuse a baseline of other conventions, other judgments or another version's numbers."""
    changes = [
        *_conventions(candidate, baseline, measures),
        *_judgments(candidate, baseline),
        *_version(candidate, baseline),
    ]
    if changes:
        raise DataError(
            f"{candidate.name} cannot be compared with the baseline {baseline.name}: "
            f"{'; '.join(changes)}."
        )


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


def _judgments(candidate: Result, baseline: Baseline) -> Iterator[str]:
    then, now = baseline.judgments, Origin.of(candidate.provenance.judgments)
    known = then.sha256 is not None and now.sha256 is not None
    if known and then.sha256 == now.sha256:
        return
    old, new = set(map(str, baseline.queries)), set(map(str, candidate.queries))
    added, removed = len(new - old), len(old - new)
    queries = f"{plural(added, 'query')} added, {removed} removed"
    again = "accept the new ones with 'rankstone baseline accept'"
    if known:
        yield f"the judgments were {then} and are {now} ({queries}; {again})"
    elif (added or removed) and candidate.conventions.counts_unanswered:
        yield f"the judgments are of other queries ({queries}; {again})"


def _version(candidate: Result, baseline: Baseline) -> Iterator[str]:
    then, now = baseline.rankstone, candidate.provenance.rankstone
    if _same_numbers(then) != _same_numbers(now):
        yield (
            f"its numbers are of Rankstone {then} and this is {now}, which may compute others "
            "(see CHANGELOG, 'Numbers'; then run 'rankstone baseline accept')"
        )


def _same_numbers(version: str) -> tuple[str, ...]:
    """Return the part of a version that changes if a number changes: a breaking change.

    >>> _same_numbers("0.1.7"), _same_numbers("2.3.1")
    (('0', '1'), ('2',))
    """
    parts = tuple(version.split("."))
    return parts[:2] if parts[0] == "0" else parts[:1]
