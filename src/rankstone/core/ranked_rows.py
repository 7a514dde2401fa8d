"""Rankings whose columns are arrays, and rankings made from others: cut, condensed, reordered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from rankstone.core import segments
from rankstone.core.cutoff import Cutoff, units_of
from rankstone.core.ids import at
from rankstone.core.ranked import Ranked, Task, lazy, on_parts, parts_of
from rankstone.core.subtopics import ranges
from rankstone.core.tie_breaking import TiedRows, before_by_gain
from rankstone.errors import UsageError
from rankstone.frozen import frozen

Array = np.ndarray


@frozen(eq=False, repr=False, kw_only=True)
class RankedRows(Ranked):
    """A ranking whose columns are plain arrays."""

    has_small_grades = False

    part_of: Ranked | None = None

    @property
    def whole(self) -> Ranked:
        """The ranking of all queries, of which this may be a part."""
        return self if self.part_of is None else self.part_of

    # Whether a judged document shares its score with another.
    has_ties = lazy(lambda rows: bool((rows.tied > 1).any()))

    def by_query(self, task: Task) -> list[Array]:
        """Return the columns that a task makes of some queries, for all, on all cores."""
        if len(parts_of(self.judged_offsets)) == 1:
            return super().by_query(task)

        def work(ends: tuple[int, int]) -> list[Array]:
            part = _queries_of(self, slice(*ends), part_of=self)
            columns = task(part)
            part.clear_cache()
            return columns

        return on_parts(work, self.judged_offsets)


def rows_of(ranked: Ranked) -> RankedRows:
    """Return the same ranking with every column computed."""
    part_of = None if ranked.whole is ranked else ranked.whole
    return RankedRows(**{name: getattr(ranked, name) for name in _COPIED}, part_of=part_of)


_COPIED = [f.name for f in fields(Ranked) if f.init and f.name not in ("width", "all_judged")]
_COLUMNS = ("rank", "grade", "original_grade", "score", "judgment", "above", "tied")


def _columns(ranked: Ranked, rows: Array | slice) -> dict[str, Any]:
    """Return the columns of some rows, by name."""
    return {name: getattr(ranked, name)[rows] for name in _COLUMNS}


def concatenated(parts: Sequence[RankedRows]) -> RankedRows:
    """Return the rankings of several sets of queries, under the same conventions, as one."""

    def joined(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    pooled = [part.pooled for part in parts if part.pooled is not None]
    return RankedRows(
        queries=[query for part in parts for query in part.queries],
        offsets=_joined_offsets([part.offsets for part in parts]),
        **{name: joined(name) for name in (*_COLUMNS, "retrieved", "judged_grade")},
        judged_offsets=_joined_offsets([part.judged_offsets for part in parts]),
        max_grade=max(part.max_grade for part in parts),
        conventions=parts[0].conventions,
        rule=parts[0].rule,
        has_repeats=any(part.has_repeats for part in parts),
        pooled=np.concatenate(pooled) if pooled else None,
        pooled_offsets=_joined_offsets([_pooled_offsets(p) for p in parts]) if pooled else None,
    )


def _pooled_offsets(ranked: RankedRows) -> Array:
    if ranked.pooled_offsets is None:
        return np.zeros(len(ranked) + 1, np.int64)
    return ranked.pooled_offsets


def _joined_offsets(parts: Sequence[Array]) -> Array:
    return segments.offsets_of(np.concatenate([segments.lengths(offsets) for offsets in parts]))


def truncated(ranked: Ranked, n: int | Array) -> RankedRows:
    """Return the ranking cut off after n documents, as if no more had been retrieved.

    ``n`` may be a number for each query.
    """
    last = np.broadcast_to(n, len(ranked))
    within = ranked.rank <= np.repeat(last, segments.lengths(ranked.offsets))
    pooled, pooled_offsets = ranked.pooled, ranked.pooled_offsets
    if pooled is not None and pooled_offsets is not None:
        kept = pooled <= np.repeat(last, segments.lengths(pooled_offsets))
        pooled, pooled_offsets = pooled[kept], segments.keep(kept, pooled_offsets)
    return replace(
        rows_of(ranked),
        offsets=segments.keep(within, ranked.offsets),
        retrieved=np.minimum(ranked.retrieved, n),
        pooled=pooled,
        pooled_offsets=pooled_offsets,
        **_columns(ranked, within),
    )


def with_ties_by(ranked: Ranked, gain: Array, unjudged_gain: float) -> RankedRows:
    """Return the ranking with tied documents ordered by gain.

    Best or worst first, as ``tie_luck`` says. ``gain`` has an entry for each row.
    """
    rows = TiedRows(ranked.offsets, ranked.grade, ranked.above, ranked.tied, ranked.judgment)
    before = before_by_gain(ranked.tie_luck, rows, gain, unjudged_gain)
    return with_ranks(ranked, ranked.above + 1 + before)


def with_ranks(ranked: Ranked, rank: Array, pooled: Array | None = None) -> RankedRows:
    """Return the ranking with other ranks of its rows, and of its pooled documents."""
    order = segments.falling_order(-rank, ranked.offsets)
    return replace(
        rows_of(ranked),
        pooled=ranked.pooled if pooled is None else pooled,
        **(_columns(ranked, order) | {"rank": rank[order]}),
    )


def condensed(ranked: Ranked) -> RankedRows:
    """Return the ranking without the documents that were not judged."""
    place = segments.positions(ranked.offsets)
    query = segments.numbers(ranked.offsets)
    first = np.ones(len(place), bool)
    first[1:] = (np.diff(query) != 0) | (np.diff(ranked.above) != 0)
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, len(place)))
    return replace(
        rows_of(ranked),
        rank=place + 1,
        above=np.repeat(place[starts], sizes),
        tied=np.repeat(sizes, sizes),
        retrieved=segments.lengths(ranked.offsets),
        pooled=None,
        pooled_offsets=None,
        shown=ranked.shown and _refuse_shown,
        width=ranked.width,
        cuts=ranked.cuts
        and replace(
            ranked.cuts, at=_refuse_cuts, chunks=ranked.cuts.chunks and partial(_refuse_cuts, 0)
        ),
    )


def _refuse_cuts(cutoff: Cutoff) -> NoReturn:
    raise UsageError(
        f"lists from which unjudged documents were removed cannot be cut by {units_of(cutoff)}. "
        "Choose unjudged='nonrelevant'."
    )


def _refuse_shown(_: int | None) -> NoReturn:
    raise UsageError(
        "measures beyond accuracy read all items of a list, and unjudged ones were removed. Choose "
        "unjudged='nonrelevant'."
    )


def chunks_of(ranked: Ranked, k: int | None) -> tuple[Ranked, Array | None]:
    """Return the ranking of chunks, each with the grade of its document, and where its lists are cut.

    A list is cut where k different documents are in, but not before k chunks. A relevant document of
    which no chunk was retrieved is one chunk that was missed. Documents without chunks are their own.
    """
    if ranked.cuts is None or ranked.cuts.chunks is None:
        return ranked, None
    known = ranked.cuts.chunks()
    documents = [np.array(known[query], np.int64) for query in ranked.queries]
    ends = np.full(len(documents), k or 0)
    rows, ranks, firsts, sizes = [], [], [], []
    for q, (own, (a, b)) in enumerate(
        zip(documents, pairwise(ranked.offsets.tolist()), strict=True)
    ):
        row = {judgment: a + i for i, judgment in enumerate(ranked.judgment[a:b].tolist())}
        first = np.sort(np.unique(own, return_index=True)[1])
        ends[q] = max(ends[q], first[k - 1] + 1 if k and k <= len(first) else len(own))
        places = [place for place, document in enumerate(own.tolist()) if document in row]
        rows += [row[own[place]] for place in places]
        ranks += [place + 1 for place in places]
        firsts += np.isin(places, first).tolist()
        sizes.append(len(places))
    offsets, rank, again = (
        segments.offsets_of(np.array(sizes, np.int64)),
        np.array(ranks, np.int64),
        ~np.array(firsts, bool),
    )
    columns = _columns(ranked, np.array(rows, np.int64))
    query = np.append(segments.numbers(ranked.judged_offsets), segments.numbers(offsets)[again])
    grade = np.append(ranked.judged_grade, columns["grade"][again])
    judged_offsets = segments.offsets_of(np.bincount(query, minlength=len(documents)))
    made = replace(
        rows_of(ranked),
        **{**columns, "above": rank - 1, "tied": np.ones(len(rank), np.int64), "rank": rank},
        offsets=offsets,
        retrieved=np.array([len(own) for own in documents]),
        judged_offsets=judged_offsets,
        judged_grade=grade[np.lexsort((-grade, query))],
        pooled=None,
        pooled_offsets=None,
        cuts=None,
    )
    return truncated(made, ends), ends


def select(ranked: Ranked, chosen: Array) -> RankedRows:
    """Return the ranking of the chosen queries."""
    subtopics = ranked.subtopics and ranked.subtopics.select(chosen)
    return _queries_of(ranked, np.flatnonzero(chosen), subtopics=subtopics)


def _queries_of(ranked: Ranked, chosen: Array | slice, **more: Any) -> RankedRows:
    """Return the ranking of some queries: numbers of them, or a slice."""

    def rows(bounds: Array) -> tuple[Array | slice, Array]:
        if isinstance(chosen, slice):
            own = bounds[chosen.start : chosen.stop + 1]
            return slice(own[0], own[-1]), own - own[0]
        sizes = segments.lengths(bounds)[chosen]
        return ranges(bounds[:-1][chosen], sizes), segments.offsets_of(sizes)

    def picked(items: Sequence[Any]) -> Sequence[Any]:
        return items[chosen] if isinstance(chosen, slice) else at(items, chosen)

    own, offsets = rows(ranked.offsets)
    judged, judged_offsets = rows(ranked.judged_offsets)
    pooled, pooled_offsets = ranked.pooled, ranked.pooled_offsets
    if pooled is not None and pooled_offsets is not None:
        of_pooled, pooled_offsets = rows(pooled_offsets)
        pooled = pooled[of_pooled]
    return replace(
        rows_of(ranked),
        queries=picked(ranked.queries),
        offsets=offsets,
        **_columns(ranked, own),
        retrieved=ranked.retrieved[chosen],
        judged_offsets=judged_offsets,
        judged_grade=ranked.judged_grade[judged],
        pooled=pooled,
        pooled_offsets=pooled_offsets,
        preferences=ranked.preferences and tuple(picked(ranked.preferences)),
        **more,
    )
