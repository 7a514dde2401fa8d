"""Results, and what is saved of them."""

import json
import math
import pickle

import numpy as np
import pytest

import rankstone as rs
from rankstone.core import saved
from rankstone.core.result import TieReport
from rankstone.core.unjudged import UnjudgedInterval, UnjudgedReport
from rankstone.errors import Notice

DEFAULT = rs.Conventions()
NAN = math.nan


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (saved.text, 1), (saved.whole, -1), (saved.whole, True), (saved.whole, 1.0),
        (saved.number, True), (saved.number, math.inf), (saved.number, "1"),
        (saved.items, ()), (saved.column, [1, "1"]), (saved.column, [True]),
        (saved.column, [1.0, -math.inf]), (saved.ids, ["a", ""]), (saved.ids, ["a", "a"]),
        (saved.ids, [1.0]), (saved.ids, [True]),
    ],
)  # fmt: skip
def test_what_would_not_be_saved_is_not_read(check, value):
    with pytest.raises((ValueError, TypeError)):
        check(value)


def test_what_is_saved_is_read():
    assert (saved.text("a"), saved.whole(0), saved.number(1)) == ("a", 0, 1.0)
    assert math.isnan(saved.number(None))
    assert saved.optional(saved.whole, None) is None
    assert saved.optional(saved.whole, 2) == 2
    np.testing.assert_array_equal(saved.column([1, None, 0.5]), [1, NAN, 0.5])
    assert saved.ids([]) == []
    assert saved.ids(["a", 1, "1"]) == ["a", 1, "1"]


def result(**rules):
    judged = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 0}}
    run = {"a": ["x"], "b": ["y", "x"], "c": ["x"]}
    return rs.evaluate(judged, run, ["RR", "P@1"], name="mine", **rules)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("schema",), "rankstone/result/1", "schema 'rankstone/result/1', expected 'rankstone/result/3'"),
        (("values",), {}, "it has no measures"),
        (("values", "RR"), [1.0], "its columns differ in length"),
        (("weights", "RR"), [1.0], "its columns differ in length"),
        (("queries",), ["a", "a", "b"], "an id is repeated"),
        (("notices", 0, "level"), "loud", "'loud' is not a level of a notice"),
        (("notices", 0, "count"), -1, "-1 is not a count"),
        (("requested",), {"MRR": "nDCG"}, "'MRR' was requested and is not measured"),
        (("requested",), {"RR": "P@1"}, "'RR' was requested and is not measured"),
    ],
)  # fmt: skip
def test_a_result_that_was_not_saved_is_not_read(path, value, message):
    data = json.loads(result().to_json())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(rs.DataError) as caught:
        rs.Result.from_json(json.dumps(data))
    assert str(caught.value).startswith(f"this is not a saved Rankstone result ({message})")


def test_names_that_were_requested_are_kept():
    data = json.loads(result().to_json())
    data["requested"] = {"MRR": "RR", "P@1": "P@1"}
    assert rs.Result.from_json(json.dumps(data))["MRR"] == result()["RR"]


def test_one_of_several_results_is_chosen_by_name():
    several = [json.loads(result().to_json()) | {"name": name} for name in ("first", "second")]
    text = json.dumps(several)
    assert rs.Result.from_json(text, "second").name == "second"
    assert rs.Result.from_json(json.dumps(several[:1])).name == "first"
    assert [one.name for one in rs.Result.all_from_json(text)] == ["first", "second"]
    with pytest.raises(rs.UsageError) as caught:
        rs.Result.from_json(text)
    assert str(caught.value) == (
        "there are 2 results: first, second. Choose one with name='first', or read them all with "
        "Result.load_all."
    )
    with pytest.raises(rs.UsageError, match="there is no result 'third'"):
        rs.Result.from_json(text, "third")
    with pytest.raises(rs.DataError, match=r"not a saved Rankstone result \(it is empty\)"):
        rs.Result.from_json("[]")


def changed(one, **parts):
    data = json.loads(one.to_json())
    for name, value in parts.items():
        data[name] = data[name] | value if isinstance(value, dict) else value
    return rs.Result.from_json(json.dumps(data))


def test_results_are_equal_if_their_values_are():
    one = result(no_relevant="skip")
    assert one == changed(one)
    assert one == changed(one, name="other")
    order = changed(
        one, queries=["c", "b", "a"], values={"RR": [None, 0.5, 1.0], "P@1": [None, 0.0, 1.0]}
    )
    assert one == order
    assert one != changed(one, queries=["a", "b", "d"])
    assert one != changed(one, values={"RR": [1.0, 0.25, None]})
    assert one != changed(one, aggregates={"RR": 0.7})
    assert one != changed(one, aggregates={"P@1": None})
    less = rs.evaluate(
        {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 0}},
        {"a": ["x"], "b": ["y", "x"], "c": ["x"]},
        ["RR"],
        no_relevant="skip",
    )
    assert one != less
    assert less != one
    assert one != 3


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ([], ""),
        (["info"], ""),
        (["note"], "; 1 note: note 0"),
        (["note", "note"], "; 2 notes: note 0; ..."),
        (["note", "warning"], "; 1 warning: warning 1"),
        (["warning", "note", "warning"], "; 2 warnings: warning 0; ..."),
    ],
)
def test_a_result_shows_its_first_notice(levels, words):
    notices = [
        Notice(f"n{i}", 1, f"{level} {i}", level=level).to_dict() for i, level in enumerate(levels)
    ]
    one = changed(result(), notices=notices)
    assert (
        repr(one) == f"<Result mine: RR=0.5000, P@1=0.3333 (3 queries, default conventions){words}>"
    )
    assert len(one.warnings) == levels.count("warning")


