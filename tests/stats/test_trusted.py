"""Means and differences from few people's and many model's judgments."""

import math

import numpy as np
import pytest
from scipy import stats

import rankstone as rs
from rankstone.cli import main
from rankstone.stats.trusted import Parts, Trusted, combine

RNG = np.random.default_rng(5)


def drawn(n, others, correlation=0.8, bias=0.05):
    y = RNG.normal(0.02, 0.3, n + others)
    model = y + bias + RNG.normal(0, 0.3 * math.sqrt(1 / correlation**2 - 1), n + others)
    people = y.copy()
    people[n:] = np.nan
    order = RNG.permutation(n + others)
    return people[order], model[order]


def ppi_mean_ci(y, yhat, rest, lam, alpha):
    """The interval of PPI with a weight, as published."""
    mean = lam * rest.mean() + (y - lam * yhat).mean()
    error = math.sqrt((lam * rest).std() ** 2 / len(rest) + (y - lam * yhat).std() ** 2 / len(y))
    return mean + stats.norm.ppf([alpha / 2, 1 - alpha / 2]) * error


@pytest.mark.parametrize("lam", [0.0, 0.4, 1.0])
def test_with_a_weight_it_is_the_interval_of_ppi(lam):
    people, model = drawn(60, 500)
    judged = ~np.isnan(people)
    expected = ppi_mean_ci(people[judged], model[judged], model[~judged], lam, 0.1)
    assert textbook(people, model, lam) == pytest.approx(expected, abs=1e-12)


def textbook(people, model, weight):
    """The 90 % interval with a weight, divided by n, of the normal distribution."""
    one = combine(people, model, weight=weight, small_sample=False)
    return one.mean + stats.norm.ppf([0.05, 0.95]) * one.error


@pytest.mark.parametrize("lam", [0.0, 0.4, 1.0, None])
def test_it_is_the_interval_of_ppi_py(lam):
    ppi_py = pytest.importorskip("ppi_py")
    people, model = drawn(60, 500)
    judged = ~np.isnan(people)
    parts = people[judged], model[judged], model[~judged]
    theirs = ppi_py.ppi_mean_ci(*parts, alpha=0.1, lam=lam)
    if lam is None:  # the weight that they choose: the slope of their estimate in it
        at = [ppi_py.ppi_mean_pointestimate(*parts, lam=x)[0] for x in (0.0, 1.0)]
        chosen = ppi_py.ppi_mean_pointestimate(*parts)[0]
        lam = (chosen - at[0]) / (at[1] - at[0])
        assert 0.2 < lam < 1
    assert textbook(people, model, lam) == pytest.approx(np.ravel(theirs), abs=1e-9)


def test_without_a_weight_for_the_model_it_is_students_t():
    people, model = drawn(50, 400)
    own = people[~np.isnan(people)]
    one = combine(people, model, weight=0.0)
    t = stats.t.interval(0.95, 49, own.mean(), stats.sem(own))
    assert one.interval(0.95) == pytest.approx(t, rel=1e-9)
    assert one.alone.half(0.95) == pytest.approx((t[1] - t[0]) / 2, rel=1e-9)
    assert one.p_value() == pytest.approx(stats.ttest_1samp(own, 0).pvalue, rel=1e-9)


def test_weights_repeat_queries_and_clusters_of_one_change_little():
    people, model = drawn(60, 300)
    plain = combine(people, model, weight=0.7)
    same = combine(people, model, weight=0.7, weights=np.full(360, 3.0))
    assert (same.mean, same.error) == pytest.approx((plain.mean, plain.error))
    alone = combine(people, model, weight=0.7, clusters=np.arange(360), small_sample=False)
    textbook = combine(people, model, weight=0.7, small_sample=False)
    assert (alone.mean, alone.error) == pytest.approx((textbook.mean, textbook.error))
    # Whole clusters of equal queries are as many independent ones.
    codes = np.repeat(np.arange(360), 4)
    many = combine(np.repeat(people, 4), np.repeat(model, 4), weight=0.7, clusters=codes,
                   small_sample=False)  # fmt: skip
    assert (many.mean, many.error) == pytest.approx((textbook.mean, textbook.error))


def test_the_interval_covers_and_is_shorter():
    inside = lengths = 0
    for _ in range(400):
        one = combine(*drawn(100, 900))
        low, high = one.interval(0.95)
        inside += low <= 0.02 <= high
        lengths += (high - low) / 2 / one.alone.half(0.95) / 400
    assert 0.92 <= inside / 400 <= 0.98
    assert 0.62 < lengths < 0.68  # the optimum is 0.65


def test_few_trusted_queries_are_taken_alone():
    people, model = drawn(19, 400)
    assert (combine(people, model).weight, combine(*drawn(50, 400)).weight > 0.3) == (0.0, True)
    assert 0 < combine(*drawn(21, 400)).weight < 0.3  # the fewer they are, the less it counts


def test_rare_large_errors_of_a_model_are_allowed_for():
    rng = np.random.default_rng(6)
    y = rng.normal(0, 0.2, (3000, 1000))
    raised = np.where(rng.random(y.shape) < 0.05, rng.uniform(0.4, 1.2, y.shape), 0.0)
    model = y + rng.normal(0, 0.05, y.shape) + raised
    shares = np.full(50, 1 / 50), np.full(950, 1 / 950)
    parts = Parts(shares, None, (model[:, :50], model[:, 50:]))
    mean, error, freedom, weight = parts.estimate(y[:, :50], None)
    wrong = 2 * stats.t.sf(np.abs(mean) / error, freedom) <= 0.05
    assert wrong.mean() <= 0.07  # the slope as the weight: 0.108
    assert weight.mean() > 0.3


