"""Rows written as tables: Parquet, Arrow IPC and CSV."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from io import TextIOWrapper
from itertools import islice
from typing import IO, Any

from rankstone.io.frames import missing
from rankstone.io.rows import TextRow, check_utf8

_BATCH = 1 << 16


def write_text(rows: Iterable[TextRow], out: IO[bytes], *, number: str) -> None:
    """Write rows as CSV with a header."""
    import csv

    wrapped = TextIOWrapper(out, "utf-8", newline="")
    try:
        writer = csv.writer(wrapped, lineterminator="\n")
        writer.writerow(("query_id", "doc_id", number))
        for query, doc, value in rows:
            check_utf8(query, doc, without="\0\r")
            writer.writerow((query, doc, repr(value)))
        wrapped.flush()
    finally:
        wrapped.detach()


def write_binary(rows: Iterable[TextRow], out: IO[bytes], *, number: str, kind: str) -> None:
    """Write rows as a Parquet or Arrow file; all columns are in memory until they are complete."""
    names = ("query_id", "doc_id", number)
    make, write = _library(kind)
    remaining = iter(rows)
    parts = []
    while batch := list(islice(remaining, _BATCH)):
        for query, doc, _ in batch:
            if not (query.isascii() and doc.isascii()):
                check_utf8(query, doc)
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
