"""TREC runs and qrels row by row, to be converted; they are evaluated by ``trec.py``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import IO

from rankstone.errors import DataError
from rankstone.io.formats import Format, Input, Row, trec
from rankstone.io.formats.trec_layout import HEAD, Shape, qrels_shape, run_shape
from rankstone.io.rows import shown

_BLANK = re.compile(r"[\x00-\x20]")


def rows_of(text: Input, shape: Shape, what: str) -> Iterator[Row]:
    """Yield the rows of a file of known shape."""
    from rankstone.core.python_engine.text import Fault, read_row

    layout = shape.layout
    at = shape.first
    text.stream.seek(at)
    for line in iter(lambda: text.stream.readline((1 << 20) + 2), b""):
        body = line.removeprefix(b"\xef\xbb\xbf") if at == 0 else line
        try:
            read = read_row(body, layout)
        except Fault as fault:
            kind, *rest = fault.report
            raise trec.fault_error(text.path, (kind, at, *rest), shape, what, text.stream) from None
        at += len(line)
        if read is not None:
            fields, number = read
            yield _text(fields[layout.query]), _text(fields[layout.doc]), number


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _judgments(text: Input) -> Iterator[Row]:
    shape = qrels_shape(text.start, text.path, whole=text.size <= HEAD)
    return rows_of(text, shape, "TREC qrels")


def _run(text: Input) -> Iterator[Row]:
    shape = run_shape(text.start, text.path, whole=text.size <= HEAD)
    return rows_of(text, shape, "a TREC run")


def _holds(text: Input) -> str | None:
    """Tell by the number of columns and by what stands in the second."""
    count = len(text.rows[0]) if text.rows else 0
    second = {row[1] for row in text.rows if len(row) > 1}
    if count in (6, 7):
        return "run"
    if count == 4 and len(second) == 1 and second <= {b"0", b"Q0"}:
        return "judgments"
    return None


def _write_judgments(rows: Iterable[Row], out: IO[bytes]) -> None:
    for query, doc, grade in rows:
        _check(query, doc)
        out.write(f"{query} 0 {doc} {shown(grade)}\n".encode("utf-8", "surrogateescape"))


def _write_run(rows: Iterable[Row], out: IO[bytes]) -> None:
    """Write rows query by query, ranked by score as far as rows of a query stand together."""
    for query, block in groupby(rows, itemgetter(0)):
        ranked = sorted(block, key=lambda row: -row[2])
        for rank, (_, doc, score) in enumerate(ranked, 1):
            _check(query, doc)
            line = f"{query} Q0 {doc} {rank} {shown(score)} rankstone\n"
            out.write(line.encode("utf-8", "surrogateescape"))


def _check(query: str, doc: str) -> None:
    for what, value in (("query", query), ("document", doc)):
        if _BLANK.search(value) or (what == "query" and value.startswith(("#", "\ufeff"))):
            raise DataError(
                f"{what} id {value!a} cannot be written to a TREC file, whose ids have no "
                "blanks and start with no # or byte order mark. Convert to json or jsonl."
            )


FORMAT = Format(
    "trec",
    "q1 Q0 d1 1 2.5 tag (run); q1 0 d1 2 (judgments); also 3 to 7 columns and a header",
    lambda _: True,
    _judgments,
    _run,
    _write_judgments,
    _write_run,
    holds=_holds,
)