def test_a_result_without_values_of_queries_shows_how_many_count():
    values = {"RR": [], "P@1": []}
    one = changed(result(), queries=[], values=values, counted={"RR": 2, "P@1": 3}, notices=[])
    assert "(means over 2 to 3 of 3 queries, " in repr(one)


def test_groups_of_queries_have_their_own_aggregates():
    one = result()
    groups = one.by_group("RR", {"a": 1, "b": 2})
    assert {group: summary.value for group, summary in groups.items()} == {
        1: 1.0,
        2: 0.5,
        None: 0.0,
    }
    assert one.by_group("RR", dict.fromkeys("abc", 1), "median")[1].value == 0.5
    with pytest.raises(rs.UsageError, match=r"^'RX' was not measured\."):
        one.by_group("RX", {})


def test_a_mean_of_nothing_has_an_interval_of_nothing():
    nothing = rs.evaluate({"q": {"a": 0}}, {"q": ["a"]}, ["RR"], no_relevant="skip").interval("RR")
    assert math.isnan(nothing.low)
    assert (nothing.n, nothing.confidence) == (0, 0.95)
    summed = rs.evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, ["NumRet"])
    with pytest.raises(rs.UsageError, match="NumRet is not aggregated as a mean"):
        changed(summed, aggregates={"NumRet": 3.0}).interval("NumRet")


def test_values_are_tables():
    long = result().to_pandas()
    assert long.to_dict("list") == {
        "query": ["a", "b", "c"] * 2,
        "measure": ["RR"] * 3 + ["P@1"] * 3,
        "value": [1.0, 0.5, 0.0, 1.0, 0.0, 0.0],
    }
    wide = result().to_polars(wide=True)
    assert wide.to_dict(as_series=False) == {
        "query": ["a", "b", "c"],
        "RR": [1.0, 0.5, 0.0],
        "P@1": [1.0, 0.0, 0.0],
    }
    assert result().to_arrow().num_rows == 6


def test_conventions_are_shown_in_words():
    assert result().conventions_in_words() == "default conventions"
    assert result(relevance=2).conventions_in_words() == "relevance=2"
    assert result(relevance=1.5, ties="input").conventions_in_words() == "ties=input, relevance=1.5"


def test_reports_of_ties_and_holes_are_plain_data():
    assert TieReport(1, 2, {"RR": (NAN, 0.5)}).to_dict() == {
        "documents": 1, "retrieved": 2, "interval": {"RR": [None, 0.5]},
    }  # fmt: skip
    ends = np.array([-math.inf, 0.0]), np.array([math.inf, NAN])
    report = UnjudgedReport(
        1, 2, (0.5,), {"RR": UnjudgedInterval(-math.inf, math.inf, False, ends)}
    )
    data = report.to_dict()
    assert data["interval"]["RR"] == {
        "low": "unbounded", "high": "unbounded", "exact": False,
        "per_query": [["unbounded", 0.0], ["unbounded", None]],
    }  # fmt: skip
    again = UnjudgedReport.from_dict(data, 2)
    assert again.interval["RR"][:3] == (-math.inf, math.inf, False)
    np.testing.assert_array_equal(again.interval["RR"].per_query, ends)
    short = json.loads(json.dumps(data))
    short["interval"]["RR"]["per_query"][1].pop()
    with pytest.raises(ValueError, match="an interval is not one of its queries"):
        UnjudgedReport.from_dict(short, 2)
    for queries, exact in ((3, True), (2, 1)):
        data["interval"]["RR"]["exact"] = exact
        with pytest.raises(ValueError, match="an interval is not one of its queries"):
            UnjudgedReport.from_dict(data, queries)


def test_queries_of_files_become_text_when_they_are_read(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 0\n")
    (tmp_path / "run.txt").write_text("q1 Q0 a 1 2 t\nq2 Q0 b 1 2 t\n")
    judgments = rs.load_judgments(tmp_path / "qrels.txt")
    result = rs.evaluate(judgments, tmp_path / "run.txt", ["nDCG", "AP"], queries="judged")
    assert [notice.code for notice in result.notices] == ["missing-queries", "no-relevant"]
    assert "objects" not in vars(judgments.queries)
    copied = pickle.loads(pickle.dumps(result))
    assert type(result.queries) is list
    assert result.queries == copied.queries == ["q1", "q2", "q3"]
    result.queries.clear()
    assert list(judgments.queries) == ["q1", "q2", "q3"]
    with pytest.raises(AttributeError):
        result.queries = []
