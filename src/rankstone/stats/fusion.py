"""Fusion: a table of documents and runs for each query, and what methods make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankstone.choices.fusion import Fusion
from rankstone.core import engine, segments
from rankstone.core.ids import Ids, sort_key
from rankstone.core.scored_lists import IdBytes, ScoredLists, are_numbers, best_first
from rankstone.errors import DataError, NothingInCommonError, Notice, plural

Array = np.ndarray


_ROWS = 1 << 16  # that are fused at once


class Rows(NamedTuple):
    """The documents of a run: those of query q in rows ``offsets[q]:offsets[q + 1]``."""

    offsets: Array
    ids: IdBytes
    scores: Array


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs with the same queries in the same order, and notices of queries that some of them lack."""

    queries: Ids
    rows: Mapping[str, Rows]
    are_numbers: bool
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, runs: Mapping[str, ScoredLists], fusion: Fusion) -> Runs:
        """Bring the queries of runs together."""
        queries, notices = _queries(runs, fusion)
        numbers = all(are_numbers(lists.docs) for lists in runs.values())
        rows = {name: _rows(lists, queries, numbers=numbers) for name, lists in runs.items()}
        if fusion.norm == "max":
            for name, own in rows.items():
                _check_highest(name, own, queries)
        ids = Ids(queries, "number" if isinstance(queries[0], int) else "text")
        ids.typed = all(lists.queries.typed and lists.docs.typed for lists in runs.values())
        return cls(ids, rows, numbers, notices)

    def part(self, begin: int, end: int) -> Runs:
        """Return some consecutive queries."""
        queries = Ids(self.queries[begin:end], self.queries.kind)
        queries.typed = self.queries.typed
        rows = {}
        for name, (offsets, ids, scores) in self.rows.items():
            own = offsets[begin : end + 1]
            a, b = int(own[0]), int(own[-1])
            rows[name] = Rows(own - a, ids.part(a, b), scores[a:b])
        return Runs(queries, rows, self.are_numbers)

    def parts(self) -> list[Runs]:
        """Return all queries in parts that fit into the caches of a processor."""
        total: Array = np.sum([rows.offsets for rows in self.rows.values()], axis=0)
        bounds = np.unique(np.searchsorted(total, np.arange(0, int(total[-1]) + 1, _ROWS)))
        ends = [*bounds[1:].tolist(), len(self.queries)]
        return [self.part(a, b) for a, b in zip(bounds.tolist(), ends, strict=True) if a < b]


@dataclass(frozen=True, eq=False)
class Column:
    """A run: rows ``offsets[q]:offsets[q + 1]`` are the documents of query q, best first.

    ``document`` are their numbers in the table, -1 below the depth.
    """

    name: str
    offsets: Array
    scores: Array
    document: Array


