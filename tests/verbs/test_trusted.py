"""Every verb that takes trusted= gives the numbers of one estimator, or says why not."""

import numpy as np
import pytest
from scipy import stats

import rankstone as rs
from rankstone.cli import main
from rankstone.stats.judges import alpha_of, coincidences, fleiss_of
from rankstone.stats.trusted import Parts, combine

QUERIES = [f"q{i:03}" for i in range(400)]


def data():
    """Judgments of 400 queries by a model and of 80 by people; run b is better."""
    rng = np.random.default_rng(3)
    chosen = set(rng.permutation(QUERIES)[:80])
    model, people, runs = {}, {}, {"a": {}, "b": {}}
    for q in QUERIES:
        grades = dict(zip("uvwxyz", rng.integers(0, 3, 6).tolist(), strict=True))
        for name, skill in (("a", 0.5), ("b", 0.8)):
            score = {d: skill * g + rng.normal() for d, g in grades.items()}
            runs[name][q] = sorted(score, key=score.get, reverse=True)
        wrong = rng.random(6) < 0.2
        model[q] = {d: int(2 - g if w else g) for (d, g), w in zip(grades.items(), wrong, strict=True)}  # fmt: skip
        if q in chosen:
            people[q] = grades
    return model, people, runs


MODEL, PEOPLE, RUNS = data()


def values(judgments, run, measure="nDCG@3"):
    own = rs.evaluate(judgments, run, measure).per_query
    return np.array([own[q][measure] if q in own else np.nan for q in QUERIES])


