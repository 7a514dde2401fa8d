"""JSON: an object of objects or of lists, or an array of records or of lists; and JSONL.

A line of JSONL is a record: either a row, or all rows of a query.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO, Any

from rankstone.core.run import Row
from rankstone.core.subtopics import Aspect
from rankstone.errors import DataError
from rankstone.io.formats import Format, json_records
from rankstone.io.formats.json_records import Made
from rankstone.io.formats.json_scan import scan_lists, scan_records
from rankstone.io.formats.strict_json import is_by_query
from rankstone.io.input_file import Input
from rankstone.io.rows import Lists, TextRow, check_utf8


def _judgments(file: Input) -> Iterable[Row | Aspect]:
    value, path = file.value, file.path
    if isinstance(value, list):
        records = _numbered(value, path, "expected_ids")
    else:
        judged = _by_query(value, path, "relevant_docs")
        lists = [docs for docs in judged.values() if isinstance(docs, dict)]
        if "queries" in judged and any(isinstance(g, dict) for own in lists for g in own.values()):
            raise DataError(
                f"{path}: this looks like a data set in one object, and it has no judgments under "
                "'relevant_docs'."
            )
        records = _by_record(judged, path, "expected_ids")
    return json_records.judgments(records, file.options.columns)


def _run(file: Input) -> Iterable[Row] | Lists:
    value, path = file.value, file.path
    if isinstance(value, list):
        records = _numbered(value, path, "retrieved_ids")
    else:
        records = _by_record(_by_query(value, path, "results"), path, "retrieved_ids")
    return json_records.run(records, file.options.columns)


def _by_record(value: dict[Any, Any], path: str, part: str) -> Iterator[tuple[int, str, Any]]:
    for i, (query, docs) in enumerate(value.items()):
        where = f"{path}, query {query!a}"
        if not isinstance(docs, dict | list):
            raise DataError(
                f"{where}: expected an object of documents with numbers, or an array of documents. If "
                "this is one record of JSONL, its lists have names such as expected_ids or "
                "retrieved_ids."
            )
        yield i, where, Made({"query_id": query, part: docs})


def _by_query(value: Any, path: str, part: str) -> dict[Any, Any]:
    """Return rows by query; a data set as one object holds them under a name."""
    if not isinstance(value, dict):
        raise DataError(f"{path}: expected an object or an array.")
    inner = value.get(part)
    return inner if isinstance(inner, dict) and "queries" in value else value


def _numbered(value: list[Any], path: str, part: str) -> Iterator[tuple[int, str, Any]]:
    for i, record in enumerate(value):
        made = Made({part: record}) if isinstance(record, list) else record
        yield i, f"{path}, record {i + 1}", made


def _write(rows: Iterable[TextRow], out: IO[bytes]) -> None:
    data: dict[str, dict[str, float]] = {}
    for query, doc, number in rows:
        docs = data.setdefault(query, {})
        if doc:
            docs[doc] = max(number, docs.get(doc, number))
    text = json.dumps(data, ensure_ascii=False)
    if not text.isascii():
        for query, docs in data.items():
            check_utf8(query, *docs)
    out.write(text.encode() + b"\n")


FORMAT = Format(
    "json",
    '{"q1": {"d1": 2}}, {"q1": ["d1", "d2"]}, or an array of records or lists',
    lambda file: file.carrier == "json" and is_by_query(file),
    _judgments,
    _run,
    _write,
    _write,
    accepts=lambda file: file.carrier != "text",
    scan=scan_lists,
    holds_empty_queries=True,
    may_hold_subtopics=True,
)


def _lines(file: Input) -> Iterator[tuple[int, str, Any]]:
    for count, (where, value) in enumerate(file.records()):
        yield count, where, Made({"ids": value}) if isinstance(value, list) else value


def _write_rows(rows: Iterable[TextRow], out: IO[bytes], *, number: str) -> None:
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


JSONL = Format(
    "jsonl",
    '{"query_id": "q1", "doc_id": "d1", "score": 2.5}, or one query in a line with expected_ids '
    "or retrieved_ids",
    lambda file: file.carrier == "jsonl",
    lambda file: json_records.judgments(_lines(file), file.options.columns),
    lambda file: json_records.run(_lines(file), file.options.columns),
    partial(_write_rows, number="relevance"),
    partial(_write_rows, number="score"),
    accepts=lambda file: file.carrier != "text",
    scan=scan_records,
    write_subtopics=_write_subtopics,
    may_hold_subtopics=True,
    holds_importance=True,
)
