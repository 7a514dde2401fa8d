"""Runs and judgments in text, as in scan_run.hpp and scan_judgments.hpp."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from itertools import groupby, pairwise
from operator import itemgetter
from typing import IO, Any

import numpy as np

from rankstone.core.judgments import repetitions
from rankstone.core.python_engine.lines import Fault, is_commented_row, lines_of, read_row
from rankstone.core.python_engine.place import (
    Outcome,
    Row,
    arrays_of,
    place,
    sampled,
    samples_of,
    tops_of,
)
from rankstone.core.row_layout import LineFault, RowLayout
from rankstone.core.text import decode

MOST_UNJUDGED = 1 << 20
MOST_NAMED = 1 << 16
_MOST_ITERATIONS = 3


class Index:
    """Exact look-up of judged queries and documents."""

    def __init__(
        self,
        query_bytes: bytes,
        query_offsets: np.ndarray,
        groups: np.ndarray,
        doc_bytes: bytes,
        doc_offsets: np.ndarray,
    ) -> None:
        self.queries = {q: i for i, q in enumerate(_split(query_bytes, query_offsets))}
        docs = _split(doc_bytes, doc_offsets)
        bounds = groups.tolist()
        self.docs = [dict(zip(docs[a:b], range(a, b), strict=True)) for a, b in pairwise(bounds)]


def _split(text: bytes, offsets: np.ndarray) -> list[bytes]:
    return [text[a:b] for a, b in pairwise(offsets.tolist())]


class UnjudgedQueries:
    """Queries without judgments: their number up to a limit, and the smallest of their ids."""

    def __init__(self) -> None:
        self.known: set[bytes] = set()
        self.smallest: set[bytes] = set()
        self.capped = False

    def add(self, query: bytes) -> None:
        """Count a query, and keep its id if it is among the smallest."""
        if len(self.known) < MOST_UNJUDGED:
            self.known.add(query)
        self.capped = self.capped or query not in self.known
        self.smallest.add(query)
        if len(self.smallest) > 2 * MOST_NAMED:
            self.smallest = set(sorted(self.smallest)[:MOST_NAMED])

    def report(self) -> dict[str, Any]:
        """Return the report of an engine on these queries."""
        return {
            "unjudged_queries": len(self.known),
            "unjudged_capped": self.capped,
            "unjudged_sample": sorted(self.smallest)[:MOST_NAMED],
        }


class _RunScan:
    """A run in a file, read line by line; the rows of one query at a time are in memory."""

    def __init__(
        self,
        stream: IO[bytes],
        layout: RowLayout,
        index: Index,
        float32: bool,
        repeats: bool,
        kept: int,
        ids_fall: int,
    ) -> None:
        self.stream, self.layout, self.index = stream, layout, index
        self.float32, self.repeats = float32, repeats
        self.kept, self.ids_fall = kept, ids_fall
        self.outcomes = [Outcome() for _ in index.docs]
        self.stretches: dict[int, list[tuple[int, int]]] = {}  # of judged queries, as offsets
        self.unjudged = UnjudgedQueries()
        self.rows = self.commented = 0
        self.query: bytes | None = None
        self.judged: int | None = None
        self.begin = 0
        self.current: list[Row] = []

    def add(self, at: int, line: bytes) -> bool:
        """Take the line at an offset; return whether another query begins with it."""
        row = read_row(line, self.layout)
        if row is None:
            self.commented += is_commented_row(line, self.layout)
            return False
        self.rows += 1
        query = row[0][self.layout.query]
        starts = query != self.query
        if starts:
            self.close(at)
            self.begin, self.query, self.judged = at, query, self.index.queries.get(query)
            if self.judged is None:
                self.unjudged.add(query)
        if self.judged is not None:
            self.current.append(self.row_of(*row))
        return starts

    def close(self, end: int) -> None:
        """Place the rows of the current query, unless others of it were seen before."""
        if self.judged is not None:
            stretches = self.stretches.setdefault(self.judged, [])
            stretches.append((self.begin, end))
            if len(stretches) == 1:
                docs = self.index.docs[self.judged]
                self.outcomes[self.judged] = place(self.current, docs, repeats=self.repeats)
        self.current.clear()

    def row_of(self, fields: list[bytes], score: float) -> Row:
        rank = fields[self.layout.rank] if self.layout.rank >= 0 else b""
        written = int(rank) if rank.isdigit() and len(rank) <= 9 else None
        if self.float32:
            with np.errstate(over="ignore"):
                score = float(np.float32(score))
        return fields[self.layout.doc], score, written

    def reread(self, judged: int) -> Iterator[Row]:
        """Yield the rows of a query, wherever in the file they are."""
        for begin, end in self.stretches[judged]:
            for _, line in lines_of(self.stream, begin, end):
                row = read_row(line, self.layout)
                if row is not None:
                    yield self.row_of(*row)

    def result(self) -> dict[str, Any]:
        docs = self.index.docs
        for q, stretches in self.stretches.items():
            if len(stretches) > 1:
                self.outcomes[q] = place(list(self.reread(q)), docs[q], repeats=self.repeats)
        return {
            **arrays_of(self.outcomes),
            **self.unjudged.report(),
            "fault": None,
            "rows": self.rows,
            "commented": self.commented,
            "doc_samples": samples_of(sampled(self.outcomes, docs), self.reread, docs),
            "tops": tops_of(sorted(self.stretches), self.reread, self.kept, self.ids_fall),
        }


def scan_run(
    descriptor: int,
    size: int,
    layout: RowLayout,
    index: Index,
    float32: bool,
    threads: int,  # noqa: ARG001
    range_size: int,  # noqa: ARG001
    progress: np.ndarray,
    first: int,
    repeats: bool,
    kept: int = 0,
    ids_fall: int = 0,
) -> dict[str, Any]:
    """Place the judged documents of a run in a file, and keep the first documents of queries."""
    where = os.lseek(descriptor, 0, os.SEEK_CUR)
    with open(os.dup(descriptor), "rb") as stream:
        scan = _RunScan(stream, layout, index, float32, repeats, kept, ids_fall)
        at = 0
        try:
            for at, line in lines_of(stream, min(first, size), size):
                if scan.add(at, line):
                    progress[0] = at
            scan.close(size)
            progress[0] = size
            return scan.result()
        except Fault as fault:
            kind, *rest = fault.report
            return {"fault": (kind, at, *rest)}
        finally:
            os.lseek(descriptor, where, os.SEEK_SET)  # a copied descriptor shares its position


def scan_lists(
    descriptor: int, size: int, record: Any, index: Index, float32: bool, ascending: bool
) -> None:
    """Return None: JSON is left to the strict reader."""


def judge_lists(descriptor: int, size: int, record: Any) -> dict[str, Any]:  # noqa: ARG001
    """Report a fault: JSON is left to the strict reader."""
    return {"fault": (int(LineFault.UNUSUAL), 0, 0, 0, b"")}


def read_rows(text: bytes, layout: RowLayout, offset: int = 0, most: int = 0) -> dict[str, Any]:
    """Read the rows of text that starts at some offset of its file.

    ``queries`` has one entry for each stretch of consecutive rows of a query, ``sizes`` the number of
    rows of each. With ``most``, only that many rows of a stretch, those with the highest numbers, are
    kept, and all that share the number of the last of these.
    """
    rows: list[tuple[bytes, bytes, float]] = []
    for at, line in lines_of(BytesIO(text), 0, len(text), mark=not offset):
        try:
            row = read_row(line, layout)
        except Fault as fault:
            kind, *rest = fault.report
            return {"fault": (kind, offset + at, *rest)}
        if row is not None:
            fields, number = row
            rows.append((fields[layout.query], fields[layout.doc], number))
    queries: list[str] = []
    sizes: list[int] = []
    kept: list[tuple[bytes, bytes, float]] = []
    for query, own in groupby(rows, key=itemgetter(0)):
        group = list(own)
        if most and len(group) > most:
            group.sort(key=itemgetter(2), reverse=True)
            group = [row for row in group if row[2] >= group[most - 1][2]]
        queries.append(decode(query))
        sizes.append(len(group))
        kept += group
    return {
        "fault": None,
        "queries": queries,
        "sizes": np.array(sizes, np.int64),
        "docs": [decode(doc) for _, doc, _ in kept],
        "numbers": np.array([number for _, _, number in kept], np.float64),
    }


def scan_judgments(
    text: bytes,
    layout: RowLayout,
    first: int = 0,
    threads: int = 1,  # noqa: ARG001
) -> dict[str, Any]:
    """Read judgments from text."""
    groups: dict[bytes, dict[bytes, list[float]]] = {}
    iterations: list[bytes] = []
    commented = 0
    for at, line in lines_of(BytesIO(text), first, len(text)):
        try:
            row = read_row(line, layout)
        except Fault as fault:
            kind, *rest = fault.report
            return {"fault": (kind, at, *rest)}
        if row is None:
            commented += is_commented_row(line, layout)
            continue
        fields, grade = row
        if layout.iteration >= 0 and fields[layout.iteration] not in iterations:
            iterations = [*iterations, fields[layout.iteration]][:_MOST_ITERATIONS]
        docs = groups.setdefault(fields[layout.query], {})
        docs.setdefault(fields[layout.doc], []).append(grade)
    return judgments_of(groups, commented, iterations)


def judgments_of(
    groups: dict[bytes, dict[bytes, list[float]]],
    commented: int = 0,
    iterations: list[bytes] | None = None,
) -> dict[str, Any]:
    """Lay judgments out by query; of several grades of a document the highest counts."""
    repeated: list[tuple[bytes, bytes]] = []
    contradicting: list[tuple[bytes, bytes]] = []
    order = _sorted_ids(groups)
    docs: list[bytes] = []
    highest: list[float] = []
    bounds = [0]
    for query in order:
        for doc, grades in groups[query].items():
            top = max(grades)
            same = grades.count(top)
            repeated += [(query, doc)] * (same - 1)
            contradicting += [(query, doc)] * (len(grades) - same)
            docs.append(doc)
            highest.append(top)
        bounds.append(len(docs))
    return {
        "fault": None,
        "query_bytes": b"".join(order),
        "query_offsets": _offsets(order),
        "groups": np.array(bounds, np.int64),
        "doc_bytes": b"".join(docs),
        "doc_offsets": _offsets(docs),
        "grades": np.array(highest, np.float64),
        "commented": commented,
        **repetitions(repeated, contradicting),
        "iterations": iterations or [],
    }


def _sorted_ids(ids: Any) -> list[bytes]:
    if all(i.isdigit() for i in ids):
        return sorted(ids, key=lambda i: (len(i.lstrip(b"0")), i.lstrip(b"0"), i))
    return sorted(ids)


def _offsets(ids: list[bytes]) -> np.ndarray:
    return np.cumsum([0] + [len(i) for i in ids], dtype=np.int64)
