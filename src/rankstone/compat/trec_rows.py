"""Lines of TREC runs and qrels as other libraries take them, and the rows that ir_measures has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import rankstone as rs


class TrecRow(NamedTuple):
    """A line: its number, the query, what follows it, the document, and its grade or score."""

    line: int
    query: str
    second: str
    doc: str
    value: Any


def trec_rows(lines: Iterable[str], kind: type) -> Iterator[TrecRow]:
    """Yield the rows of TREC qrels or of a run; blank lines are skipped."""
    shape, place, number = _SHAPES[kind]
    for at, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != len(shape.split()):
            raise rs.DataError(f"line {at}: expected '{shape}', found {line!r}.")
        try:
            value = number(fields[place])
        except ValueError:
            what = "a whole number" if number is int else "a number"
            raise rs.DataError(f"line {at}: {fields[place]!r} is not {what}: {line!r}.") from None
        query, second, doc = fields[:3]
        yield TrecRow(at, query, second, doc, value)


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


#: The fields of a line, the place of its number, and what number that is.
_SHAPES: dict[type, tuple[str, int, Any]] = {
    Qrel: ("query iteration document grade", 3, int),
    ScoredDoc: ("query Q0 document rank score tag", 4, float),
}


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
    for row in trec_rows(lines, kind):
        more = (row.second,) if kind is Qrel else ()
        yield kind(row.query, row.doc, row.value, *more)


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
