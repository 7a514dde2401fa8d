"""What comes out: values, JSON and back, provenance."""

import hashlib
import json
import math

import pandas as pd
import pytest
from hypothesis import given, strategies as st
from strategies import collections, measures

import rankstone as rs

JUDGED = {"q2": {"a": 1}, "q1": {"b": 2, "c": 0}, "q10": {"z": 0}}
RUN = {"q1": {"a": 1.0, "b": 0.5}, "q2": {"a": 3.0}}


@given(collections(), st.lists(measures(), min_size=1, max_size=4))
def test_json_brings_back_every_bit(collection, asked):
    result = rs.evaluate(*collection, asked, no_relevant="skip")
    again = rs.Result.from_json(result.to_json())
    assert again.queries == result.queries
    assert again.measures == result.measures
    for name in result.measures:
        assert again.values(name).tobytes() == result.values(name).tobytes()
        both_missing = math.isnan(again[name]) and math.isnan(result[name])
        assert again[name] == result[name] or both_missing
    assert again.counted == result.counted
    assert again.conventions == result.conventions
    assert again.notices == result.notices
    assert again.provenance.to_dict() == result.provenance.to_dict()
    assert again.to_json() == result.to_json()


def test_values_and_their_order():
    result = rs.evaluate(JUDGED, RUN, [rs.RR, "P@1"])
    assert result.queries == ["q1", "q10", "q2"]
    assert result.per_query["q1"] == {"RR": 0.5, "P@1": 0.0}
    assert result[rs.RR] == result["RR"] == 0.5
    assert result.values("P@1").tolist() == [0.0, 0.0, 1.0]
    assert (
        repr(result)
        == "<Result run: RR=0.5000, P@1=0.3333 (3 queries, default conventions); 1 warning: 1 of 3 judged queries not in the run; missing ones count as 0 (for example q10)>"
    )
    with pytest.raises(rs.UsageError, match=r"'RR@1' was not measured. Measured: RR, P@1."):
        result["RR@1"]


def test_numeric_ids_come_in_numeric_order(engine, tmp_path):
    judged = {"10": {"a": 1}, "9": {"a": 1}, "009": {"a": 1}}
    run = {"10": {"a": 1.0}}
    assert rs.evaluate(judged, run, ["RR"]).queries == ["009", "9", "10"]
    qrels = tmp_path / "qrels"
    qrels.write_text("10 0 a 1\n9 0 a 1\n009 0 a 1\n")
    assert rs.evaluate(qrels, run, ["RR"]).queries == ["009", "9", "10"]


