"""Rows packed by query before Spark moves them, and the values that are refused.

Spark then moves and sorts a few large values instead of all rows: each is an Arrow batch of the
queries whose hashes are the same modulo the number of buckets, with lists of their documents and
scores. All rows of a query are in one bucket.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankstone.errors import DataError
from rankstone.spark.job import JUDGMENT, Job

PACKED = pa.schema([("bucket", pa.int32()), ("side", pa.int8()), ("payload", pa.binary())])
SPARK_PACKED = "bucket int, side tinyint, payload binary"
_WORDS = {"doc": "document id", "query": "query id"}
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def pack_rows(
    batches: Iterable[pa.RecordBatch], side: int, job: Job, buckets: int, rows_at_once: int
) -> Iterator[pa.RecordBatch]:
    """Return rows of (bucket, side, Arrow batch with a row for each query)."""
    pending: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        pending.append(batch)
        rows += batch.num_rows
        if rows >= rows_at_once:
            yield _packed(pending, side, job, buckets)
            pending, rows = [], 0
    if rows:
        yield _packed(pending, side, job, buckets)


def _packed(batches: list[pa.RecordBatch], side: int, job: Job, buckets: int) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches).combine_chunks()
    check_values(table, side, job)
    (encoded,) = table["query"].dictionary_encode().chunks
    bucket = _hashes(encoded.dictionary) % np.uint64(buckets)
    by_bucket = np.argsort(bucket, kind="stable")  # of the queries
    n = len(bucket)
    place = np.empty(n, np.uint16 if n <= 1 << 16 else np.uint32)  # 16 bits are sorted faster
    place[by_bucket] = np.arange(n)
    key = place[encoded.indices.to_numpy()]
    rows = table.drop_columns(["query"]).take(np.argsort(key, kind="stable"))
    offsets = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(key, minlength=n), out=offsets[1:])
    lists = [
        pa.ListArray.from_arrays(pa.array(offsets), column.combine_chunks())
        for column in rows.columns
    ]
    batch = pa.RecordBatch.from_arrays(
        [encoded.dictionary.take(pa.array(by_bucket)), *lists], schema=job.packed_schema(side)
    )
    present, starts = np.unique(bucket[by_bucket], return_index=True)
    ends = [*starts[1:].tolist(), n]
    payloads = [
        batch.slice(start, end - start).serialize().to_pybytes()
        for start, end in zip(starts.tolist(), ends, strict=True)
    ]
    return pa.RecordBatch.from_arrays(
        [
            pa.array(present.astype(np.int32)),
            pa.array(np.full(len(present), side, np.int8)),
            pa.array(payloads, pa.binary()),
        ],
        schema=PACKED,
    )


def _hashes(queries: pa.Array) -> np.ndarray:
    """Return a number for each query, the same in every process."""
    if pa.types.is_integer(queries.type):
        return (queries.to_numpy().view(np.uint64) * _GOLDEN) >> np.uint64(32)
    return np.array([crc32(query.encode()) for query in queries.to_pylist()], np.uint64)


def check_values(table: pa.Table, side: int, job: Job) -> None:
    """Refuse missing values and numbers that are not finite; say which query has them."""
    what = job.table_name(side)
    words = {**_WORDS, "number": "grade" if side == JUDGMENT else job.number}
    for name in table.column_names:
        column, word = table[name], words.get(name) or name
        if column.null_count:
            place = _place(table.filter(pc.is_null(column)))
            raise DataError(f"{what}: no {word} in a row of {place}; fill it or drop the row.")
        if pa.types.is_floating(column.type):
            finite = pc.is_finite(column)
            if not pc.all(finite).as_py() and len(column):
                place = _place(table.filter(pc.invert(finite)))
                raise DataError(
                    f"{what}: the {word} of {place} is not a finite number. Remove the row or "
                    "repair what made it."
                )


def _place(rows: pa.Table) -> str:
    row: dict[str, Any] = rows.slice(0, 1).to_pylist()[0]
    query, doc = row["query"], row["doc"]
    parts = [f"document {doc!r}"] if doc is not None else []
    parts += [f"query {query!r}"] if query is not None else []
    return " of ".join(parts) or "the data"
