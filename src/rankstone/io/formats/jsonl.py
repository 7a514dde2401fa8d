"""JSONL: one record in each line, either a row or all rows of a query."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO, Any

from rankstone.core.subtopics import Aspect
from rankstone.io.formats import Format, json_records
from rankstone.io.formats.json_records import Made
from rankstone.io.formats.json_scan import scan_records
from rankstone.io.input_file import Input
from rankstone.io.rows import TextRow, check_utf8


def _records(file: Input) -> Iterator[tuple[int, str, Any]]:
    for count, (where, value) in enumerate(file.records()):
        yield count, where, Made({"ids": value}) if isinstance(value, list) else value


def _write(rows: Iterable[TextRow], out: IO[bytes], *, number: str) -> None:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for query, doc, value in rows:
        if not (query.isascii() and doc.isascii()):
            check_utf8(query, doc)
        record = {"query_id": query, "doc_id": doc, number: value}
        out.write(encode(record).encode() + b"\n")


def _write_subtopics(rows: Iterable[Aspect], out: IO[bytes]) -> None:
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for query, doc, grade, subtopic, vital in rows:
        check_utf8(str(query), str(doc), str(subtopic))
        record = {"query_id": query, "doc_id": doc, "subtopic": subtopic, "relevance": grade}
        if vital is False:
            record["importance"] = "okay"
        out.write(encode(record).encode() + b"\n")


FORMAT = Format(
    "jsonl",
    '{"query_id": "q1", "doc_id": "d1", "score": 2.5}, or one query in a line with expected_ids '
    "or retrieved_ids",
    lambda file: file.carrier == "jsonl",
    lambda file: json_records.judgments(_records(file), file.options.columns),
    lambda file: json_records.run(_records(file), file.options.columns),
    partial(_write, number="relevance"),
    partial(_write, number="score"),
    accepts=lambda file: file.carrier != "text",
    scan=scan_records,
    write_subtopics=_write_subtopics,
    may_hold_subtopics=True,
    holds_importance=True,
)
