"""The first documents of each query of a run, unjudged ones included, under some conventions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.core.exclude import ExcludingRun
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.rank import match_options, tie_rule
from rankstone.core.run import NO_DOCUMENT, Block, Run
from rankstone.core.text import encode
from rankstone.core.tie_breaking import TiedRows, is_by_id, tied_before
from rankstone.frozen import frozen

_MORE = 4  # times as many rows are read if too many documents are repeated
_MOST_ROWS = 1 << 20  # that are kept before those beyond the depth are dropped


@frozen(eq=False)
class TopDocuments:
    """The first documents of queries, best first: of query q ``docs[offsets[q]:offsets[q + 1]]``."""

    offsets: np.ndarray
    docs: Ids

    @classmethod
    def of(cls, lists: Iterable[list[str]]) -> TopDocuments:
        """Take the documents of each query."""
        every = list(lists)
        sizes = np.fromiter(map(len, every), np.int64, len(every))
        return cls(segments.offsets_of(sizes), Ids([doc for docs in every for doc in docs], "text"))

    def lists(self) -> list[list[str]]:
        """Return the documents of each query."""
        return [self.docs[a:b] for a, b in pairwise(self.offsets.tolist())]


def kept_documents(
    matches: Matches, judgments: Judgments, queries: Sequence[Any]
) -> TopDocuments | None:
    """Return the first documents of judged queries that were kept when the run was read, if any."""
    tops = matches.tops
    number = {query: i for i, query in enumerate(judgments.queries.objects)}
    order = np.fromiter(map(number.get, queries, repeat(-1)), np.int64, len(queries))
    if tops is None or (order < 0).any():
        return None
    begins, sizes = np.zeros((2, len(number)), np.int64)
    begins[tops.queries], sizes[tops.queries] = tops.bounds[:-1], np.diff(tops.bounds)
    offsets = segments.offsets_of(sizes[order])
    rows = np.repeat(begins[order], sizes[order]) + segments.positions(offsets)
    return TopDocuments(offsets, tops.docs.texts(rows))


def top_documents(
    run: Run,
    judgments: Judgments | None,
    queries: Sequence[Any] | None,
    depth: int,
    conventions: Conventions,
    *,
    distinct: bool = False,
) -> tuple[list[Any], TopDocuments]:
    """Return queries and the ids of their first documents, best first.

    Tied documents are in the order of the conventions; rules that account for every order leave
    them in input order.

    Args:
        run: a run.
        judgments: name the documents of a run that is scores alone.
        queries: those of interest (default: all of the run).
        depth: number of documents.
        conventions: ``ties``, ``precision`` and ``duplicates`` decide the order.
        distinct: no document of a query is known to be repeated.
    """
    if queries is not None and hasattr(run, "only"):
        run = run.only(queries)
    if isinstance(run, ExcludingRun):
        excluded = run.excluded.texts_by_query
        most = max(map(len, excluded.values()), default=0)
        known, tops = top_documents(run.run, judgments, queries, depth + most, conventions)
        nothing: frozenset[str] = frozenset()
        own = (excluded.get(str(query), nothing) for query in known)
        lists = zip(own, tops.lists(), strict=True)
        left = ([doc for doc in docs if doc not in out][:depth] for out, docs in lists)
        return known, TopDocuments.of(left)
    row_of = None if queries is None else {str(query): i for i, query in enumerate(queries)}
    how = match_options(conventions)
    order = _Order(tie_rule(conventions), how["float32"], how["repeats"] or distinct)
    if not hasattr(run, "blocks"):
        known, block = _block_of(run, judgments)
        row_of = row_of or {str(query): i for i, query in enumerate(known)}
        tops, _ = _of_blocks([block], row_of, depth, len(block.docs) + 1, order)
        return list(known if queries is None else queries), tops
    if row_of is None:
        found = dict.fromkeys(query for block in run.blocks(1) for query in block.queries)
        queries, row_of = list(found), {str(query): i for i, query in enumerate(found)}
    most, is_short = depth, True
    while is_short:
        tops, is_short = _of_blocks(run.blocks(most), row_of, depth, most, order)
        most *= _MORE
    return list(queries or ()), tops


def _block_of(run: Run, judgments: Judgments | None) -> tuple[list[Any], Block]:
    """Return the queries of a run and its rows, as one block."""
    rows = list(run.rows(judgments))
    known = {query: None for query, _, _ in rows}
    rows = [row for row in rows if row[1] != NO_DOCUMENT]
    sizes = np.ones(len(rows), np.int64)
    numbers = np.array([score for _, _, score in rows], np.float64)
    return list(known), Block([row[0] for row in rows], sizes, [row[1] for row in rows], numbers)


class _Order(NamedTuple):
    """The order of documents: the rule for ties, the precision of scores, repetitions."""

    ties: str
    float32: bool
    repeats: bool


_NO_ORDER = _Order("input", float32=False, repeats=False)


def _of_blocks(
    blocks: Iterable[Block], row_of: Mapping[str, int], depth: int, most: int, order: _Order
) -> tuple[TopDocuments, bool]:
    """Return the first documents, and whether to read again with a larger ``most``.

    That is so if removing repeated documents left fewer than ``depth``.
    """
    kept: list[_Rows] = []
    read = 0
    for block in blocks:
        kept.append(_Rows.of(block, row_of, order))
        read += len(kept[-1].docs)
        if read > _MOST_ROWS + 2 * len(kept[0].docs):  # the rows of a query are far apart
            kept = [_Rows.together(kept).first(most)]
            read = len(kept[0].docs)
    rows = _Rows.together(kept)
    best = rows.first(depth)
    if order.repeats or best.is_new().all():
        return best.by_query(len(row_of)), False
    rows = rows.first(most)
    tops = rows.at(rows.is_new()).first(depth).by_query(len(row_of))
    sizes = np.bincount(rows.row, minlength=len(row_of))
    is_short = (sizes >= most) & (segments.lengths(tops.offsets) < depth)
    return tops, bool(is_short.any())


@frozen(eq=False)
class _Rows:
    """Rows of a run: the number of the query, the document, and the score."""

    row: np.ndarray
    docs: np.ndarray
    scores: np.ndarray
    order: _Order

    @classmethod
    def of(cls, block: Block, row_of: Mapping[str, int], order: _Order) -> _Rows:
        """Take the rows of those queries that have a number."""
        names = map(str, block.queries)
        own = np.fromiter(map(row_of.get, names, repeat(-1)), np.int64, len(block.queries))
        row = np.repeat(own, block.sizes)
        scores = block.numbers
        if order.float32:
            with np.errstate(over="ignore"):
                scores = scores.astype(np.float32).astype(np.float64)
        docs = np.fromiter(block.docs, object, len(block.docs))
        return cls(row, docs, scores, order).at(row >= 0)

    @classmethod
    def together(cls, parts: Sequence[_Rows]) -> _Rows:
        """Return all rows of several parts."""
        none = cls(np.zeros(0, np.int64), np.zeros(0, object), np.zeros(0), _NO_ORDER)
        every = (none, *parts)
        row, docs, scores = (
            np.concatenate([getattr(part, name) for part in every])
            for name in ("row", "docs", "scores")
        )
        return cls(row, docs, scores, every[-1].order)

    def at(self, chosen: np.ndarray) -> _Rows:
        """Return some of the rows, in a mask or by their numbers."""
        return _Rows(self.row[chosen], self.docs[chosen], self.scores[chosen], self.order)

    def first(self, most: int) -> _Rows:
        """Return the best rows of each query, in order of queries and scores."""
        order = np.lexsort([-self.scores, self.row])
        ties = _Ties.of(self.row[order], self.scores[order])
        if ties is not None:
            order = order[ties.order(self.order.ties, self.docs[order].tolist())]
        place = segments.positions(segments.offsets_of(np.bincount(self.row)))
        return self.at(order[place < most])

    def is_new(self) -> np.ndarray:
        """Return which rows are the first with their document in their query; rows are by query."""
        offsets = segments.offsets_of(np.bincount(self.row))
        rows = np.arange(len(self.docs))
        texts = Ids(list(map(str, self.docs)), "text")
        is_new: np.ndarray = texts.first_equal(rows, offsets) == rows
        return is_new

    def by_query(self, queries: int) -> TopDocuments:
        """Return the documents, of rows in order of queries."""
        sizes = np.bincount(self.row, minlength=queries)
        return TopDocuments(segments.offsets_of(sizes), Ids(list(map(str, self.docs)), "text"))


class _Ties(NamedTuple):
    """Rows by query and falling score: where the tie of each begins, in rows, and the bounds of all."""

    row: np.ndarray
    begin: np.ndarray
    bounds: np.ndarray

    @classmethod
    def of(cls, row: np.ndarray, scores: np.ndarray) -> _Ties | None:
        """Return the ties, None if all scores of a query differ."""
        new = np.append(True, (np.diff(row) != 0) | (np.diff(scores) != 0))[: len(row)]
        if new.all():
            return None
        bounds = np.append(np.flatnonzero(new), len(row))
        return cls(row, np.repeat(bounds[:-1], np.diff(bounds)), bounds)

    def order(self, rule: str, docs: list[Any]) -> np.ndarray:
        """Return the order of the rows, all unjudged, by the tie rule that judged documents follow."""
        offsets, sizes = segments.offsets_of(np.bincount(self.row)), np.diff(self.bounds)
        every, tied = np.arange(len(docs)), np.repeat(sizes, sizes)
        greater = self._greater(docs) if is_by_id(rule) else None
        rows = TiedRows(
            offsets, np.zeros(len(docs)), self.begin, tied, every, every - self.begin, greater
        )
        before = tied_before(rule, rows)
        return np.argsort(self.begin + before, kind="stable")

    def _greater(self, docs: list[Any]) -> np.ndarray:
        """Return how many ids of its tie are greater than each: ids as numbers, or as bytes."""
        numbers = all(isinstance(doc, int) for doc in docs)
        keys = docs if numbers else [encode(str(doc)) for doc in docs]
        place = {key: i for i, key in enumerate(sorted(set(keys), reverse=True))}
        places = np.fromiter(map(place.__getitem__, keys), np.int64, len(keys))
        falling = np.lexsort([places, self.begin])
        greater = np.empty(len(docs), np.int64)
        greater[falling] = np.arange(len(docs)) - self.begin
        return greater
