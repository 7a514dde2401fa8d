"""Areas and curves against scikit-learn; DCG against scikit-learn's tie-averaged values."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.metrics import (
    average_precision_score,
    dcg_score,
    ndcg_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from strategies import examples

import rankstone as rs


@st.composite
def scored(draw):
    n = draw(st.integers(2, 40))
    levels = draw(st.sampled_from([2, 5, 1000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    labels = rng.integers(0, 2, n)
    scores = rng.integers(0, levels, n) / levels
    assume(0 < labels.sum() < n)
    return labels, scores, rng.random(n) + 0.01


@settings(max_examples=examples(500))
@given(scored(), st.sampled_from([None, 0.05, 0.3, 0.7, 1.0]))
def test_auc_is_scikit_learns(data, max_fpr):
    labels, scores, weights = data
    expected = roc_auc_score(labels, scores, max_fpr=max_fpr)
    assert rs.AUC(max_fpr=max_fpr)(labels, scores) == pytest.approx(expected, abs=1e-12)
    assert rs.auc(labels, scores, max_fpr=max_fpr) == pytest.approx(expected, abs=1e-12)
    weighted = roc_auc_score(labels, scores, max_fpr=max_fpr, sample_weight=weights)
    assert rs.auc(labels, scores, weights, max_fpr=max_fpr) == pytest.approx(weighted, abs=1e-12)


@settings(max_examples=examples(500))
@given(scored())
def test_curves_are_scikit_learns(data):
    labels, scores, weights = data
    for given_weights in (None, weights):
        curve = rs.roc_curve(labels, scores, given_weights)
        x, y, thresholds = roc_curve(
            labels, scores, sample_weight=given_weights, drop_intermediate=False
        )
        np.testing.assert_allclose(curve.x, x, atol=1e-12)
        np.testing.assert_allclose(curve.y, y, atol=1e-12)
        np.testing.assert_array_equal(curve.thresholds, thresholds)
        curve = rs.pr_curve(labels, scores, given_weights)
        precision, recall, thresholds = precision_recall_curve(
            labels, scores, sample_weight=given_weights
        )
        np.testing.assert_allclose(curve.x[::-1], recall, atol=1e-12)
        np.testing.assert_allclose(curve.y[::-1], precision, atol=1e-12)
        np.testing.assert_array_equal(curve.thresholds[1:][::-1], thresholds)
    expected = average_precision_score(labels, scores)
    assert rs.AUPRC(labels, scores) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=examples(500))
@given(
    st.integers(0, 2**32),
    st.integers(2, 30),
    st.sampled_from([2, 5, 10**6]),
    st.sampled_from([None, 1, 5]),
)
def test_dcg_and_ndcg_are_scikit_learns(seed, n, levels, k):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 5, (3, n)).astype(float)
    scores = rng.integers(0, levels, (3, n)) / levels
    dcg, ndcg = (rs.DCG, rs.nDCG) if k is None else (rs.DCG @ k, rs.nDCG @ k)
    assert dcg(grades, scores).mean() == pytest.approx(dcg_score(grades, scores, k=k), abs=1e-12)
    assert ndcg(grades, scores).mean() == pytest.approx(ndcg_score(grades, scores, k=k), abs=1e-12)


def test_ndcg_is_torchmetrics(request):
    torch = pytest.importorskip(
        "torch", reason="torch is not installed (make test-all installs it)"
    )
    retrieval = pytest.importorskip(
        "torchmetrics.functional.retrieval", reason="torchmetrics is not installed"
    )
    rng = np.random.default_rng(3)
    for _ in range(100):
        n = int(rng.integers(2, 30))
        grades = torch.tensor(rng.integers(0, 4, n))
        scores = torch.tensor(rng.integers(0, 6, n) / 6.0, dtype=torch.float64)
        for k in (None, 3):
            theirs = float(retrieval.retrieval_normalized_dcg(scores, grades, top_k=k))
            ours = (rs.nDCG if k is None else rs.nDCG @ k)(grades, scores)
            assert ours == pytest.approx(theirs, abs=1e-6)  # torchmetrics computes in float32


def brute(grades, scores, rel=1):
    pairs = [
        (a > b) + (a == b) / 2
        for x, a in zip(grades, scores, strict=True)
        if x >= rel
        for y, b in zip(grades, scores, strict=True)
        if y < rel
    ]
    return sum(pairs) / len(pairs) if pairs else math.nan


@settings(max_examples=examples(200))
@given(st.integers(0, 2**32))
def test_grouped_and_pooled_auc_are_their_definitions(seed):
    rng = np.random.default_rng(seed)
    judged, run = {}, {}
    for q in range(4):
        docs = [f"d{i}" for i in range(int(rng.integers(2, 9)))]
        judged[f"q{q}"] = {d: int(rng.integers(0, 2)) for d in docs}
        run[f"q{q}"] = {d: float(rng.integers(0, 4)) for d in docs}
    flat = [(judged[q][d], run[q][d]) for q in judged for d in judged[q]]
    assume(0 < sum(g for g, _ in flat) < len(flat))
    each = {q: brute(list(judged[q].values()), list(run[q].values())) for q in judged}
    kept = {q: v for q, v in each.items() if not math.isnan(v)}
    assume(kept)

    def auc(text):
        return rs.evaluate(judged, run, text)[text]

    assert auc("AUC") == pytest.approx(np.mean(list(kept.values())), abs=1e-12)
    positives = [sum(judged[q].values()) for q in kept]
    weighted = np.average(list(kept.values()), weights=positives)
    assert auc("AUC(weight='positives')") == pytest.approx(weighted, abs=1e-12)
    sizes = [len(judged[q]) for q in kept]
    weighted = np.average(list(kept.values()), weights=sizes)
    assert auc("AUC(weight='impressions')") == pytest.approx(weighted, abs=1e-12)
    pooled = brute([g for g, _ in flat], [s for _, s in flat])
    assert auc("AUC(pairs='all')") == pytest.approx(pooled, abs=1e-12)


def test_what_was_missed_and_what_was_not_judged():
    judged = {"q": {"a": 1, "b": 1, "x": 0, "y": 0}}
    run = {"q": {"a": 3.0, "u": 2.5, "x": 2.0, "v": 1.0}}

    def auc(text):
        return rs.evaluate(judged, run, text)[text]

    assert auc("AUC") == 2 / 4  # a beats x and y; b wins nothing
    assert auc("AUC(missed='ignore')") == 1.0
    assert auc("AUC(negatives='retrieved')") == 3 / 6
    assert auc("AUC(negatives='retrieved', missed='ignore')") == 1.0
    with pytest.raises(rs.UsageError, match="those of unjudged documents are not kept"):
        auc("AUC(pairs='all', negatives='retrieved')")


@given(
    st.lists(st.sampled_from([0, 0, 1, 2]), max_size=8),
    st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=4),
    st.sampled_from([None, 0.1, 0.25, 0.5, 1]),
)
def test_missed_documents_are_as_if_they_were_retrieved_last(found, missed, most):
    """Relevant ones behind all others, so that they win no comparison."""
    assume(most is None or 0 < sum(g > 0 for g in found + missed) < len(found + missed))
    measure = rs.AUC if most is None else rs.AUC(max_fpr=most)
    judged = {f"d{i:02d}": g for i, g in enumerate([*found, *sorted(missed)])}
    short, full = [f"d{i:02d}" for i in range(len(found))], list(judged)
    values = [
        rs.evaluate({"q": judged}, {"q": [*ranking, "z"]}, measure).values(measure)
        for ranking in (short, full)
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-15, nan_ok=True)


def test_a_partial_area_of_a_missed_document():
    judged = {"q": {"a": 1, "b": 0}}
    for ranking in (["b"], ["b", "a"]):
        result = rs.evaluate(judged, {"q": ranking}, "AUC(max_fpr=0.25)")
        assert result["AUC(max_fpr=0.25)"] == pytest.approx(3 / 7, rel=1e-15)


def test_queries_of_one_kind():
    judged = {"q1": {"a": 1}, "q2": {"a": 1, "b": 0}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 2.0, "b": 3.0}}
    skip = rs.evaluate(judged, run, "AUC")
    assert (skip["AUC"], skip.counted["AUC"]) == (0.0, 1)
    for text, value in (("zero", 0.0), ("half", 0.25), ("one", 0.5)):
        name = f"AUC(single_class='{text}')"
        assert rs.evaluate(judged, run, name)[name] == value
    with pytest.raises(rs.DataError, match="query 'q1' has documents of one kind only"):
        rs.evaluate(judged, run, "AUC(single_class='error')")


@pytest.mark.parametrize("grades", [[1, 0], [1, 0, 0], [1, 1, 0], [1, 1], [1], [0], [0, 0]])
def test_one_document_of_a_kind_is_enough(grades):
    judged = {"q": {f"d{i}": grade for i, grade in enumerate(grades)}}
    run = {"q": {f"d{i}": -float(i) for i in range(len(grades))}}
    name = "AUC(single_class='error')"
    if len({*grades}) == 2:
        assert rs.evaluate(judged, run, name)[name] == 1
    else:
        with pytest.raises(rs.DataError, match="query 'q' has documents of one kind only"):
            rs.evaluate(judged, run, name)


def test_documents_of_lists_are_compared_across_queries_by_their_ranks():
    judged = {"q": {"a": 1, "b": 0}, "r": {"c": 0, "d": 1}}
    name = "AUC(pairs='all')"
    assert rs.evaluate(judged, {"q": ["a", "b"], "r": ["d", "c"]}, name)[name] == 1.0
    # a is before b and ties with c; d is after both.
    assert rs.evaluate(judged, {"q": ["a", "b"], "r": ["c", "x", "d"]}, name)[name] == 1.5 / 4


@pytest.mark.parametrize(
    ("labels", "scores", "weights"),
    [([], [], None), ([0, 0], [1.0, 2.0], None), ([1, 0], [1.0, 2.0], [0.0, 1.0])],
)
def test_curves_need_relevant_documents_with_weight(labels, scores, weights):
    with pytest.raises(rs.DataError, match="a precision-recall curve needs relevant documents"):
        rs.pr_curve(labels, scores, weights)
    with pytest.raises(rs.DataError, match="a ROC curve needs relevant and other documents"):
        rs.roc_curve(labels, scores, weights)
