"""What is said about data: counts, words, and from where on something is said."""

import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.core import notices
from rankstone.core.look_alike import look_alike_notices, look_alikes
from rankstone.core.reading_notices import merged_notices, reading_notice
from rankstone.core.tally import COUNTS, Tally
from rankstone.errors import Notice
from rankstone.verbs.load import load_judgments, load_run

DEFAULT = rs.Conventions()


def said(tally, code, conventions=DEFAULT):
    """Return the notice of a code on the data, None if there is none."""
    return next((n for n in notices.data_notices(tally, conventions) if n.code == code), None)


def test_nothing_is_counted_and_said_at_first():
    assert {getattr(Tally(), name) for name in COUNTS} == {0}
    assert notices.data_notices(Tally(), DEFAULT) == ()
    assert notices.ranking_notices(Tally(), DEFAULT, 10) == ()


def test_fewer_than_half_of_the_top_judged_is_said():
    cases = [(0, 0, None), (0, 9, "0%"), (49, 100, "49%"), (1, 2, None), (2, 2, None)]
    for judged, top, share in cases:
        found = notices.ranking_notices(Tally(judged_in_top=judged, top=top), DEFAULT, 10)
        wanted = f"only {share} of the documents down to rank 10 are judged; the rest count as not relevant"
        assert [(n.code, n.count, n.text) for n in found] == (
            [("judged-share", judged, wanted)] if share else []
        )


def test_ties_are_a_note_from_one_in_a_hundred_on():
    cases = [
        (1, 100, "note", "1 of 100 judged documents found shares its score with another"),
        (1, 101, "info", "1 of 101 judged documents found shares its score with another"),
        (2, 2, "note", "2 of 2 judged documents found share their score with another"),
        (3, 301, "info", "3 of 301 judged documents found share their score with another"),
    ]
    for tied, of, level, words in cases:
        notice = said(Tally(tied=tied, documents=of), "ties")
        assert (notice.count, notice.level, notice.text.partition("; ")[0]) == (tied, level, words)
        assert said(Tally(documents=of), "ties") is None
        expected = rs.Conventions(ties="expected")
        assert said(Tally(tied=tied, documents=of), "ties", expected) is None


def test_ties_at_large_scores_are_said():
    cases = [
        (1, "1 document shares a score of 2^53 or more"),
        (2, "2 documents share scores of 2^53 or more"),
    ]
    for tied, words in cases:
        notice = said(Tally(large_ties=tied), "large-scores")
        assert (notice.count, notice.level) == (tied, "note")
        assert notice.text.startswith(f"{words} with another; ")


LARGE = 2.0**53


@pytest.mark.parametrize(
    ("scores", "tied"),
    [
        ([LARGE, LARGE, 1.0], 2),
        ([-LARGE, -LARGE, 1.0], 2),
        ([LARGE, 1.0, 1.0], 0),
        ([LARGE - 1, LARGE - 1, 1.0], 0),
        ([LARGE + 2, LARGE, LARGE], 2),
        ([LARGE, -LARGE, 1.0], 0),
        ([1e300, 1e300, 1e300], 3),
    ],
)
def test_scores_are_large_from_two_to_the_53_on(engine, scores, tied):
    docs = ["a", "b", "c"]
    for judged in ({"q": dict.fromkeys(docs, 1)}, {"q": dict.fromkeys(docs, 1), "r": {"a": 1}}):
        run = {query: dict(zip(docs, scores, strict=True)) for query in judged}
        result = rs.evaluate(judged, run, ["RR"])
        (count,) = [n.count for n in result.notices if n.code == "large-scores"] or [0]
        assert count == tied + (len(judged) == 2) * (tied and scores[0] in scores[1:])
    assert notices.large_ties_in_lists(np.array(scores), np.array([0, 3])) == tied
    twice = np.array([*scores, *scores])
    assert notices.large_ties_in_lists(twice, np.array([0, 3, 6])) == 2 * tied
    assert notices.large_ties_in_lists(np.array([LARGE, LARGE]), np.array([0, 1, 2])) == 0
    assert notices.large_ties_in_lists(np.zeros(0), np.zeros(1, np.int64)) == 0


