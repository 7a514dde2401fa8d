"""Values worked by hand, of measures that have no second reading, and the edges of large numbers."""

import math
import random
from fractions import Fraction
from itertools import permutations

import mpmath
import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.core.hypothetical_grades import UnjudgedPositions, judged_by_rank
from rankstone.measures.dcg import exponential
from rankstone.measures.reciprocal_rank import paired_reciprocal_rank
from rankstone.measures.unjudged import UnjudgedDocuments, assumptions, influences

NAN = math.nan


def test_a_cascade():
    model = rs.cascade([1, 0, 2])
    assert model.satisfaction.tolist() == [1 / 4, 0, 3 / 4]
    assert model.reached.tolist() == [1, 3 / 4, 3 / 4]
    assert model.stop.tolist() == [1 / 4, 0, 9 / 16]
    assert model.abandonment == 3 / 16
    assert model.expected_position == (1 * 4 / 16 + 3 * 9 / 16) / (13 / 16)
    assert rs.cascade([1], max_grade=3).stop.tolist() == [1 / 8]
    assert rs.cascade([-1, 1]).stop.tolist() == [0, 1 / 2]
    assert rs.cascade([2], max_grade=2).stop.tolist() == [3 / 4]
    for half in (rs.cascade([0.5]), rs.cascade([0.5], max_grade=0.5)):
        assert half.stop.tolist() == pytest.approx([1 - 1 / math.sqrt(2)], rel=1e-15)
    assert rs.cascade(satisfaction=[0, 1, 0.5]).stop.tolist() == [0, 1, 0]
    for empty in (rs.cascade([]), rs.cascade([0, 0])):
        assert empty.abandonment == 1
        assert math.isnan(empty.expected_position)


BOTH = "give either grades or satisfaction=, the probabilities themselves."
FINITE = "a ranking is one list of finite numbers."
SHARE = "probabilities of satisfaction are from 0 to 1."


@pytest.mark.parametrize(
    ("grades", "more", "error", "message"),
    [
        (None, {}, rs.UsageError, BOTH),
        ([1], {"satisfaction": [1]}, rs.UsageError, BOTH),
        ([[1]], {}, rs.DataError, FINITE),
        ([1, NAN], {}, rs.DataError, FINITE),
        ([1, 3], {"max_grade": 2.5}, rs.DataError, "grade 3 is above max_grade=2.5."),
        (None, {"satisfaction": [0.5, -0.01]}, rs.DataError, SHARE),
        (None, {"satisfaction": [0.5, 1.01]}, rs.DataError, SHARE),
    ],
)
def test_cascades_that_are_refused(grades, more, error, message):
    with pytest.raises(error) as caught:
        rs.cascade(grades, **more)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "grade", "message"),
    [
        ("ERR", 1001, "grade 1001 is too large for ERR: 2^grade overflows. Map the grades to a smaller scale."),
        ("ERR(max_grade=2)", 3, "grade 3 is above max_grade=2 of ERR(max_grade=2); give the highest grade of the scale."),
        ("nDCG(gain='exp2')", 1024, "grade 1024 is too large for an exponential gain (2^grade overflows). Use gain='linear' or a table."),
        ("nDCG(gain='exp2')", 1000, "a gain of 1.07151e+301 is too large to be added up; gains may be up to 1e+290. Divide the grades by a number, or use a table of gains."),
        ("nDCG", 1.5e290, "a gain of 1.5e+290 is too large to be added up; gains may be up to 1e+290. Divide the grades by a number, or use a table of gains."),
    ],
)  # fmt: skip
def test_grades_that_are_too_large(name, grade, message):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"a": grade, "b": 0}}, {"q": ["a"]}, name)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "grade", "value"),
    [
        ("ERR", 1000, 1.0),
        ("ERR(max_grade=2)", 2, 3 / 4),
        ("ERR(max_grade=0.5)", 0.5, pytest.approx(1 - 1 / math.sqrt(2), rel=1e-15)),
        ("CG(gain='exp2')", 900, 2.0**900),
        ("CG", 1e290, 1e290),
        ("CG(gain={1: 1e290})", 1, 1e290),
    ],
)
def test_grades_that_are_just_small_enough(name, grade, value):
    assert rs.evaluate({"q": {"a": grade}}, {"q": ["a"]}, name)[name] == value


