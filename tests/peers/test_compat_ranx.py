"""``rankstone.compat.ranx``: what ranx's own pages show, and ranx itself where it is at hand."""

import json
import math
import random
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import rankstone as rs
from peers import compare as peers
from peers.ranx import ACCEPTS
from rankstone.compat.ranx import Qrels, Run, compare, evaluate

METRICS = [
    "hits", "hits@3", "hit_rate@2", "precision", "precision@5", "recall", "recall@5", "f1", "f1@3",
    "r-precision", "mrr", "mrr@2", "map", "map@5", "dcg@3", "dcg", "dcg_burges@5", "ndcg", "ndcg@5",
    "ndcg_burges@3", "rbp.80", "rbp.95", "rbp@50", "ndcg@5-l2", "map-l2", "mrr@3-l3", "rbp.80-l2",
    "precision@3-l2", "recall-l2", "f1@5-l2", "hits-l2", "hit_rate@3-l2", "r-precision-l2",
    "dcg@5-l2", "ndcg_burges@5-l2",
]  # fmt: skip
JUDGED = {"a": {"x": 4, "y": 2}, "b": {"x": 0, "z": 1}}
FOUND = {"b": {"y": 0.9, "z": 0.3}, "a": {"z": 1.5, "x": 1.0, "y": 0.5}}
P_OF_MAP = 1 - 2 / math.pi * math.atan(1 / 11)  # Student's t of 1 / 11 with one degree of freedom


