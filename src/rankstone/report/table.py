"""Rows and columns made from Results, before any format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankstone.core.result import Result

ALL = "all"


@dataclass(frozen=True)
class Row:
    """One line of a table: a run, a query (or ``all``) and the values."""

    run: str
    query: str | int
    values: tuple[float, ...]


@dataclass(frozen=True)
class Table:
    """Values of several runs, per query where asked for.

    Runs are comparable where their means are over the same number of queries.
    """

    measures: tuple[str, ...]
    rows: tuple[Row, ...]
    comparable: bool = True

    @property
    def summary(self) -> list[Row]:
        """The rows that aggregate over queries."""
        return [row for row in self.rows if row.query == ALL]

    def best(self) -> list[set[float]]:
        """Return, for each measure, the highest of the runs' aggregates if there are several."""
        summary = self.summary
        if len(summary) < 2 or not self.comparable:
            return [set() for _ in self.measures]
        return [{max(row.values[i] for row in summary)} for i in range(len(self.measures))]


def table_of(results: Sequence[Result], *, per_query: bool, aggregate: bool = True) -> Table:
    """Lay results out as a table."""
    comparable = all(r.counted == results[0].counted for r in results)
    rows = tuple(_rows(results, per_query, aggregate))
    return Table(tuple(results[0].measures), rows, comparable)


def _rows(results: Sequence[Result], per_query: bool, aggregate: bool) -> Iterator[Row]:
    for result in results:
        if per_query:
            for query, values in result.per_query.items():
                yield Row(result.name, query, tuple(values.values()))
        if aggregate:
            yield Row(result.name, ALL, tuple(result.aggregates.values()))
