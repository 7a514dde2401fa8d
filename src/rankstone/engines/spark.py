"""Evaluation inside Apache Spark: judgments and run are shuffled by query once, and stay there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankstone import errors
from rankstone.conventions import Conventions
from rankstone.core.ids import sort_key
from rankstone.core.provenance import Source
from rankstone.core.result import Result
from rankstone.engines.spark_tables import SparkTable, functions, open_tables
from rankstone.errors import DataError, UsageError
from rankstone.evaluation import evaluate as evaluate_here
from rankstone.evaluation_parts import (
    Evaluated,
    Plan,
    Request,
    completed,
    merged,
    notices_of,
    refuse_warnings,
    result_of,
    without_values,
)
from rankstone.evaluator import check_parts
from rankstone.evaluator_state import from_bytes
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.compute import Values

if TYPE_CHECKING:
    from rankstone.engines.spark_worker import Job

T = TypeVar("T")

#: Rows of a chunk: enough to make NumPy worthwhile, few enough for any worker.
CHUNK_ROWS = 1 << 18
#: Rows of one query that a task ranks in memory.
MAX_QUERY_ROWS = 20_000_000
#: Rows that are packed at once.
PACKED_ROWS = 1 << 21
_BUCKETS_PER_PARTITION = 4
_MERGED_AT = 64


@dataclass(frozen=True, eq=False)
class SparkEvaluation:
    """An evaluation whose values of queries stay in Spark.

    ``summary`` is a Result without values of queries: aggregates, notices, conventions.
    """

    summary: Result
    _plan: Plan = field(repr=False)
    _part: Evaluated = field(repr=False)
    _job: Job = field(repr=False)
    _rows: Any = field(repr=False)

    def __getitem__(self, measure: object) -> float:
        """Return the aggregate of a measure."""
        return self.summary[measure]

    @property
    def per_query(self) -> Any:
        """The values of queries as a Spark DataFrame: query, then a column for each measure."""
        now, names = self._job.columns, self._plan.names
        columns = [f"c{i}" for i in range(len(now))]
        frame = self._rows.where("state IS NULL").select("query", *columns).toDF("query", *now)
        if len(now) == len(names):
            return frame
        # Measures over all queries were computed here, from the judged documents.
        values = completed(self._plan, self._part).values
        late = [name for name in names if name not in now]
        rows = zip(values.queries, *(values.columns[n].tolist() for n in late), strict=True)
        kind = frame.schema["query"].dataType.simpleString()
        schema = ", ".join([f"query {kind}", *(f"`{n}` double" for n in late)])
        more = frame.sparkSession.createDataFrame(list(rows), schema)
        joined = more.join(frame, "query", "left") if now else more
        return joined.select("query", *(f"`{n}`" for n in names))

    def collect(self) -> Result:
        """Return an ordinary Result, with the values of all queries on the driver."""
        now = self._job.columns
        columns = _collected(self._rows.where("state IS NULL").drop("state"))
        queries = columns["query"]
        order = sorted(range(len(queries)), key=sort_key(queries).__getitem__)

        def floats(name: str) -> np.ndarray:
            return np.array(columns[name], np.float64)[order]

        values = Values(
            [queries[i] for i in order],
            {n: floats(f"c{i}") for i, n in enumerate(now)},
            {n: floats(f"w{i}") for i, n in enumerate(now) if n in self._job.weighted},
            self._part.values.aggregates,
        )
        unanswered = [queries[i] for i in order if not columns["answered"][i]]
        part = completed(self._plan, replace(self._part, values=values, unanswered=unanswered))
        made = self.summary.provenance
        sources = made.judgments, made.run
        return result_of(self._plan, part, name=self.summary.name, sources=sources)

    def unpersist(self) -> None:
        """Let Spark forget the values of queries."""
        self._rows.unpersist()


def evaluate(
    judgments: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    spark: Any = None,
    like: str | None = None,
    conventions: Conventions | None = None,
    tie_interval: bool = False,
    strict: bool = False,
    name: str | None = None,
    columns: Mapping[str, Any] | None = None,
    scores: str = "descending",
    partitions: int | None = None,
    chunk_rows: int = CHUNK_ROWS,
    max_query_rows: int = MAX_QUERY_ROWS,
    **choices: Any,
) -> SparkEvaluation:
    """Evaluate a run against judgments inside Spark.

    Args:
        judgments: a Spark DataFrame, or a path that Spark reads (Parquet, CSV, TSV, TREC text).
        run: a Spark DataFrame or a path.
        measures: names or measures.
        spark: the session that reads paths (default: the active one, else a new one).
        like: a tool whose numbers to give, such as ``"trec_eval-9"``.
        conventions: every other choice that changes a number.
        tie_interval: give each measure's value with ties at their worst and best, too.
        strict: make warnings errors, when the job is done.
        name: the name of the run.
        columns: the columns whose names do not say what they hold, by role.
        scores: ``"descending"``, or ``"ascending"`` if the lowest score is the best.
        partitions: number of partitions (default: that of the session, small ones joined).
        chunk_rows: number of rows that a task evaluates at a time.
        max_query_rows: the most rows of one query, which a task ranks in memory.
        choices: single conventions, for example ``ties="input"``.
    """
    request = Request.of(measures, like, conventions, choices, tie_interval=tie_interval)
    plan = request.plan(Conventions())
    limits = {"chunk_rows": chunk_rows, "max_query_rows": max_query_rows, "partitions": partitions}
    for what, value in limits.items():
        if value is not None and value < 1:
            raise UsageError(f"{what} must be at least 1, not {value}.")
    judged, ranked = open_tables(judgments, run, columns, name or "run", spark)
    weighted = _weighted(request)
    job = _job(plan, judged, ranked, scores, chunk_rows, max_query_rows, weighted)
    task = partial(_partition_task, job=job)
    # Kept, because two jobs read them: one takes the states, another the values of queries.
    rows = _by_query(judged, ranked, job, partitions).mapInArrow(task, job.spark_schema).persist()
    try:
        states = _with_errors(lambda: rows.where("state IS NOT NULL").select("state").collect())
        part = _merged([bytes(row["state"]) for row in states])
        check_parts(part.tally, job.name)
        if strict:
            refuse_warnings(job.name, notices_of(plan, part.tally))
    except BaseException:
        rows.unpersist()
        raise
    total = without_values(completed(plan, part))
    sources = Source(judged.source), Source(ranked.source)
    summary = result_of(plan, total, name=job.name, sources=sources)
    return SparkEvaluation(summary, plan, part, job, rows)


def _merged(states: list[bytes]) -> Evaluated:
    parts: list[Evaluated] = []
    for state in states:
        parts.append(from_bytes(state)[0])
        if len(parts) == _MERGED_AT:
            parts = [merged(parts)]
    return merged(parts)


def _weighted(request: Request) -> frozenset[str]:
    """Return the measures whose queries have weights, by an evaluation of two documents.

    A request that cannot be computed on any data fails here, before a job starts.
    """
    judgments, run = {"q": {"a": 4, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}
    names = [r.names[0] for r in request.measures]
    like = request.followed.name if request.followed else None
    try:
        result = evaluate_here(
            judgments,
            run,
            names,
            like=like,
            conventions=request.conventions,
            **request.choices,
        )
    except DataError:  # the two documents do not suit; the data may
        return frozenset(r.column for r in request.measures)
    return frozenset(result.weights)


def _job(
    plan: Plan,
    judged: SparkTable,
    ranked: SparkTable,
    scores: str,
    chunk_rows: int,
    max_query_rows: int,
    weighted: frozenset[str],
) -> Job:
    try:
        from rankstone.engines.spark_worker import Job
    except ImportError:
        raise errors.MissingDependencyError(
            "evaluation inside Spark needs the library pyarrow, here and on every executor: "
            "pip install 'rankstone[spark]'."
        ) from None
    request, roles = plan.request, ranked.roles
    number = roles.number_role if roles.names[2] is not None else None
    late = plan.deferred(plan.steps, max_grade_known=True)
    return Job(
        measures=tuple(r.names[0] for r in request.measures),
        like=request.followed.name if request.followed else None,
        conventions=None if request.conventions is None else request.conventions.to_dict(),
        choices=request.choices,
        tie_interval=request.tie_interval,
        scores=scores,
        name=ranked.what if ranked.source == "Spark DataFrame" else ranked.source,
        number=number,
        has_rank=len(roles.all) > 3,
        keeps_order=number is None or plan.reads_input_order,
        max_grade=_max_grade(judged),
        chunk_rows=chunk_rows,
        max_query_rows=max_query_rows,
        columns=tuple(n for n, m, c in plan.steps if (n, m, c) not in late),
        weighted=weighted,
        query_is_text=judged.kind("query") == "text",
        doc_is_text=judged.kind("doc") == "text",
    )


def _max_grade(judged: SparkTable) -> float:
    """Return the highest grade; missing values and grades that are not finite are refused.

    This reads the judgments once, which are few beside the run.
    """
    f = functions()
    query, doc, grade = judged.roles.names
    value = f.lit(1.0) if grade is None else f.col(f"`{grade}`").cast("double")
    odd = f.isnan(value) | (f.abs(value) == float("inf"))
    missing = [f.count(f.when(f.col(f"`{n}`").isNull(), 1)) for n in (query, doc)]
    row = _with_errors(
        lambda: judged.frame.agg(
            f.max(value).alias("highest"),
            f.count(f.lit(1)).alias("rows"),
            missing[0].alias("query"),
            missing[1].alias("doc"),
            f.count(f.when(value.isNull(), 1)).alias("grade"),
            f.count(f.when(odd, 1)).alias("odd"),
        ).collect()[0]
    )
    if not row["rows"]:
        raise DataError(f"{judged.what}: the table has no rows.")
    for name, column in zip(("query", "doc", "grade"), judged.roles.names, strict=True):
        if row[name]:
            raise DataError(
                f"{judged.what}: column {column!r} has no value in {errors.plural(row[name], 'row')}; "
                "fill them or drop the rows."
            )
    if row["odd"]:
        raise DataError(
            f"{judged.what}: the grade of {errors.plural(row['odd'], 'row')} is not a finite number. "
            "Remove them or repair what made them."
        )
    return max(0.0, float(row["highest"]))


def _by_query(judged: SparkTable, ranked: SparkTable, job: Job, partitions: int | None) -> Any:
    """Return judgments and run in packed rows, all rows of a query in one bucket.

    The rows of a bucket are side by side in one partition.
    """
    conf = judged.frame.sparkSession.conf
    n = partitions or int(conf.get("spark.sql.shuffle.partitions"))
    # More buckets than partitions, so that partitions differ less in size.
    buckets = n * _BUCKETS_PER_PARTITION
    packed = [_packed(table, side, job, buckets) for side, table in enumerate((judged, ranked))]
    return packed[0].union(packed[1]).repartition(n, "bucket").sortWithinPartitions("bucket")


def _packed(table: SparkTable, side: int, job: Job, buckets: int) -> Any:
    from rankstone.engines.spark_worker import SPARK_PACKED

    f = functions()
    names = dict(zip(("query", "doc", "number", "rank"), table.roles.names, strict=False))
    columns = []
    for column, kind in job.packed_columns(side).items():
        name = names.get(column)
        value = f.lit(1.0) if name is None else f.col(f"`{name}`")
        if column == "position":
            value = f.monotonically_increasing_id()
        columns.append(value.cast(kind).alias(column))
    key = f.xxhash64(columns[0]).alias("key")
    task = partial(_pack_task, side=side, buckets=buckets)
    return table.frame.select(key, *columns).mapInArrow(task, SPARK_PACKED)


def _pack_task(batches: Iterator[Any], side: int, buckets: int) -> Iterator[Any]:
    from rankstone.engines.spark_worker import pack_rows

    return pack_rows(batches, side, buckets, PACKED_ROWS)


def _partition_task(batches: Iterator[Any], job: Job) -> Iterator[Any]:
    from rankstone.engines.spark_worker import evaluate_partition

    return evaluate_partition(batches, job)


def _collected(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of a DataFrame as lists."""
    if hasattr(frame, "toArrow"):
        columns: dict[str, list[Any]] = frame.toArrow().to_pydict()
        return columns
    rows = frame.collect()
    return {name: [row[name] for row in rows] for name in frame.columns}


_RAISED = re.compile(r"^rankstone\.errors\.(\w+): (.*)$", re.MULTILINE)


def _with_errors(action: Callable[[], T]) -> T:
    """Return what an action returns; an error that a worker raised is raised here as it was."""
    try:
        return action()
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            raise
        raised = _RAISED.search(str(error))
        if raised is not None:
            raise getattr(errors, raised[1])(raised[2].strip()) from None
        if "No module named 'rankstone'" in str(error):
            raise errors.MissingDependencyError(
                "Spark's executors cannot import rankstone. Install its wheel on every node, or "
                "ship it with spark.archives (docs/scale.md shows how)."
            ) from None
        raise
