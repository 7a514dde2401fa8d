"""Each choice that changes a number, at the one place that reads it."""

import itertools
import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import collections, examples, measures, write_run

import rankstone as rs

JUDGED = {"q": {"b": 1, "c": 0, "d": 2}}
TIED = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}}


@pytest.mark.parametrize(
    ("ties", "value"),
    [
        ("docid-desc", 1.0),  # d c b a
        ("docid-asc", 1 / 2),  # a b c d
        ("input", 1 / 2),
        ("optimistic", 1.0),
        ("pessimistic", 1 / 3),
    ],
)
def test_ties(engine, ties, value):
    assert rs.evaluate(JUDGED, TIED, ["RR"], ties=ties)["RR"] == value


def test_ties_by_input_follow_the_lines_of_a_file(engine, tmp_path):
    run = tmp_path / "run"
    run.write_text("q Q0 c 1 1 t\nq Q0 b 2 1 t\nq Q0 d 3 1 t\nq Q0 a 4 1 t\n")
    assert rs.evaluate(JUDGED, run, ["RR"], ties="input")["RR"] == 1 / 2


def orders(judgments, run):
    """Every order of the tied documents of a one-query run, as lists."""
    (query,) = judgments
    groups = itertools.groupby(
        sorted(run[query], key=lambda d: -run[query][d]), key=lambda d: run[query][d]
    )
    parts = [list(itertools.permutations(docs)) for _, docs in groups]
    for choice in itertools.product(*parts):
        yield {query: [doc for part in choice for doc in part]}


def test_score_precision(engine):
    run = {"q": {"b": 1.0, "c": 1.0 + 1e-9}}
    judged = {"q": {"b": 0, "c": 1}}
    assert rs.evaluate(judged, run, ["RR"])["RR"] == 1.0
    loose = rs.evaluate(judged, run, ["RR"], precision="float32", ties="docid-asc")
    assert loose["RR"] == 0.5


def test_queries_averaged(engine):
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": {"a": 1.0}, "q9": {"a": 1.0}}
    every = rs.evaluate(judged, run, ["RR", "NumQ"])
    assert (every["RR"], every["NumQ"]) == (0.5, 2)
    both = rs.evaluate(judged, run, ["RR", "NumQ"], queries="both")
    assert (both["RR"], both["NumQ"], both.queries) == (1.0, 1, ["q1"])


def test_queries_of_the_run_count_without_judgments(engine, tmp_path):
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": {"a": 1.0}, "q9": {"a": 1.0, "b": 0.5}, "q5": {"a": 1.0}}
    file = write_run(tmp_path / "run", run)
    lists = {query: list(docs) for query, docs in run.items()}
    for given_run in (run, file, lists):
        found = rs.evaluate(judged, given_run, ["RR", "NumQ", "NumRet"], queries="run")
        assert (found["RR"], found["NumQ"], found["NumRet"]) == (1 / 3, 3, 4)
        assert found.queries == ["q1", "q5", "q9"]
        (notice,) = [n for n in found.notices if n.code == "unjudged-queries"]
        assert "2 queries of the run without judgments; no relevant document" in notice.text
        skipped = rs.evaluate(judged, given_run, ["RR"], queries="run", no_relevant="skip")
        assert skipped["RR"] == 1


def test_too_many_queries_without_judgments_are_not_guessed(monkeypatch, tmp_path):
    monkeypatch.setenv("RANKSTONE_ENGINE", "python")
    monkeypatch.setattr("rankstone.core.python_engine.MOST_NAMED", 2)
    run = write_run(tmp_path / "run", {f"q{i}": {"a": 1.0} for i in range(9)})
    with pytest.raises(rs.DataError, match="Choose queries='both'"):
        rs.evaluate({"q1": {"a": 1}}, run, ["RR"], queries="run")