def test_exponential_gains():
    grades = np.array([0.0, 1.0, 0.5, 3.0, 2.5, 1e-9])
    exact = [0, 1, math.sqrt(2) - 1, 7, 4 * math.sqrt(2) - 1, math.expm1(1e-9 * math.log(2))]
    np.testing.assert_allclose(exponential(grades), exact, rtol=3e-16)


@pytest.mark.parametrize("scale", [1, 2.0**-950, 2.0**-1000, 2.0**200])
def test_the_scale_of_gains_does_not_matter(scale):
    judged = {"q": {"a": 3 * scale, "b": scale, "c": 2 * scale}, "r": {"a": 1, "b": 2}, "s": {"a": 0}}  # fmt: skip
    run = {"q": ["b", "c", "a"], "r": ["a", "b"], "s": ["a"]}
    exact = (1 + 2 / math.log2(3) + 3 / 2) / (3 + 2 / math.log2(3) + 1 / 2)
    other = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    for name in ("nDCG", "nDCG@3"):
        found = rs.evaluate(judged, run, name).values(name)
        np.testing.assert_allclose(found, [exact, other, 0], rtol=4e-16)


def test_how_far_documents_moved():
    before, after = np.array([1, 4, 2, 3]), np.array([4, 1, 2, 5])
    np.testing.assert_allclose(paired_reciprocal_rank(before, after), [3 / 4, -3 / 4, 0, 2 / 5], rtol=1e-15)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "values", "mean"),
    [
        ("Silence", [1, 0, 1, 0], 1 / 2),
        ("Silence(of='answerable')", [1, 0, 1, 0], 1 / 2),
        ("Silence(of='all')", [1, 0, 1, 0], 1 / 2),
        ("Silence(rel=2)", [0, 1, 1, 0], 1 / 2),
        ("Silence(rel=2, of='answerable')", [0, 1, 1, 0], NAN),
    ],
)
def test_silence(name, values, mean):
    judged = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 0}, "t": {"a": 0}}
    run = {"q": ["a"], "r": [], "s": [], "t": ["a"]}
    result = rs.evaluate(judged, run, name)
    np.testing.assert_array_equal(result.values(name), values)
    np.testing.assert_equal(result[name], mean)


SUBTOPICS = {
    "q": {"a": {"s": 2, "t": 1}, "b": {"t": 3, "u": 0.5}, "c": {"s": 1, "v": 0}, "m": {"v": 2}},
    "r": {"a": {"s": 1}},
}
LISTS = {"q": ["c", "x", "a", "b"], "r": ["x", "a"]}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        # Relevant to s are c (rank 1) and a (3), to t a and b (4), to v only m, which was missed.
        ("StRecall@1", [1 / 3, 0]),
        ("StRecall@3", [2 / 3, 1]),
        ("StRecall", [2 / 3, 1]),
        ("StRecall(rel=2)@3", [1 / 3, 0]),
        ("P_IA@1", [1 / 3, 0]),
        ("P_IA@4", [4 / 12, 1 / 4]),
        ("P_IA", [4 / 12, 1 / 2]),
        ("AP_IA", [((1 + 2 / 3) / 2 + (1 / 3 + 2 / 4) / 2) / 3, 1 / 2]),
        # The best grades are 2 for s, 3 for t, 0.5 for u and 2 for v.
        ("StCoverage@1", [1 / 7.5, 0]),
        ("StCoverage@3", [(1 + 1 + 1) / 7.5, 1]),
        ("StCoverage", [(1 + 1 + 1 + 2 + 0.5) / 7.5, 1]),
        ("NuggetRecall@1", [1 / 4, 0]),
        ("NuggetRecall@3", [2 / 4, 1]),
        ("NuggetRecall", [2.5 / 4, 1]),
        ("NuggetRecall(partial='strict')", [2 / 4, 1]),
        ("NuggetRecall(partial='lenient')", [3 / 4, 1]),
        ("NuggetRecall(which='vital')", [2.5 / 4, 1]),
        # Gains: c 1, a 1/2 + 1, b 1/2; S = 3.
        ("NRBP", [(1 + 1.5 / 4 + 0.5 / 8) * (1 - 0.25) / 3, 0.5 * 0.75]),
        ("NRBP(beta=0.8)", [(1 + 1.5 * 0.64 + 0.5 * 0.512) * (1 - 0.4) / 3, 0.8 * 0.6]),
        ("NRBP(alpha=0.25)", [(1 + 1.75 / 4 + 0.75 / 8) * (1 - 0.375) / 3, 0.5 * 0.625]),
        # Ideal: a (2), then m (1), c (1/2) and b (1/2).
        ("nNRBP", [(1 + 1.5 / 4 + 0.5 / 8) / (2 + 1 / 2 + 0.5 / 4 + 0.5 / 8), 0.5]),
        ("alpha_DCG@3", [1 + 1.5 / 2, 1 / math.log2(3)]),
        ("alpha_DCG(denominator='best')@1", [1 / 3, 0]),
        ("alpha_DCG(denominator='best')@2", [1 / (3 * (1 + 0.5 / math.log2(3))), 1 / math.log2(3) / (1 + 0.5 / math.log2(3))]),
        ("ERR_IA@3", [(1 + 1.5 / 3) / (3 * (1 + 0.5 / 2 + 0.25 / 3)), 0.5 / (1 + 0.5 / 2 + 0.25 / 3)]),
        ("nERR_IA@3", [(1 + 1.5 / 3) / (2 + 1 / 2 + 0.5 / 3), 1 / 2]),
        ("CharRecall@3", [2 / 4, 1]),
        ("CharPrecision@3", [2 / 3, 1 / 2]),
    ],
)  # fmt: skip
def test_values_by_subtopic(name, values):
    found = rs.evaluate(SUBTOPICS, LISTS, name).values(name)
    assert found.tolist() == pytest.approx(values, rel=1e-14)


