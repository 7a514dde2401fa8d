"""What Spark's tasks do, without Spark: rows packed by query, and evaluated bucket by bucket."""

import random

import numpy as np
import pytest

import rankstone as rs

pa = pytest.importorskip("pyarrow")

from rankstone.spark.job import Job  # noqa: E402
from rankstone.spark.pack import PACKED, pack_rows  # noqa: E402
from rankstone.spark.worker import evaluate_lists, evaluate_partition  # noqa: E402
from rankstone.verbs.evaluator_state import from_bytes  # noqa: E402
from rankstone.verbs.parts import Part  # noqa: E402

MEASURES = ("nDCG@10", "AP", "ERR@5", "Success(how='pooled')@5")


def job(**changes):
    """A job on text ids, with some fields changed."""
    fields = {
        "measures": MEASURES, "options": {}, "name": "run", "number": "score", "has_rank": False,
        "keeps_order": False, "max_grade": 3.0, "chunk_rows": 64, "max_query_rows": 1000,
        "columns": MEASURES, "weighted": frozenset({"Success(how='pooled')@5"}),
        "query_is_text": True, "doc_is_text": True,
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
    batches = table(rows, "number").to_batches(max_chunksize=size)
    return list(pack_rows(batches, side, job(), buckets, 3 * size))


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
    tally = Part.merged([from_bytes(state)[0] for state in states]).tally
    counts = {n.code: n.count for n in whole.notices}
    assert tally.missing_queries == counts["missing-queries"]
    assert tally.unjudged_queries == counts["unjudged-queries"]
    assert (tally.tied, tally.documents) == (whole.ties.documents, whole.ties.retrieved)


def test_judgments_by_subtopic():
    """A chunk in which all judgments are of one subtopic is judged by subtopic like the others."""
    rng = random.Random(3)
    judged = [(f"q{i}", f"d{j}", 1.0, "1", "vital") for i in range(9) for j in range(0, 9, 2)]
    judged += [("q9", f"d{j}", 1.0, rng.choice("23"), "okay") for j in range(9)]
    judged = [(*row[:4], {"1": "okay", "2": "vital", "3": "okay"}[row[3]]) for row in judged]
    ranked = [(f"q{i}", f"d{j}", rng.random()) for i in range(10) for j in range(9)]
    columns = ["query", "doc", "grade", "subtopic", "importance"]
    table_of = pa.table(dict(zip(columns, map(list, zip(*judged, strict=True)), strict=True)))
    measures = ("alpha_nDCG@5", "AP_IA", "NuggetRecall(which='vital')@3", "nDCG@5")
    settings = job(
        measures=measures, columns=measures, weighted=frozenset(), chunk_rows=1,
        subtopics=("subtopic", "importance"),
    )  # fmt: skip
    batches = table_of.rename_columns(["query", "doc", "number", *columns[3:]]).to_batches()
    rows = [*pack_rows(batches, 0, settings, 5, 20), *packed(ranked, 1, 5, 20)]
    rows = pa.Table.from_batches(rows, PACKED).sort_by("bucket").to_batches()
    *parts, state = evaluate_partition(rows, settings)
    values = {r["query"]: r for part in parts for r in part.to_pylist()}
    whole = rs.evaluate(table_of, table(ranked, "score"), measures)
    for i, name in enumerate(measures):
        ours = np.array([values[q][f"c{i}"] for q in whole.queries])
        assert ours.tobytes() == whole.values(name).tobytes()
    tally = from_bytes(state.to_pylist()[0]["state"])[0].tally
    counts = {n.code: n.count for n in whole.notices}
    assert {n.code: n.count for n in tally.reading} == {
        code: counts[code] for code in ("subtopics", "repeated-judgments") if code in counts
    }


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
    def evaluated():
        rows = packed([("q", "a", 1.0)], 0, 2, 10) + packed(ranked, 1, 2, 100)
        return list(evaluate_partition(rows, job()))

    with pytest.raises(rs.DataError, match=words):
        evaluated()


def lists(rows, ids):
    """Rows of a query, its ranking and its relevant documents, as a batch."""
    schema = pa.schema([("query", pa.string()), ("top", pa.list_(ids)), ("liked", pa.list_(ids))])
    columns = [list(column) for column in zip(*rows, strict=True)]
    return pa.RecordBatch.from_arrays(
        [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema
    )


@pytest.mark.parametrize("ids", [pa.string(), pa.float64(), pa.int32()])
@pytest.mark.parametrize("chunk_rows", [1, 7, 1000])
def test_lists_give_the_values_of_dicts(ids, chunk_rows):
    rng = random.Random(chunk_rows)
    names = [f"d{i}" if ids == pa.string() else i for i in range(30)]
    rows = [
        (
            f"q{i}",
            rng.choices(names, k=rng.choice([0, 1, 9])),
            rng.sample(names, rng.choice([0, 4])),
        )
        for i in range(40)
    ]
    settings = job(
        number=None, max_grade=1.0, chunk_rows=chunk_rows, doc_is_text=ids == pa.string()
    )
    batches = [lists(rows[:25], ids), lists(rows[25:], ids)]
    *parts, state = evaluate_lists(batches, settings)
    values = {r["query"]: r for part in parts for r in part.to_pylist()}
    here = rs.evaluate({q: e for q, _, e in rows}, {q: r for q, r, _ in rows}, MEASURES)
    assert len(values) == len(here.queries)
    for i, name in enumerate(MEASURES):
        ours = np.array([values[q][f"c{i}"] for q in here.queries])
        assert ours.tobytes() == here.values(name).tobytes()
    assert {q for q in values if not values[q]["answered"]} == {*here.unanswered}
    tally = from_bytes(state.to_pylist()[0]["state"])[0].tally
    counts = {n.code: n.count for n in here.notices}
    assert tally.duplicates == counts["duplicate-documents"]
    assert tally.without_relevant == counts["no-relevant"]
    assert tally.missing_queries == tally.unjudged_queries == 0


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("q", [0.5], [1.0]), "a document id in column 'top' is not a whole number"),
        (("q", [0.0], [None]), "a document in column 'liked' has no id"),
        (("q", None, [1.0]), "column 'top' has no value in a row"),
        ((None, [1.0], [1.0]), "column 'query' has no value in a row"),
    ],
)
def test_bad_lists_are_refused(row, words):
    with pytest.raises(rs.DataError, match=words):
        list(evaluate_lists([lists([row], pa.float64())], job(number=None, doc_is_text=False)))


