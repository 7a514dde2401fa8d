"""Rankstone inside Spark beside Spark's own RankingEvaluator, from the same tables.

    python benchmarks/spark.py --rows 1000000 5000000              # both, side by side
    python benchmarks/spark.py --rows 5000000 --cutoffs 5 10 20    # 13 measures instead of 5
    python benchmarks/spark.py --rows 5000000 50000000 --only rankstone

Both read Parquet files of judgments (query, doc, grade) and of a run (query, doc, score), with
100 documents retrieved and 10 judged for each query, and compute all measures that it has.
RankingEvaluator takes one row for each query with arrays, so rows are grouped and sorted first;
the grouped rows are cached, which helps it, because each of its measures is a pass of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS, JUDGED = 100, 10
SAME = {
    "ndcgAtK": "nDCG(gain='binary')",
    "meanAveragePrecisionAtK": "AP(denominator='min(R,k)')",
    "precisionAtK": "P",
    "recallAtK": "R",
}


def session(master: str, memory: str, partitions: int) -> Any:
    """Start Spark with the settings that docs/scale.md names."""
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


def ours(spark: Any, cutoffs: list[int], judgments: str, run: str) -> dict[str, float]:
    """Return the measures by Rankstone, with the values of queries in Spark."""
    from rankstone.engines import spark as engine

    measures = ["AP", *(f"{name}@{k}" for name in SAME.values() for k in cutoffs)]
    done = engine.evaluate(spark.read.parquet(judgments), spark.read.parquet(run), measures)
    done.unpersist()
    return done.summary.aggregates


def theirs(spark: Any, cutoffs: list[int], judgments: str, run: str) -> dict[str, float]:
    """Return the measures by RankingEvaluator."""
    from pyspark.ml.evaluation import RankingEvaluator
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
    rows = judged.join(ranked, "query").select("prediction", "label").cache()
    wanted: list[tuple[Any, int]] = [(name, k) for name in SAME for k in cutoffs]
    values = {
        f"{name}@{k}": RankingEvaluator(metricName=name, k=k).evaluate(rows)
        for name, k in [("meanAveragePrecision", 1), *wanted]
    }
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


def timed(
    task: Callable[[], dict[str, float]], repeats: int
) -> tuple[float, float, dict[str, float]]:
    """Return the shortest wall time, the least processor time, and what the task returns.

    Processor time tells more on a machine that others use.
    """
    wall = cpu = float("inf")
    for _ in range(repeats):
        start, used = time.perf_counter(), cpu_seconds()
        values = task()
        wall = min(wall, time.perf_counter() - start)
        cpu = min(cpu, cpu_seconds() - used)
    return wall, cpu, values


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--only", choices=("rankstone", "spark"))
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--memory", default="4g")
    parser.add_argument("--cutoffs", type=int, nargs="+", default=[10])
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--data", default=str(Path(tempfile.gettempdir(), "rankstone-spark")))
    args = parser.parse_args()
    spark = session(args.master, args.memory, args.partitions)
    folder = Path(args.data)
    ours(spark, args.cutoffs, *make(spark, folder, 10_000))  # Spark and its workers are started
    if args.only is None:
        theirs(spark, args.cutoffs, *make(spark, folder, 10_000))
    for rows in args.rows:
        data = make(spark, folder, rows)
        line = f"{rows:>12,} rows"
        if args.only != "spark":
            wall, cpu, values = timed(lambda: ours(spark, args.cutoffs, *data), args.repeats)  # noqa: B023
            line += f"  rankstone {wall:7.1f} s (processor {cpu:7.1f} s)"
        if args.only != "rankstone":
            wall2, cpu2, other = timed(lambda: theirs(spark, args.cutoffs, *data), args.repeats)  # noqa: B023
            line += f"  RankingEvaluator {wall2:7.1f} s (processor {cpu2:7.1f} s)"
        if args.only is None:
            apart = max(abs(a - b) for a, b in zip(values.values(), other.values(), strict=True))
            line += f"  ratio {wall2 / wall:.2f} ({cpu2 / cpu:.2f}), largest difference {apart:.0e}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
