"""Results as rows and columns, and in the formats they can be written in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rankstone.core.aggregate import AGGREGATES
from rankstone.core.result import Result
from rankstone.errors import UsageError, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.measures.parse import parse_measure
from rankstone.text.blocks import Grid, Line, are_counts, rounded
from rankstone.text.delimited import Cells, delimited, exact

if TYPE_CHECKING:
    from rankstone.stats.intervals import Interval
    from rankstone.text.groups import SummaryRow

ALL = "all"
_RANKS = (1, 5, 10, 20, 50, 100)
#: Intervals of aggregates by run and group of queries, then by measure.
Intervals = Mapping[tuple[str, str], "Mapping[str, Interval]"]


@frozen
class Row:
    """One line of a table: a run, a query (or ``all``) and the values."""

    run: str
    query: str | int
    values: tuple[float, ...]


@frozen
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


def result_grid(
    results: Sequence[Result],
    table: Table | None = None,
    digits: int = 4,
    intervals: Intervals | None = None,
) -> Grid:
    """Lay a table out as text (default: the aggregates); the best of each measure is bold."""
    table = table_of(results, per_query=False) if table is None else table
    runs = len({row.run for row in table.rows}) > 1 or len(table.rows) == 1
    queries = any(row.query != ALL for row in table.rows)
    whole = [are_counts(c) for c in zip(*(row.values for row in table.rows), strict=True)]
    best = table.best()
    lines = [
        Line(
            [str(row.run)] * runs + [tr(ALL) if row.query == ALL else str(row.query)] * queries,
            [
                rounded(v, digits, whole=w) + ends(_interval(row, measure, intervals), digits)
                for measure, v, w in zip(table.measures, row.values, whole, strict=True)
            ],
            [row.query == ALL and v in b for v, b in zip(row.values, best, strict=True)],
        )
        for row in table.rows
    ]
    heads = [tr("run")] * runs + [tr("query")] * queries
    foot = list(_foot(results, table, digits, intervals))
    return Grid(heads, list(table.measures), lines, foot)


def _interval(row: Row, measure: str, intervals: Intervals | None) -> Interval | None:
    return intervals[row.run, ALL].get(measure) if intervals and row.query == ALL else None


def ends(interval: Interval | None, digits: int) -> str:
    """Return the interval of an aggregate, with one digit less than the aggregate."""
    if interval is None or math.isnan(interval.low):
        return ""
    return f" [{interval.low:.{max(digits - 1, 0)}f}, {interval.high:.{max(digits - 1, 0)}f}]"


def _foot(
    results: Sequence[Result], table: Table, digits: int, intervals: Intervals | None
) -> Iterator[str]:
    """Yield sentences on the queries, conventions, ties and unjudged documents of aggregates."""
    if not table.summary:
        return
    yield from intervals_in_words(intervals)
    counts = [n for r in results for n in r.counted.values()]
    yield over_in_words(own_in_words(table.measures), counts, results[0])
    yield from interval_lines(results, digits)


def intervals_in_words(intervals: Intervals | None) -> Iterator[str]:
    """Yield the meaning of the brackets beside aggregates, if there are any."""
    every = [i for own in (intervals or {}).values() for i in own.values()]
    if every:
        from rankstone.stats.intervals import CHOSEN, INTERVALS, Gap

        some = every[0]
        how = tr((INTERVALS | CHOSEN)[some.method])
        how += "" if some.clusters is None else tr("; ") + plural(some.clusters, "cluster")
        yield tr("[{:g} % interval, {}]").format(some.confidence * 100, how)
        if any(isinstance(one, Gap) for one in every):
            yield tr("a - b: difference of the means of two groups, Welch's t interval")
        without = (one.caution for one in every if one.n and math.isnan(one.low) and one.caution)
        yield from dict.fromkeys(without)


def _wide(table: Table, digits: int | None, intervals: Intervals | None) -> Iterator[Cells]:
    """Yield the heads, then run, query and a number for each measure, and the intervals' ends."""
    both = [f"{m} {end}" for m in table.measures for end in ("low", "high")] if intervals else []
    yield ["run", "query", *table.measures, *both], []
    for row in table.rows:
        values = list(row.values)
        for measure in table.measures if intervals else ():
            interval = _interval(row, measure, intervals)
            values += [interval.low, interval.high] if interval else [math.nan, math.nan]
        yield [row.run, str(row.query)], [exact(v, digits) for v in values]


