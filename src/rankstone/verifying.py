"""Whether a saved result still holds: its inputs, the version that made it, and its numbers."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankstone import __version__
from rankstone.core.result import Result
from rankstone.errors import DataError, plural
from rankstone.evaluation import evaluate
from rankstone.io.load import load_judgments

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.options import ReadingOptions

_SHOWN = 5


@dataclass(frozen=True)
class ChangedValue:
    """A value that is not what it was; ``query`` is None for an aggregate."""

    measure: str
    query: Any
    before: float
    now: float


@dataclass(frozen=True)
class Verification:
    """What changed since a result was saved.

    ``inputs`` are the files whose content is another now, ``version`` the version that made the
    result if it is not this one, ``values`` the numbers that differ.
    """

    name: str
    queries: int
    measures: int
    inputs: tuple[str, ...]
    version: str | None
    values: tuple[ChangedValue, ...]

    @property
    def holds(self) -> bool:
        """Whether every number is the same to the last bit."""
        return not self.values

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "holds": self.holds,
            "changed_inputs": list(self.inputs),
            "version": {"then": self.version or __version__, "now": __version__},
            "changed_values": [
                {
                    "measure": v.measure,
                    "query": v.query,
                    "before": None if math.isnan(v.before) else v.before,
                    "now": None if math.isnan(v.now) else v.now,
                }
                for v in self.values
            ],
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        what = f"{plural(self.measures, 'measure')} of {plural(self.queries, 'query')}"
        if self.holds:
            yield f"{self.name}: verified; {what}, the same to the last bit."
        else:
            yield f"{self.name}: NOT the same; {plural(len(self.values), 'value')} changed ({what})."
        for path in self.inputs:
            yield f"  {path}: the content changed since."
        if self.version is not None:
            yield f"  made by rankstone {self.version}; this is {__version__}."
        for v in self.values[:_SHOWN]:
            where = "" if v.query is None else f", query {v.query}"
            yield f"  {v.measure}{where}: {_shown(v.before)} then, {_shown(v.now)} now"
        if len(self.values) > _SHOWN:
            yield f"  ... and {len(self.values) - _SHOWN} more"


def _shown(value: float) -> str:
    return "left out" if math.isnan(value) else repr(value)


def verify(
    result: Result | str | os.PathLike[str],
    *,
    judgments: Any = None,
    run: Any = None,
    **reading: Unpack[ReadingOptions],
) -> Verification:
    """Compute a saved result again from its inputs, and say what changed.

    Args:
        result: a Result, or the path of one.
        judgments: where the judgments are now (default: where they were).
        run: where the run is now (default: where it was).
        reading: the options of ``evaluate`` that the data were read with, such as ``columns``.
    """
    saved = result if isinstance(result, Result) else Result.load(result)
    recorded = saved.provenance.judgments, saved.provenance.run
    paths = [
        given if given is not None else _path(source.name, what)
        for given, source, what in zip(
            (judgments, run), recorded, ("judgments", "run"), strict=True
        )
    ]
    judged = load_judgments(
        paths[0],
        reading.get("columns"),
        input_format=reading.get("input_format"),
        max_bytes=reading.get("max_bytes"),
        encoding=reading.get("encoding"),
    )
    options: dict[str, Any] = {**reading, "name": saved.name}
    again = [
        evaluate(
            judged,
            paths[1],
            names,
            like=saved.like,
            **{**saved.conventions.to_dict(), **choices},
            **options,
        )
        for names, choices in _plan(saved)
    ]
    now = (again[0].provenance.judgments, again[0].provenance.run)
    return Verification(
        saved.name,
        len(saved.queries),
        len(saved.measures),
        tuple(
            new.name
            for old, new in zip(recorded, now, strict=True)
            if old.content_digest() not in (None, new.content_digest())
        ),
        None if saved.provenance.rankstone == __version__ else saved.provenance.rankstone,
        tuple(_changes(saved, again)),
    )


def _path(name: str, what: str) -> str:
    if not os.path.exists(name):
        raise DataError(
            f"the {what} of the result, {name!r}, are not there. Say where they are now: "
            f"{what}=... (--{what} FILE)."
        )
    return name


def _plan(saved: Result) -> Iterator[tuple[list[str], Mapping[str, Any]]]:
    """Yield measures that share their conventions, and how these differ from the result's."""
    groups: dict[str, tuple[list[str], Mapping[str, Any]]] = {}
    for measure in saved.measures:
        choices = saved.exceptions.get(measure, {})
        groups.setdefault(repr(sorted(choices.items())), ([], choices))[0].append(measure)
    yield from groups.values()


def _changes(saved: Result, again: list[Result]) -> Iterator[ChangedValue]:
    """Yield the aggregates that differ, then the values of queries that do."""
    rows = {query: i for i, query in enumerate(saved.queries)}
    per_query = []
    for result in again:
        for measure in result.measures:
            if not _same(saved[measure], result[measure]):
                yield ChangedValue(measure, None, saved[measure], result[measure])
            before = saved.values(measure).tolist()
            new_rows = {query: i for i, query in enumerate(result.queries)}
            after = result.values(measure).tolist()
            for query in dict.fromkeys([*rows, *new_rows]):
                old = before[rows[query]] if query in rows else math.nan
                new = after[new_rows[query]] if query in new_rows else math.nan
                if not _same(old, new):
                    per_query.append(ChangedValue(measure, query, old, new))
    yield from per_query


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))
