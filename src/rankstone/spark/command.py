"""The Spark engine for the command line: a session, and a result for each path of a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rankstone.core.result import Result
from rankstone.errors import DataError
from rankstone.measures import DEFAULT
from rankstone.spark import driver as engine
from rankstone.spark.tables import functions


def evaluate_paths(
    judgments: str,
    runs: Mapping[str, str],
    measures: Sequence[str] | None,
    *,
    master: str | None,
    values: str | None,
    collects: bool,
    shows_progress: bool,
    options: Mapping[str, Any],
) -> list[Result]:
    """Return the result of each run, by name.

    Args:
        judgments: a path that Spark reads.
        runs: paths by the name of the run.
        measures: names of measures.
        master: where Spark runs (default: as Spark is configured, else on all cores here).
        values: folder for the values of queries; each run has a folder of Parquet files in it.
        collects: bring the values of queries to this process.
        shows_progress: let Spark show how far it is.
        options: options of ``rankstone.spark.driver.evaluate``.
    """
    spark = session(master, shows_progress=shows_progress)
    results = []
    for name, path in runs.items():
        done = engine.evaluate(
            judgments, path, measures or DEFAULT, spark=spark, name=name, **options
        )
        if values is not None:
            folder = f"{values.rstrip('/')}/{name}"
            _write(done.per_query, folder)
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


def session(master: str | None, *, shows_progress: bool) -> Any:
    """Return the active session, or start one; ``sc://...`` connects to a server."""
    functions()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master is not None and master.startswith("sc://"):
        return SparkSession.builder.remote(master).getOrCreate()
    builder = SparkSession.builder.appName("rankstone")
    if master is not None:
        builder = builder.master(master)
    spark = builder.config(
        "spark.ui.showConsoleProgress", str(shows_progress).lower()
    ).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark
