"""Inside a real Spark numbers are those of this process, bit for bit."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from spark_session import require_spark, spark_session

import rankstone as rs

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]
MEASURES = ["nDCG@10", "AP", "RR", "P@5", "ERR@10", "Success(how='pooled')@5", "GMAP", "NumRel"]
TEXT = "query string, doc string"
IDS = ["d{}", "ü{}", "文{}", "a b{}", "😀{}", "0{}"]


@pytest.fixture
def spark():
    require_spark()
    return spark_session()


@pytest.fixture
def _thorough(request):
    """Each job takes about a second, so most are left to the long test run."""
    if not request.config.getoption("--thorough"):
        pytest.skip("part of 'make test-all'")


@pytest.fixture
def engine(spark):
    from rankstone.spark import driver as module

    return module


PAGE = Path(__file__).resolve().parents[2] / "docs" / "spark.md"


def test_the_code_on_the_page(spark):
    """The blocks run as they are, on data of the names they use."""
    judged = [("u1", "a", 1.0), ("u2", "b", 2.0)]
    ranked = [("u1", "a", 0.9), ("u1", "x", 0.1), ("u2", "x", 0.7), ("u2", "b", 0.2)]
    judgments, run = frames(spark, judged, ranked)
    lists = [("u1", ["a", "x"], ["a"]), ("u2", ["x", "b"], ["b"])]
    columns = [("prediction", "label"), ("top", "liked")]
    frame = spark.createDataFrame(
        [(*row, *row[1:]) for row in lists],
        "user string, " + ", ".join(f"{name} array<string>" for pair in columns for name in pair),
    )
    blocks = re.findall(
        r"```python\n(from rankstone import spark.*?)```", PAGE.read_text(), re.DOTALL
    )
    assert len(blocks) == 2
    for block in blocks:
        names = {"judgments": judgments, "run": run, "frame": frame}
        exec(block, names)
        assert names["done"]["AP"] == 0.75
        assert names["done"].collect()["AP"] == 0.75


def random_rows(seed, queries=60, *, numbers=False):
    """Rows of judgments and of a run: ties, repeated rows, queries on one side only, odd ids."""
    rng = random.Random(seed)
    judged, ranked = [], []
    for i in range(queries):
        query = i - 5 if numbers else rng.choice(IDS).format(i)
        size = rng.choice([1, 2, 5, 30])
        form = rng.choice(IDS)
        docs = [j if numbers else form.format(j) for j in rng.sample(range(60), size)]
        if rng.random() < 0.85:
            judged += [(query, d, float(rng.choice([0, 1, 2, 3, -1]))) for d in docs[::2]]
        if rng.random() < 0.85:
            ranked += [(query, d, rng.choice([rng.random(), 0.5, -0.25])) for d in docs]
            ranked += [(query, d, 0.5) for d in docs[:1] if rng.random() < 0.3]
    judged += judged[:3]
    rng.shuffle(ranked)
    return judged, ranked


def frames(spark, judged, ranked, ids=TEXT):
    """The rows as Spark DataFrames, the run in more partitions than it needs."""
    return (
        spark.createDataFrame(judged, f"{ids}, grade double"),
        spark.createDataFrame(ranked, f"{ids}, score double").repartition(5),
    )


def tables(judged, ranked):
    """The same rows as Arrow tables, for evaluation in this process."""
    import pyarrow as pa

    columns = [list(zip(*rows, strict=True)) for rows in (judged, ranked)]
    return (
        pa.table(dict(zip(("query", "doc", "grade"), map(list, columns[0]), strict=True))),
        pa.table(dict(zip(("query", "doc", "score"), map(list, columns[1]), strict=True))),
    )


def check_same(collected, here):
    """Compare two results: values and aggregates bit for bit, and what was counted."""
    assert collected == here
    assert repr(collected.aggregates) == repr(here.aggregates)
    assert collected.counted == here.counted
    assert collected.ties == here.ties
    assert {*collected.unanswered} == {*here.unanswered}
    counts = [{n.code: n.count for n in r.notices} for r in (collected, here)]
    alike = [c.pop("ids-look-alike", 0) for c in counts]
    assert bool(alike[0]) == bool(alike[1])
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("seed", "options"),
    [
        (0, {"tie_interval": True}),
        (1, {"queries": "run", "partitions": 97, "chunk_rows": 1}),
        (2, {"like": "trec_eval-9"}),
        (3, {"ties": "optimistic", "negatives": "nonrelevant", "unjudged": "remove"}),
        (4, {"queries": "both", "precision": "float32", "missed": "ignore", "chunk_rows": 50}),
    ],
)
def test_random_collections(spark, engine, seed, options, request):
    if seed > 1:
        request.getfixturevalue("_thorough")
    judged, ranked = random_rows(seed)
    done = engine.evaluate(*frames(spark, judged, ranked), MEASURES, **options)
    for name in ("partitions", "chunk_rows"):
        options.pop(name, None)
    here = rs.evaluate(*tables(judged, ranked), MEASURES, **options)
    collected = done.collect()
    check_same(collected, here)
    assert done["AP"] == here["AP"]
    assert done.summary.queries == []
    rows = {row["query"]: row["AP"] for row in done.per_query.select("query", "AP").collect()}
    assert rows == {q: v["AP"] for q, v in here.per_query.items()}
    done.unpersist()


@pytest.mark.usefixtures("_thorough")
def test_whole_numbers_measures_over_all_queries_and_saved_results(spark, engine, tmp_path):
    judged, ranked = random_rows(5, numbers=True)
    measures = ["AUC(pairs='all')", "nDCG@5", "AUC(pairs='all', weight='positives')"]
    data = frames(spark, judged, ranked, "query int, doc bigint")
    done = engine.evaluate(*data, measures, tie_interval=True)
    here = rs.evaluate(*tables(judged, ranked), measures, tie_interval=True)
    collected = done.collect()
    check_same(collected, here)
    assert [q for q in collected.queries if not isinstance(q, int)] == []
    rows = {row[0]: row[1] for row in done.per_query.collect()}
    pooled = here.values(measures[0])
    assert all(v == rows[q] for q, v in zip(here.queries, pooled, strict=True) if v == v)
    path = tmp_path / "result.json"
    collected.save(path)
    assert rs.Result.load(path) == here


def lists_of(judged, ranked):
    """The ranking and the relevant documents of each query, some of them empty."""
    run, liked = {}, {}
    for query, doc, score in ranked:
        run.setdefault(query, {}).setdefault(doc, score)
    for query, doc, grade in judged:
        liked.setdefault(query, {}).update({doc: 1} if grade > 0 else {})
    return [
        (q, sorted(run.get(q, {}), key=lambda d: -run[q][d]), [*liked.get(q, {})])
        for q in sorted({*run, *liked})
    ]


@pytest.mark.parametrize("options", [{}, {"queries": "both"}, {"no_relevant": "skip"}])
def test_lists(spark, engine, options, request):
    if options:
        request.getfixturevalue("_thorough")
    rows = lists_of(*random_rows(9))
    schema = "user string, prediction array<string>, label array<string>"
    frame = spark.createDataFrame(rows, schema).repartition(3)
    done = engine.evaluate_lists(frame, MEASURES, chunk_rows=20, **options)
    here = rs.evaluate({q: e for q, _, e in rows}, {q: r for q, r, _ in rows}, MEASURES, **options)
    check_same(done.collect(), here)
    assert done.per_query.count() == len(here.queries)


@pytest.mark.usefixtures("_thorough")
def test_lists_as_ranking_evaluator_takes_them(spark, engine):
    from pyspark.ml.evaluation import RankingEvaluator

    rows = [r for r in lists_of(*random_rows(10, numbers=True)) if r[2]]
    doubles = [([float(d) for d in r], [float(d) for d in e]) for _, r, e in rows]
    frame = spark.createDataFrame(doubles, "top array<double>, liked array<double>")
    columns = {"retrieved": "top", "expected": "liked"}
    done = engine.evaluate_lists(frame, ["AP", "P@5"], columns=columns)
    names = {"predictionCol": "top", "labelCol": "liked"}
    theirs = RankingEvaluator(metricName="meanAveragePrecision", **names).evaluate(frame)
    assert done["AP"] == pytest.approx(theirs, rel=1e-12)
    assert done.collect().queries != []
    for data, words in (
        (frame.drop("top"), "there is no column 'top'"),
        (frame.selectExpr("top", "1 liked"), "column 'liked' is of type int"),
        (frame.selectExpr("top", "array('a') liked"), "holds text, the other numbers"),
        (frame.selectExpr("'q' query", "top", "liked"), "query 'q' has [0-9]+ rows"),
        (frame.where("false"), "the table has no rows"),
    ):
        with pytest.raises(rs.DataError, match=words):
            engine.evaluate_lists(data, ["AP"], columns=columns)


@pytest.mark.parametrize("numbers", [False, True])
def test_exclude(spark, engine, numbers, request):
    if numbers:
        request.getfixturevalue("_thorough")
    judged, ranked = random_rows(11, numbers=numbers)
    ids = "query bigint, doc bigint" if numbers else TEXT
    pairs = [(q, d) for q, d, _ in ranked[::3]]
    excluded = spark.createDataFrame(pairs, ids)
    options = {"partitions": 5, "chunk_rows": 30}
    done = engine.evaluate(
        *frames(spark, judged, ranked, ids), MEASURES, exclude=excluded, **options
    )
    table = dict(zip(("query", "doc"), map(list, zip(*pairs, strict=True)), strict=True))
    import pyarrow as pa

    here = rs.evaluate(*tables(judged, ranked), MEASURES, exclude=pa.table(table))
    collected = done.collect()
    check_same(collected, here)
    cold = [n.text for r in (collected, here) for n in r.notices if n.code == "cold-queries"]
    assert cold[0] == cold[1]
    other = (
        excluded.selectExpr("'q' query", "doc")
        if numbers
        else excluded.selectExpr("1 query", "doc")
    )
    with pytest.raises(rs.DataError, match="exclude: query ids are"):
        engine.evaluate(*frames(spark, judged, ranked, ids), ["AP"], exclude=other)


def test_small_partitions_are_joined_where_the_session_allows_it(spark, engine):
    from pyspark.sql.functions import spark_partition_id

    judged, ranked = random_rows(21)
    given = frames(spark, judged, ranked)
    name = "spark.sql.adaptive.coalescePartitions.enabled"
    kept = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
    before = spark.conf.get(kept, None)
    results, counts = [], []
    for joins, partitions in (("true", None), ("false", None), ("true", 3)):
        spark.conf.set(name, joins)
        try:
            done = engine.evaluate(*given, MEASURES, partitions=partitions)
        finally:
            spark.conf.set(name, "false")
        counts.append(done.per_query.select(spark_partition_id()).distinct().count())
        results.append(done.collect())
        done.unpersist()
    assert counts == [1 if spark.version >= "4" else 4, 4, 3]  # 3.5 does not join kept rows
    assert spark.conf.get(kept, None) == before
    for result in results:
        check_same(result, rs.evaluate(*tables(judged, ranked), MEASURES))


@pytest.mark.usefixtures("_thorough")
def test_input_order_breaks_ties_and_ranks_rows_without_scores(spark, engine):
    judged = [("q", "a", 1.0), ("q", "c", 1.0), ("r", "b", 1.0)]
    ranked = [("q", d, 0.5) for d in "xyabc"] + [("r", d, 0.25) for d in "xb"]
    run = spark.createDataFrame(ranked, f"{TEXT}, score double").coalesce(1)
    judgments = spark.createDataFrame(judged, f"{TEXT}, grade double")
    done = engine.evaluate(judgments, run, ["RR", "AP"], ties="input").collect()
    check_same(done, rs.evaluate(*tables(judged, ranked), ["RR", "AP"], ties="input"))
    bare = engine.evaluate(judgments, run.drop("score"), ["RR", "AP"]).collect()
    assert bare == done


@pytest.mark.usefixtures("_thorough")
def test_ranks_distances_and_other_types(spark, engine):
    judged = [("q", "a", True), ("r", "b", True)]
    ranked = [("q", "a", 2.5, 3), ("q", "b", 1.0, 1), ("r", "b", 1.0, 1), ("q", "c", 2.0, 2)]
    judgments = spark.createDataFrame(judged, "user string, item string, rating boolean")
    run = spark.createDataFrame(ranked, "user string, item string, far float, rank int")
    by_rank = engine.evaluate(judgments, run.drop("far"), ["RR"])
    columns = {"distance": "far"}
    by_distance = engine.evaluate(judgments, run.drop("rank"), ["RR"], columns=columns)
    assert by_rank["RR"] == by_distance["RR"] == (1 / 3 + 1) / 2


def test_judgments_without_grades_are_named(spark, engine):
    judged = spark.createDataFrame(
        [("q", "a", "good"), ("q", "b", "bad")], "query string, doc string, verdict string"
    )
    run = spark.createDataFrame(
        [("q", "b", 2.0), ("q", "a", 1.0)], "query string, doc string, score double"
    )
    result = engine.evaluate(judged, run, ["RR"]).collect()
    assert [n.code for n in result.notices if n.level == "warning"] == ["all-relevant"]
    with pytest.raises(rs.StrictError, match="'verdict'"):
        engine.evaluate(judged, run, ["RR"], strict=True)


@pytest.mark.usefixtures("_thorough")
def test_paths(spark, engine, tmp_path):
    judged, ranked = random_rows(6, 12)
    judged = [(q.replace(" ", ""), d.replace(" ", ""), g) for q, d, g in judged]
    ranked = [(q.replace(" ", ""), d.replace(" ", ""), s) for q, d, s in ranked]
    here = rs.evaluate(*tables(judged, ranked), ["AP"])
    judgments, run = frames(spark, judged, ranked)
    qrels, trec = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_text("".join(f"{q} 0 {d} {g:g}\n" for q, d, g in judged), encoding="utf-8")
    trec.write_text("".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in ranked), encoding="utf-8")
    run.write.parquet(str(tmp_path / "run"))
    judgments.write.csv(str(tmp_path / "judgments.csv"), header=True)
    for pair in ((qrels, trec), (tmp_path / "judgments.csv", tmp_path / "run")):
        assert engine.evaluate(*map(str, pair), ["AP"], spark=spark).collect() == here
    with pytest.raises(rs.DataError, match="Spark cannot read it"):
        engine.evaluate(str(tmp_path / "nowhere"), str(trec), ["AP"], spark=spark)


@pytest.mark.parametrize(
    ("judgments", "run", "measures"),
    [
        (  # ids stay as they are written
            ("a.csv", "query,doc,grade\n01,007,1\n1,7,0\n2,1e2,1\n"),
            ("b.csv", "query,doc,score\n01,7,2\n01,007,1\n1,7,3\n2,100,2\n2,1e2,1\n"),
            ["AP"],
        ),
        (
            ("a.qrels", "\ufeffq 1 a 1\nq 2 a 0\n\tr\t2\tb\t2 \n"),
            ("a.run", "q Q0 a 2 2.0 t\r\nq Q0 b 1 1 t\n\nr Q0 b 1 1 t\n"),
            ["alpha_nDCG@5", "nDCG"],
        ),
        (
            (
                "a.tsv",
                'query\tdoc\tnugget\timportance\trating\nq\ta\t"x ""y"""\tvital\t2\nq\tb\t2\tokay\t1\n',
            ),
            ("b.csv", "query,doc,score\nq,b,2\nq,c,1\n"),
            ["NuggetRecall(which='vital')@1", "NuggetRecall@1", "nDCG"],
        ),
    ],
)  # fmt: skip
def test_text_is_read_as_it_is_here(spark, engine, tmp_path, judgments, run, measures, request):
    if judgments[0] != "a.csv":
        request.getfixturevalue("_thorough")
    for name, text in (judgments, run):
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    paths = [str(tmp_path / name) for name, _ in (judgments, run)]
    done = engine.evaluate(*paths, measures, spark=spark).collect()
    here = rs.evaluate(*paths, measures)
    check_same(done, here)
    assert {n.code: n.text for n in done.notices} == {n.code: n.text for n in here.notices}


