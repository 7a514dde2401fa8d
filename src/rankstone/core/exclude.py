"""Runs without some of their documents, such as a recommender's training data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.reading_notices import reading_notice
from rankstone.core.run import Row, RunWrapper
from rankstone.errors import DataError, Notice
from rankstone.language import tr


@dataclass(frozen=True, eq=False)
class ExcludingRun(RunWrapper):
    """A run without the documents that ``excluded`` has for a query.

    The run is matched against judged and excluded documents together, so that any run can be
    wrapped. The excluded ones are then subtracted from each row's counts of documents above it,
    tied with it, and before it in its tie.
    """

    excluded: Judgments

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents that are left."""
        gone = self.documents()
        nothing: frozenset[str] = frozenset()
        for query, doc, score in self.run.rows(judgments):
            if str(doc) not in gone.get(str(query), nothing):
                yield query, doc, score

    def documents(self) -> dict[str, frozenset[str]]:
        """Return the excluded documents of each query, as text."""
        pairs = zip(self.excluded.queries, self.excluded.docs_by_query, strict=True)
        return {str(query): frozenset(map(str, docs)) for query, docs in pairs}

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in what is left of the run."""
        for what, ours, theirs in (
            ("query", judgments.queries, self.excluded.queries),
            ("document", judgments.docs, self.excluded.docs),
        ):
            if len(theirs) and ours.kind != theirs.kind and ours.typed and theirs.typed:
                raise DataError(
                    f"exclude: {what} ids are {_KINDS[theirs.kind]}, those of the judgments "
                    f"{_KINDS[ours.kind]}; ids are compared exactly, so write them alike."
                )
        both, rows, out = _together(judgments, self.excluded)
        matches = self.run.match(both, float32=float32, repeats=repeats)
        gone = out[matches.judgment]
        query = segments.numbers(matches.offsets)
        kept = ~gone & (rows[matches.judgment] >= 0)
        less = _counted(query, matches, gone)
        notices = _notices(judgments, self.excluded, both, matches, out, rows)
        return replace(
            matches,
            offsets=segments.keep(kept, matches.offsets),
            judgment=rows[matches.judgment][kept],
            score=matches.score[kept],
            **{name: (getattr(matches, name) - n)[kept] for name, n in less.items()},
            retrieved=matches.retrieved - segments.count(gone, matches.offsets),
            notices=(*matches.notices, *notices),
        )


_KINDS = {"text": "text", "number": "whole numbers"}


def _together(judgments: Judgments, excluded: Judgments) -> tuple[Judgments, Any, Any]:
    """Return judgments and exclusions as one table, the judgment row of each, and a mask."""
    place = {_like(judgments.queries, q): i for i, q in enumerate(excluded.queries)}
    docs: list[Any] = []
    rows: list[int] = []
    out: list[bool] = []
    bounds = [0]
    first = 0
    for query, judged in zip(judgments.queries, judgments.docs_by_query, strict=True):
        at = place.get(query)
        left = [] if at is None else excluded.docs_by_query[at]
        gone = dict.fromkeys(_like(judgments.docs, d) for d in left)
        for i, doc in enumerate(judged):
            docs.append(doc)
            rows.append(first + i)
            out.append(gone.pop(doc, False) is None)
        docs += gone
        rows += [-1] * len(gone)
        out += [True] * len(gone)
        first += len(judged)
        bounds.append(len(docs))
    ids = Ids(docs, judgments.docs.kind)
    ids.typed = judgments.docs.typed
    both = replace(
        judgments, groups=np.array(bounds, np.int64), docs=ids, grades=np.zeros(len(docs))
    )
    return both, np.array(rows, np.int64), np.array(out, bool)


def _like(ids: Ids, value: Any) -> Any:
    """Return an id in the type of others: text files do not say which ids are numbers."""
    if ids.kind == "text":
        return str(value)
    return int(value) if isinstance(value, str) and value.removeprefix("-").isdigit() else value


def _counted(query: Any, matches: Matches, gone: Any) -> dict[str, Any]:
    """Return how many of the excluded count in each row's above, tied, greater and earlier."""
    less = {}
    same_tie = (query, matches.above)
    less["above"] = _smaller((query,), matches.above, gone)
    for name in ("greater", "earlier"):
        less[name] = _smaller(same_tie, getattr(matches, name), gone)
    order = np.lexsort(same_tie[::-1])
    starts = np.ones(len(order), bool)
    starts[1:] = (np.diff(query[order]) != 0) | (np.diff(matches.above[order]) != 0)
    group = np.cumsum(starts) - 1
    sums = np.bincount(group, weights=gone[order]) if len(order) else np.zeros(0)
    tied = np.empty(len(order), np.int64)
    tied[order] = sums.astype(np.int64)[group]
    less["tied"] = tied
    return less


def _smaller(groups: tuple[Any, ...], values: Any, gone: Any) -> Any:
    """Return for each row how many excluded rows of its group have a smaller value."""
    order = np.lexsort((values, *groups[::-1]))
    if not len(order):
        return np.zeros(0, np.int64)
    sorted_values = values[order]
    new_group = np.ones(len(order), bool)
    for group in groups:
        new_group[1:] &= np.diff(group[order]) == 0
    new_group[1:] = ~new_group[1:]
    new_value = new_group.copy()
    new_value[1:] |= np.diff(sorted_values) != 0
    before = np.cumsum(gone[order]) - gone[order]  # excluded rows in front, of any group
    at_group = before[new_group][np.cumsum(new_group) - 1]
    at_value = before[new_value][np.cumsum(new_value) - 1]
    counted = np.empty(len(order), np.int64)
    counted[order] = at_value - at_group
    return counted


def _notices(
    judgments: Judgments,
    excluded: Judgments,
    both: Judgments,
    matches: Matches,
    out: Any,
    rows: Any,
) -> list[Notice]:
    notices = []
    gone = out[matches.judgment]
    n = int(gone.sum())
    if n:
        at = int(np.flatnonzero(gone)[0])
        query = both.queries[int(segments.numbers(matches.offsets)[at])]
        example = tr("document {} of query {}").format(both.docs[int(matches.judgment[at])], query)
        notices += reading_notice("excluded", n, (example,))
    n = int((out & (rows >= 0)).sum())
    if n:
        at = int(np.flatnonzero(out & (rows >= 0))[0])
        query = both.queries[int(np.searchsorted(both.groups, at, "right")) - 1]
        example = tr("document {} of query {}").format(both.docs[at], query)
        notices += reading_notice("excluded-judged", n, (example,))
    known = {_like(judgments.queries, q) for q in excluded.queries}
    cold = [q for q in judgments.queries if q not in known]
    examples = tuple(str(q) for q in cold[:3])
    of = len(judgments.queries)
    return [*notices, *reading_notice("cold-queries", len(cold), examples, of=of, keep_zero=True)]