@dataclass(frozen=True, eq=False)
class Table:
    """The documents that any run retrieved, ``offsets[q]:offsets[q + 1]`` for query q."""

    queries: Ids
    offsets: Array
    ids: IdBytes
    are_numbers: bool
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, runs: Runs, fusion: Fusion) -> Table:
        """Bring the documents of runs together."""
        n = len(runs.rows)
        text, shift = b"".join(rows.ids.text for rows in runs.rows.values()), 0
        ordered, kept = [], []
        for offsets, ids, scores in runs.rows.values():
            order = best_first(scores, offsets, ids, fusion.ties)
            own = ids.at(order)
            ordered.append(
                Rows(offsets, IdBytes(text, own.begins + shift, own.ends + shift), scores[order])
            )
            kept.append(segments.positions(offsets) < (fusion.depth or len(scores)))
            shift += len(ids.text)
        sizes = [segments.count(k, rows.offsets) for k, rows in zip(kept, ordered, strict=True)]
        # Rows of a query are together, those of the first run first.
        starts = segments.offsets_of(np.column_stack(sizes).reshape(-1))
        begins, ends = np.empty((2, int(starts[-1])), np.int64)
        into = []
        for r, (rows, k) in enumerate(zip(ordered, kept, strict=True)):
            at = np.repeat(starts[r:-1:n], sizes[r]) + segments.positions(rows.offsets)[k]
            begins[at], ends[at] = rows.ids.begins[k], rows.ids.ends[k]
            into.append(at)
        first = engine.load().first_equal(text, begins, ends, starts[::n])
        is_new = first == np.arange(len(first))
        number = (np.cumsum(is_new) - 1)[first]
        columns = []
        for name, rows, k, at in zip(runs.rows, ordered, kept, into, strict=True):
            document = np.full(len(rows.scores), -1)
            document[k] = number[at]
            columns.append(Column(name, rows.offsets, rows.scores, document))
        return cls(
            runs.queries,
            segments.keep(is_new, starts[::n]),
            IdBytes(text, begins[is_new], ends[is_new]),
            runs.are_numbers,
            tuple(columns),
        )

    def points(self, fusion: Fusion) -> Array:
        """Return the points that each run gives to each document, NaN for none."""
        points = np.empty((len(self.columns), int(self.offsets[-1])))
        weights = fusion.weights_of([column.name for column in self.columns])
        query = segments.numbers(self.offsets)
        for r, (column, weight) in enumerate(zip(self.columns, weights, strict=True)):
            values, absent = _points(self, column, fusion)
            kept = column.document >= 0
            points[r] = (weight * absent)[query]
            points[r, column.document[kept]] = weight * values[kept]
        return points

    def fused(self, fusion: Fusion) -> ScoredLists:
        """Return the fused run, best first."""
        scores = _METHODS.get(fusion.method, _total)(self.points(fusion))
        if fusion.method in _TIMES_RUNS:
            count = np.zeros(len(scores))
            for column in self.columns:
                count[column.document[column.document >= 0]] += 1
            scores *= count
        order = best_first(scores, self.offsets, self.ids, fusion.fused_ties)
        offsets = self.offsets
        if fusion.keep is not None:
            kept = segments.positions(offsets) < fusion.keep
            order, offsets = order[kept], segments.keep(kept, offsets)
        return ScoredLists(self.queries, offsets, self.docs(order), scores[order])

    def docs(self, rows: Array) -> Ids:
        """Return the ids of some documents."""
        ids = self.ids.at(rows).packed()
        if self.are_numbers:
            return Ids.from_keys(ids.text)
        return Ids.from_bytes(
            ids.text, np.append(ids.begins, len(ids.text)), typed=self.queries.typed
        )


def _queries(
    runs: Mapping[str, ScoredLists], fusion: Fusion
) -> tuple[list[Any], tuple[Notice, ...]]:
    """Return the queries that are fused, and notices of those that some runs lack."""
    are_text = any(lists.queries.kind == "text" for lists in runs.values())
    known = [
        list(map(str, lists.queries) if are_text else lists.queries) for lists in runs.values()
    ]
    every: list[Any] = list(dict.fromkeys(query for own in known for query in own))
    common = set(known[0]).intersection(*known[1:])
    if not common:
        pairs = zip(runs, known, strict=True)
        examples = ", ".join(f"{name} has {own[0]!r}" for name, own in pairs if own)
        raise NothingInCommonError(f"the runs have no query in common: {examples}.")
    some = len(every) - len(common)
    if not some:
        return known[0], ()
    odd = next(query for query in every if query not in common)
    has = next(name for name, own in zip(runs, known, strict=True) if odd in own)
    what = (
        f"{plural(some, 'query')} of {len(every)} in some of the runs only, such as {odd} in {has}"
    )
    if fusion.queries == "same":
        raise DataError(f"{what}; with queries='any' they are fused from the runs that have them.")
    effect = "fused from these" if fusion.queries == "any" else "left out"
    keys = dict(zip(every, sort_key(every), strict=True))
    chosen = every if fusion.queries == "any" else common
    return sorted(chosen, key=keys.__getitem__), (
        Notice("partly-fused", some, f"{what}; {effect} (queries={fusion.queries})"),
    )


def _rows(lists: ScoredLists, queries: list[Any], *, numbers: bool) -> Rows:
    """Return the documents of some queries, in the order of these."""
    ids = IdBytes.of(lists.docs, numbers=numbers)
    kind = type(queries[0])
    own = [kind(query) for query in lists.queries]
    if own == queries:
        return Rows(lists.offsets, ids, lists.scores)
    number = {query: i for i, query in enumerate(queries)}
    place = np.array([number.get(query, -1) for query in own], np.int64)
    begins, sizes = np.zeros((2, len(queries)), np.int64)
    begins[place[place >= 0]] = lists.offsets[:-1][place >= 0]
    sizes[place[place >= 0]] = segments.lengths(lists.offsets)[place >= 0]
    offsets = segments.offsets_of(sizes)
    rows = np.repeat(begins, sizes) + segments.positions(offsets)
    return Rows(offsets, ids.at(rows).packed(), lists.scores[rows])


