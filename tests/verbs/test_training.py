"""Training loops print what ``evaluate`` gives for the same scores."""

import numpy as np
import pytest

import rankstone as rs

RNG = np.random.default_rng(3)
SIZES = np.append(RNG.integers(1, 25, 60), [1, 1])
ROWS = int(SIZES.sum())
QID = np.repeat(np.arange(len(SIZES)), SIZES)
X = RNG.standard_normal((ROWS, 4)).round(1)
Y = np.clip((X[:, 0] + RNG.standard_normal(ROWS)).round(), 0, 3)
MEASURE = "nDCG@5"


def offline(scores, measure=MEASURE, **options):
    return rs.evaluate(Y, np.asarray(scores, float), measure, group_sizes=SIZES, **options)[measure]


@pytest.mark.parametrize("measure", [MEASURE, "RR", "AP(rel=2)"])
def test_lightgbm_prints_the_offline_number(measure):
    lightgbm = pytest.importorskip("lightgbm")
    seen = {}
    data = lightgbm.Dataset(X, Y, group=SIZES, free_raw_data=False)
    model = lightgbm.train(
        {"objective": "lambdarank", "metric": "None", "verbosity": -1, "num_leaves": 4, "num_threads": 1},
        data, 12, valid_sets=[data], valid_names=["all"],
        feval=rs.training.lightgbm(measure), callbacks=[lightgbm.record_evaluation(seen)],
    )  # fmt: skip
    for round_, value in enumerate(seen["all"][measure], 1):
        assert value == offline(model.predict(X, raw_score=True, num_iteration=round_), measure)


@pytest.mark.filterwarnings("ignore")  # eval_set is deprecated, and what follows it is new
def test_lightgbm_follows_itself_and_several_measures():
    lightgbm = pytest.importorskip("lightgbm")
    ranker = lightgbm.LGBMRanker(n_estimators=5, num_leaves=4, verbosity=-1, n_jobs=1)
    own = rs.training.lightgbm(["ndcg@3", "RR"], like="lightgbm")
    ranker.fit(
        X, Y, group=SIZES, eval_set=[(X, Y)], eval_group=[SIZES], eval_at=[3],
        eval_metric=[own, "ndcg"],
    )  # fmt: skip
    (seen,) = ranker.evals_result_.values()
    theirs = seen["ndcg@3"]
    ours = next(v for k, v in seen.items() if k.startswith("nDCG"))
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert len(seen["RR"]) == 5


class Data:
    """What xgboost and CatBoost hand over, where they are not installed."""

    def get_label(self):
        return Y

    def get_uint_info(self, name):
        assert name == "group_ptr"
        return np.append(0, np.cumsum(SIZES)).astype(np.uint32)

    def get_group_id_hash(self):
        return QID.astype(np.uint64)


def test_functions_of_xgboost_and_catboost():
    scores = RNG.random(ROWS).round(1).astype(np.float32)
    metric = rs.training.xgboost(MEASURE)
    assert metric(scores, Data()) == (MEASURE, offline(scores))
    assert metric.maximize
    metric = rs.training.catboost(MEASURE, Data())
    assert metric.evaluate([scores], Y, None) == (offline(scores), 1.0)
    assert metric.is_max_optimal()
    assert metric.get_final_error(0.5, 1.0) == 0.5
    with pytest.raises(rs.UsageError, match="those of no pool"):
        metric.evaluate([scores[1:]], Y[1:], None)
    with pytest.raises(rs.UsageError, match="takes one measure"):
        rs.training.xgboost(["RR", "AP"])


