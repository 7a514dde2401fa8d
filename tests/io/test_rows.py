"""Rows of runs: their first documents, their kinds, and how they are written."""

import json

import pandas as pd
import pytest

import rankstone as rs
from rankstone.core.documents import TopDocuments, top_documents
from rankstone.core.exclude import ExcludingRun
from rankstone.core.provenance import MEMORY
from rankstone.io.convert import convert, kind_of
from rankstone.io.formats import format_of
from rankstone.io.formats.trec_prefs import read_groups, read_preferences
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.rows import judgments_from
from rankstone.verbs.load import load_judgments, load_run


def in_file(tmp_path, *rows, name="run"):
    path = tmp_path / name
    path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    return path


def tops_of(run, queries, depth, ties="input"):
    known, tops = top_documents(run, None, queries, depth, rs.Conventions(ties=ties))
    assert known == queries
    return tops.lists()


QUERIES = ["q", "r", "none"]
ROWS = [("r", "z", 1), ("q", "a", 1), ("q", "b", 3), ("x", "y", 1), ("q", "c", 2), ("r", "y", 1), ("q", "d", 3)]  # fmt: skip


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (1, [["b"], ["z"], []]),
        (2, [["b", "d"], ["z", "y"], []]),
        (3, [["b", "d", "c"], ["z", "y"], []]),
        (9, [["b", "d", "c", "a"], ["z", "y"], []]),
    ],
)
def test_the_first_documents_of_a_file(engine, tmp_path, depth, expected):
    path = in_file(tmp_path, *ROWS)
    assert tops_of(load_run(path), QUERIES, depth) == expected
    table = tmp_path / "run.csv"
    table.write_text("query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in ROWS))
    assert tops_of(load_run(table), QUERIES, depth) == expected


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("docid-desc", ["d", "b", "c"]),
        ("docid-asc", ["b", "d", "c"]),
        ("input", ["b", "d", "c"]),
        ("expected", ["b", "d", "c"]),
    ],
)
def test_tied_documents_are_first_by_their_rule(engine, tmp_path, ties, expected):
    rows = {"q": {d: s for q, d, s in ROWS if q == "q"}}
    for data in (in_file(tmp_path, *ROWS), rows):
        run = load_run(data)
        assert tops_of(run, ["q"], 3, ties) == [expected]
        assert tops_of(run, ["q"], 1, ties) == [expected[:1]]


def test_the_first_documents_of_a_run_in_memory():
    listed = load_run({"q": ["a", "b", "a", "c"], 7: [1, 2]})
    assert tops_of(listed, ["q", 7, "none"], 3) == [["a", "b", "c"], ["1", "2"], []]
    assert tops_of(listed, ["q"], 2) == [["a", "b"]]
    scored = {"q": {"a": 1, "b": 3, "c": 3, "d": 2}}
    assert tops_of(load_run(scored), ["q"], 3) == [["b", "c", "d"]]
    assert tops_of(load_run(scored, scores="ascending"), ["q"], 3) == [["a", "d", "b"]]
    table = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1]})
    assert tops_of(load_run(table), ["q"], 3) == [["a"]]


def test_a_repeated_document_takes_one_place(engine, tmp_path):
    rows = [
        ("q", "a", 9),
        ("q", "a", 8),
        ("q", "b", 7),
        ("q", "a", 6),
        ("q", "c", 5),
        ("r", "z", 1),
    ]
    run = load_run(in_file(tmp_path, *rows))
    assert tops_of(run, ["q", "r"], 1) == [["a"], ["z"]]
    assert tops_of(run, ["q", "r"], 2) == [["a", "b"], ["z"]]
    assert tops_of(run, ["q", "r"], 3) == [["a", "b", "c"], ["z"]]


def test_the_lowest_distances_of_a_file_come_first(engine, tmp_path):
    path = in_file(tmp_path, *ROWS)
    run = load_run(path, scores="ascending")
    assert tops_of(run, ["q"], 2) == [["a", "c"]]


def test_what_is_excluded_is_not_among_the_first(engine, tmp_path):
    excluded = load_judgments({"q": {"b": 1, "c": 1}, "r": {"none": 1}})
    run = ExcludingRun(load_run(in_file(tmp_path, *ROWS)), excluded)
    assert tops_of(run, QUERIES, 2) == [["d", "a"], ["z", "y"], []]
    assert tops_of(run, QUERIES, 1) == [["d"], ["z"], []]
    table = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1]})
    assert tops_of(ExcludingRun(load_run(table), excluded), ["q"], 2) == [["a"]]
    table = pd.DataFrame({"query_id": ["q"] * 2, "doc_id": ["b", "a"], "score": [2, 1]})
    assert tops_of(ExcludingRun(load_run(table), excluded), ["q"], 2) == [["a"]]