def test_shares_of_judged_documents():
    judged = {"q": {"a": 1, "c": 0}, "r": {"b": 1}}
    run = {"q": ["a", "b", "c", "d"], "r": ["a", "b"]}
    ranked = collection(judged, run).ranked(rs.Conventions())
    assert judged_by_rank(ranked, 5) == judged_by_rank(ranked, 4) == [1 / 2, 1 / 2, 1, 0]
    assert judged_by_rank(ranked, 3) == [1 / 2, 1 / 2, 1]
    names = ["Judged", "Judged@3", "Unjudged", "Unjudged@3"]
    assert [*rs.evaluate(judged, run, names).aggregates.values()] == pytest.approx(
        [1 / 2, (2 / 3 + 1 / 2) / 2, 1 / 2, (1 / 3 + 1 / 3) / 2], rel=1e-15
    )


def test_backgrounds():
    none, every, some, rest = assumptions(50)
    assert not none.any()
    assert every.all()
    assert (some != rest).all()
    assert 10 < some.sum() < 40


def test_how_far_single_documents_move_a_value():
    """x is at rank 1 and y at rank 3 of a list of three; z was not retrieved."""
    judged, run = {"q": {"a": 1, "m": 0}}, {"q": ["x", "a", "y"]}
    holes = UnjudgedPositions.of(collection(judged, run).ranked(rs.Conventions()))
    documents = UnjudgedDocuments(np.array([0, 3]), np.array([1, 3, 0]))
    none, every, _, _ = influences(rs.P @ 3, holes, documents)
    assert none.tolist() == pytest.approx([1 / 3, 1 / 3, 0])
    assert every.tolist() == pytest.approx([1 / 3, 1 / 3, 0])
    none, every, _, _ = influences(rs.RR, holes, documents)
    assert none.tolist() == [1 / 2, 0, 0]
    assert every.tolist() == [1 / 2, 0, 0]
    none, every, _, _ = influences(rs.R, holes, documents)
    assert none.tolist() == pytest.approx([0, 0, 1 / 2 - 1])
    assert every.tolist() == pytest.approx([3 / 4 - 2 / 3, 3 / 4 - 2 / 3, 3 / 4 - 1])


