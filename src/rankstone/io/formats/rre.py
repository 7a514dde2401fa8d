"""Ratings of the Rated Ranking Evaluator, which Quepid exports too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.scalars import number_of
from rankstone.errors import DataError
from rankstone.io.formats import Format
from rankstone.io.input_file import Input
from rankstone.io.rows import Id, id_of, objects_in


def _detect(file: Input) -> bool:
    return any(isinstance(file.record.get(key), list) for key in ("topics", "query_groups"))


def _judgments(file: Input) -> Iterator[Row]:
    value = file.value
    groups = [*objects_in(value.get("query_groups", []), file.path)]
    for topic in objects_in(value.get("topics", []), file.path):
        groups += objects_in(topic.get("query_groups", []), file.path)
    for i, group in enumerate(groups):
        where = f"{file.path}, query group {i + 1}"
        judged = list(_judged(group.get("relevant_documents"), where))
        for query in _queries(group, where):
            yield query, NO_DOCUMENT, 0.0
            for doc, gain in judged:
                yield query, doc, gain


def _queries(group: dict[str, Any], where: str) -> Iterator[Id]:
    """Yield the queries of a group: the text for the template, else the group's name."""
    queries = objects_in(group.get("queries", []), where)
    for query in queries or [{}]:
        placeholders = query.get("placeholders")
        text = placeholders.get("$query") if isinstance(placeholders, dict) else None
        yield id_of(group.get("name") if text is None else text, "query", where)


def _judged(value: Any, where: str) -> Iterator[tuple[Id, float]]:
    if not isinstance(value, dict):
        raise DataError(f"{where}: expected relevant_documents as an object.")
    for key, entry in value.items():
        if isinstance(entry, list):  # documents by gain
            gain = number_of(key, "gain", where)
            yield from ((id_of(doc, "document", where), gain) for doc in entry)
        elif isinstance(entry, dict):
            yield id_of(key, "document", where), number_of(entry.get("gain"), "gain", where)
        else:
            yield id_of(key, "document", where), number_of(entry, "gain", where)


FORMAT = Format(
    "rre",
    '{"topics": [{"query_groups": [{"queries": [...], "relevant_documents": {"d1": {"gain": 2}}}]}]}',
    _detect,
    _judgments,
)