ONE = combine(values(PEOPLE, RUNS["b"]), values(MODEL, RUNS["b"]))
PAIR = combine(
    values(PEOPLE, RUNS["b"]) - values(PEOPLE, RUNS["a"]),
    values(MODEL, RUNS["b"]) - values(MODEL, RUNS["a"]),
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, judged in (("model", MODEL), ("people", PEOPLE)):
        lines = (f"{q} 0 {d} {g}\n" for q, docs in judged.items() for d, g in docs.items())
        (tmp_path / name).write_text("".join(lines))
    for name, run in RUNS.items():
        lines = (f"{q} Q0 {d} {k} {9 - k} {name}\n" for q, docs in run.items() for k, d in enumerate(docs, 1))  # fmt: skip
        (tmp_path / f"{name}.run").write_text("".join(lines))


def test_an_interval_of_a_mean():
    by_model, by_people = (rs.evaluate(j, RUNS["b"], "nDCG@3") for j in (MODEL, PEOPLE))
    interval = by_model.interval("nDCG@3", trusted=by_people)
    assert (interval.low, interval.high) == pytest.approx(ONE.interval(0.95))
    assert interval.to_dict()["trusted"]["people"] == 80
    few = rs.evaluate({q: PEOPLE[q] for q in list(PEOPLE)[:15]}, RUNS["b"], "nDCG@3")
    alone, own = by_model.interval("nDCG@3", trusted=few), few.interval("nDCG@3")
    assert (alone.low, alone.high, alone.n) == pytest.approx((own.low, own.high, 15))
    assert "it takes 20 to see how the model errs" in alone.caution
    with pytest.raises(rs.UsageError, match="that of Student's t"):
        by_model.interval("nDCG@3", "percentile", trusted=by_people)


def test_values_are_given_for_named_queries():
    result = rs.evaluate(MODEL, RUNS["b"], "nDCG@3")
    some = result.values("nDCG@3", [QUERIES[7], "elsewhere", QUERIES[2]])
    assert some[[0, 2]].tolist() == result.values("nDCG@3")[[7, 2]].tolist()
    assert np.isnan(some[1])


def test_plain_data_of_estimates_are_read_back():
    data = PAIR.to_dict()
    assert data["interval"] == list(PAIR.interval(0.95))
    assert data["bias"]["p_value"] == PAIR.bias.p_value()
    assert type(PAIR).from_dict(data) == PAIR
    few = combine(
        values({q: PEOPLE[q] for q in list(PEOPLE)[:15]}, RUNS["b"]), values(MODEL, RUNS["b"])
    )
    assert "it takes 20" in few.to_dict()["caution"]
    assert type(few).from_dict(few.to_dict()) == few


def test_evaluate_prints_means_by_both(files, capsys):
    words = ["evaluate", "model", "b.run", "-m", "nDCG@3", "--trusted", "people"]
    assert main([*words, "--interval", "--format", "table"]) == 0
    out, err = capsys.readouterr()
    low, high = ONE.interval(0.95)
    assert f"{ONE.mean:.4f} [{low:.3f}, {high:.3f}]" in out
    assert "people and model together (PPI++)" in out
    assert "from 80 queries judged by people and 320 only by the model" in err
    for more, message in (
        ([], "--trusted is of --interval"),
        (["--interval", "--by", "people"], "not with --by"),
        (["--interval", "--interval-method", "bca"], "goes with Student's t"),
    ):
        assert main([*words, *more]) == 2
        assert message in capsys.readouterr().err


def test_a_gate_decides_by_both(files):
    verdict = rs.gate(
        MODEL, RUNS["b"], RUNS["a"], max_drop={"nDCG@3": 0.1}, minimum={"nDCG@3": 0.2}, trusted=PEOPLE
    )  # fmt: skip
    _, drop, least = verdict.checks
    assert (drop.difference, drop.low, drop.high) == pytest.approx(
        (PAIR.mean, *PAIR.interval(0.95))
    )
    assert least.candidate == pytest.approx(ONE.mean)
    assert drop.detectable == pytest.approx(PAIR.detectable(0.05))
    assert [n.code for n in verdict.notices] == ["trusted", "trusted"]
    rs.evaluate("model", "a.run", "nDCG@3").save("a.json")
    for candidate, baseline, options, message in (
        ("b.run", "a.json", {"max_drop": {"nDCG@3": 0.1}}, "the baseline holds values"),
        ("a.json", "b.run", {"max_drop": {"nDCG@3": 0.1}}, "candidate is a result"),
        ("b.run", None, {"must_find": ["q001:u@3"]}, "goes with rules on measures"),
        ("b.run", "a.run", {"max_drop": {"nDCG@3": 0.1}, "by": dict.fromkeys(QUERIES, "g")}, "leave by="),
    ):  # fmt: skip
        with pytest.raises(rs.UsageError, match=message):
            rs.gate("model", candidate, baseline, trusted="people", **options)


def test_a_report_shows_both():
    page = rs.report(MODEL, RUNS, "nDCG@3", trusted=PEOPLE, pictures=False).model
    assert page.pairs[0]["difference"] == pytest.approx(PAIR.mean)
    assert page.means[1][0] == pytest.approx(ONE.mean, abs=1e-6)
    assert page.intervals[1][0] == pytest.approx(list(ONE.interval(0.95)), abs=1e-6)
    assert "judged by people" in str(page.runs[1].notices)
    alone = rs.report(MODEL, {"b": RUNS["b"]}, "nDCG@3", trusted=PEOPLE, pictures=False).model
    assert alone.means[0][0] == page.means[1][0]
    for arguments, options in (
        ((MODEL, RUNS), {"by": dict.fromkeys(QUERIES, "g")}),
        (({"a": {}},), {}),
    ):
        with pytest.raises(rs.UsageError, match="trusted= needs judgments and runs"):
            rs.report(*arguments, trusted=PEOPLE, **options)


def test_power_plans_for_people_beside_a_model(files, capsys):
    plan = rs.power(MODEL, RUNS, "nDCG@3", trusted=PEOPLE, difference=0.06)["nDCG@3"]
    assert (plan.pilot_n, plan.n, plan.model_queries) == (80, 80, 400)
    assert plan.with_model[80] == pytest.approx(PAIR.detectable(0.05), rel=0.02)
    assert plan.with_model[80] < plan.detectable
    assert plan.queries_with_model < plan.queries
    words = ["power", "model", "a.run", "b.run", "-m", "nDCG@3", "--difference", "0.06"]
    assert main([*words, "--trusted", "people"]) == 0
    assert f"0.060 needs {plan.queries_with_model}" in capsys.readouterr().out
    with pytest.raises(rs.UsageError, match="does not go with clusters="):
        rs.power(
            MODEL, RUNS, "nDCG@3", trusted=PEOPLE, clusters=dict.fromkeys(QUERIES, 1) | {"q001": 2}
        )


def test_only_queries_that_people_judged_are_trusted():
    pair = rs.compare(MODEL, RUNS, "nDCG@3", trusted=PEOPLE, queries="run")["b", "nDCG@3"]
    assert (pair.trusted.people, pair.difference) == (80, pytest.approx(PAIR.mean))
    done = {name: rs.evaluate(MODEL, run, "nDCG@3") for name, run in RUNS.items()}
    with pytest.raises(rs.UsageError, match="a is a result, and trusted= needs the run"):
        rs.compare(MODEL, done, "nDCG@3", trusted=PEOPLE)


@pytest.mark.parametrize(
    ("rename", "message"),
    [(str.upper, "look like others that are"), ("x{}".format, "no judged document was retrieved")],
)
def test_trusted_documents_that_no_run_has_are_refused(rename, message):
    people = {q: {rename(d): g for d, g in docs.items()} for q, docs in PEOPLE.items()}
    with pytest.raises(rs.DataError, match=f"the trusted judgments: .*{message}"):
        rs.compare(MODEL, RUNS, "nDCG@3", trusted=people)


def test_means_and_differences_are_one_story():
    made = rs.compare(MODEL, RUNS, "nDCG@3", trusted=PEOPLE)
    pair = made["b", "nDCG@3"]
    assert made.means["b"]["nDCG@3"] - made.means["a"]["nDCG@3"] == pytest.approx(pair.difference)
    assert pair.trusted.for_half() is None or pair.trusted.for_half() > 80
    weights = {q: 1.0 + (i % 3) for i, q in enumerate(QUERIES)}
    weighted = rs.compare(MODEL, RUNS, "nDCG@3", trusted=PEOPLE, weights=weights)["b", "nDCG@3"]
    expected = combine(
        values(PEOPLE, RUNS["b"]) - values(PEOPLE, RUNS["a"]),
        values(MODEL, RUNS["b"]) - values(MODEL, RUNS["a"]),
        weights=np.array(list(weights.values())),
    )
    assert weighted.difference == pytest.approx(expected.mean)
    clusters = {q: i % 20 for i, q in enumerate(QUERIES)}
    clustered = rs.compare(MODEL, RUNS, "nDCG@3", trusted=PEOPLE, clusters=clusters)["b", "nDCG@3"]
    assert clustered.trusted.freedom < 20 < pair.trusted.freedom


def table_of(ratings):
    ratings = np.array(ratings, np.float64)
    return coincidences(ratings, np.zeros(ratings.shape[1], np.int64))[0]


def test_three_judges_are_compared_with_the_majority_of_the_others():
    three = [
        {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1, "e": 0}},
        {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1, "e": 0}},
        {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "f": 0}},
    ]
    found = rs.agree_judgments(*three)
    assert found.n == 5  # f was judged by one alone
    first, _, third = found.against
    assert (first.n, first.agreement) == (3, 1.0)  # the others agree on a and d; one judged e
    assert (third.n, third.agreement) == (4, 0.5)
    ratings = [[2, 1, 0, 1], [2, 1, 0, 1], [2, 0, 1, 1]]
    assert found.fleiss == pytest.approx(fleiss_of(table_of(ratings)))
    with_gaps = [[*ratings[0], 0], [*ratings[1], 0], [*ratings[2], np.nan]]
    assert found.alpha == pytest.approx(alpha_of(table_of(with_gaps)))
    assert set(found.to_dict()) == {"n", "fleiss", "alpha", "intervals", "against"}


