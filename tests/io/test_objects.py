"""Objects in memory: records, and columns with an index."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from loading import collection
from sources import JUDGED, JUDGMENT_FILES, MEASURES, RANKED, RUN_FILES

import rankstone as rs
from rankstone.io import json_like
from rankstone.io.input_file import ReadOptions
from rankstone.verbs.load import load_judgments, load_run


def series(values, index=None, dtype=None):
    return pd.Series(values, index=index, dtype=dtype)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (series(["a", "d"]), 0.5),
        (series(["a", "d"], ["x", "y"]), 0.5),
        (series([2, 1], ["a", "d"]), 0.5),
        (series([1, 2], ["a", "d"]), 1),
        (series([1, 2], pd.Index([7, "d"], dtype=object)), 1),
        (series([0.5, 1.5], [7, 8]), 0),
        (series([], []), 0),
        (series([0.5, 1], [7, 8], object), 0),
        (series(["a", 7, "d"], [1, 2, 3]), 1 / 3),
    ],
)
def test_a_series_holds_documents_or_their_scores(rows, expected):
    assert rs.evaluate({"q": {"d": 1}}, {"q": rows}, "RR")["RR"] == expected


@pytest.mark.parametrize(
    "run",
    [
        {"q": series(["a", "d"]), "r": ["d"]},
        {"q": series([2, 1], ["a", "d"]), "r": {"d": 1}},
    ],
)
def test_a_series_may_stand_beside_lists_or_dicts(run):
    found = rs.evaluate({"q": {"d": 1}, "r": {"d": 1}}, run, "RR").per_query
    assert found == {"q": {"RR": 0.5}, "r": {"RR": 1}}


def test_records_in_memory_keep_whole_numbers():
    judged = json_like.judgments_of([{"query_id": 1, "expected": [5, 6]}])
    assert (list(judged.queries), list(judged.docs), judged.docs.typed) == ([1], [5, 6], True)


@pytest.mark.parametrize(("name", "what"), [(None, "the run"), ("mine", "mine")])
def test_a_series_that_may_be_either_is_refused(name, what):
    with pytest.raises(rs.DataError) as caught:
        json_like.run_of({"q": series([7, 8], [3, 4])}, ReadOptions(name=name))
    assert str(caught.value).startswith(f"{what}, query 'q': a Series of whole numbers under")
    with pytest.raises(rs.DataError, match="the index of the Series holds a document twice"):
        json_like.run_of({"q": series([0.5, 1.5], ["a", "a"])}, ReadOptions(name=name))


def test_records_are_known_by_all_of_the_first():
    good, bad = {"query_id": "q", "expected": ["a"]}, {"query_id": "q", "x": ["a"]}
    assert json_like.are_records([good, good])
    assert not json_like.are_records([good, bad])
    assert not json_like.are_records([good, "x"])
    assert not json_like.are_records([good, {1: ["a"]}])
    assert not json_like.are_records([good | {1: 2}])
    assert not json_like.are_records([])
    assert not json_like.are_records([good] * 9 + [bad])
    assert json_like.are_records([good] * 10 + [bad])


@pytest.mark.parametrize(("name", "called", "what"), [(None, "run", "the run"), ("a", "a", "a")])
def test_a_run_of_records_has_a_name(name, called, what):
    assert (
        json_like.run_of([{"query_id": "q", "retrieved": {"a": 1}}], ReadOptions(name=name)).name
        == called
    )
    with pytest.raises(rs.DataError, match=f"^{what}, record 2: some records hold scores and"):
        json_like.run_of([{"retrieved": ["a"]}, {"retrieved": {"a": 1}}], ReadOptions(name=name))


class Collected:
    """Some table that is not Spark's."""

    def toPandas(self):
        return None


@pytest.mark.parametrize("data", [SimpleNamespace(source=1), SimpleNamespace(match=1), Collected()])
def test_objects_that_are_no_runs(data):
    with pytest.raises(rs.UsageError) as caught:
        load_run(data)
    assert str(caught.value).startswith(f"cannot read a run from {type(data).__name__}; ")


@pytest.mark.parametrize(("name", "expected"), [(None, "run"), ("mine", "mine")])
def test_grades_in_order_of_rank_have_a_name(name, expected):
    assert collection([[1, 0]], name=name).name == expected
    found = collection([1, 0], not_retrieved=[2])
    assert found.single
    assert rs.evaluate([1, 0], None, "R", not_retrieved=[2])["R"] == 0.5


