"""What each convention does to ranks and grades, and when it matters."""

import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.core.rank import conventions_that_matter, score_needs
from rankstone.core.tie_breaking import TiedRows, before_by_gain

DEFAULT = rs.Conventions()


def ranked(judged, run, **rules):
    return collection(judged, run).ranked(rs.Conventions(**rules))


def rows(judged, run, **rules):
    """Return rank, grade and grade in the judgments of each row."""
    r = ranked(judged, run, **rules)
    return list(zip(r.rank.tolist(), r.grade.tolist(), r.original_grade.tolist(), strict=True))


REPEATED = {"q": ["x", "b", "x", "b", "a", "b"]}


def test_the_best_occurrence_of_a_document_counts():
    judged = {"q": {"a": 1, "b": 2}}
    assert rows(judged, REPEATED, duplicates="first") == [(2, 2, 2), (3, 1, 1)]
    first = ranked(judged, REPEATED, duplicates="first")
    assert (first.retrieved.tolist(), first.has_repeats) == ([3], False)


def test_repetitions_may_keep_their_ranks():
    judged = {"q": {"a": 1, "b": 2}}
    assert rows(judged, REPEATED, duplicates="keep") == [(2, 2, 2), (5, 1, 1)]
    keep = ranked(judged, REPEATED, duplicates="keep")
    assert (keep.retrieved.tolist(), keep.has_repeats) == ([6], True)


def test_repetitions_may_count_again():
    judged = {"q": {"a": 1, "b": 2}}
    again = [(2, 2, 2), (4, 2, 2), (5, 1, 1), (6, 2, 2)]
    assert rows(judged, REPEATED, duplicates="count") == again
    assert ranked(judged, REPEATED, duplicates="count").has_repeats
    assert not ranked(judged, {"q": ["a", "b"]}, duplicates="count").has_repeats


def test_repetitions_may_be_an_error():
    judged = {"p": {"a": 1}, "q": {"a": 1, "b": 2}}
    with pytest.raises(rs.DataError) as caught:
        ranked(judged, {"p": ["a"], **REPEATED}, duplicates="error")
    assert str(caught.value) == (
        "run: document 'x' is ranked more than once for query 'q'. Remove the repetition, or "
        "choose duplicates='first'."
    )
    assert rows(judged, {"p": ["a"], "q": ["b"]}, duplicates="error") == [(1, 1, 1), (1, 2, 2)]


@pytest.mark.parametrize("rule", ["docid-desc", "docid-asc", "input"])
def test_repetitions_in_a_tie_are_in_input_order(tmp_path, engine, rule):
    """With the documents of the tie in the order of the rule, each occurrence after the other."""
    path = tmp_path / "run"
    path.write_text(
        "".join(
            f"q Q0 {d} 1 {s} t\n" for d, s in [("b", 5), ("a", 5), ("b", 5), ("c", 5), ("b", 1)]
        )
    )
    judged = {"q": {"a": 1, "b": 2, "c": 3}}
    order = {"docid-desc": "cbba", "docid-asc": "abbc", "input": "babc"}[rule] + "b"
    expected = [(i, judged["q"][d]) for i, d in enumerate(order, 1)]
    found = ranked(judged, path, duplicates="count", ties=rule)
    assert list(zip(found.rank.tolist(), found.grade.tolist(), strict=True)) == expected
    kept = ranked(judged, path, duplicates="keep", ties=rule)
    best = [(order.index(d) + 1, g) for d, g in judged["q"].items()]
    assert sorted(zip(kept.rank.tolist(), kept.grade.tolist(), strict=True)) == sorted(best)


def test_scores_of_0_and_less_may_make_documents_not_relevant():
    judged = {"q": {"a": 1, "b": 2, "c": -1, "d": 1}}
    run = {"q": {"a": 0.5, "b": 0.0, "c": -1.0, "d": -2.0}}
    assert rows(judged, run) == [(1, 1, 1), (2, 2, 2), (4, 1, 1)]
    changed = [(1, 1, 1), (2, 0, 2), (4, 0, 1)]
    assert rows(judged, run, nonpositive="nonrelevant") == changed
    assert ranked(judged, run, nonpositive="nonrelevant").judged_grade.tolist() == [2, 1, 1]
    assert rows(judged, {"q": ["a", "b"]}, nonpositive="nonrelevant") == [(1, 1, 1), (2, 2, 2)]