def test_lists_of_documents_are_kept():
    lists = [["a", "b"], [], ["c"]]
    tops = TopDocuments.of(lists)
    assert (tops.offsets.tolist(), tops.lists()) == ([0, 2, 2, 3], lists)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("q Q0 d 1 1 t", "run"),
        ("q Q0 d 1 1 t more", "run"),
        ("q 0 d 1", "judgments"),
        ("q Q0 d 1", "judgments"),
        ("q 7 d 1", None),
        ("q d 1", None),
        ("q 0 d 1 1", None),
    ],
)
def test_what_a_file_of_rows_holds(tmp_path, row, kind):
    path = tmp_path / "file"
    path.write_text(f"{row}\n{row}\n")
    with Input.open(str(path), ReadOptions()) as file:
        if kind is not None:
            assert kind_of(file, format_of(file)) == kind
            return
        with pytest.raises(rs.UsageError, match="'trec' may hold judgments or a run; say which"):
            kind_of(file, format_of(file))


def test_rows_of_a_run_are_written_by_rank(tmp_path):
    source, target = tmp_path / "run.json", tmp_path / "out.run"
    source.write_text('{"q": {"a": 1, "b": 2.5, "c": 2.5}, "r": {"d": -1}}')
    assert convert(str(source), str(target), kind="run").rows == 4
    assert target.read_text().splitlines() == [
        "q Q0 b 1 2.5 rankstone",
        "q Q0 c 2 2.5 rankstone",
        "q Q0 a 3 1 rankstone",
        "r Q0 d 1 -1 rankstone",
    ]


@pytest.mark.parametrize(
    ("query", "doc", "words"),
    [
        ("a b", "d", "query id 'a b' cannot be written to a TREC file"),
        ("q", "a\tb", "document id 'a\\tb' cannot be written to a TREC file"),
        ("#q", "d", "query id '#q' cannot be written to a TREC file"),
        ("\ufeffq", "d", "query id '\\ufeffq' cannot be written to a TREC file"),
        ("q#", "#d", None),
    ],
)
@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_ids_that_rows_between_blanks_cannot_hold(tmp_path, kind, query, doc, words):
    source, target = tmp_path / "file.json", tmp_path / "out.txt"
    source.write_text(json.dumps({query: {doc: 1}}))
    if words is None:
        assert convert(str(source), str(target), kind=kind).rows == 1
        return
    with pytest.raises(rs.DataError) as caught:
        convert(str(source), str(target), kind=kind)
    assert str(caught.value).startswith(words)


def test_ranks_have_a_direction_of_their_own(tmp_path):
    path = tmp_path / "run"
    path.write_text("q a 1\nq b 2\n")
    with pytest.raises(rs.UsageError, match="the ranks of this format have their own direction"):
        load_run(path, scores="ascending")
    assert rs.evaluate({"q": {"b": 1}}, path, "RR")["RR"] == 0.5


VESPA = {"query_id": "q", "relevant_docs": [{"id": "a", "score": 1}]}
HITS = {"hits": {"hits": [{"_id": "a", "_score": 2}]}}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("0.5\n1\n", "scores"),
        ("0.5\n1 2\n", "trec"),
        ("x\n1\n", "trec"),
        ("query,docid,rating\n", "quepid"),
        ('"query" ,docid,rating\n', "trec"),
        (json.dumps([VESPA]), "vespa"),
        (json.dumps([VESPA, {"query_id": "r"}]), "json"),
        (json.dumps([HITS]), "search-response"),
        (json.dumps([HITS, {"error": 1}]), "search-response"),
        (json.dumps([HITS, {"x": 1}]), "json"),
    ],
)
def test_a_format_is_known_by_all_of_a_file(tmp_path, text, name):
    path = tmp_path / "file"
    path.write_text(text)
    with Input.open(str(path), ReadOptions()) as file:
        assert format_of(file).name == name


