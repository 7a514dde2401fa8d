"""Runs without some of their documents, such as a recommender's training data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.ids import Ids, is_whole
from rankstone.core.judgments import Judgments
from rankstone.core.look_alike import look_alikes
from rankstone.core.matches import Matches
from rankstone.core.notice_texts import reading_notice
from rankstone.core.run import Row, RunWrapper
from rankstone.errors import DataError
from rankstone.frozen import frozen
from rankstone.language import tr


@frozen(eq=False)
class ExcludingRun(RunWrapper):
    """A run without the documents that ``excluded`` has for a query.

    The run is matched against judged and excluded documents together, so that any run can be
    wrapped. The excluded ones are then subtracted from each row's counts of documents above it,
    tied with it, and before it in its tie.
    """

    excluded: Judgments

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents that are left."""
        gone = self.excluded.texts_by_query
        nothing: frozenset[str] = frozenset()
        for query, doc, score in self.run.rows(judgments):
            if str(doc) not in gone.get(str(query), nothing):
                yield query, doc, score

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the run without the excluded documents."""
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
        kept = ~gone & (rows[matches.judgment] >= 0)
        less = _counted(matches, gone)
        query_of = segments.numbers(both.groups)
        judged = np.flatnonzero(out & (rows >= 0))
        notices = []
        for code, some in (("excluded", matches.judgment[gone]), ("excluded-judged", judged)):
            first = (
                tr("document {} of query {}").format(both.docs[i], both.queries[int(query_of[i])])
                for i in some[:1].tolist()
            )
            notices += reading_notice(code, len(some), first)
        queries = judgments.queries
        known = {_like(queries, q) for q in self.excluded.queries}
        if len(self.excluded) and not gone.any():
            twins = list(_twins(judgments, self.excluded, matches))
            # A run that was made without these pairs is as it should be.
            usual = not twins and any(q in known for q in queries)
            notices += reading_notice(
                "nothing-excluded", len(self.excluded), twins, level="note" if usual else None
            )
        cold = [str(q) for q in queries if q not in known]
        notices += reading_notice(
            "cold-queries", len(cold), cold[:3], of=len(queries), keep_zero=True
        )
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
        gone = dict.fromkeys(doc for d in left if (doc := _like(judgments.docs, d)) is not None)
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
    """Return an id in the type of others, None if no id of that type is written like it.

    Text files do not say which ids are numbers.
    """
    if ids.kind == "text":
        return str(value)
    if isinstance(value, int):
        return value
    return int(value) if is_whole(value) else None


def _counted(matches: Matches, gone: Any) -> dict[str, Any]:
    """Return how many of the excluded count in each row's above, tied, greater and earlier.

    For rows that are not excluded: no other document has their id or their place.
    """
    query = segments.numbers(matches.offsets)
    order = np.lexsort((matches.above, query))
    is_first = np.ones(len(order), bool)  # of its tie
    is_first[1:] = (np.diff(query[order]) != 0) | (np.diff(matches.above[order]) != 0)
    ties = np.append(np.flatnonzero(is_first), len(order))
    tied = np.repeat(segments.count(gone[order], ties), segments.lengths(ties))
    until = segments.running_total(gone[order], matches.offsets)
    here = segments.running_total(gone[order], ties)
    less = {name: np.empty(len(order), np.int64) for name in _COUNTS}
    less["tied"][order], less["above"][order] = tied, until - here
    for name in ("greater", "earlier"):
        order = np.lexsort((getattr(matches, name), matches.above, query))
        less[name][order] = segments.running_total(gone[order], ties)
    return less


_COUNTS = ("above", "tied", "greater", "earlier")


def _twins(judgments: Judgments, excluded: Judgments, matches: Matches) -> Iterator[str]:
    """Yield ids of ``excluded`` beside ids of the judgments or the run that look like them."""
    unjudged = [] if matches.doc_samples is None else matches.doc_samples.docs
    for ids, others in (
        (excluded.queries, judgments.queries),
        (excluded.docs, [*judgments.docs, *unjudged]),
    ):
        known = dict.fromkeys(map(str, others))
        unknown = dict.fromkeys(text for text in map(str, ids) if text not in known)
        for pair in look_alikes(unknown, known)[:1]:
            yield tr("{!r} looks like {!r}").format(*pair)
