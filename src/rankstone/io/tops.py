"""The first documents of runs in files, with their ids: what there is to judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rankstone.core.judgments import Judgments
from rankstone.core.text import encode
from rankstone.errors import UsageError
from rankstone.io.files import read_run, rows_in
from rankstone.io.formats import format_of
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.rows import NO_DOCUMENT, TextRow
from rankstone.io.scored import changed_run

Tops = dict[str, list[str]]


def read_tops(
    path: str,
    depth: int,
    options: ReadOptions | None = None,
    *,
    parents: Any = None,
    parent_rule: str = "first",
) -> Tops:
    """Return the first documents of each query of a run, best first.

    Of equal scores the greater id is first. Of a document that is there twice the best score
    counts. With ``parents`` the run is one of chunks.
    """
    if depth < 1:
        raise UsageError(f"a depth is at least 1, not {depth}.")
    if parents is not None:
        return _tops(
            _rows_of_documents(path, options or ReadOptions(), parents, parent_rule), depth
        )
    with Input.open(path, options or ReadOptions()) as file:
        tops = _tops(rows_in(file, format_of(file), "run"), depth)
        file.check_unchanged()
    return tops


def _rows_of_documents(
    path: str, options: ReadOptions, parents: Any, rule: str
) -> Iterator[TextRow]:
    run = changed_run(
        path,
        read_run(path, options),
        min_score=None,
        parents=parents,
        parent_rule=rule,
        columns=options.columns,
        options=options,
        ascending=False,
    )
    return ((str(query), str(doc), score) for query, doc, score in run.rows())


def _tops(rows: Iterable[TextRow], depth: int) -> Tops:
    scores: dict[str, dict[str, float]] = {}
    for query, doc, score in rows:
        own = scores.setdefault(query, {})
        if doc != NO_DOCUMENT:
            own[doc] = max(score, own.get(doc, score))
            if len(own) >= 8 * depth + 1000:
                scores[query] = {d: own[d] for d in _first(own, depth)}
    return {query: _first(own, depth) for query, own in scores.items()}


def _first(scores: Mapping[str, float], depth: int) -> list[str]:
    return sorted(scores, key=lambda d: (scores[d], encode(d)), reverse=True)[:depth]


def pool(runs: Sequence[Tops], judgments: Judgments | None = None) -> Tops:
    """Return the documents that any of some runs has among its first, by query and id.

    Documents that are judged already are left out; so are queries without judgments, if there are
    judgments, since no measure would read them.

    >>> pool([{"q": ["b", "a"]}, {"q": ["c", "a"]}])
    {'q': ['a', 'b', 'c']}
    """
    known = judged_documents(judgments) if judgments is not None else None
    queries = dict.fromkeys(query for run in runs for query in run)
    pooled: Tops = {}
    for query in sorted(queries, key=encode) if known is None else filter(known.get, queries):
        judged: Any = known[query] if known is not None else ()
        docs = {doc for run in runs for doc in run.get(query, ())}.difference(judged)
        if docs:
            pooled[query] = sorted(docs, key=encode)
    return pooled


def judged_documents(judgments: Judgments) -> dict[str, set[str]]:
    """Return the judged documents of each query, as text."""
    docs = judgments.docs_by_query
    return {
        str(query): {str(doc) for doc in own}
        for query, own in zip(judgments.queries, docs, strict=True)
    }