@pytest.fixture
def ranx(request):
    """Return ranx, which compiles for a minute."""
    if not request.config.getoption("--thorough"):
        pytest.skip("ranx takes long to start; 'make test-all' runs it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("ranx", reason="ranx is not installed")


def collection(seed, takes=ACCEPTS):
    qrels, run = peers.draw(random.Random(seed), takes)
    return {q: {d: int(g) for d, g in docs.items()} for q, docs in qrels.items()}, run


@pytest.mark.filterwarnings("ignore:.*unsafe cast")  # ranx's own, on its way through Numba
def test_ranx_says_the_same(ranx):
    for seed in range(40):
        qrels, run = collection(seed)
        theirs = ranx.Run(run)
        ours = Run(run)
        options = {"make_comparable": True, "return_std": True}
        real = ranx.evaluate(ranx.Qrels(qrels), theirs, METRICS, **options)
        mine = evaluate(Qrels(qrels), ours, METRICS, **options)
        for metric in METRICS:
            assert mine[metric] == pytest.approx(real[metric], abs=1e-12), (seed, metric)
            assert ours.scores[metric] == pytest.approx(dict(theirs.scores[metric]), abs=1e-12)
            assert ours.mean_scores[metric] == pytest.approx(theirs.mean_scores[metric], abs=1e-12)


def test_ranx_compares_the_same(ranx):
    qrels, first = collection(0)
    second = {q: {d: -s for d, s in docs.items()} for q, docs in first.items()}
    metrics = ["map", "ndcg@5", "mrr"]
    options = {"make_comparable": True, "rounding_digits": 4}
    runs = [ranx.Run(first, "one"), ranx.Run(second)]
    real = ranx.compare(ranx.Qrels(qrels), runs, metrics, **options)
    mine = compare(Qrels(qrels), [Run(first, "one"), Run(second)], metrics, **options)
    assert mine.model_names == real.model_names
    assert mine.win_tie_loss == real.win_tie_loss
    for model in mine.model_names:
        assert mine.results[model] == pytest.approx(real.results[model], abs=1e-12)
    assert min(mine.results["one"].values()) > 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # it closes none
def test_ranx_reads_and_writes_the_same_files(ranx, tmp_path):
    for name, ours, theirs in (
        ("qrels", Qrels(JUDGED), ranx.Qrels(JUDGED)),
        ("run", Run(FOUND, "tag"), ranx.Run(FOUND, "tag")),
    ):
        for kind in ("json", "trec", "parquet"):
            mine, real = (str(tmp_path / f"{who}-{name}.{kind}") for who in ("ours", "theirs"))
            ours.save(mine)
            theirs.save(real)
            if kind == "parquet":
                assert pd.read_parquet(mine).equals(pd.read_parquet(real))
                continue
            for path in (mine, real):
                assert type(ours).from_file(path).to_dict() == ours.to_dict()
                assert type(theirs).from_file(path).to_dict() == theirs.to_dict()
        assert ours.to_dict() == theirs.to_dict()
        assert list(ours.to_dict()["a"]) == list(theirs.to_dict()["a"])


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_without_ranx(metric):
    """A ranking that is perfect from grade 1 up, for which each value is known or bounded."""
    value = evaluate({"q": {"a": 3, "b": 3, "c": 3}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, metric)
    if metric.startswith(("rbp", "recall@", "f1@", "dcg", "hits", "map@", "precision@")):
        assert value > 0
    else:
        assert value == pytest.approx(1.0)


def test_files_come_back(tmp_path):
    for made in (Qrels(JUDGED), Run(FOUND, name="tag")):
        for kind in ("json", "trec", "txt", "gz"):
            path = str(tmp_path / f"file.{kind}")
            made.save(path)
            assert type(made).from_file(path).to_dict() == made.to_dict()
        path = str(tmp_path / "file.parq")
        made.save(path)
        assert type(made).from_parquet(path).to_dict() == made.to_dict()
        assert type(made).from_df(made.to_dataframe()).to_dict() == made.to_dict()
    Run(FOUND, name="tag").save(str(tmp_path / "run.trec"))
    assert Run.from_file(str(tmp_path / "run.trec")).name == "tag"
    assert Run.from_file(str(tmp_path / "run.trec"), name="mine").name == "mine"


def test_tables_grow():
    run = Run(name="built")
    run.add_score("q", "low", 1)
    run.add_score("q", "high", 2)
    run.add_multi(["p", "o"], [["x"], ["y", "z"]], [[1.0], [1.0, 3.0]])
    assert run.to_dict() == {
        "o": {"z": 3.0, "y": 1.0},
        "p": {"x": 1.0},
        "q": {"high": 2.0, "low": 1.0},
    }
    assert list(run["q"]) == ["high", "low"]
    assert (len(run), run.size, run.get_query_ids()) == (3, 3, ["o", "p", "q"])
    qrels = Qrels(JUDGED, name="judged")
    qrels.set_relevance_level(2)
    assert qrels.to_dict() == {"a": {"x": 3, "y": 1}, "b": {"z": 0, "x": -1}}


def test_values_of_queries_and_what_a_run_keeps():
    qrels, run = Qrels(JUDGED), Run(FOUND)
    assert evaluate(qrels, run, "mrr", return_mean=False).tolist() == [0.5, 0.5]
    found = evaluate(qrels, run, ["mrr", "hits"], return_std=True)
    assert found == {"mrr": {"mean": 0.5, "std": 0.0}, "hits": {"mean": 1.5, "std": 0.5}}
    assert run.scores["hits"] == {"a": 2.0, "b": 1.0}
    assert run.mean_scores == {"mrr": 0.5, "hits": 1.5}
    assert run.std_scores == {"mrr": 0.0, "hits": 0.5}
    other = Run(FOUND)
    assert evaluate(JUDGED, FOUND, "mrr") == evaluate(
        qrels, other, "mrr", save_results_in_run=False
    )
    assert not other.scores


def test_queries_must_be_the_same_or_made_so():
    run = {"a": FOUND["a"], "c": {"x": 1.0}}
    with pytest.raises(
        rs.DataError, match="'b' is judged and not in the run. make_comparable=True"
    ):
        evaluate(JUDGED, run, "mrr")
    with pytest.raises(rs.DataError, match="'c' is in the run and not judged"):
        evaluate({"a": JUDGED["a"]}, run, "mrr")
    assert evaluate(Qrels(JUDGED), Run(run), "mrr", make_comparable=True) == 0.25


def test_a_comparison_has_means_and_no_p_values(tmp_path):
    second = {"a": {"x": 2.0, "y": 1.0}, "b": {"y": 1.0}}
    report = compare(
        Qrels(JUDGED),
        runs=[Run(FOUND, name="old"), Run(second)],
        metrics=["mrr", "map"],
        max_p=0.05,
    )
    assert report.results == {
        "old": {"mrr": 0.5, "map": pytest.approx(0.5416666666666666)},
        "run_2": {"mrr": 0.5, "map": 0.5},
    }
    assert report.win_tie_loss["run_2", "old"]["mrr"] == {"W": 1, "T": 0, "L": 1}
    assert str(report).splitlines() == [
        "#  Model  mrr    map",
        "-  -----  -----  -----",
        "a  old    0.500  0.542",
        "b  run_2  0.500  0.500",
    ]
    report.save(str(tmp_path / "report.json"))
    saved = json.loads((tmp_path / "report.json").read_text())
    assert saved["old"]["win_tie_loss"]["run_2"]["map"] == {"W": 1, "T": 0, "L": 1}
    assert saved["old"]["comparisons"]["run_2"] == pytest.approx({"mrr": 1.0, "map": P_OF_MAP})
    assert report.comparisons["run_2", "old"]["map"]["p_value"] == pytest.approx(P_OF_MAP)
    assert report.to_dataframe()["mrr"].tolist() == [0.5, 0.5]
    with pytest.raises(rs.UsageError, match="stat_test='welch': give one of student, fisher"):
        compare(Qrels(JUDGED), [Run(FOUND)], "mrr", stat_test="welch")
    with pytest.raises(rs.UsageError, match="two runs are called 'x'"):
        compare(Qrels(JUDGED), [Run(FOUND, "x"), Run(FOUND, "x")], "mrr")
    percent = compare(Qrels(JUDGED), [Run(FOUND)], "map", show_percentages=True)
    assert "54.2" in str(percent)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: Qrels({"q": {"d": 0.5}}), "the grade 0.5 of 'd' is not a whole number"),
        (lambda: evaluate(JUDGED, FOUND, "ngcd@5"), "Did you mean"),
        (lambda: evaluate(JUDGED, FOUND, [rs.AP]), "a metric is given by name"),
        (lambda: evaluate(JUDGED, FOUND, "rbp"), "needs a persistence: 'rbp.95'"),
        (lambda: Run.from_file("run.lz4"), "cannot tell the kind of file"),
        (lambda: Qrels.from_file("nowhere.json"), "nowhere.json: No such file"),
        (lambda: Run.from_df(pd.DataFrame({"q_id": ["q"]})), "no column 'doc_id'; it has q_id"),
        (
            lambda: Run.from_df(pd.DataFrame({"q_id": [1], "doc_id": ["d"], "score": [1.0]})),
            "must be text, as in ranx",
        ),
    ],
    ids=["fraction", "misspelt", "object", "persistence", "kind", "missing", "column", "ids"],
)
def test_errors_teach(action, message):
    with pytest.raises(rs.RankstoneError) as caught:
        action()
    assert message in str(caught.value)