def data(bias=0.0, people=60, order=None):
    """Judgments of 300 queries by a model and of some by people; run b is better."""
    rng = np.random.default_rng(9)
    queries = [f"q{i:03}" for i in range(300)]
    chosen = queries[:people] if order == "first" else sorted(rng.permutation(queries)[:people])
    runs = {"a": {}, "b": {}}
    by_people, by_model = {}, {}
    for q in queries:
        first = rng.random() < 0.45
        runs["a"][q], runs["b"][q] = (["x", "y"], ["y", "x"])
        truth = {"x": 1, "y": 0} if first else {"x": 0, "y": 1}
        wrong = rng.random() < 0.1
        favours = rng.random() < bias
        by_model[q] = {"x": 0, "y": 1} if favours else {"x": truth["y"], "y": truth["x"]} if wrong else truth  # fmt: skip
        if q in chosen:
            by_people[q] = truth
    return by_model, by_people, runs


def test_runs_are_compared_by_both():
    model, people, runs = data()
    made = rs.compare(model, runs, "P@1", trusted=people)
    pair = made["b", "P@1"]
    assert pair.interval == "trusted"
    assert (pair.trusted.people, pair.trusted.others) == (60, 240)
    assert pair.mean - pair.baseline_mean == pytest.approx(pair.difference)
    assert pair.ci_high - pair.ci_low < 2 * pair.trusted.alone.half(0.95)
    codes = [n.code for n in pair.warnings]
    assert ("trusted" in codes, "judge-favours-run" in codes) == (True, False)
    again = rs.Comparison.from_json(made.to_json())
    assert again == made
    assert isinstance(again["b", "P@1"].trusted, Trusted)
    assert "people and model together (PPI++)" in made.method()


def test_a_model_that_favours_a_run_is_named_and_corrected():
    model, people, runs = data(bias=0.3, people=100)
    pair = rs.compare(model, runs, "P@1", trusted=people)["b", "P@1"]
    (warning,) = (n for n in pair.warnings if n.code == "judge-favours-run")
    assert warning.text.startswith("the model favours b by 0.")
    assert rs.compare(model, runs, "P@1")["b", "P@1"].difference > pair.difference + 0.1


def test_what_cannot_be_trusted_is_said():
    model, people, runs = data(people=12)
    pair = rs.compare(model, runs, "P@1", trusted=people)["b", "P@1"]
    assert pair.trusted.weight == 0
    assert "people judged 12 queries, and it takes 20" in str(pair.warnings)
    model, people, runs = data(order="first")
    made = rs.compare(model, runs, "P@1", trusted={**people, "elsewhere": {"x": 1}})
    texts = {n.code: n.text for n in made.notices}
    assert "they are the first 60 ids" in texts["trusted-not-random"]
    assert "trusted-not-judged" in texts
    clusters = {q: "one" if q in people else f"c{i % 9}" for i, q in enumerate(model)}
    with pytest.raises(rs.DataError, match="all trusted queries are of one cluster"):
        rs.compare(model, runs, "P@1", trusted=people, clusters=clusters)
    hard = {q: people_of for q, people_of in model.items() if people_of["x"]}
    made = rs.compare(model, {"a": runs["a"], "c": runs["a"]}, "P@1", trusted=hard)
    assert "they are easier" in str(made.notices)
    for options, message in (
        ({"test": "wilcoxon"}, "those of Student's t"),
        ({"by": dict.fromkeys(model, "g")}, "does not go with by="),
    ):
        with pytest.raises(rs.UsageError, match=message):
            rs.compare(model, runs, "P@1", trusted=people, **options)
    with pytest.raises(rs.DataError, match="fewer than two of the queries"):
        rs.compare(model, runs, "P@1", trusted={"elsewhere": {"x": 1}, "q001": {"x": 1}})
    with pytest.raises(
        rs.UsageError, match="trusted= goes with compare, power, gate, .*leaderboard"
    ):
        rs.leaderboard({"one": (model, runs)}, "P@1", trusted=people)


def test_on_the_command_line(tmp_path, capsys):
    model, people, runs = data()
    for name, judged in (("model", model), ("people", people)):
        lines = (f"{q} 0 {d} {g}\n" for q, docs in judged.items() for d, g in docs.items())
        (tmp_path / name).write_text("".join(lines))
    for name, run in runs.items():
        lines = (f"{q} Q0 {d} {k} {9 - k} {name}\n" for q, docs in run.items() for k, d in enumerate(docs, 1))  # fmt: skip
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = [str(tmp_path / n) for n in ("model", "a.run", "b.run")]
    words = ["compare", *files, "-m", "P@1", "--trusted", str(tmp_path / "people"), "--quiet"]
    assert main([*words, "--format", "json"]) == 0
    shown = rs.Comparison.from_json(capsys.readouterr().out)
    expected = rs.compare(model, runs, "P@1", trusted=people)["b", "P@1"]
    assert shown["b", "P@1"].trusted == expected.trusted
    assert main([*words, "--format", "table"]) == 0
    assert "only by the model (weight" in " ".join(capsys.readouterr().out.split())
    assert main(["compare", "--values", *files[1:], "--trusted", "x"]) == 2
