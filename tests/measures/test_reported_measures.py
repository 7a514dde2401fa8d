"""Measures that papers, leaderboards and libraries report: what is particular to each."""

import random

import pytest

import rankstone as rs
from rankstone.measures import AMRI, AUC, CG, FirstRank, nDCG


def test_a_function_of_a_grade_is_a_gain_that_can_be_printed_and_read():
    measure = nDCG(gain=lambda grade: grade * grade) @ 2
    assert measure([1, 2]) == pytest.approx(nDCG(gain={1: 1, 2: 4})([1, 2]), abs=1e-15)
    assert rs.parse_measure(str(measure)) == measure
    assert measure([1, 2]) == rs.parse_measure(str(measure))([1, 2])


def test_a_grade_at_which_a_function_was_not_read_is_an_error():
    for grade in (0.5, 11):
        with pytest.raises(rs.DataError, match=f"grade {grade:g} is not in the table of gains"):
            CG(gain=lambda grade: grade)([grade, 1])
    assert CG(gain=lambda grade: grade, unlisted="grade")([0.5, 11]) == 11.5
    with pytest.raises(rs.UsageError, match="finite numbers from 0 up"):
        nDCG(gain=lambda grade: -grade)


def test_grades_below_rel_gain_nothing():
    assert nDCG(rel=2)([1, 2, 3]) == nDCG([0, 2, 3])
    assert rs.DCG(rel=2, gain="exp2")([1, 2, 3]) == rs.DCG(gain="exp2")([0, 2, 3])


def test_the_adjusted_mean_rank_index_is_one_ratio_over_all_queries():
    """Of ranks 1 and 4 among 3 and 9 candidates: 1 - mean(rank - 1) / mean(expected rank - 1)."""
    judged = {"q": {"a": 1}, "r": {"a": 1}}
    run = {"q": ["a", "b", "c"], "r": ["b", "c", "d", "a", "e", "f", "g", "h", "i"]}
    result = rs.evaluate(judged, run, [AMRI, FirstRank])
    assert result["AMRI"] == pytest.approx(1 - (0 + 3) / (1 + 4))
    assert result["FirstRank"] == 2.5
    assert result.summary(FirstRank, "median").value == 2.5


def test_a_query_without_relevant_documents_has_no_rank():
    result = rs.evaluate({"q": {"a": 1}, "r": {"a": 0}}, {"q": ["b"], "r": ["a"]}, FirstRank)
    assert result["FirstRank"] == 2  # right after the list
    assert result.counted["FirstRank"] == 1


def test_a_repeated_document_is_compared_as_often_as_it_is_ranked():
    """It counted twice above a relevant document and once in the denominator, which gave -1."""
    judged, run = {"q": {"a": 0, "b": 1}}, {"q": ["a", "a", "b"]}
    assert rs.evaluate(judged, run, AUC, duplicates="count")["AUC"] == 0


@pytest.mark.parametrize(("tied", "value"), [("half", 1 / 2), ("lost", 0), ("order", 1)])
def test_tied_pairs_count_as_asked(tied, value):
    judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    name = f"AUC(tied='{tied}')"
    assert rs.evaluate(judged, run, name, ties="input")[name] == value


def test_the_area_of_the_first_k_does_not_see_the_rest():
    assert AUC(missed="ignore", k=3)([0, 1, 1, 0, 0, 0]) == 0
    assert AUC(missed="ignore")([0, 1, 1, 0, 0, 0]) == 3 / 4


def test_all_relevant_documents_or_none():
    judged = {"q": {"a": 1, "b": 1}, "r": {"a": 1}}
    run = {"q": ["a", "x", "b"], "r": ["x", "a"]}
    result = rs.evaluate(judged, run, ["Complete@2", "Success@2", "R@2"])
    assert (result["Complete@2"], result["Success@2"], result["R@2"]) == (1 / 2, 1, 3 / 4)


def test_a_hole_is_judged_for_no_query(tmp_path):
    rng = random.Random(4)
    docs = [f"d{i}" for i in range(30)]
    for _ in range(40):
        judged = {f"q{i}": {d: rng.randint(-1, 2) for d in rng.sample(docs, 4)} for i in range(4)}
        run = {f"q{i}": rng.sample(docs, rng.randint(1, 12)) for i in range(5)}
        anywhere = {doc for own in judged.values() for doc in own}
        k = rng.choice([1, 3, 5, 20])
        expected = {q: sum(d not in anywhere for d in run[q][:k]) / k for q in judged}
        file = tmp_path / "a.run"
        rows = [f"{q} Q0 {d} 0 {-i} t\n" for q, own in run.items() for i, d in enumerate(own)]
        rng.shuffle(rows)
        file.write_text("".join(rows))
        parts = rs.Evaluator(judged, [f"Hole@{k}"])
        for q, own in run.items():
            parts.add({q: own})
        for found in (
            rs.evaluate(judged, run, [f"Hole@{k}"]),
            rs.evaluate(judged, file, [f"Hole@{k}"]),
            parts.result(),
        ):
            assert {q: v[f"Hole@{k}"] for q, v in found.per_query.items()} == expected


def test_a_hole_needs_ids_and_all_judgments_and_one_order():
    with pytest.raises(rs.UsageError, match="needs their ids, all judgments at once"):
        rs.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, ["Hole"], ties="expected")
    with pytest.raises(rs.UsageError, match="Take Unjudged@3, which counts"):
        rs.evaluate([[1, float("nan")]], [[2.0, 1.0]], ["Hole@3"])
    with pytest.raises(rs.UsageError, match="all judgments at once"):
        rs.Evaluator(measures=["Hole"]).add({"q": ["a", "b"]}, judgments={"q": {"a": 1}})
    assert rs.evaluate([[1, 0]], [[2.0, 1.0]], ["Hole"])["Hole"] == 0
    removed = rs.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, ["Hole"], unjudged="remove")
    assert removed["Hole"] == 0


def test_completeness_sold_as_recall_is_named():
    judged = {f"q{i}": {"a": 1, "b": 1} for i in range(7)}
    run = {q: ["a", "b", "c"] if i % 3 else ["a", "c", "b"] for i, q in enumerate(judged)}
    assert "Complete@2 = 0.5714" in str(rs.reconcile("R@2", judged, run, value="0.571"))


def test_equal_grades_of_the_ideal_ranking_are_in_the_best_order_or_in_all():
    judged, run = {"q": {"a": 1, "b": 1}}, {"q": ["b", "a"]}
    closest, mean = "Compat(p=0.5)", "Compat(p=0.5, ideal='mean')"
    result = rs.evaluate(judged, run, [closest, mean])
    assert result[closest] == 1
    assert result[mean] == pytest.approx((1 / 2 + 1 / 2) / (1 + 1 / 2))