def test_numbers_of_numpy_are_fine():
    run = {"a": {"x": np.float32(2), "y": np.int64(1)}}
    assert evaluate({"a": {"y": np.int64(1)}}, run, "mrr") == 0.5


def arrays(seed):
    """Judgments by falling grade and a run, as lists of arrays, one for each query."""
    rng = np.random.default_rng(seed)
    grades = [-np.sort(-rng.integers(0, 4, rng.integers(1, 6))) for _ in range(12)]
    y_true = [np.stack([rng.permutation(9)[: len(g)], g], axis=1) for g in grades]
    lists = [rng.permutation(9)[: rng.integers(1, 9)] for _ in range(12)]
    return y_true, [np.stack([docs, np.ones_like(docs)], axis=1) for docs in lists]


@pytest.mark.filterwarnings("ignore:.*unsafe cast")
def test_ranx_says_the_same_of_arrays(ranx):
    typed = pytest.importorskip("numba.typed").List
    for seed in range(10):
        y_true, y_pred = arrays(seed)
        real = ranx.evaluate(typed(y_true), typed(y_pred), METRICS, return_mean=False)
        mine = evaluate(typed(y_true), typed(y_pred), METRICS, return_mean=False)
        for metric in METRICS:
            assert mine[metric] == pytest.approx(real[metric], abs=1e-12), (seed, metric)


def test_arrays_are_rankings_in_their_order():
    y_true = np.array([[[1, 1], [4, 1], [5, 1], [6, 1]]])
    y_pred = np.array([[[1, 1], [2, 9], [3, 1], [4, 1], [5, 1], [7, 1]]])
    assert evaluate(y_true, y_pred, ["hits@5", "map@6"]) == {
        "hits@5": 3,
        "map@6": pytest.approx((1 + 2 / 4 + 3 / 5) / 4),
    }
    assert evaluate(y_true, y_pred.astype(float), "hits@5") == 3
    more = [np.array([[n, 1]]) for n in range(11)]
    assert evaluate(more, [*more[:10], np.array([[3, 1]])], "mrr", return_mean=False).tolist() == [
        *[1.0] * 10,
        0.0,
    ]


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([[[1, 1]]], [[[2, 1], [1, 1], [2, 0]]], "list 0: document 2 is there more than once"),
        ([[[1, 1], [1, 2]]], [[[1, 1]]], "list 0: document 1 is there more than once"),
        ([[[1, 1]]], [[1, 2, 3]], "found an array of int64 in the shape (3,)"),
        ([[["d", "1"]]], [[[1, 1]]], "expected rows of a document's number"),
        ([[[1, 1]], [[1, 1]]], [[[1, 1]]], "judgments and run have different queries"),
    ],
)
def test_arrays_that_cannot_be_read(y_true, y_pred, message):
    with pytest.raises(rs.DataError) as caught:
        evaluate(y_true, y_pred, "mrr")
    assert message in str(caught.value)


def test_p_values_and_superscripts():
    """Values of pairs are tested as ranx does it, whatever the order of queries."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    queries = [f"q{i}" for i in range(30)]
    qrels = Qrels({q: {"d": 1} for q in queries})
    places = {"good": rng.integers(1, 3, 30), "bad": rng.integers(1, 9, 30)}
    runs = []
    for name, ranks in places.items():
        order = zip(queries, ranks.tolist(), strict=True)
        order = list(order) if name == "good" else list(order)[::-1]
        ranked = {q: {**{f"x{i}": 9.0 - i for i in range(k - 1)}, "d": 0.5} for q, k in order}
        runs.append(Run(ranked, name=name))
    expected = stats.ttest_rel(1 / places["good"], 1 / places["bad"]).pvalue
    report = compare(qrels, runs, ["mrr"])
    assert report.comparisons["bad", "good"]["mrr"]["p_value"] == pytest.approx(expected, rel=1e-9)
    assert re.search(r"a  good   0\.\d{3}ᵇ\nb  bad    0\.\d{3}$", str(report))
    fisher = compare(qrels, runs, ["mrr"], stat_test="fisher", n_permutations=2000)
    assert fisher.comparisons["good", "bad"]["mrr"]["p_value"] == pytest.approx(1 / 2001)
