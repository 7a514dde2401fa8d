"""The first documents of each query of a run, unjudged ones included, for people to look at."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

import numpy as np

from rankstone.core.dicts import ListedRun, ScoredRun
from rankstone.core.exclude import ExcludingRun
from rankstone.io.files import rows_in
from rankstone.io.formats import format_of
from rankstone.io.formats.trec import TrecRun
from rankstone.io.input_file import Input, ReadOptions

_SPARE = 10  # more rows than documents are kept, since documents may be repeated


def top_documents(
    run: Any, queries: Collection[Any], depth: int, options: ReadOptions | None = None
) -> dict[str, list[str]] | None:
    """Return the ids of the first documents of queries, best first, by query as text.

    Documents with equal scores are in input order. None if the ids cannot be read again, as those
    of a table in memory.

    Args:
        run: a run.
        queries: those of interest.
        depth: number of documents.
        options: how to read the file of the run, if it is read again.
    """
    if isinstance(run, ExcludingRun):
        excluded = _pairs(run.excluded)
        most = max((len(docs) for docs in excluded.values()), default=0)
        tops = top_documents(run.run, queries, depth + most, options)
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
            str(query): _each_once(_falling(scores, sign), depth)
            for query, scores in run.data.items()
            if str(query) in wanted
        }
    if isinstance(run, TrecRun):
        return _of_blocks(run.blocks(depth + _SPARE), wanted, depth)
    path = run.source.path
    if path is None or hasattr(run, "rows_for") or not os.path.isfile(path):
        return None  # scores alone have no ids, and a pipe is read once
    with Input.open(path, options or ReadOptions()) as file:
        rows = list(rows_in(file, format_of(file), "run"))
    sign = -1.0 if file.options.ascending else 1.0
    scores = sign * np.array([score for _, _, score in rows])
    return _of_blocks([([q for q, _, _ in rows], [d for _, d, _ in rows], scores)], wanted, depth)


def _falling(scores: Mapping[Any, float], sign: float) -> Iterable[str]:
    return (str(doc) for doc in sorted(scores, key=lambda doc: sign * scores[doc], reverse=True))


def _of_blocks(
    blocks: Iterable[tuple[Sequence[str], Sequence[str], np.ndarray]], wanted: set[str], depth: int
) -> dict[str, list[str]]:
    """Return the first documents of rows, which are usually in order of queries and scores."""
    most = depth + _SPARE
    tops: dict[str, tuple[list[str], np.ndarray]] = {}
    for queries, docs, scores in blocks:
        end = 0
        for query, group in groupby(queries):
            begin, end = end, end + len(list(group))
            if query not in wanted:
                continue
            own, numbers = docs[begin:end], scores[begin:end]
            if query in tops:
                known = tops[query]
                own, numbers = [*known[0], *own], np.append(known[1], numbers)
            if (numbers[1:] > numbers[:-1]).any():
                order = np.argsort(-numbers, kind="stable")[:most]
                own, numbers = [own[i] for i in order.tolist()], numbers[order]
            tops[query] = list(own[:most]), numbers[:most]
    return {query: _each_once(docs, depth) for query, (docs, _) in tops.items()}


def _each_once(docs: Iterable[str], depth: int) -> list[str]:
    first = list(islice(docs, depth + _SPARE))
    if len(set(first[:depth])) < len(first[:depth]):
        first = list(dict.fromkeys(first))
    return first[:depth]


def _pairs(excluded: Any) -> dict[str, set[str]]:
    return {
        str(query): set(map(str, docs))
        for query, docs in zip(excluded.queries, excluded.docs_by_query, strict=True)
    }