def test_scores_of_0_and_less_in_lists():
    labels = [[1, 2, 0, 1], [2, 1, 1, 0], [1, 1, 1, 3]]
    scores = [[0.5, 0.0, -1.0, -2.0], [0.0, 0.0, 2.0, 2.0], [-1.0, 2.0, 3.0, 4.0]]
    for rule in ("input", "optimistic", "pessimistic"):
        found = ranked(labels, scores, nonpositive="nonrelevant", ties=rule)
        plain = ranked(labels, scores, ties=rule)
        assert sorted(found.original_grade.tolist()) == sorted(plain.grade.tolist())
        assert found.judged_grade.tolist() == plain.judged_grade.tolist()
        for score, grade, original in zip(
            found.score, found.grade, found.original_grade, strict=True
        ):
            assert grade == (original if score > 0 else 0)
        judged = {q: {f"d{9 - i}": g for i, g in enumerate(row)} for q, row in enumerate(labels)}
        run = {q: {f"d{9 - i}": s for i, s in enumerate(row)} for q, row in enumerate(scores)}
        names = ["nDCG", "AP", "RR", "P@1"]
        lists = rs.evaluate(labels, scores, names, nonpositive="nonrelevant", ties=rule)
        dicts = rs.evaluate(judged, run, names, nonpositive="nonrelevant", ties=rule)
        for name in names:
            assert lists.values(name).tolist() == dicts.values(name).tolist()


def test_negative_grades_are_no_judgment_or_not_relevant():
    judged = {"q": {"a": -1, "b": 2, "c": -2, "d": 0}, "r": {"a": 1}}
    run = {"q": ["a", "b", "x", "d"], "r": ["a"]}
    unjudged = ranked(judged, run)
    assert unjudged.rank.tolist() == [2, 4, 1]
    assert (unjudged.pooled.tolist(), unjudged.pooled_offsets.tolist()) == ([1], [0, 1, 1])
    assert unjudged.judged_grade.tolist() == [2, 0, 1]
    other = ranked(judged, run, negatives="nonrelevant")
    assert other.rank.tolist() == [1, 2, 4, 1]
    assert (other.grade.tolist(), other.pooled) == ([0, 2, 0, 1], None)
    assert other.judged_grade.tolist() == [2, 0, 0, 0, 1]
    missed = ranked({"q": {"a": 0, "b": -1}}, {"q": ["a"]})
    assert (missed.pooled, missed.judged_grade.tolist()) == (None, [0])


def test_judged_documents_that_were_missed_may_be_left_out():
    judged = {"q": {"a": 1, "b": 2, "c": -1, "m": 3}, "r": {"m": 1}}
    run = {"q": ["b", "c", "a"], "r": ["x"]}
    assert ranked(judged, run).judged_grade.tolist() == [3, 2, 1, 1]
    left = ranked(judged, run, missed="ignore")
    assert left.judged_grade.tolist() == [2, 1]
    assert left.judged_offsets.tolist() == [0, 2, 2]
    assert left.max_grade == 3


def test_unjudged_documents_may_be_taken_out():
    judged = {"q": {"a": 1, "b": 0}}
    assert rows(judged, {"q": ["x", "b", "y", "a"]}) == [(2, 0, 0), (4, 1, 1)]
    assert rows(judged, {"q": ["x", "b", "y", "a"]}, unjudged="remove") == [(1, 0, 0), (2, 1, 1)]


def test_scores_may_be_rounded_to_32_bits():
    judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0 + 1e-12}}
    assert ranked(judged, run).tied.tolist() == [1, 1]
    assert ranked(judged, run).rank.tolist() == [1, 2]
    assert ranked(judged, run).grade.tolist() == [0, 1]
    assert ranked(judged, run, precision="float32").tied.tolist() == [2, 2]
    lists = [[1, 0]], [[1.0, 1.0 + 1e-12]]
    assert ranked(*lists, ties="input").grade.tolist() == [0, 1]
    assert ranked(*lists, ties="input", precision="float32").grade.tolist() == [1, 0]


def test_queries_that_are_averaged():
    judged, run = {"p": {"a": 1}, "q": {"a": 1}}, {"q": ["a"], "r": ["a"]}
    assert [ranked(judged, run, queries=rule).queries for rule in ("judged", "both", "run")] == [
        ["p", "q"],
        ["q"],
        ["q", "r"],
    ]