@pytest.mark.usefixtures("_thorough")
def test_ids_in_text_match_whole_numbers(spark, engine, tmp_path):
    qrels, run = tmp_path / "a.qrels", str(tmp_path / "run")
    qrels.write_text("1 0 7 1\n2 0 08 1\n", encoding="utf-8")
    rows = spark.createDataFrame([(1, 7, 1.0), (2, 8, 2.0)], "query int, doc bigint, score double")
    rows.write.parquet(run)
    done = engine.evaluate(str(qrels), run, ["RR"], spark=spark).collect()
    assert done.per_query == {"1": {"RR": 1.0}, "2": {"RR": 0.0}}


def test_text_that_is_something_else_is_refused_before_a_job_starts(spark, engine, tmp_path):
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_text("q 0 a 1\n", encoding="utf-8")
    run.write_text("q Q0 a 1 2.0 t\n", encoding="utf-8")
    with pytest.raises(rs.DataError, match="expected 4 fields .*, found 6"):
        engine.evaluate(str(run), str(qrels), ["AP"], spark=spark)
    with pytest.raises(rs.DataError, match="expected 6 fields .*, found 4"):
        engine.evaluate(str(qrels), str(qrels), ["AP"], spark=spark)
    qrels.write_text("q 0 a 1\nq 0 b\n# q a\n", encoding="utf-8")
    with pytest.raises(rs.DataError, match="'grade' has no value in 2 rows"):
        engine.evaluate(str(qrels), str(run), ["AP"], spark=spark)