TEXT_JSON = [name for name in (*JUDGMENT_FILES, *RUN_FILES) if name.startswith(("json", "rank"))]


def bits(result):
    return result.queries, {n: c.tobytes() for n, c in result.columns.items()}, result.aggregates


OBJECTS = {
    "numbers as text": ({"q": {"d": "2", "e": 0}}, {"q": {"e": "1.5", "d": 0.5}}),
    "text further down": ({"q": {"e": 0, "d": "2"}}, {"q": {"d": 0.5, "e": "1.5"}}),
    "objects for documents": ({"q": [{"id": "d", "rating": 2}]}, {"q": [{"_id": "e", "_score": 2}, {"_id": "d", "_score": 1}]}),
    "mixed ids": ({"q": ["d", 7]}, {"q": ["e", "d", 8]}),
    "bytes": ({"q": {b"d": 1}}, {"q": {b"e": 2.0, b"d": 1.0}}),
    "bytes in a list": ({b"q": [b"d"]}, {b"q": [b"e", b"d"]}),
    "text of NumPy": ({"q": {np.str_("d"): 1}}, {np.str_("q"): {np.str_("e"): 2.0, np.str_("d"): 1.0}}),
    "tuples": ({"q": ({"id": "d"},)}, {"q": ("e", "d")}),
}  # fmt: skip


@pytest.mark.parametrize("form", [n for n in JUDGMENT_FILES if n in TEXT_JSON])
def test_judgments_of_a_json_file_may_be_objects(engine, tmp_path, form):
    (tmp_path / "file").write_text(JUDGMENT_FILES[form](JUDGED))
    text = JUDGMENT_FILES[form](JUDGED)
    value = [json.loads(t) for t in text.splitlines()] if "jsonl" in form else json.loads(text)
    judged = rs.load_judgments(value)
    assert [str(q) for q in judged.queries] == load_judgments(tmp_path / "file").queries.objects
    got = rs.evaluate(value, {q: list(docs) for q, docs in RANKED.items()}, MEASURES)
    wanted = rs.evaluate(tmp_path / "file", RANKED, MEASURES)
    if {type(q) for q in judged.queries} == {str} and {type(d) for d in judged.docs} == {str}:
        assert bits(got) == bits(wanted)


@pytest.mark.parametrize("form", ["opensearch", "rre", "vespa", "rank-eval"])
def test_objects_of_other_tools_are_read_as_their_files(engine, tmp_path, form):
    plain = {f"q{q}": {f"d{d}": n for d, n in docs.items()} for q, docs in JUDGED.items()}
    run = {f"q{q}": [f"d{d}" for d in docs] for q, docs in RANKED.items()}
    text = JUDGMENT_FILES[form](plain)
    (tmp_path / "file").write_text(text)
    wanted = rs.evaluate(tmp_path / "file", run, MEASURES)
    assert bits(rs.evaluate(json.loads(text), run, MEASURES)) == bits(wanted)


@pytest.mark.parametrize("form", ["json", "json lists", "json of records", "jsonl rows", "jsonl lists", "jsonl scores", "rank-eval"])  # fmt: skip
def test_runs_of_a_json_file_may_be_objects(engine, tmp_path, form):
    judged = {f"q{q}": {f"d{d}": n for d, n in docs.items()} for q, docs in JUDGED.items()}
    run = {f"q{q}": [f"d{d}" for d in docs] for q, docs in RANKED.items()}
    text = RUN_FILES[form](run)
    (tmp_path / "file").write_text(text)
    value = [json.loads(t) for t in text.splitlines()] if "jsonl" in form else json.loads(text)
    wanted = bits(rs.evaluate(judged, tmp_path / "file", MEASURES))
    assert bits(rs.evaluate(judged, value, MEASURES)) == wanted


@pytest.mark.parametrize("case", OBJECTS)
def test_objects_that_would_work_as_a_file_work(engine, case):
    assert rs.evaluate(*OBJECTS[case], "RR", strict=True)["RR"] == 0.5


def test_records_may_hold_numbers_as_text(engine):
    records = [{"qid": "q", "docno": "e", "score": "2"}, {"qid": "q", "docno": "d", "score": "1e0"}]
    assert rs.evaluate({"q": {"d": 1}}, records, "RR", strict=True)["RR"] == 0.5
    with pytest.raises(rs.DataError, match="column 'score', row 1: score 'high' is not a number"):
        rs.evaluate({"q": {"d": 1}}, [records[0], records[1] | {"score": "high"}], "RR")
