"""Estimates for a whole catalogue from sampled candidates, and the warning that they are sampled."""

from math import comb

import numpy as np
import pytest

import rankstone as rs
from rankstone.measures.candidates import estimates

MEASURES = {
    "nDCG": lambda rank, items: 1 / np.log2(rank + 1),
    "RR": lambda rank, items: 1 / rank,
    "Success": lambda rank, items: np.ones(len(rank)),
    "AUC": lambda rank, items: (items - rank) / (items - 1),
}


def chances(items, others):
    """Return the chance of each number of others above, by rank: whole numbers, then one division."""
    return np.array(
        [
            [comb(r, j) * comb(items - 1 - r, others - j) / comb(items - 1, others) for j in range(others + 1)]
            for r in range(items)
        ]
    )  # fmt: skip


@pytest.mark.parametrize("of", MEASURES)
@pytest.mark.parametrize(("items", "others", "cutoff"), [(30, 9, 5), (12, 11, None), (40, 1, 3)])
@pytest.mark.parametrize("gamma", [0.02, 0.1, 1.0])
def test_estimates_have_the_least_bias_and_variance(of, items, others, cutoff, gamma):
    estimate, variance = estimates(of, cutoff, items, others, "bias-variance", gamma)
    chance = chances(items, others)
    rank = np.arange(1.0, items + 1)
    true = np.where(rank <= (cutoff or items), MEASURES[of](rank, items), 0.0)

    def loss(values):
        mean = chance @ values
        return ((1 - gamma) * (mean - true) ** 2 + gamma * (chance @ values**2 - 2 * mean * true + true**2)).sum()  # fmt: skip

    rng = np.random.default_rng(1)
    for _ in range(20):
        assert loss(estimate) <= loss(estimate + 0.05 * rng.standard_normal(others + 1))
    by_rank = chance @ estimate**2 - (chance @ estimate) ** 2
    assert variance == pytest.approx((chance * by_rank[:, None]).sum(0) / chance.sum(0), abs=1e-9)


@pytest.mark.parametrize("of", MEASURES)
def test_all_documents_need_no_correction(of):
    rng = np.random.default_rng(2)
    scores, labels = rng.random((20, 30)), np.zeros((20, 30))
    labels[:, 4] = 1
    plain = {"Success": "Success@10", "AUC": "AUC", "RR": "RR@10", "nDCG": "nDCG@10"}[of]
    cutoff = "" if of == "AUC" else ", cutoff=10"
    result = rs.evaluate(labels, scores, [plain, f"Corrected(of={of!r}, items=30{cutoff})"])
    assert len(set(np.round(list(result.aggregates.values()), 12))) == 1


def sampled(rng, ranks, items, others):
    """Return labels and scores of candidates drawn for items of these ranks."""
    above = rng.hypergeometric(ranks - 1, items - ranks, others)
    scores = np.tile(-2.0 * np.arange(others), (len(ranks), 1))
    scores = np.column_stack([1.0 - 2 * above, scores])
    labels = np.zeros(scores.shape)
    labels[:, 0] = 1
    return labels, scores


def test_a_linear_measure_is_estimated_without_bias_and_the_variance_is_right():
    rng, items, others = np.random.default_rng(3), 500, 50
    ranks = rng.integers(1, items + 1, 400)
    names = [f"Corrected(of='AUC', items={items}, method='rank'{v})" for v in ("", ", value='variance'")]  # fmt: skip
    true = ((items - ranks) / (items - 1)).mean()
    means, variances = [], []
    for _ in range(200):
        result = rs.evaluate(*sampled(rng, ranks, items, others), names)
        mean, variance = result.aggregates.values()
        means.append(mean)
        variances.append(variance / len(ranks))
    assert np.mean(means) == pytest.approx(true, abs=4 * np.std(means) / np.sqrt(200))
    assert np.var(means) == pytest.approx(np.mean(variances), rel=0.35)