def evaluated_in_parts(judged, ranked, chosen):
    """Return values by query and the texts of notices, of rows that are packed."""
    sides = [
        pack_rows(rows.to_batches(), side, chosen, 5, 30)
        for side, rows in enumerate((judged, ranked))
    ]
    rows = pa.Table.from_batches([batch for side in sides for batch in side], PACKED)
    values, states = {}, []
    for partition in range(3):
        mine = rows.filter(pa.array(rows["bucket"].to_numpy() % 3 == partition)).sort_by("bucket")
        for batch in evaluate_partition(mine.to_batches(), chosen):
            for row in batch.to_pylist():
                if row["state"] is None:
                    values[row["query"]] = [row[f"c{i}"] for i in range(len(chosen.columns))]
                else:
                    states.append(row["state"])
    notices = Part.merged([from_bytes(state)[0] for state in states]).tally.reading
    return values, {n.code: n.text for n in notices}


def test_subtopics_reach_the_tasks():
    rng = random.Random(6)
    names = ("StRecall@3", "alpha_nDCG@5", "NuggetRecall(which='vital')", "nDCG@5")
    rows = [
        (f"q{q}", f"d{d}", float(rng.choice([0, 1, 2])), f"s{s}", "okay" if s % 2 else "vital")
        for q in range(20)
        for d in range(6)
        for s in range(1 if q < 10 else 4)  # many parts have one subtopic only
    ]
    judged = pa.table(
        dict(
            zip(
                ("query", "doc", "grade", "subtopic", "importance"),
                map(list, zip(*rows, strict=True)),
                strict=True,
            )
        )
    )
    ranked = table([(f"q{q}", f"d{d}", rng.random()) for q in range(20) for d in range(9)], "score")
    whole = rs.evaluate(judged, ranked, names)
    chosen = job(
        measures=names,
        columns=names,
        weighted=frozenset(),
        chunk_rows=20,
        subtopics=("subtopic", "importance"),
    )
    values, notices = evaluated_in_parts(
        judged.rename_columns(["query", "doc", "number", "subtopic", "importance"]),
        ranked.rename_columns(["query", "doc", "number"]), chosen,
    )  # fmt: skip
    assert values == {q: list(own.values()) for q, own in whole.per_query.items()}
    assert notices["subtopics"] == next(n.text for n in whole.notices if n.code == "subtopics")


@pytest.mark.parametrize(
    "changes",
    [
        {"min_score": 0.4},
        {"parents": "{doc}#{n}"},
        {"parents": "{doc}#{n}", "parent_rule": "sum", "min_score": 0.1},
        {"parents": {f"d{d}#{n}": f"d{d}" for d in range(6) for n in range(3)}},
        {"parents": "{doc}#{n}", "judged_chunks": True},
    ],
)
def test_a_run_is_changed_in_the_tasks(changes):
    rng = random.Random(7)
    names = ("RR", "nDCG@5", "NumRet")
    form = "d{}#9" if "judged_chunks" in changes else "d{}"
    judged = table(
        [(f"q{q}", form.format(d), float(d % 2)) for q in range(20) for d in range(6)], "grade"
    )
    ranked = table(
        [(f"q{q}", f"d{d}#{n}", rng.random()) for q in range(18) for d in range(6) for n in range(3)
         if rng.random() < 0.5], "score",
    )  # fmt: skip
    whole = rs.evaluate(judged, ranked, names, **changes)
    chosen = job(
        measures=names, columns=names, weighted=frozenset(), chunk_rows=20, options=changes
    )
    values, notices = evaluated_in_parts(
        *(t.rename_columns(["query", "doc", "number"]) for t in (judged, ranked)), chosen
    )
    assert values == {q: list(own.values()) for q, own in whole.per_query.items()}
    assert {n.code: n.text for n in whole.notices}.items() >= notices.items()
    assert ("parents" in notices) == ("parents" in changes)