def test_bad_input_is_refused_before_a_job_starts(spark, engine):
    judged, ranked = frames(spark, [("q", "a", 1.0)], [("q", "a", 1.0)])
    from pyspark.sql import functions as f

    for judgments, run, words in (
        (judged, ranked.drop("doc"), "cannot tell which column holds the documents"),
        (judged, ranked.withColumn("score", f.lit("x")), "is of type string, not a number"),
        (judged, ranked.withColumn("query", f.lit(1)), "query ids are whole numbers"),
        (judged.withColumn("doc", f.lit(1.5)), ranked, "a document id is text or a whole number"),
        (judged.withColumn("grade", f.lit(None).cast("double")), ranked, "has no value in 1 row"),
        (judged.withColumn("grade", f.lit(float("nan"))), ranked, "not a finite number"),
        (judged.where("false"), ranked, "the table has no rows"),
        ({"q": {"a": 1}}, ranked, "takes Spark DataFrames and paths"),
    ):
        with pytest.raises(rs.RankstoneError, match=words):
            engine.evaluate(judgments, run, ["AP"])
    with pytest.raises(rs.UsageError, match="max_fpr"):
        engine.evaluate(judged, ranked, ["AUC(max_fpr=2)"])
    with pytest.raises(rs.UsageError, match="chunk_rows must be at least 1"):
        engine.evaluate(judged, ranked, ["AP"], chunk_rows=0)
    with pytest.raises(rs.UsageError, match="rankstone.spark.evaluate"):
        rs.evaluate(judged, ranked)
    with pytest.raises(rs.UsageError, match="rankstone.spark.evaluate"):
        rs.Evaluator().add(ranked, judgments=judged)


