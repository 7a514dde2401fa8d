"""What a Spark task does: whole queries from sorted Arrow batches, evaluated chunk by chunk."""

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


def evaluate_partition(batches: Iterable[pa.RecordBatch], job: Job) -> Iterator[pa.RecordBatch]:
    """Return the values of the queries of a partition, and at the end one row with its state."""
    evaluator = job.evaluator()
    for chunk in whole_queries(batches, job):
        evaluator.add(_run(chunk, job), _judgments(chunk))
        yield _values(evaluator, job)
    if evaluator.last_part is not None:  # a partition may have no rows
        yield _row(job.schema, {"state": pa.array([evaluator.state()], pa.binary())}, 1)


def whole_queries(batches: Iterable[pa.RecordBatch], job: Job) -> Iterator[pa.Table]:
    """Join batches to chunks that end where a query ends; rows are sorted by the hash of queries.

    The rows of the last query wait for the next batch.
    """
    pending: list[pa.RecordBatch] = []
    rows = 0
    limit = job.chunk_rows
    for batch in batches:
        if not batch.num_rows:
            continue
        pending.append(batch)
        rows += batch.num_rows
        if rows < limit:
            continue
        table = pa.Table.from_batches(pending)
        keys = table.column("key").to_numpy()
        end = int(np.searchsorted(keys, keys[-1]))
        if end:
            yield table.slice(0, end)
            table = table.slice(end)
        _check_size(table, job)
        pending = table.to_batches()
        rows = table.num_rows
        limit = max(job.chunk_rows, 2 * rows)  # a long query is not joined again for each batch
    if pending:
        table = pa.Table.from_batches(pending)
        keys = table.column("key").to_numpy()
        _check_size(table.slice(int(np.searchsorted(keys, keys[-1]))), job)
        yield table


def _check_size(table: pa.Table, job: Job) -> None:
    """Refuse a query that is too long to be ranked in the memory of a task."""
    if table.num_rows <= job.max_query_rows:
        return
    raise DataError(
        f"{job.name}: query {table['query'][0].as_py()!r} has more than {job.max_query_rows} rows, "
        "the most that one task ranks in memory. Keep the best-ranked rows of each query, or "
        "raise max_query_rows= along with spark.executor.memoryOverhead (docs/scale.md has the "
        "memory for each row)."
    )


def _judgments(chunk: pa.Table) -> pa.Table:
    table = chunk.filter(pc.equal(chunk["side"], JUDGMENT)).select(["query", "doc", "number"])
    table = table.rename_columns(["query", "doc", "grade"])
    _check_values(table, "the judgments")
    return table


def _run(chunk: pa.Table, job: Job) -> pa.Table:
    table = chunk.filter(pc.equal(chunk["side"], RETRIEVED))
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
