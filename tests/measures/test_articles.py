"""Five Chinese articles on ranking measures: every formula, function and number, and what is wrong.

1  ranking measures with code: P@K, AP and MAP, RR and MRR, NDCG
2  recommender measures: precision, recall, F, HR, MAP, MRR, NDCG, AUC, ROC
3  MAP and NDCG with worked examples
4  NDCG, HR and MRR with dcg_at_k and the Airbnb example
5  learning to rank: NDCG, MAP, F, MRR, the cascade model and ERR

Functions whose name begins with ``flawed`` do what an article's code or formula does, to show why
its value is not the measure's.
"""

import math
import operator
import re
from functools import partial
from math import log2
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import rankstone as rs
from rankstone import AP, AUC, AUPRC, CG, DCG, ERR, RR, F, P, R, Success, nDCG

close = partial(pytest.approx, abs=1e-12, rel=0)

WIKIPEDIA = [3, 2, 3, 0, 1, 2]
STANFORD = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
GOOD_BAD = [1, 0, 1, 0, 1]
JARVELIN = DCG(discount="jarvelin"), nDCG(discount="jarvelin")
EXPONENTIAL = DCG(gain="exp2"), nDCG(gain="exp2")


def printed(value, text):
    """Say whether a value rounds to what an article prints."""
    return f"{value:.{len(text.partition('.')[2])}f}" == text


def dcg_by_hand(gains, discount=lambda i: 1 / log2(i + 1)):
    return math.fsum(g * discount(i) for i, g in enumerate(gains, 1))


def discounts(measure, n):
    return [step.columns["discount"] for step in rs.explain(measure, [1] * n).steps]


# Article 1: P@K, AP and MAP, RR and MRR, NDCG, with code


@pytest.mark.parametrize(("k", "value"), [(1, 1 / 1), (2, 1 / 2), (3, 2 / 3), (4, 2 / 4), (5, 3 / 5)])  # fmt: skip
def test_precision_of_good_bad_good_bad_good(k, value):
    assert (P @ k)(GOOD_BAD) == value
    assert (P @ k)({"a", "c", "e"}, list("abcde")) == value
    assert rs.parse_measure(f"Prec@{k}")(GOOD_BAD) == value


def test_average_precision_divides_by_what_is_relevant_not_by_what_is_retrieved():
    assert AP(GOOD_BAD) == close((1 / 1 + 2 / 3 + 3 / 5) / 3)
    assert printed(AP(GOOD_BAD), "0.76")
    assert printed(AP(GOOD_BAD), "0.7556")
    not_this = sum((P @ k)(GOOD_BAD) for k in range(1, 6)) / 5
    assert not_this == close((1 / 1 + 1 / 2 + 2 / 3 + 2 / 4 + 3 / 5) / 5)
    assert printed(not_this, "0.6533")
    assert AP(GOOD_BAD) != close(not_this)


def test_missed_documents_add_nothing_and_are_counted():
    assert AP({"a", "c", "e", "missed"}, list("abcde")) == close((1 / 1 + 2 / 3 + 3 / 5 + 0) / 4)
    assert AP({"a", "c", "e", "f", "g"}, list("abcde")) == close((1 / 1 + 2 / 3 + 3 / 5) / 5)


def test_mean_average_precision_and_mean_reciprocal_rank_are_means():
    judged = {"q1": {"a", "b"}, "q2": {"c"}, "q3": {"z"}}
    run = {"q1": ["a", "x", "b"], "q2": ["x", "c"], "q3": ["x"]}
    result = rs.evaluate(judged, run, ["MAP", "MRR"])
    assert result["AP"] == close(((1 + 2 / 3) / 2 + 1 / 2 + 0) / 3)
    assert result["RR"] == close((1 + 1 / 2 + 0) / 3)


def test_reciprocal_rank_of_the_second_answer():
    assert RR([0, 1, 0, 0]) == 1 / 2
    assert RR({"right"}, ["w", "right", "x", "y"]) == 1 / 2
    assert RR({"right"}, ["w", "x"]) == RR(set(), ["w"]) == 0.0


def test_binary_ndcg_of_known_documents_and_a_ranking():
    value = nDCG(["a", "b", "c"], ["x", "a", "b"])
    gain = 1 / log2(3) + 1 / log2(4)
    assert value == close(gain / (1 / log2(2) + 1 / log2(3) + 1 / log2(4)))
    assert nDCG(["a", "b", "c"], ["c", "a", "b"]) == 1.0
    assert nDCG([], ["x"]) == nDCG(["a"], []) == 0.0


