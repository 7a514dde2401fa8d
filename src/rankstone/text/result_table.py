"""Rows and columns made from Results, before any format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rankstone.core.aggregate import AGGREGATES
from rankstone.core.result import Result
from rankstone.errors import UsageError, plural
from rankstone.language import tr
from rankstone.measures.parse import parse_measure

ALL = "all"
_RANKS = (1, 5, 10, 20, 50, 100)


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


class Order(NamedTuple):
    """The order of runs, and of the queries of each: the best first by a measure, and how many."""

    measure: str | None = None
    top: int | None = None

    def results(self, results: Sequence[Result]) -> list[Result]:
        """Return the runs to show."""
        if self.measure is None:
            return list(results[: self.top])
        values = [r[self.measure] for r in results]
        return [results[i] for i in self._best_first(values)][: self.top]

    def queries(self, result: Result) -> list[int]:
        """Return the positions of the queries of a run to show."""
        if self.measure is None:
            return list(range(len(result.queries)))[: self.top]
        return self._best_first(result.values(self.measure).tolist())[: self.top]

    def _best_first(self, values: Sequence[float]) -> list[int]:
        sign = -1 if parse_measure(str(self.measure)).definition.higher_is_better else 1
        known = {i: sign * v for i, v in enumerate(values) if not math.isnan(v)}
        undefined = [i for i in range(len(values)) if i not in known]
        return [*sorted(known, key=known.__getitem__), *undefined]


AS_GIVEN = Order()


def best_of(measure: str, values: Sequence[float]) -> set[float]:
    """Return the best of several values of a measure; none where there is nothing to compare."""
    known = {v for v in values if not math.isnan(v)}
    if len(known) < 2:
        return set()
    return {max(known) if parse_measure(measure).definition.higher_is_better else min(known)}


def table_of(
    results: Sequence[Result],
    *,
    per_query: bool,
    aggregate: bool = True,
    order: Order = AS_GIVEN,
) -> Table:
    """Lay results out as a table."""
    comparable = all(r.counted == results[0].counted for r in results)
    rows = tuple(_rows(results, per_query, aggregate, order))
    return Table(tuple(results[0].measures), rows, comparable)


def _rows(
    results: Sequence[Result], per_query: bool, aggregate: bool, order: Order
) -> Iterator[Row]:
    for result in results:
        if per_query:
            columns = [result.columns[name] for name in result.measures]
            for i in order.queries(result):
                yield Row(result.name, result.queries[i], tuple(float(c[i]) for c in columns))
        if aggregate:
            yield Row(result.name, ALL, tuple(result.aggregates.values()))


def own_aggregates(measures: Sequence[str]) -> dict[str, str]:
    """Return how each measure's values become one number where nobody says otherwise."""
    own = {}
    for name in measures:
        try:
            own[name] = parse_measure(name).definition.aggregate
        except UsageError:  # another tool's, of which values per query were read
            own[name] = "mean"
    return own


def own_in_words(measures: Sequence[str]) -> str:
    """Return the aggregate of each measure in words."""
    own = own_aggregates(measures)
    hows = list(own.values())
    usual = max(hows, key=hows.count)
    others = ", ".join(f"{name}: {in_words(how)}" for name, how in own.items() if how != usual)
    return in_words(usual) + (f" ({others})" if others else "")


def in_words(how: str) -> str:
    """Return an aggregate's name in words."""
    return tr(AGGREGATES[how].text)


def over_in_words(how: str, counts: Sequence[int], result: Result) -> str:
    """Return the number of queries and the conventions of aggregates in words."""
    fewest, most = min(counts), max(counts)
    over = plural(most, "query")
    over = over if fewest == most else tr("{} to {}").format(fewest, over)
    return tr("{} over {}, {}").format(how, over, result.choices_in_words())


def interval_lines(
    results: Sequence[Result], digits: int, *, of_all: bool = False
) -> Iterator[str]:
    """Yield the intervals of aggregates that ties and unjudged documents allow.

    ``of_all`` names the aggregate, beside others of groups.
    """
    for result in results:
        own = own_aggregates(result.measures)
        run = f"{result.name}: " * (len(results) > 1)
        for name, (low, high) in result.ties.interval.items():
            every = tr("the {} of {} over all queries").format(in_words(own[name]), name)
            which = every if of_all else name
            ends = tr("{} to {}").format(f"{low:.{digits}f}", f"{high:.{digits}f}")
            yield tr("{}with ties at their worst and best, {} is {}").format(run, which, ends)
        yield from _unjudged_lines(result, digits, several=len(results) > 1)


def _unjudged_lines(result: Result, digits: int, *, several: bool) -> Iterator[str]:
    """Yield the interval of each measure, and the share of judged documents at some ranks."""
    report = result.unjudged
    if report is None:
        return
    who = f"{result.name}: " * several
    of = plural(report.retrieved, "retrieved document")
    shares = report.judged_by_rank
    at = tr(", ").join(
        tr("{:.0%} at rank {}").format(shares[r - 1], r) for r in _RANKS if r <= len(shares)
    )
    yield tr("{}{} of {} not judged").format(who, report.documents, of) + (
        tr("; judged: {}").format(at) if at else ""
    )
    for name, interval in report.interval.items():
        low, high = (
            tr("no bound") if math.isinf(v) else f"{v:.{digits}f}"
            for v in (interval.low, interval.high)
        )
        surely = "" if interval.exact else tr(" (a bound)")
        yield tr("{}whatever their grades, {} is from {} to {}{}").format(
            who, name, low, high, surely
        )
