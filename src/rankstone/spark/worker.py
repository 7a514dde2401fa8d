"""The tasks of a Spark job: evaluate the queries of a partition, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankstone.choices.setup import DEFAULT
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.run import EmptyRun, Run, RunWithAllQueries
from rankstone.errors import DataError
from rankstone.io.load import load_judgments, load_run
from rankstone.spark.job import EXCLUDED, JUDGMENT, RETRIEVED, SIDES, Job
from rankstone.verbs.evaluator import Evaluator

Sides = tuple[pa.Table, pa.Table, pa.Table]


def evaluate_partition(batches: Iterable[pa.RecordBatch], job: Job) -> Iterator[pa.RecordBatch]:
    """Return the values of the queries of a partition, and at the end one row with its state."""
    evaluator = job.evaluator()
    for tables in whole_queries(batches, job):
        judgments = tables[JUDGMENT].rename_columns(["query", "doc", job.grade, *job.subtopics])
        excluded = tables[EXCLUDED] if job.excludes else None
        more = {"exclude": excluded} if excluded is not None else {}
        evaluator.add(_run(tables[RETRIEVED], job), judgments=judgments, **more)
        yield _values(evaluator, job)
    yield from _state(evaluator, job)


def _state(evaluator: Evaluator, job: Job) -> Iterator[pa.RecordBatch]:
    if evaluator.last_part is not None:  # a partition may have no rows
        yield _row(job.schema, {"state": pa.array([evaluator.state()], pa.binary())}, 1)


def whole_queries(batches: Iterable[pa.RecordBatch], job: Job) -> Iterator[Sides]:
    """Unpack rows to chunks of whole buckets; packed rows are sorted by bucket.

    A bucket may go on in the next batch.
    """
    schemas = [job.packed_schema(side) for side in SIDES]
    parts: list[list[pa.RecordBatch]] = [[] for _ in SIDES]
    last, rows = -1, 0
    for batch in batches:
        payloads = batch.column("payload")
        where = zip(
            batch.column("bucket").to_pylist(), batch.column("side").to_pylist(), strict=True
        )
        for i, (bucket, side) in enumerate(where):
            if bucket != last and rows >= job.chunk_rows:
                yield _tables(parts, schemas)
                parts, rows = [[] for _ in SIDES], 0
            last = bucket
            part = pa.ipc.read_record_batch(payloads[i].as_buffer(), schemas[side])
            parts[side].append(part)
            rows += len(part.column("doc").values)
        if rows > job.max_query_rows:
            _check_size(parts[RETRIEVED], job)
    if rows:
        if rows > job.max_query_rows:
            _check_size(parts[RETRIEVED], job)
        yield _tables(parts, schemas)


def _tables(parts: list[list[pa.RecordBatch]], schemas: list[pa.Schema]) -> Sides:
    judgments, run, excluded = (
        _flat(pa.Table.from_batches(some, schema))
        for some, schema in zip(parts, schemas, strict=True)
    )
    return judgments, run, excluded


def _flat(table: pa.Table) -> pa.Table:
    """Return a row for each document, from a row for each query with lists."""
    table = table.combine_chunks()
    n = [0] if not table.num_rows else pc.list_value_length(table["doc"]).to_numpy()
    query = np.repeat(np.arange(len(n)), n)
    columns = {name: pc.list_flatten(table[name]) for name in table.column_names[1:]}
    return pa.table({"query": table["query"].take(query), **columns})


def _check_size(run: list[pa.RecordBatch], job: Job) -> None:
    """Refuse a query that is too long to be ranked in the memory of a task."""
    sizes = pa.table(
        {
            "query": pa.chunked_array([part.column("query") for part in run]),
            "rows": pa.chunked_array([pc.list_value_length(part.column("doc")) for part in run]),
        }
    )
    sums = sizes.group_by("query").aggregate([("rows", "sum")])
    longest = pc.max(sums["rows_sum"]).as_py()
    if longest <= job.max_query_rows:
        return
    query = sums["query"][pc.index(sums["rows_sum"], longest).as_py()].as_py()
    raise DataError(
        f"{job.name}: query {query!r} has more than {job.max_query_rows} rows, the most that one "
        "task ranks in memory. Keep the best-ranked rows of each query, or raise max_query_rows= "
        "along with spark.executor.memoryOverhead (docs/spark.md has the memory for each row)."
    )


def _run(table: pa.Table, job: Job) -> pa.Table:
    if "position" in table.column_names:
        table = table.take(pc.sort_indices(table["position"]))
    columns = {"query": table["query"], "doc": table["doc"]}
    if job.number is not None:
        columns[job.number] = table["number"]
    if job.has_rank:
        columns["rank"] = table["rank"]
    return pa.table(columns)


def evaluate_lists(batches: Iterable[pa.RecordBatch], job: Job) -> Iterator[pa.RecordBatch]:
    """Do the same for rows of (query, retrieved documents, relevant documents)."""
    evaluator = job.evaluator()
    for batch in batches:
        for name in batch.schema.names:
            if batch.column(name).null_count:
                raise DataError(
                    f"{job.name}: column {name!r} has no value in a row; fill it, with an empty "
                    "list if there are no documents, or drop the row."
                )
        ends = np.cumsum(pc.list_value_length(batch.column(1)).to_numpy())
        start = 0
        while start < batch.num_rows:
            done = ends[start - 1] if start else 0
            end = max(start + 1, int(np.searchsorted(ends, done + job.chunk_rows, "right")))
            run, judgments = _listed(batch.slice(start, end - start), job)
            evaluator.add(run, judgments=judgments)
            yield _values(evaluator, job)
            start = end
    yield from _state(evaluator, job)


def _listed(rows: pa.RecordBatch, job: Job) -> tuple[Run, Judgments]:
    """Return run and judgments; a query without relevant documents is judged all the same."""
    query = rows.column(0).cast(job.schema.field("query").type)
    retrieved, expected = (
        _flat(pa.table({"query": query, "doc": _document_ids(rows.column(i), name, job)}))
        for i, name in enumerate(rows.schema.names)
        if i
    )
    own = DEFAULT.replace(name=job.name, threads=1)
    run = load_run(retrieved, own) if retrieved.num_rows else EmptyRun(job.name)
    judgments = EMPTY
    if expected.num_rows:
        judgments = load_judgments(expected, DEFAULT.replace(columns={"grade": None}))
    empty = pc.equal(pc.list_value_length(rows.column(2)), 0)
    return RunWithAllQueries(run), judgments.with_queries(query.filter(empty).to_pylist())


def _document_ids(lists: pa.Array, name: str, job: Job) -> pa.Array:
    """Return ids as text or whole numbers; RankingEvaluator of Spark has doubles."""
    docs = lists.flatten()
    if docs.null_count:
        raise DataError(f"{job.name}: a document in column {name!r} has no id; drop it.")
    try:
        return lists.cast(pa.list_(pa.string() if job.doc_is_text else pa.int64()))
    except pa.ArrowInvalid as error:
        raise DataError(
            f"{job.name}: a document id in column {name!r} is not a whole number ({error}). Cast "
            "the column to array<bigint> or array<string>."
        ) from None


def _values(evaluator: Evaluator, job: Job) -> pa.RecordBatch:
    """Return the values of the last chunk's queries as rows."""
    part = evaluator.last_part
    if part is None:
        return _row(job.schema, {}, 0)
    values, unanswered = part.values, {*part.unanswered}
    columns: dict[str, Any] = {
        "query": pa.array(list(values.queries), job.schema.field("query").type),
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