def test_queries_without_relevant_documents(engine):
    judged = {"q1": {"a": 1}, "q2": {"a": 0}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    names = ["nDCG", "AP", "P@1", "CG", "NumRet"]
    zero = rs.evaluate(judged, run, names)
    assert zero.per_query["q2"] == {"nDCG": 0, "AP": 0, "P@1": 0, "CG": 0, "NumRet": 1}
    one = rs.evaluate(judged, run, names, no_relevant="one")
    assert one.per_query["q2"] == {"nDCG": 1, "AP": 1, "P@1": 1, "CG": 0, "NumRet": 1}
    skip = rs.evaluate(judged, run, names, no_relevant="skip")
    assert math.isnan(skip.per_query["q2"]["AP"])
    assert (skip["AP"], skip.counted["AP"], skip.counted["NumRet"]) == (1.0, 1, 2)
    with pytest.raises(rs.DataError, match="query 'q2' has no relevant document"):
        rs.evaluate(judged, run, names, no_relevant="error")


def test_relevance_threshold(engine):
    judged = {"q": {"a": 1, "b": 2}}
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert rs.evaluate(judged, run, ["RR"])["RR"] == 1.0
    assert rs.evaluate(judged, run, ["RR"], relevance=2)["RR"] == 0.5
    own = rs.evaluate(judged, run, ["RR(rel=1)", "RR(rel=2)"], relevance=2)
    assert own.per_query["q"] == {"RR(rel=1)": 1.0, "RR(rel=2)": 0.5}


def test_negative_grades_and_unjudged_documents(engine):
    judged = {"q": {"spam": -2, "a": 1, "b": 0}}
    run = {"q": {"spam": 4.0, "b": 3.0, "new": 2.0, "a": 1.0}}

    def rr(**choices):
        return rs.evaluate(judged, run, ["RR"], **choices)["RR"]

    assert rr() == 1 / 4
    assert rr(unjudged="remove") == 1 / 2
    assert rr(unjudged="remove", negatives="nonrelevant") == 1 / 3
    gains = rs.evaluate(judged, run, ["CG", "DCG(gain='exp2')"])
    assert gains["CG"] == 1.0


def test_removing_unjudged_documents_renumbers_ties(engine):
    judged = {"q": {"a": 1, "c": 0}}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    best = rs.evaluate(judged, run, ["RR", "NumRet"], unjudged="remove", ties="optimistic")
    assert best.per_query["q"] == {"RR": 1.0, "NumRet": 2.0}
    worst = rs.evaluate(judged, run, ["RR"], unjudged="remove", ties="pessimistic")
    assert worst["RR"] == 0.5


def test_duplicates(engine, tmp_path):
    run = tmp_path / "run"
    run.write_text("q Q0 x 1 9 t\nq Q0 x 2 8 t\nq Q0 d 3 7 t\nq Q0 d 4 9.5 t\n")
    result = rs.evaluate({"q": {"d": 1}}, run, ["RR", "NumRet"])
    assert result.per_query["q"] == {"RR": 1.0, "NumRet": 2.0}
    with pytest.raises(rs.DataError, match="'d' is ranked more than once for query 'q'"):
        rs.evaluate({"q": {"d": 1}}, run, ["RR"], duplicates="error")


LINES = "q Q0 a 1 9 t\nq Q0 x 2 8 t\nq Q0 a 3 7 t\nq Q0 b 4 6 t\nq Q0 x 5 5 t\nq Q0 a 6 4 t\n"


def test_repeated_documents_count_again_on_request(engine, tmp_path):
    """Recall is above 1, as in tools that count hits; every verb gives the same number."""
    run = tmp_path / "run"
    run.write_text(LINES)
    judged = {"q": {"a": 1, "b": 2, "c": 0}}
    chosen = rs.Conventions(duplicates="count")
    result = rs.evaluate(judged, run, ["R", "P@3", "AP", "NumRet"], conventions=chosen)
    ap = 37 / 24  # (1 + 2/3 + 3/4 + 4/6) / 2
    assert result.per_query["q"] == {"R": 2.0, "P@3": 2 / 3, "AP": ap, "NumRet": 6.0}
    (notice,) = result.warnings
    assert (notice.code, notice.count) == ("duplicate-documents", 3)
    assert "each occurrence counts again (duplicates=count)" in notice.text
    explanation = rs.explain("AP", judged, run, query="q", conventions=chosen)
    assert explanation.value == ap
    assert [step.document for step in explanation.steps] == ["a", "a", "b", "a"]
    assert "duplicates=count" in str(explanation)
    comparison = rs.compare(judged, {"a": run, "b": run}, ["AP"], conventions=chosen)
    assert {float(run["AP"]) for run in comparison.means.values()} == {ap}
    listed = {"q": ["a", "x", "a", "b", "x", "a"]}
    assert rs.evaluate(judged, listed, ["AP"], conventions=chosen)["AP"] == ap
    assert rs.AP(judged["q"], listed["q"], conventions=chosen) == ap
    evaluator = rs.Evaluator(judged, ["AP"], conventions=chosen)
    assert evaluator.add(listed).result()["AP"] == ap


def test_repetitions_that_keep_their_rank_are_not_relevant(engine, tmp_path):
    run = tmp_path / "run"
    run.write_text(LINES)
    judged = {"q": {"a": 1, "b": 2, "c": 0}}
    result = rs.evaluate(judged, run, ["R", "AP", "NumRet"], duplicates="keep")
    assert result.per_query["q"] == {"R": 1.0, "AP": (1 + 2 / 4) / 2, "NumRet": 6.0}


def test_reconcile_tries_to_count_repeated_documents_again():
    judged, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "a", "x", "b"]}
    found = rs.reconcile("R", judged, run, value="1.5").found
    assert [c.choices for c in found] == [(("convention", "duplicates", "count"),)]


