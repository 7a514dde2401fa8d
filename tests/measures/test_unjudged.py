"""How many ways to judge documents are tried, and what is said if these are too many."""

import itertools
import math

import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.core.hypothetical_grades import UnjudgedPositions
from rankstone.measures.unjudged import (
    UnjudgedDocuments,
    grades_by_gain,
    influences,
    unjudged_extremes,
)

BINARY = {"q": {"a": 1, "b": 0, "m": 1}}
GRADED = {"q": {"a": 2, "b": 1, "m": 1}}
RUN = {"q": ["x", "a", "y", "b", "z"]}


def extremes(measure, judged, run, tried, **rules):
    ranked = collection(judged, run).ranked(rs.Conventions(**rules))
    return unjudged_extremes(rs.parse_measure(measure), UnjudgedPositions.of(ranked), tried)


def completions(judged, run, levels):
    """Yield the judgments with each way to judge what is not."""
    holes = [(q, d) for q, docs in run.items() for d in docs if d not in judged[q]]
    for way in itertools.product(levels, repeat=len(holes)):
        one = {q: dict(docs) for q, docs in judged.items()}
        for (q, doc), grade in zip(holes, way, strict=True):
            one[q][doc] = grade
        yield one


def ends(measure, judged, run, levels, **rules):
    each = [
        rs.evaluate(c, run, measure, **rules)[measure] for c in completions(judged, run, levels)
    ]
    each = [value for value in each if not math.isnan(value)]
    return min(each), max(each)


@pytest.mark.parametrize(
    ("measure", "judged", "least"),
    [
        ("G", BINARY, 8),  # 2 grades of 3 documents
        ("G", GRADED, 27),  # 3 grades of 3 documents
        ("infAP", BINARY, 8),
        ("AP", BINARY, 4),  # 0 to 3 of 3 documents are relevant, first or last
        ("AP", GRADED, 4),
        ("AP@3", BINARY, 3),  # 0 to 2 of the 2 documents down to rank 3
        ("RnDCG", GRADED, 10),  # 3 grades of 3 documents, in falling order
        ("nDCG", BINARY, 1),  # the highest and the lowest grade are all grades
        ("DCG", GRADED, 1),  # the value rises with each grade
        ("ERR", GRADED, 1),
    ],
)
def test_how_many_ways_have_to_be_tried(measure, judged, least):
    expected = ends(measure, judged, RUN, sorted({0, *judged["q"].values()}))
    for tried in (least, least + 1):
        found = extremes(measure, judged, RUN, tried)
        assert (found.queries_exact, found.exact) == (True, True)
        assert found.ends == pytest.approx(expected, rel=1e-14)
        assert (found.low[0], found.high[0]) == found.ends
    if least > 1:
        found = extremes(measure, judged, RUN, least - 1)
        assert (found.queries_exact, found.exact) == (False, False)
        assert (found.ends, found.low[0], found.high[0]) == ((0, 1), 0, 1)


def test_the_lowest_value_may_be_known_alone():
    low, high = ends("nDCG", GRADED, RUN, [0, 1, 2])
    whole = extremes("nDCG", GRADED, RUN, 10)
    assert (whole.ends, whole.exact) == (pytest.approx((low, high), rel=1e-14), True)
    part = extremes("nDCG", GRADED, RUN, 9)
    assert (part.low[0], part.high[0]) == (pytest.approx(low, rel=1e-14), 1)
    assert (part.queries_exact, part.exact) == (False, False)


@pytest.mark.parametrize("measure", ["R@2", "P@2", "AP@2", "nDCG@2", "nDCG@4", "Rprec", "F@2"])
@pytest.mark.parametrize("tried", [4, 4096])
def test_documents_below_the_cutoff_may_be_relevant(measure, tried):
    found = extremes(measure, BINARY, RUN, tried)
    assert found.exact
    assert found.ends == pytest.approx(ends(measure, BINARY, RUN, [0, 1]), rel=1e-14)


def test_a_recall_is_lowest_if_what_is_below_the_cutoff_is_relevant():
    """Of a, m and all that is open, a is found in the first two ranks, x may be."""
    found = extremes("R@2", BINARY, RUN, 4)
    assert found.ends == pytest.approx((1 / 4, 2 / 3), rel=1e-15)


@pytest.mark.parametrize(("tried", "exact"), [(3, False), (4, True)])
def test_grades_by_subtopic_are_tried(tried, exact):
    judged, run = {"q": {"a": {"s": 1, "t": 0}, "b": {"t": 1}}}, {"q": ["x", "a"]}
    found = extremes("StRecall@1", judged, run, tried)
    assert (found.exact, found.ends) == (exact, (0, 1))
    found = extremes("P_IA@2", judged, run, tried)
    assert (found.exact, found.ends) == (exact, (1 / 4, 3 / 4) if exact else (0, 1))


@pytest.mark.parametrize(("measure", "least"), [("StCoverage", 9), ("G", 2)])
def test_grades_of_documents_and_by_subtopic(measure, least):
    """By subtopic x may have 0, 1 or 2 for s and for t; as a document it has 0 or 2."""
    judged, run = {"q": {"a": {"s": 2, "t": 1}}}, {"q": ["x", "a"]}
    assert extremes(measure, judged, run, least).exact
    assert not extremes(measure, judged, run, least - 1).exact


def test_the_lowest_value_has_the_highest_grades_below_the_cutoff():
    low, high = ends("nDCG@2", GRADED, RUN, [0, 1, 2])
    whole = extremes("nDCG@2", GRADED, RUN, 3)
    assert (whole.ends, whole.exact) == (pytest.approx((low, high), rel=1e-14), True)
    part = extremes("nDCG@2", GRADED, RUN, 2)
    assert (part.ends, part.exact) == (pytest.approx((low, 1), rel=1e-14), False)