def test_ratings_whose_columns_are_named_are_any_table(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("query,docid,rating\nq,d,1\n")
    with Input.open(str(path), ReadOptions(columns={"grade": "rating"})) as file:
        assert format_of(file).name == "csv"


def test_a_file_of_comments_holds_nothing(tmp_path):
    path = tmp_path / "file"
    path.write_text("# q 0 d 1\n")
    unclear = pytest.raises(rs.UsageError, match="'trec' may hold judgments or a run; say which")
    with Input.open(str(path), ReadOptions()) as file, unclear:
        kind_of(file, format_of(file))
    with pytest.raises(rs.DataError, match="the file holds no judgments"):
        load_judgments(path)


def test_a_run_in_json_has_the_name_of_its_file(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"q": {"a#1": 1, "b#1": 2, "a#2": 3}}')
    assert load_run(path).name == "mine"
    assert load_run(path, name="other").name == "other"
    assert rs.pool(path, parents="{doc}#{n}", depth=2) == {"q": ["a", "b"]}
    assert rs.pool(path, parents="{doc}#{n}", depth=1) == {"q": ["a"]}


def test_a_rating_that_is_quoted_badly(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text('query,docid,rating\n"q"x,a,1\n')
    with pytest.raises(rs.DataError, match=":2: a quote within a field"):
        load_judgments(path)


@pytest.mark.parametrize(
    ("to", "start"),
    [("parquet", b"PAR1"), ("arrow", b"ARROW1"), ("jsonl", '{"query_id": "é",'.encode()), ("json", '{"é": {"ü": 1'.encode())],
)  # fmt: skip
@pytest.mark.parametrize("subtopics", [False, True])
def test_what_is_written_is_of_the_format_that_was_named(tmp_path, to, start, subtopics):
    rows = [{"query_id": "é", "doc_id": "ü", "relevance": 1}]
    if subtopics:
        rows = [rows[0] | {"subtopic": name} for name in "st"]
    source, target = tmp_path / "judged.jsonl", tmp_path / "out"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    convert(str(source), str(target), to, kind="judgments")
    assert target.read_bytes().startswith(start)


def test_judgments_of_groups(tmp_path):
    path = tmp_path / "groups"
    path.write_text("q g2 a 1\nq g1 a 0\nq g1 b 2\n")
    found = read_groups(str(path))
    assert list(found) == ["g1", "g2"]
    assert found["g1"].grades.tolist() == [0, 2]
    assert list(found["g1"].docs) == ["a", "b"]
    path.write_text("q g1 a 1.5\n")
    with pytest.raises(rs.DataError, match="the grade 1.5 of document 'a' is not a whole number"):
        read_groups(str(path))
    assert read_groups(str(path), lenient=True)["g1"].grades.tolist() == [1]
    path.write_text("q g1 a 1\nq g1 a 1\n")
    with pytest.raises(rs.DataError, match="group 'g1' judged document 'a' of query 'q' twice"):
        read_groups(str(path))
    path.write_text("# nothing\n")
    with pytest.raises(rs.DataError, match="the file holds no judgments"):
        read_groups(str(path))


def test_preferences(tmp_path):
    path = tmp_path / "prefs"
    path.write_text("q g a 2\nq g b 1\n")
    found = read_preferences(str(path), sittings=False)
    assert found.rows == {"q": [("g", "0", "a", 2.0), ("g", "0", "b", 1.0)]}
    assert list(found.judgments.docs) == ["a", "b"]
    path.write_text("q g s a 2\nq g t b 1\n")
    found = read_preferences(str(path), sittings=True)
    assert found.rows == {"q": [("g", "s", "a", 2.0), ("g", "t", "b", 1.0)]}
    path.write_text("q g a 2\nq g b x\n")
    with pytest.raises(rs.DataError, match=":2:7: level 'x' is not a number"):
        read_preferences(str(path), sittings=False)
    path.write_text("q g a\n")
    with pytest.raises(rs.DataError, match=r":1: expected 4 fields \(query group document level\)"):
        read_preferences(str(path), sittings=False)


def codes(notices):
    return {n.code: (n.count, n.examples) for n in notices}


def test_repeated_judgments_are_counted_with_the_first_as_example():
    rows = [(q, "d", 1.0) for q in ("b", "b", "b", "a", "a", "c", "c")]
    rows += [(q, "e", grade) for q in ("b", "a") for grade in (0.0, 2.0, 1.0, 2.0)]
    found = codes(judgments_from(rows, MEMORY, "rows").notices)
    assert found == {
        "repeated-judgments": (6, ("document d of query a",)),
        "contradicting-judgments": (4, ("document e of query a",)),
    }
