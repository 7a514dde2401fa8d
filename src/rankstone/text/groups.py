"""Aggregates of several kinds, for groups of queries and for all."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from rankstone.core.aggregate import AGGREGATES, Summary, summarise
from rankstone.core.result import Result
from rankstone.frozen import frozen
from rankstone.io.query_groups import REST, QueryGroups
from rankstone.language import tr
from rankstone.stats.intervals import Gap
from rankstone.text.blocks import Grid, Line, are_counts, rounded
from rankstone.text.results import (
    ALL,
    Intervals,
    best_of,
    ends,
    in_words,
    interval_lines,
    intervals_in_words,
    over_in_words,
    own_aggregates,
    own_in_words,
)

_MOST_GROUPS = 3
K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


@frozen
class SummaryRow:
    """A run's values for a group of queries; ``aggregate`` is None where each measure has its own."""

    run: str
    group: str
    aggregate: str | None
    values: Mapping[str, Summary]

    @property
    def queries(self) -> int:
        """Number of queries of the group in the run's result."""
        return max(s.n + s.left_out for s in self.values.values())

    def parts(self, intervals: Intervals) -> Iterator[dict[str, Any]]:
        """Yield each value with all that belongs to it."""
        known = intervals.get((self.run, self.group), {})
        for measure, found in self.values.items():
            more = {"interval": known[measure].to_dict()} if measure in known else {}
            yield {
                "group": self.group,
                "aggregate": found.how,
                "measure": measure,
                "value": None if math.isnan(found.value) else found.value,
                "n": found.n,
                "left_out": found.left_out,
                **more,
            }


def rows_of(
    results: Sequence[Result], hows: Sequence[str] = (), groups: QueryGroups | None = None
) -> list[SummaryRow]:
    """Return a row for each group and for all, each aggregate and each run.

    Without ``hows`` each measure is aggregated in its own way. Queries without a group have a
    group of their own.
    """
    kinds: Sequence[str | None] = hows or (None,)
    found = [{how: _values(result, how, groups) for how in kinds} for result in results]
    present = {group for by_how in found for group in by_how[kinds[0]]}
    names = [*(groups.names if groups else ()), *(name for name in (REST, ALL) if name in present)]
    own = own_aggregates(results[0].measures)
    nothing = {how: {m: summarise(np.zeros(0), how or own[m]) for m in own} for how in kinds}
    return [
        SummaryRow(result.name, group, how, by_how[how].get(group) or nothing[how])
        for group in names
        for how in kinds
        for result, by_how in zip(results, found, strict=True)
    ]


def gap_rows(intervals: Intervals) -> list[SummaryRow]:
    """Return a row for each gap between two groups."""
    nothing = Summary(math.nan, "mean", 0, 0)
    names = {measure: nothing for own in intervals.values() for measure in own}
    return [
        SummaryRow(
            run,
            group,
            None,
            names | {m: Summary(g.difference, "mean", g.n, 0) for m, g in gaps.items()},
        )
        for (run, group), own in intervals.items()
        if (gaps := {m: g for m, g in own.items() if isinstance(g, Gap)})
    ]


def _values(
    result: Result, how: str | None, groups: QueryGroups | None
) -> dict[str, dict[str, Summary]]:
    """Return the values of a run by group, then by measure."""
    found: dict[str, dict[str, Summary]] = {}
    group_of = groups.of(result.queries) if groups else {}
    for measure, own in own_aggregates(result.measures).items():
        if groups:
            for group, value in result.by_group(measure, group_of, how or own).items():
                found.setdefault(REST if group is None else group, {})[measure] = value
        found.setdefault(ALL, {})[measure] = result.summary(measure, how or own)
    return found


