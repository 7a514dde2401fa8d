"""Executors that do not have Rankstone get it in an archive, as docs/spark.md shows."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from spark_session import require_spark

import rankstone as rs

PACKAGE = Path(rs.__file__).resolve().parent
JOB = """
import os, sys
sys.path.insert(0, sys.argv[1])  # for the driver only
from pyspark.sql import SparkSession
import rankstone as rs
from rankstone import spark as engine

settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": "2", "spark.executor.memory": "1g",
            "spark.ui.showConsoleProgress": "false"}
if sys.argv[2]:
    settings |= {"spark.archives": sys.argv[2] + "#job", "spark.executorEnv.PYTHONPATH": "job"}
builder = SparkSession.builder.master("local-cluster[1,1,1024]")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
judgments = spark.createDataFrame([("q", "a", 1.0)], "query string, doc string, grade double")
run = spark.createDataFrame([("q", "b", 2.0), ("q", "a", 1.0)], "query string, doc string, score double")
try:
    print(engine.evaluate(judgments, run, ["RR"])["RR"])
except rs.RankstoneError as error:
    print(type(error).__name__, error)
spark.stop()
"""


@pytest.fixture
def home(tmp_path):
    """Spark's folder, with links, because executors write their work below it."""
    pyspark = Path(require_spark().__file__).parent
    folder = tmp_path / "spark"
    folder.mkdir()
    for path in pyspark.iterdir():
        if path.name != "work":
            (folder / path.name).symlink_to(path)
    return folder


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("ships", [True, False])
def test_an_archive_brings_the_compiled_package(tmp_path, home, ships, request):
    if not request.config.getoption("--thorough"):
        pytest.skip("part of 'make test-all'")
    archive = tmp_path / "job.tar.gz"
    with tarfile.open(archive, "w:gz") as stream:
        stream.add(PACKAGE, "rankstone")
    (library,) = (home / "jars").glob("spark-core_*.jar")
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SCALA_VERSION": re.search(r"_(\d+\.\d+)-", library.name)[1],
    }
    done = subprocess.run(
        [sys.executable, "-c", JOB, PACKAGE.parent, archive if ships else ""],
        capture_output=True, text=True, env=environment, timeout=300, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    if ships:
        assert done.stdout.strip() == "0.5"
        assert [*home.glob("work/*/0/job/rankstone/_native/_core*")]
    elif "MissingDependencyError" not in done.stdout:
        pytest.skip("Rankstone is installed for the executors' Python")
    else:
        assert "Spark's executors cannot import rankstone" in done.stdout