def test_grades_from_the_place_in_the_list_of_known_documents():
    grades = rs.grades_by_position(["a", "b", "c"])
    assert grades == {"a": 1 / 1, "b": 1 / 2, "c": 1 / 3}
    ideal = dcg_by_hand([1, 1 / 2, 1 / 3])
    assert nDCG(grades, ["a", "b", "c"]) == 1.0
    backwards = nDCG(grades, ["c", "b", "a"])
    assert backwards == close(dcg_by_hand([1 / 3, 1 / 2, 1]) / ideal)
    assert printed(backwards, "0.775")
    assert nDCG(grades, ["b", "x", "a"]) == close(dcg_by_hand([1 / 2, 0, 1]) / ideal)


def flawed_binary_ndcg(known, ranking):
    """No document is remembered, so each repetition gains again."""
    got = sum(1 / log2(i + 1) for i, doc in enumerate(ranking, 1) if doc in known)
    return got / max(0.3, sum(1 / log2(i + 1) for i in range(1, len(known) + 1)))


def flawed_average_precision(known, ranking):
    """The same in article 2's average precision."""
    hits = total = 0
    for i, doc in enumerate(ranking, 1):
        if doc in known:
            hits += 1
            total += hits / i
    return total / len(known) if hits else 0


def test_a_repeated_document_counts_once():
    assert flawed_binary_ndcg(["a"], ["a", "a", "a"]) == close(1 + 1 / log2(3) + 1 / 2)
    assert printed(flawed_binary_ndcg(["a"], ["a", "a", "a"]), "2.13")
    assert flawed_average_precision({"a"}, ["a", "a"]) == 2.0
    for measure in (nDCG, AP, RR, R):
        assert measure({"a"}, ["a", "a"]) == measure({"a"}, ["a", "a", "a"]) == 1.0
    assert (P @ 2)({"a"}, ["a", "a"]) == 1 / 2


def test_the_first_articles_functions_leave_repetitions_their_ranks():
    relevant, ranking = {"a", "b"}, ["x", "x", "x", "b"]
    assert next(1 / i for i, doc in enumerate(ranking, 1) if doc in relevant) == 0.25
    asked = ["reciprocal_rank", "precision@2"]
    result = rs.evaluate({"q": relevant}, {"q": ranking}, asked, like="article-1")
    assert (result["reciprocal_rank"], result["precision@2"]) == (0.25, 0.0)
    assert (RR(relevant, ranking), (P @ 2)(relevant, ranking)) == (0.5, 0.5)


def test_the_floor_under_the_ideal_is_only_reached_without_known_documents():
    assert flawed_binary_ndcg([], ["x"]) == 0.0
    assert min(sum(1 / log2(i + 1) for i in range(1, n + 1)) for n in range(1, 9)) == 1.0 > 0.3


documents = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)


@given(documents, documents)
def test_without_repetitions_the_articles_code_is_right(known, ranking):
    assert flawed_binary_ndcg(known, ranking) == close(nDCG(known, ranking))
    assert flawed_average_precision(known, ranking) == close(AP(known, ranking))


def test_known_documents_may_be_a_list_or_a_set():
    with pytest.raises(TypeError):  # what the code does with the list its description asks for
        operator.and_(["a"], {"a"})
    assert (P @ 1)(["a"], ["a"]) == (P @ 1)({"a"}, ["a"]) == 1.0


# Article 2: precision, recall, F, HR, MAP, MRR, NDCG; AUC and ROC


def test_precision_recall_and_f_at_n():
    actual, predicted = {"a", "b", "c", "d"}, ["a", "x"]
    precision, recall = (P @ 2)(actual, predicted), (R @ 2)(actual, predicted)
    assert (precision, recall) == (1 / 2, 1 / 4)
    for beta in (0.5, 1, 2, 3):
        right = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        assert (F(beta=beta) @ 2)(actual, predicted) == close(right)
    assert rs.parse_measure("F-Score@2")(actual, predicted) == close(2 * 0.125 / 0.75)


@given(st.sampled_from("abcdefgh"), documents, st.integers(1, 9))
def test_with_one_thing_to_find_hit_rate_is_recall_and_mrr_is_map(item, ranking, k):
    assert (Success @ k)({item}, ranking) == (R @ k)({item}, ranking)
    assert (Success(how="pooled") @ k)({item}, ranking) == (R @ k)({item}, ranking)
    assert (RR @ k)({item}, ranking) == (AP @ k)({item}, ranking)
    assert RR({item}, ranking) == AP({item}, ranking)


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), documents), min_size=1, max_size=6))
def test_the_same_for_the_means_over_users(users):
    judged = {u: {item} for u, (item, _) in enumerate(users)}
    run = {u: ranking for u, (_, ranking) in enumerate(users)}
    names = ["Success@3", "Success(how='pooled')@3", "R@3", "RR", "AP"]
    means = [rs.evaluate(judged, run, names)[name] for name in names]
    assert means[0] == means[1] == means[2]
    assert means[3] == means[4]


