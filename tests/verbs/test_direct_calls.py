"""A measure called on one ranking, in each way people hold one."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from strategies import as_collection, measures, rankings

import rankstone as rs
from rankstone import AP, CG, DCG, ERR, RR, P, R, nDCG


def same(a, b):
    """Equal, or both without a value: the measure leaves the query out."""
    return a == b or (math.isnan(a) and math.isnan(b))


@given(measures(), rankings())
def test_grades_in_rank_order_are_a_list_and_its_judgments(measure, ranking):
    found, _ = ranking
    judgments, run = as_collection(found, [])
    expected = rs.evaluate(judgments, run, measure).per_query["q"][str(measure)]
    assert same(measure(found), expected)
    assert same(measure(np.array(found)), expected)


@given(measures(), st.lists(st.integers(0, 3), min_size=1, max_size=12), st.data())
def test_grades_and_scores_are_a_scored_run(measure, grades, data):
    scores = data.draw(
        st.lists(st.floats(-5, 5), min_size=len(grades), max_size=len(grades), unique=True)
    )
    judged = {"q": {f"d{i}": g for i, g in enumerate(grades)}}
    run = {"q": {f"d{i}": s for i, s in enumerate(scores)}}
    expected = rs.evaluate(judged, run, measure).per_query["q"][str(measure)]
    assert same(measure(grades, scores), expected)


def test_relevant_documents_and_a_ranked_list():
    assert P(k=3)({"a", "c"}, ["a", "b", "c"]) == 2 / 3
    assert AP({"a", "b", "c", "d"}, ["a", "x", "b"]) == 5 / 12  # (1 + 2/3) / 4
    assert AP(["a"], ["a", "a"]) == 1.0  # a repeated document counts once
    exact = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert nDCG({"a": 3, "b": 1}, ["b", "a"]) == pytest.approx(exact, rel=1e-15)
    assert RR({1, 2}, [5, 2, 1]) == 0.5
    assert R({"a", "b"}, []) == 0.0


def test_a_table_gives_a_value_for_each_row():
    grades = [[3, 2, 0], [0, 0, 1]]
    assert RR(grades).tolist() == [1.0, 1 / 3]
    scores = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    assert RR(np.array(grades), scores).tolist() == [1 / 2, 1 / 3]
    assert (P @ 1)([[1, 0]], [[0.5, 0.2]]).tolist() == [1.0]


def test_the_kaggle_form():
    predictions = pd.DataFrame([["US", "FR", "CN"], ["FR", "US", "CN"], ["FR", "FR", "CN"]])
    truth = pd.Series(["US", "CN", "FR"])
    score = (nDCG @ 5)(truth, predictions)
    assert isinstance(score, pd.Series)
    assert score.tolist() == [1.0, 0.5, 1.0]
    assert score.name == "nDCG@5"
    assert (nDCG @ 5)(["US", "CN"], [["US", "FR"], ["FR", "US"]]).tolist() == [1.0, 0.0]
    assert RR([7, 9], np.array([[7, 8], [8, 9]])).tolist() == [1.0, 0.5]
    with pytest.raises(rs.DataError, match="2 truths for 3 rows"):
        RR(["US", "CN"], predictions)


def test_ties_of_bare_scores_are_averaged_unless_told():
    assert RR([1, 0, 0], [1.0, 1, 1]) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3, abs=1e-15)
    conventions = rs.Conventions(ties="pessimistic")
    assert RR([1, 0, 0], [1.0, 1, 1], conventions=conventions) == 1 / 3
    assert RR([1, 0, 0], [1.0, 1, 1], conventions=conventions.replace(ties="optimistic")) == 1.0
    with pytest.raises(rs.UsageError, match="ties='docid-desc' needs document ids"):
        RR([1, 0], [1.0, 1], conventions=rs.Conventions())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nDCG([1, 2], [0.5]), "the two must have the same shape"),
        (lambda: nDCG([1], [float("nan")]), "a score is nan"),
        (lambda: nDCG([1], [float("inf")]), "a score is inf"),
        (lambda: nDCG([float("nan")]), "grades must be finite numbers"),
        (lambda: nDCG(np.array([np.nan])), "grades must be finite numbers"),
        (lambda: nDCG([float("inf")], [1.0]), "a label is inf"),
        (lambda: nDCG([[1, 2], [3]], [[1.0, 2], [3]]), "the rows differ in length"),
        (lambda: nDCG([["a"]]), "must be numbers"),
        (lambda: nDCG(np.zeros((2, 2, 2))), "must be numbers in one or two dimensions"),
        (lambda: nDCG({"a": "high"}, ["a"]), "expected a dict, or a list or set of document ids, not 'high'"),
        (lambda: RR({"a"}, {"a"}), "must be one ranking: a list of documents"),
        (lambda: RR({"a"}, "a"), "must be one ranking: a list of documents"),
        (lambda: ERR(max_grade=2)([3]), "grade 3 is above max_grade=2"),
        (lambda: rs.cascade([3], max_grade=2), "grade 3 is above max_grade=2"),
        (lambda: rs.cascade(satisfaction=[1.5]), "from 0 to 1"),
        (lambda: rs.auc([1, 1], [0.5, 0.2]), "needs relevant and other documents"),
        (lambda: rs.auc([1, 0], [0.5]), "lists of the same length"),
        (lambda: rs.roc_curve([1, 0], [0.5, float("nan")]), "must be finite"),
    ],
)  # fmt: skip
def test_bad_data_is_refused(call, message):
    with pytest.raises(rs.DataError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: nDCG([1], [1], [1]),
        lambda: (P @ 0)([1]),
        lambda: (P @ -1)([1]),
        lambda: rs.cascade(),
        lambda: rs.auc([1, 0], [1, 0], max_fpr=2),
        lambda: rs.AUC(max_fpr=2)([1, 0], [1, 0]),
    ],
)
def test_bad_requests_are_refused(call):
    with pytest.raises(rs.UsageError):
        call()


def test_nothing_retrieved_or_nothing_relevant_is_zero():
    for measure in (P @ 3, R, AP, RR, CG, DCG, nDCG, ERR):
        assert measure([]) == 0.0
        assert measure([0, 0]) == 0.0
        assert measure({"a"}, ["b"]) == 0.0


def test_documents_without_a_judgment_hold_their_rank():
    assert RR([None, 1]) == 0.5
    assert CG([None, 2, None, 1]) == 3.0


def test_the_cascade_model():
    model = rs.cascade(satisfaction=[0.5, 0.5])
    assert model.stop.tolist() == [0.5, 0.25]
    assert model.reached.tolist() == [1.0, 0.5]
    assert model.abandonment == 0.25
    assert model.expected_position == (1 * 0.5 + 2 * 0.25) / 0.75
    grades = [3, 2, 0, 1]
    ranks = np.arange(1, 5)
    assert (rs.cascade(grades).stop / ranks).sum() == pytest.approx(ERR(grades), abs=1e-15)
    assert math.isnan(rs.cascade([0, 0], max_grade=3).expected_position)


def test_grades_from_the_place_in_a_list_of_preferences():
    assert rs.grades_by_position(["a", "b", "c"]) == {"a": 1.0, "b": 1 / 2, "c": 1 / 3}


def test_conventions_hold_for_direct_calls_too():
    condensed = rs.Conventions(unjudged="remove")
    assert AP({"a"}, ["x", "a"], conventions=condensed) == 1.0
    assert RR([None, 1], conventions=condensed) == 1.0
    with pytest.raises(rs.DataError, match="is ranked more than once"):
        nDCG({"a"}, ["a", "a"], conventions=rs.Conventions(duplicates="error"))


def test_arrays_of_text_are_ids():
    assert RR(np.array(["a"]), np.array(["x", "a"])) == 0.5
    assert RR(pd.Series(["a"]), pd.Series(["x", "a"])) == 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RR([1, 0], [[0.1, 0.2], [0.3, 0.4]]), "give the two the same shape"),
        (lambda: nDCG({"a": 1}, [["a"]]), "must be one ranking: a list of documents"),
        (lambda: nDCG(None, ["a"]), "cannot read judgments from NoneType"),
        (lambda: nDCG([1, 2, 3], [0.5, 0.2]), "labels are 3 and scores 2"),
    ],
)
def test_what_cannot_be_meant_is_refused(call, message):
    with pytest.raises(rs.RankstoneError, match=message):
        call()


def test_star_import_brings_the_measures():
    namespace = {}
    exec("from rankstone import *", namespace)
    assert namespace["nDCG"] is nDCG
    assert "evaluate" in namespace


def test_bare_scores_can_be_compared_in_32_bits():
    loose = rs.Conventions(precision="float32", ties="pessimistic")
    assert RR([1, 0], [1.0 + 1e-12, 1.0], conventions=loose) == 0.5
    assert RR([1, 0], [1.0 + 1e-12, 1.0], conventions=loose.replace(precision="float64")) == 1.0
    assert RR([1, 0], [1.0, 1.0], conventions=loose.replace(ties="input")) == 1.0


def test_missed_documents_may_not_exist():
    ap = rs.AP(denominator="min(R,k)") @ 5
    judged, ranking = {"a": 1, "b": 1, "z": 2}, ["a", "x", "b"]
    assert ap(judged, ranking) == pytest.approx((1 + 2 / 3) / 3)
    ignoring = rs.Conventions(missed="ignore")
    assert ap(judged, ranking, conventions=ignoring) == pytest.approx((1 + 2 / 3) / 2)
    found = rs.evaluate({"q": judged}, {"q": ranking}, [ap], conventions=ignoring)
    assert found[str(ap)] == ap(judged, ranking, conventions=ignoring)
