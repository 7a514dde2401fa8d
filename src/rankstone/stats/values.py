"""Values per query of several runs, matched by query id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankstone.errors import DataError, UsageError, amount, did_you_mean
from rankstone.frozen import frozen


@frozen(eq=False)
class QueryValues:
    """Values per query of one run.

    ``columns`` holds an array per measure in the order of ``queries``; NaN is a query that the
    measure's mean leaves out. ``answered`` is False for queries for which the run has no documents
    (default: it answered all). Such a query has a value, usually 0, and says nothing about how
    good the system is. ``unjudged`` are, if known, the lowest and highest mean of each measure over
    all grades that unjudged documents might have.
    """

    name: str
    queries: Sequence[Any]
    columns: Mapping[str, np.ndarray]
    answered: np.ndarray | None = None
    unjudged: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(set(self.queries)) < len(self.queries):
            twice = next(q for i, q in enumerate(self.queries) if q in self.queries[:i])
            raise DataError(
                f"{self.name}: query {twice!r} has more than one row of values. Keep one."
            )
        for measure, column in self.columns.items():
            self._check(measure, np.asarray(column))
        if self.answered is not None and len(self.answered) != len(self.queries):
            raise UsageError(f"{self.name}: 'answered' must have one entry per query.")

    def _check(self, measure: str, column: np.ndarray) -> None:
        if column.shape != (len(self.queries),):
            raise DataError(
                f"{self.name}: {measure} has {amount(column.size, 'value')} for "
                f"{amount(len(self.queries), 'query')}."
            )
        if column.dtype.kind not in "fiub":
            raise DataError(f"{self.name}: {measure} has values that are not numbers.")
        if len(infinite := np.flatnonzero(np.isinf(column))):
            raise DataError(
                f"{self.name}: {measure} of query {self.queries[infinite[0]]!r} is infinite, so "
                "its mean cannot be compared."
            )

    @classmethod
    def from_dicts(cls, name: str, values: Mapping[Any, Mapping[str, float]]) -> QueryValues:
        """Take values by query, then by measure, as pytrec_eval returns them.

        A measure that a query has no value of is NaN there.

        >>> QueryValues.from_dicts("bm25", {"q1": {"map": 0.5}, "q2": {"map": 0.25}}).measures
        ['map']
        """
        measures = list(dict.fromkeys(m for row in values.values() for m in row))
        columns = {
            m: np.array([row.get(m, np.nan) for row in values.values()], np.float64)
            for m in measures
        }
        return cls(name, list(values), columns)

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return list(self.columns)


@frozen(eq=False)
class System:
    """The runs of one system: one, or several repetitions."""

    name: str
    runs: tuple[QueryValues, ...]


def systems_of(
    runs: Sequence[QueryValues], repeats: Mapping[str, Sequence[str]] | None
) -> list[System]:
    """Group runs into systems; a run that no system names is a system of its own."""
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(
            f"two runs are called {twice!r}. Give each run a name of its own, or group repeated "
            f"runs of one system with repeats={{'system': [...]}}."
        )
    by_name = {run.name: run for run in runs}
    system_of: dict[str, str] = {}
    for system, members in (repeats or {}).items():
        for member in members:
            if member not in by_name:
                hint = did_you_mean(member, names)
                raise UsageError(
                    f"repeats: {system!r} names a run {member!r} that is not there.{hint} "
                    f"Runs: {', '.join(names)}."
                )
            if member in system_of:
                raise UsageError(f"repeats: run {member!r} is in two systems.")
            system_of[member] = system
    grouped: dict[str, list[QueryValues]] = {}
    for run in runs:
        system = system_of.get(run.name, run.name)
        if run.name not in system_of and system in (repeats or {}):
            raise UsageError(
                f"repeats: {system!r} is both a system and a run outside of it. Rename one."
            )
        grouped.setdefault(system, []).append(run)
    return [System(name, tuple(members)) for name, members in grouped.items()]


@frozen(eq=False)
class ValueTable:
    """Values of systems on the queries that any of them has, sorted by id.

    Sorting makes every number independent of the order in which queries came.
    """

    systems: tuple[System, ...]
    queries: tuple[Any, ...]
    measures: tuple[str, ...]

    @classmethod
    def of(cls, systems: Sequence[System], measures: Sequence[str] | None) -> ValueTable:
        """Match the systems' queries, for some measures (default: all measures that every run has)."""
        runs = [run for system in systems for run in system.runs]
        shared = [m for m in runs[0].columns if all(m in run.columns for run in runs)]
        for measure in measures or ():
            lacking = [run for run in runs if measure not in run.columns]
            if lacking:
                hint = did_you_mean(measure, lacking[0].columns)
                raise UsageError(
                    f"{lacking[0].name} has no values of {measure}.{hint} "
                    f"It has: {', '.join(lacking[0].columns)}."
                )
        if not shared:
            raise UsageError(
                "the runs have no measure in common. "
                + " ".join(f"{run.name} has {', '.join(run.columns)}." for run in runs[:3])
            )
        every = {q for run in runs for q in run.queries}
        queries = sorted(every, key=lambda query: (str(query), type(query).__name__))
        return cls(tuple(systems), tuple(queries), tuple(measures or shared))

    def filled(self, runs: Sequence[QueryValues]) -> ValueTable:
        """Return the table with other values of its systems; NaN for queries that these do not have."""
        place = {query: i for i, query in enumerate(self.queries)}
        by_name = {run.name: run for run in runs}
        systems = []
        for system in self.systems:
            own = by_name[system.name]
            rows = [(place[q], i) for i, q in enumerate(own.queries) if q in place]
            to, at = np.array(rows, np.int64).reshape(-1, 2).T
            columns = {m: np.full(len(place), np.nan) for m in self.measures}
            for measure, column in columns.items():
                column[to] = own.columns[measure][at]
            systems.append(System(system.name, (QueryValues(own.name, self.queries, columns),)))
        return replace(self, systems=tuple(systems))

    def repeated(self, system: int, measure: str) -> np.ndarray:
        """Return the values of each run of a system, one row each; NaN if it has none."""
        rows = np.full((len(self.systems[system].runs), len(self.queries)), np.nan)
        for row, run in zip(rows, self.systems[system].runs, strict=True):
            row[self._places[run.name]] = run.columns[measure]
        return rows

    def values(self, measure: str) -> np.ndarray:
        """Return one row per system: its runs' mean, NaN where one of them has no value."""
        rows = [self.repeated(i, measure) for i in range(len(self.systems))]
        return np.array([row[0] if len(row) == 1 else row.mean(axis=0) for row in rows])

    def answered(self) -> np.ndarray:
        """Return one row per system: whether all of its runs answered the query."""
        table = np.ones((len(self.systems), len(self.queries)), bool)
        for row, system in zip(table, self.systems, strict=True):
            for run in system.runs:
                if run.answered is not None:
                    row[self._places[run.name]] &= run.answered
        return table

    @cached_property
    def _places(self) -> dict[str, np.ndarray]:
        """The column of each query of a run, by the name of the run."""
        place = {query: i for i, query in enumerate(self.queries)}
        runs = (run for system in self.systems for run in system.runs)
        return {
            run.name: np.fromiter(map(place.__getitem__, run.queries), np.int64, len(run.queries))
            for run in runs
        }

    def weights(self, by_query: Mapping[Any, float] | None) -> np.ndarray | None:
        """Return one weight per query, checked."""
        if by_query is None:
            return None
        return checked_weights(self.queries, by_query)


def checked_weights(queries: Sequence[Any], by_query: Mapping[Any, float]) -> np.ndarray:
    """Return one weight per query; refuse missing, negative and infinite ones."""
    missing = [q for q in queries if q not in by_query]
    if missing:
        some = ", ".join(map(str, missing[:3])) + (", ..." if len(missing) > 3 else "")
        raise DataError(
            f"{amount(len(missing), 'query')} without a weight ({some}). Give every query one; "
            "0 leaves it out."
        )
    weights = np.array([float(by_query[q]) for q in queries])
    if len(wrong := np.flatnonzero(~(weights >= 0) | np.isinf(weights))):
        query = queries[wrong[0]]
        raise DataError(
            f"the weight of query {query!r} is {by_query[query]!r}; weights must be finite "
            "and not negative."
        )
    if not weights.any():
        raise DataError("all weights are 0, so there is nothing to compare.")
    return weights