def _check_highest(name: str, rows: Rows, queries: list[Any]) -> None:
    """Refuse a run with a query whose highest score cannot be divided by."""
    filled = np.flatnonzero(segments.lengths(rows.offsets))
    highest = np.maximum.reduceat(rows.scores, rows.offsets[:-1][filled])
    for at in np.flatnonzero(highest <= 0)[:1].tolist():
        raise DataError(
            f"{name}, query {queries[filled[at]]!r}: the highest score is {highest[at]:g}, and "
            "norm='max' divides by it. Choose 'min-max'."
        )


def _points(table: Table, column: Column, fusion: Fusion) -> tuple[Array, Array]:
    """Return the points of the rows of a run, and for each query those of absent documents."""
    kept = column.document >= 0
    sizes = segments.count(kept, column.offsets)
    rule = fusion.absent or ("share" if fusion.method == "borda" else "none")
    absent = np.full(len(sizes), np.nan if rule == "none" else 0.0)
    if fusion.reads_ranks:
        union = segments.lengths(table.offsets)
        values = _of_ranks(fusion, segments.positions(column.offsets), column.offsets, union)
        if rule == "last":
            absent = _of_ranks(fusion, sizes, np.arange(len(sizes) + 1), union)
        elif rule == "share":
            absent = (union - sizes + 1) / 2
        return values, absent
    values = _normalised(table, column, fusion, kept)
    if rule == "last":
        filled = sizes > 0
        absent[filled] = values[column.offsets[:-1][filled] + sizes[filled] - 1]
    return values, absent


def _of_ranks(fusion: Fusion, place: Array, offsets: Array, union: Array) -> Array:
    """Return the points of documents at some places, from 0, in the ranking of a run."""
    if fusion.method == "borda":
        points: Array = np.repeat(union, segments.lengths(offsets)) - place
        return points
    if fusion.method == "isr":
        return 1.0 / (place + 1.0) ** 2
    return 1.0 / (fusion.k + fusion.first_rank + place)


def _normalised(table: Table, column: Column, fusion: Fusion, kept: Array) -> Array:
    """Return the scores of a run, comparable to those of others."""
    norm, scores = fusion.norm or "min-max", column.scores
    if norm == "none":
        return scores
    offsets = column.offsets
    own = scores
    if fusion.normalised_over != "retrieved":
        offsets, own = segments.keep(kept, offsets), scores[kept]
    filled = segments.lengths(offsets) > 0
    begin, size = offsets[:-1][filled], segments.lengths(offsets)[filled]
    last = begin + size - 1
    of_row = np.repeat(np.cumsum(filled) - 1, segments.lengths(column.offsets))
    highest, lowest = own[begin], own[last]
    if norm == "rank":
        n = segments.lengths(table.offsets)[filled] if fusion.normalised_over == "union" else size
        return 1.0 - segments.positions(column.offsets) / n[of_row]
    if norm == "max":
        return scores / highest[of_row]
    if norm == "min-max":
        shift, scale, equal = lowest, highest - lowest, np.ones(len(size))
    elif norm == "sum":
        shift, scale = lowest, np.add.reduceat(own, begin) - lowest * size
        equal = 1.0 / size
    else:
        more = segments.lengths(table.offsets)[filled] - size
        more = more if fusion.normalised_over == "union" else 0 * more
        shift = (np.add.reduceat(own, begin) + more * lowest) / (size + more)
        squares = np.add.reduceat((own - np.repeat(shift, size)) ** 2, begin)
        scale = np.sqrt((squares + more * (lowest - shift) ** 2) / (size + more))
        equal = np.zeros(len(size))
    is_constant = highest == lowest
    values = (scores - shift[of_row]) / np.where(is_constant, 1.0, scale)[of_row]
    equal = equal if fusion.constant == "one" else 0.0 * equal
    return np.where(is_constant[of_row], equal[of_row], values)


def _median(points: Array) -> Array:
    """Return the median of the points that are not NaN."""
    rising = np.sort(points, axis=0)
    n = np.count_nonzero(~np.isnan(points), axis=0)
    at = np.arange(points.shape[1])
    middle: Array = (rising[(n - 1) // 2, at] + rising[n // 2, at]) / 2
    return middle


def _total(points: Array) -> Array:
    """Return the sum of the points, added in the order of the runs."""
    total: Array = np.nansum(points, axis=0)
    return total


_METHODS: dict[str, Callable[[Array], Array]] = {
    "combmax": lambda points: np.nanmax(points, axis=0),
    "combmin": lambda points: np.nanmin(points, axis=0),
    "combmed": _median,
}
_TIMES_RUNS = ("combmnz", "isr")  # methods that multiply by the number of runs
