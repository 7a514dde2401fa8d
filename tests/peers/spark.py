"""Spark: RankingMetrics of mllib, by way of pyspark."""

from __future__ import annotations

from functools import cache, partial

from peers.common import Accepts, Qrels, Run, both, one_by_one, quiet, ranking, relevant

TOOL = "spark"
ACCEPTS = Accepts(
    takes="ranking", graded=False, negative=False, fractional=False, no_relevant=False,
    digits=1e-12, refuses={"no_relevant": "PySparkValueError: CANNOT_DETERMINE_TYPE"},
)  # fmt: skip


def version() -> str:
    import pyspark

    return pyspark.__version__


@cache
def _session():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("peers")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str, graded: bool = False) -> float:
    """Measure; with ``graded`` the judged documents are handed over with their grades."""
    with quiet(ResourceWarning), quiet(FutureWarning), quiet(DeprecationWarning):
        from pyspark.mllib.evaluation import RankingMetrics

        rows = []
        for query in both(qrels, run):
            row = (ranking(run[query]), relevant(qrels[query]))
            if graded:
                grades = {d: float(g) for d, g in qrels[query].items()}
                row = (row[0], list(grades), list(grades.values()))
            rows.append(row)
        metrics = RankingMetrics(_session().sparkContext.parallelize(rows, 1))
        found = getattr(metrics, name)
        return float(found(k) if k is not None else found)


FUNCTIONS = {
    f"{name}@{{k}}": one_by_one(partial(_mean, name=name))
    for name in ("precisionAt", "recallAt", "meanAveragePrecisionAt", "ndcgAt")
}
FUNCTIONS["meanAveragePrecision"] = one_by_one(partial(_mean, name="meanAveragePrecision"))
FUNCTIONS["ndcgAt(graded)@{k}"] = one_by_one(partial(_mean, name="ndcgAt", graded=True))
EXCEPT: dict[str, Accepts] = {}
