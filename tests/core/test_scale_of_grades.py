"""Scales whose grades of documents that are not relevant are in doubt are warned of."""

import numpy as np
import pytest

import rankstone as rs

JUDGED = {"q": {"a": 1, "b": 3, "c": 5}}
RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
LABELS, SCORES = np.array([[1.0, 3, 5]]), np.array([[0.3, 0.2, 0.1]])
CODE = "grades-without-zero"


def codes(result):
    return {n.code for n in result.warnings}


def written(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("q 0 a 1\nq 0 b 3\nq 0 c 5\n")
    return path


@pytest.mark.parametrize("form", ["dicts", "file", "arrays"])
def test_a_scale_without_0_is_warned_of(form, tmp_path):
    judged = {"dicts": JUDGED, "file": written(tmp_path), "arrays": LABELS}[form]
    run = SCORES if form == "arrays" else RUN
    with pytest.warns(rs.RankstoneWarning, match="all count as relevant.* relevance=2"):
        result = rs.evaluate(judged, run, "RR")
    assert (result["RR"], CODE in codes(result)) == (1, True)
    chosen = rs.evaluate(judged, run, "RR", relevance=2)
    assert (chosen["RR"], CODE in codes(chosen)) == (0.5, False)
    assert CODE not in codes(rs.evaluate(judged, run, "RR(rel=2)"))


@pytest.mark.parametrize("grades", [{"a": 0, "b": 1, "c": 2}, {"a": 1, "b": 2}, {"a": 1, "b": 1}])
def test_other_scales_are_not(grades):
    assert CODE not in codes(rs.evaluate({"q": grades}, RUN, "RR"))


def test_validate_reports_it(tmp_path):
    (report,) = rs.validate(str(written(tmp_path)))
    assert CODE in {n.code for n in report.notices}


FRACTIONS = {"q": {"a": 0.5, "b": 1, "c": 0}, "p": {"a": 0.9}}


@pytest.mark.parametrize("form", ["dicts", "file", "arrays"])
def test_grades_between_0_and_1_are_warned_of(form, tmp_path):
    path = tmp_path / "judged.csv"
    rows = [f"{q},{d},{g}\n" for q, own in FRACTIONS.items() for d, g in own.items()]
    path.write_text("query,doc,grade\n" + "".join(rows))
    judged = {"dicts": FRACTIONS, "file": path, "arrays": np.array([[0.5, 1, 0], [0.9, 0, 0]])}[
        form
    ]
    run = SCORES.repeat(2, axis=0) if form == "arrays" else {"q": RUN["q"], "p": RUN["q"]}
    with pytest.warns(rs.RankstoneWarning, match="2 judged documents have a grade between 0 and 1"):
        result = rs.evaluate(judged, run, "RR")
    assert result["RR"] == 0.25
    lower = rs.evaluate(judged, run, "RR", relevance=0.5)
    assert (lower["RR"], codes(lower)) == (1, set())
    graded = rs.evaluate(judged, run, ["nDCG", "P(rel=0.5)@1"])
    assert "grades-below-one" not in codes(graded)


def test_validate_counts_relevant_documents_as_evaluate_does(tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("query,doc,grade\nq,a,0.5\nq,b,1\nq,c,0\n")
    (report,) = rs.validate(str(path))
    assert report.facts["relevant_per_query"]["most"] == 1
    assert "grades-below-one" in {n.code for n in report.notices}
