"""What is said about data: counts, words, and from where on something is said."""

from __future__ import annotations

from math import log2

import numpy as np
import polars as pl
import pytest
from loading import collection

import rankstone as rs
from rankstone.core import notices
from rankstone.core.look_alike import look_alike_notices, look_alikes
from rankstone.core.matches import SAMPLED_DOCS, SAMPLED_QUERIES, lacks_judged, sampled_queries
from rankstone.core.notice_texts import merged_notices, reading_notice
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


def codes(result, level):
    return {notice.code: notice.count for notice in result.notices if notice.level == level}


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_every_repetition_of_a_document_is_counted(engine, tmp_path, times):
    path = tmp_path / "run"
    path.write_text("".join(f"q1 Q0 d1 {i} {9 - i} t\n" for i in range(times)) + "q2 Q0 d1 1 1 t\n")
    judged = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    for run in (path, {"q1": ["d1"] * times, "q2": ["d1"]}):
        counts = codes(rs.evaluate(judged, run, ["RR"]), "warning")
        assert counts.get("duplicate-documents", 0) == times - 1


@pytest.mark.parametrize(("judged", "noted"), [(4, True), (5, False), (6, False)])
def test_a_low_share_of_judged_documents_is_noted(judged, noted):
    documents = {f"d{i}": 1 for i in range(judged)} | {f"x{i}": 0 for i in range(10)}
    run = {"q": [f"d{i}" for i in range(10)]}
    result = rs.evaluate({"q": documents}, run, ["P@10"])
    assert ("judged-share" in codes(result, "note")) == noted
    if noted:
        (note,) = [n for n in result.notices if n.code == "judged-share"]
        assert "only 40% of the documents down to rank 10 are judged" in note.text


@pytest.mark.parametrize(("tied", "level"), [(2, "note"), (1, "info")])
def test_few_ties_are_mentioned_on_request_only(tied, level):
    judged = {"q": {f"d{i:03}": 1 for i in range(200 if tied == 2 else 101)}}
    scores = {doc: float(-i) for i, doc in enumerate(judged["q"])}
    scores["d000"] = 1.0
    scores["d001" if tied == 2 else "x"] = 1.0
    result = rs.evaluate(judged, {"q": scores}, ["AP"])
    assert codes(result, level)["ties"] == tied


@pytest.mark.parametrize(
    ("n", "step"), [(0, 1), (1, 1), (31, 1), (32, 1), (33, 2), (64, 2), (65, 3)]
)
def test_a_few_queries_are_sampled_evenly(n, step):
    assert (SAMPLED_QUERIES, SAMPLED_DOCS) == (32, 256)
    assert sampled_queries(list(range(n))) == list(range(0, n, step))


def test_queries_of_the_run_that_miss_judged_documents():
    groups, present = np.array([0, 2, 2, 3, 5]), np.array([True, True, False, True])
    assert lacks_judged(groups, np.array([0, 3, 4]), present).tolist() == [
        True,
        False,
        False,
        False,
    ]
    assert lacks_judged(groups, np.array([0, 1, 1, 3]), present).tolist() == [
        False,
        False,
        False,
        True,
    ]


JUDGED = {"q1": {"d1": 1}}


RUN = {"query": ["q1", "q1"], "doc": ["d1", "d2"], "score": [2.0, 1.0]}


ROUNDED = 2**53


def large_runs(tmp_path):
    path = tmp_path / "run"
    path.write_text(f"q1 Q0 d1 1 {ROUNDED} t\nq1 Q0 d2 2 {ROUNDED + 1} t\n")
    frame = pl.DataFrame(RUN | {"score": [ROUNDED, ROUNDED + 1]})
    return [path, {"q1": {"d1": ROUNDED, "d2": ROUNDED + 1}}, frame]


@pytest.mark.parametrize("which", range(3))
def test_scores_that_rounding_ties_are_noted(engine, tmp_path, which):
    result = rs.evaluate(JUDGED, large_runs(tmp_path)[which], ["RR"])
    notes = {note.code: note.count for note in result.notices}
    assert notes["large-scores"] == 1


@pytest.mark.parametrize("scores", [[ROUNDED - 1, ROUNDED - 2], [float(ROUNDED), 1.0], [0.5, 0.5]])
def test_scores_that_rounding_does_not_tie_are_not_noted(scores):
    result = rs.evaluate([1.0, 0.0], scores, ["RR"])
    assert "large-scores" not in {note.code for note in result.notices}
    run = {"q1": dict(zip(["d1", "d2"], scores, strict=True))}
    notices = rs.evaluate(JUDGED, run, ["RR"]).notices
    assert "large-scores" not in {note.code for note in notices}


@pytest.mark.parametrize(
    ("judged", "ranking", "measure", "said"),
    [
        ("ab", "ax", "P@2", None),  # half is enough
        ("ab", "xya", "P@2", "only 0% of the documents down to rank 2 are judged"),
        ("abc", "xay", "P@3", "only 33% of the documents down to rank 3 are judged"),
        ("ab", "xya", "P@3", None),  # judgments too few for this cutoff
        ("a", "x", "P@1", "only 0% of the documents down to rank 1 are judged"),
        ("ab", "xya", "AP", None),
    ],
)
def test_few_judged_documents_above_the_first_cutoff_are_noted(judged, ranking, measure, said):
    result = rs.evaluate({"q": dict.fromkeys(judged, 1)}, {"q": [*ranking]}, measure)
    (text,) = [n.text for n in result.notices if n.code == "judged-share"] or [None]
    assert text == said or text.startswith(said)


