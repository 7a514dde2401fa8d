"""Evaluation inside Apache Spark: judgments and run are shuffled by query once, and stay there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rankstone import errors
from rankstone.conventions import Conventions
from rankstone.core.provenance import Source
from rankstone.engines.spark_judgments import facts_of, grade_name
from rankstone.engines.spark_result import SparkEvaluation, with_errors
from rankstone.engines.spark_tables import (
    SparkTable,
    functions,
    open_excluded,
    open_lists,
    open_tables,
)
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
from rankstone.io.parents import Parents, plain_parents
from rankstone.io.scored import check_changes
from rankstone.measures import DEFAULT, Measure

if TYPE_CHECKING:
    from rankstone.engines.spark_job import Job

#: Rows of a chunk: enough to make NumPy worthwhile, few enough for any worker.
CHUNK_ROWS = 1 << 18
#: Rows of one query that a task ranks in memory.
MAX_QUERY_ROWS = 20_000_000
#: Rows that are packed at once: so many for each bucket, between two limits.
ROWS_PER_BUCKET, LEAST_PACKED, MOST_PACKED = 1 << 12, 1 << 18, 1 << 21
_BUCKETS_PER_PARTITION = 4
_MERGED_AT = 64
_JOINS_KEPT = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"

__all__ = ["SparkEvaluation", "evaluate", "evaluate_lists"]


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
    exclude: Any = None,
    scores: str = "descending",
    min_score: float | None = None,
    parents: Any = None,
    parent_rule: str = "first",
    judged_chunks: bool = False,
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
        exclude: a Spark DataFrame or a path with (query, document) pairs that are removed from
            the run, such as training data.
        scores: ``"descending"``, or ``"ascending"`` if the lowest score is the best.
        min_score: a document with a worse score counts as not retrieved.
        parents: the document of each chunk, for a run of chunks: a dict, a pattern such as
            ``{doc}#{n}``, or the path of a file, which is read here and sent to the tasks.
        parent_rule: how the chunks of a document become one result: first, max or sum.
        judged_chunks: whether the judgments are of chunks too, and become judgments of documents.
        partitions: number of partitions (default: at most that of the session for shuffles, with
            small ones joined).
        chunk_rows: number of rows that a task evaluates at a time.
        max_query_rows: the most rows of one query, which a task ranks in memory.
        choices: single conventions, for example ``ties="input"``.
    """
    request = Request.of(measures, like, conventions, choices, tie_interval=tie_interval)
    plan = request.plan(Conventions())
    _check_limits(chunk_rows=chunk_rows, max_query_rows=max_query_rows, partitions=partitions)
    judged, ranked = open_tables(judgments, run, columns, name or "run", spark)
    tables = [judged, ranked]
    if exclude is not None:
        tables.append(open_excluded(exclude, columns, judged, spark))
    facts = facts_of(judged, columns)
    roles = ranked.roles
    number = roles.number_role if roles.names[2] is not None else None
    changes = _changes(
        ranked.what,
        min_score,
        parents,
        parent_rule,
        judged_chunks,
        has_scores=number != "rank" and number is not None,
    )
    job = _job(
        plan,
        scores=scores,
        name=ranked.what if ranked.source == "Spark DataFrame" else ranked.source,
        number=number,
        has_rank=len(roles.all) > 3,
        keeps_order=number is None or plan.reads_input_order,
        max_grade=facts.max_grade,
        chunk_rows=chunk_rows,
        max_query_rows=max_query_rows,
        query_is_text=any(table.kind("query") == "text" for table in tables),
        doc_is_text=any(table.kind("doc") == "text" for table in tables),
        excludes=exclude is not None,
        grade=grade_name(judged, columns),
        subtopics=facts.subtopics,
        changes=changes,
    )
    rows = _by_query(tables, job, partitions).mapInArrow(
        partial(_partition_task, job=job), job.spark_schema
    )
    sources = Source(judged.source), Source(ranked.source)
    return _evaluated(plan, job, rows, sources, strict=strict)