def test_a_large_score_without_another_is_no_tie():
    result = rs.evaluate({"q": {"a": 1, "b": 1}}, {"q": {"a": LARGE, "b": 1.0, "c": 1.0}}, ["RR"])
    assert "large-scores" not in [n.code for n in result.notices]


def test_a_single_example_is_given_of_repeated_documents():
    examples = {"duplicate-documents": ("document a of query q", "document b of query r")}
    notice = said(Tally(duplicates=2, examples=examples), "duplicate-documents")
    assert notice.examples == ("document a of query q",)
    assert notice.text.startswith("2 repeated documents in the run; ")


def test_a_notice_that_counts_nothing_is_not_shown():
    none = reading_notice("cold-queries", 0, of=5, keep_zero=True)
    some = reading_notice("cold-queries", 2, of=5, keep_zero=True)
    uncounted = Notice("other", 0, "of no number")
    assert notices.data_notices(Tally(reading=(*none, *some, uncounted)), DEFAULT) == (
        *some,
        uncounted,
    )
    assert none[0].of == 5
    assert reading_notice("excluded", 1)[0].of == 0
    assert reading_notice("cold-queries", 0, of=5) == []


def test_counts_of_parts_add_up_with_their_words():
    parents = [reading_notice("parents", n, of=n - 1, more="; more") for n in (2, 5)]
    (both,) = merged_notices(*parents)
    assert (both.count, both.of, both.text) == (7, 5, "7 chunks of 5 documents in the run; more")
    one, two = (reading_notice("excluded", n, examples) for n, examples in ((1, "d"), (9, "abce")))
    assert merged_notices(one, two)[0].examples == ("a", "b", "c")
    assert merged_notices(one, one)[0].examples == ("d",)
    assert merged_notices(one, ())[0].count == 1
    once = [Notice("other", 1, "of a file")]
    assert merged_notices(once, once) == tuple(once)
    assert merged_notices(once, [Notice("other", 1, "another")])[0].text == "another"


def test_parts_that_are_merged_keep_the_smallest_ids_and_examples():
    one = Tally(tied=1, missing=tuple(range(700)), examples={"a": ("5", "6")})
    other = Tally(tied=2, missing=(*range(600, 1300), "x"), examples={"a": ("1", "7"), "b": ("c",)})
    both = one.merge(other)
    assert both.tied == 3
    assert both.missing == tuple(range(1000))
    assert both.examples == {"a": ("1", "5", "6"), "b": ("c",)}
    assert Tally(missing=("a", 2)).merge(Tally(missing=(10,))).missing == (2, 10, "a")


def test_the_first_cutoff_is_the_lowest():
    for cutoffs, first in (([], 0), ([None], 0), ([10, None, 5, 20], 5), ([3], 3)):
        assert notices.first_cutoff(cutoffs) == first


def counted(judged, run, k):
    data = collection(judged, run).ranked(DEFAULT)
    tally = notices.tally_ranked(Tally(), data, k)
    return tally.judged_in_top, tally.top


def test_the_share_of_judged_documents_is_that_of_well_judged_queries():
    """A query counts with at least k judged documents, and as many ranks as it has of k."""
    judged = {
        "a": {"x": 1, "y": 0},
        "b": {"x": 1, "y": 0, "z": 0},
        "c": {"x": 1},
        "d": {"x": 1, "y": 1},
    }
    run = {"a": ["n", "x", "y"], "b": ["x"], "c": ["m", "n"], "d": []}
    assert counted(judged, run, 1) == (0 + 1 + 0, 1 + 1 + 1)
    assert counted(judged, run, 2) == (1 + 1, 2 + 1)
    assert counted(judged, run, 3) == (1, 1)
    assert counted(judged, run, 4) == (0, 0)
    assert counted(judged, run, 0) == (0, 0)


