"""Formats of other tools, lists and matrices: what is read from them, and what is refused."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pandas as pd
import pytest

import rankstone as rs
from rankstone.choices.setup import Setup
from rankstone.core.documents import top_documents
from rankstone.core.provenance import MEMORY
from rankstone.io.changes import check_scores
from rankstone.io.convert import kind_of
from rankstone.io.files import in_folder
from rankstone.io.formats import format_of
from rankstone.io.gathered import run_from
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.rows import (
    Lists,
    check_utf8,
    lists_as_text,
    rows_of_judgments,
    rows_of_lists,
)
from rankstone.io.texts import read_texts
from rankstone.verbs.load import load_judgments, load_run


def written(tmp_path, data):
    path = tmp_path / "file"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


REQUEST = {"id": "q", "ratings": [{"_id": "a", "rating": 2}, {"_id": "b", "rating": 0}]}
GROUP = {"name": "n", "relevant_documents": {"a": {"gain": 2}, "b": 1}}
TEXT = {"placeholders": {"$query": "q"}}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"requests": [REQUEST]}, {("q", "a"): 2, ("q", "b"): 0}),
        ({"judgmentRatings": [{"query": "q", "ratings": [{"docId": "a", "rating": "2"}]}]}, {("q", "a"): 2}),
        ({"query_groups": [GROUP]}, {("n", "a"): 2, ("n", "b"): 1}),
        ({"topics": [{"query_groups": [GROUP | {"queries": [TEXT, {}]}]}]}, {("q", "a"): 2, ("q", "b"): 1, ("n", "a"): 2, ("n", "b"): 1}),
        ({"query_groups": [{"name": "n", "relevant_documents": {"3": ["a", "b"]}}]}, {("n", "a"): 3, ("n", "b"): 3}),
        ([{"query_id": "q", "query": "x", "relevant_docs": [{"id": "a", "score": 2}]}], {("q", "a"): 2}),
        ("query,docid,rating\nq,a,2\n\nq,b,\nq,c,1\n", {("q", "a"): 2, ("q", "c"): 1}),
        ("Rating,Doc ID,Query Text\n2,a,q\n", {("q", "a"): 2}),
    ],
)  # fmt: skip
def test_judgments_of_other_tools(tmp_path, data, expected):
    judged = load_judgments(written(tmp_path, data))
    assert {(q, d): grade for q, d, grade in rows_of_judgments(judged)} == expected


HITS = {"hits": {"hits": [{"_id": "a", "_score": 2}, {"_id": "b", "_score": 1}]}}
NONE = {"hits": {"hits": []}}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (HITS, {"0": {"a": 2, "b": 1}}),
        ({"responses": [HITS, NONE]}, {"0": {"a": 2, "b": 1}, "1": {}}),
        ([HITS], {"0": {"a": 2, "b": 1}}),
        ({"q": HITS, "r": HITS}, {"q": {"a": 2, "b": 1}, "r": {"a": 2, "b": 1}}),
        ('{"retrieved": ["a"]}\n\n{"retrieved": ["b"]}\n', {"0": ["a"], "1": ["b"]}),
        ({"metric_score": 1, "details": {"q": {"hits": [{"hit": {"_id": "a"}}, {"_id": "b"}]}}}, {"q": ["a", "b"]}),
    ],
)  # fmt: skip
def test_runs_of_search_engines(tmp_path, data, expected):
    found = {}
    run = load_run(written(tmp_path, data))
    for query, doc, score in run.rows():
        found.setdefault(query, {}).update({doc: score} if doc else {})
    if run.direction == 0:
        found = {query: list(docs) for query, docs in found.items()}
    assert found == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"requests": [REQUEST, {"id": "r", "ratings": [1]}]}, ", request 2: expected an array of objects."),
        ({"metric_score": 1, "details": {}}, ": a _rank_eval response rates only what was retrieved. Give the request, which holds all ratings."),
        ({"judgmentRatings": [{"query": "q", "ratings": []}, {"query": "q"}]}, ", entry 2: expected a query and its ratings."),
        ({"judgmentRatings": [{"query": "q", "ratings": [1]}]}, ", entry 1: expected ratings with docId and rating."),
        ({"query_groups": [GROUP, {"name": "n"}]}, ", query group 2: expected relevant_documents as an object."),
        ({"topics": [1]}, ": expected an array of objects."),
        ("query,docid,rating\nq,a,2\nq,b\n", ":3: 2 fields, and the header has 3."),
        ("query,docid,rating,rating\nq,a,2,1\n", ": there are several columns 'rating'; rename all but one."),
    ],
)  # fmt: skip
def test_judgments_of_other_tools_that_cannot_be_read(tmp_path, data, message):
    path = written(tmp_path, data)
    with pytest.raises(rs.DataError) as caught:
        load_judgments(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([HITS, {"error": {"reason": "too slow"}}], ", response 2: the search failed (too slow), so there are no hits to evaluate. Repeat it, or give the query an empty list of hits."),
        ([HITS, {"error": {}}], ", response 2: the search failed (an error), so there are no hits to evaluate. Repeat it, or give the query an empty list of hits."),
        ({"requests": [REQUEST]}, ": a _rank_eval request holds no ranking. Give the response."),
        ({"metric_score": 1, "details": {"q": {"hits": [1]}}}, ", query 'q': expected an array of objects."),
    ],
)  # fmt: skip
def test_runs_of_search_engines_that_cannot_be_read(tmp_path, data, message):
    path = written(tmp_path, data)
    with pytest.raises(rs.DataError) as caught:
        load_run(path)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(("failed", "known"), [(9, True), (10, False)])
def test_so_many_responses_are_looked_at(tmp_path, failed, known):
    path = written(tmp_path, [{"error": {}}] * failed + [HITS])
    with Input.open(str(path), ReadOptions()) as file:
        assert (format_of(file).name == "search-response") == known


@pytest.mark.parametrize(
    ("data", "kind"),
    [({"requests": [REQUEST]}, "judgments"), ({"metric_score": 1, "details": {}}, "run")],
)
def test_what_a_file_of_rank_eval_holds(tmp_path, data, kind):
    with Input.open(str(written(tmp_path, data)), ReadOptions()) as file:
        assert kind_of(file, format_of(file)) == kind


HINT = " To name the format of the run alone, write ':scores'."


@pytest.mark.parametrize(
    ("call", "form", "kind", "hint"),
    [
        (lambda path: load_judgments(path), "scores", "judgments", ""),
        (lambda path: load_judgments(path, input_format="scores"), "scores", "judgments", HINT),
        (lambda path: load_run(path, input_format="letor"), "letor", "run", ""),
    ],
)
def test_a_format_that_cannot_hold_what_is_asked_for(tmp_path, call, form, kind, hint):
    path = written(tmp_path, "1 qid:1 1:1\n" if form == "letor" else "0.5\n")
    with pytest.raises(rs.DataError) as caught:
        call(path)
    words = f"holds no {kind}; the order is judgments first, then runs.{hint}"
    assert str(caught.value).startswith(f"{path}: the format '{form}' (")
    assert str(caught.value).endswith(words)


def test_scores_alone_go_with_the_rows_of_a_file(tmp_path):
    rows, scores = tmp_path / "rows.letor", tmp_path / "scores"
    rows.write_text("0 qid:1 1:1\n1 qid:1 1:1\n1 qid:2 1:1\n")
    scores.write_text("# note\n0.5\n\n0.25\n1\n")
    assert rs.evaluate(rows, scores, "RR").per_query == {"1": {"RR": 0.5}, "2": {"RR": 1}}
    near = rs.evaluate(rows, scores, "RR", scores="ascending")
    assert near.per_query == {"1": {"RR": 1}, "2": {"RR": 1}}
    scores.write_text("0.5\n0.25\n")
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(rows, scores, "RR")
    words = f"2 scores for the 3 rows of {rows}. Score exactly these rows, in their order."
    assert str(caught.value) == f"{scores}: {words}"
    scores.write_text("0.5\nx\n1\n")
    with pytest.raises(rs.DataError, match=":2: score 'x' is not a number"):
        rs.evaluate(rows, scores, "RR")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("d\tsome  text\there", {"d": "some text here"}),
        ('{"_id": "d", "title": "A", "text": "B  c"}', {"d": "A · B c"}),
        ('{"id": 7, "title": "A", "text": "A"}', {"7": "A"}),
        ('{"docno": "d", "body": "B"}', {"d": "B"}),
        ('{"_id": null, "id": "d", "query": "Q"}', {"d": "Q"}),
        ("d\t", {"d": ""}),
    ],
)
def test_texts_by_id(tmp_path, line, expected):
    path = str(written(tmp_path, f"\n{line}\n"))
    assert read_texts(path) == expected
    assert read_texts(path, wanted=["x"]) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n" + "x" * 81 + "\n", f":2: expected an id, a tab and a text, or a JSON object, found {'x' * 80!r}."),
        ('{"text": "a"}\n', ":1: no id. Name it one of _id, id, docid, doc_id, qid, query_id, docno."),
        ("\n\n", ": the file has no texts. Write an id, a tab and a text per line."),
    ],
)  # fmt: skip
def test_texts_that_cannot_be_read(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(rs.DataError) as caught:
        read_texts(str(path))
    assert str(caught.value) == f"{path}{message}"


def tops_of(path, depth):
    queries, tops = top_documents(load_run(path), None, None, depth, rs.Conventions())
    return dict(zip(queries, tops.lists(), strict=True))


def test_the_first_documents_of_a_run(tmp_path):
    rows = [("q", "a", 1), ("q", "b", 2), ("q", "c", 2), ("q", "a", 3), ("r", "z", 1)]
    path = written(tmp_path, "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    assert tops_of(path, 2) == {"q": ["a", "c"], "r": ["z"]}
    assert tops_of(path, 1) == {"q": ["a"], "r": ["z"]}
    with pytest.raises(rs.UsageError, match="^a depth is at least 1, not 0.$"):
        rs.pool(path, depth=0)
    many = "".join(f"q Q0 d{i:04} 1 {(i * 7919) % 3001} t\n" for i in range(3000))
    scores = {f"d{i:04}": (i * 7919) % 3001 for i in range(3000)}
    best = sorted(scores, key=scores.get, reverse=True)[:3]
    assert tops_of(written(tmp_path, many), 3) == {"q": best}


def test_documents_to_judge():
    runs = [{"r": ["b"], "q": ["b", "a"]}, {"q": ["c", "a"], "x": ["a"]}]
    assert list(rs.pool(runs).items()) == [("q", ["a", "b", "c"]), ("r", ["b"]), ("x", ["a"])]
    judged = load_judgments({"q": {"a": 1}, "r": {"b": 0}})
    assert rs.pool(runs, judged) == {"q": ["b", "c"]}


def test_the_judgments_of_a_data_set_in_a_folder(tmp_path):
    folder = tmp_path / "qrels"
    with pytest.raises(rs.DataError, match="this is a directory; give a file, or a data set"):
        in_folder(str(tmp_path))
    folder.mkdir()
    for name in ("notes.txt", "tsv"):
        (folder / name).touch()
    with pytest.raises(rs.DataError, match="this is a directory; give a file, or a data set"):
        in_folder(str(tmp_path))
    (folder / "dev.tsv").touch()
    assert in_folder(str(tmp_path)) == str(folder / "dev.tsv")
    (folder / "train.tsv").touch()
    with pytest.raises(rs.DataError, match="which of dev.tsv, train.tsv in "):
        in_folder(str(tmp_path))
    (folder / "test.tsv.gz").touch()
    assert in_folder(str(tmp_path)) == str(folder / "test.tsv.gz")
    assert in_folder("nothing") == "nothing"


@pytest.mark.parametrize(
    ("rows", "ascending", "scores", "sequences"),
    [
        ([("q", "a", 1.0), ("q", "b", 2.0)], False, {"a": 1, "b": 2}, {}),
        ([("q", "a", 1.0), ("q", "b", 2.0), ("q", "a", 3.0)], False, {"b": 2, "a": 3}, {"q": [("a", 1), ("b", 2), ("a", 3)]}),
        ([("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 3.0)], False, {"a": 3, "b": 2}, {"q": [("a", 3), ("b", 2), ("a", 3)]}),
        ([("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 1.0)], True, {"b": 2, "a": 1}, {"q": [("a", 3), ("b", 2), ("a", 1)]}),
        ([("q", "a", 1.0), ("q", "b", 2.0), ("q", "a", 1.0)], True, {"a": 1, "b": 2}, {"q": [("a", 1), ("b", 2), ("a", 1)]}),
        ([("q", "", 0.0), ("q", "a", 1.0), ("q", "a", 0.0), ("q", "b", 5.0)], False, {"a": 1, "b": 5}, {"q": [("a", 1), ("a", 0), ("b", 5)]}),
    ],
)  # fmt: skip
def test_of_repeated_rows_the_best_counts(rows, ascending, scores, sequences):
    run = run_from(rows, MEMORY, "file", ReadOptions(ascending=ascending), name="run")
    assert list(run.data["q"].items()) == list(scores.items())
    assert run.sequences == sequences
    sign = -1 if ascending else 1
    documents = [("q", d, sign * s) for d, s in sequences.get("q") or scores.items()]
    assert list(run.rows()) == [("q", "", 0), *documents]


def test_repeated_documents_are_counted_by_query():
    rows = [("q", d, 1.0) for d in "bbbccad"] + [("r", "a", 1.0)]
    run = run_from(rows, MEMORY, "file", ReadOptions(), name="run")
    matches = run.match(load_judgments({"q": {"a": 1}, "r": {"a": 1}}), float32=False, repeats=False)  # fmt: skip
    assert matches.duplicates.tolist() == [3, 0]
    assert matches.duplicate == {0: "b"}
    text = run_from([("7", "a", 1.0), ("7", "a", 0.0)], MEMORY, "file", ReadOptions(), name="run")
    matches = text.match(load_judgments({7: {"a": 1}}), float32=False, repeats=False)
    assert matches.duplicates.tolist() == [1]


def test_lists_become_scores():
    lists = Lists({"q": ["a", "b", "a", "c"], "r": []})
    assert list(rows_of_lists(lists)) == [("q", "a", 3), ("q", "b", 2), ("q", "c", 1), ("r", "", 0)]
    with pytest.raises(rs.DataError, match="^x: a query has two rankings.$"):
        lists_as_text(Lists({1: ["a"], "1": ["b"]}), "x")


def test_ids_that_a_format_cannot_hold():
    check_utf8("q", "d", "é")
    with pytest.raises(rs.DataError, match=r"^query id 'a\\rb' cannot be written to this format"):
        check_utf8("a\rb", "d", without="\0\r")
    with pytest.raises(rs.DataError, match=r"^document id '\\udcff' is not UTF-8 and"):
        check_utf8("q", "d", "\udcff")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (["a"], "the run: expected a list of lists, one for each query, but it holds 'a'."),
        ([["a"], None], "the run: expected a list of lists, one for each query, but it holds None."),
        ([["a"], 1.5], "the run: expected a list of lists, one for each query, but it holds 1.5."),
    ],
)  # fmt: skip
def test_a_list_of_rankings_holds_lists(run, message):
    with pytest.raises(rs.DataError) as caught:
        load_run(run)
    assert str(caught.value).startswith(message)


ROW = {"query_id": "q", "doc_id": "d", "score": 1}


def test_rows_in_a_list_have_the_same_keys():
    run = [ROW, ROW | {"doc_id": "e", "score": 2}]
    assert rs.evaluate({"q": {"d": 1}}, run, "RR")["RR"] == 0.5
    with pytest.raises(rs.DataError, match=r"the run: record 1 \(records count from 0\) has other"):
        load_run([ROW, ROW | {"more": 1}])
    with pytest.raises(rs.DataError, match=r"the run: record 10 \(records count from 0\) has other"):  # fmt: skip
        load_run([ROW] * 10 + [["a"]])


def test_a_dict_that_is_not_a_row_says_which_keys_to_name():
    with pytest.raises(rs.DataError, match=r"^the run, record 1: no key .*keys: 'query_id', 'x'"):
        load_run([{"query_id": "q", "x": 1}])


def test_a_key_of_a_row_may_be_a_number():
    assert rs.evaluate({"q": {"d": 1}}, [ROW | {1: 2}], "RR")["RR"] == 1


def test_chunks_in_lists():
    result = rs.evaluate([["a"]], [["b#1", "a#1", "a#2"]], "RR", parents="{doc}#{n}")
    assert result.per_query == {0: {"RR": 0.5}}


@pytest.mark.parametrize("run", [SimpleNamespace(match=1), SimpleNamespace(source=1)])
def test_what_is_like_a_run_in_part_is_none(run):
    with pytest.raises(rs.UsageError, match="^cannot read a run from SimpleNamespace; give a path"):
        load_run(run)


def test_lists_belong_together_by_position():
    assert rs.evaluate([["a"], ["b"]], [["a"], []], "RR").per_query == {0: {"RR": 1}, 1: {"RR": 0}}
    for run in ([["a"]], [["a"], ["b"], ["c"]]):
        with pytest.raises(
            rs.DataError, match=f"^run: {len(run)} rankings for 2 lists of relevant"
        ):
            rs.evaluate([["a"], ["b"]], run, "RR")
    assert rs.evaluate({0: {"a": 1}, 2: {"b": 1}}, [["a"]], "RR").per_query[0] == {"RR": 1}


@pytest.mark.parametrize(
    ("options", "direction", "words"),
    [
        ({"min_score": True}, 1, "min_score must be a number, not True."),
        ({"min_score": "1"}, 1, "min_score must be a number, not '1'."),
        ({"min_score": 0}, 0, "run: min_score= needs scores, and this run has none."),
        ({"parents": {}, "parent_rule": "max"}, 0, "run: the rule 'max' needs scores, and this run has none. Choose 'first'."),
        ({"min_score": 0}, 1, None),
        ({"min_score": 0}, -1, None),
        ({"parents": {}, "parent_rule": "max"}, 1, None),
        ({"parents": {}, "parent_rule": "max"}, -1, None),
        ({"parents": {}}, 0, None),
    ],
)  # fmt: skip
def test_changes_that_suit_a_run(options, direction, words):
    if words is None:
        assert check_scores("run", direction, Setup.of("evaluate", options)) is None
        return
    with pytest.raises(rs.UsageError) as caught:
        check_scores("run", direction, Setup.of("evaluate", options))
    assert str(caught.value) == words


def test_a_rule_of_chunks_needs_chunks():
    with pytest.raises(rs.UsageError, match="^parent_rule= needs parents=: the document of each"):
        Setup.of("evaluate", {"parent_rule": "max"})


FRAME = {"query_id": ["q", "q", "r"], "doc_id": ["a", "d", "a"]}


@pytest.mark.parametrize(
    ("run", "options", "retrieved"),
    [
        ({"q": {"a": 2, "d": 1}, "r": {"a": 0.5}}, {"min_score": 1}, [2, 0]),
        ({"q": {"a": 2, "d": 1}, "r": {"a": 0.5}}, {"min_score": 1, "scores": "ascending"}, [1, 1]),
        (pd.DataFrame(FRAME | {"score": [2, 1, 0.5]}), {"min_score": 1}, [2, 0]),
        (pd.DataFrame(FRAME | {"far": [2, 1, 0.5]}), {"min_score": 1, "columns": {"distance": "far"}}, [1, 1]),
        ([{"query_id": "q", "doc_id": "a", "score": 2}, {"query_id": "r", "doc_id": "a", "score": 1}], {"min_score": 2}, [1, 0]),
    ],
)  # fmt: skip
def test_a_lowest_score_that_counts(run, options, retrieved):
    judged = {"q": {"d": 1}, "r": {"d": 1}}
    result = rs.evaluate(judged, run, "NumRet", **options)
    assert [row["NumRet"] for row in result.per_query.values()] == retrieved


def test_what_is_excluded_needs_no_grades():
    known = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "x": [0.5]})
    result = rs.evaluate({"q": {"d": 1}}, {"q": ["a", "d"]}, "RR", exclude=known)
    assert result["RR"] == 1


@pytest.mark.parametrize("number", [{"rank": [1, 2, 1]}, {}])
def test_chunks_are_ranked_as_their_rows_are(number):
    frame = pd.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a#1", "d#1", "a#2"]} | {k: [1, 2, 3] for k in number})  # fmt: skip
    result = rs.evaluate({"q": {"d": 1}}, frame, ["RR", "NumRet"], parents="{doc}#{n}")
    assert result.aggregates == {"RR": 0.5, "NumRet": 2}


def values(*data, **options):
    return rs.evaluate(*data, "RR", **options).per_query


ONE_VALUE = {
    '{"id": 1, "gold": "d1"}\n{"id": 2, "gold": "d2"}\n': r"Put 'gold' into a list: \['d1'\]",
    '{"query": "a", "relevant": "d1"}\n': "one record of JSONL",
    "# made today\nquery_id,doc_id,relevance\n": "the first line has to name them",
}


RESPONSE = {
    "took": 3,
    "timed_out": False,
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "hits": [{"_index": "i", "_id": "b", "_score": 2.0}, {"_id": "a", "_score": 1.0}],
    },
}


SEARCHED = {
    "by query": ({"q1": {"a": 1}}, {"q1": RESPONSE}),
    "_msearch": ([{"a": 1}, {"b": 1}], {"took": 1, "responses": [RESPONSE, RESPONSE]}),
    "_search": ([{"a": 1}], RESPONSE),
    "list": ([{"a": 1}], [RESPONSE]),
}


def test_quepid_in_detail(tmp_path):
    text = 'Team Name,Query Text,Doc ID,Title,Rating\nT,red,1,"a, b",3\nT,red,2,c,\n'
    (tmp_path / "case.csv").write_text(text)
    assert values(tmp_path / "case.csv", {"red": ["2", "1"]}) == {"red": {"RR": 0.5}}


@pytest.mark.parametrize("names", ["rating,label", "label,rating"])
def test_quepid_beside_another_grade_is_unclear(tmp_path, names):
    path = tmp_path / "case.csv"
    path.write_text(f"query,docid,{names}\nred,1,1,0\nred,2,0,1\n")
    with pytest.raises(rs.DataError, match=r"which column holds the grades, 'label' or 'rating'\?"):
        values(path, {"red": ["2", "1"]})
    first = names.startswith("rating")
    for name, value in (("rating", 0.5 if first else 1), ("label", 1 if first else 0.5)):
        result = values(path, {"red": ["2", "1"]}, columns={"grade": name})
        assert result == {"red": {"RR": value}}
    path.write_text("query,docid,rating,label\nred,1,1,good\nred,2,,\n")
    assert values(path, {"red": ["2", "1"]}) == {"red": {"RR": 0.5}}


@pytest.mark.parametrize("text", ONE_VALUE)
def test_what_nearly_is_known(tmp_path, text):
    (tmp_path / "file").write_text(text)
    with pytest.raises(rs.DataError, match=ONE_VALUE[text]):
        values(tmp_path / "file", {"1": ["d1"]})


@pytest.mark.parametrize("form", SEARCHED)
def test_responses_of_search_engines_are_runs(tmp_path, form):
    judged, run = SEARCHED[form]
    expected = {str(q): v for q, v in values(judged, run).items()}
    assert next(iter(expected.values())) == {"RR": 0.5}
    (tmp_path / "run.json").write_text(json.dumps(run))
    by_query = judged if isinstance(judged, dict) else {str(i): j for i, j in enumerate(judged)}
    assert values(by_query, tmp_path / "run.json") == expected


@pytest.mark.parametrize("more", [{"timed_out": True}, {"_shards": {"total": 3, "failed": 1}}])
def test_a_search_that_lacks_hits_is_said(tmp_path, more):
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    complete = RESPONSE | {"_shards": {"total": 3, "failed": 0}}
    run = {"q1": complete, "q2": RESPONSE | more}
    (tmp_path / "run.json").write_text(json.dumps(run))
    for form in (run, tmp_path / "run.json"):
        notices = [n for n in rs.evaluate(judged, form, "RR").notices if n.level == "warning"]
        assert [(n.code, n.count, n.of, n.examples) for n in notices] == [("partial-responses", 1, 2, ("q2",))]  # fmt: skip
        assert notices[0].text.startswith(
            "1 of 2 responses of a search that timed out or failed on"
        )
    assert rs.evaluate(judged, {"q1": complete, "q2": complete}, "RR").notices == ()


def test_a_search_that_failed_is_said():
    failed = {"responses": [RESPONSE, {"error": {"reason": "no such index"}, "status": 404}]}
    with pytest.raises(rs.DataError, match=r"response 2: the search failed \(no such index\)"):
        values([{"a": 1}, {"a": 1}], failed)


def test_nested_keys_are_named_by_their_path(tmp_path):
    rows = [{"qid": "q", "metadata": {"id": d}, "score": s} for d, s in (("b", 2), ("a", 1))]
    listed = [{"qid": "q", "results": [{"metadata": {"id": d}} for d in ("b", "a")]}]
    columns = {"doc": ["metadata.id", "doc"]}
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    for number, records in enumerate((rows, listed)):
        expected = {"q": {"RR": 0.5}}
        assert values({"q": {"a": 1}}, records, columns=columns) == expected
        for suffix, text in (
            ("json", json.dumps(records)),
            ("jsonl", "".join(json.dumps(r) + "\n" for r in records)),
        ):
            path = tmp_path / f"{number}.{suffix}"
            path.write_text(text)
            assert values(tmp_path / "qrels", path, columns=columns) == expected
    with pytest.raises(rs.DataError, match=r"there is no column 'meta.id'"):
        values({"q": {"a": 1}}, rows, columns={"doc": "meta.id"})


def test_an_id_within_another_key_is_pointed_at():
    found = [{"text": "...", "payload": {"id": "c1"}, "score": 0.2}]
    rows = [{"question": "q1", "expected_ids": ["c1"], "retrieved": found}]
    with pytest.raises(
        rs.DataError, match=r"pass columns=\{'doc': 'payload.id'\} \(--columns doc="
    ):
        values(rows, rows)
    assert values(rows, rows, columns={"doc": "payload.id"}) == {"q1": {"RR": 1.0}}
