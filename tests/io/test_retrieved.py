"""Results as libraries for language models return them, and questions with metadata."""

import json

import pytest
from llm_objects import HaystackDocument, LangChainDocument, Node, NodeWithScore, langchain

import rankstone as rs
from rankstone.cli import main

JUDGED = {"q": {"a": 1}, "r": {"b": 1}}


FORMS = {
    "langchain": langchain,
    "langchain with ids": lambda doc, score: LangChainDocument("text", id=doc),
    "langchain with scores": lambda doc, score: (langchain(doc, score), score),
    "llamaindex": lambda doc, score: NodeWithScore(Node(doc), score),
    "llamaindex without scores": lambda doc, score: NodeWithScore(Node(doc)),
    "haystack": lambda doc, score: HaystackDocument(doc, "text", score),
}


DICTS = {
    "langchain": lambda doc, score: {"page_content": "t", "metadata": {"id": doc}, "score": score},
    "langchain dumped": lambda doc, score: {
        "id": None, "metadata": {"source": "f", "chunk_id": doc}, "page_content": "t",
    },
    "llamaindex": lambda doc, score: {
        "node": {"id_": doc, "text": "t", "metadata": {}}, "score": score,
    },
    "llamaindex flat": lambda doc, score: {"node_id": doc, "text": "t", "score": score},
    "haystack": lambda doc, score: {"id": doc, "content": "t", "meta": {"a": 1}, "score": score},
    "haystack without ids": lambda doc, score: {"content": "t", "meta": {"doc_id": doc}},
}  # fmt: skip


@pytest.mark.parametrize("form", DICTS)
def test_results_are_read_as_dicts_and_from_files(form, tmp_path):
    make = DICTS[form]
    run = {"q": [make("x", 0.9), make("a", 0.5)], "r": [make("b", 0.4)], "s": []}
    expected = {"q": {"RR": 0.5, "NumRet": 2}, "r": {"RR": 1, "NumRet": 1}}
    assert rs.evaluate(JUDGED, run, ["RR", "NumRet"]).per_query == expected
    assert rs.explain("RR", JUDGED, run, query="q").value == 0.5
    same = rs.evaluate(JUDGED, run, ["RR", "NumRet"], parents={d: d for d in "xab"})
    assert same.per_query == expected
    path = tmp_path / "run.jsonl"
    path.write_text(
        "".join(json.dumps({"question": q, "retrieved": own}) + "\n" for q, own in run.items())
    )
    assert rs.evaluate(JUDGED, path, ["RR", "NumRet"]).per_query == expected
    if "score" in make("a", 1):
        assert rs.evaluate(JUDGED, run, "NumRet", min_score=0.5)["NumRet"] == 2
        assert rs.risk_coverage(JUDGED, run, "RR").thresholds.tolist() == [0.9, 0.4]


def test_a_dict_without_an_id_is_refused():
    run = {"q": [{"page_content": "t", "metadata": {"source": "file.md"}}]}
    with pytest.raises(rs.DataError, match="no key of the record is known to hold a document id"):
        rs.evaluate(JUDGED, run, "RR")
    named = rs.evaluate({"q": ["file.md"]}, run, "RR", columns={"doc": "metadata.source"})
    assert named["RR"] == 1


def test_risk_of_result_objects():
    run = {"q": [NodeWithScore(Node("a"), 0.3)], "r": [NodeWithScore(Node("x"), 0.7)]}
    assert rs.risk_coverage(JUDGED, run, "RR").thresholds.tolist() == [0.7, 0.3]


@pytest.mark.parametrize("form", FORMS)
def test_results_are_read_as_they_are(form):
    make = FORMS[form]
    run = {"q": [make("x", 0.9), make("a", 0.5)], "r": [make("b", 0.4)], "s": []}
    result = rs.evaluate(JUDGED, run, ["RR", "NumRet"])
    assert (result["RR"], result["NumRet"]) == (0.75, 3)
    assert rs.explain("RR", JUDGED, run, query="q").value == 0.5
    lists = rs.evaluate([["a"], ["b"]], [run["q"], run["r"]], ["RR"])
    assert lists["RR"] == 0.75


def test_results_are_known_after_queries_without_any():
    run = {"q": [], "r": [Node("b")]}
    assert rs.evaluate(JUDGED, run, ["RR", "NumRet"]).per_query["r"] == {"RR": 1, "NumRet": 1}


def test_scores_of_results_can_be_cut():
    run = {q: [NodeWithScore(Node("a"), 0.3)] for q in JUDGED}
    assert rs.evaluate(JUDGED, run, "NumRet", min_score=0.5)["NumRet"] == 0


def test_a_result_that_is_there_twice_is_counted():
    run = {"q": [NodeWithScore(Node(d), s) for d, s in (("x", 0.9), ("a", 0.5), ("a", 0.4))]}
    result = rs.evaluate(JUDGED, run, "NumRet")
    assert result["NumRet"] == 2
    assert "duplicate-documents" in {n.code for n in result.notices}


def test_texts_are_not_compared():
    with pytest.raises(rs.DataError, match="LangChainDocument has no id, and texts are not"):
        rs.evaluate(JUDGED, {"q": [LangChainDocument("some text")]}, "RR")


def test_a_result_without_an_id_is_answered_with_where_it_may_be():
    run = {"q": [LangChainDocument("some text", {"shelf": "a"})]}
    with pytest.raises(rs.DataError, match=r"such as columns=\{'doc': 'metadata\.shelf'\}\.$"):
        rs.evaluate(JUDGED, run, "RR")
    assert rs.evaluate(JUDGED, run, "RR", columns={"doc": "metadata.shelf"}, queries="both")


# Metadata of questions ------------------------------------------------------------------------

QUESTIONS = [
    {"question": "a?", "expected": ["1"], "retrieved": ["1"], "type": "fact"},
    {"question": "b?", "expected": ["2"], "retrieved": ["9"], "type": "fact"},
    {"question": "c?", "expected": ["3"], "retrieved": ["3"], "metadata": {"type": "how-to"}},
    {"question": "d?", "expected": ["4"], "retrieved": ["4"]},
]


def test_metadata_of_questions_are_groups(tmp_path, capsys):
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in QUESTIONS))
    call = ["evaluate", str(path), str(path), "-m", "RR", "--format", "json"]
    assert main([*call, "--by", "type", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    values = {part["group"]: (part["value"], part["n"]) for part in found["summaries"]}
    assert values == {"fact": (0.5, 2), "how-to": (1, 1), "(no group)": (1, 1), "all": (0.75, 4)}
    assert main([*call, "--by", "typ"]) == 3
    assert "no record has the key 'typ'. Did you mean type" in capsys.readouterr().err
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 d 1\n")
    assert main(["evaluate", str(qrels), str(qrels), "--by", "type"]) == 3
    assert "type: there is no such file" in capsys.readouterr().err