def test_files_are_stamped(engine, tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run.txt"
    qrels.write_text("q 0 d 1\n")
    run.write_text("q Q0 d 1 1 t\n")
    result = rs.evaluate(qrels, run, ["RR"])
    assert result.name == "bm25"
    made = result.provenance.to_dict()
    assert made["rankstone"] == rs.__version__
    assert made["engine"] == engine
    assert made["run"]["sha256"] == hashlib.sha256(run.read_bytes()).hexdigest()
    assert made["judgments"]["sha256"] == hashlib.sha256(qrels.read_bytes()).hexdigest()
    run.write_text("q Q0 d 1 2.5 t\n")
    with pytest.raises(rs.DataError, match="the file changed after it was read"):
        result.to_json()


def test_save_and_load(tmp_path):
    result = rs.evaluate(JUDGED, RUN, ["RR"])
    path = tmp_path / "result.json"
    result.save(path)
    assert rs.Result.load(path).to_json() == result.to_json()
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]
    with pytest.raises(rs.DataError, match="No such file"):
        rs.Result.load(tmp_path / "absent")
    with pytest.raises(rs.DataError, match="cannot be written .No such file"):
        result.save(tmp_path / "absent" / "result.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"schema": "other/1"}', "[" * 10_000])
def test_what_is_no_result_is_refused(text):
    with pytest.raises(rs.DataError, match="not a saved Rankstone result"):
        rs.Result.from_json(text)


NOTICE = {"code": "c", "count": 1, "text": "t", "examples": [], "level": "note"}
REFUSED = [
    ("values", {"RR": [[1], [1], [1]]}),
    ("values", {"RR": ["1", "0", "0"]}),
    ("values", {"RR": [True, 0, 0]}),
    ("values", {"RR": [1e400, 0, 0]}),
    ("values", {}),
    ("aggregates", {"RR": 10**400}),
    ("aggregates", {"RR": "0.5"}),
    ("aggregates", {"RR": -1e400}),
    ("counted", {"RR": 1.5}),
    ("counted", {"RR": -1}),
    ("weights", {"RR": ["1", "1", "1"]}),
    ("queries", "abc"),
    ("queries", ["a", "b", "a"]),
    ("queries", ["a", "b", {}]),
    ("queries", ["a", "b", ""]),
    ("queries", ["a", "b", True]),
    ("name", 7),
    ("like", ["trec_eval-9"]),
    ("requested", {"mrr": "AP"}),
    ("exceptions", {"RR": {"ties": 7}}),
    ("unanswered", "q1"),
    ("ties", {"documents": "1", "retrieved": 2, "interval": {}}),
    ("ties", {"documents": 1, "retrieved": 2, "interval": {"RR": [0, "1"]}}),
    ("unjudged", {"documents": 1, "retrieved": 2, "judged_by_rank": ["1"], "interval": {}}),
    ("unjudged", {}),
    ("notices", [{**NOTICE, "level": "error"}]),
    ("notices", [{**NOTICE, "text": 7}]),
    ("notices", [{**NOTICE, "examples": "abc"}]),
    ("notices", [{**NOTICE, "count": None}]),
]


@pytest.mark.parametrize(("key", "value"), REFUSED)
def test_a_result_says_nothing_but_what_one_can_say(key, value):
    good = json.loads(rs.evaluate(JUDGED, RUN, ["RR"]).to_json())
    assert len(good["queries"]) == 3
    with pytest.raises(rs.RankstoneError):
        rs.Result.from_json(json.dumps({**good, key: value}))


@given(st.data())
def test_a_damaged_result_is_refused_or_read(data):
    good = json.loads(rs.evaluate(JUDGED, RUN, ["RR"]).to_json())
    key = data.draw(st.sampled_from(sorted(good)))
    good[key] = data.draw(
        st.none() | st.integers() | st.text(max_size=3) | st.just([]) | st.just({})
    )
    try:
        rs.Result.from_json(json.dumps(good))
    except rs.RankstoneError:
        return
    assert key not in ("schema", "provenance")


def test_measures_asked_for_twice_are_measured_once():
    result = rs.evaluate(JUDGED, RUN, ["RR", "mrr", rs.RR])
    assert result.measures == ["RR"]


def test_a_single_measure_needs_no_list():
    assert rs.evaluate(JUDGED, RUN, "RR")["RR"] == 0.5
    assert len(rs.evaluate(JUDGED, RUN).measures) == 5


def test_other_aggregates_say_what_they_are_over():
    judged = {f"q{i}": {"a": 1} for i in range(4)} | {"q9": {"a": 0}}
    run = {"q0": ["a"], "q1": ["x", "a"], "q2": ["x", "y", "z", "a"], "q3": ["x"], "q9": ["a"]}
    result = rs.evaluate(judged, run, ["RR"], no_relevant="skip")
    mean = result.summary("RR")
    assert (mean.value, mean.n, mean.left_out) == (1.75 / 4, 4, 1)
    assert result.summary("RR", "median").value == 0.375
    geometric = result.summary("RR", "geometric")
    assert geometric.value == pytest.approx((1 * 0.5 * 0.25 * 1e-5) ** 0.25, rel=1e-12)
    assert result.summary("RR", "sum").value == 1.75
    groups = result.by_group("RR", {"q0": "easy", "q1": "easy", "q2": "hard", "q3": "hard"})
    none = groups.pop(None)
    assert {g: (s.value, s.n, s.left_out) for g, s in groups.items()} == {
        "easy": (0.75, 2, 0),
        "hard": (0.125, 2, 0),
    }
    assert math.isnan(none.value)
    assert (none.n, none.left_out) == (0, 1)
    with pytest.raises(rs.UsageError, match="Did you mean median"):
        result.summary("RR", "medain")


def test_hits_pooled_over_users():
    judged = {"u1": range(10), "u2": range(12), "u3": range(8)}
    run = {"u1": [*range(6), 90, 91, 92, 93], "u2": [*range(5), 90], "u3": [*range(4)]}
    result = rs.evaluate(judged, run, ["Success@10", "Success(how='pooled')@10"])
    assert result["Success@10"] == 1.0
    assert result["Success(how='pooled')@10"] == (6 + 5 + 4) / (10 + 12 + 8)


def test_the_repr_counts_warnings_and_names_the_first():
    result = rs.evaluate({1: {"3": 1}}, {1: {3: 1.0}}, "RR")
    assert "; 1 warning: 1 judged document is not in the run but looks like one" in repr(result)
    two = rs.evaluate({"q": {"d": -1}, "r": {"d": 1}}, {"q": ["d"]}, "RR")
    codes = ["negative-grades", "missing-queries", "no-relevant"]
    assert [n.code for n in two.warnings] == codes
    assert "; 3 warnings: 1 negative grade" in repr(two)
    assert "warning" not in repr(rs.evaluate({"q": ["d"]}, {"q": ["d"]}, "RR"))


def test_results_are_equal_if_their_values_are():
    judged, run = {"q": {"d": 1}, "r": {"e": 1}}, {"r": ["e", "d"], "q": ["x", "d"]}
    a = rs.evaluate(judged, run, ["RR", "AP"], name="a")
    b = rs.evaluate(judged, dict(reversed(run.items())), ["AP", "RR"], name="b")
    assert a == b
    assert a != rs.evaluate(judged, run, ["RR"])
    assert a != rs.evaluate(judged, {"q": ["d"], "r": ["e"]}, ["RR", "AP"])
    assert a != "a"
    empty = {"q": {"d": 0}}, {"q": ["d"]}
    skipped = rs.evaluate(*empty, "RR", no_relevant="skip")
    assert skipped == rs.evaluate(*empty, "RR", no_relevant="skip")
    assert skipped != rs.evaluate(*empty, "RR")


def test_every_file_of_results_can_be_read(tmp_path, capsys):
    from rankstone.cli import main

    (tmp_path / "qrels").write_text("q 0 d 1\n")
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"q Q0 d 1 1 {name}\n")
    paths = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    assert main(["evaluate", *paths, "-m", "RR", "--format", "json"]) == 0
    saved = tmp_path / "two.json"
    saved.write_text(capsys.readouterr().out)
    assert [r.name for r in rs.Result.load_all(saved)] == ["a", "b"]
    assert rs.Result.load(saved, name="b").name == "b"
    with pytest.raises(rs.UsageError, match="there are 2 results: a, b. Choose one with name='a'"):
        rs.Result.load(saved)
    with pytest.raises(rs.UsageError, match="no result 'c'"):
        rs.Result.load(saved, name="c")
    assert (
        main(["evaluate", *paths[:2], "-m", "RR", "--format", "json", "--aggregate", "median"]) == 0
    )
    saved.write_text(capsys.readouterr().out)
    assert rs.Result.load(saved)["RR"] == 1.0
    saved.write_text("[]")
    with pytest.raises(rs.DataError, match="it is empty"):
        rs.Result.load_all(saved)


THREE = {"q": {"a": 1}, "r": {"b": 1}, "s": {"c": 1}}
FOUND = {"q": ["a"], "r": ["x"], "s": ["c"]}


def changed(**fields):
    """Return a saved result with other fields."""
    saved = json.loads(rs.evaluate(THREE, FOUND, ["P_1", "AP"]).to_json())
    return json.dumps(saved | fields)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"requested": {"map": "AP", "AP": "AP"}},
        {"values": {"AP": [1, 0.5, None], "P@1": [1, 0, 1]}},
        {"queries": ["q", 1, 0]},
        {"counted": {"AP": 0, "P@1": 3}},
        {"weights": {"AP": [1, 2, 3]}},
    ],
)
def test_saved_results_of_every_kind_are_read(fields):
    result = rs.Result.from_json(changed(**fields))
    assert json.loads(result.to_json()) == json.loads(changed(**fields)) | {
        "provenance": json.loads(result.to_json())["provenance"]
    }


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"schema": "rankstone/result/0"}, "schema 'rankstone/result/0'"),
        ({"requested": {"map": "GMAP"}}, "'map' was requested and is not measured"),
        ({"requested": {"AP": "P@1"}}, "'AP' was requested and is not measured"),
        ({"values": {}}, "it has no measures"),
        ({"values": {"AP": [1, 0], "P@1": [1, 0, 1]}}, "its columns differ in length"),
        ({"weights": {"AP": [1, 2]}}, "its columns differ in length"),
        ({"values": {"AP": [1, 0, True]}}, "some values are not numbers"),
        ({"values": {"AP": "100"}}, "'100' is not a list"),
        ({"queries": ["q", "r", "q"]}, "an id is repeated"),
        ({"queries": ["q", "r", ""]}, "neither text nor whole numbers"),
        ({"queries": ["q", "r", 0.5]}, "neither text nor whole numbers"),
        ({"counted": {"AP": -1, "P@1": 3}}, "-1 is not a count"),
        ({"counted": {"AP": True, "P@1": 3}}, "True is not a count"),
        ({"aggregates": {"AP": "1", "P@1": 1}}, "'1' is not a number"),
        ({"name": 1}, "1 is not text"),
    ],
)
def test_what_no_result_holds_is_refused(fields, said):
    with pytest.raises(rs.DataError) as caught:
        rs.Result.from_json(changed(**fields))
    assert said in str(caught.value)


def test_groups_that_no_query_has_are_an_error():
    result = rs.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR")
    frame = pd.DataFrame({"query": ["q"], "group": ["easy"]})
    with pytest.raises(rs.UsageError, match=r"not in a DataFrame: dict\(zip\("):
        result.by_group("RR", frame)
    (group,) = result.by_group("RR", dict(zip(frame["query"], frame["group"], strict=True)))
    assert group == "easy"
    assert list(result.by_group("RR", frame.set_index("query")["group"])) == ["easy"]
    with pytest.raises(rs.DataError, match="no query that was evaluated has a group"):
        result.by_group("RR", {1: "easy"})
    assert list(result.by_group("RR", {})) == [None]