def test_intervals_of_unjudged_documents_need_each_document_once():
    judged, run = {"q": {"a": 1}}, {"q": ["a", "x", "x"]}
    with pytest.raises(rs.UsageError, match="duplicates='first'"):
        rs.evaluate(judged, run, ["AP"], duplicates="count", unjudged_interval=True)


def test_a_list_counts_a_repeated_document_once():
    judged = {"q": {"b": 1}}
    result = rs.evaluate(judged, {"q": ["a", "a", "b"]}, ["RR", "NumRet"])
    assert result.per_query["q"] == {"RR": 0.5, "NumRet": 2.0}
    (notice,) = result.warnings
    assert (notice.code, notice.count) == ("duplicate-documents", 1)


@pytest.mark.parametrize("field", fields(rs.Conventions), ids=lambda f: f.name)
def test_every_choice_is_documented_and_checked(field):
    assert field.metadata["text"]
    assert all(field.metadata.get("values", {"x": "y"}).values())
    with pytest.raises(rs.UsageError, match=field.name):
        rs.Conventions(**{field.name: "nonsense"})


def test_a_misspelt_choice_gets_a_suggestion():
    with pytest.raises(rs.UsageError, match="Did you mean docid-desc"):
        rs.Conventions(ties="docid-dsc")
    with pytest.raises(rs.UsageError, match="Did you mean ties"):
        rs.evaluate(JUDGED, TIED, ["RR"], tie="input")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("P@4", 2 / 4),
        ("P(denominator='retrieved')@4", 2 / 3),
        ("P(denominator='min(k,R)')@1", 1 / 1),
        ("P(denominator='min(k,R)')@10", 2 / 5),
        ("R@1", 1 / 5),
        ("R(denominator='min(R,k)')@1", 1 / 1),
        ("AP@5", (1 + 2 / 3) / 5),
        ("AP(denominator='min(R,k)')@2", 1 / 2),
        ("AP(denominator='min(R,retrieved)')", (1 + 2 / 3) / 3),
        ("AP(denominator='hits')@5", (1 + 2 / 3) / 2),
        ("AP(denominator='k')@4", (1 + 2 / 3) / 4),
        ("AP(denominator='ranks')@4", (1 + 1 / 2 + 2 / 3 + 2 / 4) / 4),
        ("R(denominator='min(R,retrieved)')@4", 2 / 3),
        ("nDCG(ideal='full')@2", 1 / (1 + 1 / math.log2(3))),
        ("DCG(gain='binary')", 1 + 1 / 2),
        ("nDCG(ideal='retrieved')", (1 + 1 / 2) / (1 + 1 / math.log2(3))),
        ("nDCG(ideal='uncut')@1", 1 / sum(1 / math.log2(i + 1) for i in range(1, 6))),
        ("nDCG(discount='reciprocal')", (1 + 1 / 3) / sum(1 / i for i in range(1, 6))),
        ("nDCG(discount='none')", 2 / 5),
        ("DCG(discount='jarvelin')", 1 + 1 / math.log2(3)),
        ("DCG(gain={1: 3})@1", 3.0),
    ],
)
def test_choices_inside_measures(name, value):
    judged = {"q": dict.fromkeys("acxyz", 1)}
    assert rs.evaluate(judged, {"q": ["a", "b", "c"]}, [name])[name] == pytest.approx(value, 1e-15)