@pytest.mark.usefixtures("_thorough")
def test_bad_rows_are_named(spark, engine):
    judged, ranked = frames(spark, [("q", "a", 1.0)], [("q", "a", 1.0), ("q", "b", 0.5)])
    from pyspark.sql import functions as f

    odd = f.when(f.col("doc") == "b", f.lit(None)).otherwise(f.col("score"))
    with pytest.raises(rs.DataError, match="run: no score in a row of document 'b' of query 'q'"):
        engine.evaluate(judged, ranked.withColumn("score", odd), ["AP"])
    with pytest.raises(rs.DataError, match="query 'q' has more than 1 rows"):
        engine.evaluate(judged, ranked, ["AP"], max_query_rows=1)
    with pytest.raises(rs.NothingInCommonError, match="'q' is not 'Q'"):
        engine.evaluate(judged, ranked.withColumn("query", f.upper("query")), ["AP"])
    more = judged.union(judged.withColumn("query", f.lit("other")))
    with pytest.raises(rs.StrictError, match="not in the run|without judgments"):
        engine.evaluate(more, ranked, ["AP"], strict=True)


def process_tree():
    """Return the parent and the command of every process."""
    tree = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as stream:
                command = stream.read()
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as stream:
                tree[int(name)] = int(stream.read().rpartition(")")[2].split()[1]), command
        except OSError:  # it has ended
            continue
    return tree


