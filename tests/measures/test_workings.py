"""The working of a value: its steps, its ideal, its remark; and values of queries without relevance."""

import math

import numpy as np
import pytest

import rankstone as rs
from rankstone.measures.base import Measure
from rankstone.measures.compute import Values, side_by_side

JUDGED = {"q": {"a": 2, "b": 1, "c": 1, "d": 0, "m": 2}}
RUN = {"q": ["b", "x", "d", "y", "z", "a", "c"]}


def test_the_steps_of_a_sum():
    found = rs.explain("DCG", JUDGED, RUN)
    assert [(s.rank, s.document, s.grade) for s in found.steps] == [
        (1, "b", 1), (3, "d", 0), (6, "a", 2), (7, "c", 1),
    ]  # fmt: skip
    assert [s.term for s in found.steps] == [1, 0, 2 / math.log2(7), 1 / 3]
    assert [s.columns["gain"] for s in found.steps] == [1, 0, 2, 1]
    assert [s.columns["discount"] for s in found.steps][::3] == [1, 1 / 3]
    assert (found.gaps, found.retrieved) == ([2, 4, 5], 7)
    assert (found.constant, found.denominator, found.ideal, found.remark) == (0, None, (), "")
    assert (found.expression, found.parts) == ("", {})
    assert found.to_dict()["value"] == found.value == found.total


def test_gaps_before_the_first_judged_document():
    assert rs.explain("RR", {"q": {"a": 1}}, {"q": ["x", "y", "a", "z"]}).gaps == [1, 2]
    assert rs.explain("RR", {"q": {"a": 1}}, {"q": ["a"]}).gaps == []
    assert rs.explain("RnDCG", JUDGED, RUN).gaps == []


def test_the_ideal_has_documents_of_its_grades():
    ideal = rs.explain("nDCG@4", JUDGED, RUN).ideal
    assert [(s.rank, s.document, s.grade) for s in ideal] == [
        (1, "a", 2), (2, "m", 2), (3, "b", 1), (4, "c", 1),
    ]  # fmt: skip
    found = rs.explain("nDCG", JUDGED, RUN)
    assert found.ideal[-1].document == "d"
    assert found.denominator == pytest.approx(2 + 2 / math.log2(3) + 1 / 2 + 1 / math.log2(5))
    negative = rs.explain("nDCG", {"q": {"a": 1, "b": -1, "c": 0}}, RUN, negatives="nonrelevant")
    assert [s.document for s in negative.ideal[:1]] == ["a"]


def test_the_second_query_is_explained():
    judged = {"q": {"a": 1}, "r": {"b": 1, "c": 0}, "s": {"c": 1}}
    run = {"q": ["a"], "r": ["c", "b"], "s": ["c"]}
    found = rs.explain("AP", judged, run, query="r")
    assert [(s.rank, s.document, s.term, s.sum) for s in found.steps] == [
        (1, "c", 0, 0), (2, "b", 0.5, 0.5),
    ]  # fmt: skip
    assert (found.query, found.value, found.denominator) == ("r", 0.5, 1)


def test_running_sums_are_rounded_once():
    measure = rs.CG(gain={1: 1e16, 2: 1, 3: 0.5})
    judged = {"q": {"a": 1, "b": 2, "c": 2, "d": 3, "e": 1, "f": 2}}
    found = rs.explain(measure, judged, {"q": list("abcdef")})
    exact = [1e16, 1e16, 1e16 + 2, 1e16 + 2, 2e16 + 4, 2e16 + 4]
    assert [s.sum for s in found.steps] == exact
    small_first = rs.explain(measure, judged, {"q": list("dbcfae")})
    assert [s.sum for s in small_first.steps] == [0.5, 1.5, 2.5, 3.5, 1e16 + 4, 2e16 + 4]
    tenths = rs.explain(rs.CG(gain={1: 0.1}), {"q": dict.fromkeys("abcdefghij", 1)}, {"q": list("abcdefghij")})  # fmt: skip
    assert [s.sum for s in tenths.steps] == [math.fsum([0.1] * n) for n in range(1, 11)]


@pytest.mark.parametrize(
    ("name", "judged", "options", "remark"),
    [
        ("AP", {"a": 0}, {}, "The query has no relevant document; no_relevant=zero makes the value 0."),
        ("AP", {"a": 0}, {"no_relevant": "skip"}, "The query has no relevant document; no_relevant=skip makes the value left out of the mean."),
        ("AP", {"a": 0}, {"no_relevant": "one"}, "The query has no relevant document; no_relevant=one makes the value 1."),
        ("AUC", {"a": 1}, {}, "There is nothing to divide by, so the value is left out of the mean."),
        ("AUC(single_class='half')", {"a": 1}, {}, "There is nothing to divide by, so the value is 0.5."),
        ("AP", {"z": 1}, {}, "No judged document was retrieved."),
        ("RBPResidual", {"z": 1}, {}, ""),
        ("AP", {"a": 1}, {}, ""),
        ("P@1", {"a": 1}, {}, ""),
    ],
)  # fmt: skip
def test_remarks(name, judged, options, remark):
    found = rs.explain(name, {"q": judged}, {"q": ["a", "x"]}, **options)
    assert found.remark == remark
    assert (found.to_dict()["value"] is None) == math.isnan(found.value)


