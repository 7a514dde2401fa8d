"""Judgments and runs as ir_measures has them: rows, read from TREC files or given."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import rankstone as rs
from rankstone.compat.trec_rows import qrels_rows, run_rows


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