@pytest.mark.parametrize(("documents", "level"), [(200, "note"), (201, "info")])
def test_one_tied_document_in_a_hundred_is_noted(documents, level):
    judged = {"q": {f"d{i}": 1 for i in range(documents)}}
    run = {"q": {f"d{i}": float(max(i, 1)) for i in range(documents)}}
    (notice,) = rs.evaluate(judged, run, "AP").notices
    assert (notice.code, notice.count, notice.level) == ("ties", 2, level)


@pytest.mark.parametrize(
    ("judged", "run", "said"),
    [
        ("abcd", "wxyz", "(judged: 'a', 'b', 'c', ...; in the run: 'w', 'x', 'y'). Check that"),
        ([1], ["1"], "1 is not '1' (judged ids are whole numbers (int), the run's text (str))"),
        (["1"], [1], "'1' is not 1 (judged ids are text (str), the run's whole numbers (int))"),
        (["x1"], ["X1"], "'x1' is not 'X1': write them alike"),
        ("a", "01", "are numbered from 0: give them by query"),
        ("a", "12", "Check that the two belong together"),
    ],
)
def test_queries_without_any_in_common_are_shown(judged, run, said):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({q: {"d": 1} for q in judged}, {q: ["d"] for q in run}, "AP")
    assert said in str(caught.value)


def test_notices_show_three_examples():
    (missing,) = rs.evaluate({q: {"a": 1} for q in "abcdef"}, {"a": ["a"]}, "AP").notices
    assert (missing.count, missing.examples) == (5, ("b", "c", "d"))
    found = rs.evaluate({"a": {"a": 1}}, {q: ["a", "a"] for q in "abcdef"}, "AP").notices
    assert {n.code: (n.count, n.examples) for n in found} == {
        "unjudged-queries": (5, ("b", "c", "d")),
        "duplicate-documents": (1, ("document a of query a",)),
    }


@pytest.mark.parametrize("way", ["evaluate", "parts"])
def test_a_table_of_gains_that_lacks_a_high_grade_warns(way):
    judged, run = {"q": {"a": 3, "b": 1}}, {"q": ["a", "b"]}

    def notices(measure):
        if way == "evaluate":
            result = rs.evaluate(judged, run, measure)
        else:
            result = rs.Evaluator(judged, measure).add(run).result()
        return [n for n in result.warnings if n.code == "gain-not-listed"]

    measure = "nDCG(gain={1: 1, 2: 3})@5"
    (notice,) = notices(measure)
    assert "does not list the highest grades of the judgments" in notice.text
    assert rs.evaluate(judged, run, measure)[measure] == pytest.approx(1 / log2(3))
    for complete in ("gain={1: 1, 3: 3}", "gain={1: 1, 2: 3}, unlisted=grade", "gain={3: 1}"):
        assert not notices(f"nDCG({complete})@5")
    with pytest.raises(rs.StrictError, match="does not list the highest grades"):
        rs.evaluate(judged, run, measure, strict=True)


ROWS = [
    {"user_id": 1, "item_id": 10, "rating": 4.0},
    {"user_id": 1, "item_id": 20, "rating": 0.0},
    {"user_id": 2, "item_id": 10, "rating": 5.0},
]


RANKED = [
    {"user": 1, "item": 20, "score": 0.9},
    {"user": 1, "item": 10, "score": 0.1},
    {"user": 2, "item": 10, "score": 0.3},
]


def test_ratings_that_became_grades_are_said_once():
    result = rs.evaluate(ROWS, RANKED, "nDCG@10")
    assert [n.code for n in result.notices if n.level == "note"] == ["ratings-as-grades"]
    assert "the column 'rating' holds the grades" in repr(result)
    named = rs.evaluate(ROWS, RANKED, "nDCG@10", columns={"grade": "rating"})
    chosen = rs.evaluate(ROWS, RANKED, ["HR@10", "nDCG(gain='binary')@10"], relevance=4)
    graded = rs.evaluate(ROWS, RANKED, ["nDCG@10"], relevance=4)
    stars = [{**row, "rating": min(row["rating"], 3)} for row in ROWS]
    search = rs.evaluate(stars, RANKED, "nDCG@10")  # a scale up to 3 has no rating of 4
    codes = [[n.code for n in r.notices if n.level == "note"] for r in (named, chosen, search)]
    assert codes == [[], [], []]
    assert [n.code for n in graded.notices if n.level == "note"] == ["ratings-as-grades"]


def test_words_of_other_libraries_for_options_are_answered():
    for word, answer in {
        "gain": r"as in \"NAME\(gain=",
        "group": r"group_sizes=",
        "train": r"exclude=",
    }.items():
        with pytest.raises(rs.UsageError, match=answer):
            rs.evaluate(ROWS, RANKED, "nDCG@10", **{word: "binary"})
