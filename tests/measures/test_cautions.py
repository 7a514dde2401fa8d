"""Warnings of numbers that cannot tell rankings apart, and of gold that cannot be found."""

import json
from pathlib import Path

import pytest

import rankstone as rs

CODES = {"cutoff-beyond-lists", "saturated", "recall-is-hit-rate", "not-in-corpus", "same-texts"}
QUERIES = [f"q{i}" for i in range(12)]
TWO = {q: ["a", "b"] for q in QUERIES}
ONE = {q: ["a"] for q in QUERIES}
RUN = {q: ["x", "a", "b", "y"] for q in QUERIES}


def codes(judged, run, measures, **options):
    result = rs.evaluate(judged, run, measures, **options)
    return [(notice.code, notice.level) for notice in result.notices if notice.code in CODES]


@pytest.mark.parametrize(
    ("judged", "measure", "expected"),
    [
        (TWO, "R@4", [("cutoff-beyond-lists", "warning")]),
        (TWO, "Success@9", [("cutoff-beyond-lists", "warning")]),
        (TWO, "P@9", [("cutoff-beyond-lists", "note")]),
        (TWO, "R@3", [("saturated", "note")]),
        (TWO, "nDCG@9", []),
        (TWO, "R@2", []),
        (ONE, "R@1", [("recall-is-hit-rate", "note")]),
        (ONE, "Success@1", []),
        ({**ONE, "q0": ["a", "b"]}, "R@1", []),
        ({q: TWO[q] for q in QUERIES[:9]}, "R@4", []),
    ],
)
def test_numbers_that_tell_little_come_with_a_caution(judged, measure, expected):
    run = {q: RUN[q] for q in judged}
    assert codes(judged, run, measure) == expected


def test_cautions_say_what_to_do():
    beyond = rs.evaluate(TWO, RUN, "R@4").notices
    assert any("cutoffs below 4 tell rankings apart" in notice.text for notice in beyond)
    full = rs.evaluate(TWO, RUN, "R@3").notices
    assert any("the verb power says how many are needed" in notice.text for notice in full)
    rate = rs.evaluate(ONE, RUN, ["R@1", "R@2"]).notices
    assert any("R@1 and R@2 are the hit rate (Success)" in notice.text for notice in rate)


def test_parts_have_the_cautions_of_the_whole():
    for judged, measure in ((TWO, "R@4"), (TWO, "R@3"), (ONE, "R@1"), (TWO, "R@2")):
        evaluator = rs.Evaluator(judged, measure)
        for query, docs in RUN.items():
            evaluator.add({query: docs})
        found = [n.code for n in evaluator.result().notices if n.code in CODES]
        assert found == [code for code, _ in codes(judged, RUN, measure)]


def test_gold_of_which_there_is_no_chunk_is_named():
    parents = {"a#1": "a", "x#1": "x"}
    result = rs.evaluate({"q": ["a", "gone"]}, {"q": ["a#1", "x#1"]}, "R", parents=parents)
    (notice,) = (n for n in result.notices if n.code == "not-in-corpus")
    assert (notice.level, notice.examples, notice.count) == ("warning", ("gone",), 1)
    assert codes({"q": ["a"]}, {"q": ["a#1"]}, "R", parents=parents) == []


def test_chunk_ids_beside_judged_documents_are_recognised():
    result = rs.evaluate({"q": ["care", "faq"]}, {"q": ["tent#1", "faq#12"]}, "R")
    (notice,) = (n for n in result.notices if n.code == "no-document-found")
    assert "which may be its chunk: parents='{doc}#{n}' (--parents)" in str(notice)
    result = rs.evaluate({"q": ["care", "faq"]}, {"q": ["tent#1", "faqs"]}, "R")
    (notice,) = (n for n in result.notices if n.code == "no-document-found")
    assert "parents" not in str(notice)


@pytest.mark.parametrize("scored", [True, False])
def test_documents_of_the_same_text_are_named(tmp_path, scored):
    def item(doc, text, score):
        return {"id": doc, "text": text, **({"score": score} if scored else {})}

    records = [
        {"query": "q", "expected": ["a"], "retrieved": [item("b", "one", 3), item("a", "one", 2)]},
        {"query": "r", "expected": ["c"], "retrieved": [item("c", "two", 3), item("b", "one", 2)]},
    ]
    path = tmp_path / "memory.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    result = rs.evaluate(path, path, "RR")
    (notice,) = (n for n in result.notices if n.code == "same-texts")
    assert (notice.level, notice.count, notice.examples) == ("warning", 1, ("a = b",))
    merged = rs.evaluate(path, path, "RR", same_as={"a": "b"})
    assert (result["RR"], merged["RR"]) == (0.75, 1.0)
    assert not any(n.code == "same-texts" for n in merged.notices)


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BUNDLED = [
    *(("search/qrels.txt", f"search/{run}.run") for run in ("bm25", "dense", "hybrid")),
    *(("recommender/test.qrels", f"recommender/{run}.run") for run in ("als", "popular")),
    ("rag/questions.jsonl", "rag/results.jsonl"),
    ("formats/eval.jsonl", "formats/eval.jsonl"),
    ("formats/intents.qrels", "formats/intents.run"),
]


@pytest.mark.parametrize(("judged", "run"), BUNDLED)
def test_no_caution_about_the_bundled_examples(judged, run):
    k = 5 if judged.startswith("rag") else 10  # the length of its lists
    names = ["R@5", f"R@{k}", f"Success@{k}", "P@5", "nDCG@10", "RR", "AP"]
    assert codes(EXAMPLES / judged, EXAMPLES / run, names) == []