def test_corrected_numbers_are_nearer_and_order_systems():
    rng, items, others, users = np.random.default_rng(4), 1000, 99, 2000
    sharp = np.where(np.arange(users) % 5 == 0, 1, 900)
    blunt = np.full(users, 60)
    name = "Corrected(of='Success', cutoff=10, items=1000)"
    values = {}
    for who, ranks in (("sharp", sharp), ("blunt", blunt)):
        with pytest.warns(rs.RankstoneWarning, match="100 candidates, one of them relevant"):
            plain = rs.evaluate(*sampled(rng, ranks, items, others), ["Success@10", name])
        values[who] = list(plain.aggregates.values())
    assert values["sharp"][0] < values["blunt"][0]  # the wrong order
    assert values["sharp"][1] > values["blunt"][1]
    assert values["sharp"][1] == pytest.approx(0.2, abs=0.06)


def test_ties_are_averaged_over_their_orders():
    labels, scores = [1, 0, 0, 0], [0.5, 0.5, 0.5, 0.1]
    table, _ = estimates("RR", None, 50, 3, "bias-variance", 0.1)
    name = "Corrected(of='RR', items=50)"
    value = rs.evaluate([labels], [scores], name).aggregates
    assert next(iter(value.values())) == pytest.approx(table[:3].mean(), abs=1e-12)
    with_rule = rs.evaluate([labels], [scores], name, ties="input").aggregates
    assert next(iter(with_rule.values())) == pytest.approx(table[0], abs=1e-12)
    with pytest.raises(rs.UsageError, match="the worst order of tied documents are not known"):
        rs.evaluate([labels], [scores], name, ties="pessimistic")


def test_several_relevant_documents_are_ranked_among_the_others():
    table, _ = estimates("RR", None, 50, 2, "bias-variance", 0.1)
    value = (rs.parse_measure("Corrected(of='RR', items=50)"))([1, 0, 1, 0])
    assert value == pytest.approx((table[0] + table[1]) / 2, abs=1e-12)


def test_a_catalogue_smaller_than_the_sample_is_refused():
    with pytest.raises(rs.DataError, match="query 0 has 3 candidates that are not relevant"):
        rs.evaluate([[1, 0, 0, 0]], [[4.0, 3, 2, 1]], "Corrected(items=3)")


def codes(result):
    return [n.code for n in result.notices]


@pytest.mark.filterwarnings("ignore")
def test_samples_are_recognised_in_every_form():
    rng = np.random.default_rng(5)
    labels, scores = sampled(rng, rng.integers(1, 500, 40), 500, 24)
    judged = {f"u{u}": {f"u{u}i0": 1} for u in range(40)}
    run = {f"u{u}": {f"u{u}i{i}": s for i, s in enumerate(scores[u].tolist())} for u in range(40)}
    assert "sampled-candidates" in codes(rs.evaluate(labels, scores, "RR"))
    assert "sampled-candidates" in codes(rs.evaluate(judged, run, "RR"))
    parts = rs.Evaluator(judged, ["RR"])
    for part in (list(run)[:15], list(run)[15:]):
        parts.add({q: run[q] for q in part})
    assert "sampled-candidates" in codes(parts.result())
    with pytest.raises(rs.StrictError, match="random sample"):
        rs.evaluate(labels, scores, "nDCG@10", strict=True)


@pytest.mark.filterwarnings("ignore")
def test_other_lists_are_not_taken_for_samples():
    rng = np.random.default_rng(6)
    labels, scores = sampled(rng, rng.integers(1, 500, 40), 500, 24)
    several = labels.copy()
    several[3, 5] = 1
    missed = {u: {"x" if u == 7 else 0: 1} for u in range(40)}
    lists = {u: dict(enumerate(scores[u].tolist())) for u in range(40)}
    shorter = {**lists, 3: {0: 1.0}}
    catalogue = rs.Scorer(lambda rows: scores[rows], 40, 25)
    for judged, run in (
        (several, scores),
        (missed, lists),
        ({u: {0: 1} for u in range(40)}, shorter),
        (labels, catalogue),
        (labels[:9], scores[:9]),
        (labels[:, :19], scores[:, :19]),
    ):
        assert "sampled-candidates" not in codes(rs.evaluate(judged, run, "RR"))
    assert "sampled-candidates" not in codes(rs.evaluate(labels, scores, "AUC"))