def test_with_two_things_to_find_they_differ():
    assert (Success @ 2)({"a", "b"}, ["x", "a"]) == 1.0 != (R @ 2)({"a", "b"}, ["x", "a"]) == 1 / 2
    assert RR({"a", "b"}, ["x", "a"]) == 1 / 2 != AP({"a", "b"}, ["x", "a"]) == 1 / 4


@given(st.lists(st.integers(0, 1), min_size=1, max_size=12), st.integers(1, 12))
def test_on_binary_grades_the_two_gains_are_one(grades, k):
    assert (DCG @ k)(grades) == (DCG(gain="exp2") @ k)(grades)
    assert (nDCG @ k)(grades) == (nDCG(gain="exp2") @ k)(grades)


def test_between_0_and_1_the_two_gains_differ():
    grades = [0.5, 1.0]
    assert DCG(grades) == close(0.5 + 1 / log2(3))
    assert DCG(grades, gain="exp2") == close(2**0.5 - 1 + 1 / log2(3))
    # Dividing the linear sum by the exponential ideal, as the two printed formulas would:
    mixed = DCG([0.5]) / DCG([0.5], gain="exp2")
    assert mixed == close(0.5 / (2**0.5 - 1))
    assert mixed > 1.2


def test_the_ideal_is_cut_where_the_ranking_is():
    known = {"a": 1, "b": 1, "c": 1}
    assert (nDCG @ 2)(known, ["a", "b", "x"]) == 1.0
    uncut = dcg_by_hand([1, 1]) / dcg_by_hand([1, 1, 1])
    assert (nDCG(ideal="uncut") @ 2)(known, ["a", "b", "x"]) == close(uncut)


def test_auc_and_roc_which_the_article_only_names():
    labels, scores = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    assert AUC(labels, scores) == rs.auc(labels, scores) == 3 / 4  # of 4 pairs, 0.7 < 0.8 is wrong
    curve = rs.roc_curve(labels, scores)
    assert list(zip(curve.x, curve.y, strict=True)) == [
        (0 / 2, 0 / 2),
        (0 / 2, 1 / 2),
        (1 / 2, 1 / 2),
        (1 / 2, 2 / 2),
        (2 / 2, 2 / 2),
    ]
    tied = [0.9, 0.8, 0.8, 0.1]
    assert AUC(labels, tied) == rs.auc(labels, tied) == 3.5 / 4


# Article 3: MAP and NDCG with worked examples


def topics():
    """Topic 1: four relevant pages at 1, 2, 4, 7. Topic 2: of five, three at 1, 3, 5."""
    judged = {"1": {f"r{i}" for i in range(4)}, "2": {f"r{i}" for i in range(5)}}
    places = {"1": (1, 2, 4, 7), "2": (1, 3, 5)}
    run = {}
    for topic, at in places.items():
        ranks = iter(range(len(at)))
        run[topic] = [f"r{next(ranks)}" if i in at else f"x{i}" for i in range(1, 8)]
    return judged, run


def test_map_of_two_topics():
    result = rs.evaluate(*topics(), "MAP")
    first, second = (result.per_query[q]["AP"] for q in ("1", "2"))
    assert first == close((1 / 1 + 2 / 2 + 3 / 4 + 4 / 7) / 4)
    assert second == close((1 / 1 + 2 / 3 + 3 / 5 + 0 + 0) / 5)
    assert result["AP"] == close((first + second) / 2)
    for value, text, longer in (
        (first, "0.83", "0.8304"),
        (second, "0.45", "0.4533"),
        (result["AP"], "0.64", "0.6418"),
    ):
        assert printed(value, text)
        assert printed(value, longer)
    found = rs.evaluate(*topics(), "AP(denominator='hits')").per_query["2"]
    assert found["AP(denominator='hits')"] == close((1 + 2 / 3 + 3 / 5) / 3)  # the other reading


def test_cumulated_gain_of_six():
    assert (CG @ 6)(WIKIPEDIA) == 3 + 2 + 3 + 0 + 1 + 2 == 11
    assert CG(sorted(WIKIPEDIA)) == 11  # the order does not matter


IDEAL = sorted(WIKIPEDIA, reverse=True)