def test_missed_documents_can_be_unknown():
    judged = {"q": dict.fromkeys("acxyz", 1)}
    result = rs.evaluate(judged, {"q": ["a", "b", "c"]}, ["R", "AP", "NumRel"], missed="ignore")
    assert result.aggregates == {"R": 1.0, "AP": 0.8333333333333334, "NumRel": 2.0}


def test_scores_of_zero_or_less_can_lose_a_hit():
    judged, run = {"q": {"a": 1, "b": 2}}, {"q": {"x": 1.0, "a": 0.0, "b": 0.5}}
    names = ["RR", "NumRelRet", "NumRel", "nDCG"]
    result = rs.evaluate(judged, run, names, nonpositive="nonrelevant")
    ideal = 2 + 1 / math.log2(3)
    expected = {"RR": 0.5, "NumRelRet": 1.0, "NumRel": 2.0, "nDCG": 2 / math.log2(3) / ideal}
    assert result.aggregates == pytest.approx(expected, rel=1e-15)


def test_the_interval_of_luck_holds_the_value():
    judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0, "c": 2.0}}
    result = rs.evaluate(judged, run, ["RR", "P@3"], tie_interval=True)
    assert (result.ties.documents, result.ties.retrieved) == (2, 2)
    assert result.ties.interval == {"RR": (1 / 3, 1 / 2), "P@3": (1 / 3, 1 / 3)}
    again = rs.Result.from_json(result.to_json())
    assert again.ties == result.ties


def test_the_ideal_follows_the_gain_not_the_grade():
    judged = {"q": {"a": 1, "b": 2}}
    name = "nDCG(gain={1: 5, 2: 1})"
    assert rs.evaluate(judged, {"q": ["a", "b"]}, [name])[name] == 1.0