def grid_of(
    results: Sequence[Result],
    rows: Sequence[SummaryRow],
    digits: int,
    intervals: Intervals | None = None,
) -> Grid:
    """Lay rows out as a table; the best run of each group is bold."""
    measures = results[0].measures
    blocks: dict[tuple[str, str | None], list[SummaryRow]] = {}
    for row in rows:
        blocks.setdefault((row.group, row.aggregate), []).append(row)
    whole = {
        (how, m): are_counts([r.values[m].value for r in rows if r.aggregate == how])
        for how in {row.aggregate for row in rows}
        for m in measures
    }
    shown = {
        "group": any(row.group != ALL for row in rows),
        "aggregate": any(row.aggregate for row in rows),
    }
    shown = {"run": len(results) > 1 or not any(shown.values())} | shown
    names = [name for name, is_shown in shown.items() if is_shown]
    lines = []
    for block in blocks.values():
        # The best of runs over different numbers of queries is not marked.
        best = {
            m: best_of(m, [row.values[m].value for row in block])
            if len({row.values[m].n for row in block}) == 1
            and not isinstance(
                (intervals or {}).get((block[0].run, block[0].group), {}).get(m), Gap
            )
            else set()
            for m in measures
        }
        for row in block:
            values = {m: row.values[m].value for m in measures}
            known = (intervals or {}).get((row.run, row.group), {})
            cells = [
                rounded(v, digits, whole=whole[row.aggregate, m]) + ends(known.get(m), digits)
                for m, v in values.items()
            ]
            lines.append(
                Line(
                    [_cell(row, name) for name in names],
                    [f"{row.queries:,}", *cells],
                    [False, *(v in best[m] for m, v in values.items())],
                )
            )
    foot = [*intervals_in_words(intervals), *_foot(results, rows, digits)]
    return Grid([*map(tr, names)], [tr("queries"), *measures], lines, foot)


def _cell(row: SummaryRow, name: str) -> str:
    text = str(getattr(row, name))
    return tr(text) if name == "group" and text in (ALL, REST) else text


def _foot(results: Sequence[Result], rows: Sequence[SummaryRow], digits: int) -> Iterator[str]:
    """Yield sentences on the queries of the values, those left out, weights, ties and judgments."""
    hows = list(dict.fromkeys(row.aggregate for row in rows if row.aggregate))
    used = [s.how for row in rows for s in row.values.values() if s.how in AGGREGATES]
    used = list(dict.fromkeys(used))
    how = tr(", ").join(map(in_words, hows)) or own_in_words(results[0].measures)
    counts = [s.n for row in rows if row.group == ALL for s in row.values.values()]
    yield over_in_words(how, counts, results[0])
    yield from _left_out(rows)
    alike = [in_words(h) for h in used if not AGGREGATES[h].weighted]
    for measure in dict.fromkeys(m for r in results for m, w in r.weights.items() if np.ptp(w) > 0):
        if alike:
            yield tr("{} weighs queries in mean and sum, not in {}").format(
                measure, tr(" and ").join(alike)
            )
    yield from (tr(AGGREGATES[h].note) for h in used if AGGREGATES[h].note)
    yield from interval_lines(results, digits, of_all=True)


def _left_out(rows: Sequence[SummaryRow]) -> Iterator[str]:
    """Yield the queries left out of each measure, in as few lines as possible."""
    runs = list(dict.fromkeys(row.run for row in rows))
    hows = list(dict.fromkeys(row.aggregate for row in rows))
    lines = _together(
        (run, text)
        for run in runs
        for text in _left_out_of([row for row in rows if row.run == run], hows)
    )
    for text, where in lines.items():
        yield text if len(where) == len(runs) else f"{', '.join(where)}: {text}"


def _left_out_of(rows: Sequence[SummaryRow], hows: Sequence[str | None]) -> Iterator[str]:
    """Yield the queries left out of each measure of one run."""
    of_how = {how: [row for row in rows if row.aggregate == how] for how in hows}
    found = _together(
        (measure, (text, tuple(which)))
        for measure in rows[0].values
        for text, which in _together((h, _counts(measure, of_how[h])) for h in hows).items()
        if text
    )
    for (text, which), measures in found.items():
        of = ", ".join(measures)
        if len(which) < len(hows):
            of = tr("the {} of {}").format(tr(" and ").join(in_words(str(h)) for h in which), of)
        yield tr("left out of {}: {}").format(of, text)


def _counts(measure: str, rows: Sequence[SummaryRow]) -> str:
    """Return the number of queries left out of a measure, in all and by group, in words."""
    out = {row.group: (row.values[measure].left_out, row.queries) for row in rows}
    n, queries = out.pop(ALL)
    groups = [tr("{} {} of {}").format(group, m, size) for group, (m, size) in out.items() if m]
    if len(groups) > _MOST_GROUPS:
        where = tr(", in {} of {} groups; --format tsv tells which").format(len(groups), len(out))
    else:
        where = f" ({', '.join(groups)})" if groups else ""
    return tr("{} of {} queries{}").format(n, queries, where) if n else ""


def _together(pairs: Iterable[tuple[K, V]]) -> dict[V, list[K]]:
    """Return the keys that have each value."""
    found: dict[V, list[K]] = {}
    for key, value in pairs:
        found.setdefault(value, []).append(key)
    return found
