"""JSONL: one record in each line, either a row or all rows of a query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from rankstone.io.formats import Format, Input, Row, json_records
from rankstone.io.formats.strict_json import parse
from rankstone.io.rows import check_utf8


def _records(text: Input) -> Iterator[tuple[int, str, Any]]:
    found = 0
    for number, line in text.lines():
        if line.strip():
            where = f"{text.path}:{number}"
            value = parse(line, where)
            yield found, where, {"ids": value} if isinstance(value, list) else value
            found += 1


def _write(rows: Iterable[Row], out: IO[bytes], name: str) -> None:
    for query, doc, number in rows:
        check_utf8(query, doc)
        record = {"query_id": query, "doc_id": doc, name: number}
        out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


FORMAT = Format(
    "jsonl",
    '{"query_id": "q1", "doc_id": "d1", "score": 2.5}, or one query in a line with expected_ids '
    "or retrieved_ids",
    lambda text: text.carrier == "jsonl",
    lambda text: json_records.judgments(_records(text)),
    lambda text: json_records.run(_records(text)),
    lambda rows, out: _write(rows, out, "relevance"),
    lambda rows, out: _write(rows, out, "score"),
    may_be=lambda text: text.carrier != "text",
)