def test_what_is_not_a_sum():
    found = rs.explain("RBPResidual(p=0.5)", {"q": {"a": 1}}, {"q": ["a", "x"]})
    assert (found.expression, found.parts) == ("t + (1 - p) * s", {"t": 0.25, "p": 0.5, "s": 0.5})
    assert (found.steps, found.total, found.denominator, found.value) == ((), None, None, 0.5)
    part = rs.explain("nDCGRel", {"q": {"a": 1, "m": 1}}, {"q": ["a"]})
    assert part.constant == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert part.value == pytest.approx((1 + part.constant) / 2)


def test_repeated_documents_are_mentioned():
    judged = {"q": {"a": 1}}
    run = {"q": ["a", "b", "a"]}
    assert "duplicates" in rs.explain("P@2", judged, run, duplicates="count").conventions
    assert "duplicates" not in rs.explain("P@2", judged, {"q": ["a", "b"]}).conventions


L2 = math.log2
BEHIND = {"q": {"a": 2, "b": 0, "c": 1, "d": -1, "m": 1}}
LIST = {"q": ["b", "a", "x", "d", "c", "e"]}  # d is in the pool, x and e are not
DCG = [0, 2 / L2(3), 2 / L2(3) + 1 / L2(6)]
IDEAL = [2, 2 + 1 / L2(3), 2 + 1 / L2(3) + 1 / 2]


@pytest.mark.parametrize(
    ("name", "columns", "terms"),
    [
        ("AP", {"relevant": [0, 1, 1], "hits": [0, 1, 2]}, [0, 1 / 2, 2 / 5]),
        ("AP(denominator='ranks')", {"relevant": [0, 1, 1]}, [0, 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5 + 1 / 6, 1 / 5 + 1 / 6]),
        ("RR", {"relevant": [0, 1, 1]}, [0, 1 / 2, 0]),
        ("BinG", {"relevant": [0, 1, 1], "others above": [0, 1, 3]}, [0, 1 / L2(3), 1 / L2(5)]),
        ("nDCGRel", {"gain": [0, 2, 1], "DCG": DCG, "ideal DCG": IDEAL}, [0, DCG[1] / IDEAL[1], DCG[2] / IDEAL[2]]),
        ("RnDCG", {"rank": [1, 3, 6], "DCG": [0, *DCG[1:]], "ideal DCG": [2, IDEAL[2], IDEAL[2]]}, [0, DCG[1] / IDEAL[2], DCG[2] / IDEAL[2]]),
        # Each rank of the ideal costs 1 at least: 2, 3, 4, 5, 6.
        ("G", {"gain": [0, 2, 1], "lag": [2 - 0, 3 - 2, 6 - 3]}, [0, 2 / L2(3), 1 / L2(5)]),
        ("infAP", {"relevant": [0, 1, 1], "pool above": [0, 1, 3]}, [0, 1 / 2 + 1 / 2 * 1e-5 / (1 + 2e-5), 1 / 5 + 3 / 5 * 1 / 2]),
        ("AUC", {"relevant": [0, 1, 1], "others above": [0, 1, 1], "others tied": [0, 0, 0]}, [0, 0, 0]),
        ("AUPRC", {"relevant": [0, 1, 1], "precision": [0, 1 / 2, 2 / 5]}, [0, 1 / 2, 2 / 5]),
        ("ERR", {"stop": [0, 3 / 4, 1 / 4], "reach": [1, 1, 1 / 4], "discount": [1, 1 / 2, 1 / 5]}, [0, 3 / 8, 1 / 80]),
        ("RBP(p=0.5)", {"gain": [0, 1, 1], "read": [1, 1 / 2, 1 / 16], "weight": [1 / 2, 1 / 4, 1 / 32]}, [0, 1 / 4, 1 / 32]),
        ("AvgIPrec(points=(0, 0.5, 1))", {"recall": [1, 0.5, 0]}, [0, 2 / 5, 1 / 2]),
        ("Judged", {"judged": [1, 1, 1]}, [1, 1, 1]),
        ("F@5", {"relevant": [0, 1, 1]}, [0, 1, 1]),
        ("NumNonrelRet", {"relevant": [0, 1, 1]}, [1, 0, 0]),
        ("Pref", {"kept": [2], "of": [5]}, [2]),
        ("NumPref", {"kept": [2], "of": [5]}, [5]),
    ],
)  # fmt: skip
def test_the_numbers_behind_each_term(name, columns, terms):
    steps = rs.explain(name, BEHIND, LIST).steps
    assert [step.term for step in steps] == pytest.approx(terms, rel=1e-14)
    found = {column: [step.columns[column] for step in steps] for column in steps[0].columns}
    assert found == {column: pytest.approx(numbers) for column, numbers in columns.items()}


