"""Baselines: the values that a gate compares with, and the small file that holds them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np

from rankstone.choices.base import EVALUATION, IDENTITY, RUN
from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import field_named
from rankstone.core.aggregate import aggregate
from rankstone.core.atomic import write_text
from rankstone.core.provenance import Provenance, Source, in_words, recorded, replayed
from rankstone.core.result import Result, TieReport
from rankstone.errors import DataError, Notice, UsageError, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.measures.parse import parse_measure

SCHEMA = "rankstone/baseline/2"


@lru_cache(maxsize=8)
def checksum(source: Source) -> str | None:
    """Return the SHA-256 of what a file expands to; data in memory have none."""
    return source.content_digest()


def in_short(source: Source) -> str:
    """Return the name of a source and the beginning of its checksum."""
    digest = checksum(source)
    return f"{source.name} (sha256 {digest[:12]}...)" if digest else source.name


@frozen
class Acceptance:
    """An update of a baseline: when, why, from which run, and to which means."""

    date: str
    reason: str
    run: str
    means: Mapping[str, float]


@frozen(eq=False)
class Baseline:
    """The result that a candidate is compared with, and the acceptances that led to it.

    The first acceptance is how the baseline came about; there is none unless it comes from a baseline
    file, which keeps values, means and the conditions they were made under.
    """

    result: Result
    history: tuple[Acceptance, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """What measures were requested by, if that is not their name."""
        return {column: name for name, column in self.result.requested.items()}

    def accepted(self, date: str, reason: str, history: tuple[Acceptance, ...] = ()) -> Baseline:
        """Return the baseline with the reason for it, after earlier ones."""
        if not reason.strip():
            raise UsageError('a baseline is updated for a reason: --reason "new synonyms".')
        run, means = in_short(self.result.provenance.run), dict(self.result.aggregates)
        latest = Acceptance(date, " ".join(reason.split()), run, means)
        return replace(self, history=(*history, latest))

    def to_json(self) -> str:
        """Return the content of a baseline file: one line per query, made to be read in a diff."""
        result, made = self.result, self.result.provenance
        head = {
            "schema": SCHEMA,
            "name": result.name,
            "rankstone": made.rankstone,
            "like": result.like,
            "judgments": _written(made.judgments),
            "run": _written(made.run),
            "changes": recorded(result.changes),
            "weighted": list(result.weights),
            "conventions": result.conventions.to_dict(),
            "exceptions": {name: dict(choices) for name, choices in result.exceptions.items()},
            "names": self.names,
            "means": _numbers(result.aggregates),
            "history": [{**vars(a), "means": _numbers(a.means)} for a in self.history],
            "unanswered": list(result.unanswered),
            "measures": result.measures,
        }
        queries, columns = result.queries, [c.tolist() for c in result.columns.values()]
        order = sorted(range(len(queries)), key=lambda i: str(queries[i]))
        rows = [[queries[i], *(_plain(column[i]) for column in columns)] for i in order]
        values = [f"    {json.dumps(row, allow_nan=False)}" for row in rows]
        lines = json.dumps(head, indent=2, allow_nan=False).removesuffix("\n}")
        body = f'{lines},\n  "values": [\n' + ",\n".join(values) + "\n  ]"
        return f'{body},\n  "checksum": "{_checksum({**head, "values": rows})}"\n}}\n'

    @classmethod
    def from_json(cls, text: str | bytes) -> Baseline:
        """Read what ``to_json`` wrote; a file that was edited is refused."""
        try:
            data = json.loads(text, object_pairs_hook=_without_repeats)
            if data["schema"] != SCHEMA:
                raise ValueError(f"schema {data['schema']!r}, expected {SCHEMA!r}")
            checksum = data.pop("checksum")
            if checksum != _checksum(data):
                raise DataError(
                    "the baseline was edited by hand or by a merge: its checksum is wrong. Restore "
                    "it from version control, or delete it and make it again with 'rankstone "
                    "gate baseline save'."
                )
            return cls._from_dict(data)
        except (
            ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError
        ) as error:  # fmt: skip
            if isinstance(error, DataError):
                raise
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise DataError(
                f"this is not a baseline file ({reason}). Restore it from version control, "
                "or delete it and make one with 'rankstone gate baseline save'."
            ) from None

    @classmethod
    def load(cls, content: bytes, path: str) -> Baseline:
        """Return the baseline in a file's content: a baseline file or a saved Result."""
        try:
            if f'"{SCHEMA.rpartition("/")[0]}/'.encode() in content[:4096]:
                return cls.from_json(content)
            return cls(Result.from_json(content))
        except DataError as error:
            raise DataError(f"{path}: {error}") from None

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any]) -> Baseline:
        rows, measures = data["values"], list(data["measures"])
        if any(len(row) != len(measures) + 1 for row in rows):
            raise ValueError("its rows differ in length")
        if len({row[0] for row in rows}) != len(rows):
            raise ValueError("a query is there twice")
        if len({*measures}) != len(measures):
            raise ValueError("a measure is there twice")
        columns = {
            m: np.array([_float(row[i]) for row in rows], np.float64)
            for i, m in enumerate(measures, 1)
        }
        judgments, run = (_read(data[name]) for name in ("judgments", "run"))
        result = Result(
            name=str(data["name"]),
            queries=[row[0] for row in rows],
            columns=columns,
            aggregates={m: _float(data["means"][m]) for m in measures},
            counted={m: int((~np.isnan(column)).sum()) for m, column in columns.items()},
            weights={m: np.zeros(0) for m in data["weighted"]},  # which are not kept
            conventions=Conventions(**data["conventions"]),
            notices=(),
            provenance=Provenance(str(data["rankstone"]), "", judgments, run),
            ties=TieReport(0, 0),
            like=data["like"],
            requested={str(name): str(column) for column, name in data["names"].items()},
            exceptions={str(name): dict(own) for name, own in data["exceptions"].items()},
            unanswered=tuple(data["unanswered"]),
            changes=replayed(data["changes"]),
        )
        _check_means(result)
        history = (
            Acceptance(
                str(a["date"]),
                str(a["reason"]),
                str(a["run"]),
                {m: _float(v) for m, v in a["means"].items()},
            )
            for a in data["history"]
        )
        return cls(result, tuple(history))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the baseline to a file, whole or not at all."""
        write_text(path, self.to_json())


def _check_means(result: Result) -> None:
    """Refuse means that differ from the means of the values by more than rounding."""
    for name, column in result.columns.items():
        if name in result.weights:
            continue
        try:
            measure = parse_measure(name)
        except UsageError:  # of another version
            continue
        if measure.pools_queries:
            continue
        how = aggregate(measure.definition.aggregate)
        mean = how.finish(how.of(column))
        if not np.isclose(result[name], mean, rtol=1e-6, atol=1e-12, equal_nan=True):
            raise ValueError(f"the mean of {name} is not that of its values")


def _written(source: Source) -> dict[str, Any]:
    """Return a source as plain data."""
    read = {"reading": recorded(source.reading)} if source.reading else {}
    return {"name": source.name, "sha256": checksum(source), **read}


def _read(data: Mapping[str, Any]) -> Source:
    """Read what ``_written`` returned."""
    digest, reading = data["sha256"], replayed(data.get("reading", {}))
    return Source(data["name"], sha256=digest, content_sha256=digest, reading=reading)


def is_saved(head: bytes) -> bool:
    """Return whether a file with these first bytes holds values that were saved, not a run."""
    return head.lstrip()[:1] in (b"{", b"[") and b'"schema"' in head


def _checksum(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is there twice")
    return made


def _numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _float(value: Any) -> float:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise TypeError(f"{value!r} is not a number")
    return math.nan if value is None else float(value)


def require_measures(baseline: Result, measures: Iterable[str]) -> None:
    """Refuse a baseline without values of a measure that a rule needs."""
    for measure in measures:
        if measure not in baseline.columns:
            raise UsageError(
                f"the baseline {baseline.name} has no values of {measure}, and a rule needs them. "
                f"It has: {', '.join(baseline.columns)}. Add the measure with 'rankstone gate baseline "
                "accept' and one -m for each measure, or change the rule."
            )


def require_comparable(
    candidate: Result, baseline: Result, measures: Iterable[str], *, same_queries: bool = True
) -> tuple[Notice, ...]:
    """Refuse numbers that were made under other conditions; return warnings on other runs.

    Conventions, judgments, how they were read, and changes to the data must agree. What belongs to a
    run, such as its score column, may differ, with a warning.

    Args:
        candidate: the new numbers.
        baseline: the numbers to compare them with.
        measures: those that are compared.
        same_queries: refuse other queries, if that is all that is known of the judgments.
    """
    then, now = baseline.provenance, candidate.provenance
    reasons = [
        *_conventions(candidate, baseline, measures),
        *_judgments(candidate, baseline, same_queries=same_queries),
        *(
            tr("the judgments: {}").format(text)
            for text in _choices(then.judgments.reading, now.judgments.reading)
        ),
        *_choices(baseline.changes, candidate.changes, EVALUATION),
        *_version(candidate, baseline),
    ]
    if reasons:
        raise DataError(
            f"{candidate.name} cannot be compared with the baseline {baseline.name}: "
            f"{'; '.join(reasons)}."
        )
    others = (
        *_choices(then.run.reading, now.run.reading),
        *_choices(baseline.changes, candidate.changes, RUN),
    )
    return tuple(
        Notice(
            "read-differently",
            1,
            tr("{} and {} differ: {}").format(candidate.name, baseline.name, text),
        )
        for text in others
    )


def require_comparable_results(results: Mapping[str, Result]) -> tuple[Notice, ...]:
    """Refuse results that were made differently; return warnings on runs that were read differently."""
    if len(results) < 2:
        return ()
    (name, first), *others = results.items()
    base = replace(first, name=name)
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
                ", ".join(in_words({name: made[name]}))
                if name in made
                else tr("no {}").format(name)
                for made in (then, now)
            )
            yield tr("{} before, {} now").format(old, new)


def _conventions(candidate: Result, baseline: Result, measures: Iterable[str]) -> Iterator[str]:
    seen = set()
    for measure in measures:
        then, now = (
            result.conventions.replace(**result.exceptions.get(measure, {}))
            for result in (baseline, candidate)
        )
        for name, value in now.diff(then).items():
            change = tr("{} was {} and is {}").format(name, getattr(then, name), value)
            if change not in seen:
                seen.add(change)
                yield tr("the convention {} (set it with -c {}={})").format(
                    change, name, getattr(then, name)
                )


def _judgments(candidate: Result, baseline: Result, *, same_queries: bool) -> Iterator[str]:
    then, now = baseline.provenance.judgments, candidate.provenance.judgments
    if then.path is not None and then == now:
        return
    known = None not in (checksum(then), checksum(now))
    if known and checksum(then) == checksum(now):
        return
    old, new = set(map(str, baseline.queries)), set(map(str, candidate.queries))
    added, removed = len(new - old), len(old - new)
    queries = tr("{} added, {} removed").format(plural(added, "query"), removed)
    again = tr("accept the new ones with 'rankstone gate baseline accept'")
    if known:
        shown = in_short(then), in_short(now)
        yield tr("the judgments were {} and are {} ({}; {})").format(*shown, queries, again)
    elif same_queries and (added or removed) and candidate.conventions.counts_unanswered:
        yield tr("the judgments are of other queries ({}; {})").format(queries, again)


def _version(candidate: Result, baseline: Result) -> Iterator[str]:
    then, now = baseline.provenance.rankstone, candidate.provenance.rankstone
    if _same_numbers(then) != _same_numbers(now):
        yield (
            tr(
                "its numbers are of Rankstone {} and this is {}, which may compute others (see "
                "CHANGELOG, 'Numbers'; then run 'rankstone gate baseline accept')"
            ).format(then, now)
        )


def _same_numbers(version: str) -> tuple[str, ...]:
    """Return the part of a version that changes if a number changes: a breaking change.

    >>> _same_numbers("0.1.7"), _same_numbers("2.3.1")
    (('0', '1'), ('2',))
    """
    parts = tuple(version.split("."))
    return parts[:2] if parts[0] == "0" else parts[:1]
