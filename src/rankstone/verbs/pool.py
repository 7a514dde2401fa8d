"""The verb ``pool``: which documents to judge."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup, verb
from rankstone.core.collection import MatchedCollection
from rankstone.core.documents import top_documents
from rankstone.core.engine import load_engine
from rankstone.core.judgments import EMPTY
from rankstone.core.text import encode
from rankstone.errors import UsageError
from rankstone.io.changes import changed_run, prepared
from rankstone.io.load import check_columns_used, load_judgments, load_run
from rankstone.io.parents import judged_documents

if TYPE_CHECKING:
    from rankstone.choices.options import PoolOptions


@verb("pool")
def pool(
    runs: Any, judgments: Any = None, *, depth: int = 20, **options: Unpack[PoolOptions]
) -> dict[str, list[str]]:
    """Return the documents that any of some runs has among its first, by query and id.

    Documents that are judged already are left out; so are queries without judgments, if there are
    judgments, since no measure would read them.

    Args:
        runs: one run, or a list or dict of them, in any form that ``evaluate`` takes.
        judgments: what is judged already.
        depth: number of first documents of each ranking.
        options: see below.

    >>> pool([{"q": ["b", "a"]}, {"q": ["c", "a"]}])
    {'q': ['a', 'b', 'c']}
    """
    setup = prepared(Setup.of("pool", options))
    load_engine()
    judged = None
    if judgments is not None:
        judged = judged_documents(load_judgments(judgments, setup), setup.changes)
    tops = []
    for run in runs_of(runs):
        loaded = changed_run(load_run(run, setup), EMPTY if judged is None else judged, setup)
        data = MatchedCollection(loaded, EMPTY if judged is None else judged)
        tops.append(first_documents(data, depth, setup.conventions()))
    check_columns_used(setup)
    queries = dict.fromkeys(query for run in tops for query in run)
    known = None if judged is None else judged.texts_by_query
    pooled: dict[str, list[str]] = {}
    for query in sorted(queries, key=encode) if known is None else filter(known.get, queries):
        out = known[query] if known is not None else ()
        docs = {doc for run in tops for doc in run.get(query, ())}.difference(out)
        if docs:
            pooled[query] = sorted(docs, key=encode)
    return pooled


def runs_of(runs: Any) -> list[Any]:
    """Return one run, or those of a list or of a dict of paths by name."""
    if isinstance(runs, list | tuple) and not all(isinstance(r, list | tuple) for r in runs):
        return list(runs)
    if isinstance(runs, Mapping) and all(isinstance(r, str | os.PathLike) for r in runs.values()):
        return list(runs.values())
    return [runs]


def first_documents(
    data: MatchedCollection, depth: int, conventions: Conventions
) -> dict[str, list[str]]:
    """Return the first documents of each query of a run, best first."""
    if depth < 1:
        raise UsageError(f"a depth is at least 1, not {depth}.")
    queries, tops = top_documents(data.run, data.judgments, None, depth, conventions)
    return {str(q): docs for q, docs in zip(queries, tops.lists(), strict=True)}