def test_documents_that_gain_as_little_as_unjudged_ones_are_in_order_of_grade():
    """Of five documents that share a score three are judged: grades 1, 0 and 2, gains 0, 0 and 1."""
    gain, grade, above, tied = map(np.array, ([0.0, 0.0, 1.0], [1.0, 0.0, 2.0], [0] * 3, [5] * 3))
    rows = TiedRows(np.array([0, 3]), grade, above, tied, np.arange(3))
    for luck, before in ((1, [1, 4, 0]), (-1, [3, 0, 4])):
        assert before_by_gain(luck, rows, gain, 0.0).tolist() == before


def test_rules_for_ties_that_need_ids_or_the_input():
    with pytest.raises(rs.UsageError) as caught:
        ranked([[1, 0]], [[0.5, 0.5]], ties="docid-asc")
    assert str(caught.value) == (
        "ties='docid-asc' needs document ids, and these are bare scores. Choose 'input', "
        "'expected', 'optimistic' or 'pessimistic'."
    )
    assert ranked([[1, 0]], None, ties="docid-asc").rank.tolist() == [1, 2]


def test_what_conventions_read_of_scores():
    usual = {"negatives", "ids"}
    cases = [
        ([{}], usual),
        ([{"negatives": "nonrelevant"}], {"ids"}),
        ([{"negatives": "nonrelevant"}, {}], usual),
        ([{"nonpositive": "nonrelevant"}, {}], usual | {"values"}),
        ([{"precision": "float32"}, {}], usual | {"float32"}),
        ([{"ties": "expected"}, {}], usual | {"every_tie"}),
        ([{"unjudged": "remove"}, {}], usual | {"unjudged"}),
        ([{"ties": "expected", "negatives": "nonrelevant"}], {"every_tie"}),
        ([], set()),
    ]
    for rules, needs in cases:
        read = score_needs(rs.Conventions(**rule) for rule in rules)
        assert {name for name, value in read._asdict().items() if value} == needs


PLAIN = ({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}})


def test_conventions_that_could_change_a_number():
    cases = [
        (*PLAIN, set()),
        (PLAIN[0], {"q": {"a": 1.0, "b": 1.0}}, {"ties"}),
        (PLAIN[0], {"q": {"a": 1.0, "b": 1.0 + 1e-12}}, {"precision"}),
        ({"q": {"a": 1}}, {"q": {"a": 1.0 + 1e-12, "x": 1.0}}, {"precision", "unjudged"}),
        (PLAIN[0], {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}, {"queries"}),
        ({**PLAIN[0], "r": {"a": 1}}, PLAIN[1], {"queries", "missed"}),
        ({"q": {"a": 0, "b": 0}}, PLAIN[1], {"no_relevant"}),
        ({"q": {"a": 1, "b": -1}}, PLAIN[1], {"negatives", "unjudged"}),
        (PLAIN[0], {"q": {"a": 2.0, "b": 1.0, "x": 0.5}}, {"unjudged"}),
        (PLAIN[0], {"q": {"a": 2.0}}, {"missed"}),
        (PLAIN[0], {"q": {"a": 2.0, "b": 0.0}}, {"nonpositive"}),
        (PLAIN[0], {"q": ["a", "b", "a"]}, {"duplicates"}),
        ({"q": {"a": 2, "b": 1}}, PLAIN[1], {"relevance"}),
        ({"q": {"a": 0.5, "b": 0}}, PLAIN[1], {"relevance", "no_relevant"}),
        ({"q": {"a": 2, "b": 0}}, PLAIN[1], set()),
        ([[1, 0], [0, 1]], [[0.5, 0.25], [0.5, 0.25]], set()),
        ([[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.25]], {"ties"}),
        ([[1, 0], [0, 1]], [[0.5, 0.25], [0.5, -0.25]], {"nonpositive"}),
    ]
    for judged, run, matters in cases:
        data = collection(judged, run)
        found = conventions_that_matter(data, data.default)
        assert {*found} == matters
        for name in matters - {"relevance"}:
            assert found[name] == rs.Conventions.choices()[name]


def test_every_grade_above_0_is_a_level_of_relevance():
    data = collection({"q": {"a": 3, "b": 1, "c": -1, "d": 0}}, {"q": ["a", "b", "d"]})
    assert conventions_that_matter(data, DEFAULT)["relevance"] == [1, 3]
