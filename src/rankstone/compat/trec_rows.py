"""Lines of TREC runs and qrels, as the parsers of other libraries take them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import rankstone as rs

_QRELS = "query iteration document grade"
_RUN = "query Q0 document rank score tag"


class TrecRow(NamedTuple):
    """A line: its number, the query, what follows it, the document, and its grade or score."""

    line: int
    query: str
    second: str
    doc: str
    value: Any


def qrels_rows(lines: Iterable[str]) -> Iterator[TrecRow]:
    """Yield the rows of TREC qrels; blank lines are skipped."""
    for number, line, fields in _split(lines, _QRELS):
        query, second, doc, grade = fields
        yield TrecRow(number, query, second, doc, _number(int, grade, number, line))


def run_rows(lines: Iterable[str]) -> Iterator[TrecRow]:
    """Yield the rows of a TREC run; blank lines are skipped."""
    for number, line, fields in _split(lines, _RUN):
        query, second, doc, _, score, _ = fields
        yield TrecRow(number, query, second, doc, _number(float, score, number, line))


def by_query(rows: Iterable[TrecRow]) -> dict[str, dict[str, Any]]:
    """Return the values of rows by query and document; a document twice is an error."""
    queries: dict[str, dict[str, Any]] = {}
    for row in rows:
        docs = queries.setdefault(row.query, {})
        if row.doc in docs:
            raise rs.DataError(
                f"line {row.line}: document {row.doc!r} of query {row.query!r} is there twice."
            )
        docs[row.doc] = row.value
    return queries


def _split(lines: Iterable[str], shape: str) -> Iterator[tuple[int, str, list[str]]]:
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) == len(shape.split()):
            yield number, line, fields
        elif fields:
            raise rs.DataError(f"line {number}: expected '{shape}', found {line!r}.")


def _number(kind: type, text: str, number: int, line: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise rs.DataError(f"line {number}: {text!r} is not {what}: {line!r}.") from None