def _long(
    summaries: Sequence[SummaryRow], digits: int | None, intervals: Intervals | None
) -> Iterator[Cells]:
    """Yield the heads, then a line for each value with its number of queries and its interval."""
    heads = ["run", "group", "aggregate", "measure", "value", "n", "left_out"]
    yield heads + ["low", "high"] * bool(intervals), []
    for row in summaries:
        for measure, s in row.values.items():
            numbers = [exact(s.value, digits), str(s.n), str(s.left_out)]
            if intervals:
                one = intervals.get((row.run, row.group), {}).get(measure)
                both = (one.low, one.high) if one else (math.nan, math.nan)
                numbers += [exact(end, digits) for end in both]
            yield [row.run, row.group, s.how, measure], numbers


def as_json(
    results: Sequence[Result], summaries: Sequence[SummaryRow], intervals: Intervals | None = None
) -> Iterator[str]:
    """Yield the results whole, with their summaries: one object, or a list of them."""
    import json

    data = [result.to_dict() for result in results]
    for one in data if summaries else ():
        own = (row for row in summaries if row.run == one["name"])
        one["summaries"] = [part for row in own for part in row.parts(intervals or {})]
    for one in data if intervals else ():
        known = (intervals or {})[one["name"], ALL]
        one["intervals"] = {m: i.to_dict() for m, i in known.items()}
    yield json.dumps(data[0] if len(data) == 1 else data, indent=2)


def jsonl(
    table: Table, summaries: Sequence[SummaryRow], intervals: Intervals | None = None
) -> Iterator[str]:
    """Yield one JSON object for each row, and for each value of a summary."""
    import json

    for row in table.rows:
        values = [None if math.isnan(v) else v for v in row.values]
        cells = dict(zip(table.measures, values, strict=True))
        own = {m: _interval(row, m, intervals) for m in table.measures}
        known = {m: interval.to_dict() for m, interval in own.items() if interval}
        more = {"intervals": known} if known else {}
        yield json.dumps({"run": row.run, "query": row.query, **cells, **more})
    for one in summaries:
        for part in one.parts(intervals or {}):
            yield json.dumps({"run": one.run, **part})


@frozen
class Layout:
    """The parts of results that are written, and their form.

    Args:
        per_query: the values of queries.
        aggregate: the aggregates.
        summaries: rows in the place of the aggregates.
        intervals: of the aggregates, by run and measure.
        digits: decimals (default: 4 in tables, else all).
        order: of runs and queries.
        colour: for a terminal that has colours.
        columns: width of the terminal.
    """

    per_query: bool = False
    aggregate: bool = True
    summaries: Sequence[SummaryRow] = ()
    intervals: Intervals | None = None
    digits: int | None = None
    order: Order = AS_GIVEN
    colour: bool = False
    columns: int | None = None


_USUAL = Layout()


def write(results: Sequence[Result], form: str, layout: Layout = _USUAL) -> Iterator[str]:
    """Return the lines of results in a format."""
    results = layout.order.results(results)
    intervals, digits, shown = layout.intervals, layout.digits, {r.name for r in results}
    summaries = [row for row in layout.summaries if row.run in shown]
    aggregate = layout.aggregate and not summaries
    table = table_of(results, per_query=layout.per_query, aggregate=aggregate, order=layout.order)
    if form == "json":
        return as_json(results, summaries, intervals)
    if form == "jsonl":
        return jsonl(table, summaries, intervals)
    if form in ("tsv", "csv"):
        lines = (
            _long(summaries, digits, intervals) if summaries else _wide(table, digits, intervals)
        )
        return delimited(lines, form)
    digits = 4 if digits is None else digits
    grids = [result_grid(results, table, digits, intervals)] if table.rows else []
    if summaries:
        from rankstone.text.groups import grid_of

        grids.append(grid_of(results, summaries, digits, intervals))
    if form == "latex":
        from rankstone.text.latex import latex

        return latex(grids, "tab:results")
    if form == "md":
        from rankstone.text.markdown import markdown

        return markdown([grids])
    from rankstone.text.terminal import terminal

    return terminal([[grid] for grid in grids], layout.colour, layout.columns)