@pytest.mark.parametrize("measures", [["nDCG@5", "RR", "AUC"], ["AP(rel=2)"], ["GMAP"]])
def test_labels_are_read_once_and_changed_ones_again(measures):
    evaluated = rs.training.lightgbm(measures)
    first, other = Y.copy(), Y[::-1].copy()
    for round_ in range(12):
        labels, sizes = ((first, SIZES), (other, SIZES), (first, SIZES[::-1]))[round_ % 3]
        scores = RNG.random(ROWS).round(1 + round_ % 3)
        found = evaluated(labels, scores, None, sizes)
        wanted = rs.evaluate(labels, scores, measures, group_sizes=sizes).aggregates
        assert {n: v for n, v, _ in (found if len(measures) > 1 else [found])} == wanted
    first[:5] = 3  # in place, as a caller may
    changed = evaluated(first, scores, None, SIZES)
    wanted = rs.evaluate(first, scores, measures, group_sizes=SIZES).aggregates
    assert {n: v for n, v, _ in (changed if len(measures) > 1 else [changed])} == wanted
    with pytest.raises(rs.DataError, match="score"):
        evaluated(first, np.full(ROWS, np.nan), None, SIZES)
    with pytest.raises(rs.DataError, match="same shape"):
        evaluated(first, scores[1:], None, SIZES)


def test_a_strict_evaluation_stays_strict():
    evaluated = rs.training.lightgbm("nDCG", strict=True)
    labels, scores = np.zeros(ROWS), RNG.random(ROWS)
    labels[np.cumsum(SIZES) - 1] = 1.5
    evaluated(labels, scores, None, SIZES)
    with pytest.raises(rs.StrictError, match="changed places"):
        evaluated(labels, (10 * scores).round(), None, SIZES)


def test_a_scorer_knows_the_queries():
    sklearn = pytest.importorskip("sklearn")
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

    with pytest.raises(rs.UsageError, match="enable_metadata_routing"):
        rs.training.sklearn(MEASURE)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = rs.training.sklearn(MEASURE)
        folds = GroupKFold(4)
        params = {"qid": QID, "groups": QID}
        values = cross_val_score(Ridge(), X, Y, scoring=scorer, cv=folds, params=params)
        for value, (train, test) in zip(values, folds.split(X, Y, QID), strict=True):
            scores = Ridge().fit(X[train], Y[train]).predict(X[test])
            own = rs.evaluate(Y[test], scores, MEASURE, qid=QID[test])[MEASURE]
            assert value == own
        search = GridSearchCV(Ridge(), {"alpha": [1, 1e5]}, scoring=scorer, cv=folds)
        search.fit(X, Y, qid=QID, groups=QID)
        assert search.best_score_ >= values.mean() - 1e-12


def test_an_accumulator_has_the_manners_of_torchmetrics():
    scores = RNG.random(ROWS).round(1)
    metric = rs.training.Accumulator([MEASURE, "RR"])
    order = RNG.permutation(ROWS)
    for rows in np.array_split(order, 7):
        metric.update(scores[rows], Y[rows], indexes=QID[rows])
    wanted = rs.evaluate(Y, scores, [MEASURE, "RR"], group_sizes=SIZES).aggregates
    assert metric.compute() == wanted
    parts = [rs.training.Accumulator([MEASURE, "RR"]) for _ in range(2)]
    for part, rows in zip(parts, np.array_split(order, 2), strict=True):
        part.update(scores[rows], Y[rows], QID[rows])
    parts[0].merge(parts[1].state())
    assert parts[0].compute() == wanted
    metric.reset()
    with pytest.raises(rs.UsageError, match="no batch"):
        metric.compute()
    table, labels = RNG.random((8, 5)), RNG.integers(0, 2, (8, 5)).astype(float)
    for part, half in zip(parts, (slice(4), slice(4, 8)), strict=True):
        part.reset()
        part.update(table[half][:2], labels[half][:2])
        part.update(table[half][2:], labels[half][2:])
    parts[0].merge(parts[1], renumber=True)
    assert parts[0].compute() == rs.evaluate(labels, table, [MEASURE, "RR"]).aggregates
    with pytest.raises(rs.UsageError, match="indexes="):
        metric.update([1.0], [1])


def test_flat_names_are_those_of_trackers():
    measures = ["nDCG@10", "AP(rel=2)", "RR"]
    flat = rs.evaluate({"q": {"a": 2}}, {"q": ["a"]}, measures).flat("test/")
    assert flat == {"test/nDCG_at_10": 1.0, "test/AP rel_2": 1.0, "test/RR": 1.0}