@st.composite
def tied_rankings(draw, *grades):
    """One query whose ties hold at most seven documents, some of them unjudged."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    if draw(st.booleans()):
        sizes = [draw(st.integers(2, 7))]
    documents = [f"d{i}" for i in range(sum(sizes))]
    levels = [-level for level, size in enumerate(sizes) for _ in range(size)]
    judged = draw(
        st.dictionaries(
            st.sampled_from([*documents, "x", "y"]), st.sampled_from(grades), min_size=1
        )
    )
    return {"q": judged}, {"q": dict(zip(documents, map(float, levels), strict=True))}


def in_every_order(judgments, run, measure):
    """The value of a query for each order of its tied documents."""
    # Every order is a query of its own, so one evaluation does for all.
    lists = {f"q{i}": order["q"] for i, order in enumerate(orders(judgments, run))}
    return rs.evaluate(dict.fromkeys(lists, judgments["q"]), lists, measure).values(measure)


@settings(max_examples=examples(200))
@given(tied_rankings(0, 0, 1, 2, 3), measures())
def test_expected_ties_are_the_mean_over_all_orders(collection, measure):
    assume(measure.supports_expected_ties and not measure.ties_as_one)
    values = in_every_order(*collection, measure)
    (expected,) = rs.evaluate(*collection, measure, ties="expected").values(measure)
    assert expected == pytest.approx(math.fsum(values) / len(values), abs=1e-12, nan_ok=True)


@settings(max_examples=examples(250))
@given(tied_rankings(-1, 0, 0, 1, 2, 3), measures())
def test_luck_is_the_best_and_the_worst_of_all_orders(collection, measure):
    assume(measure.supports_extreme_ties and not measure.ties_as_one)
    values = in_every_order(*collection, measure)
    ends = [min(values), max(values)]
    if not measure.definition.higher_is_better:
        ends.reverse()
    for rule, end in zip(("pessimistic", "optimistic"), ends, strict=True):
        (luck,) = rs.evaluate(*collection, measure, ties=rule).values(measure)
        assert luck == pytest.approx(end, rel=1e-13, nan_ok=True)


@pytest.mark.parametrize(
    ("rule", "order"), [("optimistic", ["b", "x", "a"]), ("pessimistic", ["a", "x", "b"])]
)
def test_with_luck_a_document_known_to_be_bad_is_worse_than_an_unknown_one(rule, order):
    run = {"q": {"x": 1.0, "a": 1.0, "b": 1.0}}
    shown = str(rs.explain("AP", {"q": {"a": 0, "b": 1}}, run, query="q", ties=rule))
    rows = [line.split()[:2] for line in shown.splitlines() if line[:4].strip().isdigit()]
    assert rows == [[str(rank), doc] for rank, doc in enumerate(order, 1)]


def test_luck_is_refused_if_no_order_is_known_to_be_the_best():
    for name in ("G", "AP(denominator='hits')@2"):
        with pytest.raises(rs.UsageError, match="worst order of tied documents are not known for"):
            rs.evaluate(JUDGED, TIED, name, ties="optimistic")
        assert rs.evaluate(JUDGED, {"q": ["a", "b"]}, name, ties="optimistic")[name] > 0
        result = rs.evaluate(JUDGED, TIED, [name, "RR"], tie_interval=True)
        assert list(result.ties.interval) == ["RR"]


def test_expected_ties_without_a_closed_form_are_refused():
    with pytest.raises(rs.UsageError, match="ERR has no closed form for ties='expected'"):
        rs.evaluate(JUDGED, TIED, "ERR", ties="expected")
    with pytest.raises(rs.UsageError, match="has no closed form"):
        rs.evaluate(JUDGED, TIED, "AP(denominator='hits')", ties="expected")
    free = {"q": {"a": 3.0, "b": 2.0}}
    assert rs.evaluate(JUDGED, free, "ERR", ties="expected")["ERR"] > 0


@pytest.mark.parametrize(
    "name",
    [
        "Pref",
        "Pref(which='retrieved')",
        "NumPref",
        "NumPref(kept='yes')",
        "AUC",
        "AUC(negatives='retrieved')",
        "AUC(missed='ignore')",
        "AUC(pairs='all')",
    ],
)
@given(collections())
def test_a_document_that_its_score_makes_not_relevant_counts_once(name, collection):
    judgments, run = collection
    lowered = {
        q: {d: min(g, 0) if run.get(q, {}).get(d, 1) <= 0 else g for d, g in docs.items()}
        for q, docs in judgments.items()
    }
    rules = {"ties": "input", "negatives": "nonrelevant"}
    result = rs.evaluate(judgments, run, name, nonpositive="nonrelevant", **rules)
    expected = rs.evaluate(lowered, run, name, **rules)
    assert np.array_equal(result.values(name), expected.values(name), equal_nan=True)


@pytest.mark.parametrize(("rule", "hits"), [("docid-asc", [1, 2]), ("docid-desc", [2, 3])])
def test_occurrences_of_a_document_in_a_tie_follow_each_other(engine, tmp_path, rule, hits):
    (tmp_path / "run").write_text("q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 a 3 1 t\n")
    names = ["P@1", "P@2", "P@3"]
    how = {"ties": rule, "duplicates": "count"}
    result = rs.evaluate({"q": {"a": 1}}, tmp_path / "run", names, **how)
    assert [result[name] for name in names] == [
        sum(rank <= k for rank in hits) / k for k in (1, 2, 3)
    ]
