"""Factors in every verb: the numbers and documents of the same scores in a dict."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import rankstone as rs

USERS, ITEMS = 40, 60
MEASURES = ["nDCG@10", "RR"]


@pytest.fixture(scope="module")
def data():
    """Return judgments by name, factors with names, and the same scores in a dict."""
    rng = np.random.default_rng(7)
    users, items = [f"u{i:02d}" for i in range(USERS)], [f"i{i:02d}" for i in range(ITEMS)]
    left, right = rng.standard_normal((USERS, 8)), rng.standard_normal((ITEMS, 8))
    judged = {u: {items[i]: 1 for i in rng.choice(ITEMS, 4, replace=False)} for u in users}
    model = rs.Factors(left, right, user_ids=users, item_ids=items, name="model")
    other = rs.Factors(
        left + rng.standard_normal(left.shape), right, user_ids=users, item_ids=items
    )
    made = [left @ right.T, other._left @ right.T]
    by_user = [
        {u: dict(zip(items, map(float, row), strict=True)) for u, row in zip(users, s, strict=True)}
        for s in made
    ]
    return judged, (model, other), by_user


def test_comparisons_and_gates_are_those_of_the_scores(data, tmp_path):
    judged, runs, dicts = data
    pairs = [dict(zip(("a", "b"), some, strict=True)) for some in (runs, dicts)]
    made, stored = (rs.compare(judged, some, MEASURES) for some in pairs)
    assert [(p.difference, p.verdict) for p in made.comparisons] == [
        (p.difference, p.verdict) for p in stored.comparisons
    ]
    first = {u: max(scores, key=scores.get) for u, scores in dicts[0].items()}
    must_find = [("u00", first["u00"], 1), ("u07", first["u07"], 1)]
    verdict = rs.gate(
        judged, runs[0], baseline=runs[1], max_drop={"nDCG@10": 0.5}, must_find=must_find
    )
    assert verdict.passed
    rs.report(judged, pairs[0], MEASURES).save(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert first["u00"] in text


def test_explanations_show_the_items(data):
    judged, runs, dicts = data
    made = rs.explain("nDCG@10", judged, runs[0], query="u03")
    stored = rs.explain("nDCG@10", judged, dicts[0], query="u03", ties="expected")
    assert made.value == stored.value
    assert [s.doc for s in made.steps] == [s.doc for s in stored.steps]
    assert [s.rank for s in made.steps] == [s.rank for s in stored.steps]


@pytest.mark.parametrize("excluded", [False, True])
def test_top_documents_are_those_of_the_scores(data, excluded):
    judged, runs, dicts = data
    exclude = {u: [*list(docs)[:2], "i05"] for u, docs in judged.items()} if excluded else None
    if not excluded:
        assert rs.pool(runs[0], depth=7) == rs.pool(dicts[0], depth=7)
    numbers = [
        rs.evaluate(judged, r, MEASURES, exclude=exclude).per_query for r in (runs[0], dicts[0])
    ]
    assert numbers[0] == numbers[1]


def test_parts_are_one_evaluation(data):
    judged, runs, _ = data
    whole = rs.evaluate(judged, runs[0], MEASURES)
    users, model = list(judged), runs[0]
    evaluator = rs.Evaluator(judged, MEASURES)
    for begin in range(0, USERS, 15):
        own = users[begin : begin + 15]
        part = rs.Factors(
            model._left[begin : begin + 15],
            model._right,
            user_ids=own,
            item_ids=list(model.items.ids),
        )
        evaluator.add(part)
    assert evaluator.result().per_query == whole.per_query
    evaluator = rs.Evaluator(measures=MEASURES)
    for own in (users[:10], users[10:]):
        some = rs.Factors(
            model._left[[users.index(u) for u in own]], model._right, user_ids=own,
            item_ids=list(model.items.ids),
        )  # fmt: skip
        evaluator.add(run=some, judgments={u: judged[u] for u in own})
    assert evaluator.result().per_query == whole.per_query


def test_parts_may_be_sparse_matrices_and_id_matrices():
    rng = np.random.default_rng(2)
    test = csr_matrix((rng.random((20, 30)) < 0.2).astype(float))
    scores = csr_matrix(np.where(rng.random((20, 30)) < 0.5, rng.random((20, 30)), 0))
    whole = rs.evaluate(test, scores, MEASURES)
    evaluator = rs.Evaluator(test, MEASURES)
    evaluator.add(scores)
    assert evaluator.result().per_query == whole.per_query
    parts = rs.Evaluator(measures=MEASURES)
    parts.add(run=scores, judgments=test)
    assert parts.result().per_query == whole.per_query
    ids = np.argsort(-rng.random((20, 30)), axis=1)[:, :5]
    sets = [set(row.indices.tolist()) for row in test]
    listed = rs.evaluate(sets, ids, MEASURES)
    numbered = rs.Evaluator(dict(enumerate(sets)), MEASURES)
    numbered.add(ids)
    assert numbered.result().per_query == listed.per_query
    dense = rs.Evaluator(measures=MEASURES)
    dense.add(run=rs.Scorer(lambda rows: np.zeros((len(rows), 30)), 20, 30), judgments=test)
    assert dense.result()["RR"] > 0


def test_several_runs_share_the_judgments_of_a_matrix():
    rng = np.random.default_rng(3)
    test = csr_matrix((rng.random((30, 50)) < 0.1).astype(float))
    left, right = rng.standard_normal((30, 4)), rng.standard_normal((50, 4))
    runs = {"a": rs.Factors(left, right), "b": rs.Factors(left, right, metric="cosine")}
    compared = rs.compare(test, runs, MEASURES)
    for name, run in runs.items():
        own = rs.evaluate(test, run, MEASURES)
        assert {m: compared.means[name][m] for m in MEASURES} == own.aggregates
