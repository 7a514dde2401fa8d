"""Rows and columns made from Results, before any format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankstone.core.aggregate import AGGREGATES
from rankstone.core.result import Result
from rankstone.errors import plural
from rankstone.measures.parse import parse_measure

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
        """Return, for each measure, the best of the runs' aggregates if there are several."""
        summary = self.summary if self.comparable else []
        return [best_of(m, [r.values[i] for r in summary]) for i, m in enumerate(self.measures)]


def best_of(measure: str, values: Sequence[float]) -> set[float]:
    """Return the best of several values of a measure; none where there is nothing to compare."""
    known = {v for v in values if not math.isnan(v)}
    if len(known) < 2:
        return set()
    return {max(known) if parse_measure(measure).definition.higher_is_better else min(known)}


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


def own_aggregates(measures: Sequence[str]) -> dict[str, str]:
    """Return how each measure's values become one number where nobody says otherwise."""
    return {name: parse_measure(name).definition.aggregate for name in measures}


def own_in_words(measures: Sequence[str]) -> str:
    """Say how the measures are aggregated, each in its own way."""
    own = own_aggregates(measures)
    hows = list(own.values())
    usual = max(hows, key=hows.count)
    others = ", ".join(f"{name}: {in_words(how)}" for name, how in own.items() if how != usual)
    return in_words(usual) + (f" ({others})" if others else "")


def in_words(how: str) -> str:
    """Return an aggregate's name in words."""
    return AGGREGATES[how].text


def over_in_words(how: str, counts: Sequence[int], result: Result) -> str:
    """Say what aggregates are over, and under which conventions."""
    fewest, most = min(counts), max(counts)
    over = plural(most, "query")
    over = over if fewest == most else f"{fewest} to {over}"
    return f"{how} over {over}, {result.conventions_in_words()}"
