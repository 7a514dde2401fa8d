"""Results as libraries for language models return them: objects with an id and a score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from rankstone.core.values import number_of
from rankstone.errors import DataError

#: Where the id of a result may be, in its metadata, the surest first.
_KEYS = ("id", "_id", "doc_id", "document_id", "chunk_id", "node_id")
_PLAIN = (str, int, float, bytes, list, Mapping)


def has_objects(data: Any) -> bool:
    """Return whether a run is lists of result objects, by its first result."""
    lists: Iterable[Any] = data.values() if isinstance(data, Mapping) else data
    for own in lists:
        if isinstance(own, list | tuple) and own:
            return _is_result(own[0])
        if not isinstance(own, list | tuple):
            return False
    return False


def _is_result(item: Any) -> bool:
    if isinstance(item, tuple) and len(item) == 2:
        return _is_result(item[0])
    if isinstance(item, _PLAIN) or item is None:
        return False
    node = getattr(item, "node", None)
    return hasattr(node, "node_id") or any(
        hasattr(item, name) for name in ("node_id", "page_content", "content")
    )


def plain_results(data: Any, name: str, *, ascending: bool = False) -> dict[Any, Any]:
    """Return a run of result objects as lists of ids, or as scores by id.

    Known are LangChain's documents, alone or in pairs with a score, LlamaIndex's nodes with scores
    and Haystack's documents. Their order decides. Scores must agree with it, and are left out if a
    result has none.
    """
    lists = data.items() if isinstance(data, Mapping) else enumerate(data)
    read = {query: _ranking(own, query, name, ascending=ascending) for query, own in lists}
    if all(scores is not None for _, scores in read.values()):
        return {q: dict(zip(ids, scores or [], strict=True)) for q, (ids, scores) in read.items()}
    return {query: ids for query, (ids, _) in read.items()}


def _ranking(
    items: Any, query: Any, name: str, *, ascending: bool
) -> tuple[list[Any], list[float] | None]:
    """Return the ids of results and their scores, None if the order alone is known."""
    where = f"{name}, query {query!r}"
    ids = [_id_of(item, where) for item in items]
    scores = [_score_of(item) for item in items]
    if any(score is None for score in scores):
        return ids, None
    numbers = [number_of(score, "score", where) for score in scores]
    steps = list(pairwise(reversed(numbers) if ascending else numbers))
    if any(a < b for a, b in steps):
        rising = all(a <= b for a, b in steps)
        hint = (
            "If the lowest is the best, as with distances, pass scores='ascending'."
            if rising and not ascending
            else "Sort the results by their scores, or leave the scores out."
        )
        raise DataError(f"{where}: the scores disagree with the order of the results. {hint}")
    # A repeated document is counted where rankings are lists.
    return ids, None if len(set(ids)) < len(ids) else numbers


def _id_of(item: Any, where: str) -> Any:
    item = item[0] if isinstance(item, tuple) else item
    item = item.node if hasattr(getattr(item, "node", None), "node_id") else item
    for name in ("node_id", "id", "id_"):
        value = getattr(item, name, None)
        if value is not None:
            return value
    metadata = getattr(item, "metadata", None) or getattr(item, "meta", None) or {}
    for key in _KEYS:
        if metadata.get(key) is not None:
            return metadata[key]
    raise DataError(
        f"{where}: a {type(item).__name__} has no id, and texts are not compared. Give each "
        f"document an id, or put one into its metadata under {_KEYS[0]!r}."
    )


def with_id(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result that is a dict, with the id that its node or its metadata hold.

    LlamaIndex writes a node into ``node``; LangChain and Haystack have ``metadata`` and ``meta``.
    Without an id it is returned unchanged.
    """
    node = item.get("node")
    parts = [node, item] if isinstance(node, Mapping) else [item]
    keyed = [part.get(key) for part in parts for key in ("node_id", "id", "id_")]
    for part in parts:
        own = [part[key] for key in ("metadata", "meta") if isinstance(part.get(key), Mapping)]
        keyed += [metadata.get(key) for metadata in own for key in _KEYS]
    found = next((value for value in keyed if value is not None), None)
    return item if found is None else {**item, "id": found}


def _score_of(item: Any) -> Any:
    return item[1] if isinstance(item, tuple) else getattr(item, "score", None)
