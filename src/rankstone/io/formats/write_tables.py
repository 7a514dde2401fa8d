"""Rows written as tables: Parquet, Arrow IPC and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from io import TextIOWrapper
from itertools import islice
from typing import IO, Any

from rankstone.core.subtopics import Aspect
from rankstone.io.frames import missing
from rankstone.io.rows import TextRow, check_utf8

_BATCH = 1 << 16


_SUBTOPIC_NAMES = ("query_id", "doc_id", "relevance", "subtopic", "importance")


def write_text(rows: Iterable[TextRow], out: IO[bytes], *, number: str) -> None:
    """Write rows as CSV with a header."""
    write_columns(rows, out, ("query_id", "doc_id", number))


def write_subtopics_as_text(rows: Iterable[Aspect], out: IO[bytes]) -> None:
    """Write judgments by subtopic as CSV with a header."""
    write_columns(_with_importance(rows), out, _SUBTOPIC_NAMES)


def write_binary(rows: Iterable[TextRow], out: IO[bytes], *, number: str, kind: str) -> None:
    """Write rows as a Parquet or Arrow file; all columns are in memory until they are complete."""
    _write_binary(rows, ("query_id", "doc_id", number), out, kind)


def write_subtopics_as_binary(rows: Iterable[Aspect], out: IO[bytes], *, kind: str) -> None:
    """Write judgments by subtopic as a Parquet or Arrow file."""
    _write_binary(_with_importance(rows), _SUBTOPIC_NAMES, out, kind)


def _with_importance(rows: Iterable[Aspect]) -> Iterator[tuple[Any, ...]]:
    return ((*row[:4], "okay" if row.vital is False else "vital") for row in rows)


def write_columns(
    rows: Iterable[tuple[Any, ...]],
    out: IO[bytes],
    names: Sequence[str],
    number: Callable[[float], str] = repr,
) -> None:
    """Write a header and rows of a query, a document, a number and perhaps texts as CSV."""
    import csv

    wrapped = TextIOWrapper(out, "utf-8", newline="")
    try:
        writer = csv.writer(wrapped, lineterminator="\n")
        writer.writerow(names)
        for query, doc, value, *more in rows:
            check_utf8(query, doc, *more, without="\0\r")
            writer.writerow((query, doc, number(value), *more))
        wrapped.flush()
    finally:
        wrapped.detach()


def _write_binary(
    rows: Iterable[tuple[Any, ...]], names: Sequence[str], out: IO[bytes], kind: str
) -> None:
    make, write = _library(kind)
    remaining = iter(rows)
    parts = []
    while batch := list(islice(remaining, _BATCH)):
        for query, doc, _, *more in batch:
            if more or not (query.isascii() and doc.isascii()):
                check_utf8(query, doc, *more)
        parts.append(make(dict(zip(names, zip(*batch, strict=True), strict=True))))
    if parts:
        write(parts, out)


def _library(kind: str) -> tuple[Any, Any]:
    """Return how to make a table of columns, and how to write such tables as one."""
    if find_spec("polars") is not None:
        import polars as pl

        def write_frames(parts: list[Any], out: IO[bytes]) -> None:
            whole = pl.concat(parts)
            (whole.write_parquet if kind == "parquet" else whole.write_ipc)(out)

        return pl.DataFrame, write_frames
    if find_spec("pyarrow") is None:
        raise missing("polars or pyarrow", f"writing {kind} files")
    import pyarrow as pa
    from pyarrow import feather, parquet

    def write_arrow(parts: list[Any], out: IO[bytes]) -> None:
        whole = pa.concat_tables(parts)
        if kind == "parquet":
            parquet.write_table(whole, out)
        else:
            feather.write_feather(whole, out, compression="uncompressed")

    return lambda columns: pa.table({n: list(v) for n, v in columns.items()}), write_arrow
