"""Labelled data as pyvespa takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankstone.io.formats import Format, json_records
from rankstone.io.input_file import Input


def _detect(file: Input) -> bool:
    value = file.value if file.carrier == "json" else None
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(v, dict) and "relevant_docs" in v and "query_id" in v for v in value)
    )


def _records(file: Input) -> Iterator[tuple[int, str, Any]]:
    for i, record in enumerate(file.value):
        parts = {key: record[key] for key in ("query_id", "relevant_docs")}
        yield i, f"{file.path}, record {i + 1}", parts


FORMAT = Format(
    "vespa",
    '[{"query_id": "q1", "query": ..., "relevant_docs": [{"id": "d1", "score": 1}]}]',
    _detect,
    lambda file: json_records.judgments(_records(file)),
)