@pytest.mark.parametrize(
    ("grades", "low", "high"),
    [
        ({"b": 2, "c": 1}, 1 / math.log2(5), 2 + 2 / math.log2(3) + 2 / math.log2(5)),
        ({"b": 3}, 3 / math.log2(5), 3 + 3 / math.log2(3) + 3 / math.log2(5)),
        ({"b": 0}, math.nan, math.nan),
    ],
)
def test_a_query_counts_from_its_first_gain_on(grades, low, high):
    """Of x, y and z at ranks 1, 2 and 4 the last has the lowest grade that gains, or all the best."""
    judged = {"q": {"a": 0}, "r": grades}
    run = {"q": ["x", "y", "a", "z"], "r": ["b"]}
    found = extremes("DCG", judged, run, 4096, no_relevant="skip")
    own = grades["b"] or math.nan
    np.testing.assert_allclose(found.low, [low, own], rtol=1e-14)
    np.testing.assert_allclose(found.high, [high, own], rtol=1e-14)


def test_an_ideal_by_ids_is_not_known():
    judged, run = {"q": {"a": {"s": 1}, "b": {"s": 1}}}, {"q": ["x", "a"]}
    assert extremes("alpha_nDCG", judged, run, 4096).ends == (0, 1)
    assert not extremes("alpha_nDCG", judged, run, 4096).exact
    assert extremes("alpha_nDCG(ideal='exact')", judged, run, 4096).exact
    assert extremes("alpha_nDCG", {"q": {"a": 1}}, run, 4096).exact


TWO = {"q": {"a": 1, "b": 0}, "r": {"c": 0, "d": 0}}
TWO_RUN = {"q": ["x", "a", "b"], "r": ["c", "y", "d"]}


@pytest.mark.parametrize(("tried", "exact"), [(4, True), (3, False)])
def test_queries_that_may_come_in_are_tried_together(tried, exact):
    found = extremes("RR", TWO, TWO_RUN, tried, no_relevant="skip")
    assert (found.low.tolist(), found.high.tolist()) == ([0.5, 0.5], [1, 0.5])
    assert (found.queries_exact, found.exact) == (True, exact)
    assert found.ends == (0.5, 1)
    other = extremes("RR", TWO, {**TWO_RUN, "r": ["c", "d", "y"]}, tried, no_relevant="skip")
    assert other.ends == pytest.approx((5 / 12 if exact else 1 / 3, 1), rel=1e-15)
    counted = extremes("RR", TWO, TWO_RUN, tried)
    assert (counted.ends, counted.exact) == ((0.25, 0.75), True)


@pytest.mark.parametrize(("tried", "exact"), [(4, True), (3, False)])
def test_weights_that_move_are_tried_together(tried, exact):
    name = "AUC(weight='positives')"
    judged = {"q": {"a": 1, "b": 0}, "r": {"c": 0, "d": 1}}
    found = extremes(name, judged, TWO_RUN, tried)
    each = ends(name, judged, TWO_RUN, [0, 1])
    assert found.exact == exact
    assert found.ends == pytest.approx(each if exact else (found.low.min(), found.high.max()))


def test_values_that_no_grades_define():
    judged, run = {"q": {"a": 0}}, {"q": ["a", "x"]}
    found = extremes("AUC", judged, run, 4096)
    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()
    none = extremes("RR", {"q": {"a": 0}, "r": {"b": 1}}, {"q": ["a"], "r": ["b"]}, 9, no_relevant="skip")  # fmt: skip
    assert (none.ends, none.exact) == ((1, 1), True)


def test_a_pool_of_all_queries_is_open():
    found = extremes("AUC(pairs='all')", TWO, TWO_RUN, 4096)
    assert (found.low.tolist(), found.high.tolist()) == ([0, 0], [1, 1])
    assert not found.queries_exact


def test_values_without_an_upper_end():
    judged = {"q": {"a": {"s": 1}}}
    found = extremes("alpha_DCG", judged, {"q": ["x", "y", "a"]}, 3)
    assert (found.low[0], found.high[0], found.ends) == (0, math.inf, (0, math.inf))
    assert not found.exact
    utility = extremes("Utility", BINARY, RUN, 8)
    assert (utility.ends, utility.exact) == ((1 - 4, 4 - 1), True)


@pytest.mark.parametrize(
    ("measure", "grades"),
    [
        ("nDCG", [0, 0.5, 2, 3]),
        ("AP", [0, 3]),
        ("Judged", [0, 3]),
        ("nDCG(gain={0: 1, 2: 3, 3: 0.5})", [0.5, 3, 0, 2]),
        ("ERR", [0, 0.5, 2, 3]),
        ("RBP", [0, 0.5, 2, 3]),
    ],
)
def test_the_grades_that_are_tried(measure, grades):
    judged = {"q": {"a": 2, "b": -1, "c": 0.5, "d": 3}}
    ranked = collection(judged, {"q": ["a", "x"]}).ranked(rs.Conventions(negatives="nonrelevant"))
    measure = rs.parse_measure(measure)
    assert (
        grades_by_gain(measure, UnjudgedPositions.of(ranked), ranked.judged_grade).tolist()
        == grades
    )


@pytest.mark.parametrize("k", [10**15, 2**63, 2**70, 10**400])
def test_a_cutoff_that_no_engine_can_count_to_is_refused(k):
    with pytest.raises(rs.UsageError, match=r"k of P (is too large|must be a whole number)"):
        rs.P @ k


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
