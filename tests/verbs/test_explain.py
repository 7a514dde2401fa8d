"""The working of a number adds up to it, for every measure there is."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from strategies import as_collection, collections, examples, measures, rankings

import rankstone as rs
from rankstone.cli import main


def check(explanation, value):
    """What is shown combines to the value."""
    assert explanation.value == value or (math.isnan(value) and math.isnan(explanation.value))
    assert json.loads(json.dumps(explanation.to_dict()))["measure"] == explanation.measure
    assert repr(explanation.value) in str(explanation) or math.isnan(value)
    if explanation.total is not None:
        total = math.fsum(step.term for step in explanation.steps)
        assert total + explanation.constant == pytest.approx(explanation.total, abs=1e-12)
        assert not explanation.steps or explanation.steps[-1].sum == total
    if explanation.ideal:
        assert explanation.ideal[-1].sum == pytest.approx(explanation.denominator, abs=1e-12)
    if not explanation.remark:
        assert combined(explanation) == pytest.approx(value, abs=1e-12, nan_ok=True)


def combined(explanation):
    if explanation.expression:
        return eval(explanation.expression, {"ln": math.log, **explanation.parts})
    assert explanation.total is not None
    return explanation.total / (explanation.denominator or 1.0)


@settings(max_examples=examples(1000))
@given(measures(), rankings())
def test_the_terms_of_a_ranking_add_up(measure, ranking):
    found, missed = ranking
    judgments, run = as_collection(found, missed)
    value = rs.evaluate(judgments, run, measure).per_query["q"][str(measure)]
    check(rs.explain(measure, judgments, run, query="q"), value)
    check(rs.explain(measure, found), measure(found))


@settings(max_examples=examples(500))
@given(measures(), collections(), st.sampled_from(["docid-desc", "expected", "input"]))
def test_the_terms_of_a_query_add_up(measure, collection, ties):
    judgments, run = collection
    query = next(iter(judgments))
    try:
        result = rs.evaluate(judgments, run, measure, ties=ties)
    except rs.UsageError:
        return
    check(
        rs.explain(measure, judgments, run, query=query, ties=ties),
        result.per_query[query][str(measure)],
    )


@pytest.mark.parametrize("measure", [rs.nDCG @ 10, rs.DCG, rs.AP, rs.nDCG(gain="exp2")], ids=str)
def test_long_lists_have_their_lines(measure):
    grades = [3, 2, 1, 0] * 1500
    explanation = rs.explain(measure, grades)
    assert len(explanation.steps) == (measure.k or len(grades))
    check(explanation, measure(grades))


@pytest.mark.parametrize(
    "measure", [m for m in rs.all_measures() if not m.definition.reads_items], ids=str
)
def test_every_measure_explains_itself(measure, capsys):
    # Whether a document is judged for another query is not known of bare grades.
    grades = "3,2,0,0,1,2" if measure.name == "Hole" else "3,2,-,0,1,2"
    for form in ("text", "md", "json"):
        assert main(["explain", str(measure), "--grades", grades, "--format", form]) == 0
        out, err = capsys.readouterr()
        assert not err
        assert measure.definition.pretty in out
        if form == "json":
            data = json.loads(out)
            assert data["measure"] == str(measure)
            assert data["steps"] or data["expression"]
            assert not data["remark"]


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("Unjudged@5", "Unjudged@5 = (5 - 4) / 5 = 0.2"),
        ("SetAP", "SetAP = 4 * 4 / max(6 * 4, 1) = 0.6666666666666666"),
        ("YAAP", "YAAP = ln((1 + 3.2667) / (1 + 4 - 3.2667)) = 0.9007865453381897"),
        ("IPrec@0.5", "IPrec@0.5 = 2 / 2 = 1.0"),
        ("NumRet@3", "NumRet@3 = min(6, 3) = 3.0"),
        ("NumQ", "NumQ = 1.0"),
    ],
)
def test_what_is_not_a_sum_shows_its_parts(name, last):
    lines = str(rs.explain(name, [3, 2, None, 0, 1, 2])).splitlines()
    assert next(line for line in lines if line.startswith(f"{name} = ")) == last


def test_files_and_a_query(tmp_path, capsys):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("42 0 a 1\n42 0 b 0\n42 0 c 1\n")
    run.write_text("42 Q0 x 1 3 t\n42 Q0 a 2 2 t\n42 Q0 b 3 1 t\n")
    assert main(["explain", "AP", str(qrels), str(run), "--query", "42"]) == 0
    out, _ = capsys.readouterr()
    assert out.splitlines()[3:] == [
        "rank  document  grade  relevant  hits    term     sum",
        "────  ────────  ─────  ────────  ────  ──────  ──────",
        "   1  x             -",
        "   2  a             1       yes     1  0.5000  0.5000",
        "   3  b             0        no     1       0  0.5000",
        "",
        "1 of the first 3 documents is not judged (grade -) and adds nothing.",
        "AP = 0.5000 / 2 = 0.25",
        "Conventions: ties=docid-desc, no_relevant=zero",
    ]
    assert rs.explain("AP", qrels, run, query="42")._repr_markdown_().startswith("**AP**")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["AP"], 2, "give either QRELS RUN --query ID or --grades"),
        (["AP", "qrels"], 2, "give either QRELS RUN --query ID or --grades"),
        (["AP", "qrels", "run"], 3, "qrels: there is no such file"),
        (["AP", "--grades", "3,x"], 2, "write grades as numbers with commas"),
        (["APP", "--grades", "3"], 2, "Did you mean AP?"),
        (
            ["AP,RR", "--grades", "1,0"],
            2,
            "one measure at a time, not 2 (AP, RR). Give one: explain('AP', ...) (rankstone explain AP ...).",
        ),
        (["AP RR", "qrels", "run"], 2, "one measure at a time, not 2 (AP, RR)"),
        (
            ["AP", "run", "--grades", "1"],
            2,
            "either QRELS RUN or --grades, such as --grades 3,2,3,0,1,2.\n",
        ),
    ],
)
def test_bad_requests(capsys, args, code, message):
    assert main(["explain", *args]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("measure", "noted"),
    [("ERR", True), ("nERR@5", True), ("ERR(max_grade=4)", False), ("AP", False)],
)
def test_the_highest_grade_is_noted_as_by_evaluate(capsys, measure, noted):
    judged, run = {"q": {"a": 2, "b": 3}, "r": {"c": 1}}, {"q": ["a", "x"], "r": ["c"]}
    notices = [str(n) for n in rs.evaluate(judged, run, measure).notices if "max_grade" in str(n)]
    working = rs.explain(measure, judged, run, query="q")
    assert [*working.notices] == notices
    assert len(notices) == noted
    assert all(text in str(working).splitlines() for text in notices)
    assert main(["--lang", "zh", "explain", "ERR", "--grades", "0,2,1,0,3"]) == 0
    assert "max_grade=3，取自标注" in capsys.readouterr().out  # noqa: RUF001


def test_an_unknown_query_gets_a_suggestion():
    with pytest.raises(rs.DataError, match="query 'q11' is not evaluated. Did you mean q1"):
        rs.explain("AP", {"q1": {"a": 1}}, {"q1": ["a"]}, query="q11")
    with pytest.raises(rs.UsageError, match="there are 2 queries .* give query=0"):
        rs.explain("AP", [[1, 0], [0, 1]])
    with pytest.raises(rs.DataError, match="query 'q' is not evaluated"):
        rs.explain("AP", [1], query="q")
    with pytest.raises(rs.UsageError, match="give judgments and a run"):
        rs.explain("AP")


def test_what_no_sum_explains_is_said():
    empty = rs.explain("nDCG", [0, 0], no_relevant="one", ties="input")
    assert empty.value == 1.0
    assert "no_relevant=one makes the value 1" in str(empty)
    assert "No judged document was retrieved" in str(rs.explain("AP", {"a"}, ["b"]))


SEARCH = Path(__file__).parents[2] / "examples" / "search"


QRELS, BM25, DENSE = (str(SEARCH / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


JUDGED, RUN = {"q1": {"a": 1, "b": 2}}, {"q1": ["x", "b", "a"]}


def output(capsys, *words):
    assert main([*words]) == 0
    return capsys.readouterr().out


def test_explain_shows_documents_that_are_not_judged_and_names_the_ideal():
    lines = str(rs.explain("nDCG@3", JUDGED, RUN)).splitlines()
    table = [line.split() for line in lines[4:9]]
    assert table[2][:3] == ["1", "x", "-"]
    assert table[2][-7:][:2] == ["1", "b"]
    assert table[3][:2] == ["2", "b"]
    assert "1 of the first 3 documents is not judged (grade -) and adds nothing." in lines


def test_explain_names_documents_that_are_not_judged_from_every_kind_of_run(tmp_path, monkeypatch):
    rows = [("q1", "y", 3.0), ("q1", "x", 2.0), ("q1", "b", 1.0), ("q2", "z", 9.0)]
    (tmp_path / "run.txt").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    (tmp_path / "run.csv").write_text(
        "query,doc,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in rows)
    )
    scored = {"q1": {d: s for q, d, s in rows if q == "q1"}}
    for run in (
        str(tmp_path / "run.txt"),
        str(tmp_path / "run.csv"),
        scored,
        {"q1": ["y", "x", "b"]},
    ):
        assert rs.explain("RR", JUDGED, run, query="q1").unjudged == {1: "y", 2: "x"}
    kept = rs.explain("RR", JUDGED, scored, exclude={"q1": ["y"]})
    assert kept.unjudged == {1: "x"}
    assert rs.explain("RR", JUDGED, scored, unjudged="remove").unjudged == {}
    for name in ("run.txt", "run.csv"):
        with (tmp_path / name).open() as piped:
            monkeypatch.setattr("sys.stdin", piped)
            assert rs.explain("RR", JUDGED, "-", query="q1").unjudged == {1: "y", 2: "x"}


def test_explain_names_the_ideal_of_arrays_by_position():
    working = rs.explain("nDCG@2", [0, 3, 1], [0.9, 0.5, 0.7])
    assert [(step.rank, step.document) for step in working.ideal] == [(1, 1), (2, 2)]


def test_explain_stops_where_nothing_more_counts(tmp_path, capsys):
    (tmp_path / "qrels").write_text("".join(f"1 0 d{i:03} {i % 7 == 2:d}\n" for i in range(128)))
    (tmp_path / "run").write_text("".join(f"1 Q0 d{i:03} 1 {200 - i} t\n" for i in range(128)))
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    short = output(capsys, "explain", "RR", *files).splitlines()
    assert len(short) < 14
    assert "124 more judged documents below, adding nothing." in short
    assert len(output(capsys, "explain", "RR", *files, "--all").splitlines()) > 128
    paged = output(capsys, "explain", "AP", *files)
    assert "\n ...\n" in paged
    assert len(paged.splitlines()) < 60


def test_explain_shows_runs_side_by_side(capsys):
    text = output(capsys, "explain", "RR", QRELS, BM25, DENSE, "--query", "q03")
    assert text.splitlines()[3].split() == ["bm25", "dense"]
    assert "\nbm25:\n" in text
    assert "\ndense:\n" in text
    both = json.loads(
        output(capsys, "explain", "RR", QRELS, BM25, DENSE, "--query", "q03", "--format", "json")
    )
    assert [one["value"] for one in both] == [0.2, 1.0]


def test_rankings_without_query_ids_are_explained():
    with pytest.raises(rs.DataError, match=r"numbered from 0: give them by query"):
        rs.evaluate({"café": {"a": 1}}, [["a"], ["b"]], "RR")


def test_the_ideal_of_subtopics_has_no_wrong_names():
    judged = {"t": {"d1": {"1": 1, "2": 1}, "d2": {"3": 1}}}
    working = rs.explain("alpha_nDCG@2", judged, {"t": ["d2", "d1"]})
    assert {step.document for step in working.ideal} == {None}
    assert repr(working).startswith("alpha_nDCG@2:")


def test_changes_to_the_data_are_shown():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    found = rs.explain("R", {"q": {"a": 1, "c": 1}}, run, min_score=1.5)
    assert (found.value, found.changes) == (1 / 2, ("min_score=1.5",))
    assert "Changes to the data: min_score=1.5" in str(found)
    assert "Changes" not in str(rs.explain("R", {"q": {"a": 1, "c": 1}}, run))
