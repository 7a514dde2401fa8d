"""Spark: RankingMetrics of mllib, by way of pyspark."""

from __future__ import annotations

from functools import partial

from spark_session import spark_session

from peers.common import Accepts, Qrels, Run, both, one_by_one, quiet, ranking, relevant

ACCEPTS = Accepts(
    takes="ranking", graded=False, negative=False, fractional=False, no_relevant=False,
    digits=1e-12, refuses={"no_relevant": "PySparkValueError: CANNOT_DETERMINE_TYPE"},
)  # fmt: skip


def version() -> str:
    import pyspark

    return pyspark.__version__


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str, graded: bool = False) -> float:
    """Measure; with ``graded`` the judged documents are handed over with their grades."""
    rows: list[tuple[list, ...]] = []
    for query in both(qrels, run):
        ranked = ranking(run[query])
        grades = {d: float(g) for d, g in qrels[query].items()}
        rows.append(
            (ranked, list(grades), list(grades.values()))
            if graded
            else (ranked, relevant(qrels[query]))
        )
    return of_rows(rows, k, name=name)


def of_rows(rows: list[tuple[list, ...]], k: int | None, *, name: str) -> float:
    """Measure rows of ranked and relevant documents, or of ranked and judged ones and grades."""
    with quiet(ResourceWarning), quiet(FutureWarning), quiet(DeprecationWarning):
        from pyspark.mllib.evaluation import RankingMetrics

        metrics = RankingMetrics(spark_session().sparkContext.parallelize(rows, 1))
        found = getattr(metrics, name)
        return float(found(k) if k is not None else found)


def _evaluator(qrels: Qrels, run: Run, k: int | None, *, name: str) -> float:
    """Measure with the evaluator of data frames, whose documents are numbers."""
    with quiet(ResourceWarning), quiet(FutureWarning), quiet(DeprecationWarning):
        from pyspark.ml.evaluation import RankingEvaluator

        rows = []
        for query in both(qrels, run):
            number = {d: float(i) for i, d in enumerate({**run[query], **qrels[query]})}
            ranked = [number[d] for d in ranking(run[query])]
            rows.append((ranked, [number[d] for d in relevant(qrels[query])]))
        table = spark_session().createDataFrame(rows, ["prediction", "label"])
        evaluator = RankingEvaluator(metricName=name, k=k, labelCol="label")
        return float(evaluator.setPredictionCol("prediction").evaluate(table))


FUNCTIONS = {
    f"{name}@{{k}}": one_by_one(partial(_mean, name=name))
    for name in ("precisionAt", "recallAt", "meanAveragePrecisionAt", "ndcgAt")
}
FUNCTIONS["meanAveragePrecision"] = one_by_one(partial(_mean, name="meanAveragePrecision"))
FUNCTIONS["ndcgAt(graded)@{k}"] = one_by_one(partial(_mean, name="ndcgAt", graded=True))
EXCEPT: dict[str, Accepts] = {}
FUNCTIONS |= {
    f"{name}@{{k}}": one_by_one(partial(_evaluator, name=name))
    for name in ("precisionAtK", "recallAtK", "meanAveragePrecisionAtK", "ndcgAtK")
}


def registry() -> list[str]:
    """Return the metrics of mllib, and those that the evaluator of data frames documents."""
    import re

    with quiet(ResourceWarning), quiet(FutureWarning), quiet(DeprecationWarning):
        from pyspark.ml.evaluation import RankingEvaluator
        from pyspark.mllib.evaluation import RankingMetrics

    listed = re.search(r"\((.+)\)", RankingEvaluator.metricName.doc)
    return sorted({n for n in vars(RankingMetrics) if n[0] != "_"} | set(listed[1].split("|")))
