"""``leaderboard``: rank systems over several collections, and say which ranks are real."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from glob import glob
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.choices.setup import Setup, verb
from rankstone.errors import (
    DataError,
    Notice,
    StrictError,
    UsageError,
    amount,
    did_you_mean,
    plural,
)
from rankstone.io.streams import read_toml
from rankstone.language import tr
from rankstone.measures import DEFAULT, Measure, parse_measure
from rankstone.stats.clusters import Clusters
from rankstone.stats.leaderboard import CollectionValues, Leaderboard, leaderboard_of
from rankstone.stats.values import System, ValueTable
from rankstone.verbs.compare import RunValues

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.choices.options import LeaderboardOptions

_JUDGMENTS = ("qrels*", "*qrels*", "judgments*", "*.qrels", "ratings*")
_KEYS = ("qrels", "runs", "values", "measure", "clusters")


@verb("leaderboard")
def leaderboard(
    collections: Mapping[str, Any] | str | os.PathLike[str],
    measure: str | Measure | Mapping[str, str | Measure] | None = None,
    **options: Unpack[LeaderboardOptions],
) -> Leaderboard:
    """Rank systems by the mean over collections of their mean values.

    Ranks have intervals that hold for all systems at once, and systems that cannot be distinguished
    from the first of a tier share it. A system that misses a collection is shown and not ranked.

    Args:
        collections: ``{name: (judgments, runs)}`` with ``{system: run}`` as runs, or
            ``{name: {system: result}}`` with what was evaluated before; or the path of a folder with
            a folder per collection (judgments in a file called qrels, and one run or saved result
            per system), or of a TOML file with a table ``[collections.NAME]`` each: ``qrels`` and
            ``runs``, or ``values``; ``measure``; ``clusters``.
        measure: of all collections, or one by collection (default: the first that ``evaluate`` shows).
        options: see below.

    >>> judgments = {q: {"d1": 1} for q in "abcdefgh"}
    >>> good, bad = ({q: docs for q in "abcdefgh"} for docs in (["d1"], ["d2", "d1"]))
    >>> board = leaderboard({"nq": (judgments, {"new": good, "old": bad})}, "RR")
    >>> [(s.system, s.mean, s.tier) for s in board.standings]
    [('new', 1.0, 1), ('old', 0.5, 2)]
    """
    setup = Setup.of("leaderboard", options)
    own: Mapping[str, Any] = measure if isinstance(measure, Mapping) else {}
    default: Any = None if isinstance(measure, Mapping) else measure
    given: dict[str, dict[str, Any]] = {}
    if isinstance(collections, (str, os.PathLike)):
        given, named = _read(os.fspath(collections))
        default = default or named
    else:
        for name, data in collections.items():
            is_pair = isinstance(data, Sequence) and not isinstance(data, str) and len(data) == 2
            judgments, runs = data if is_pair else (None, data)
            given[str(name)] = {"qrels": judgments, "runs": runs}
    for name in own:
        if name not in given:
            known = ", ".join(given)
            raise UsageError(f"there is no collection {name!r}. Collections: {known}.")
    if not given:
        raise UsageError("a leaderboard needs at least one collection.")
    chosen = {
        name: parse_measure(own.get(name) or data.get("measure") or default or DEFAULT[0])
        for name, data in given.items()
    }
    directions = {m.definition.higher_is_better for m in chosen.values()}
    if len(directions) > 1:
        raise UsageError("higher is better by some of the measures and worse by others.")
    tables, notices = [], []
    for name, data in given.items():
        table, own_notices = _values(name, data, chosen[name], setup)
        tables.append(table)
        notices += own_notices
    every = {system for table in tables for system in table.systems}
    if lacking := sorted(s for s in every if any(s not in table.systems for table in tables)):
        text = tr("no macro mean and no rank for {} without every collection").format(
            plural(len(lacking), "system")
        )
        notices.append(Notice("incomplete-systems", len(lacking), text, tuple(lacking[:3])))
    if setup.evaluation.strict and notices:
        raise StrictError(f"{notices[0]} [an error because of strict].")
    statistics = setup.statistics
    return leaderboard_of(
        tables,
        higher_is_better=directions.pop(),
        confidence=statistics.confidence,
        resamples=statistics.resamples,
        rng=statistics.rng,
        notices=notices,
    )


def _values(
    name: str, data: Mapping[str, Any], measure: Measure, setup: Setup
) -> tuple[CollectionValues, list[Notice]]:
    """Return the values of the systems on a collection, for queries that all of them have."""
    judgments, runs = data["qrels"], data["runs"]
    if len(runs) < 2:
        raise DataError(
            f"{name} has {amount(len(runs), 'system')}; ranks need at least two on each collection."
        )
    if judgments is None:  # warnings on the leaderboard itself are errors nevertheless
        setup = setup.replace(strict=False)
    setup = setup.replace(clusters=data.get("clusters", setup.statistics.clusters))
    given = RunValues.of(judgments, runs, [measure], setup)
    column = (given.measures or [str(measure)])[0]
    table = ValueTable.of([System(v.name, (v,)) for v in given.runs], [column])
    rows = table.values(column)
    known = ~np.isnan(rows).any(axis=0)
    if not known.any():
        raise DataError(f"{name}: the systems have no query in common.")
    own_notices = list(given.notices)
    if left := int((~known).sum()):
        text = tr("{} of {} left out, of which not every system has a value").format(
            plural(left, "query"), name
        )
        own_notices.append(Notice("uncommon-queries", left, text))
    queries = [q for q, use in zip(table.queries, known, strict=True) if use]
    clusters, source = None, given.setup.statistics.clusters
    if source is not None:
        clusters = Clusters.of(queries, source)
        own_notices += clusters.notices
    systems = [system.name for system in table.systems]
    codes = None if clusters is None else clusters.codes
    return CollectionValues(name, str(measure), systems, rows[:, known], codes), own_notices


def _read(path: str) -> tuple[dict[str, dict[str, Any]], str | None]:
    """Return collections by name, and the measure of all, from a folder or a TOML file."""
    if os.path.isdir(path):
        folders = [e for e in sorted(os.listdir(path)) if os.path.isdir(os.path.join(path, e))]
        if not folders:
            raise DataError(
                f"{path} has no folders. Give each collection a folder with its judgments and one "
                "run per system."
            )
        return {name: _folder(os.path.join(path, name)) for name in folders}, None
    data = read_toml(path)
    tables = data.get("collections")
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        raise DataError(f"{path}: write one table [collections.NAME] for each collection.")
    base, given = os.path.dirname(path), {}
    for name, table in tables.items():
        for key in table:
            if key not in _KEYS:
                hint = did_you_mean(key, _KEYS)
                raise DataError(f"{path}: [collections.{name}] has no key {key!r}.{hint}")
        if ("values" in table) == ("runs" in table) or ("runs" in table) != ("qrels" in table):
            raise DataError(f"{path}: [collections.{name}] needs qrels and runs, or values.")
        patterns = table.get("runs", table.get("values"))
        paths = []
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            matches = sorted(glob(os.path.join(base, pattern)))
            if not matches:
                raise DataError(f"{path}: [collections.{name}]: no file matches {pattern!r}.")
            paths += matches
        qrels = os.path.join(base, table["qrels"]) if "qrels" in table else None
        more = {key: table[key] for key in ("measure", "clusters") if key in table}
        given[name] = {"qrels": qrels, "runs": paths, **more}
    return given, data.get("measure")


def _folder(path: str) -> dict[str, Any]:
    """Return the judgments and the runs of a folder, or its saved results."""
    files = [e for e in sorted(os.listdir(path)) if e[0] != "." and "." in e]
    judged = [f for f in files if any(fnmatch(f.lower(), pattern) for pattern in _JUDGMENTS)]
    if len(judged) > 1:
        raise DataError(f"{path} has {amount(len(judged), 'file')} of judgments. Keep one.")
    runs = [os.path.join(path, f) for f in files if f not in judged]
    return {"qrels": os.path.join(path, judged[0]) if judged else None, "runs": runs}