def evaluate_lists(
    data: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    spark: Any = None,
    like: str | None = None,
    conventions: Conventions | None = None,
    tie_interval: bool = False,
    strict: bool = False,
    name: str | None = None,
    columns: Mapping[str, Any] | None = None,
    chunk_rows: int = CHUNK_ROWS,
    **choices: Any,
) -> SparkEvaluation:
    """Evaluate rows that hold the ranking of a query and its relevant documents in arrays.

    This is what RankingEvaluator of Spark takes. No rows are moved between partitions.

    Args:
        data: a Spark DataFrame or a path to Parquet, with a column of documents, best first
            (``prediction``), a column of relevant documents (``label``), and perhaps one of
            query ids. Rows without a query id are numbered.
        measures: names or measures.
        spark: the session that reads paths (default: the active one, else a new one).
        like: a tool whose numbers to give.
        conventions: every other choice that changes a number.
        tie_interval: give each measure's value with ties at their worst and best, too.
        strict: make warnings errors, when the job is done.
        name: the name of the run.
        columns: other names of the columns: ``{"retrieved": ..., "expected": ..., "query": ...}``.
        chunk_rows: number of documents that a task evaluates at a time.
        choices: single conventions.
    """
    request = Request.of(measures, like, conventions, choices, tie_interval=tie_interval)
    plan = request.plan(Conventions())
    _check_limits(chunk_rows=chunk_rows)
    lists = open_lists(data, columns, name or "run", spark)
    job = _job(
        plan,
        scores="descending",
        name=lists.what,
        number=None,
        has_rank=False,
        keeps_order=False,
        max_grade=1.0,
        chunk_rows=chunk_rows,
        max_query_rows=MAX_QUERY_ROWS,
        query_is_text=lists.query_is_text,
        doc_is_text=lists.doc_is_text,
    )
    if lists.query is not None:
        _check_repeated(lists.frame, lists.what)
    rows = lists.frame.mapInArrow(partial(_lists_task, job=job), job.spark_schema)
    sources = Source(lists.source), Source(lists.source)
    return _evaluated(plan, job, rows, sources, strict=strict)


def _changes(
    name: str,
    min_score: float | None,
    parents: Any,
    parent_rule: str,
    judged_chunks: bool,
    *,
    has_scores: bool,
) -> dict[str, Any]:
    """Return what changes the run before it is ranked, in plain values; bad options are refused."""
    check_changes(name, min_score, parents, parent_rule, has_scores=has_scores)
    if judged_chunks and parents is None:
        raise UsageError("judged_chunks=True needs parents=, the document of each chunk.")
    plain = None if parents is None else plain_parents(parents)
    if isinstance(plain, str):
        Parents.of(plain)
    return {
        "min_score": min_score,
        "parents": plain,
        "parent_rule": parent_rule,
        "judged_chunks": judged_chunks,
    }


def _check_limits(**limits: int | None) -> None:
    for what, value in limits.items():
        if value is not None and value < 1:
            raise UsageError(f"{what} must be at least 1, not {value}.")


def _check_repeated(frame: Any, what: str) -> None:
    """Refuse a query that has several rows; only the ids are read."""
    counts = frame.groupBy("query").count().where("count > 1")
    repeated = with_errors(lambda: counts.orderBy("query").limit(1).collect())
    if repeated:
        query, n = repeated[0]
        raise DataError(
            f"{what}: query {query!r} has {n} rows; a ranking and its relevant documents are one "
            "row. Keep one of them, or give each ranking an id of its own."
        )


def _evaluated(
    plan: Plan, job: Job, rows: Any, sources: tuple[Source, Source], *, strict: bool
) -> SparkEvaluation:
    rows = _persisted(rows)
    try:
        states = with_errors(lambda: rows.where("state IS NOT NULL").select("state").collect())
        if not states:
            raise DataError(f"{job.name}: the table has no rows.")
        part = _merged([bytes(row["state"]) for row in states])
        check_parts(part.tally, job.name)
        if strict:
            refuse_warnings(job.name, notices_of(plan, part.tally))
    except BaseException:
        rows.unpersist()
        raise
    total = without_values(completed(plan, part))
    summary = result_of(plan, total, name=job.name, sources=sources)
    return SparkEvaluation(summary, plan, part, job, rows)


