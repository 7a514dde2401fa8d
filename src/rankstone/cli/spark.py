"""Evaluate inside Apache Spark, of paths that Spark reads."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rankstone.cli.evaluate import print_results
from rankstone.cli.options import names_of
from rankstone.errors import DataError

if TYPE_CHECKING:
    from rankstone.choices.setup import Setup
    from rankstone.core.result import Result

HELP = """Evaluate inside Apache Spark, of paths that Spark reads.

Evaluate runs against judgments inside Apache Spark, which reads the paths: Parquet, CSV, TSV or TREC
text.
  judgments QRELS    judgments
  runs RUN ...       runs
  --master URL       local[4], yarn, spark://..., or sc://... for Spark Connect
  --save-values DIR  write the values of queries there as Parquet, one folder per run
{OUTPUT}
"""

VERBS = ("spark.evaluate", "Result.interval")


def run(args: Namespace) -> int:
    """Evaluate every run and print."""
    return print_results(args, "spark.evaluate", _results)


def _results(args: Namespace, setup: Setup) -> list[Result]:
    from rankstone.measures import DEFAULT
    from rankstone.spark.driver import evaluate

    collects = (
        args.per_query
        or bool(args.aggregate or args.by or args.interval)
        or args.format in ("json", "jsonl")
    )
    spark = _session(args.master, shows_progress=not args.quiet and sys.stderr.isatty())
    results = []
    names = names_of([path.rstrip("/") for path in args.runs])
    for name, path in zip(names, args.runs, strict=True):
        done = evaluate(
            args.judgments,
            path,
            args.measure or DEFAULT,
            spark=spark,
            **{**setup.options(), "name": name},
        )
        if args.save_values is not None:
            _write(done.per_query, f"{args.save_values.rstrip('/')}/{name}")
        results.append(done.collect() if collects else done.summary)
        done.unpersist()
    return results


def _write(frame: Any, folder: str) -> None:
    try:
        frame.write.parquet(folder)
    except Exception as error:
        if "PATH_ALREADY_EXISTS" not in str(error):
            raise
        raise DataError(
            f"{folder}: exists already. Choose another folder for --save-values."
        ) from None


def _session(master: str | None, *, shows_progress: bool) -> Any:
    """Return the active session, or start one; ``sc://...`` connects to a server."""
    from rankstone.spark.tables import functions

    functions()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master is not None and master.startswith("sc://"):
        return SparkSession.builder.remote(master).getOrCreate()
    builder = SparkSession.builder.appName("rankstone")
    if master is not None:
        builder = builder.master(master)
    progress = str(shows_progress).lower()
    spark = builder.config("spark.ui.showConsoleProgress", progress).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark
