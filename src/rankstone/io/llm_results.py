"""Results as libraries for language models return them: objects with an id and a score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from rankstone.errors import DataError
from rankstone.io.column_roles import names_in

#: Where the id of a result may be, in its metadata, the surest first.
_KEYS = ("id", "_id", "doc_id", "document_id", "chunk_id", "node_id")
_PLAIN = (str, int, float, bytes, list, Mapping)


def unwrapped(data: Any) -> Any:
    """Return the lists of results that Chroma's and Qdrant's answers hold, and other data unchanged.

    Chroma's answer has a list of ids for each query, best first; Qdrant's has ``points``.
    """
    if isinstance(data, Mapping) and {"ids", "distances", "metadatas"} <= {*data}:
        return list(data["ids"])
    if isinstance(data, list | tuple) and any(hasattr(own, "points") for own in data):
        return [getattr(own, "points", own) for own in data]
    if isinstance(data, Mapping) and any(hasattr(own, "points") for own in data.values()):
        return {query: getattr(own, "points", own) for query, own in data.items()}
    return data


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
        hasattr(item, name) for name in ("node_id", "page_content", "content", "payload")
    )


def plain_results(data: Any, name: str, columns: Mapping[str, Any] | None = None) -> dict[Any, Any]:
    """Return a run of result objects as lists of ids, or of dicts with an id and a score.

    Known are LangChain's documents, alone or in pairs with a score, LlamaIndex's nodes with scores,
    Haystack's documents and Qdrant's points. Scores are left out if a result has none. The column of documents
    may be a path of attributes and keys, such as ``metadata.source``.
    """
    lists = dict(data.items() if isinstance(data, Mapping) else enumerate(data))
    key = next(iter(names_in({"doc": (columns or {}).get("doc")})), None)
    ids = {
        q: [_id_of(item, f"{name}, query {q!r}", key) for item in own] for q, own in lists.items()
    }
    scores = {query: [_score_of(item) for item in own] for query, own in lists.items()}
    if any(score is None for own in scores.values() for score in own):
        return {q: [{key: doc} for doc in docs] for q, docs in ids.items()} if key else ids
    return {
        query: [{key or "id": doc, "score": s} for doc, s in zip(docs, scores[query], strict=True)]
        for query, docs in ids.items()
    }


def _id_of(item: Any, where: str, path: str | None = None) -> Any:
    item = item[0] if isinstance(item, tuple) else item
    item = item.node if hasattr(getattr(item, "node", None), "node_id") else item
    if path is not None:
        value = item
        for key in path.split("."):
            value = _value(value, key)
        if value is None:
            raise DataError(f"{where}: a {type(item).__name__} has no value at {path!r}.")
        return value
    found = _id_in(item)
    if found is not None:
        return found
    part = "metadata" if getattr(item, "metadata", None) else "meta"
    own = f"{part}.{next(iter(getattr(item, part, None) or {}), 'source')}"
    raise DataError(
        f"{where}: a {type(item).__name__} has no id, and texts are not compared. Give each "
        f"document an id, or say where it is, such as columns={{'doc': {own!r}}}."
    )


def with_id(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result that is a dict, with the id that its node or its metadata hold.

    LlamaIndex writes a node into ``node``; LangChain and Haystack have ``metadata`` and ``meta``.
    Without an id it is returned unchanged.
    """
    found = _id_in(item)
    return item if found is None else {**item, "id": found}


def _id_in(item: Any) -> Any:
    """Return the id of a result's node or of the result, else that in their metadata; None without."""
    parts = [part for part in (_value(item, "node"), item) if part is not None]
    own = (_value(part, name) for part in parts for name in ("node_id", "id", "id_"))
    metadata = (_value(part, name) for part in parts for name in ("metadata", "meta"))
    others = (data.get(key) for data in metadata if isinstance(data, Mapping) for key in _KEYS)
    return next((value for value in chain(own, others) if value is not None), None)


def _value(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def _score_of(item: Any) -> Any:
    return item[1] if isinstance(item, tuple) else getattr(item, "score", None)
