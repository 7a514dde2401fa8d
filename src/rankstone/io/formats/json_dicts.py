"""JSON: an object of objects or of lists, or an array of records or of lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from rankstone.errors import DataError
from rankstone.io.formats import NO_DOCUMENT, Format, Input, Row, json_records
from rankstone.io.formats.strict_json import is_by_query
from rankstone.io.rows import Lists, check_utf8, id_of


def _judgments(text: Input) -> Iterable[Row]:
    value, path = text.value, text.path
    if isinstance(value, list):
        return json_records.judgments(_numbered(value, path, "expected_ids"))
    return _judged(_by_query(value, path, "relevant_docs"), path)


def _judged(value: dict[str, Any], path: str) -> Iterator[Row]:
    for key, judged in value.items():
        query = id_of(key, "query", path)
        where = f"{path}, query {query!a}"
        yield query, NO_DOCUMENT, 0.0
        for doc, grade in json_records.graded(_held(judged, where), where):
            yield query, doc, grade


def _run(text: Input) -> Iterable[Row] | Lists:
    value, path = text.value, text.path
    if isinstance(value, list):
        return json_records.run(_numbered(value, path, "retrieved_ids"))
    value = _by_query(value, path, "results")
    as_records = ({"query_id": q, "retrieved_ids": _held(v, f"{path}, query {q!a}")}
                  for q, v in value.items())  # fmt: skip
    return json_records.run((i, f"{path}, query {r['query_id']!a}", r)
                       for i, r in enumerate(as_records))  # fmt: skip


def _held(value: Any, where: str) -> Any:
    if not isinstance(value, dict | list):
        raise DataError(
            f"{where}: expected an object of documents with numbers, or an array of documents. If "
            "this is one record of JSONL, its lists have names such as expected_ids or retrieved_ids."
        )
    return value


def _by_query(value: Any, path: str, part: str) -> dict[str, Any]:
    """Return rows by query; a data set as one object holds them under a name."""
    if not isinstance(value, dict):
        raise DataError(f"{path}: expected an object or an array.")
    inner = value.get(part)
    return inner if isinstance(inner, dict) and "queries" in value else value


def _numbered(value: list[Any], path: str, part: str) -> Iterator[tuple[int, str, Any]]:
    for i, record in enumerate(value):
        held = {part: record} if isinstance(record, list) else record
        yield i, f"{path}, record {i + 1}", held


def _write(rows: Iterable[Row], out: IO[bytes]) -> None:
    data: dict[str, dict[str, float]] = {}
    for query, doc, number in rows:
        check_utf8(query, doc)
        docs = data.setdefault(query, {})
        if doc:
            docs[doc] = max(number, docs.get(doc, number))
    out.write(json.dumps(data, ensure_ascii=False).encode() + b"\n")


FORMAT = Format(
    "json",
    '{"q1": {"d1": 2}}, {"q1": ["d1", "d2"]}, or an array of records or lists',
    lambda text: text.carrier == "json" and is_by_query(text),
    _judgments,
    _run,
    _write,
    _write,
    may_be=lambda text: text.carrier != "text",
)
