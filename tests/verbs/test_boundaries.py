"""Boundaries of verbs and commands that a small change of the sources would move."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main

JUDGED = {f"q{i}": {"a": 1} for i in range(6)}
LATE = {f"q{i}": [f"x{j}" for j in range(i % 3)] + ["a"] for i in range(6)}  # RR 1, 1/2, 1/3, ...
FIRST = {query: ["a"] for query in JUDGED}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judged.json").write_text(json.dumps(JUDGED))
    (tmp_path / "late.json").write_text(json.dumps(LATE))
    (tmp_path / "first.json").write_text(json.dumps(FIRST))


@pytest.mark.parametrize("which", ["value", "mean"])
def test_verify_notices_the_last_bit(which):
    result = rs.evaluate("judged.json", "late.json", ["RR"])
    assert rs.verify(result).holds
    if which == "value":
        changed = result.columns["RR"].copy()
        changed[2] = np.nextafter(changed[2], 1.0)
        result = replace(result, columns={"RR": changed})
    else:
        result = replace(result, aggregates={"RR": math.nextafter(result["RR"], 1.0)})
    found = rs.verify(result)
    assert [(v.measure, v.query) for v in found.values] == [
        ("RR", result.queries[2] if which == "value" else None)
    ]


@pytest.mark.parametrize(("needed", "verdict"), [(4, "pass"), (5, "pass"), (6, "fail")])
def test_a_gate_needs_at_least_so_many_answered_queries(needed, verdict):
    answered = {**FIRST, "q0": []}
    assert rs.gate(JUDGED, answered, min_queries=needed).status == verdict


@pytest.mark.parametrize("form", ["dict", "file", "chunks"])
def test_a_query_without_documents_is_not_answered_at_any_risk(form):
    run = {"q0": {"a": 0.5}, "q1": {}, "q2": {"x": -1.0}}
    judged = {query: JUDGED[query] for query in run}
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


@pytest.mark.parametrize("chunk", ["#1", "a#", "#", "a"])
def test_no_part_of_the_id_of_a_chunk_is_empty(chunk):
    with pytest.raises(rs.DataError, match="does not have the pattern"):
        rs.evaluate({"q": {"a": 1}}, {"q": ["a#1", chunk]}, "RR", parents="{doc}#{n}")


@pytest.mark.parametrize("ending", ["md", "xml", "json", "txt"])
def test_a_gate_replaces_its_own_files_only(ending, capsys):
    path = f"verdict.{ending}"
    words = ["gate", "judged.json", "first.json", "--min", "RR=0.5", "-o", path]
    assert main(words) == 0
    assert main(words) == 0  # its own
    marked = {"md": "### notes", "xml": "<testsuites>", "json": "{}", "txt": "a check: passed"}
    for other in ("something", marked[ending]):
        with open(path, "w") as out:
            out.write(other)
        capsys.readouterr()
        assert main(words) == 2
        assert "what it holds would be lost" in capsys.readouterr().err
        with open(path) as kept:
            assert kept.read() == other
    assert main([*words, "--force"]) == 0


@pytest.mark.parametrize("ending", ["html", "json"])
def test_a_report_replaces_reports_only(ending):
    path = f"report.{ending}"
    report = rs.report(JUDGED, {"late": LATE}, ["RR"])
    report.save(path)
    report.save(path)
    with open(path, "w") as out:
        out.write("<html></html>" if ending == "html" else '{"schema": "other/1"}')
    with pytest.raises(rs.UsageError, match="what it holds would be lost"):
        report.save(path)
    report.save(path, force=True)


def test_a_report_weighs_queries_once():
    weights = {query: i + 1.0 for i, query in enumerate(JUDGED)}
    model = rs.report(JUDGED, {"late": LATE, "first": FIRST}, ["RR"], weights=weights).model
    values = [1, 1 / 2, 1 / 3] * 2
    mean = sum(w * v for w, v in zip(weights.values(), values, strict=True)) / 21
    assert [row[0] for row in model.means] == pytest.approx([mean, 1.0], abs=1e-6)
    plain = rs.compare(
        JUDGED, {"late": LATE, "first": FIRST}, ["RR"], baseline="late", weights=weights
    )
    assert plain.comparisons[0].difference == pytest.approx(1 - mean)
    assert np.concatenate(model.values[0]).tolist() == pytest.approx(values, abs=1e-6)
    low, high = model.intervals[0][0]
    assert low <= mean <= high


def test_a_mean_with_weights_of_its_own_is_not_weighted_again():
    judged = {"p": {"a": 1, "b": 1, "x": 0}, "q": {"a": 1, "x": 0}}
    run = {"p": ["a", "b", "x"], "q": ["x", "a"]}
    measure = "AUC(weight='positives')"
    plain = rs.evaluate(judged, run, measure)
    assert plain[measure] == pytest.approx((2 * 1 + 1 * 0) / 3)
    report = rs.report(judged, {"run": run}, [measure, "RR"], weights={"p": 1.0, "q": 9.0})
    assert report.model.means[0] == pytest.approx([2 / 3, (1 * 1 + 9 * 0.5) / 10], abs=1e-6)


def test_sorting_by_a_falling_measure_shows_the_lowest_first(capsys):
    words = ["evaluate", "judged.json", "late.json", "first.json", "-m", "Unjudged@1", "-m", "RR"]
    orders = {}
    for measure in ("Unjudged@1", "RR"):
        assert main([*words, "--sort", measure, "--format", "json"]) == 0
        orders[measure] = [one["name"] for one in json.loads(capsys.readouterr().out)]
    assert orders == {"Unjudged@1": ["first", "late"], "RR": ["first", "late"]}
    assert main(["evaluate", "judged.json", "late.json", "-q", "-m", "Unjudged@1", "--sort", "Unjudged@1", "--format", "tsv"]) == 0  # fmt: skip
    shown = [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()[1:7]]
    assert shown == ["q0", "q3", "q1", "q2", "q4", "q5"]


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_judged_chunks_alone_are_refused(command, capsys):
    more = ["-o", "page.html"] if command == "report" else []
    runs = ["late.json"] if command == "evaluate" else ["late.json", "first.json"]
    assert main([command, "judged.json", *runs, "-m", "RR", "--judged-chunks", *more]) == 2
    assert "needs --parents" in capsys.readouterr().err
    with pytest.raises(rs.UsageError, match="needs parents="):
        rs.evaluate(JUDGED, LATE, "RR", judged_chunks=True)


def test_a_t_test_of_one_query_has_no_p_value():
    found = rs.compare({"q": {"a": 1}}, {"late": {"q": ["x", "a"]}, "first": {"q": ["a"]}}, ["RR"],
                       baseline="late", test="t").comparisons[0]  # fmt: skip
    assert found.difference == 1 / 2
    assert math.isnan(found.p_value)
    assert [notice.code for notice in found.warnings] == ["one-query"]
    two = rs.compare({"q": {"a": 1}, "r": {"a": 1}}, {"late": {"q": ["x", "a"], "r": ["a"]}, "first": {"q": ["a"], "r": ["a"]}},
                     ["RR"], baseline="late", test="t").comparisons[0]  # fmt: skip
    assert two.p_value == pytest.approx(1 / 2)  # Student's t of 1 with one degree of freedom


def test_a_report_has_no_curves_where_only_relevant_documents_are_judged():
    """Precision would be 1 throughout, whatever the ranking."""
    (part,) = rs.report(JUDGED, {"late": LATE}, ["RR"]).model.runs
    assert (part.curves, part.areas) == ({}, {})
    judged = {**JUDGED, "q2": {"a": 1, "x0": 0}}
    (part,) = rs.report(judged, {"late": LATE}, ["RR"]).model.runs
    assert part.curves.keys() == part.areas.keys() == {"roc", "pr"}
