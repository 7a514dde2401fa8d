"""Measures have values up to the bounds of their parameters, and none beyond; orders of a pool."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.core.hypothetical_grades import UnjudgedPositions
from rankstone.measures.unjudged import UnjudgedDocuments, influences

DATA = {"q": {"a": 0.5, "b": 0}}, {"q": ["b", "a"]}


@pytest.mark.parametrize(
    ("name", "param", "good", "bad", "value"),
    [
        ("RBP", "p", 0.999, 1, 0.999 * 0.001),
        ("RBP", "p", 0.001, 0, 0.001 * 0.999),
        ("RBPResidual", "p", 0.5, 1, 0.25),
        ("NRBP", "beta", 0.999, 1, 0.999 * (1 - 0.4995)),
        ("NRBP", "beta", 0.001, 0, 0.001 * (1 - 0.0005)),
        ("alpha_DCG", "alpha", 1, 1.5, 1 / math.log2(3)),
        ("alpha_DCG", "alpha", 0, -0.5, 1 / math.log2(3)),
        ("ERR_IA", "alpha", 1, 1.5, 1 / 2),
        ("ERR", "max_grade", 0.5, 0, (1 - 1 / math.sqrt(2)) / 2),
        ("F", "beta", 0.5, 0, 1.25 / 2.25),
        ("Rprec", "multiple", 0.5, 0, 0),
        ("IPrec", "recall", 1, 1.5, 1 / 2),
        ("IPrec", "recall", 0, -0.5, 1 / 2),
        ("AvgIPrec", "points", (0, 1), (0, 1.5), 1 / 2),
        ("AvgIPrec", "points", (0, 1), (-0.5, 1), 1 / 2),
        ("AUC", "max_fpr", 0.5, 0, 0.5 * (1 - (0.5**2 / 2) / (0.5 - 0.5**2 / 2))),
        ("Utility", "collection", 0, -1, 0),
        ("P", "k", 1, 0, 0),
        ("P", "rel", 0.001, 0, 1 / 2),
    ],
)
def test_values_up_to_the_bounds(name, param, good, bad, value):
    measure = rs.parse_measure(name)(**{param: good})
    found = rs.evaluate(*DATA, measure, relevance=0.5)[measure]
    assert found == pytest.approx(value, rel=1e-13)
    with pytest.raises(rs.UsageError, match=f"{param} of {name} must be "):
        rs.parse_measure(name)(**{param: bad})


@pytest.mark.parametrize(("rule", "value"), [("optimistic", 1), ("pessimistic", 1 / 2)])
def test_a_tie_without_a_pool(rule, value):
    found = rs.evaluate({"q": {"a": 1}}, {"q": {"x": 1.0, "a": 1.0}}, "infAP", ties=rule)
    assert found["infAP"] == value


@pytest.mark.parametrize(
    ("rule", "ranks"),
    [
        ("optimistic", {"h": 1, "a": 2, "b": 4, "t": 5}),
        ("pessimistic", {"h": 1, "b": 2, "a": 4, "t": 5}),
    ],
)
def test_ranks_in_a_tie_with_a_pool(rule, ranks):
    """h is above the tie of a, b and p, and t below it; p was in the pool."""
    judged = {"q": {"h": 0, "a": 1, "b": 0, "p": -1, "t": 0}}
    run = {"q": {"h": 9.0, "a": 1.0, "b": 1.0, "p": 1.0, "t": 0.5}}
    found = rs.explain("infAP", judged, run, ties=rule)
    assert {step.document: step.rank for step in found.steps} == ranks


@pytest.mark.parametrize(
    ("ranks", "relevant"), [((3, 7, 10, 11, 12), 9), ((2, 8, 11), 10), ((5, 6, 11, 12), 10)]
)
def test_log_odds_are_within_two_ulp(ranks, relevant):
    judged = {f"d{i}": 1 for i in ranks} | {f"m{i}": 1 for i in range(relevant - len(ranks))}
    run = {"q": [f"d{i}" for i in range(1, 13)]}
    s = sum((Fraction(i, rank) for i, rank in enumerate(ranks, 1)), Fraction(0))
    odds = (1 + s) / (1 + relevant - s)
    with mpmath.workdps(40):
        exact = mpmath.log(mpmath.mpf(odds.numerator) / odds.denominator)
        off = abs(rs.evaluate({"q": judged}, run, "YAAP")["YAAP"] - exact)
    assert off <= 2 * math.ulp(float(exact))


def test_levels_of_one_query_do_not_reach_into_the_next():
    judged = {"q": {"a": 1}, "r": {"b": 2, "c": 1}}
    run = {"q": ["a", *(f"x{i}" for i in range(10))], "r": ["c", "b"]}
    second = (1 / 2 + (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))) / 2
    found = rs.evaluate(judged, run, "RnDCG").values("RnDCG")
    assert found.tolist() == pytest.approx([1, second], rel=1e-14)


def test_nothing_with_a_gain_was_retrieved():
    judged = {"q": {"a": 1, "m": 1}, "r": {"m": 1}, "s": {"a": 1, "m": 1}}
    run = {"q": ["a"], "r": ["x"], "s": ["x", "a"]}
    found = rs.evaluate(judged, run, "nDCGRel").values("nDCGRel")
    best = 1 + 1 / math.log2(3)
    assert found.tolist() == pytest.approx([(1 + 1 / best) / 2, 0, 1 / math.log2(3) / best], rel=1e-14)  # fmt: skip


@pytest.mark.parametrize("sums", ["exact", "plain"])
@pytest.mark.parametrize(
    ("name", "judged", "ranking", "value"),
    [
        ("F@1", {"a": 1}, ["a"], 1),
        ("F", {"a": 1}, ["a"], 1),
        ("F", {"a": 1}, ["x"], 0),
        ("SetAP", {"a": 1}, ["a"], 1),
        ("SetAP", {"a": 1}, ["x"], 0),
        ("R(denominator='min(R,k)')", {"a": 1, "m": 1}, ["x", "a"], 1 / 2),
        ("R(denominator='min(R,k)')@1", {"a": 1, "m": 1}, ["a"], 1),
        ("Utility(hit=2, noise=-0.5, miss=3, rest=5, collection=12)", {"a": 1, "b": 1, "m": 1, "n": 1},
         ["a", "x", "y", "b", "z"], 2 * 2 - 0.5 * 3 + 3 * 2 + 5 * 5),
    ],
)  # fmt: skip
def test_the_smallest_counts(name, judged, ranking, value, sums):
    assert rs.evaluate({"q": judged}, {"q": ranking}, name, sums=sums)[name] == value


def test_subtopics_of_documents_that_were_missed():
    judged, run = {"q": {"m": {"a": 1}, "d": {"b": 1, "c": 2}}}, {"q": ["x", "d"]}
    names = ["NuggetRecall", "StCoverage", "StRecall", "NuggetRecall@1"]
    found = rs.evaluate(judged, run, names).aggregates
    assert [*found.values()] == pytest.approx([2 / 3, 3 / 4, 2 / 3, 0], rel=1e-15)


@pytest.mark.parametrize("name", ["StCoverage", "NuggetRecall", "StRecall"])
def test_nothing_to_cover(name):
    judged, run = {"q": {"a": {"s": 0}}, "r": {"a": {"s": 1}}}, {"q": ["a"], "r": ["a"]}
    assert rs.evaluate(judged, run, name, no_relevant="one").values(name).tolist() == [1, 1]
    assert rs.evaluate(judged, run, name).values(name).tolist() == [0, 1]


def test_documents_of_the_second_query_move_its_value():
    """x is open in q; y, at rank 1, and z, at rank 3, are open in r. The best grade is 2."""
    judged = {"q": {"a": 2}, "r": {"b": 1}}
    run = {"q": ["a", "x"], "r": ["y", "b", "z"]}
    holes = UnjudgedPositions.of(collection(judged, run).ranked(rs.Conventions()))
    documents = UnjudgedDocuments(np.array([0, 1, 3]), np.array([2, 1, 3]))
    for moves in influences(rs.DCG, holes, documents):
        assert moves.tolist() == pytest.approx([2 / math.log2(3), 2, 1], rel=1e-14)
    none, every, _, _ = influences(rs.RR, holes, documents)
    assert none.tolist() == [0, 1 / 2, 0]
    assert every.tolist() == [0, 1 / 2, 0]
