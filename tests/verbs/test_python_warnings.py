"""Notices that may make a number wrong are Python warnings, and a NaN never comes alone."""

import math
import subprocess
import sys
import warnings

import pytest

import rankstone as rs
from rankstone.cli import main

JUDGED = {"q": {"a": 1}, "r": {"b": 1}}
PARTIAL = {"q": ["a"]}


def shown(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(w.category is rs.RankstoneWarning for w in caught)
    return caught


def test_a_missing_query_is_a_python_warning():
    (told,) = shown(lambda: rs.evaluate(JUDGED, PARTIAL, "RR"))
    assert "1 of 2 judged queries not in the run" in str(told.message)
    assert str(told.message).endswith("[missing-queries]")
    assert told.filename == __file__


def test_each_kind_is_shown_once_in_a_call():
    runs = {"a": PARTIAL, "b": {"q": ["x", "a"]}}
    assert len(shown(lambda: rs.compare(JUDGED, runs, "RR"))) == 1
    evaluator = rs.Evaluator(JUDGED, "RR").add(PARTIAL)
    assert len(shown(evaluator.result)) == 1
    verdict = shown(lambda: rs.gate(JUDGED, PARTIAL, minimum={"RR": 0.1}))
    assert len(verdict) == 1


def test_what_makes_no_number_wrong_is_not_shown():
    assert not shown(lambda: rs.evaluate({"q": {"a": -1, "b": 1}}, {"q": ["b"]}, "RR"))


def test_the_command_prints_notices_itself(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q 0 a 1\nr 0 b 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1 x\n")
    words = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "RR"]
    assert not shown(lambda: main(words))
    assert capsys.readouterr().err.count("not in the run") == 1


def test_people_can_make_them_errors():
    code = 'import rankstone as rs; rs.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"]}, "RR")'
    call = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "RankstoneWarning: run: 1 of 2 judged queries" in done.stderr


def test_a_nan_never_comes_without_a_warning():
    with pytest.warns(rs.RankstoneWarning, match="AUC is not defined for any query"):
        result = rs.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AUC")
    assert math.isnan(result["AUC"])
    assert [n.code for n in result.warnings] == ["undefined"]
    assert "means over 0 of 1 query" in repr(result)
    with pytest.raises(rs.StrictError, match="AUC is not defined"):
        rs.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AUC", strict=True)


def test_a_mean_says_over_how_many_queries_it_was_taken():
    judged = {"q": {"a": 1}, "r": {"a": 1, "b": 0}}
    result = rs.evaluate(judged, {q: ["a", "b"] for q in judged}, ["AUC", "RR"])
    (told,) = (n for n in result.notices if n.code == "undefined")
    assert str(told) == "AUC is not defined for 1 query; the mean is over 1 of 2 queries"
    assert (told.level, "means over 1 to 2 of 2 queries" in repr(result)) == ("note", True)
    skipped = rs.evaluate({**judged, "s": {"a": 0}}, {"q": ["a"]}, "RR", no_relevant="skip")
    assert "means over 2 of 3 queries" in repr(skipped)
    assert "undefined" not in {n.code for n in skipped.notices}