@pytest.mark.parametrize(
    ("measures", "by_hand", "digits"),
    [
        (
            JARVELIN,
            lambda grades: grades[0] + sum(g / log2(i) for i, g in enumerate(grades[1:], 2)),
            ("8.0972", "8.6925", "0.9315"),
        ),
        ((DCG, nDCG), dcg_by_hand, ("6.8611", "7.1410", "0.9608")),
        (
            EXPONENTIAL,
            lambda grades: dcg_by_hand([2**g - 1 for g in grades]),
            ("13.8483", "14.5954", "0.9488"),
        ),
    ],
    ids=["jarvelin", "linear", "exponential"],
)
def test_dcg_idcg_and_ndcg_of_six(measures, by_hand, digits):
    dcg, ndcg = measures[0] @ 6, measures[1] @ 6
    values = dcg(WIKIPEDIA), dcg(IDEAL), ndcg(WIKIPEDIA)
    actual, ideal = by_hand(WIKIPEDIA), by_hand(IDEAL)
    assert values == (close(actual), close(ideal), close(actual / ideal))
    assert all(map(printed, values, digits))


def test_the_article_prints_the_values_of_jarvelins_discount():
    dcg, ndcg = JARVELIN
    as_printed = "8.10", "8.69", "0.932"
    assert all(map(printed, (dcg(WIKIPEDIA), dcg(IDEAL), ndcg(WIKIPEDIA)), as_printed))
    for dcg, ndcg in ((DCG, nDCG), EXPONENTIAL):  # neither formula the article gives does
        values = dcg(WIKIPEDIA), dcg(IDEAL), ndcg(WIKIPEDIA)
        assert not any(map(printed, values, as_printed))


# Article 4: NDCG, HR and MRR, with dcg_at_k and the Airbnb example


@pytest.mark.parametrize(
    ("k", "by_jarvelin", "by_log2"),
    [
        (1, 3.0, 3.0),
        (2, 5.0, 4.2618595071429155),
        (10, 9.6051177391888114, 8.3187531014810),
        (11, 9.6051177391888114, 8.3187531014810),
    ],
)
def test_dcg_at_k(k, by_jarvelin, by_log2):
    """What the examples quote without a method is method 0; the code's default is method 1."""
    assert (DCG(discount="jarvelin") @ k)(STANFORD) == close(by_jarvelin)
    assert (DCG @ k)(STANFORD) == close(by_log2)
    assert (by_jarvelin == by_log2) == (k == 1)
    assert (DCG @ k)(STANFORD) == close(dcg_by_hand(STANFORD[:k]))


def test_ndcg_at_k():
    assert (nDCG @ 1)(STANFORD) == (nDCG(discount="jarvelin") @ 1)(STANFORD) == 1.0
    by_jarvelin = (nDCG(discount="jarvelin") @ 4)([2, 1, 2, 0])
    assert by_jarvelin == pytest.approx(0.9203032077642922, abs=1e-15)
    assert by_jarvelin == close((2 + 1 + 2 / log2(3)) / (2 + 2 + 1 / log2(3)))
    by_log2 = (nDCG @ 4)([2, 1, 2, 0])
    assert by_log2 == pytest.approx(0.96519546960144276, abs=1e-15)
    assert by_log2 == close((2 + 1 / log2(3) + 2 / 2) / (2 + 2 / log2(3) + 1 / 2))
    assert (nDCG @ 1)([0]) == 0.0
    assert (nDCG @ 2)([1]) == 1.0


def test_the_weights_of_the_two_methods():
    method_0, method_1 = [1, 1, 1 / log2(3), 1 / 2], [1, 1 / log2(3), 1 / 2, 1 / log2(5)]
    assert discounts("DCG(discount='jarvelin')", 4) == [close(w) for w in method_0]
    assert discounts("DCG", 4) == [close(w) for w in method_1]
    assert printed(1 / log2(3), "0.6309")
    assert printed(1 / log2(5), "0.4307")
    assert printed(discounts("DCG(discount='jarvelin')", 5)[-1], "0.4307")


def test_the_articles_formula_is_exponential_and_its_code_linear():
    assert (DCG(gain="exp2") @ 2)(STANFORD) == close(7 + 3 / log2(3))
    assert (DCG @ 2)(STANFORD) == close(3 + 2 / log2(3))


def test_the_formula_of_the_fourth_article_does_not_cut_the_ideal():
    formula = nDCG(gain="exp2", ideal="uncut") @ 1
    assert formula([1, 1]) == close(1 / (1 + 1 / log2(3)))
    assert (nDCG(gain="exp2") @ 1)([1, 1]) == 1.0
    result = rs.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, "NDCG_u@1", like="article-4")
    assert result["NDCG_u@1"] == formula([1, 1])


