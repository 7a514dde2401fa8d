"""The first documents of each query of a run, unjudged ones included, for people to look at."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, pairwise, repeat
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.collection import Collection as CollectionOfRun, MatchedCollection
from rankstone.core.dicts import ListedRun, ScoredRun
from rankstone.core.exclude import ExcludingRun
from rankstone.core.ids import Ids
from rankstone.core.rank import how_to_match
from rankstone.io.files import rows_in
from rankstone.io.formats import format_of
from rankstone.io.formats.trec import Block, TrecRun
from rankstone.io.input_file import Input, ReadOptions

_MORE = 4  # times as many rows are read if too many documents are repeated
_MOST_ROWS = 1 << 20  # that are kept before those beyond the depth are dropped


@dataclass(frozen=True, eq=False)
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


def keeping_top_documents(data: CollectionOfRun, depth: int) -> CollectionOfRun:
    """Return a collection that keeps the first documents when its run is read, if it can."""
    if isinstance(data, MatchedCollection) and isinstance(data.run, TrecRun):
        return replace(data, run=replace(data.run, kept=depth))
    return data


def kept_documents(
    data: MatchedCollection, conventions: Conventions, queries: Sequence[Any]
) -> TopDocuments | None:
    """Return the first documents of judged queries that were kept when the run was read, if any."""
    tops = data.matches(**how_to_match(conventions)).tops
    number = {query: i for i, query in enumerate(data.judgments.queries.objects)}
    order = np.fromiter(map(number.get, queries, repeat(-1)), np.int64, len(queries))
    if tops is None or (order < 0).any():
        return None
    begins, sizes = np.zeros((2, len(number)), np.int64)
    begins[tops.queries], sizes[tops.queries] = tops.bounds[:-1], np.diff(tops.bounds)
    offsets = segments.offsets_of(sizes[order])
    rows = np.repeat(begins[order], sizes[order]) + segments.positions(offsets)
    return TopDocuments(offsets, tops.docs.texts(rows))


def top_documents(
    run: Any, queries: Collection[Any], depth: int, options: ReadOptions | None = None
) -> TopDocuments | None:
    """Return the ids of the first documents of queries, best first; None if they cannot be read.

    Documents with equal scores are in input order. The ids of a table in memory, for example, cannot
    be read again.

    Args:
        run: a run.
        queries: those of interest.
        depth: number of documents.
        options: how to read the file of the run, if it is read again.
    """
    if isinstance(run, ExcludingRun):
        return _without(run, queries, depth, options)
    row_of = {str(query): i for i, query in enumerate(queries)}
    if isinstance(run, ListedRun | ScoredRun):
        data = {str(query): docs for query, docs in run.data.items()}
        sign = 0.0 if isinstance(run, ListedRun) else -1.0 if run.ascending else 1.0
        return TopDocuments.of(_best(data.get(query, ()), sign, depth) for query in row_of)
    if isinstance(run, TrecRun):
        most, is_short = depth, True
        while is_short:
            tops, is_short = _of_blocks(run.blocks(most), row_of, depth, most)
            most *= _MORE
        return tops
    path = run.source.path
    if path is None or hasattr(run, "rows_for") or not os.path.isfile(path):
        return None  # scores alone have no ids, and a pipe is read once
    with Input.open(path, options or ReadOptions()) as file:
        rows = list(rows_in(file, format_of(file), "run"))
    scores = np.array([score for _, _, score in rows])
    block = Block(
        [query for query, _, _ in rows],
        np.ones(len(rows), np.int64),
        [doc for _, doc, _ in rows],
        -scores if file.options.ascending else scores,
    )
    return _of_blocks([block], row_of, depth, len(rows) + 1)[0]


def _best(docs: Iterable[Any], sign: float, depth: int) -> list[str]:
    """Return the first of listed or scored documents, each once."""
    ordered = docs
    if sign and isinstance(docs, Mapping):
        ordered = sorted(docs, key=lambda doc: float(sign * docs[doc]), reverse=True)
    return list(dict.fromkeys(map(str, ordered)))[:depth]


def _of_blocks(
    blocks: Iterable[Block], row_of: Mapping[str, int], depth: int, most: int
) -> tuple[TopDocuments, bool]:
    """Return the first documents, and whether more rows than ``most`` of a query have to be read.

    That is so if documents are repeated so often that fewer than ``depth`` are left.
    """
    kept: list[_Rows] = []
    read = 0
    for block in blocks:
        kept.append(_Rows.of(block, row_of))
        read += len(kept[-1].docs)
        if read > _MOST_ROWS + 2 * len(kept[0].docs):  # the rows of a query are far apart
            kept = [_Rows.together(kept).first(most)]
            read = len(kept[0].docs)
    rows = _Rows.together(kept)
    best = rows.first(depth)
    if best.is_new().all():
        return best.by_query(len(row_of)), False
    rows = rows.first(most)
    tops = rows.where(rows.is_new()).first(depth).by_query(len(row_of))
    sizes = np.bincount(rows.row, minlength=len(row_of))
    is_short = (sizes >= most) & (segments.lengths(tops.offsets) < depth)
    return tops, bool(is_short.any())


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of a run: the number of the query, the document, and the score."""

    row: np.ndarray
    docs: list[str]
    scores: np.ndarray

    @classmethod
    def of(cls, block: Block, row_of: Mapping[str, int]) -> _Rows:
        """Take the rows of those queries that have a number."""
        own = np.fromiter(map(row_of.get, block.queries, repeat(-1)), np.int64, len(block.queries))
        row = np.repeat(own, block.sizes)
        return cls(row, block.docs, block.numbers).where(row >= 0)

    @classmethod
    def together(cls, parts: Sequence[_Rows]) -> _Rows:
        """Return all rows of several parts."""
        return cls(
            np.concatenate([np.zeros(0, np.int64), *(part.row for part in parts)]),
            list(chain.from_iterable(part.docs for part in parts)),
            np.concatenate([np.zeros(0), *(part.scores for part in parts)]),
        )

    def where(self, mask: np.ndarray) -> _Rows:
        """Return some of the rows."""
        if mask.all():
            return self
        docs = list(compress(self.docs, mask.tolist()))
        return _Rows(self.row[mask], docs, self.scores[mask])

    def first(self, most: int) -> _Rows:
        """Return the best rows of each query, in order of queries and scores."""
        row, docs, scores = _by_query(self.row, self.docs, self.scores)
        if ((np.diff(row) == 0) & (np.diff(scores) > 0)).any():
            order = np.lexsort((-scores, row))
            row, scores = row[order], scores[order]
            docs = [docs[i] for i in order.tolist()]
        place = segments.positions(segments.offsets_of(np.bincount(row)))
        return _Rows(row, docs, scores).where(place < most)

    def is_new(self) -> np.ndarray:
        """Return which rows are the first with their document in their query; rows are by query."""
        offsets = segments.offsets_of(np.bincount(self.row))
        rows = np.arange(len(self.docs))
        is_new: np.ndarray = Ids(self.docs, "text").first_equal(rows, offsets) == rows
        return is_new

    def by_query(self, queries: int) -> TopDocuments:
        """Return the documents, of rows in order of queries."""
        sizes = np.bincount(self.row, minlength=queries)
        return TopDocuments(segments.offsets_of(sizes), Ids(self.docs, "text"))