def python_workers():
    """Return the Python workers of this process's Spark: the children of its daemon."""
    tree = process_tree()

    def is_daemon(pid):
        return b"pyspark.daemon" in tree.get(pid, (0, b""))[1]

    def is_below_this_process(pid):
        while pid in tree and pid != os.getpid():
            pid = tree[pid][0]
        return pid == os.getpid()

    return [
        pid
        for pid, (parent, _) in tree.items()
        if is_daemon(pid) and is_daemon(parent) and is_below_this_process(pid)
    ]


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are found in /proc")
def test_a_killed_worker_changes_nothing(spark, engine, request):
    from pyspark.sql import functions as f

    batches = "spark.sql.execution.arrow.maxRecordsPerBatch"
    small = spark.conf.get(batches)
    spark.conf.set(batches, "10000")
    request.addfinalizer(lambda: spark.conf.set(batches, small))
    rows = spark.range(600_000)
    query, doc = (f.col("id") % 3000).cast("string"), f.col("id").cast("string")
    run = rows.select(query.alias("query"), doc.alias("doc"), f.rand(1).alias("score")).persist()
    judged = run.where("cast(doc as bigint) % 7 = 0").select(
        "query", "doc", f.lit(1).alias("grade")
    )
    calm = engine.evaluate(judged, run, ["nDCG@10", "AP"], partitions=6)
    killed = []
    outcome = []
    job = threading.Thread(
        target=lambda: outcome.append(engine.evaluate(judged, run, ["nDCG@10", "AP"], partitions=6))
    )
    job.start()
    while job.is_alive() and len(killed) < 2:
        time.sleep(0.2)
        for pid in python_workers()[:1]:
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
    job.join()
    assert killed
    assert outcome[0].collect() == calm.collect()
    assert repr(outcome[0].summary.aggregates) == repr(calm.summary.aggregates)
    assert {n.code: n.count for n in outcome[0].summary.notices} == {
        n.code: n.count for n in calm.summary.notices
    }