@pytest.mark.parametrize("k", [5, 3])
def test_airbnb(k):
    predictions = pd.DataFrame([["US", "FR", "CN"], ["FR", "US", "CN"], ["FR", "FR", "CN"]])
    truth = pd.Series(["US", "CN", "FR"])
    scores = (nDCG @ k)(truth, predictions)
    assert isinstance(scores, pd.Series)
    assert scores.tolist() == [1.0, 0.5, 1.0]  # 1/log2(2), 1/log2(4), 1/log2(2)
    assert scores.index.tolist() == predictions.index.tolist()
    # The third row names FR twice; the first counts.
    assert nDCG({"FR"}, ["FR", "FR", "CN"]) == 1.0


def users():
    """Three users with 10, 12 and 8 things to find, of which the first ten hold 6, 5 and 4."""
    judged = {u: {f"t{i}" for i in range(n)} for u, n in enumerate((10, 12, 8))}
    run = {
        u: [f"t{i}" if i < n else f"x{i}" for i in range(10)] for u, n in enumerate((6, 5, 4))
    }  # fmt: skip
    return judged, run


def test_hit_rate_has_two_meanings():
    names = ["Success(how='pooled')@10", "HR@10", "R@10"]
    result = rs.evaluate(*users(), names)
    assert result["Success(how='pooled')@10"] == (6 + 5 + 4) / (10 + 12 + 8) == 0.5
    assert result["Success@10"] == 3 / 3  # article 2's: users with a hit
    assert result["R@10"] == close((6 / 10 + 5 / 12 + 4 / 8) / 3)
    assert printed(result["R@10"], "0.5056")
    assert rs.evaluate(*users(), "NumRelRet@10")["NumRelRet@10"] == 6 + 5 + 4


def test_hits_are_counted_without_repetitions():
    known, ranking = {"a", "b"}, ["a", "a", "x"]
    assert sum(item in known for item in ranking) == 2  # what the article's hit() returns
    assert rs.measures.NumRelRet(known, ranking) == 1


def flawed_reciprocal_rank(known, ranking):
    """The place is counted from 0, and a ranking without an answer has no value."""
    for place, item in enumerate(ranking):
        if item in known:
            return 1 / place
    return None


def test_reciprocal_rank_counts_from_1():
    with pytest.raises(ZeroDivisionError):
        flawed_reciprocal_rank({"a"}, ["a", "x"])
    assert flawed_reciprocal_rank({"a"}, ["x", "a"]) == 1.0
    assert flawed_reciprocal_rank({"a"}, ["x", "y"]) is None
    for n in range(5):
        assert RR({"a"}, ["x"] * bool(n) + [f"y{i}" for i in range(1, n)] + ["a"]) == 1 / (n + 1)
    assert RR({"a"}, ["x", "y"]) == 0.0


def test_the_mean_of_ndcg_is_over_users_and_not_over_the_ideal():
    judged = {"u1": {"a": 1}, "u2": {"b": 1}, "u3": {"c": 3, "d": 2}}
    run = {"u1": ["a"], "u2": ["b"], "u3": ["c", "d"]}
    result = rs.evaluate(judged, run, "nDCG")
    each = {u: v["nDCG"] for u, v in result.per_query.items()}
    assert each == dict.fromkeys(judged, 1.0)
    assert result["nDCG"] == sum(each.values()) / len(each) == 1.0
    ideal = {"u1": 1.0, "u2": 1.0, "u3": dcg_by_hand([3, 2])}
    as_printed = sum(each[u] / ideal[u] for u in each)
    assert as_printed == close(2 + 1 / (3 + 2 / log2(3)))
    assert as_printed > 1  # for three perfect rankings
    assert sum(each.values()) / ideal["u3"] == close(3 / (3 + 2 / log2(3)))  # any other user's


def test_ndcg_may_be_zero():
    assert nDCG({"a"}, ["x", "y"]) == DCG({"a"}, ["x", "y"]) == 0.0  # "(0, 1]" has no 0


def test_an_ideal_from_the_retrieved_list_rewards_finding_less():
    known = {"a", "b"}
    one, two = ["a", "x", "y"], ["a", "x", "b"]
    own = nDCG(ideal="retrieved")
    assert own(known, one) == own([1, 0, 0]) == 1.0
    assert own(known, two) == own([1, 0, 1]) == close((1 + 1 / 2) / (1 + 1 / log2(3)))
    assert printed(own(known, two), "0.9197")
    assert own(known, two) < own(known, one)  # one more hit, and a lower value
    assert nDCG(known, one) == close(1 / (1 + 1 / log2(3)))
    assert nDCG(known, two) == close((1 + 1 / 2) / (1 + 1 / log2(3)))
    assert nDCG(known, one) < nDCG(known, two)


