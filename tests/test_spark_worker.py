"""What Spark's tasks do, without Spark: rows packed by query, and evaluated bucket by bucket."""

import random

import numpy as np
import pytest

import rankstone as rs

pa = pytest.importorskip("pyarrow")

from rankstone.engines.spark_worker import (  # noqa: E402
    PACKED,
    Job,
    evaluate_partition,
    pack_rows,
)
from rankstone.evaluation_parts import merged  # noqa: E402
from rankstone.evaluator_state import from_bytes  # noqa: E402

MEASURES = ("nDCG@10", "AP", "ERR@5", "Success(how='pooled')@5")


def job(**changes):
    """A job on text ids, with some fields changed."""
    fields = {
        "measures": MEASURES, "like": None, "conventions": None, "choices": {},
        "tie_interval": False, "scores": "descending", "name": "run", "number": "score",
        "has_rank": False, "keeps_order": False, "max_grade": 3.0, "chunk_rows": 64,
        "max_query_rows": 1000, "columns": MEASURES,
        "weighted": frozenset({"Success(how='pooled')@5"}), "query_is_text": True,
        "doc_is_text": True,
    }  # fmt: skip
    return Job(**{**fields, **changes})


def random_rows(seed):
    """Rows of judgments and of a run, in any order, with queries on one side only."""
    rng = random.Random(seed)
    judged, ranked = [], []
    for i in range(80):
        docs = rng.sample([f"d{j}" for j in range(40)], rng.randint(1, 30))
        if rng.random() < 0.8:
            judged += [(f"q{i}", d, float(rng.choice([0, 1, 2, 3]))) for d in docs[::3]]
        if rng.random() < 0.8:
            ranked += [(f"q{i}", d, rng.choice([rng.random(), 0.5])) for d in docs]
    rng.shuffle(ranked)
    return judged, ranked


def table(rows, number):
    """Rows as a table."""
    schema = pa.schema([("query", pa.string()), ("doc", pa.string()), (number, pa.float64())])
    return pa.table([list(column) for column in zip(*rows, strict=True)], schema=schema)


def packed(rows, side, buckets, size):
    """Rows packed as a task packs them, from batches of a size."""
    keys = pa.array([hash(("some seed", row[0])) for row in rows], pa.int64())
    frame = table(rows, "number").add_column(0, "key", keys)
    return list(pack_rows(frame.to_batches(max_chunksize=size), side, buckets, 3 * size))


@pytest.mark.parametrize(("buckets", "size"), [(1, 1000), (4, 7), (97, 50), (70_000, 500)])
def test_packed_rows_give_the_values_of_an_evaluation_at_once(buckets, size):
    judged, ranked = random_rows(buckets)
    batches = packed(judged, 0, buckets, size) + packed(ranked, 1, buckets, size)
    rows = pa.Table.from_batches(batches, PACKED)
    values, states = {}, []
    for partition in range(3):
        bucket = rows["bucket"].to_numpy()
        mine = rows.filter(pa.array(bucket % 3 == partition)).sort_by("bucket")
        for batch in evaluate_partition(mine.to_batches(max_chunksize=5), job()):
            for row in batch.to_pylist():
                if row["state"] is None:
                    assert row["query"] not in values
                    values[row["query"]] = [row[f"c{i}"] for i in range(len(MEASURES))]
                else:
                    states.append(row["state"])
    whole = rs.evaluate(table(judged, "grade"), table(ranked, "score"), MEASURES)
    columns = np.array([values[q] for q in whole.queries]).T
    assert len(values) == len(whole.queries)
    for column, name in zip(columns, MEASURES, strict=True):
        assert column.tobytes() == whole.values(name).tobytes()
    tally = merged([from_bytes(state)[0] for state in states]).tally
    counts = {n.code: n.count for n in whole.notices}
    assert tally.missing_queries == counts["missing-queries"]
    assert tally.unjudged_queries == counts["unjudged-queries"]
    assert (tally.tied, tally.documents) == (whole.ties.documents, whole.ties.retrieved)


def test_an_empty_partition_returns_nothing():
    assert list(evaluate_partition([], job())) == []


@pytest.mark.parametrize(
    ("ranked", "words"),
    [
        ([("q", "a", None)], "run: no score in a row of document 'a' of query 'q'"),
        ([("q", None, 1.0)], "run: no document id in a row of query 'q'"),
        ([(None, "a", 1.0)], "run: no query id in a row of document 'a'"),
        ([("q", "a", float("inf"))], "the score of document 'a' of query 'q' is not a finite"),
        ([("q", f"d{i}", 1.0) for i in range(1001)], "query 'q' has more than 1000 rows"),
    ],
)
def test_bad_rows_are_named(ranked, words):
    rows = packed([("q", "a", 1.0)], 0, 2, 10) + packed(ranked, 1, 2, 100)
    with pytest.raises(rs.DataError, match=words):
        list(evaluate_partition(rows, job()))