def test_queries_without_relevant_documents_are_counted_with_examples():
    judged = {f"q{i}": {"d": int(i > 3)} for i in range(6)}
    result = rs.evaluate(judged, {q: ["d"] for q in judged}, ["AP"])
    (notice,) = [n for n in result.notices if n.code == "no-relevant"]
    assert notice.text.startswith("4 of 6 queries without a relevant document; ")
    assert (notice.count, notice.level) == (4, "note")
    assert notice.examples == ("q0", "q1", "q2")


@pytest.mark.parametrize("queries", [2, 3, 4])
def test_missing_and_unjudged_queries_are_counted_with_three_examples(engine, queries):
    judged = {f"j{i}": {"d": 1} for i in range(queries)} | {"both": {"d": 1}}
    run = {f"r{i}": ["d"] for i in range(queries)} | {"both": ["d"]}
    found = {n.code: n for n in rs.evaluate(judged, run, ["RR"]).notices}
    missing, unjudged = found["missing-queries"], found["unjudged-queries"]
    assert missing.text.startswith(f"{queries} of {queries + 1} judged queries not in the run; ")
    assert unjudged.text.startswith(f"{queries} queries of the run without judgments; ")
    assert missing.examples == tuple(f"j{i}" for i in range(min(3, queries)))
    assert unjudged.examples == tuple(f"r{i}" for i in range(min(3, queries)))


def test_more_unjudged_queries_than_are_counted_are_said_to_be_more():
    notice = said(Tally(unjudged_queries=7, unjudged_capped=1), "unjudged-queries")
    assert notice.text.startswith("more than 7 queries of the run without judgments; ")


def test_queries_look_like_ones_that_are_missing_from_the_other_side_or_from_neither():
    cases = [
        (Tally(missing=("01",), unjudged=("1",), unjudged_queries=1), 1),
        (Tally(missing=("01",), unjudged=("1",)), None),
        (Tally(unjudged=("1",), unjudged_queries=1), None),
        (Tally(missing=("01", "2"), twins=("1",)), 1),
    ]
    for tally, count in cases:
        notice = said(tally, "ids-look-alike")
        assert (notice and notice.count) == count


def test_no_retrieved_document_was_judged():
    judged = {"q": {"abc": 1}, "r": {"def": 1}}
    result = rs.evaluate(judged, {"q": ["x", "y"], "r": ["z"]}, ["RR"])
    (notice,) = [n for n in result.notices if n.code == "no-document-found"]
    assert notice.text == "no judged document was retrieved for any query"
    assert notice.examples == ("run 'x'", "judged 'abc'")
    assert notice.count == 2
    less = rs.evaluate(judged, {"q": ["x", "y"], "r": ["def"]}, ["RR"])
    assert "no-document-found" not in [n.code for n in less.notices]


def test_measures_of_subtopics_need_subtopics():
    (notice,) = notices.no_subtopics(Tally(), ["alpha_nDCG", "IA_P"])
    assert (notice.code, notice.count) == ("no-subtopics", 2)
    assert notice.text == (
        "the judgments name no subtopics, so a query is its only one for alpha_nDCG, IA_P; "
        "give judgments by subtopic"
    )
    assert notices.no_subtopics(Tally(by_subtopic=1), ["IA_P"]) == []
    for judged, known in (({"q": {"a": 1}}, 0), ({"q": {"a": {"1": 1}}}, 1)):
        data = collection(judged, {"q": ["a"]}).ranked(DEFAULT)
        assert notices.tally_ranked(Tally(), data, 0).by_subtopic == known
    assert notices.no_subtopics(Tally(), []) == []


NUMBERED = "Rankings without query ids"
UNRELATED = "Check that the two belong together"


