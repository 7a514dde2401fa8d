"""The rankings of a report: the first documents of every query in every run, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.documents import TopDocuments
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.ranked import Ranked
from rankstone.frozen import frozen
from rankstone.page.model import RankingPart

Array = np.ndarray
_MOST_MISSED = 20_000  # relevant documents that no run has among the first ranks


@frozen(eq=False)
class _Numbered:
    """The distinct documents of each query; query q has them from ``offsets[q]`` on.

    Judged documents come first, in the order of the judgments, then those of the runs, as they are
    met. Number i is ``ids[rows[i]]``. ``tops[r]`` has a row per query: the numbers of a run's first
    documents, -1 behind the last.
    """

    ids: Ids
    rows: Array
    offsets: Array
    tops: list[Array]

    @classmethod
    def of(cls, judged: TopDocuments, tops: Sequence[TopDocuments], depth: int) -> _Numbered:
        """Number documents query by query."""
        parts = [judged, *tops]
        ids = Ids.joined([part.docs for part in parts])
        sizes = np.array([segments.lengths(part.offsets) for part in parts])
        offsets = segments.offsets_of(sizes.sum(axis=0))
        begins = offsets[:-1] + np.cumsum(sizes, axis=0) - sizes
        places = [
            np.repeat(begin, size) + segments.positions(part.offsets)
            for begin, size, part in zip(begins, sizes, parts, strict=True)
        ]
        rows = np.empty(len(ids), np.int64)
        rows[np.concatenate(places)] = np.arange(len(ids))
        first = ids.first_equal(rows, offsets)
        is_new = first == np.arange(len(rows))
        count = np.append(0, np.cumsum(is_new))
        tables = []
        for place, top in zip(places[1:], tops, strict=True):
            table = np.full((len(offsets) - 1, depth), -1)
            table[segments.numbers(top.offsets), segments.positions(top.offsets)] = count[
                first[place]
            ]
            tables.append(table)
        return cls(ids, rows[is_new], count[offsets], tables)


def rankings_part(
    judgments: Judgments,
    queries: Sequence[Any],
    rankings: Sequence[Ranked],
    tops: Sequence[TopDocuments | None],
    depth: int,
) -> tuple[RankingPart, Array]:
    """Return the first documents of each query in every run, and where judged ones are in its list.

    Judged documents are where the evaluation ranked them; the others fill the places between.
    """
    sizes, rows = _judged(judgments, queries)
    nothing = TopDocuments.of([[] for _ in queries])
    numbered = _Numbered.of(
        TopDocuments(segments.offsets_of(sizes), judgments.docs.texts(rows)),
        [top or nothing for top in tops],
        depth,
    )
    judged = np.full(len(judgments), -1)
    judged[rows] = np.repeat(numbered.offsets[:-1], sizes) + segments.positions(
        segments.offsets_of(sizes)
    )
    retrieved, runs = [], []
    used = np.zeros(len(numbered.rows) + 1, bool)
    for ranked, top in zip(rankings, numbered.tops, strict=True):
        own = row_numbers(ranked.queries, queries)
        retrieved.append(by_query(ranked.retrieved, ranked.queries, queries, 0))
        counts = np.minimum(retrieved[-1], depth)
        slots = _slots(ranked, top, own, judged[ranked.judgment], counts)
        runs.append(slots[np.arange(depth) < counts[:, None]])
        used[runs[-1]] = True
    used[-1] = False  # that of documents without an id
    level = rankings[0].level(None)
    missed = (judgments.grades[rows] >= level) & ~used[judged[rows]]
    is_complete = np.count_nonzero(missed) <= _MOST_MISSED
    if is_complete:
        used[judged[rows[missed]]] = True
    place = np.append(np.cumsum(used[:-1]) - 1, -1)
    bounds = np.append(0, np.cumsum(used[:-1]))[numbered.offsets]
    first = np.repeat(bounds[:-1], segments.lengths(numbered.offsets))
    place[:-1] -= first
    shown_judged = rows[used[judged[rows]]]
    part = RankingPart(
        depth=depth,
        documents=numbered.ids.texts(numbered.rows[used[:-1]]),
        sizes=segments.lengths(bounds),
        judged=segments.count(used[judged[rows]], segments.offsets_of(sizes)),
        grades=judgments.grades[shown_judged],
        runs=[place[run] for run in runs],
        retrieved=retrieved,
        relevant_from=level if is_complete else None,
    )
    return part, np.where(used[judged], place[judged], -1)


def _judged(judgments: Judgments, queries: Sequence[Any]) -> tuple[Array, Array]:
    """Return how many documents are judged for each query, and the rows of all of these."""
    order = np.full(len(queries), -1)
    own = row_numbers(judgments.queries.objects, queries)
    order[own[own >= 0]] = np.flatnonzero(own >= 0)
    sizes = np.where(order >= 0, segments.lengths(judgments.groups)[order], 0)
    offsets = segments.offsets_of(sizes)
    return sizes, np.repeat(judgments.groups[order], sizes) + segments.positions(offsets)


def row_numbers(own: Sequence[Any], queries: Sequence[Any]) -> Array:
    """Return the place of each query among the queries of a report; -1 if it is not there."""
    if list(own) == list(queries):
        return np.arange(len(queries))
    row = {query: i for i, query in enumerate(queries)}
    return np.array([row.get(query, -1) for query in own], np.int64)


def by_query(values: Array, own: Sequence[Any], queries: Sequence[Any], rest: float) -> Array:
    """Return values in the order of a report's queries, with ``rest`` for the others."""
    placed = np.full(len(queries), rest, values.dtype)
    placed[row_numbers(own, queries)] = values
    return placed