@pytest.mark.parametrize(
    ("name", "grades", "value"),
    [
        ("RBPResidual(p=0.5)", (None, 1, None), 0.5 + 0.125 + 0.125),
        ("RBPResidual(p=0.5, tail='unjudged')", (None, 1, None), 0.5 + 0.125 + 0.125),
        ("RBPResidual(p=0.5, tail='unjudged')", (0, 1, 1), 0),
        ("RBPResidual(p=0.5)", (0, 1, 1), 0.125),
        ("RBPResidual(p=0.5)", (1, None, None, 0, None), 0.25 + 0.125 + 0.03125 + 0.03125),
        ("RBP(p=0.5, gain='scaled')", (2, 1, 4), 0.5 * (2 / 4 + 1 / 8 + 1 / 4)),
        ("RBP(p=0.5, gain='scaled')", (0.5, 1), 0.5 * (0.5 + 0.5)),
        ("RBP(p=0.5, gain={1: 2, 2: 4})", (2, 1), 0.5 * (1 + 0.25)),
        ("RBP(p=0.5, gain={1: 0.5, 2: 1})", (2, 1), 0.5 * (1 + 0.25)),
        ("RBP(p=0.5, gain={1: 2, 2: 4})", (1, 0), 0.5 * 0.5),
        ("RBP(p=0.5)@2", (0, 1, 1), 0.25),
    ],
)
@pytest.mark.parametrize("sums", ["exact", "plain"])
def test_rank_biased_values(name, grades, value, sums):
    judged = {"q": {f"d{i}": g for i, g in enumerate(grades) if g is not None}}
    run = {"q": [f"d{i}" for i in range(len(grades))]}
    assert rs.evaluate(judged, run, name, sums=sums)[name] == pytest.approx(value, rel=1e-15)


def test_a_long_tail_of_unjudged_documents():
    """Beyond a rank whose weight is next to nothing, it does not matter what was judged."""
    run = {"q": [f"d{i}" for i in range(400)], "r": ["a"]}
    judged = {"q": {"d0": 1, "d399": 1}, "r": {"a": 1}}
    for sums in ("exact", "plain"):
        name = "RBPResidual(p=0.5)"
        found = rs.evaluate(judged, run, name, sums=sums).values(name)
        assert found.tolist() == pytest.approx([0.5, 0.5], rel=1e-15)
    name = "RBPResidual(p=0.9)"
    exact, plain = (rs.evaluate(judged, run, name, sums=s).values(name) for s in ("exact", "plain"))
    assert exact.tolist() == pytest.approx([0.9, 0.9], rel=1e-15)
    assert plain.tolist() == pytest.approx([0.9, 0.9], rel=1e-14)


@pytest.mark.parametrize(("k", "terms"), [(1, [0, 0]), (3, [1 / 2 + 1 / 3, 0]), (6, [1 / 2 + 1 / 3 + 1 / 4 + 1 / 5 + 1 / 6, 1 / 4 + 1 / 5 + 1 / 6])])  # fmt: skip
def test_the_precision_of_every_rank_down_to_a_cutoff(k, terms):
    name = f"AP(denominator='ranks')@{k}"
    found = rs.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["x", "a", "y", "b"]}, name)[name]
    assert found == pytest.approx(sum(terms) / k, rel=1e-15)


def test_documents_that_count_twice_may_leave_nothing():
    judged = {"q": {"a": 1}, "r": {"a": 1}}
    run = {"q": ["a", "a"], "r": ["a", "x"]}
    for sums in ("exact", "plain"):
        found = rs.evaluate(judged, run, "YAAP", duplicates="count", sums=sums).values("YAAP")
        np.testing.assert_allclose(found, [NAN, math.log(2)], rtol=1e-15)


def test_a_lowered_grade_may_gain_more_than_the_ideal():
    """a has grade 0 for its score, and the table gives 5 for that; the ideal has 1."""
    measure = rs.measures.G(gain={0: 5, 1: 1})
    data = {"q": {"a": 1}}, {"q": {"a": -1.0}}
    assert rs.evaluate(*data, measure, nonpositive="nonrelevant")[measure] == 5 / math.log2(2 + 0)


def test_a_lowered_grade_may_gain_where_no_judgment_does():
    data = {"q": {"a": 1}, "r": {"b": 0}}, {"q": {"a": -1.0}, "r": {"b": 1.0}}
    measure = rs.measures.nDCGRel(gain={0: 5})
    found = rs.evaluate(*data, measure, nonpositive="nonrelevant").values(measure)
    assert found.tolist() == [0, 1]


