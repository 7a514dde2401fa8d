"""Questions without an answer: silence, thresholds of scores, risk and coverage."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from strategies import write_qrels, write_run

import rankstone as rs
from rankstone.cli import main

JUDGED = {"easy": {"a": 1}, "hard": {"b": 1, "c": 1}, "none": {"a": 0}, "never": {"d": 0}}
SCORED = {"easy": {"a": 0.9, "x": 0.2}, "hard": {"y": 0.6, "b": 0.4}, "none": {"a": 0.3}}


def test_silence_is_right_where_nothing_is_relevant(engine):
    result = rs.evaluate(JUDGED, SCORED, ["RR", "P@1", "DCG"], no_relevant="silence")
    assert result.per_query["none"] == {"RR": 0, "P@1": 0, "DCG": 0}
    assert result.per_query["never"] == {"RR": 1, "P@1": 1, "DCG": 0}
    listed = {q: [] if q == "none" else list(docs) for q, docs in SCORED.items()}
    quiet = rs.evaluate(JUDGED, listed, ["RR"], no_relevant="silence")
    assert quiet.per_query["none"]["RR"] == 1
    assert "no_relevant=silence makes the value 1" in str(
        rs.explain("RR", JUDGED, listed, query="none", no_relevant="silence")
    )


def test_the_measure_of_right_silence():
    names = ["Silence", "Silence(of='answerable')", "Silence(of='all')"]
    result = rs.evaluate(JUDGED, {**SCORED, "hard": {}}, names)
    assert list(result.aggregates.values()) == [1 / 2, 1 / 2, 2 / 4]
    assert math.isnan(rs.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "Silence")["Silence"])
    line = str(rs.explain("Silence", JUDGED, SCORED, query="none")).splitlines()[5]
    assert line.split() == ["no", "yes", "0", "0"]


def runs_of(tmp_path):
    """The run in every form that has scores."""
    rows = [(q, d, s) for q, docs in SCORED.items() for d, s in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    frame.to_csv(tmp_path / "run.csv", index=False)
    return {
        "dict": SCORED,
        "trec": write_run(tmp_path / "run", SCORED),
        "csv": tmp_path / "run.csv",
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "records": frame.to_dict("records"),
    }


@pytest.mark.parametrize("form", ["dict", "trec", "csv", "pandas", "polars", "records"])
def test_a_document_below_the_threshold_is_not_retrieved(engine, tmp_path, form):
    run = runs_of(tmp_path)[form]
    names = ["NumRet", "RR", "Silence(of='all')"]
    result = rs.evaluate(JUDGED, run, names, min_score=0.4, no_relevant="silence")
    assert {q: values["NumRet"] for q, values in result.per_query.items()} == {
        "easy": 1, "hard": 2, "none": 0, "never": 0,
    }  # fmt: skip
    assert result["RR"] == (1 + 1 / 2 + 1 + 1) / 4
    assert result["Silence(of='all')"] == 1
    low, plain = (rs.evaluate(JUDGED, run, names, **o) for o in ({"min_score": -1}, {}))
    assert low.per_query == plain.per_query
    assert low != plain  # it says how it was made
    everything = rs.evaluate(JUDGED, run, names, min_score=2, no_relevant="silence")
    assert everything["RR"] == 1 / 2


def test_a_threshold_of_distances_is_the_highest(tmp_path):
    near = {q: {d: 1 - s for d, s in docs.items()} for q, docs in SCORED.items()}
    for run in (near, write_run(tmp_path / "run", near)):
        result = rs.evaluate(JUDGED, run, "NumRet", scores="ascending", min_score=0.65)
        assert result["NumRet"] == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rs.evaluate(JUDGED, {"easy": ["a"]}, min_score=1), "needs scores"),
        (lambda: rs.evaluate(JUDGED, SCORED, min_score="high"), "must be a number, not 'high'"),
        (
            lambda: rs.evaluate([[1, 0]], [[0.5, 0.1]], "RR", min_score=0.2),
            "documents that have ids",
        ),
        (lambda: rs.risk_coverage(JUDGED, SCORED, "NumRet"), "NumRet is not from 0 to 1"),
        (lambda: rs.risk_coverage(JUDGED, SCORED, "RR", scores="ascending"), "give -distance"),
        (lambda: rs.risk_coverage(JUDGED, {"easy": ["a"]}, "RR"), "need scores"),
    ],
)
def test_bad_requests_teach(call, message):
    with pytest.raises(rs.UsageError, match=message):
        call()


def test_risk_grows_with_coverage():
    found = rs.risk_coverage(JUDGED, SCORED, "RR")
    assert found.thresholds.tolist() == [0.9, 0.6, 0.3]
    assert found.coverage.tolist() == [0.25, 0.5, 0.75]
    assert found.risk.tolist() == [0.0, 0.25, 0.5]
    assert found.area == 0.25
    assert (found.measure, found.queries) == ("RR", 4)


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.1, 0.2, 0.5, 0.9])), min_size=1))
def test_a_point_of_the_curve_is_the_mean_over_what_is_answered(pairs):
    values, confidence = map(np.array, zip(*pairs, strict=True))
    curve = rs.risk_coverage_curve(values, confidence)
    for coverage, risk, threshold in zip(curve.x, curve.y, curve.thresholds, strict=True):
        answered = confidence >= threshold
        assert coverage == answered.mean()
        assert risk == pytest.approx((1 - values[answered]).mean())
    assert 0 <= rs.risk_area(curve) <= 1
    assert curve.x[-1] == 1


@pytest.mark.parametrize(("values", "confidence"), [([], []), ([2.0], [1.0]), ([0.5], [1.0, 2.0])])
def test_a_curve_needs_values_and_confidences(values, confidence):
    with pytest.raises(rs.DataError):
        rs.risk_coverage_curve(values, confidence)


def test_the_commands(tmp_path, capsys):
    qrels, run = write_qrels(tmp_path / "qrels", JUDGED), write_run(tmp_path / "run", SCORED)
    assert main(["risk", str(qrels), str(run), "-m", "RR"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["threshold", "coverage", "risk"]
    assert [float(cell) for cell in rows[1]] == [0.9, 0.25, 0.0]
    assert rows[-1] == ["area", "", "0.25"]
    call = ["evaluate", str(qrels), str(run), "-m", "RR", "--quiet", "-c", "no_relevant=silence"]
    assert main([*call, "--min-score", "0.4"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split("\t") == ["run", "all", "0.875"]
    assert main(["compare", "--values", str(run), str(run), "--min-score", "1"]) == 2


RELEVANT = {f"q{i}": {"a": 1} for i in range(6)}


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("form", ["dict", "file", "chunks"])
def test_a_query_without_documents_is_not_answered_at_any_risk(form):
    run = {"q0": {"a": 0.5}, "q1": {}, "q2": {"x": -1.0}}
    judged = {query: RELEVANT[query] for query in run}
    more = {}
    if form == "file":
        with open("run.json", "w") as out:
            json.dump(run, out)
        run = "run.json"
    if form == "chunks":
        run = {"q0": {"a#1": 0.5}, "q1": {}, "q2": {"x#1": -1.0}}
        more = {"parents": "{doc}#{n}"}
    found = rs.risk_coverage(judged, run, "RR", **more)
    assert found.thresholds.tolist() == [0.5, -1.0]
    assert found.coverage.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert found.risk.tolist() == [0.0, 0.5]


@pytest.mark.usefixtures("small_files")
def test_the_encoding_of_a_run_is_the_one_behind_the_colon():
    with open("qrels.txt", "w", encoding="utf-8") as out:
        out.write("q 0 café 1\n")
    for order in ("utf-8", "latin-1"):
        with open(f"{order}.csv", "w", encoding=order) as out:
            out.write("query,doc,score\nq,café,1.0\nq,x,0.5\n")
    assert rs.evaluate("qrels.txt", "latin-1.csv", "RR", encoding="utf-8:latin-1")["RR"] == 1
    assert rs.evaluate("qrels.txt", "utf-8.csv", "RR", encoding="utf-8:utf-8")["RR"] == 1
    with pytest.raises(rs.DataError):
        rs.evaluate("qrels.txt", "latin-1.csv", "RR", encoding="latin-1:utf-8")
    risk = rs.risk_coverage("qrels.txt", "latin-1.csv", "RR", encoding="utf-8:latin-1")
    assert risk.risk.tolist() == [0.0]
