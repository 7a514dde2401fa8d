"""What Spark tasks do: pack rows by a hash of their query, and evaluate whole queries.

Rows are packed before the shuffle, so that Spark moves and sorts a few large values instead of all
rows: each is an Arrow batch of the rows whose queries have the same hash, modulo the number of
buckets. All rows of a query are in one bucket.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankstone.conventions import Conventions
from rankstone.errors import DataError
from rankstone.evaluator import Evaluator

JUDGMENT, RETRIEVED = 0, 1  # values of the column "side"
_ARROW = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "boolean": pa.bool_(),
    "double": pa.float64(),
    "binary": pa.binary(),
}
PACKED = pa.schema([("bucket", pa.int32()), ("side", pa.int8()), ("payload", pa.binary())])
SPARK_PACKED = "bucket int, side tinyint, payload binary"
_WORDS = {"doc": "document id", "query": "query id"}


@dataclass(frozen=True)
class Job:
    """What every task needs to know; plain values, since it is sent to the executors.

    ``number`` is the role of the run's numbers: a score, a distance, a rank, or None if the order
    of rows is the ranking. A chunk has about ``chunk_rows`` rows; a query may have
    ``max_query_rows``. ``columns`` are the measures that tasks compute, and of those the
    ``weighted`` ones have weights.
    """

    measures: tuple[str, ...]
    like: str | None
    conventions: dict[str, Any] | None
    choices: dict[str, Any]
    tie_interval: bool
    scores: str
    name: str
    number: str | None
    has_rank: bool
    keeps_order: bool
    max_grade: float
    chunk_rows: int
    max_query_rows: int
    columns: tuple[str, ...]
    weighted: frozenset[str]
    query_is_text: bool
    doc_is_text: bool

    def packed_columns(self, side: int) -> dict[str, str]:
        """Return the columns of packed rows with their types, in the words of Spark."""
        columns = {
            "query": "string" if self.query_is_text else "bigint",
            "doc": "string" if self.doc_is_text else "bigint",
            "number": "double",
        }
        if side == RETRIEVED and self.has_rank:
            columns["rank"] = "double"
        if side == RETRIEVED and self.keeps_order:
            columns["position"] = "bigint"
        return columns

    def packed_schema(self, side: int) -> pa.Schema:
        """Return the same as a schema of Arrow."""
        return pa.schema([(n, _ARROW[kind]) for n, kind in self.packed_columns(side).items()])

    @property
    def schema(self) -> pa.Schema:
        """The rows that a task returns: a query with its values, or the state of a partition."""
        return pa.schema([(name, _ARROW[kind]) for name, kind in self._fields()])

    @property
    def spark_schema(self) -> str:
        """The same in the words of Spark."""
        return ", ".join(f"{name} {kind}" for name, kind in self._fields())

    def _fields(self) -> list[tuple[str, str]]:
        weights = [i for i, name in enumerate(self.columns) if name in self.weighted]
        return [
            ("query", "string" if self.query_is_text else "bigint"),
            ("answered", "boolean"),
            *((f"c{i}", "double") for i in range(len(self.columns))),
            *((f"w{i}", "double") for i in weights),
            ("state", "binary"),
        ]

    def evaluator(self) -> Evaluator:
        """Return an Evaluator for this job."""
        own = self.conventions
        return Evaluator(
            measures=self.measures,
            like=self.like,
            conventions=None if own is None else Conventions(**own),
            tie_interval=self.tie_interval,
            name=self.name,
            threads=1,
            columns={"distance": "distance"} if self.number == "distance" else None,
            scores=self.scores,
            per_query=False,
            max_grade=self.max_grade,
            **self.choices,
        )


def pack_rows(
    batches: Iterable[pa.RecordBatch], side: int, buckets: int, rows_at_once: int
) -> Iterator[pa.RecordBatch]:
    """Return rows of (bucket, side, Arrow batch), from rows that begin with the hash of a query."""
    pending: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        pending.append(batch)
        rows += batch.num_rows
        if rows >= rows_at_once:
            yield _packed(pending, side, buckets)
            pending, rows = [], 0
    if rows:
        yield _packed(pending, side, buckets)


def _packed(batches: list[pa.RecordBatch], side: int, buckets: int) -> pa.RecordBatch:
    table = pa.Table.from_batches(batches)
    key = table.column("key").to_numpy().view(np.uint64)
    small = np.uint16 if buckets <= 1 << 16 else np.uint32  # sorted by counting if it is small
    bucket = (key % np.uint64(buckets)).astype(small)
    order = np.argsort(bucket, kind="stable")
    bounds = np.searchsorted(bucket[order], np.arange(buckets + 1))
    sizes = np.diff(bounds)
    present = np.flatnonzero(sizes)
    (batch,) = table.drop_columns(["key"]).take(order).combine_chunks().to_batches()
    payloads = [
        batch.slice(start, n).serialize().to_pybytes()
        for start, n in zip(bounds[present].tolist(), sizes[present].tolist(), strict=True)
    ]
    return pa.RecordBatch.from_arrays(
        [
            pa.array(present.astype(np.int32)),
            pa.array(np.full(len(present), side, np.int8)),
            pa.array(payloads, pa.binary()),
        ],
        schema=PACKED,
    )


def evaluate_partition(batches: Iterable[pa.RecordBatch], job: Job) -> Iterator[pa.RecordBatch]:
    """Return the values of the queries of a partition, and at the end one row with its state."""
    evaluator = job.evaluator()
    for judgments, run in whole_queries(batches, job):
        evaluator.add(_run(run, job), _judgments(judgments))
        yield _values(evaluator, job)
    if evaluator.last_part is not None:  # a partition may have no rows
        yield _row(job.schema, {"state": pa.array([evaluator.state()], pa.binary())}, 1)


def whole_queries(
    batches: Iterable[pa.RecordBatch], job: Job
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Unpack judgments and run to chunks of whole buckets; packed rows are sorted by bucket.

    A bucket may go on in the next batch.
    """
    sides: tuple[list[pa.RecordBatch], list[pa.RecordBatch]] = ([], [])
    last, rows = -1, 0
    for batch in batches:
        payloads = batch.column("payload")
        where = zip(
            batch.column("bucket").to_pylist(), batch.column("side").to_pylist(), strict=True
        )
        for i, (bucket, side) in enumerate(where):
            if bucket != last and rows >= job.chunk_rows:
                yield _tables(sides, job)
                sides, rows = ([], []), 0
            last = bucket
            part = pa.ipc.read_record_batch(payloads[i].as_buffer(), job.packed_schema(side))
            sides[side].append(part)
            rows += part.num_rows
        if rows > job.max_query_rows:
            _check_size(sides[RETRIEVED], job)
    if rows:
        yield _tables(sides, job)