def test_the_only_document_with_a_gain():
    found = rs.explain("nDCGRel", {"q": {"a": 1}}, {"q": ["x", "a"]})
    assert [step.term for step in found.steps] == pytest.approx([1 / math.log2(3)], rel=1e-15)
    assert found.constant == 0


EPSILON = 1e-5


def inferred(order):
    """Return infAP of one order of + relevant, - not relevant, ? pooled and . other documents."""
    total = 0.0
    for i, kind in enumerate(order):
        above = order[:i]
        h, n = above.count("+"), above.count("-")
        if kind == "+":
            seen = (h + EPSILON) / (h + n + 2 * EPSILON)
            total += (1 + (h + n + above.count("?")) * seen) / (i + 1)
    return total / (order.count("+") + 1)


def test_the_best_and_the_worst_order_of_a_pool():
    """In each query some documents are in order, some tie, and some are in order below them."""
    rng = random.Random(7)
    judged, run, ends = {}, {}, {"optimistic": [], "pessimistic": []}
    drawn = [
        [[rng.choice("++--??.") for _ in range(rng.randint(*size))] for size in ((0, 4), (1, 5), (0, 2))]
        for _ in range(150)
    ]  # fmt: skip
    for q, (head, tie, tail) in enumerate([*drawn, ([*"-???.."], [*"+++?"], [])]):
        values = [inferred([*head, *order, *tail]) for order in set(permutations(tie))]
        ends["optimistic"].append(max(values))
        ends["pessimistic"].append(min(values))
        kinds = [*head, *tie, *tail]
        scores = [9 - i for i in range(len(head))] + [1] * len(tie) + [-i for i in range(len(tail))]
        grades = {"+": 1, "-": 0, "?": -1}
        name = f"q{q:03}"
        judged[name] = {f"d{i}": grades[k] for i, k in enumerate(kinds) if k != "."} | {"m": 1}
        run[name] = {f"d{i}": float(s) for i, s in enumerate(scores)}
    for rule, expected in ends.items():
        found = rs.evaluate(judged, run, "infAP", ties=rule).values("infAP")
        np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("recall", "nearest", "up"),
    [(0, 1, 1), (0.05, 1, 1), (0.21, 1, 1), (0.25, 1, 2), (0.5, 3, 3), (0.49, 2, 3), (0.7, 4, 4), (0.875, 4, 5), (1, 5, 5)],
)  # fmt: skip
def test_interpolated_precision_needs_a_share_of_the_hits(recall, nearest, up):
    """Hits are at ranks 1, 3, 5, 7 and 9, so precision falls from hit to hit."""
    grades = [1, 0, 1, 0, 1, 0, 1, 0, 1]
    for rounding, hits in (("nearest", nearest), ("up", up)):
        measure = rs.IPrec(recall=recall, rounding=rounding)
        assert measure(grades) == hits / (2 * hits - 1)
        judged = {"q": {f"d{i}": g for i, g in enumerate(grades)}}
        found = rs.explain(measure, judged, {"q": [f"d{i}" for i in range(9)]})
        assert found.parts == {"h": hits, "i": 2 * hits - 1}
        mean = rs.measures.AvgIPrec(points=(recall, 1), rounding=rounding)(grades)
        assert mean == pytest.approx((hits / (2 * hits - 1) + 5 / 9) / 2, rel=1e-15)


def test_the_best_precision_from_a_recall_on():
    """Hits are at ranks 2, 3 and 6: the second has the highest precision."""
    grades = [0, 1, 1, 0, 0, 1]
    assert [(rs.IPrec @ recall)(grades) for recall in (0, 1 / 3, 2 / 3, 1)] == [2 / 3, 2 / 3, 2 / 3, 1 / 2]  # fmt: skip


