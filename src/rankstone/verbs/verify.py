"""Whether a saved result still holds: its inputs, the version that made it, and its numbers."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from rankstone import __version__
from rankstone.choices.setup import Setup, verb
from rankstone.core.provenance import Given, options_of
from rankstone.core.result import Result
from rankstone.core.shown import plain
from rankstone.errors import DataError, plural
from rankstone.frozen import frozen
from rankstone.io.changes import prepared
from rankstone.io.load import collection, load_judgments
from rankstone.language import tr
from rankstone.verbs.evaluate import evaluate_collection
from rankstone.verbs.parts import Request

if TYPE_CHECKING:
    from rankstone.choices.options import VerifyOptions

_SHOWN = 5
_OF_NAMES = ("not-in-tool", "tool-differs")


@frozen
class ChangedValue:
    """A value that is not what it was; ``query`` is None for an aggregate."""

    measure: str
    query: Any
    before: float
    now: float


@frozen
class Verification:
    """The differences between a saved result and one that was computed again.

    ``inputs`` are the files whose content is another now, ``version`` the version that made the
    result if it is not this one, ``values`` the numbers that differ, and ``facts`` what differs
    beside them: ties, notices, numbers of queries ...
    """

    name: str
    queries: int
    measures: int
    inputs: tuple[str, ...]
    version: str | None
    values: tuple[ChangedValue, ...]
    facts: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every number is the same to the last bit, and every recorded fact is the same."""
        return not self.values and not self.facts

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "holds": self.holds,
            "changed_inputs": list(self.inputs),
            "version": {"then": self.version or __version__, "now": __version__},
            "changed_values": plain(self.values),
            "changed_facts": list(self.facts),
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        what = tr("{} of {}").format(
            plural(self.measures, "measure"), plural(self.queries, "query")
        )
        if self.holds:
            yield tr("{}: verified; {}, the same to the last bit.").format(self.name, what)
        else:
            yield tr("{}: NOT the same; {} changed ({}).").format(
                self.name, plural(len(self.values), "value"), what
            )
        for path in self.inputs:
            yield tr("  {}: the content changed since.").format(path)
        if self.facts:
            yield tr("  not as saved: {}.").format(", ".join(self.facts))
        if self.version is not None:
            yield tr("  made by rankstone {}; this is {}.").format(self.version, __version__)
        for v in self.values[:_SHOWN]:
            where = "" if v.query is None else tr(", query {}").format(v.query)
            yield tr("  {}{}: {} then, {} now").format(
                v.measure, where, _shown(v.before), _shown(v.now)
            )
        if len(self.values) > _SHOWN:
            yield tr("  ... and {} more").format(len(self.values) - _SHOWN)


def _shown(value: float) -> str:
    return tr("left out") if math.isnan(value) else repr(value)


@verb("verify")
def verify(
    result: Result | str | os.PathLike[str],
    *,
    judgments: Any = None,
    run: Any = None,
    **options: Unpack[VerifyOptions],
) -> Verification:
    """Compute a saved result again from its inputs, as it was made, and say what changed.

    Options are choices that a result cannot hold, such as where the data to exclude are now.

    Args:
        result: a Result, or the path of one.
        judgments: where the judgments are now (default: where they were).
        run: where the run is now (default: where it was).
        options: see below.
    """
    saved = result if isinstance(result, Result) else Result.load(result)
    recorded = saved.provenance.judgments, saved.provenance.run
    paths = [
        given if given is not None else _path(source.name, what)
        for given, source, what in zip(
            (judgments, run), recorded, ("judgments", "run"), strict=True
        )
    ]
    made = options_of({**saved.changes, **recorded[1].reading})
    setup = prepared(Setup.of("verify", {**made, **options}))
    own = prepared(Setup.of("verify", {**recorded[0].reading, **options}))
    judged = load_judgments(paths[0], own)
    if isinstance(setup.reading.group_sizes, str):  # read with the judgments
        setup = setup.replace(group_sizes=None)
    again = []
    for names, choices in _plan(saved):
        chosen = {**saved.conventions.to_dict(), **choices}
        own_setup = setup.replace(
            like=saved.like,
            name=saved.name,
            tie_interval=bool(saved.ties.interval),
            unjudged_interval=saved.unjudged is not None,
            **chosen,
        )
        request = Request.of(names, own_setup)
        again.append(evaluate_collection(collection(judged, paths[1], request.setup), request))
    now = (again[0].provenance.judgments, again[0].provenance.run)
    changed = [
        new.name
        for old, new in zip(recorded, now, strict=True)
        if old.content_digest() not in (None, new.content_digest())
    ]
    changed += [
        f"{name} ({value.name})"
        for name, value in saved.changes.items()
        if isinstance(value, Given) and value != again[0].changes.get(name)
    ]
    return Verification(
        saved.name,
        len(saved.queries),
        len(saved.measures),
        tuple(changed),
        None if saved.provenance.rankstone == __version__ else saved.provenance.rankstone,
        tuple(_changes(saved, again)),
        tuple(_changed_facts(saved, again)),
    )


def _changed_facts(saved: Result, again: list[Result]) -> Iterator[str]:
    """Yield the facts other than values that differ; some are known only if all measures share conventions."""
    before, now = saved.to_dict(), [result.to_dict() for result in again]
    for name in ("counted", "weights"):
        if before[name] != {key: value for one in now for key, value in one[name].items()}:
            yield name
    if len(now) > 1:
        return
    for name in ("unanswered", "ties", "unjudged"):
        if before[name] != now[0][name]:
            yield name
    # Texts change with the language; what a tool's name means is said of the name alone.
    notices = [
        [(n["code"], n["count"]) for n in one["notices"] if n["code"] not in _OF_NAMES]
        for one in (before, *now)
    ]
    if saved.provenance.rankstone == __version__ and notices[0] != notices[1]:
        yield "notices"


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