def _slots(ranked: Ranked, top: Array, rows: Array, docs: Array, counts: Array) -> Array:
    """Return the documents at the first ranks, a row per query; -1 for none.

    Args:
        ranked: where judged documents were ranked.
        top: the first documents of the run, a row per query.
        rows: the row of each ranked query.
        docs: the judged documents.
        counts: how many documents each query has, at most the depth.
    """
    query, rank = rows[segments.numbers(ranked.offsets)], ranked.rank
    inside = np.flatnonzero(rank <= counts[query])
    slots = np.full(top.shape, -1)
    # Ranks within a tie may be shared: the first document gets the place, so it is put there last.
    back = inside[::-1]
    slots[query[back], rank[back] - 1] = docs[back]
    late = inside[slots[query[inside], rank[inside] - 1] != docs[inside]]
    is_judged = np.zeros(max(int(top.max(initial=0)), int(docs.max(initial=0))) + 1, bool)
    is_judged[docs] = True
    others = np.where(is_judged[top], -1, top)
    rest = _side_by_side(query[late], docs[late], others)
    empty = (slots < 0) & (np.arange(top.shape[1]) < counts[:, None])
    row, column = np.nonzero(empty)
    slots[row, column] = rest[row, np.cumsum(empty, axis=1)[row, column] - 1]
    return slots


def _side_by_side(query: Array, docs: Array, others: Array) -> Array:
    """Return documents of queries, then the others of the same query that are not -1, in rows."""
    count = np.bincount(query, minlength=len(others))
    rest = np.full((len(others), int(count.max(initial=0)) + others.shape[1]), -1)
    rest[query, segments.positions(segments.offsets_of(count))] = docs
    row, column = np.nonzero(others >= 0)
    place = count[row] + np.cumsum(others >= 0, axis=1)[row, column] - 1
    rest[row, place] = others[row, column]
    return rest


def documents_of(part: RankingPart) -> Iterator[list[str]]:
    """Yield the ids of the documents of each query."""
    ids = [str(document) for document in part.documents]
    for begin, end in pairwise(segments.offsets_of(part.sizes).tolist()):
        yield ids[begin:end]
