"""Fusion: a table of documents and runs, and the methods that combine its scores or ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.choices.fusion import Fusion
from rankstone.core import engine, segments
from rankstone.core.ids import Ids, sort_key
from rankstone.core.scored_lists import IdBytes, ScoredLists, are_numbers, best_first
from rankstone.errors import DataError, NothingInCommonError, Notice, plural
from rankstone.frozen import frozen
from rankstone.language import tr

Array = np.ndarray

_ROWS = 1 << 16  # that are fused at once


@frozen(eq=False)
class Runs:
    """The documents of runs, by query.

    Run r has ``sizes[q, r]`` documents of query q, in rows from ``begins[q, r]``. ``notices`` say which
    queries some runs lack.
    """

    names: tuple[str, ...]
    queries: Ids
    begins: Array
    sizes: Array
    ids: IdBytes
    scores: Array
    are_numbers: bool
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, runs: Mapping[str, ScoredLists], fusion: Fusion) -> Runs:
        """Bring the queries of runs together."""
        lists = runs.values()
        kind = "text" if any(own.queries.kind == "text" for own in lists) else "number"
        known = [list(map(str if kind == "text" else int, own.queries)) for own in lists]
        common, notices = _queries(dict(zip(runs, known, strict=True)), fusion)
        queries = Ids(common, kind)
        queries.typed = all(own.queries.typed and own.docs.typed for own in lists)
        numbers = all(are_numbers(own.docs) for own in lists)
        ids = IdBytes.of([own.docs for own in lists], numbers=numbers)
        scores = np.concatenate([own.scores for own in lists])
        place = {query: i for i, query in enumerate(common)}
        begins, sizes = np.zeros((2, len(common), len(runs)), np.int64)
        before = 0
        for r, (names, own) in enumerate(zip(known, lists, strict=True)):
            at = np.array([place.get(query, -1) for query in names])
            begins[at[at >= 0], r] = before + own.offsets[:-1][at >= 0]
            sizes[at[at >= 0], r] = segments.lengths(own.offsets)[at >= 0]
            before += len(own.scores)
        made = cls(tuple(runs), queries, begins, sizes, ids, scores, numbers, notices)
        if fusion.norm == "max":
            made._check_highest()
        return made

    def _check_highest(self) -> None:
        """Refuse a run with a query whose highest score cannot be divided by."""
        ends = (self.begins + self.sizes).reshape(-1)
        highest = segments.largest(self.scores, self.begins.reshape(-1), ends)
        for q, r in np.argwhere((highest.reshape(self.sizes.shape) <= 0) & (self.sizes > 0))[:1]:
            raise DataError(
                f"{self.names[r]}, query {self.queries[q]!r}: no score is above 0, and norm='max' "
                "divides by the highest. Choose 'min-max'."
            )

    def part(self, begin: int, end: int) -> Runs:
        """Return some consecutive queries."""
        begins, sizes = self.begins[begin:end], self.sizes[begin:end]
        queries = self.queries.take(range(begin, end))
        return replace(self, queries=queries, begins=begins, sizes=sizes)

    def parts(self) -> list[Runs]:
        """Return all queries in parts that fit into the caches of a processor."""
        size = self.sizes.sum(axis=1)
        block = (np.cumsum(size) - size) // _ROWS
        begins = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        return [self.part(a, b) for a, b in pairwise([*begins, len(size)])]


def _queries(
    known: Mapping[str, list[Any]], fusion: Fusion
) -> tuple[list[Any], tuple[Notice, ...]]:
    """Return the queries that are fused, and notices of those that some runs lack."""
    every = list(dict.fromkeys(query for own in known.values() for query in own))
    common = set(every).intersection(*known.values())
    if not common:
        examples = ", ".join(f"{name} has {own[0]!r}" for name, own in known.items() if own)
        raise NothingInCommonError(f"the runs have no query in common: {examples}.")
    some = len(every) - len(common)
    if not some:
        return every, ()
    odd = next(query for query in every if query not in common)
    has = next(name for name, own in known.items() if odd in own)
    what = tr("{} of {} in some of the runs only, such as {} in {}").format(
        plural(some, "query"), len(every), odd, has
    )
    if fusion.queries == "same":
        raise DataError(f"{what}; with queries='any' they are fused from the runs that have them.")
    effect = tr("fused from these") if fusion.queries == "any" else tr("left out")
    keys = dict(zip(every, sort_key(every), strict=True))
    chosen = every if fusion.queries == "any" else common
    return sorted(chosen, key=keys.__getitem__), (
        Notice(
            "partly-fused", some, tr("{}; {} (queries={})").format(what, effect, fusion.queries)
        ),
    )


def fused(runs: Runs, fusion: Fusion) -> tuple[ScoredLists, Array, Array]:
    """Fuse runs into one, best first.

    Also return the points that each run (row) gives to each document, NaN for none, and the order in
    which the lists have these documents.
    """
    sizes, n = runs.sizes.reshape(-1), len(runs.names)
    offsets = segments.offsets_of(sizes)  # of each query, and in it of each run
    place = segments.positions(offsets)
    rows = np.repeat(runs.begins.reshape(-1), sizes) + place
    ids, values = runs.ids.at(rows).packed(), runs.scores[rows]
    order = best_first(values, offsets, ids, fusion.ties)
    ids = ids.at(order)
    first = engine.load().first_equal(ids.text, ids.begins, ids.ends, offsets[::n])
    is_new = first == np.arange(len(first))
    documents = np.flatnonzero(is_new)
    cells = segments.numbers(offsets) % n * len(documents) + (np.cumsum(is_new) - 1)[first]

    def by_run(column: Array) -> Array:
        table = np.full(n * len(documents), np.nan)
        table[cells] = column
        return table.reshape(n, -1)

    ranks = by_run(place + 1.0)
    scores = ranks if fusion.reads_ranks else by_run(values[order])
    used = np.less_equal(ranks, fusion.depth or np.inf)
    table = Table(fusion, segments.keep(is_new, offsets[::n]), ranks, scores, used)
    some = np.any(used, axis=0)
    kept = np.flatnonzero(some)
    with np.errstate(invalid="ignore", divide="ignore"):  # of runs that lack a query
        weights = np.array(fusion.weights_of(runs.names))[:, None]
        points = weights * table.points().take(kept, axis=1)
    total = _OF_POINTS.get(fusion.method, np.nansum)(points, axis=0)
    if fusion.method in ("combmnz", "isr"):
        total = total * np.count_nonzero(used.take(kept, axis=1), axis=0)
    ids, offsets = ids.at(documents[kept]), segments.keep(some, table.offsets)
    order = best_first(total, offsets, ids, fusion.fused_ties)
    if fusion.keep is not None:
        few = segments.positions(offsets) < fusion.keep
        order, offsets = order[few], segments.keep(few, offsets)
    own = ids.at(order).packed()
    if runs.are_numbers:
        docs = Ids.from_keys(own.text)
    else:
        bounds = np.append(own.begins, len(own.text))
        docs = Ids.from_bytes(own.text, bounds, typed=runs.queries.typed)
    return ScoredLists(runs.queries, offsets, docs, total[order]), points, order


_OF_POINTS: dict[str, Callable[..., Array]] = {
    "combmax": np.nanmax, "combmin": np.nanmin, "combmed": np.nanmedian,
}  # fmt: skip


@frozen(eq=False)
class Table:
    """Ranks and scores, a row for each run and a column for each document; NaN if not retrieved.

    The documents of query q are ``offsets[q]:offsets[q + 1]``, those down to the depth are ``used``.
    """

    fusion: Fusion
    offsets: Array
    ranks: Array
    scores: Array
    used: Array

    def each(self, operation: np.ufunc, values: Array) -> Array:
        """Reduce values over the documents of each query, and repeat the outcome for each document."""
        sizes = segments.lengths(self.offsets)
        together = operation.reduceat(values, self.offsets[:-1][sizes > 0], axis=-1)
        return np.repeat(together, sizes[sizes > 0], axis=-1)

    def points(self) -> Array:
        """Return the points of each document in each run before weighting; NaN if it has none there."""
        fusion, used, absent = self.fusion, self.used, np.array(0.0)
        rule = fusion.absent or ("share" if fusion.method == "borda" else "none")
        points = self.of_ranks(self.ranks) if fusion.reads_ranks else self.normalised()
        if rule == "none":
            absent = np.array(np.nan)
        elif rule == "share":
            absent = (self.union + 1 - self.each(np.add, used.astype(float))) / 2
        elif rule == "last" and fusion.reads_ranks:
            absent = self.of_ranks(self.each(np.add, used.astype(float)) + 1)
        elif rule == "last":
            absent = np.nan_to_num(self.each(np.fmin, np.where(used, points, np.nan)))
        return np.where(used, points, absent)

    @property
    def union(self) -> Array:
        """The number of documents of a query that any run has."""
        return self.each(np.add, self.used.any(axis=0).astype(float))

    def of_ranks(self, ranks: Array) -> Array:
        """Return the points of ranks, from 1."""
        fusion = self.fusion
        if fusion.method == "borda":
            return self.union - ranks + 1.0
        return 1.0 / (
            ranks**2 if fusion.method == "isr" else ranks + (fusion.k + fusion.first_rank - 1)
        )

    def normalised(self) -> Array:
        """Return scores that are comparable to those of other runs."""
        fusion, scores = self.fusion, self.scores
        norm, over = fusion.norm or "min-max", fusion.normalised_over
        basis = scores if over == "retrieved" else np.where(self.used, scores, np.nan)
        low, high = self.each(np.fmin, basis), self.each(np.fmax, basis)
        if over == "union":
            basis = np.where(np.isnan(basis) & self.used.any(axis=0), low, basis)
        n = self.each(np.add, (~np.isnan(basis)).astype(float))
        if norm in ("none", "rank", "max"):
            return {"none": scores, "rank": 1 - (self.ranks - 1) / n, "max": scores / high}[norm]
        shift, scale, equal = low, high - low, np.ones(1)
        if norm == "sum":
            scale, equal = self.each(np.add, np.nan_to_num(basis - low)), 1 / n
        elif norm == "z-score":
            shift, equal = self.each(np.add, np.nan_to_num(basis)) / n, np.zeros(1)
            scale = np.sqrt(self.each(np.add, np.nan_to_num((basis - shift) ** 2)) / n)
        values = (scores - shift) / scale
        return np.where(high == low, equal if fusion.constant == "one" else 0.0, values)