def _persisted(rows: Any) -> Any:
    """Keep rows, because two jobs read them: one takes states, another the values of queries.

    Spark joins small partitions of rows that it keeps only if a setting allows it.
    """
    conf = rows.sparkSession.conf
    before = conf.get(_JOINS_KEPT, None)
    conf.set(_JOINS_KEPT, "true")
    try:
        return rows.persist()
    finally:
        if before is None:
            conf.unset(_JOINS_KEPT)
        else:
            conf.set(_JOINS_KEPT, before)


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


def _job(plan: Plan, **fields: Any) -> Job:
    try:
        from rankstone.engines.spark_job import Job
    except ImportError:
        raise errors.MissingDependencyError(
            "evaluation inside Spark needs the library pyarrow, here and on every executor: "
            "pip install 'rankstone[spark]'."
        ) from None
    request = plan.request
    late = plan.deferred(plan.steps, max_grade_known=True)
    return Job(
        measures=tuple(r.names[0] for r in request.measures),
        like=request.followed.name if request.followed else None,
        conventions=None if request.conventions is None else request.conventions.to_dict(),
        choices=dict(request.choices),
        tie_interval=request.tie_interval,
        columns=tuple(n for n, m, c in plan.steps if (n, m, c) not in late),
        weighted=_weighted(request),
        **fields,
    )


def _by_query(tables: list[SparkTable], job: Job, partitions: int | None) -> Any:
    """Return all tables in packed rows, all rows of a query in one bucket.

    The rows of a bucket are side by side in one partition.
    """
    conf = tables[0].frame.sparkSession.conf
    n = partitions or int(conf.get("spark.sql.shuffle.partitions"))
    # More buckets than partitions, so that partitions differ less in size.
    buckets = n * _BUCKETS_PER_PARTITION
    first, *others = (_packed(table, side, job, buckets) for side, table in enumerate(tables))
    for packed in others:
        first = first.union(packed)
    # Without a number of partitions Spark joins small ones.
    by_bucket = first.repartition(*([n] if partitions else []), "bucket")
    return by_bucket.sortWithinPartitions("bucket")


def _packed(table: SparkTable, side: int, job: Job, buckets: int) -> Any:
    from rankstone.engines.spark_pack import SPARK_PACKED

    f = functions()
    names = dict(zip(("query", "doc", "number", "rank"), table.roles.names, strict=False))
    names |= {"subtopic": table.subtopic, "importance": table.importance}
    columns = []
    for column, kind in job.packed_columns(side).items():
        name = names.get(column)
        value = f.lit(1.0) if name is None else f.col(f"`{name}`")
        if column == "position":
            value = f.monotonically_increasing_id()
        columns.append(value.cast(kind).alias(column))
    task = partial(_pack_task, side=side, job=job, buckets=buckets)
    return table.frame.select(*columns).mapInArrow(task, SPARK_PACKED)


def _pack_task(batches: Iterator[Any], side: int, job: Job, buckets: int) -> Iterator[Any]:
    from rankstone.engines.spark_pack import pack_rows

    rows = min(max(buckets * ROWS_PER_BUCKET, LEAST_PACKED), MOST_PACKED)
    return pack_rows(batches, side, job, buckets, rows)


def _partition_task(batches: Iterator[Any], job: Job) -> Iterator[Any]:
    from rankstone.engines.spark_worker import evaluate_partition

    return evaluate_partition(batches, job)


def _lists_task(batches: Iterator[Any], job: Job) -> Iterator[Any]:
    from rankstone.engines.spark_worker import evaluate_lists as task

    return task(batches, job)
