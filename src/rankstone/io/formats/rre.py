"""Ratings of the Rated Ranking Evaluator, which Quepid exports too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankstone.errors import DataError
from rankstone.io.formats import NO_DOCUMENT, Format, Input, Row
from rankstone.io.rows import id_of, number_of


def _told(text: Input) -> bool:
    value = text.value if text.carrier == "json" else None
    return isinstance(value, dict) and any(
        isinstance(value.get(key), list) for key in ("topics", "query_groups")
    )


def _judgments(text: Input) -> Iterator[Row]:
    value = text.value
    groups = list(_objects(value.get("query_groups", []), text.path))
    for topic in _objects(value.get("topics", []), text.path):
        groups += _objects(topic.get("query_groups", []), text.path)
    for i, group in enumerate(groups):
        where = f"{text.path}, query group {i + 1}"
        judged = list(_judged(group.get("relevant_documents"), where))
        for query in _queries(group, where):
            yield query, NO_DOCUMENT, 0.0
            for doc, gain in judged:
                yield query, doc, gain


def _queries(group: dict[str, Any], where: str) -> Iterator[str]:
    """Yield what was asked: the text put into the template, else the group's name."""
    queries = list(_objects(group.get("queries", []), where))
    for query in queries or [{}]:
        put = query.get("placeholders")
        asked = put.get("$query") if isinstance(put, dict) else None
        yield id_of(group.get("name") if asked is None else asked, "query", where)


def _judged(value: Any, where: str) -> Iterator[tuple[str, float]]:
    if not isinstance(value, dict):
        raise DataError(f"{where}: expected relevant_documents as an object.")
    for key, held in value.items():
        if isinstance(held, list):  # documents by gain
            gain = number_of(key, "gain", where)
            yield from ((id_of(doc, "document", where), gain) for doc in held)
        elif isinstance(held, dict):
            yield id_of(key, "document", where), number_of(held.get("gain"), "gain", where)
        else:
            yield id_of(key, "document", where), number_of(held, "gain", where)


def _objects(value: Any, where: str) -> Iterator[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise DataError(f"{where}: expected an array of objects.")
    return iter(value)


FORMAT = Format(
    "rre",
    '{"topics": [{"query_groups": [{"queries": [...], "relevant_documents": {"d1": {"gain": 2}}}]}]}',
    _told,
    _judgments,
)
