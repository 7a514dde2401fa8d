"""Rankstone inside Spark beside Spark's own RankingEvaluator and RankingMetrics.

    python benchmarks/spark.py --rows 1000000 5000000              # side by side, both shapes
    python benchmarks/spark.py --rows 5000000 --cutoffs 5 10 20    # 13 measures instead of 5
    python benchmarks/spark.py --rows 5000000 --shapes arrays --metrics
    python benchmarks/spark.py --rows 5000000 50000000 --only rankstone

All compute the measures that RankingEvaluator has, with 100 documents retrieved and 10 judged for
each query, from Parquet files in two shapes:

rows    Judgments (query, doc, grade) and a run (query, doc, score). RankingEvaluator takes one row
        for each query with arrays, so rows are grouped and sorted first.
arrays  One row for each query with arrays of doubles (query, prediction, label): what
        RankingEvaluator takes as it is.

RankingEvaluator computes a measure at a time, each from its DataFrame anew, as the examples of
Spark call it. "cached" is the same with a DataFrame that the caller has cached first.

Repetitions alternate between the tools. Printed are the medians of the wall time and of the
processor time of all processes, the second of which tells more on a machine that others use.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

DOCS, JUDGED = 100, 10
SAME = {
    "ndcgAtK": "nDCG(gain='binary')",
    "meanAveragePrecisionAtK": "AP(denominator='min(R,k)')",
    "precisionAtK": "P",
    "recallAtK": "R",
}


def session(master: str, memory: str, partitions: int) -> Any:
    """Start Spark with the settings that docs/spark.md names."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = (
        SparkSession.builder.master(master)
        .config("spark.driver.memory", memory)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000")
        .config("spark.sql.shuffle.partitions", str(partitions))
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def make(spark: Any, folder: Path, rows: int) -> tuple[str, str]:
    """Write judgments and a run of so many rows as Parquet, unless they are there."""
    from pyspark.sql import functions as f

    judgments, run = str(folder / f"judgments-{rows}"), str(folder / f"run-{rows}")
    if not Path(run, "_SUCCESS").exists():
        ids = spark.range(rows)
        query = f.concat(f.lit("user"), f.lpad((f.col("id") / DOCS).cast("bigint"), 9, "0"))
        doc = ((f.col("id") * 7919) % DOCS) * 1000 + (f.col("id") / DOCS).cast("bigint") % 1000
        score = f.xxhash64("id") / f.lit(float(2**63))
        table = ids.select(query.alias("query"), doc.alias("doc"), score.alias("score"))
        table.write.mode("overwrite").parquet(run)
        judged = ids.where(f.col("id") % (DOCS // JUDGED) == 0)
        grade = f.lit(1.0).alias("grade")  # RankingEvaluator reads every judgment as relevant
        judged.select(query.alias("query"), doc.alias("doc"), grade).write.mode(
            "overwrite"
        ).parquet(judgments)
    return judgments, run


def make_arrays(spark: Any, folder: Path, rows: int) -> tuple[str]:
    """Write the same as arrays, unless they are there."""
    path = folder / f"arrays-{rows}"
    if not (path / "_SUCCESS").exists():
        judgments, run = make(spark, folder, rows)
        frame = grouped(spark, judgments, run)
        frame.write.mode("overwrite").parquet(str(path))
    return (str(path),)


def names_of(cutoffs: list[int]) -> list[str]:
    """Return the measures in the words of Rankstone."""
    return ["AP", *(f"{name}@{k}" for name in SAME.values() for k in cutoffs)]


def ours(spark: Any, cutoffs: list[int], judgments: str, run: str) -> list[float]:
    """Return the measures by Rankstone from rows, with the values of queries in Spark."""
    from rankstone.spark import driver as engine

    done = engine.evaluate(
        spark.read.parquet(judgments), spark.read.parquet(run), names_of(cutoffs)
    )
    done.unpersist()
    return [*done.summary.aggregates.values()]


def ours_of_arrays(spark: Any, cutoffs: list[int], arrays: str) -> list[float]:
    """Return the measures by Rankstone from arrays, with the values of queries in Spark."""
    from rankstone.spark import driver as engine

    done = engine.evaluate_lists(spark.read.parquet(arrays).drop("query"), names_of(cutoffs))
    done.unpersist()
    return [*done.summary.aggregates.values()]


def grouped(spark: Any, judgments: str, run: str) -> Any:
    """Return rows as RankingEvaluator takes them."""
    from pyspark.sql import functions as f

    pair = f.struct((-f.col("score")).alias("key"), f.col("doc").cast("double").alias("doc"))
    ranked = (
        spark.read.parquet(run)
        .groupBy("query")
        .agg(f.sort_array(f.collect_list(pair)).alias("pairs"))
        .select("query", f.col("pairs.doc").alias("prediction"))
    )
    judged = (
        spark.read.parquet(judgments)
        .groupBy("query")
        .agg(f.collect_list(f.col("doc").cast("double")).alias("label"))
    )
    return judged.join(ranked, "query").select("query", "prediction", "label")


def theirs(
    spark: Any, cutoffs: list[int], judgments: str, run: str, *, cached: bool = False
) -> list[float]:
    """Return the measures by RankingEvaluator from rows."""
    return evaluator_values(grouped(spark, judgments, run), cutoffs, cached)


def theirs_of_arrays(
    spark: Any, cutoffs: list[int], arrays: str, *, cached: bool = False
) -> list[float]:
    """Return the measures by RankingEvaluator from arrays."""
    return evaluator_values(spark.read.parquet(arrays), cutoffs, cached)


def evaluator_values(frame: Any, cutoffs: list[int], cached: bool) -> list[float]:
    """Return the measures by RankingEvaluator, a pass for each."""
    from pyspark.ml.evaluation import RankingEvaluator

    rows = frame.select("prediction", "label")
    if cached:
        rows = rows.cache()
    wanted: list[tuple[Any, int]] = [(name, k) for name in SAME for k in cutoffs]
    values = [
        RankingEvaluator(metricName=name, k=k).evaluate(rows)
        for name, k in [("meanAveragePrecision", 1), *wanted]
    ]
    if cached:
        rows.unpersist()
    return values


def metrics_of_arrays(spark: Any, cutoffs: list[int], arrays: str) -> list[float]:
    """Return the measures by RankingMetrics of the RDD API from arrays."""
    from pyspark.mllib.evaluation import RankingMetrics

    rows = spark.read.parquet(arrays).select("prediction", "label").cache()
    metrics = RankingMetrics(rows.rdd.map(tuple))
    calls = [metrics.ndcgAt, metrics.meanAveragePrecisionAt, metrics.precisionAt, metrics.recallAt]
    values = [metrics.meanAveragePrecision, *(call(k) for call in calls for k in cutoffs)]
    rows.unpersist()
    return values


def cpu_seconds() -> float:
    """Return the processor time of this process and all below it: the JVM and its workers."""
    parents, used = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
        used[int(name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(used.get(pid, 0.0) for pid in below)


def measured(
    tasks: Mapping[str, Callable[[], list[float]]], repeats: int
) -> dict[str, tuple[float, float, list[float]]]:
    """Return the medians of wall and processor time, and what each task returns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in tasks}
    values = {}
    for _ in range(repeats):
        for name, task in tasks.items():
            start, used = time.perf_counter(), cpu_seconds()
            values[name] = task()
            times[name].append((time.perf_counter() - start, cpu_seconds() - used))
    middles = {
        name: [median(column) for column in zip(*t, strict=True)] for name, t in times.items()
    }
    return {name: (*middles[name], values[name]) for name in tasks}


def tasks_of(
    shape: str, args: argparse.Namespace, spark: Any, data: tuple[str, ...]
) -> dict[str, Callable[[], list[float]]]:
    """Return the tools to measure, by name."""
    tools: dict[str, Any] = {"rankstone": ours if shape == "rows" else ours_of_arrays}
    if args.only is None:
        peer = theirs if shape == "rows" else theirs_of_arrays
        tools |= {"RankingEvaluator": peer, "cached": partial(peer, cached=True)}
        if args.metrics and shape == "arrays":
            tools["RankingMetrics"] = metrics_of_arrays
    return {name: partial(tool, spark, args.cutoffs, *data) for name, tool in tools.items()}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument(
        "--shapes", nargs="+", choices=("rows", "arrays"), default=["rows", "arrays"]
    )
    parser.add_argument("--only", choices=("rankstone",))
    parser.add_argument("--metrics", action="store_true", help="measure RankingMetrics too")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="4g")
    parser.add_argument("--cutoffs", type=int, nargs="+", default=[10])
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", default=str(Path(tempfile.gettempdir(), "rankstone-spark")))
    args = parser.parse_args()
    spark = session(args.master, args.memory, args.partitions)
    folder = Path(args.data)
    for rows in (100_000, *args.rows):  # the first starts Spark and its workers
        for shape in args.shapes:
            data = (make if shape == "rows" else make_arrays)(spark, folder, rows)
            repeats = args.repeats if rows in args.rows else 1
            results = measured(tasks_of(shape, args, spark, data), repeats)
            if rows in args.rows:
                print_line(rows, shape, results)


def print_line(rows: int, shape: str, results: dict[str, tuple[float, float, list[float]]]) -> None:
    """Print the times of a size, and how many times faster Rankstone was."""
    (wall, cpu, values), *others = results.values()
    print(f"{rows:,} {shape}: rankstone {wall:.1f} s (processors {cpu:.1f} s)")
    for name, (wall2, cpu2, other) in zip([*results][1:], others, strict=True):
        apart = max(abs(a - b) for a, b in zip(values, other, strict=True))
        print(
            f"    {name:<16} {wall2:6.1f} s (processors {cpu2:.1f} s), {wall2 / wall:.2f} times as "
            f"long ({cpu2 / cpu:.2f}), largest difference {apart:.0e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