def test_a_judge_that_favours_a_run_is_named():
    plain = rs.agree_orderings(PEOPLE, MODEL, RUNS, ["nDCG@3"])
    assert (plain.warnings, plain.swapped) == ((), ())
    assert plain.bias["b"].mean == pytest.approx(ONE.bias.mean)
    biased = {q: {**docs, RUNS["a"][q][0]: 2} for q, docs in MODEL.items()}
    found = rs.agree_orderings(PEOPLE, biased, RUNS, ["nDCG@3"])
    (warning,) = found.warnings
    assert warning.text.startswith("the model favours a by 0.")
    assert found.by_rank["1"][1] > found.by_rank["4-10"][1]
    assert found.by_rank["1"][0] == 160  # two runs of 80 queries
    assert found.to_dict()["warnings"][0]["code"] == "judge-favours-run"


def test_agree_on_the_command_line(files, capsys):
    assert main(["agree", "people", "model", "a.run", "b.run", "-m", "nDCG@3"]) == 0
    out = capsys.readouterr().out
    assert "What the second set adds to the mean of a system:" in out
    assert "by rank (and their number): 1 " in out
    assert main(["agree", "people", "model", "people"]) == 0
    assert "against the majority of the others" in capsys.readouterr().out
    assert main(["agree", "people", "model", "a.run"]) == 2
    assert "needs two runs" in capsys.readouterr().err


@pytest.mark.parametrize("correlation", [0.5, 0.8, 0.9])
def test_a_bias_against_a_run_is_seen(correlation):
    rng = np.random.default_rng(8)
    y = rng.normal(0.02, 0.3, (400, 1000))
    seen = y + rng.normal(0.1, 0.3 * np.sqrt(1 / correlation**2 - 1), y.shape)
    shares = np.full(200, 1 / 200), np.full(800, 1 / 800)
    parts = Parts(shares, None, (seen[:, :200], seen[:, 200:]))
    bias, error, freedom, _ = parts.estimate(seen[:, :200] - y[:, :200], None)
    assert bias.mean() == pytest.approx(0.1, abs=0.01)
    assert (2 * stats.t.sf(np.abs(bias) / error, freedom) <= 0.05).mean() >= 0.8
    # Equal systems are told apart no more often than they should be.
    mean, error, freedom, _ = parts.estimate(y[:, :200] - 0.02, None)
    assert (2 * stats.t.sf(np.abs(mean) / error, freedom) <= 0.05).mean() == pytest.approx(
        0.05, abs=0.03
    )