CONNECT = """
import json, sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
import rankstone as rs
from rankstone import spark as engine
judged, ranked, measures = json.load(open(sys.argv[1]))
builder = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.shuffle.partitions", "3").getOrCreate()
assert "connect" in type(spark).__module__
judgments = spark.createDataFrame([tuple(r) for r in judged], "query string, doc string, grade double")
run = spark.createDataFrame([tuple(r) for r in ranked], "query string, doc string, score double")
done = engine.evaluate(judgments, run, measures)
done.per_query.count()
print(done.collect().to_json())
try:
    engine.evaluate(judgments, run.selectExpr("query", "doc", "double(null) score"), measures)
except rs.DataError as error:
    print(error)
spark.stop()
"""


@pytest.mark.usefixtures("_thorough")
def test_spark_connect(tmp_path):
    jars = os.path.join(os.path.dirname(require_spark().__file__), "jars")
    if not any(name.startswith("spark-connect_") for name in os.listdir(jars)):
        pytest.skip("this PySpark comes without a Spark Connect server")
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio")
    judged, ranked = random_rows(7, 20)
    path = tmp_path / "data.json"
    path.write_text(json.dumps([judged, ranked, MEASURES]), encoding="utf-8")
    # Workers start in a folder of their own, so a relative path would lead nowhere.
    package = os.path.dirname(os.path.dirname(os.path.abspath(rs.__file__)))
    environment = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": package,
    }
    done = subprocess.run(
        [sys.executable, "-c", CONNECT, path],
        capture_output=True, text=True, env=environment, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.strip().splitlines()
    check_same(rs.Result.from_json(lines[-2]), rs.evaluate(*tables(judged, ranked), MEASURES))
    assert "no score in a row of document" in lines[-1]


def test_subtopics_chunks_and_thresholds(spark, engine, tmp_path):
    names = ["StRecall@3", "alpha_nDCG@5", "nDCG@5", "NumRet"]
    qrels, run = tmp_path / "judged.qrels", tmp_path / "chunks.run"
    qrels.write_text("".join(
        f"q{q} {s} d{d} {(q + s + d) % 3}\n" for q in range(8) for s in range(1, 4) for d in range(5)
    ))  # fmt: skip
    run.write_text("".join(
        f"q{q} Q0 d{d}#{n} 1 {(q * d + n) % 7} t\n" for q in range(8) for d in range(7) for n in range(2)
    ))  # fmt: skip
    changes = {"parents": "{doc}#{n}", "parent_rule": "sum", "min_score": 2}
    done = engine.evaluate(str(qrels), str(run), names, spark=spark, **changes)
    here = rs.evaluate(qrels, run, names, **changes)
    assert done.collect().per_query == here.per_query
    assert {n.text for n in here.notices} == {n.text for n in done.summary.notices}
    done.unpersist()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_score": "high"}, "min_score must be a number, not 'high'"),
        ({"parents": "{n}"}, "must hold {doc} once"),
        ({"judged_chunks": True}, "judged_chunks= needs parents="),
        ({"parents": "{doc}#{n}", "parent_rule": "mean"}, "unknown value of parent_rule 'mean'"),
    ],
)
def test_bad_changes_are_refused_before_a_job_starts(spark, engine, options, words):
    judgments, run = frames(spark, [("q", "a", 1.0)], [("q", "a", 1.0)])
    with pytest.raises(rs.UsageError) as caught:
        engine.evaluate(judgments, run, ["RR"], **options)
    assert words in str(caught.value)


