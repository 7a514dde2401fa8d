"""``rankstone.compat.pytrec_eval`` against pytrec_eval-terrier: every measure, every query."""

import random

import numpy as np
import pytest
import pytrec_eval
from strategies import examples
from trec_collections import collection

import rankstone as rs
from rankstone.compat import pytrec_eval as ours


def judged(seed):
    """A collection whose every query is one pytrec_eval can evaluate, with some that have none."""
    judgments, run = collection(seed)
    return judgments, run


def check(judgments, run, measures, **options):
    theirs = pytrec_eval.RelevanceEvaluator(judgments, measures, **options).evaluate(run)
    mine = ours.RelevanceEvaluator(judgments, measures, **options).evaluate(run)
    assert set(mine) == set(theirs)
    for query, values in theirs.items():
        assert set(mine[query]) == set(values)
        for name, value in values.items():
            if np.isnan(value):  # 0 / 0, where no judged document is left
                assert mine[query][name] == 0
                continue
            assert mine[query][name] == pytest.approx(value, abs=1e-9), (query, name)
            assert f"{mine[query][name]:.4f}" == f"{value:.4f}", (query, name)


def test_random_collections_and_every_measure(engine):
    levels = random.Random(0)
    for seed in range(examples(1000)):
        judgments, run = judged(seed)
        options = levels.choice([{}, {}, {"relevance_level": 2}, {"judged_docs_only_flag": True}])
        check(judgments, run, pytrec_eval.supported_measures, **options)


def test_the_same_measures_and_nicknames():
    assert ours.supported_measures == set(pytrec_eval.supported_measures)
    assert ours.supported_nicknames == pytrec_eval.supported_nicknames


@pytest.mark.parametrize(
    "measures",
    [
        {"P_5"},
        {"P.5,10"},
        {"P_5,10", "map"},
        {"official"},
        {"set_F_2"},
        {"ndcg_cut.10", "ndcg_cut_20"},
        {"iprec_at_recall_0.5"},
        {"Rprec_mult.0.5,1.5"},
        {"relstring"},
        {"runid", "success"},
        {"success_3"},
        {"set"},
    ],
    ids=lambda names: "+".join(sorted(names)),
)
def test_names_are_read_alike(measures):
    for seed in range(20):
        check(*judged(seed), measures)


@pytest.mark.parametrize("name", ["foo", "P.", "P.x", "ndcg_5x"])
def test_unknown_measures_are_value_errors(name):
    for module in (pytrec_eval, ours):
        if (module, name) != (pytrec_eval, "ndcg_5x"):  # it takes the 5 and drops the x
            with pytest.raises(ValueError, match=f"unsupported measure {name}"):
                module.RelevanceEvaluator({"q": {"d": 1}}, {name})


def test_numbers_of_numpy_and_fractions_are_fine():
    run = {"q": {"a": np.float32(2), "b": np.float64(1), "c": np.int64(0)}}
    for grade in (np.int64(1), np.float32(1), True):
        evaluator = ours.RelevanceEvaluator({"q": {"b": grade}}, {"map"})
        assert evaluator.evaluate(run) == {"q": {"map": 0.5}}
    half = ours.RelevanceEvaluator({"q": {"b": 0.5, "c": 1.5}}, {"ndcg", "map"}).evaluate(run)["q"]
    assert half["map"] == pytest.approx(1 / 3)
    assert half["ndcg"] == pytest.approx((0.5 / np.log2(3) + 1.5 / 2) / (1.5 + 0.5 / np.log2(3)))


def test_calls_leave_nothing_behind():
    judgments, run = judged(3)
    evaluator = ours.RelevanceEvaluator(judgments, ["ndcg_cut.5", "map"])
    first = evaluator.evaluate(run)
    evaluator.evaluate({q: dict.fromkeys(docs, 1.0) for q, docs in run.items()})
    ours.RelevanceEvaluator(judgments, ["ndcg_cut.7"]).evaluate(run)
    assert evaluator.evaluate(run) == first


def test_what_is_empty():
    evaluator = ours.RelevanceEvaluator({"q": {"d": 1}, "empty": {}}, {"map"})
    assert evaluator.evaluate({}) == {}
    assert evaluator.evaluate({"other": {"d": 1.0}}) == {}
    assert ours.RelevanceEvaluator({}, {"map"}).evaluate({"q": {"d": 1.0}}) == {}
    assert ours.RelevanceEvaluator({"q": {}}, {"map"}).evaluate({"q": {"d": 1.0}}) == {}
    assert ours.RelevanceEvaluator({"q": {"d": 1}}, []).evaluate({"q": {"d": 1.0}}) == {"q": {}}


def test_files_are_parsed_alike():
    run = ["q1 Q0 a 1 2.5 t\n", "q1 Q0 b 2 1e-3 t\n", "q2 Q0 a 1 -1 t"]
    qrel = ["q1 0 a 1\n", "q2 0 b -1\n"]
    assert ours.parse_run(run) == pytrec_eval.parse_run(run)
    assert ours.parse_qrel(qrel) == pytrec_eval.parse_qrel(qrel)
    for read, lines, message in (
        (ours.parse_run, ["q Q0 a 1 2 t", "q Q0 a 2 1 t"], "line 2: document 'a' of query 'q'"),
        (ours.parse_run, ["q Q0 a 1 2"], "line 1: expected 'query Q0 document rank score tag'"),
        (ours.parse_qrel, ["q 0 a 1.5"], "line 1: '1.5' is not a whole number"),
    ):
        with pytest.raises(rs.DataError, match=message):
            read(lines)


@pytest.mark.parametrize("name", ["map", "num_rel", "gm_map"])
def test_aggregates_are_alike(name):
    values = [-0.5, -0.25, -2.0]
    expected = pytrec_eval.compute_aggregated_measure(name, values)
    assert ours.compute_aggregated_measure(name, values) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weight", ["0.5", "2", "2.4", "3", "7"])
def test_f_with_a_weight_is_pytrec_evals_to_the_bit(weight):
    """pytrec_eval is given beta^2, which is no square of a floating-point number in most cases."""
    for seed in range(50):
        judgments, run = judged(seed)
        real = pytrec_eval.RelevanceEvaluator(judgments, {f"set_F_{weight}"}).evaluate(run)
        assert ours.RelevanceEvaluator(judgments, {f"set_F_{weight}"}).evaluate(run) == real
