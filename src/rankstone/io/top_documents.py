"""The first documents of each query of a run, unjudged ones included, for people to look at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from heapq import nlargest
from operator import itemgetter
from typing import Any

from rankstone.core.dicts import ListedRun, ScoredRun
from rankstone.core.exclude import ExcludingRun
from rankstone.io.files import rows_in
from rankstone.io.formats import format_of

_SPARE = 4  # rows are sorted whenever a query has this many times the documents it needs
_score = itemgetter(0)


def top_documents(run: Any, queries: Collection[Any], depth: int) -> dict[str, list[str]] | None:
    """Return the ids of the first documents of queries, best first, by query as text.

    Documents with equal scores are in input order. None if the run cannot be read again: columns
    of a table in memory, or standard input.

    Args:
        run: a run.
        queries: those of interest.
        depth: number of documents.
    """
    if isinstance(run, ExcludingRun):
        excluded = _pairs(run.excluded)
        most = max((len(docs) for docs in excluded.values()), default=0)
        tops = top_documents(run.run, queries, depth + most)
        nothing: frozenset[str] = frozenset()
        return tops and {
            query: [doc for doc in docs if doc not in excluded.get(query, nothing)][:depth]
            for query, docs in tops.items()
        }
    wanted = {str(query) for query in queries}
    if isinstance(run, ListedRun):
        return {
            str(query): list(dict.fromkeys(map(str, docs)))[:depth]
            for query, docs in run.data.items()
            if str(query) in wanted
        }
    if isinstance(run, ScoredRun):
        sign = -1.0 if run.ascending else 1.0
        return {
            str(query): _best([(sign * s, str(d)) for d, s in _items(scores)], depth)
            for query, scores in run.data.items()
            if str(query) in wanted
        }
    file = getattr(run, "file", None)
    if file is None:
        return None
    return _of_rows(rows_in(file, format_of(file), "run"), wanted, depth)


def _items(scores: Any) -> Iterable[tuple[Any, float]]:
    return scores.items() if isinstance(scores, Mapping) else ()


def _of_rows(
    rows: Iterable[tuple[str, str, float]], wanted: set[str], depth: int
) -> dict[str, list[str]]:
    most = _SPARE * depth
    tops: dict[str, list[tuple[float, str]]] = {}
    current, top, floor = None, [], float("-inf")
    floors: dict[str, float] = {}
    for query, doc, score in rows:
        if query != current:
            if current is not None:
                floors[current] = floor
            current = query
            top = tops.setdefault(query, []) if query in wanted else []
            floor = floors.get(query, float("-inf")) if query in wanted else float("inf")
        if score > floor:
            top.append((score, doc))
            if len(top) >= most:
                top[:] = nlargest(depth, top, key=_score)
                floor = top[-1][0]
    return {query: _best(top, depth) for query, top in tops.items()}


def _best(rows: list[tuple[float, str]], depth: int) -> list[str]:
    """Return the documents with the highest scores, each once."""
    ordered = sorted(rows, key=_score, reverse=True)
    return list(dict.fromkeys(doc for _, doc in ordered if doc))[:depth]


def _pairs(excluded: Any) -> dict[str, set[str]]:
    return {
        str(query): set(map(str, docs))
        for query, docs in zip(excluded.queries, excluded.docs_by_query, strict=True)
    }