def _by_query(
    row: np.ndarray, docs: list[str], scores: np.ndarray
) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Return rows in order of queries; as these are mostly together, whole pieces are moved."""
    pieces = np.append(np.flatnonzero(np.diff(row, prepend=-1)), len(row))
    query = row[pieces[:-1]]
    if (np.diff(query) > 0).all():
        return row, docs, scores
    order = np.argsort(query, kind="stable")
    begin, sizes = pieces[:-1][order], np.diff(pieces)[order]
    moved = np.repeat(begin, sizes) + segments.positions(segments.offsets_of(sizes))
    bounds = zip(begin.tolist(), (begin + sizes).tolist(), strict=True)
    return row[moved], [doc for a, b in bounds for doc in docs[a:b]], scores[moved]


def _without(
    run: ExcludingRun, queries: Collection[Any], depth: int, options: ReadOptions | None
) -> TopDocuments | None:
    """Return the first documents of a run from which others were removed."""
    excluded = {
        str(query): {*map(str, docs)}
        for query, docs in zip(run.excluded.queries, run.excluded.docs_by_query, strict=True)
    }
    most = max((len(docs) for docs in excluded.values()), default=0)
    tops = top_documents(run.run, queries, depth + most, options)
    if tops is None:
        return None
    nothing: set[str] = set()
    own = (excluded.get(str(query), nothing) for query in queries)
    lists = zip(own, tops.lists(), strict=True)
    return TopDocuments.of([doc for doc in docs if doc not in out][:depth] for out, docs in lists)