@given(documents, documents)
def test_with_all_judged_in_the_ideal_one_more_hit_never_costs(known, ranking):
    for i, doc in enumerate(ranking):
        if doc not in known:
            missing = [d for d in known if d not in ranking]
            if missing:
                better = [*ranking[:i], missing[0], *ranking[i + 1 :]]
                assert nDCG(known, better) > nDCG(known, ranking)


# Article 5: learning to rank, the cascade model and ERR


def test_precision_and_recall():
    retrieved, relevant = ["a", "b", "x", "y", "z"], {"a", "b", "c", "d"}
    assert P(relevant, retrieved) == 2 / 5
    assert R(relevant, retrieved) == 2 / 4
    ten = [f"d{i}" for i in range(10)]
    assert (P @ 10)({"d0", "d4", "d9"}, ten) == 3 / 10


def test_average_precision_is_the_area_of_steps_under_precision_over_recall():
    curve = rs.pr_curve(GOOD_BAD, [5, 4, 3, 2, 1])
    area = float((np.diff(curve.x) * curve.y[1:]).sum())
    assert area == close((1 + 2 / 3 + 3 / 5) / 3)
    assert area == close(AP(GOOD_BAD))
    assert AUPRC(GOOD_BAD, [5.0, 4, 3, 2, 1]) == close(area)


def flawed_f(precision, recall, a):
    return (a**2 + 1) * precision * recall / (a**2 * (precision + recall))


@pytest.mark.parametrize(
    ("a", "right", "as_printed"),
    [(0.5, "0.417", "0.833"), (1, "0.333", "0.333"), (2, "0.278", "0.208")],
)
def test_f_measure(a, right, as_printed):
    value = (F(beta=a) @ 2)({"a", "b", "c", "d"}, ["a", "x"])  # P = 1/2, R = 1/4
    assert value == close((1 + a**2) * (1 / 2) * (1 / 4) / (a**2 * (1 / 2) + 1 / 4))
    assert printed(value, right)
    assert printed(flawed_f(1 / 2, 1 / 4, a), as_printed)
    assert (value == close(flawed_f(1 / 2, 1 / 4, a))) == (a == 1)


@given(st.floats(0.01, 1), st.floats(0.1, 10).filter(lambda a: abs(a - 1) > 1e-6))
def test_a_mean_of_equal_numbers_is_that_number(value, a):
    right = (1 + a**2) * value * value / (a**2 * value + value)
    assert right == pytest.approx(value)
    assert flawed_f(value, value, a) != pytest.approx(value, rel=1e-9)


def test_mean_reciprocal_rank_of_three_queries():
    judged = {q: {"right"} for q in (1, 2, 3)}
    run = {1: ["right"], 2: ["x", "y", "right"], 3: ["x"]}
    assert rs.evaluate(judged, run, "MRR")["RR"] == close((1 / 1 + 1 / 3 + 0) / 3)


def flawed_ndcg_of_scores(truth, scores, k=10, gain=lambda s: 2.0**s - 1):
    """The scores stand where their documents' grades belong, and nothing is sorted."""

    def dcg(numbers):
        if len(numbers[:k]) != k:
            raise ValueError("as many numbers as discounts are needed")
        return dcg_by_hand([gain(s) for s in numbers[:k]])

    return dcg(scores) / dcg(truth)


def test_scores_order_documents_and_are_not_their_gains():
    truth = [3, 2, 1, 0]
    perfect, scaled, reversed_ = [0.3, 0.2, 0.1, 0.0], [3.0, 2.0, 1.0, 0.0], [1.0, 3.0, 7.0, 9.0]
    flawed = partial(flawed_ndcg_of_scores, k=4)
    assert printed(flawed(truth, perfect), "0.038")  # for a perfect order
    assert flawed(truth, scaled) == close(1.0)  # the same order
    assert flawed(truth, [10 * s for s in perfect]) == close(1.0)
    assert flawed([0, 1, 2, 3], [9.0, 7.0, 3.0, 1.0]) > 115  # for the worst order
    for ndcg in (nDCG, nDCG(gain="exp2"), nDCG @ 4, nDCG @ 10):
        assert ndcg(truth, perfect) == ndcg(truth, scaled) == 1.0
        assert 0 < ndcg(truth, reversed_) < 1
        assert 0 < ndcg([0, 1, 2, 3], [9.0, 7.0, 3.0, 1.0]) < 1
    worst = dcg_by_hand([0, 1, 3, 7]) / dcg_by_hand([7, 3, 1, 0])
    assert nDCG(gain="exp2")([0, 1, 2, 3], [9.0, 7.0, 3.0, 1.0]) == close(worst)
    with pytest.raises(ValueError, match="as many"):
        flawed_ndcg_of_scores(truth, perfect)  # a list shorter than k = 10
    assert (nDCG @ 10)(truth, perfect) == 1.0


