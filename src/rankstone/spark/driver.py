"""Evaluation inside Apache Spark: judgments and run are shuffled by query once, and stay there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import DEFAULT as DEFAULT_SETUP, Setup, verb
from rankstone.core.provenance import Given, Source
from rankstone.errors import INSTALL, DataError, Notice, UsageError, require
from rankstone.io.changes import check_scores, prepared, record
from rankstone.io.load import collection
from rankstone.measures import DEFAULT, Measure
from rankstone.spark.result import SparkEvaluation, with_errors
from rankstone.spark.tables import SparkTable, functions, open_excluded, open_lists, open_tables
from rankstone.verbs.evaluate import evaluate_collection
from rankstone.verbs.evaluator import check_parts
from rankstone.verbs.evaluator_state import from_bytes
from rankstone.verbs.parts import Origin, Part, Plan, Request

if TYPE_CHECKING:
    from rankstone.choices.options import SparkEvaluateListsOptions, SparkEvaluateOptions
    from rankstone.spark.job import Job

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


@verb("spark.evaluate")
def evaluate(
    judgments: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    spark: Any = None,
    partitions: int | None = None,
    chunk_rows: int = CHUNK_ROWS,
    max_query_rows: int = MAX_QUERY_ROWS,
    **options: Unpack[SparkEvaluateOptions],
) -> SparkEvaluation:
    """Evaluate a run against judgments inside Spark.

    Args:
        judgments: a Spark DataFrame, or a path that Spark reads (Parquet, CSV, TSV, TREC text).
        run: a Spark DataFrame or a path; ``exclude`` too. ``parents`` and ``lengths`` in files are read
            here and sent to the tasks.
        measures: names or measures.
        spark: the session that reads paths (default: the active one, else a new one).
        partitions: number of partitions (default: at most that of the session for shuffles, with
            small ones joined).
        chunk_rows: number of rows that a task evaluates at a time.
        max_query_rows: the most rows of one query, which a task ranks in memory.
        options: see below.
    """
    setup = Setup.of("spark.evaluate", options)
    request = Request.of(measures, setup)
    plan = request.plan(Conventions())
    _check_limits(chunk_rows=chunk_rows, max_query_rows=max_query_rows, partitions=partitions)
    columns, changes = setup.reading.columns, setup.changes
    judged, ranked = open_tables(judgments, run, columns, setup.evaluation.name or "run", spark)
    tables = [judged, ranked]
    if changes.exclude is not None:
        tables.append(open_excluded(changes.exclude, columns, judged, spark))
    max_grade, subtopics = judged.facts(columns)
    roles = ranked.roles
    number = roles.number_role if roles.names[2] is not None else None
    check_scores(ranked.what, 0 if number in (None, "rank") else 1, setup)
    read_here = prepared(setup.replace(columns=None, exclude=None))
    job = _job(
        plan,
        _sent(read_here),
        name=ranked.what if ranked.source == "Spark DataFrame" else ranked.source,
        number=number,
        has_rank=len(roles.all) > 3,
        keeps_order=number is None or plan.reads_input_order,
        max_grade=max_grade,
        chunk_rows=chunk_rows,
        max_query_rows=max_query_rows,
        query_is_text=any(table.kind("query") == "text" for table in tables),
        doc_is_text=any(table.kind("doc") == "text" for table in tables),
        excludes=changes.exclude is not None,
        grade=judged.grade_name(columns),
        subtopics=subtopics,
    )
    from rankstone.spark.worker import evaluate_partition

    task = partial(evaluate_partition, job=job)
    rows = _by_query(tables, job, partitions).mapInArrow(task, job.spark_schema)
    read = record(setup.reading) | (
        {} if changes.scores == "descending" else {"scores": changes.scores}
    )
    changed = record(read_here.changes, ["scores"])
    if changes.exclude is not None:
        changed["exclude"] = _recorded_pairs(tables[2])
    sources = (
        Source(judged.source, reading=record(setup.reading)),
        Source(ranked.source, reading=read),
    )
    return _evaluated(plan, job, rows, Origin(job.name, sources, changed), judged.roles.notices)


@verb("spark.evaluate_lists")
def evaluate_lists(
    data: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    spark: Any = None,
    chunk_rows: int = CHUNK_ROWS,
    **options: Unpack[SparkEvaluateListsOptions],
) -> SparkEvaluation:
    """Evaluate rows that hold the ranking of a query and its relevant documents in arrays.

    This is what RankingEvaluator of Spark takes. No rows are moved between partitions.

    Args:
        data: a Spark DataFrame or a path to Parquet, with a column of documents, best first
            (``prediction``), a column of relevant documents (``label``), and perhaps one of
            query ids. Rows without a query id are numbered.
        measures: names or measures.
        spark: the session that reads paths (default: the active one, else a new one).
        chunk_rows: number of documents that a task evaluates at a time.
        options: ``columns`` are ``{"retrieved": ..., "expected": ..., "query": ...}``; see below.
    """
    setup = Setup.of("spark.evaluate_lists", options)
    plan = Request.of(measures, setup).plan(Conventions())
    _check_limits(chunk_rows=chunk_rows)
    lists = open_lists(data, setup.reading.columns, setup.evaluation.name or "run", spark)
    job = _job(
        plan,
        _sent(setup.replace(columns=None)),
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
    from rankstone.spark import worker

    task = partial(worker.evaluate_lists, job=job)
    rows = lists.frame.mapInArrow(task, job.spark_schema)
    source = Source(lists.source, reading=record(setup.reading))
    return _evaluated(plan, job, rows, Origin(job.name, (source, source), {}))


def _sent(setup: Setup) -> dict[str, Any]:
    """Return the options of the Evaluator of each task, in plain values.

    Columns have the names of their roles there, and excluded pairs come with the rows.
    """
    options = setup.replace(strict=False).options()
    return {name: getattr(value, "plain", value) for name, value in options.items()}


def _recorded_pairs(table: SparkTable) -> Given:
    """Return pairs as a result records them; they are counted there, and come here for a checksum."""
    query, doc = (f"`{name}`" for name in table.roles.names[:2])
    pairs = table.frame.selectExpr(f"string({query}) q", f"string({doc}) d").distinct()
    return Given(
        table.source, pairs.count(), lambda: (f"{q}\t{d}" for q, d in pairs.toLocalIterator())
    )


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
    plan: Plan, job: Job, rows: Any, origin: Origin, notices: Iterable[Notice] = ()
) -> SparkEvaluation:
    """Compute the parts of all partitions; ``notices`` are those on the judgments' columns."""
    rows = _persisted(rows)
    try:
        states = with_errors(lambda: rows.where("state IS NOT NULL").select("state").collect())
        if not states:
            raise DataError(f"{job.name}: the table has no rows.")
        part = _merged([bytes(row["state"]) for row in states])
        reading = (*notices, *part.tally.reading)
        part = replace(part, tally=replace(part.tally, reading=reading))
        check_parts(part.tally, job.name)
        summary = plan.result(plan.completed(part).without_values(), origin)
    except BaseException:
        rows.unpersist()
        raise
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


