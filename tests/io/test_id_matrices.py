"""Tables of ids: what FAISS and implicit return, and the truth of approximate search."""

import numpy as np
import pytest

import rankstone as rs

RNG = np.random.default_rng(1)
IDS = np.argsort(RNG.random((12, 40)), axis=1)[:, :6]
SCORES = -np.sort(RNG.random((12, 6)), axis=1).astype(np.float32)
TRUTH = [set(RNG.choice(40, 5, replace=False).tolist()) for _ in range(12)]
MEASURES = ["nDCG@5", "R@3", "RR"]
WANTED = rs.evaluate(TRUTH, IDS.tolist(), MEASURES).per_query


@pytest.mark.parametrize(
    "run", [IDS, IDS.astype(np.int32), (IDS, SCORES), (SCORES, IDS), (IDS, np.zeros((12, 6)))]
)
@pytest.mark.parametrize("judgments", [TRUTH, dict(enumerate(TRUTH))])
def test_the_order_of_ids_is_the_ranking(run, judgments):
    assert rs.evaluate(judgments, run, MEASURES).per_query == WANTED
    assert rs.evaluate(rs.load_judgments(judgments), run, MEASURES).per_query == WANTED
    assert rs.Evaluator(judgments, MEASURES).add(run).result().per_query == WANTED


def test_rows_may_be_named():
    users = [f"u{i}" for i in range(12)]
    judged = dict(zip(users, TRUTH, strict=True))
    named = rs.evaluate(judged, (IDS, SCORES), MEASURES, query_ids=users)
    assert list(named.per_query.values()) == [WANTED[int(u[1:])] for u in named.per_query]
    with pytest.raises(rs.DataError, match="11 query_ids for 12 rows"):
        rs.evaluate(judged, IDS, MEASURES, query_ids=users[1:])
    with pytest.raises(rs.DataError, match="names 'u1' twice"):
        rs.evaluate(judged, IDS, MEASURES, query_ids=["u1", *users[1:]])


def test_padding_is_left_out():
    padded = IDS.copy()
    padded[3, 4:] = -1
    lists = IDS.tolist()
    lists[3] = lists[3][:4]
    assert (
        rs.evaluate(TRUTH, padded, MEASURES).per_query
        == rs.evaluate(TRUTH, lists, MEASURES).per_query
    )


def test_neighbours_as_near_as_the_last_are_true():
    truth = rs.true_neighbours([[5, 6, 7, 8], [1, 2, -1, -1]], [[0, 1, 1, 2], [3, 1, 0, 0]], 2)
    assert truth == [{5, 6, 7}, {1, 2}]
    assert rs.true_neighbours([[5, 6, 7]], [[0.1, 0.9, 0.9]], 1, ascending=False) == [{6, 7}]
    capped = "R(denominator='min(R,k)')@2"
    found = rs.evaluate(truth, np.array([[5, 7], [2, 9]]), capped)
    assert found.per_query == {0: {capped: 1.0}, 1: {capped: 0.5}}
    for wrong in (([[1]], [[1, 2]], 1), ([[1]], [[1]], 0), ([[1]], [[np.nan]], 1)):
        with pytest.raises(rs.DataError):
            rs.true_neighbours(*wrong)


def test_recall_is_that_of_ann_benchmarks():
    points, queries = RNG.integers(0, 4, (300, 6)), RNG.integers(0, 4, (20, 6))
    distances = np.sqrt(((queries[:, None] - points[None]) ** 2).sum(axis=2))
    order = np.argsort(distances, axis=1, kind="stable")[:, :100]
    near = np.take_along_axis(distances, order, axis=1)
    answer = np.argsort(distances + RNG.random(distances.shape), axis=1)[:, :10]
    reached = np.take_along_axis(distances, answer, axis=1) <= near[:, 9, None]
    truth = rs.true_neighbours(order, near, 10)
    measure = "R(denominator='min(R,k)')@10"
    assert rs.evaluate(truth, answer, measure)[measure] == pytest.approx(reached.mean(), abs=0.01)