@pytest.mark.parametrize(
    ("name", "options", "parts", "value"),
    [
        ("IPrec@0.5", {}, {"h": 2, "i": 5}, 2 / 5),
        ("IPrec@0", {}, {"h": 1, "i": 2}, 1 / 2),
        ("IPrec@1", {}, {"h": 0, "i": 1}, 0),
        ("SetAP", {}, {"h": 2, "n": 6, "R": 3}, 4 / 18),
        ("Unjudged", {}, {"n": 6, "j": 3, "k": 6}, 1 / 2),
        ("Unjudged@4", {}, {"n": 4, "j": 2, "k": 4}, 1 / 2),
        ("YAAP", {}, {"s": 0.9, "R": 3}, math.log(1.9 / 3.1)),
        ("RBPResidual(p=0.5)", {"sums": "plain"}, {"t": 1 / 64, "p": 0.5, "s": 13 / 32}, 14 / 64),
        ("RBPResidual(p=0.5)", {}, {"t": 1 / 64, "p": 0.5, "s": 13 / 32}, 14 / 64),
        ("F@5", {}, {"w": 1, "P": 2 / 5, "R": 2 / 3, "b": 16 / 15}, 1 / 2),
        ("F@5", {"sums": "plain"}, {"w": 1, "P": 2 / 5, "R": 2 / 3, "b": 16 / 15}, 1 / 2),
        ("F(beta=2)@5", {"sums": "plain"}, {"w": 4, "P": 2 / 5, "R": 2 / 3, "b": 34 / 15}, 10 / 17),
        ("NumRet", {}, {"n": 6}, 6),
        ("NumRel", {}, {"h": 2, "m": 1}, 3),
    ],
)
def test_the_parts_of_a_value(name, options, parts, value):
    found = rs.explain(name, BEHIND, LIST, **options)
    assert found.parts == pytest.approx(parts)
    assert found.value == pytest.approx(value, rel=1e-14)


def test_the_parts_of_a_utility():
    parts = rs.explain("Utility(collection=10, rest=0.5)", BEHIND, LIST).parts
    assert parts == {"hit": 1, "noise": -1, "miss": 0, "rest": 0.5, "a": 2, "b": 4, "c": 1, "d": 3}


# Queries without relevant documents ------------------------------------------------------------

EMPTY = {"q": {"a": 1}, "r": {"a": 0}, "s": {"b": 0.5}}
LISTS = {"q": ["a"], "r": ["a"], "s": []}


@pytest.mark.parametrize(
    ("name", "rule", "values"),
    [
        ("P@1", "zero", [1, 0, 0]),
        ("P@1", "one", [1, 1, 1]),
        ("P@1", "silence", [1, 0, 1]),
        ("P@1", "skip", [1, math.nan, math.nan]),
        ("P(rel=0.5)@1", "one", [1, 1, 0]),
        ("nDCG", "one", [1, 1, 0]),
        ("nDCG", "silence", [1, 0, 0]),
        ("nDCG(gain={1: 2})", "one", [1, 1, 1]),
        ("nDCG(gain={0: 0.5})", "zero", [0, 1, 0]),
        ("nDCG(gain={0: 0.5, 1: 2})", "one", [1, 1, 1]),
        ("CG", "one", [1, 0, 0]),
        ("CG", "silence", [1, 0, 0]),
        ("CG", "skip", [1, math.nan, 0]),
        ("DCG(gain={0.5: 1})", "skip", [math.nan, math.nan, 0]),
        ("NumRel", "one", [1, 0, 0]),
        ("Judged", "one", [1, 1, 0]),
        ("RBP(gain='scaled', p=0.5)", "one", [0.5, 1, 0]),
    ],
)
def test_queries_without_relevant_documents(name, rule, values):
    result = rs.evaluate(EMPTY, LISTS, name, no_relevant=rule)
    np.testing.assert_array_equal(result.values(name), values)


def test_a_query_without_relevant_documents_may_be_an_error():
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(EMPTY, LISTS, "P@1", no_relevant="error")
    assert str(caught.value) == (
        "query 'r' has no relevant document, so P@1 is undefined for it. Remove the query, or "
        "choose no_relevant='zero' or 'skip'."
    )
    assert rs.evaluate(EMPTY, LISTS, "NumRel", no_relevant="error")["NumRel"] == 1