@pytest.mark.parametrize(
    ("judged", "unjudged", "words"),
    [
        (["a", "b", "c", "d"], ["x", "y", "z", "w"], "(judged: 'a', 'b', 'c', ...; in the run: 'x', 'y', 'z'). Check"),
        (["a"], [], "(judged: 'a', ...; in the run: none). Check"),
        (["1"], [1, "x"], "'1' is not 1 (judged ids are text (str), the run's whole numbers (int)): write"),
        (["1"], ["x", 1], "'1' is not 1 (judged ids are text (str), the run's whole numbers (int)): write"),
        ([1], ["1"], "1 is not '1' (judged ids are whole numbers (int), the run's text (str)): write"),
        (["01"], ["1"], "'01' is not '1': write"),
        (["a"], ["0", "1"], NUMBERED),
        (["a"], [0], NUMBERED),
        (["a"], [1], UNRELATED),
        (["a"], ["1", "2"], UNRELATED),
    ],
)  # fmt: skip
def test_a_run_without_a_judged_query_is_told_what_may_be_wrong(judged, unjudged, words):
    message = str(notices.nothing_in_common("run", judged, unjudged))
    assert message.startswith("run: no query is both judged and in the run (judged: ")
    assert words in message


def test_a_thousand_judged_queries_are_compared():
    judged = [f"q{i}" for i in range(999)]
    assert "'01' is not '1'" in str(notices.nothing_in_common("run", [*judged, "01"], ["1"]))
    assert UNRELATED in str(notices.nothing_in_common("run", [*judged, "q", "01"], ["1"]))


def test_a_thousand_missing_queries_are_kept():
    judgments = load_judgments({f"q{i:04d}": {"d": 1} for i in range(1002)})
    found = load_run({"q0000": ["d"]}).match(judgments, float32=False, repeats=False)
    assert notices.tally_matches(judgments, found).missing == tuple(
        f"q{i:04d}" for i in range(1, 1001)
    )


ALIKE = [
    ("1,234", "1234", True),
    ("1,23", "123", False),
    ("1,2345", "12345", False),
    (",234", "234", False),
    ("12,345,678", "12345678", True),
    ("12,345,67", "1234567", False),
    ("12.0", "12", True),
    ("12.00", "12", True),
    ("12.", "12", False),
    ("12.05", "1205", False),
    ("x.0", "x", False),
    ("0012", "12", True),
    ("000", "0", True),
    ("0x", "x", False),
    ("a\n", "a", True),
    ("\n0a", "0a", True),
    ('"a"', "a", True),
    (" 007 ", "7", True),
    ("\ufeff\u200b \t\r\"'a", "a", True),
    ("A", "a", True),
    ("\u00e9", "e\u0301", True),
    ("\uff21", "a", True),
    (1, "1", True),
    (1, "01", True),
    ("4.00638e+12", "4006381234567", True),
    ("4.00638E+12", "4006381234567", True),
    ("4e+12", "4006381234567", True),
    ("4.00639e+12", "4006381234567", False),
    ("4.00638e+1x", "4006381234567", False),
    ("x.1e+3", "1100", False),
    ("1.xe+3", "1100", False),
    ("1.1e+03", "1100", True),
    ("e+", "1", False),
    ("a", "a", False),
    ("a", "b", False),
]


def test_ids_look_alike_if_only_their_writing_differs():
    for judged, run, alike in ALIKE:
        for others in ((), ("4e+7", "9.5e+09", "0", "x,y")):
            pairs = look_alikes([judged, "other"], ["another", run, *others])
            assert pairs == ([(judged, run)] if alike else [])


def test_of_two_ids_that_look_alike_the_first_is_named():
    assert look_alikes(["1", "2"], ["01", "001", "02"]) == [("1", "01"), ("2", "02")]
    assert look_alikes([], []) == look_alikes([], ["a"]) == look_alikes(["a"], []) == []


def test_ids_that_look_alike_are_said():
    cases = [
        (None, False, "4 judged documents are not in the run but look like others that are"),
        (9, True, "at least 9 judged documents are not in the run but look like others that are"),
        (1, False, "1 judged document is not in the run but looks like one that is"),
        (2, False, "2 judged documents are not in the run but look like others that are"),
    ]
    for n, at_least, words in cases:
        (notice,) = look_alike_notices("document", ["a", "b", "c", "d"], n, at_least=at_least)
        assert notice.text == f"{words}; ids are compared exactly, so write them alike"
        assert (notice.count, notice.examples) == (n or 4, ("a", "b", "c"))
        assert look_alike_notices("document", []) == []
