"""A real Spark on this machine, started once for all tests that need it."""

import os
import shutil
import sys
from functools import cache

import pytest

NO_JAVA = "Spark needs Java, and there is none on this machine"
NO_SPARK = "PySpark is not installed"


def require_spark():
    """Skip if Spark cannot run here."""
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        pytest.skip(NO_JAVA)
    return pytest.importorskip("pyspark", reason=NO_SPARK)


@cache
def spark_session():
    """Return the session; a task is tried up to four times, as on a cluster."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        # The data of tests are small, and are to be merged from several partitions.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "13",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2,4]").appName("rankstone tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark
