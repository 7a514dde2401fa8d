"""Judgments and runs in dictionaries, and runs without some of their documents."""

import warnings
from decimal import Decimal
from itertools import product
from types import MappingProxyType

import numpy as np
import pytest
from strategies import write_qrels

import rankstone as rs
from rankstone.core.dicts import ListedRun, ScoredRun, judgments_of, run_of
from rankstone.core.look_alike import documents_that_look_alike
from rankstone.verbs.load import load_judgments, load_run


@pytest.mark.parametrize(
    "given",
    [
        {"q": ["a", "b", "a"], "r": {"c"}},
        {"q": [np.str_("a"), "b", "a"], "r": {"c"}},
        {"q": {"a": True, "b": np.True_}, "r": {"c": 1}},
        {"q": {"a": Decimal(1), "b": "1"}, "r": ("c",)},
        {"r": np.array(["c"]), "q": np.array(["a", "b"])},
    ],
)
def test_relevant_documents_have_grade_1(engine, given):
    judgments = judgments_of(given)
    assert judgments.grades.tolist() == [1, 1, 1]
    assert judgments.groups.tolist() == [0, 2, 3]
    assert list(judgments.queries) == ["q", "r"]
    assert judgments.docs_by_query == [["a", "b"], ["c"]]


def test_bad_judgments_are_refused(engine):
    cases = [
        ({}, "the judgments are empty."),
        (
            {1: {"a": 1}, "1": {"a": 1}},
            "the judgments: query '1' is there twice, as text and as a number. Keep one.",
        ),
        (
            {"q": {"b": 1, 1: 1, "1": 0}},
            "judgments of query 'q': document '1' is there twice, as text and as a number. Keep one.",
        ),
        (
            {"q": "abc"},
            "judgments of query 'q': expected a dict, or a list or set of document ids, not 'abc'.",
        ),
        (
            {"q": 7},
            "judgments of query 'q': expected a dict, or a list or set of document ids, not 7.",
        ),
        ({"q": {"a": "x"}}, "judgments of query 'q', document 'a': grade 'x' is not a number."),
    ]
    for given, message in cases:
        with pytest.raises(rs.DataError) as caught:
            judgments_of(given)
        assert str(caught.value) == message


def test_negative_grades_are_counted():
    (notice,) = judgments_of({"q": {"a": -1, "b": 0, "c": 1}, "r": {"a": -0.5}}).notices
    assert (notice.code, notice.count) == ("negative-grades", 2)
    assert judgments_of({"q": {"b": 0, "c": 1}}).notices == ()


def test_ids_of_two_types_in_different_queries_are_text(engine):
    judgments = judgments_of({"q": {1: 1}, "r": {"1": 2, "x": 0}})
    assert judgments.docs_by_query == [["1"], ["1", "x"]]
    assert not judgments.docs.typed


JUDGED = {"q": {"a": 1, "b": 0}}
SCORES = "If these are scores of labels in the same places"
WITH_SCORES = "Documents with scores go into a dict, {document: score}."


def test_bad_runs_are_refused(engine):
    cases = [
        ({}, "the run is empty."),
        ({"q": ["a", ""]}, "run, query 'q': empty document id. Give every document an id."),
        ({"": ["a"]}, "empty query id. Give every query an id."),
        (
            {"q": {"a": 1.0}, "r": ["a"], "s": {"a": 1.0}},
            "the run holds scores for some queries and lists for others (query 'r'); use one form.",
        ),
        ({"q": {"a"}}, "run, query 'q': a set has no order; give a list, best first."),
        ({"q": ["a", 0.5]}, SCORES),
        ({"q": ["a", ("b", 0.5)]}, WITH_SCORES),
        (
            {"q": ["a", None]},
            "run, query 'q': document id None is neither text nor a whole number.",
        ),
        ({"q": {"a": None}}, "run, query 'q': score None of document 'a' is not a number."),
        (
            {"q": {"a": float("nan")}},
            "run, query 'q': score nan of document 'a' is not a finite number.",
        ),
        ({"q": {"a": "x"}}, "run, query 'q': score 'x' is not a number."),
        (
            {"q": {1: 1.0, "1": 2.0}},
            "run, query 'q': document '1' is there twice, as text and as a number. Keep one.",
        ),
        (
            {"q": {"x": 0.5, 1: 1.0}, 1: {"a": 1.0}, "1": {"a": 1.0}},
            "run: query '1' is there twice, as text and as a number. Keep one.",
        ),
        (
            {"q": {b"a": 1.0, "a": 2.0}},
            "run, query 'q': a document is there twice, in two types. Keep one.",
        ),
    ]
    for run, message in cases:
        with pytest.raises(rs.RankstoneError) as caught:
            rs.evaluate(JUDGED, run, ["RR"])
        assert message in str(caught.value)
        assert (SCORES in str(caught.value)) == (message == SCORES)
        assert (WITH_SCORES in str(caught.value)) == (message == WITH_SCORES)


def test_a_run_is_one_of_scores_or_of_lists():
    assert isinstance(run_of({"q": {"a": 1.0}}), ScoredRun)
    assert isinstance(run_of({"q": ["a"]}), ListedRun)
    assert run_of({"q": {"a": 1.0}}).direction == 1
    assert run_of({"q": {"a": 1.0}}, ascending=True).direction == -1
    assert run_of({"q": ["a"]}).direction == 0
    with pytest.raises(
        rs.UsageError, match="run: the run has no scores, and is ranked by position"
    ):
        run_of({"q": ["a"]}, ascending=True)
    for made in (run_of({"q": {"a": 1.0}}), run_of({"q": ["a"]})):
        assert made.typed
        assert made.name == "run"
    assert not ScoredRun({}).ascending
    with pytest.raises(
        rs.DataError, match=r"scores for some queries and lists for others \(query 'r'\)"
    ):
        run_of({"q": {"a": 1.0}, "r": ["a"]})
    with pytest.raises(rs.DataError, match="empty query id"):
        run_of({"": ["a"]})
    with pytest.raises(rs.DataError, match="the run is empty"):
        run_of({})
    assert run_of(MappingProxyType({"q": ["a"]})).data == {"q": ["a"]}
    assert type(run_of(MappingProxyType({"q": ["a"]})).data) is dict
    proxy = {"q": MappingProxyType({"a": 1.0})}
    for data in ({"q": ["a"]}, {"q": {"a": 1.0}}, proxy):
        assert [run_of(data).name, run_of(data, "mine").name] == ["run", "mine"]


def test_lists_are_matched_by_position():
    cases = [
        (["a", "b"], False, [(0, 0), (1, 1)], 2),
        (["x", "b", "b", "x", "a"], False, [(0, 2), (1, 1)], 3),
        (["x", "b", "b", "x", "a"], True, [(0, 4), (1, 1), (1, 2)], 5),
        (["a", "b"], True, [(0, 0), (1, 1)], 2),
        ([], True, [], 0),
    ]
    for ranking, repeats, rows, retrieved in cases:
        found = run_of({"q": ranking}).match(judgments_of(JUDGED), float32=False, repeats=repeats)
        assert list(zip(found.judgment.tolist(), found.above.tolist(), strict=True)) == rows
        assert found.score.tolist() == [-place for _, place in rows]
        assert found.tied.tolist() == [1] * len(rows)
        assert found.earlier.tolist() == found.greater.tolist() == [0] * len(rows)
        assert found.retrieved.tolist() == [retrieved]
        assert found.duplicates.tolist() == [len(ranking) - len({*ranking})]
        assert found.present.tolist() == [True]
        assert not found.rank_disagrees.any()
        assert found.duplicate == ({0: "b"} if len(ranking) > 2 else {})


@pytest.mark.parametrize("listed", [True, False])
def test_unjudged_documents_and_queries_are_sampled(engine, listed):
    judged = {"p": {"a": 1, "m": 1}, "q": {"a": 1, "b": 1}, "r": {"a": 1, "m": 1}}
    run = {"p": ["a", "x"], "q": ["a", "z", "b"], "r": ["b", "a", "y"], "t10": ["a"], "t9": ["a"]}
    if not listed:
        run = {q: {d: -i for i, d in enumerate(docs)} for q, docs in run.items()}
    found = run_of(run).match(judgments_of(judged), float32=False, repeats=False)
    samples = found.doc_samples
    assert samples.queries.tolist() == [0, 2]
    assert samples.bounds.tolist() == [0, 1, 3]
    assert list(samples.docs) == ["x", "b", "y"]
    assert (found.unjudged_queries, found.unjudged_sample) == (2, ("t10", "t9"))
    numbered = run_of({10: ["a"], 9: ["a"]}).match(
        judgments_of({1: ["a"]}), float32=False, repeats=False
    )
    assert numbered.unjudged_sample == (9, 10)


def test_a_thousand_unjudged_documents_of_a_query_are_sampled():
    run = {"q": [f"d{i}" for i in range(5000)]}
    found = run_of(run).match(judgments_of({"q": ["x"]}), float32=False, repeats=False)
    from rankstone.core.matches import SAMPLED_DOCS

    assert list(found.doc_samples.docs) == run["q"][:SAMPLED_DOCS]


@pytest.mark.parametrize(
    "run", [{1: [7, 8]}, {1: {7: 2.0, 8: 1.0}}, {"1": ["7", "8"]}, {"1": {"7": 2.0, "8": 1.0}}]
)
@pytest.mark.parametrize("kind", ["file", "numbers", "text"])
def test_only_text_of_a_file_matches_numbers(engine, tmp_path, run, kind):
    judged = write_qrels(tmp_path / "qrels", {"1": {"8": 1, "x": 1}})
    if kind == "numbers":
        judged = {1: {8: 1, 9: 1}}
    if kind == "text":
        judged = {"1": {"8": 1, "x": 1}}
    same = kind == "file" or (kind == "numbers") == (1 in run)
    if same:
        assert rs.evaluate(judged, run, ["RR"])["RR"] == 0.5
    else:
        with pytest.raises(rs.DataError, match="no query is both judged and in the run"):
            rs.evaluate(judged, run, ["RR"])


def test_ids_of_two_types_in_a_run_are_text(engine):
    for run in ({"q": {1: 2.0, "x": 1.0}}, {"q": [1, "x"]}):
        assert rs.evaluate({"q": {"1": 1}}, run, ["RR"])["RR"] == 1
        assert rs.evaluate({"q": {"x": 1}}, run, ["RR"])["RR"] == 0.5


def test_judged_numbers_match_a_run_with_ids_of_two_types(engine):
    for run in ({1: {7: 2.0, "x": 1.0}}, {1: {"x": 2.0, 7: 1.0}}):
        assert rs.evaluate({1: {7: 1}}, run, ["R"])["R"] == 1


def test_documents_that_look_alike_are_found_in_their_query(engine):
    judged = {"p": {"a": 1, "B": 1}, "q": {"C": 1, "d": 1}, "r": {"E": 1, "a": 1}}
    run = {"p": ["a", "b", "c"], "q": ["d", "C", "b", "e"], "r": ["e", "B"]}
    judgments = load_judgments(judged)
    found = load_run(run).match(judgments, float32=False, repeats=False)
    pairs, more = documents_that_look_alike(judgments, found)
    assert pairs == [("B", "b"), ("E", "e")]
    assert not more
    none = load_run({q: list(docs) for q, docs in judged.items()})
    assert documents_that_look_alike(
        judgments, none.match(judgments, float32=False, repeats=False)
    ) == ([], False)


# Documents that are left out --------------------------------------------------------------------

RUN = {
    "p": {"a": 3.0, "b": 3.0, "c": 3.0, "d": 2.0, "e": 2.0, "f": 1.0},
    "q": {"f": 1.0, "e": 1.0, "d": 1.0, "c": 1.0},
    "r": {"a": 2.0, "b": 1.0},
}
LEFT = {
    "p": {"c": 1, "d": 1, "e": 0, "z": 1},
    "q": {"c": 1, "e": 2, "f": 0},
    "r": {"b": 1},
    "s": {"a": 1},
}
OUT = [
    {"p": ["b"]},
    {"p": ["a", "d"], "q": ["d"]},
    {"p": ["c"], "r": ["b"]},
    {"p": ["c", "a"], "q": ["f", "e"], "r": ["a", "b"]},
    {"p": ["z", "y"], "s": ["a"], "t": ["a"]},
    {"t": ["a"]},
]
NAMES = ["RR", "AP", "nDCG", "NumRet", "NumRelRet", "NumRel", "Judged@2", "P@2"]


@pytest.mark.parametrize(
    "rule", ["input", "docid-desc", "docid-asc", "expected", "optimistic", "pessimistic"]
)
@pytest.mark.parametrize("out", OUT)
def test_values_without_some_documents_are_those_of_a_run_that_lacks_them(engine, out, rule):
    less = {
        q: {d: s for d, s in docs.items() if d not in out.get(q, ())} for q, docs in RUN.items()
    }
    got = rs.evaluate(LEFT, RUN, NAMES, exclude=out, ties=rule)
    want = rs.evaluate(LEFT, less, NAMES, ties=rule)
    for name in NAMES:
        assert got.values(name).tolist() == want.values(name).tolist(), name


@pytest.mark.parametrize("out", OUT)
def test_documents_left_out_are_counted(engine, out):
    notices = {n.code: n for n in rs.evaluate(LEFT, RUN, NAMES, exclude=out).notices}
    gone = [(q, d) for q, docs in RUN.items() for d in docs if d in out.get(q, ()) and q in LEFT]
    both = [(q, d) for q, docs in LEFT.items() for d in docs if d in out.get(q, ())]
    cold = [q for q in LEFT if q not in out]
    for code, rows in (("excluded", gone), ("excluded-judged", both), ("cold-queries", cold)):
        assert code in notices or not rows
        assert notices[code].count == len(rows) if rows else code not in notices
    if gone:
        (example,) = notices["excluded"].examples
        assert example in [f"document {d} of query {q}" for q, d in gone]
        assert notices["excluded"].level == "note"
    if both:
        query, doc = both[0]
        assert notices["excluded-judged"].examples == (f"document {doc} of query {query}",)
    if cold:
        assert notices["cold-queries"].examples == tuple(cold[:3])
        assert (
            notices["cold-queries"].text == f"{len(cold)} of 4 judged queries not in exclude (cold)"
        )


def test_the_first_judged_document_may_be_left_out():
    notices = {
        n.code: n
        for n in rs.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["RR"], exclude={"q": ["a"]}).notices
    }
    assert notices["excluded-judged"].examples == ("document a of query q",)
    assert notices["excluded"].examples == ("document a of query q",)


@pytest.mark.parametrize(
    ("out", "twin"),
    [
        ({"1": ["010"], "2": ["10.0"]}, ("'010' looks like '10'",)),
        ({"01": ["10"]}, ("'01' looks like '1'",)),
        ({"8": ["10"]}, ()),
    ],
)
def test_an_exclude_that_removes_nothing_is_a_warning(engine, out, twin):
    judged, run = {"1": {"12": 1}, "2": {"13": 1}}, {"1": ["10", "12"], "2": ["10", "13"]}
    with pytest.warns(rs.RankstoneWarning, match="so nothing was removed"):
        result = rs.evaluate(judged, run, "RR", exclude=out)
    (notice,) = result.warnings
    assert (notice.code, notice.examples, result["RR"]) == ("nothing-excluded", twin, 0.5)
    for harmless in ({"1": ["10", "x"], "3": ["y"]}, {"1": ["77"]}, {}):
        assert not rs.evaluate(judged, run, "RR", exclude=harmless).warnings


def test_an_exclude_that_removes_nothing_from_a_table_or_factors_is_a_warning():
    matrices = pytest.importorskip("scipy.sparse")
    model = rs.Factors([[1.0], [1.0]], [[1.0], [2.0]])
    seen = matrices.csr_matrix([[0, 1], [0, 0]])
    for out, n in (({0: [1]}, 0), ({0: [9]}, 1), ({7: [1]}, 1), (seen, 0), (seen[::-1], 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = rs.evaluate({0: {0: 1}}, model, "RR", exclude=out)
        assert [w.code for w in got.warnings].count("nothing-excluded") == n


def test_a_part_from_which_nothing_is_excluded_is_not_a_warning():
    judged, run = {"a": {"x": 1}, "b": {"x": 1}}, {q: ["y", "x"] for q in "ab"}
    for seen, codes in (({"a": ["y"]}, []), ({"a": ["Y"]}, ["nothing-excluded"])):
        evaluator = rs.Evaluator(None, ["RR"], exclude=seen)
        for q in "ab":
            evaluator.add({q: run[q]}, judgments={q: judged[q]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert [w.code for w in evaluator.result().warnings] == codes


def test_cold_queries_of_parts_add_up():
    evaluator = rs.Evaluator(None, ["RR"])
    for queries, out in (
        ("ab", {"a": ["x"]}),
        ("cd", {"c": ["x"], "d": ["x"]}),
        ("e", {"z": ["x"]}),
    ):
        judged = {q: {"x": 1, "y": 1} for q in queries}
        evaluator.add({q: ["x", "y"] for q in queries}, judgments=judged, exclude=out)
    notices = {n.code: n for n in evaluator.result().notices}
    assert notices["cold-queries"].text == "2 of 5 judged queries not in exclude (cold)"


@pytest.mark.parametrize(("judged", "out"), list(product(("text", "number"), repeat=2)))
def test_ids_left_out_are_of_the_kind_of_the_judgments(judged, out):
    of = {"text": str, "number": int}
    query, doc = map(of[judged], (1, 7))
    again, gone = map(of[out], (1, 8))
    run = {query: [of[judged](8), doc]}
    if judged == out:
        assert rs.evaluate({query: {doc: 1}}, run, ["RR"], exclude={again: [gone]})["RR"] == 1
    else:
        words = {"text": "text", "number": "whole numbers"}
        with pytest.raises(rs.DataError) as caught:
            rs.evaluate({query: {doc: 1}}, run, ["RR"], exclude={again: [gone]})
        assert str(caught.value) == (
            f"exclude: query ids are {words[out]}, those of the judgments {words[judged]}; "
            "ids are compared exactly, so write them alike."
        )
    assert rs.evaluate({query: {doc: 1}}, run, ["RR"])["RR"] == 0.5