def test_measures_are_compared_by_what_they_are():
    assert rs.P != "P"
    assert Measure(rs.P.definition) == rs.P
    assert rs.P not in ("P", rs.R)
    assert (rs.P @ 5).given == {"k": 5}
    assert rs.nDCG.get("nothing") is None
    assert rs.P.definition.takes("rel")
    assert not rs.P.definition.takes("gain")


def test_orders_of_ties_that_are_not_known_are_refused():
    judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    with pytest.raises(rs.UsageError) as caught:
        rs.evaluate(judged, run, "G", ties="optimistic")
    assert str(caught.value) == (
        "the best and the worst order of tied documents are not known for G; choose another rule "
        "for ties, such as 'input'."
    )
    with pytest.raises(rs.UsageError) as caught:
        rs.evaluate(judged, run, "ERR", ties="expected")
    able = [m.name for m in rs.all_measures() if m.supports_expected_ties]
    assert str(caught.value).startswith(
        "ERR has no closed form for ties='expected'; choose another rule for ties, such as "
        "'input'. Closed forms are known for "
    )
    listed = str(caught.value).partition("known for ")[2].rstrip(".").split(", ")
    assert sorted(listed) == sorted(able)
    for name in ("G", "ERR"):
        for ties in ("optimistic", "expected"):
            untied = {"q": {"a": 2.0, "b": 1.0}}
            assert rs.evaluate(judged, untied, name, ties=ties)[name] > 0


def test_the_best_and_the_worst_order_of_a_tie():
    judged, run = {"q": {"a": 0, "b": 1}}, {"q": {"a": 1.0, "b": 1.0, "x": 1.0}}
    for name, worst, best in (("RR", 1 / 3, 1), ("P@1", 0, 1), ("Unjudged@1", 1, 0)):
        assert rs.evaluate(judged, run, name, ties="optimistic")[name] == best
        assert rs.evaluate(judged, run, name, ties="pessimistic")[name] == worst


def test_columns_of_different_queries_side_by_side():
    """Queries that one column leaves out have no value there, and no weight."""
    few = Values(["r"], {"A": np.array([0.5])}, {"A": np.array([3.0])}, {"A": "of A"})
    many = Values(["q", "r", "s"], {"B": np.array([1.0, 2.0, 4.0])}, {}, {"B": "of B"})
    found = side_by_side([few, many], ["B", "A"])
    assert (found.queries, list(found.columns)) == (["q", "r", "s"], ["B", "A"])
    np.testing.assert_array_equal(found.columns["A"], [math.nan, 0.5, math.nan])
    np.testing.assert_array_equal(found.columns["B"], [1, 2, 4])
    assert {name: weight.tolist() for name, weight in found.weights.items()} == {"A": [0, 3, 0]}
    assert found.aggregates == {"B": "of B", "A": "of A"}


def test_the_working_of_auc_follows_its_formula():
    working = rs.explain("AUC", {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1, "b": 1, "c": 0.5}})
    assert [step.columns["others tied"] for step in working.steps] == [0, 1, 0]
    assert str(working).splitlines()[-1] == "AUC = 1.5000 / 2 = 0.75"
    assert (
        str(rs.explain("AUC", [1, 0, 1, 0])).splitlines()[-1] == "AUC = (2 + 1) / 4 = 3 / 4 = 0.75"
    )


def test_the_working_of_f_shows_precision_and_recall():
    working = rs.explain("F@4", {"q": {"a": 1, "z": 1}}, {"q": ["a", "b", "c", "d"]})
    assert "F@4 = (1 + 1) * 0.2500 * 0.5000 / 0.7500 = 0.3333333333333333" in str(working)
    assert rs.explain("F@4", {"q": {"a": 1}}, {"q": ["b"]}).value == 0


def test_documents_without_a_judgment_are_listed_down_to_the_cutoff():
    judgments, run = {"q": {"a": 1, "b": 0, "z": 2}}, {"q": ["x", "a", "y", "b", "w", "v"]}
    working = rs.explain("nDCG@5", judgments, run)
    rows = str(working).splitlines()[6:11]
    assert [row.split()[1] for row in rows] == ["x", "a", "y", "b", "w"]
    assert "3 of the first 5 documents are not judged" in str(working)
    assert working.unjudged == {1: "x", 3: "y", 5: "w"}
    assert "not judged" not in str(rs.explain("nDCG@5", judgments, run, unjudged="remove"))
    assert "1 of the first 2 documents is" in str(rs.explain("P@5", judgments, {"q": ["x", "a"]}))


def test_the_cascade_model_is_explained_as_err():
    assert rs.explain("cascade", [3, 2, 0]).measure == "ERR"
    assert "reach" in str(rs.explain("cascade", [3, 2, 0]))
