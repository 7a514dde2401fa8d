"""Records of JSON: under which keys rows are found, and what is refused."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import rankstone as rs
from rankstone.core.subtopics import Aspect
from rankstone.io.column_roles import value_at, with_paths
from rankstone.io.formats import json_records
from rankstone.io.formats.strict_json import parse
from rankstone.io.llm_results import has_objects, plain_results, with_id
from rankstone.io.nuggets import grade_of, is_vital
from rankstone.io.rows import Lists
from rankstone.verbs.load import load_run


def numbered(*records):
    return [(i, f"file:{i + 1}", record) for i, record in enumerate(records)]


def judged(*records, columns=None):
    return list(json_records.judgments(numbered(*records), columns))


def ranked(*records, columns=None):
    found = json_records.run(numbered(*records), columns)
    if not isinstance(found, Lists):
        return list(found)
    return found.data if found.scores is None else (found.data, found.scores)


@pytest.mark.parametrize(
    ("records", "rows"),
    [
        ([{"query_id": "q", "doc_id": "d", "relevance": 2}], [("q", "d", 2)]),
        ([{"query-id": "q", "corpus-id": "d", "score": 2}], [("q", "d", 2)]),
        ([{"doc_id": "d", "relevance": 2}], [(0, "d", 2)]),
        ([{"query_id": "q", "expected_ids": ["a", "b"]}], [("q", "", 0), ("q", "a", 1), ("q", "b", 1)]),
        ([{"query_id": "q", "expected_ids": {"a": 3}}], [("q", "", 0), ("q", "a", 3)]),
        ([{"query_id": "q", "expected": [{"id": "a", "grade": 2}]}], [("q", "", 0), ("q", "a", 2)]),
        ([{"query_id": "q", "expected": [{"id": "a"}]}], [("q", "", 0), ("q", "a", 1)]),
        ([{"query_id": "q", "expected": []}], [("q", "", 0)]),
        ([{"query_id": "q", "expected": {"a": {"s": 1}, "b": {}}}], [("q", "", 0), Aspect("q", "a", 1, "s"), ("q", "b", 0)]),
        ([{"query_id": "q", "doc_id": "d", "subtopic": "s", "relevance": 1}], [Aspect("q", "d", 1, "s")]),
        ([{"query_id": "q", "doc_id": "d", "subtopic": "s", "relevance": 1, "importance": "okay"}], [Aspect("q", "d", 1, "s", False)]),
        ([{"query_id": "q", "doc_id": "d", "nuggets": [{"text": "n", "assignment": "support"}]}], [Aspect("q", "d", 1, "n")]),
        ([{"query_id": "q", "doc_id": "d", "nuggets": [{"id": "i", "text": "n", "assignment": "partial_support", "importance": "vital"}]}], [Aspect("q", "d", 0.5, "i", True)]),
        ([{"query_id": "q", "doc_id": "d", "subtopic": "s", "relevance": 1}, {"query_id": "q", "doc_id": "e", "nuggets": [{"text": "n", "assignment": "support"}]}], [Aspect("q", "d", 1, "s"), Aspect("q", "e", 1, "n")]),
        ([{"query": "text", "id": "q", "expected": ["a"]}], [("q", "", 0), ("q", "a", 1)]),
    ],
)  # fmt: skip
def test_judgments_in_records(records, rows):
    assert judged(*records) == rows


@pytest.mark.parametrize(
    ("records", "rows"),
    [
        ([{"query_id": "q", "doc_id": "d", "score": 2}], [("q", "", 0), ("q", "d", 2)]),
        ([{"query_id": "q", "doc_id": "d", "rank": 2}], [("q", "", 0), ("q", "d", -2)]),
        ([{"query_id": "q", "doc_id": "d", "score": 5, "rank": 2}], [("q", "", 0), ("q", "d", 5)]),
        ([{"query_id": "q", "retrieved_ids": ["a", "b"]}], {"q": ["a", "b"]}),
        ([{"query_id": "q", "retrieved_ids": []}], {"q": []}),
        ([{"query_id": "q", "retrieved": {"a": 3}}], [("q", "", 0), ("q", "a", 3)]),
        ([{"query_id": "q", "retrieved": [{"id": "a", "rank": 1}]}], [("q", "", 0), ("q", "a", -1)]),
        ([{"query_id": "q", "retrieved": [{"id": "a", "score": None}]}], {"q": ["a"]}),
        ([{"query_id": "q", "retrieved": [{"id": "a", "rank": None}]}], {"q": ["a"]}),
        ([{"query_id": "q", "retrieved": [{"id": "a"}, "b"]}], {"q": ["a", "b"]}),
        ([{"query_id": "q", "retrieved": {"hits": [{"_id": "a", "_score": 2}]}}], ({"q": ["a"]}, {"q": [2]})),
        ([{"query_id": "q", "retrieved": []}, {"query_id": "r", "retrieved": {"a": 1}}], [("q", "", 0), ("r", "", 0), ("r", "a", 1)]),
        ([{"retrieved": ["a"]}, {"retrieved": ["b"]}], {0: ["a"], 1: ["b"]}),
        ([{"query_id": "q", "retrieved": [{"metadata": {"id": "a"}}]}], {"q": ["a"]}),
        ([{"query_id": "q", "retrieved": [{"id": None, "metadata": {"doc_id": "a"}}]}], {"q": ["a"]}),
    ],
)  # fmt: skip
def test_rankings_in_records(records, rows):
    assert ranked(*records) == rows


NAME_KEYS = "Name the keys: columns={'expected': ..., 'retrieved': ...} (--columns expected=...,retrieved=...), or query, doc, score and grade."
A_RUN = "This looks like a run; the order is judgments first, then runs. Name the keys: columns={'grade': 'score'} (--columns grade=score), or query, doc, score and grade."
JUDGMENTS = "This looks like judgments; the order is judgments first, then runs. Name the keys: columns={'score': 'relevance'} (--columns score=relevance), or query, doc, score and grade."
QUESTION = {"question": "x", "expected_ids": ["a"], "retrieved_ids": ["z"]}
MIXED = "some records hold scores and some hold lists without them; use one form."


@pytest.mark.parametrize(
    ("read", "records", "message"),
    [
        (judged, [["a"]], "file:1: expected an object with a query and its documents."),
        (judged, [{"query_id": "q", "doc_id": "d", "grade": 1, "label": 2}], "file:1: which key holds the grade, 'grade' or 'label'? Keep one of them."),
        (judged, [{"query_id": "q", "doc_id": "d", "grade": 1, "expected": ["a"]}], "file:1: the record holds a row ('doc_id') and a list of documents ('expected'), and they may say different things. Keep one of them."),
        (judged, [{"query_id": "q", "doc_id": "d", "grade": 1}, {"qid": "q", "doc_id": "d", "grade": 1}], "file:2: the query is under 'qid', in a record before under 'query_id'. Use one key."),
        (judged, [{"query_id": "q", "doc_id": "d", "grade": 1}, {"doc_id": "d", "grade": 1}], "file:2: the query is missing, in a record before under 'query_id'. Use one key."),
        (judged, [{"query_id": "q", "doc_id": "d", "grade": 1}, {"query_id": "q", "docno": "d", "grade": 1}], "file:2: the document is under 'docno', in a record before under 'doc_id'. Use one key."),
        (judged, [{"query_id": "q", "expected": [{"id": "a", "grade": 1}, {"id": "b"}]}], "file:1: some documents have grades and some have none."),
        (judged, [{"query_id": "q", "expected": [{"id": "a", "grade": None}]}], "file:1: grade None is not a number."),
        (judged, [{"query_id": "q", "expected": [{"id": "a", "grade": 1}, {"docid": "b", "grade": 1}]}], "file:1: documents and numbers are under 'id' and 'grade', then under 'docid' and 'grade'. Use the same keys for all."),
        (judged, [{"query_id": "q", "expected": [{"id": "a", "grade": 1}, {"id": "b", "label": 1}]}], "file:1: documents and numbers are under 'id' and 'grade', then under 'id' and 'label'. Use the same keys for all."),
        (judged, [{"query_id": "q", "expected": {"a": {"s": 1}, "b": 1}}], "file:1, document 'b': other documents have grades by subtopic, {\"subtopic\": grade}, and this one has none. Use one form."),
        (judged, [{"query_id": "q", "doc_id": "d", "nuggets": [{"text": "n"}]}], f"file:1: no key of the record is known to hold a nugget or subtopic, and its assignment or grade (keys: 'text'). {NAME_KEYS}"),
        (judged, [{"query_id": "q", **dict.fromkeys("abcdefgh", 1)}], f"file:1: no key of the record is known to hold a document and its grade, or a list of expected ids (keys: 'query_id', 'a', 'b', 'c', 'd', 'e', 'f', 'g'). {NAME_KEYS}"),
        (judged, [{"query_id": "q", "doc_id": "d", "score": 8.4}], f"file:1: no key of the record is known to hold a document and its grade, or a list of expected ids (keys: 'query_id', 'doc_id', 'score'). {A_RUN}"),
        (ranked, [{"query_id": "q", "doc_id": "d", "relevance": 1}], f"file:1: no key of the record is known to hold a document and its score, or a list of retrieved ids (keys: 'query_id', 'doc_id', 'relevance'). {JUDGMENTS}"),
        (judged, [{}], f"file:1: no key of the record is known to hold a document and its grade, or a list of expected ids (keys: none). {NAME_KEYS}"),
        (judged, [{"query_id": "q", "expected": "a"}], "file:1: 'expected' holds text, not a list. Put 'expected' into a list: ['a']."),
        (judged, [QUESTION | {"expected_ids": None}], "file:1: 'expected_ids' holds null, not a list. Write a list, [] if nothing is relevant."),
        (judged, [QUESTION, {"question": "y", "retrieved_ids": ["z"]}], "file:2: 'expected_ids' is missing, which earlier records have. Write [] if nothing is relevant."),
        (ranked, [QUESTION, QUESTION | {"retrieved_ids": None}], "file:2: 'retrieved_ids' holds null, not a list. Write a list, [] if nothing was retrieved."),
        (ranked, [QUESTION | {"retrieved_ids": 7}], "file:1: 'retrieved_ids' holds a number, not a list. Put 'retrieved_ids' into a list: [7]."),
        (ranked, [QUESTION, {"question": "y", "expected_ids": ["b"]}], "file:2: 'retrieved_ids' is missing, which earlier records have. Write [] if nothing was retrieved."),
        (ranked, [{"question": "y", "expected_ids": ["b"]}], f"file:1: no key of the record is known to hold a document and its score, or a list of retrieved ids (keys: 'question', 'expected_ids'). {NAME_KEYS}"),
        (ranked, [{"question": "y", "expected_ids": ["b"], "found": ["z"]}], "file:1: no key of the record is known to hold a document and its score, or a list of retrieved ids (keys: 'question', 'expected_ids', 'found'). Name the keys: columns={'retrieved': 'found'} (--columns retrieved=found), or query, doc, score and grade."),
        (ranked, [{"query_id": "q", "retrieved": [{"payload": {"id": "a"}}]}], f"file:1: no key of the record is known to hold a document id (keys: 'payload'). For the id within 'payload' pass columns={{'doc': 'payload.id'}} (--columns doc=payload.id). {NAME_KEYS}"),
        (judged, [{"query_id": "q", "relevant_ids": ["a"], "expected": ["b"]}], "file:1: which key holds the expected documents, 'expected' or 'relevant_ids'? Pass columns={'expected': 'expected'} (--columns expected=expected)."),
        (ranked, [{"query_id": "q", "results": ["a"], "retrieved": ["b"]}], "file:1: which key holds the retrieved documents, 'retrieved' or 'results'? Pass columns={'retrieved': 'retrieved'} (--columns retrieved=retrieved)."),
        (ranked, [{"query_id": "q", "retrieved": {"a", "b"}}], "file:1: a set has no order; give a list, best first."),
        (ranked, [{"query_id": "q", "retrieved": ["a"]}, {"query_id": "q", "retrieved": ["b"]}], "file:2: a second ranking of query 'q'."),
        (ranked, [{"query_id": "q", "retrieved": ["a"]}, {"query_id": "r", "retrieved": {"b": 1}}], f"file:2: {MIXED}"),
        (ranked, [{"query_id": "q", "retrieved": {"b": 1}}, {"query_id": "r", "retrieved": ["a"]}], f"file:2: {MIXED}"),
        (ranked, [{"query_id": "q", "retrieved": [{"id": "a", "score": 1}, {"id": "b", "score": None}]}], "file:1: some documents have scores and some have none."),
        (ranked, [{"query_id": "q", "retrieved": {"a": None}}], "file:1: score None is not a number."),
        (ranked, [{"query_id": "q", "doc_id": "d", "score": 1, "sim": 2}], "file:1: which key holds the score, 'score' or 'sim'? Keep one of them."),
        (ranked, [{"query_id": "q", "doc_id": "d"}], f"file:1: no key of the record is known to hold a document and its score, or a list of retrieved ids (keys: 'query_id', 'doc_id'). {NAME_KEYS}"),
        (ranked, [{"query_id": "q", "doc_id": "d", "score": 1}, {"query_id": "q", "doc_id": "d"}], f"file:2: no key of the record is known to hold a document and its score, or a list of retrieved ids (keys: 'query_id', 'doc_id'). {NAME_KEYS}"),
        (ranked, [{"query_id": "q", "doc_id": "d", "score": 1}, {"query_id": "q", "doc_id": "d", "rank": 1}], "file:2: the score is under 'rank', in a record before under 'score'. Use one key."),
    ],
)  # fmt: skip
def test_records_that_cannot_be_read(read, records, message):
    with pytest.raises(rs.DataError) as caught:
        read(*records)
    assert str(caught.value) == message


@pytest.mark.parametrize("values", [(False, True), (0, 4)])
@pytest.mark.parametrize("key", ["relevant", "is_relevant", "stars", "relevance"])
def test_flags_of_expected_documents(tmp_path, key, values):
    record = {"query_id": "q", "expected_ids": [{"id": d, key: v} for d, v in zip("ab", values, strict=True)]}  # fmt: skip
    path = tmp_path / "judged.jsonl"
    path.write_text(json.dumps(record))
    run = {"q": ["a", "b"]}
    for judgments in (str(path), [record]):
        if key != "relevance":
            with pytest.raises(rs.DataError, match=rf"'{key}' of an expected document is (false|0)\..*--columns grade={key}\)"):  # fmt: skip
                rs.evaluate(judgments, run, "RR")
            assert rs.evaluate(judgments, run, "RR", columns={"grade": None})["RR"] == 1
        columns = None if key == "relevance" else {"grade": key}
        assert rs.evaluate(judgments, run, "RR", columns=columns)["RR"] == 0.5
    record["expected_ids"] = [{"id": "a", key: True, "page": 3}]
    assert rs.evaluate([record], run, "RR")["RR"] == 1


def test_grades_are_true_or_false(tmp_path):
    rows = [{"query_id": "q", "doc_id": d, "relevance": d == "b"} for d in "ab"]
    texts = {"jsonl": "\n".join(map(json.dumps, rows)), "json": '{"q": {"a": false, "b": true}}'}
    for name, text in texts.items():
        (tmp_path / f"judged.{name}").write_text(text)
        assert rs.evaluate(tmp_path / f"judged.{name}", {"q": ["a", "b"]}, "RR")["RR"] == 0.5
    (tmp_path / "run.jsonl").write_text('{"query_id": "q", "doc_id": "a", "score": true}')
    with pytest.raises(rs.DataError, match="score True is not a number"):
        rs.evaluate({"q": {"a"}}, tmp_path / "run.jsonl", "RR")


def test_one_of_several_lists_is_named():
    record = {"query_id": "q", "gold": ["a"], "expected": ["b"], "relevant": True}
    assert judged(record, columns={"expected": "gold"})[1:] == [("q", "a", 1)]
    with pytest.raises(rs.DataError, match="which key holds the expected documents, 'expected' or 'gold'"):  # fmt: skip
        rs.evaluate([record], {"q": ["a"]}, "RR")


def test_named_keys_of_lists_hold_lists():
    for role, read in (("expected", judged), ("retrieved", ranked)):
        for value, what in ((None, "null"), ("ab", "text")):
            with pytest.raises(rs.DataError, match=f"^file:1: 'ids' holds {what}, not a list"):
                read({"query_id": "q", "ids": value}, columns={role: "ids"})


def test_keys_that_somebody_names_are_taken():
    columns = {"grade": "label"}
    assert judged({"query_id": "q", "doc_id": "d", "grade": 1, "label": 2}, columns=columns) == [("q", "d", 2)]  # fmt: skip
    rows = ranked({"query_id": "q", "doc_id": "d", "score": 1, "sim": 2}, columns={"score": "sim"})
    assert rows == [("q", "", 0), ("q", "d", 2)]
    nested = {"query_id": "q", "retrieved": [{"doc": {"id": "a"}, "n": 3, "score": 1, "sim": 2}]}
    rows = ranked(nested, columns={"doc": "doc.id", "score": "n"})
    assert rows == ({"q": ["a"]}, {"q": [3]})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"a": 1, "b": 2, "b": 3}', "x: the key 'b' is twice in one JSON object. Remove one of them."),
        (b"[NaN]", "x: NaN is not a finite number."),
        (b'["a" 1]\n', "x: this is not valid JSON (Expecting ',' delimiter, character 6)."),
        (b'["a",\n"b" 1]', "x:2: this is not valid JSON (Expecting ',' delimiter, character 5)."),
        (b"[" * 100_000, "x: the JSON is nested too deeply."),
    ],
)  # fmt: skip
def test_json_that_cannot_be_read(raw, message):
    with pytest.raises(rs.DataError) as caught:
        parse(raw, "x")
    assert str(caught.value) == message


def test_a_byte_that_is_not_utf8_is_counted_from_1():
    with pytest.raises(rs.DataError, match="^x: byte 3 is not UTF-8"):
        parse(b'["\xff"]', "x")


@pytest.mark.parametrize(
    ("value", "expected"),
    [("Vital", True), ("okay", False), ("OK", False), (True, True), (False, False)],
)
def test_importance_of_a_nugget(value, expected):
    assert is_vital(value, "n", "x") is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("support", 1), ("full_support", 1), ("supported", 1), ("Partial Support", 0.5), ("partial", 0.5), ("partially supported", 0.5), ("not_support", 0), ("no_support", 0), ("not supported", 0), (True, 1), (False, 0), (2, 2), (0.25, 0.25), (" 3 ", 3)],
)  # fmt: skip
def test_grade_of_a_nugget(value, expected):
    assert grade_of(value, "n", "x") == expected


@pytest.mark.parametrize("value", ["good", None, [1], "1 2"])
def test_what_says_nothing_of_a_nugget(value):
    with pytest.raises(rs.DataError, match="^x: the assignment of the nugget 'n' is "):
        grade_of(value, "n", "x")
    if not isinstance(value, list):
        with pytest.raises(rs.DataError, match="^x: the importance of the nugget 'n' is "):
            is_vital(value, "n", "x")


def test_paths_of_keys():
    record = {"a": {"b.c": 1, "d": {"e": 2}}, "f.g": 3}
    assert value_at(record, "a.b.c") == 1
    assert value_at(record, "a.d.e") == 2
    assert value_at(record, "f.g") == 3
    assert with_paths(record, {"doc": "a.d.e", "score": "a.x"}) == record | {"a.d.e": 2}
    assert with_paths(record, None) is record
    assert with_paths([1], {"doc": "a"}) == [1]


def result(**parts):
    return SimpleNamespace(**parts)


class Record(dict):
    """A dict with more to it."""

    content = "text"


NODE = result(node=result(node_id="n"), score=0.5)
PAGE = result(page_content="text", metadata={"doc_id": "m"})
DOC = result(content="text", id="h", score=0.25)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"q": [NODE]}, True),
        ([[PAGE]], True),
        ({"q": [(PAGE, 0.5)]}, True),
        ({"q": [], "r": [DOC]}, True),
        ({"q": []}, False),
        ({"q": ["a"], "r": [DOC]}, False),
        ({"q": {"a": 1}, "r": [DOC]}, False),
        ({"q": [None]}, False),
        ({"q": [(DOC, 1, 2)]}, False),
        ({"q": [Record(id="a")]}, False),
        ({"q": [result(other=1)]}, False),
    ],
)
def test_result_objects_are_known(run, expected):
    assert has_objects(run) == expected


def scored(*pairs):
    return [result(id=id_, content="", score=score) for id_, score in pairs]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"q": [NODE]}, {"q": [{"id": "n", "score": 0.5}]}),
        ([[PAGE], [DOC]], {0: ["m"], 1: ["h"]}),
        ({"q": [(PAGE, 2)]}, {"q": [{"id": "m", "score": 2}]}),
        ({"q": scored(("a", 1), ("b", 2))}, {"q": [{"id": "a", "score": 1}, {"id": "b", "score": 2}]}),
        ({"q": scored(("a", 2), ("b", None))}, {"q": ["a", "b"]}),
        ({"q": [result(content="", id=None, meta={"_id": 0})]}, {"q": [0]}),
    ],
)  # fmt: skip
def test_results_become_ids_and_scores(run, expected):
    assert plain_results(run, "run") == expected


@pytest.mark.parametrize(("name", "what"), [(None, "the run"), ("mine", "mine")])
def test_a_run_of_results_is_named_in_messages(name, what):
    with pytest.raises(rs.DataError, match=f"^{what}, query 'q': score 'much' is not a number"):
        load_run({"q": scored(("a", "much"))}, name=name)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"node": {"node_id": "a"}, "id": "b"}, "a"),
        ({"node": "x", "id_": "b"}, "b"),
        ({"metadata": {"chunk_id": "c"}}, "c"),
        ({"meta": {"id": None, "_id": 0}}, 0),
        ({"node": {"metadata": {"id": "d"}}}, "d"),
        ({"metadata": "x"}, None),
        ({}, None),
    ],
)
def test_ids_within_results(item, expected):
    assert with_id(item).get("id") == expected


def written(tmp_path, data):
    path = tmp_path / "file.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"expected": ["a"], "retrieved": ["b"]}, ": is 'expected' a query, or does it name a part of a record? Name the format: 'json' if it is a query, 'jsonl' if this is a record in one line (--input-format, input_format=)."),
        ({"gold": ["a"]}, ": is 'gold' a query, or does it name a part of a record? Name the format: 'json' if it is a query, 'jsonl' if this is a record in one line (--input-format, input_format=)."),
        ('{"query_id": "q",\n"expected": ["a"]}', ": a record over several lines. Write it in one line, which is JSONL."),
        ({"queries": {"q": "text"}, "corpus": {"d": {"text": "x"}}}, ": this looks like a data set in one object, and it has no judgments under 'relevant_docs'."),
    ],
)  # fmt: skip
def test_an_object_of_which_it_is_unclear_what_it_is(tmp_path, data, message):
    path = written(tmp_path, data)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(path, {"q": ["a"]}, "RR")
    assert str(caught.value) == f"{path}{message}"


def test_a_query_may_have_the_name_of_a_part_beside_other_queries(tmp_path):
    path = written(tmp_path, {"gold": ["a"], "silver": ["b"]})
    run = {"gold": ["a"], "silver": ["a", "b"]}
    found = rs.evaluate(path, run, "RR").per_query
    assert found == {"gold": {"RR": 1}, "silver": {"RR": 0.5}}


def test_a_data_set_in_one_object(tmp_path):
    path = written(tmp_path, {"queries": {"q": "text"}, "relevant_docs": {"q": {"a": 1}}})
    assert rs.evaluate(path, {"q": ["b", "a"]}, "RR")["RR"] == 0.5


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


def values(*data, **options):
    return rs.evaluate(*data, "RR", **options).per_query


RECORDS = {
    "no such list": (
        [{"query": "a", "retrieved_ids": ["d"]}],
        "record 1: no key .*list of expected ids",
    ),
    "a list as query": ([{"query": ["a"], "expected_ids": ["d"]}], r"query id \['a'\] is neither"),
    "nothing": ([], "the judgments are empty"),
    "rows as tuples": ([("u", "i", 4.0)], r"\('u', 'i', 4.0\) looks like a row"),
    "rows of numbers": ([(1, 10, 4.0)], r"\(1, 10, 4.0\) looks like a row"),
    "rows with whole numbers": ([("u", 10, 4)], r"\('u', 10, 4\) looks like a row"),
    "rows of two texts": ([("u", "i", 4)], r"\('u', 'i', 4\) looks like a row"),
}


def test_records_are_rows():
    assert values(ROWS, RANKED) == {1: {"RR": 0.5}, 2: {"RR": 1.0}}
    assert values(ROWS, RANKED, exclude=[{"user": 1, "item": 20}])[1] == {"RR": 1.0}
    odd = [{"who": r["user_id"], "sku": r["item_id"], "stars": r["rating"]} for r in ROWS]
    columns = {"query": ["who", "user"], "doc": ["sku", "item"], "grade": "stars"}
    assert values(odd, RANKED, columns=columns) == values(ROWS, RANKED)
    with pytest.raises(rs.DataError, match="record 1 .* other keys than the first .*'rating'"):
        values([ROWS[0], {"user_id": 1, "item_id": 2}], RANKED)


def test_dicts_of_documents_in_a_list_stay_what_they_are():
    assert values([{"d1": 1, "d2": 0}], [{"d2": 0.9, "d1": 0.3}]) == {0: {"RR": 0.5}}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", [list, tuple, set])
def test_records_may_hold_lists(named, kind):
    records = [
        {"expected_ids": kind(["d1"]), "retrieved_ids": ["d2", "d1"]},
        {"expected_ids": kind(["d4", "d3"]), "retrieved_ids": ["d3"]},
    ]
    if named:
        records = [{"question": q, **r} for q, r in zip("ab", records, strict=True)]
    assert [*values(records, records).values()] == [{"RR": 0.5}, {"RR": 1.0}]


@pytest.mark.parametrize("ranking", [(1, 10, 4), ("u", "i", "4"), ("u", "i"), ["u", "i", 4]])
def test_tuples_that_are_no_rows(ranking):
    """Three whole numbers may be documents, so they are."""
    assert rs.evaluate([{ranking[1]}], [ranking], "RR").per_query == {0: {"RR": 0.5}}


@pytest.mark.parametrize("case", RECORDS)
def test_records_that_cannot_be_used(case):
    judgments, message = RECORDS[case]
    with pytest.raises(rs.RankstoneError, match=message):
        rs.evaluate(judgments, [["d"]], "RR")


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ([("d1", 0.3)], "query 'q': document id .*is neither text.* go into a dict"),
        ([{"score": 0.3}], "query 'q': no key of the record is known to hold a document id"),
        ([1.0], "query 'q': document id 1.0 is neither .* give group_sizes="),
        (["d1", None], "query 'q': document id None is neither"),
        ([""], "query 'q': empty document id"),
    ],
)
def test_a_ranking_lists_ids(listed, message):
    with pytest.raises(rs.DataError, match=message):
        rs.evaluate({"q": ["d1"]}, {"q": listed}, "RR")


def test_tensors_are_lists_of_ids():
    torch = pytest.importorskip("torch")
    assert values({"q": {1}}, {"q": torch.tensor([3, 1])}) == {"q": {"RR": 0.5}}
    assert values({"q": torch.tensor([1])}, {"q": np.array([3, 1])}) == {"q": {"RR": 0.5}}


OWN = [
    {"Frage": "Wie?", "Soll": ["a", "b"], "Ist": ["c", "b"]},
    {"Frage": "Wo?", "Soll": ["x"], "Ist": ["x"]},
]
FLAGS = "--columns query=Frage,expected=Soll,retrieved=Ist"


@pytest.mark.parametrize("form", ["list", "json", "jsonl"])
def test_records_with_keys_of_their_own_are_answered_with_the_option(tmp_path, form):
    data = OWN
    if form != "list":
        data = tmp_path / f"records.{form}"
        lines = "".join(json.dumps(record) + "\n" for record in OWN)
        data.write_text(lines if form == "jsonl" else json.dumps(OWN))
    for judgments, run in ((data, {"Wie?": ["a"]}), ({"Wie?": {"a": 1}}, data)):
        with pytest.raises(rs.DataError) as caught:
            rs.evaluate(judgments, run, "RR")
        assert FLAGS in str(caught.value)
    columns = dict(pair.split("=") for pair in FLAGS.split(maxsplit=1)[1].split(","))
    assert rs.evaluate(data, data, "RR", columns=columns)["RR"] == 3 / 4


ROW = {"query_id": "q", "doc_id": "a", "relevance": 1, "useful": 3, "score": 2, "sim": 1}
LISTED = {"query_id": "q", "gold": ["a"], "gold_new": ["b"], "hits": [{"id": "a", "altid": "b"}]}


@pytest.mark.parametrize("form", ["memory", "json", "jsonl"])
@pytest.mark.parametrize(
    ("record", "role", "name", "hint"),
    [
        (ROW, "grade", "usefull", " Did you mean useful?"),
        (ROW, "doc", "altidd", ""),
        (ROW, "query", "qid", ""),
        (ROW, "score", "simm", " Did you mean sim?"),
        (LISTED, "expected", "gold_neww", " Did you mean gold_new?"),
        (LISTED, "retrieved", "hitz", " Did you mean hits?"),
        (LISTED, "doc", "altidd", " Did you mean altid?"),
    ],
)
def test_a_misspelt_key_is_not_guessed(tmp_path, form, record, role, name, hint):
    data, where = [record, record | {"query_id": "r"}], ""
    if form != "memory":
        data = tmp_path / f"records.{form}"
        lines = [json.dumps(r) for r in (record, record | {"query_id": "r"})]
        data.write_text("\n".join(lines) if form == "jsonl" else f"[{','.join(lines)}]")
        where = f"{data}:1" if form == "jsonl" else f"{data}, record 1"
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(data, data, "RR", columns={role: name})
    assert f"{where}: there is no column {name!r}.{hint} Columns: " in str(caught.value)


def test_a_misspelt_key_is_not_guessed_in_documents_by_query(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"q": [{"id": "a", "useful": 2, "grade": 1}], "r": ["b"]}))
    message = "query 'q': there is no column 'usefull'. Did you mean useful?"
    with pytest.raises(rs.DataError, match=re.escape(message)):
        rs.evaluate(str(path), {"q": ["a"]}, "RR", columns={"grade": "usefull"})
    path.write_text(json.dumps({"hits": {"hits": [{"_id": "a", "_source": {"sku": "b"}}]}}))
    with pytest.raises(rs.DataError, match=r"response 1: there is no column '_source.skuu'"):
        rs.evaluate({"0": ["b"]}, str(path), "RR", columns={"doc": "_source.skuu"})
    assert rs.evaluate({"0": ["b"]}, str(path), "RR", columns={"doc": "_source.sku"})["RR"] == 1


def test_a_named_key_that_some_records_lack_or_need_not_have(tmp_path):
    path = tmp_path / "judged.jsonl"
    path.write_text('{"query_id": "q", "gold": ["a"]}\n{"query_id": "r", "gold": [{"sku": "b"}]}\n')
    run = {"q": ["a"], "r": ["b"]}
    assert rs.evaluate(str(path), run, "RR", columns={"doc": "sku"})["RR"] == 1
    path.write_text(
        '{"query_id": "q", "id": "x", "gold": ["a"]}\n{"query_id": "r", "gold": ["b"]}\n'
    )
    with pytest.raises(rs.DataError, match="Use one key"):
        rs.evaluate(str(path), run, "RR", columns={"query": "id"})


def test_the_roles_of_lists_in_records_are_documented(capsys):
    from rankstone.cli import main

    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    assert "retrieved=" in capsys.readouterr().out