def _tables(
    sides: tuple[list[pa.RecordBatch], list[pa.RecordBatch]], job: Job
) -> tuple[pa.Table, pa.Table]:
    judgments, run = (
        pa.Table.from_batches(parts, job.packed_schema(side)).combine_chunks()
        for side, parts in enumerate(sides)
    )
    if run.num_rows > job.max_query_rows:
        _check_size(sides[RETRIEVED], job)
    return judgments, run


def _check_size(run: list[pa.RecordBatch], job: Job) -> None:
    """Refuse a query that is too long to be ranked in the memory of a task."""
    counts = pc.value_counts(pa.chunked_array([part.column("query") for part in run]))
    longest = pc.max(counts.field("counts")).as_py()
    if longest <= job.max_query_rows:
        return
    query = counts.field("values")[pc.index(counts.field("counts"), longest).as_py()].as_py()
    raise DataError(
        f"{job.name}: query {query!r} has more than {job.max_query_rows} rows, the most that one "
        "task ranks in memory. Keep the best-ranked rows of each query, or raise max_query_rows= "
        "along with spark.executor.memoryOverhead (docs/scale.md has the memory for each row)."
    )


def _judgments(table: pa.Table) -> pa.Table:
    table = table.rename_columns(["query", "doc", "grade"])
    _check_values(table, "the judgments")
    return table


def _run(table: pa.Table, job: Job) -> pa.Table:
    if job.keeps_order:
        table = table.take(pc.sort_indices(table["position"]))
    columns = {"query": table["query"], "doc": table["doc"]}
    if job.number is not None:
        columns[job.number] = table["number"]
    if job.has_rank:
        columns["rank"] = table["rank"]
    table = pa.table(columns)
    _check_values(table, job.name)
    return table


def _check_values(table: pa.Table, what: str) -> None:
    """Refuse missing values and numbers that are not finite; say which query has them."""
    for name in table.column_names:
        column = table[name]
        if column.null_count:
            row = table.filter(pc.is_null(column)).slice(0, 1).to_pylist()[0]
            raise DataError(
                f"{what}: no {_WORDS.get(name, name)} in a row of {_place(row)}; fill it or drop "
                "the row."
            )
        if pa.types.is_floating(column.type):
            finite = pc.is_finite(column)
            if not pc.all(finite).as_py() and len(column):
                row = table.filter(pc.invert(finite)).slice(0, 1).to_pylist()[0]
                raise DataError(
                    f"{what}: the {name} of {_place(row)} is not a finite number. Remove the row "
                    "or repair what made it."
                )


def _place(row: dict[str, Any]) -> str:
    query, doc = row["query"], row["doc"]
    parts = [f"document {doc!r}"] if doc is not None else []
    parts += [f"query {query!r}"] if query is not None else []
    return " of ".join(parts) or "the data"


def _values(evaluator: Evaluator, job: Job) -> pa.RecordBatch:
    """Return the values of the last chunk's queries as rows."""
    part = evaluator.last_part
    if part is None:
        return _row(job.schema, {}, 0)
    values, unanswered = part.values, {*part.unanswered}
    columns: dict[str, Any] = {
        "query": pa.array(values.queries, job.schema.field("query").type),
        "answered": pa.array([query not in unanswered for query in values.queries], pa.bool_()),
    }
    for i, name in enumerate(job.columns):
        columns[f"c{i}"] = pa.array(values.columns[name])
        if name in values.weights:
            columns[f"w{i}"] = pa.array(values.weights[name])
    return _row(job.schema, columns, len(values.queries))


def _row(schema: pa.Schema, columns: dict[str, Any], rows: int) -> pa.RecordBatch:
    filled = [columns.get(f.name, pa.nulls(rows, f.type)) for f in schema]
    return pa.RecordBatch.from_arrays(filled, schema=schema)