def test_the_two_gains_of_the_code():
    truth, scores = [3, 0, 2], [0.2, 0.9, 0.1]  # the ranking is 0, 3, 2
    assert nDCG(truth, scores) == close(dcg_by_hand([0, 3, 2]) / dcg_by_hand([3, 2, 0]))
    exponential = dcg_by_hand([0, 7, 3]) / dcg_by_hand([7, 3, 0])
    assert nDCG(truth, scores, gain="exp2") == close(exponential)


def test_click_probabilities_of_the_cascade_model():
    r = [0.5, 0.25, 0.8]
    model = rs.cascade(satisfaction=r)
    clicks = [0.5, 0.25 * (1 - 0.5), 0.8 * (1 - 0.5) * (1 - 0.25)]
    assert model.stop.tolist() == [close(c) for c in clicks]
    assert model.abandonment == close((1 - 0.5) * (1 - 0.25) * (1 - 0.8))
    assert model.stop.sum() + model.abandonment == close(1.0)


def err_by_hand(grades, top, discount=lambda i: 1 / i):
    left, total = 1.0, 0.0
    for i, grade in enumerate(grades, 1):
        satisfied = (2**grade - 1) / 2**top
        total += discount(i) * left * satisfied
        left *= 1 - satisfied
    return total


@pytest.mark.parametrize(("top", "text"), [(3, "0.9220"), (4, "0.5676")])
def test_expected_reciprocal_rank(top, text):
    value = ERR(max_grade=top)(WIKIPEDIA)
    assert value == close(err_by_hand(WIKIPEDIA, top))
    assert printed(value, text)
    stop = rs.cascade(WIKIPEDIA, max_grade=top).stop
    assert value == close(sum(p / i for i, p in enumerate(stop, 1)))


def test_grades_of_the_cascade_model_may_all_be_below_one():
    """A grade g of at most G stops with probability (2^g - 1) / 2^G."""
    assert rs.cascade([0.5, 0]).stop.tolist() == [close((2**0.5 - 1) / 2**0.5), 0]
    assert rs.cascade([0.25], max_grade=0.5).stop.tolist() == [close((2**0.25 - 1) / 2**0.5)]
    with pytest.raises(rs.DataError, match=r"grade 0.75 is above max_grade=0.5"):
        rs.cascade([0.75], max_grade=0.5)
    assert ERR([0.5]) == close((2**0.5 - 1) / 2**0.5)
    assert rs.evaluate({"q": {"a": 0.5}}, {"q": ["a"]}, ERR)["ERR"] == close(ERR([0.5]))
    assert ERR(np.array([[0.5, 0.0]]), np.array([[2.0, 1.0]])).tolist() == [close(ERR([0.5]))]
    assert ERR(max_grade=0.5)([0.25]) == close((2**0.25 - 1) / 2**0.5)


def test_the_highest_grade_decides_and_is_taken_from_the_judgments_unless_told():
    assert ERR(WIKIPEDIA) == ERR(max_grade=3)(WIKIPEDIA) != ERR(max_grade=4)(WIKIPEDIA)
    with pytest.raises(rs.DataError, match="grade 3 is above max_grade=2"):
        ERR(max_grade=2)(WIKIPEDIA)


def test_on_binary_grades_err_is_not_reciprocal_rank():
    assert ERR([1]) == ERR(max_grade=1)([1, 0, 0]) == (2**1 - 1) / 2**1 == 1 / 2
    assert RR([1, 0, 0]) == 1.0
    assert ERR([0, 1]) == 1 / 2 * RR([0, 1]) == 1 / 4


def test_one_over_log2_r_plus_1_is_not_dcgs_discount():
    as_printed, of_dcg = (discounts(f"ERR(discount='{d}')", 8) for d in ("log2+1", "log2"))
    assert as_printed == [close(1 / (log2(r) + 1)) for r in range(1, 9)]
    assert of_dcg == [close(1 / log2(r + 1)) for r in range(1, 9)]
    assert as_printed[1] == 0.5
    assert printed(of_dcg[1], "0.631")
    one = ERR(max_grade=1, discount="log2+1")([0, 1])
    assert one == close(0.5 / (log2(2) + 1))
    assert ERR(max_grade=1, discount="log2")([0, 1]) == close(0.5 / log2(3))


