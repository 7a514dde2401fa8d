"""Programs made for pytrec_eval, with only their import changed: BEIR and MTEB."""

import importlib
import random

import pytest
import pytrec_eval

from rankstone.compat import pytrec_eval as ours

CUTS = [1, 3, 5, 10, 100]


def collection(seed):
    """Judgments and results as benchmarks have them: whole grades, every query in both."""
    rng = random.Random(seed)
    documents = [f"d{i}" for i in range(60)]
    qrels, results = {}, {}
    for i in rng.sample(range(1000), rng.randint(5, 25)):
        qrels[f"q{i}"] = {d: rng.choice([0, 1, 1, 2]) for d in rng.sample(documents, 8)} | {"d0": 1}
        found = [*rng.sample(documents, rng.randint(1, 40)), f"q{i}"]
        results[f"q{i}"] = {d: rng.choice([rng.random(), 0.5]) for d in found}
    return qrels, dict(rng.sample(list(results.items()), len(results)))


def on_both(module, monkeypatch, compute):
    """Return what a program computes on pytrec_eval, and on Rankstone in its place."""
    assert module.pytrec_eval is pytrec_eval
    real = compute()
    monkeypatch.setattr(module, "pytrec_eval", ours)
    return real, compute()


def same(ours_, real):
    """Whether two results are alike, number by number, whatever they are nested in."""
    if isinstance(real, dict):
        assert list(ours_) == list(real)
        ours_, real = list(ours_.values()), list(real.values())
    if isinstance(real, list | tuple):
        assert len(ours_) == len(real)
        for a, b in zip(ours_, real, strict=True):
            same(a, b)
    else:
        assert ours_ == pytest.approx(real, abs=1e-12, nan_ok=True)


def test_queries_come_in_the_order_of_the_run():
    qrels, results = collection(0)
    for module in (pytrec_eval, ours):
        assert list(module.RelevanceEvaluator(qrels, {"map"}).evaluate(results)) == list(results)


@pytest.mark.parametrize("seed", range(20))
def test_beir(monkeypatch, seed):
    module = pytest.importorskip("beir.retrieval.evaluation", reason="beir is not installed")
    evaluate = module.EvaluateRetrieval

    def compute():
        qrels, results = collection(seed)
        custom = [
            evaluate.evaluate_custom(qrels, results, CUTS, metric)
            for metric in ("mrr", "recall_cap", "hole", "top_k_accuracy")
        ]
        return evaluate.evaluate(qrels, results, CUTS), custom

    real, mine = on_both(module, monkeypatch, compute)
    same(mine, real)
    assert real[0][0]["NDCG@10"] > 0


@pytest.mark.parametrize("seed", range(20))
def test_mteb(monkeypatch, seed):
    pytest.importorskip("mteb", reason="mteb is not installed")
    module = importlib.import_module("mteb._evaluators.retrieval_metrics")

    def compute():
        qrels, results = collection(seed)
        found = [
            module.calculate_retrieval_scores(results, qrels, CUTS, skip_first_result=skip)
            for skip in (False, True)
        ]
        return [[getattr(f, field) for field in f._fields] for f in found]

    real, mine = on_both(module, monkeypatch, compute)
    same(mine, real)


def test_an_import_can_be_swapped_by_name(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pytrec_eval", ours)
    import pytrec_eval as swapped

    assert swapped.RelevanceEvaluator is ours.RelevanceEvaluator
    assert set(swapped.supported_measures) == set(pytrec_eval.supported_measures)