def _merged(states: list[bytes]) -> Part:
    parts: list[Part] = []
    for state in states:
        parts.append(from_bytes(state)[0])
        if len(parts) == _MERGED_AT:
            parts = [Part.merged(parts)]
    return Part.merged(parts)


def _weighted(request: Request) -> frozenset[str]:
    """Return the measures whose queries have weights, by an evaluation of two documents.

    A request that cannot be computed on any data fails here, before a job starts.
    """
    judgments, run = {"q": {"a": 4, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}
    names = [r.names[0] for r in request.measures]
    setup = DEFAULT_SETUP.replace(**request.setup.single)
    setup = setup.replace(
        like=request.setup.evaluation.like, conventions=request.setup.evaluation.conventions
    )
    if request.setup.changes.lengths is not None:
        setup = setup.replace(lengths={"a": 1, "b": 1})
    for name in ("items", "history"):
        if (given := getattr(request.setup.changes, name)) is not None:
            setup = setup.replace(**{name: given})
    try:
        own = Request.of(names, setup)
        result = evaluate_collection(collection(judgments, run, setup), own)
    except DataError:  # the two documents do not suit; the data may
        return frozenset(r.column for r in request.measures)
    return frozenset(result.weights)


def _job(plan: Plan, options: dict[str, Any], **fields: Any) -> Job:
    needed = "evaluation inside Spark needs the library pyarrow, here and on every executor: "
    require("pyarrow", f"{needed}{INSTALL.format('spark')}.")
    from rankstone.spark.job import Job

    request = plan.request
    late = plan.deferred(plan.steps, max_grade_known=True)
    return Job(
        measures=tuple(r.names[0] for r in request.measures),
        options=options,
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
    from rankstone.spark.pack import SPARK_PACKED, pack_rows

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
    rows = min(max(buckets * ROWS_PER_BUCKET, LEAST_PACKED), MOST_PACKED)
    task = partial(pack_rows, side=side, job=job, buckets=buckets, rows_at_once=rows)
    return table.frame.select(*columns).mapInArrow(task, SPARK_PACKED)