def test_and_with_dcgs_discount_err_is_still_not_dcg():
    grades = [3, 3]
    satisfied = 7 / 8
    cascade = ERR(max_grade=3, discount="log2")(grades)
    assert cascade == close(satisfied + (1 - satisfied) * satisfied / log2(3))
    assert DCG(gain="exp2")(grades) / 2**3 == close(satisfied + satisfied / log2(3))
    assert cascade == close(err_by_hand(grades, 3, lambda i: 1 / log2(i + 1)))
    assert ERR(max_grade=3, discount="log2")([0, 3]) == close(DCG([0, 3], gain="exp2") / 2**3)


# What all five leave open


REFUSED = [
    (lambda: nDCG([1, 2], [0.5]), rs.DataError, "the two must have the same shape"),
    (lambda: RR(["US", "CN"], [["US"]]), rs.DataError, "2 truths for 1 rows"),
    (lambda: nDCG @ -1, rs.UsageError, "k of nDCG must be at least 1, not -1"),
    (lambda: P @ 0, rs.UsageError, "k of P must be at least 1, not 0"),
    (lambda: nDCG([1, 0], [math.nan, 1]), rs.DataError, "a score is nan"),
    (lambda: nDCG([1, 0], [math.inf, 1]), rs.DataError, "a score is inf"),
    (lambda: nDCG([math.nan]), rs.DataError, "grades must be finite numbers"),
    (lambda: ERR(max_grade=2)([3]), rs.DataError, "grade 3 is above max_grade=2"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED, ids=[m for _, _, m in REFUSED])
def test_what_cannot_be_measured_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_what_is_empty_is_zero():
    for measure in (P @ 3, R, F, AP, RR, Success, DCG, nDCG, ERR):
        assert measure([]) == 0.0  # nothing retrieved
        assert measure({"a"}, []) == 0.0
        assert measure([0, 0]) == 0.0  # nothing relevant
        assert measure(set(), ["a"]) == 0.0
    assert math.isnan(AUC([0, 0]))
    one = rs.Conventions(no_relevant="one")
    assert nDCG([0, 0], conventions=one) == AP([0, 0], conventions=one) == 1.0


# The pages about the articles

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {name: (DOCS / name).read_text("utf-8") for name in ("articles.md", "articles.zh.md")}


def code(text):
    """Return what a page shows in blocks and between backquotes, without comments."""
    blocks = re.findall(r"```\w+\n(.*?)```", text, re.DOTALL)
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [re.sub(r"  # .*", "", b) for b in blocks], sorted(re.findall(r"`([^`\n]+)`", text))


def test_both_pages_show_the_same():
    english, chinese = map(code, PAGES.values())
    assert english == chinese


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_quote_the_errors(page):
    for _, _, message in REFUSED:
        assert message.replace("is inf", "is nan") in PAGES[page]


@pytest.mark.parametrize("page", PAGES)
def test_links_within_a_page_lead_somewhere(page):
    heads = re.findall(r"^#+ (.*)$", PAGES[page], re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}
    links = re.findall(r"\]\(#(.*?)\)", PAGES[page])
    assert len(links) == 9
    assert set(links) <= anchors


CALL = re.compile(r"`(\(?(?:rs|P|R|F|RR|AP|AUC|n?DCG|CG|ERR|Success)\b[^`]*)`")


def test_the_calls_in_the_tables_give_the_values_in_the_tables():
    names = {name: getattr(rs, name) for name in dir(rs)} | {
        "rs": rs, "g": GOOD_BAD, "w": WIKIPEDIA, "r": STANFORD, "nan": math.nan,
        "n": 3, "p": 3, "a": 2, "b": 2, "gt": ["a", "b", "c"], "pred": ["c", "b", "a"],
        "y_true": [3, 0, 2], "y_score": [0.2, 0.9, 0.1],
    }  # fmt: skip
    made = compared = 0
    for row in re.findall(r"^\|.*\|$", PAGES["articles.md"], re.MULTILINE):
        _, call_cell, value_cell, *_ = row[1:-1].split("|")
        for call in CALL.findall(call_cell):
            if "..." in call:
                continue
            made += 1
            if "Error`" in value_cell:
                with pytest.raises(rs.RankstoneError):
                    eval(call, names)
                continue
            value = eval(call, names)
            number = re.search(r"(\d+\.\d{1,5}) $", value_cell)
            if isinstance(value, float) and number and "`, `" not in call_cell:
                compared += 1
                assert printed(value, number[1]), call
    assert made > 50
    assert compared > 10