@pytest.mark.parametrize(
    ("multiple", "count"), [(0.2, 1), (0.5, 2), (0.25, 1), (1, 3), (1.5, 5), (2, 6), (1.02, 3), (1.04, 4)]
)  # fmt: skip
def test_r_precision_at_a_multiple(multiple, count):
    hits = sum(rank <= count for rank in (1, 4, 5))
    found = rs.Rprec(multiple=multiple)([1, 0, 0, 1, 1, 0])
    assert found == pytest.approx(hits / count, rel=1e-15)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # One of the first two, of two retrieved and three relevant.
        ("P", 1 / 2),
        ("P@4", 1 / 4),
        ("P(denominator='retrieved')@4", 1 / 2),
        ("P(denominator='retrieved')@1", 0),
        ("P(denominator='min(k,R)')@4", 1 / 3),
        ("P(denominator='min(k,R)')@2", 1 / 2),
        ("P(denominator='min(k,R)')", 1 / 2),
        ("R@1", 0),
        ("R@2", 1 / 3),
        ("AP(denominator='min(R,k)')@2", (1 / 2) / 2),
        ("AP(denominator='min(R,k)')", (1 / 2) / 3),
        ("AP(denominator='min(R,retrieved)')@4", (1 / 2) / 2),
        ("AP(denominator='min(R,retrieved)')@1", 0),
        ("AP(denominator='hits')@4", 1 / 2),
        ("AP(denominator='k')@4", (1 / 2) / 4),
        ("AP(denominator='k')", (1 / 2) / 2),
        ("F@4", 2 / (3 + 4)),
        ("F", 2 / (3 + 2)),
        ("F(beta=2)@4", 5 / (4 * 3 + 4)),
        ("F(beta=0.5)", 1.25 / (0.25 * 3 + 2)),
        ("SetAP", 1 / (2 * 3)),
        ("Utility(hit=2, noise=-0.5, miss=-1, rest=0.25, collection=8)", 2 - 0.5 - 2 + 1),
        ("Success@1", 0),
        ("Success@2", 1),
        ("NumRet@1", 1),
        ("NumRet@3", 2),
        ("NumRelRet@1", 0),
        ("NumNonrelRet", 1),
        ("Bpref", 0),
    ],
)
@pytest.mark.parametrize("sums", ["exact", "plain"])
def test_counts_of_a_short_list(name, value, sums):
    judged = {"q": {"a": 0, "b": 1, "m": 1, "n": 1}}
    found = rs.evaluate(judged, {"q": ["a", "b"]}, name, sums=sums)[name]
    assert found == pytest.approx(value, rel=1e-15, abs=0)


def test_the_largest_gains_that_can_be_added_up():
    assert rs.CG([1e290, 1e290]) == 2e290
    with pytest.raises(rs.DataError, match="too large to be added up"):
        rs.CG([np.nextafter(1e290, np.inf)])


def test_grades_that_a_table_does_not_list():
    judged = {"q": {"a": 0.5, "b": -1, "c": 2}}
    run = {"q": ["a", "b", "c"]}
    listed, own = "CG(gain={2: 3})", "DCG(gain={2: 3}, discount='none', unlisted='grade')"
    result = rs.evaluate(judged, run, [listed, own], negatives="nonrelevant")
    assert [result[name] for name in result.measures] == [3, 3.5]


def test_ndcg_over_relevant_documents_of_a_query_without_any_retrieved():
    judged = {"q": {"a": 1}, "r": {"b": 1}}
    result = rs.evaluate(judged, {"q": ["x"], "r": ["b"]}, "nDCGRel")
    assert result.per_query == {"q": {"nDCGRel": 0.0}, "r": {"nDCGRel": 1.0}}


@pytest.mark.parametrize(
    ("ranking", "value"), [("xa", 0.0), ("xay", 1 / math.log2(3) / 2), ("axy", 1.0), ("xyz", 0.0)]
)
def test_ndcg_over_levels_looks_at_the_end_of_a_ranking_with_two_more_documents(ranking, value):
    """With one relevant document at ranks 1 and n, if n is above 2; nDCG has the ideal of rank 1."""
    result = rs.evaluate({"q": {"a": 1}}, {"q": [*ranking]}, "RnDCG")
    assert result["RnDCG"] == pytest.approx(value, rel=1e-15)


def test_the_highest_grade_of_err_is_a_thousand():
    """(2^1 - 1) / 2^1000 is still a number."""
    assert rs.ERR(max_grade=1000)([1]) == 2.0**-1000
    with pytest.raises(rs.DataError, match="grade 1001 is too large"):
        rs.ERR(max_grade=1001)([1])


def test_interpolated_precision_is_averaged_over_eleven_points():
    """With the second of two documents relevant, precision is 1/2 at every recall."""
    assert rs.measures.AvgIPrec.params["points"] == tuple(i / 10 for i in range(11))
    assert rs.measures.AvgIPrec([0, 1]) == 0.5


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
