"""Labelled data as pyvespa takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankstone.io.formats import Format, Input, json_records


def _told(text: Input) -> bool:
    value = text.value if text.carrier == "json" else None
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(v, dict) and "relevant_docs" in v and "query_id" in v for v in value)
    )


def _records(text: Input) -> Iterator[tuple[int, str, Any]]:
    for i, record in enumerate(text.value):
        held = {key: record[key] for key in ("query_id", "relevant_docs")}
        yield i, f"{text.path}, record {i + 1}", held


FORMAT = Format(
    "vespa",
    '[{"query_id": "q1", "query": ..., "relevant_docs": [{"id": "d1", "score": 1}]}]',
    _told,
    lambda text: json_records.judgments(_records(text)),
)
