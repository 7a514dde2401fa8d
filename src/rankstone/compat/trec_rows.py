"""Lines of TREC runs and qrels as other libraries take them, and the rows that ir_measures has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
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


class Qrel(NamedTuple):
    """A judged document."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A retrieved document."""

    query_id: str
    doc_id: str
    score: float


class Rows:
    """The rows of a TREC file, read anew each time; an evaluation reads the file itself."""

    def __init__(self, path: str, kind: type) -> None:
        self.path = path
        self._kind = kind

    def __iter__(self) -> Iterator[Any]:
        import gzip

        reader: Any = gzip.open if self.path.endswith(".gz") else open
        with reader(self.path, "rt", encoding="utf-8") as lines:
            yield from _rows(lines, self._kind)


def _rows(lines: Iterable[str], kind: type) -> Iterator[Any]:
    if kind is Qrel:
        return (Qrel(row.query, row.doc, row.value, row.second) for row in qrels_rows(lines))
    return (ScoredDoc(row.query, row.doc, row.value) for row in run_rows(lines))


def _read(file: Any, kind: type) -> Any:
    if isinstance(file, os.PathLike) or (isinstance(file, str) and "\n" not in file):
        return Rows(os.fspath(file), kind)
    return list(_rows(file.splitlines() if isinstance(file, str) else file, kind))


def read_trec_qrels(file: Any) -> Iterable[Qrel]:
    """Return the judgments in a TREC file: a path, an open file, or its text."""
    return _read(file, Qrel)


def read_trec_run(file: Any) -> Iterable[ScoredDoc]:
    """Return the documents in a TREC run: a path, an open file, or its text."""
    return _read(file, ScoredDoc)


def data_of(source: Any, value: str) -> Any:
    """Return judgments or a run as Rankstone takes them."""
    if isinstance(source, Rows):
        return source.path
    if isinstance(source, Mapping | str | os.PathLike) or hasattr(source, "columns"):
        return source
    queries: dict[Any, dict[Any, Any]] = {}
    rows = list(source)
    by_subtopic = value == "relevance" and len({getattr(r, "iteration", "0") for r in rows}) > 1
    for row in rows:
        try:
            docs = queries.setdefault(row.query_id, {})
            if by_subtopic:
                docs.setdefault(row.doc_id, {})[row.iteration] = row.relevance
            else:
                docs[row.doc_id] = getattr(row, value)
        except AttributeError:
            raise rs.UsageError(
                f"rows must have query_id, doc_id and {value}, as Qrel and ScoredDoc do; "
                f"found {row!r}."
            ) from None
    return queries