@pytest.mark.usefixtures("_thorough")
def test_the_command(spark, tmp_path, capsys):
    from rankstone.cli import main

    judged, ranked = random_rows(8, 15)
    here = rs.evaluate(*tables(judged, ranked), ["AP", "nDCG@5"])
    judgments, run = frames(spark, judged, ranked)
    paths = [str(tmp_path / name) for name in ("judgments", "bm25")]
    judgments.write.parquet(paths[0])
    run.write.parquet(paths[1])
    call = ["spark", *paths, "--master", "local[2]", "-m", "AP", "-m"]
    values = str(tmp_path / "values")
    assert main([*call, "nDCG@5", "--save-values", values, "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert f"{here['AP']}" in printed
    written = {row["query"]: row["AP"] for row in spark.read.parquet(f"{values}/bm25").collect()}
    assert written == {q: v["AP"] for q, v in here.per_query.items()}
    assert main([*call, "nDCG@5", "--save-values", values, "--quiet"]) == 3
    assert "exists already" in capsys.readouterr().err
    assert main([*call, "nDCG@5", "--format", "json"]) == 0
    saved = tmp_path / "bm25.json"
    saved.write_text(capsys.readouterr().out, encoding="utf-8")
    assert rs.Result.load(saved) == here
    # compare and gate take what came back; so does a run that was evaluated here.
    run.selectExpr("query", "doc", "-score score").write.parquet(str(tmp_path / "reversed"))
    call[2] = str(tmp_path / "reversed")
    assert main([*call, "nDCG@5", "--save-values", values, "--quiet", "--format", "json"]) == 0
    other = tmp_path / "reversed.json"
    other.write_text(capsys.readouterr().out, encoding="utf-8")
    for pair in ((f"{values}/bm25", f"{values}/reversed"), (str(saved), str(other))):
        assert main(["compare", "--values", *pair, "--format", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert repr(here["AP"]) in json.dumps(rows)
    gate = ["gate", paths[0], str(other), "--baseline", str(saved), "--max-drop"]
    worse = rs.Result.load(other)["AP"] < here["AP"]
    assert main([*gate, "AP=0.0"]) == int(worse)
    assert main([*gate, "AP=1.0"]) == 0
    chosen = here.queries[:5]
    some = [[r for r in rows if r[0] in chosen] for rows in (judged, ranked)]
    some = tables(*some)
    page = rs.report(some[0], {"bm25": some[1]}, ["AP"], pictures=False)
    assert page.model.means == [[rs.evaluate(*some, ["AP"])["AP"]]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["evaluate", "--master", "local[2]"], "unrecognized arguments: --master"),
        (["spark", "--threads", "2"], "--threads goes with evaluate"),
        (["spark", "--encoding", "cp1252"], "--encoding goes with evaluate"),
        (["spark", "--unjudged-interval"], "--unjudged-interval goes with evaluate"),
    ],
)
def test_options_of_the_other_engine_are_refused(options, words, capsys):
    from rankstone.cli import main

    with pytest.raises(SystemExit) as stop:
        main([*options, "qrels", "run"])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err
