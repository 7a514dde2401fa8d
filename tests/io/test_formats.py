"""The same data in every text format gives the same result; every reader fails in words."""

import gc
import gzip
import io
import json
import os
import random
import sys

import pytest
from hypothesis import given, settings, strategies as st
from sources import JUDGED, JUDGMENT_FILES, MEASURES, RANKED, RUN_FILES, SCORED, jsonl, pairs
from strategies import collections, examples

import rankstone as rs
from rankstone.cli import main
from rankstone.io import formats
from rankstone.io.convert import convert
from rankstone.verbs.load import load_judgments, load_run


def bits(result):
    return result.queries, {n: c.tobytes() for n, c in result.columns.items()}, result.aggregates


def complaint(call):
    """Return why a call was refused, None where it was not."""
    try:
        call()
    except rs.RankstoneError as error:
        return str(error)
    return None


@pytest.mark.parametrize("form", JUDGMENT_FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_judgments_of_every_format_are_the_same(engine, tmp_path, form, packed):
    raw = JUDGMENT_FILES[form](JUDGED).encode()
    (tmp_path / "file").write_bytes(gzip.compress(raw) if packed else raw)
    got = rs.evaluate(tmp_path / "file", SCORED, MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, SCORED, MEASURES))
    assert [n.code for n in got.warnings] == ["grades-below-one", "unjudged-queries"]
    assert got.provenance.judgments.digest() is not None


@pytest.mark.parametrize("form", RUN_FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_runs_of_every_format_are_the_same(engine, tmp_path, form, packed):
    raw = RUN_FILES[form](RANKED).encode()
    (tmp_path / "file").write_bytes(gzip.compress(raw) if packed else raw)
    got = rs.evaluate(JUDGED, tmp_path / "file", MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, SCORED, MEASURES))
    assert [n.code for n in got.warnings] == ["grades-below-one", "unjudged-queries"]


@pytest.mark.parametrize("form", RUN_FILES)
@pytest.mark.parametrize("raw", [b"\xef\xbb\xbf", b"\r"], ids=["mark", "crlf"])
def test_marks_and_line_ends_change_nothing(engine, tmp_path, form, raw):
    text = RUN_FILES[form](RANKED).encode()
    text = text.replace(b"\n", b"\r\n") if raw == b"\r" else raw + text
    (tmp_path / "file").write_bytes(text)
    got = rs.evaluate(JUDGED, tmp_path / "file", MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, SCORED, MEASURES))


@pytest.mark.parametrize("form", [*JUDGMENT_FILES])
def test_standard_input_may_hold_any_format(tmp_path, form, monkeypatch):
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(JUDGMENT_FILES[form](JUDGED).encode())))
    monkeypatch.setattr(sys, "stdin", stream)
    got = rs.evaluate("-", SCORED, MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, SCORED, MEASURES))


def test_a_data_set_in_a_folder(engine, tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nx\ty\t1\n")
    (tmp_path / "qrels" / "test.tsv").write_text(JUDGMENT_FILES["beir"](JUDGED))
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "text": "..."}\n')
    got = rs.evaluate(tmp_path, SCORED, MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, SCORED, MEASURES))


def test_scores_belong_to_rows(engine, tmp_path):
    """Labels and scores as LightGBM and XGBoost take and give them, with groups either way."""
    draw = random.Random(7)
    groups, labels, scores = [3, 1, 4], [], []
    for size in groups:
        labels.append([draw.randint(0, 3) for _ in range(size)])
        scores.append([draw.choice([0.5, 1.25, draw.random()]) for _ in range(size)])
    flat = [
        (q + 1, label, s) for q in range(3) for label, s in zip(labels[q], scores[q], strict=True)
    ]
    (tmp_path / "scores").write_text("".join(f"{s!r}\n" for _, _, s in flat))
    (tmp_path / "with-qid").write_text("".join(f"{y} qid:{q} 1:1\n" for q, y, _ in flat))
    (tmp_path / "plain").write_text("".join(f"{y} 1:1 3:2\n" for _, y, _ in flat))
    (tmp_path / "plain.query").write_text("3\n1\n4\n")
    (tmp_path / "other").write_text("".join(f"{y} 1:1 3:2\n" for _, y, _ in flat))
    judged, run = {}, {}
    for row, (q, label, s) in enumerate(flat, 1):
        judged.setdefault(str(q), {})[str(row)] = label
        run.setdefault(str(q), {})[str(row)] = s
    expected = bits(rs.evaluate(judged, run, MEASURES))
    for name in ("with-qid", "plain"):
        assert bits(rs.evaluate(tmp_path / name, tmp_path / "scores", MEASURES)) == expected
    with pytest.raises(rs.DataError, match="there is no .*other.query with the sizes"):
        rs.evaluate(tmp_path / "other", tmp_path / "scores", MEASURES)
    got = rs.evaluate(
        tmp_path / "other", tmp_path / "scores", MEASURES, group_sizes=tmp_path / "plain.query"
    )
    assert bits(got) == expected


def test_lists_of_lists(engine):
    expected = [["a", "b", "a"], ["c"], []]
    retrieved = [["b", "x", "b"], [], ["y"]]
    result = rs.evaluate(expected, retrieved, ["RR", "NumRel", "NumRet"])
    assert result.per_query == {
        0: {"RR": 1.0, "NumRel": 2.0, "NumRet": 2.0},
        1: {"RR": 0.0, "NumRel": 1.0, "NumRet": 0.0},
        2: {"RR": 0.0, "NumRel": 0.0, "NumRet": 1.0},
    }
    assert {n.code for n in result.notices} == {"duplicate-documents", "no-relevant"}
    assert rs.evaluate([{"a"}], [("b", "a")], "RR")["RR"] == 0.5
    assert rs.evaluate([{"a": 2, "b": 1}], [{"a": 0.1, "b": 0.2}], "nDCG")["nDCG"] < 1
    with pytest.raises(rs.DataError, match="2 rankings for 3 lists of relevant documents"):
        rs.evaluate(expected, retrieved[:2], ["RR"])
    with pytest.raises(rs.DataError, match="2 truths for 1 rows .* a list of lists"):
        rs.evaluate(["a", "b"], [["a"]], ["RR"])


def test_one_file_may_hold_what_was_expected_and_what_was_retrieved(engine, tmp_path):
    file = tmp_path / "eval.jsonl"
    file.write_text(
        jsonl(
            [
                {"query": "a b", "expected_ids": ["x"], "retrieved_ids": ["y", "x"]},
                {"query": "c", "expected_ids": ["z"], "retrieved_ids": []},
            ]
        )
    )
    result = rs.evaluate(file, file, ["RR"], strict=True)
    assert result.per_query == {"a b": {"RR": 0.5}, "c": {"RR": 0.0}}


def test_empty_lists_stay_queries(engine, tmp_path):
    expected = {"a": ["x"], "b": [], "c": ["z"]}
    held = rs.evaluate(expected, {"a": ["x"], "b": ["y"], "c": []}, ["RR"], queries="both")
    for name, text in {
        "json": json.dumps(expected),
        "jsonl": jsonl({"query": q, "expected_ids": ids} for q, ids in expected.items()),
    }.items():
        (tmp_path / name).write_text(text)
    for name, run in {
        "lists": '{"c": [], "a": ["x"], "b": ["y"]}',
        "scores": '{"c": {}, "a": {"x": 1}, "b": {"y": 1}}',
        "scores first": '{"a": {"x": 1}, "b": {"y": 1}, "c": {}}',
    }.items():
        (tmp_path / name).write_text(run)
        for judged in ("json", "jsonl"):
            got = rs.evaluate(tmp_path / judged, tmp_path / name, ["RR"], queries="both")
            assert bits(got) == bits(held)
            assert got.per_query == {"a": {"RR": 1.0}, "b": {"RR": 0.0}, "c": {"RR": 0.0}}


def test_a_format_may_be_named(engine, tmp_path):
    (tmp_path / "run").write_text("q1 d1 3\nq1 d2 1\n")
    for name, value in (("query-document-rank", 0.5), ("query-document-score", 1.0)):
        got = rs.evaluate({"q1": ["d1"]}, tmp_path / "run", "RR", input_format=f":{name}")
        assert got["RR"] == value
    with pytest.raises(rs.UsageError, match="unknown format 'jsom'. Did you mean json"):
        rs.evaluate({"q1": ["d1"]}, tmp_path / "run", "RR", input_format="jsom")


def test_somebody_searches_for_gold(engine, tmp_path):
    """An object by query stays one where a query is called like a part of a record."""
    judged = {"gold": {"d1": 1}, "silver ring": {"d2": 1}}
    for indent in (None, 1):
        (tmp_path / "judged").write_text(json.dumps(judged, indent=indent))
        got = rs.evaluate(tmp_path / "judged", judged, "RR", strict=True)
        assert got.per_query == {"gold": {"RR": 1.0}, "silver ring": {"RR": 1.0}}
    (tmp_path / "judged").write_text('{"gold": {"d1": 1}}')
    assert load_judgments(tmp_path / "judged", input_format="json").queries.objects == ["gold"]
    assert load_judgments(tmp_path / "judged", input_format="jsonl").queries.objects == ["0"]


EMPTY = {
    "rank-eval": '{"requests": [{"id": "q1", "ratings": [{"_id": "d", "rating": 1}]}, {"id": "q2", "ratings": []}]}',
    "opensearch": '{"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d", "rating": 1}]}, {"query": "q2", "ratings": []}]}',
    "rre": '{"query_groups": [{"name": "q1", "relevant_documents": {"d": 1}}, {"name": "q2", "relevant_documents": {}}]}',
    "vespa": '[{"query_id": "q1", "relevant_docs": ["d"]}, {"query_id": "q2", "relevant_docs": []}]',
}  # fmt: skip


@pytest.mark.parametrize("form", EMPTY)
def test_queries_without_ratings_stay_queries(engine, tmp_path, form):
    (tmp_path / "judged").write_text(EMPTY[form])
    got = rs.evaluate(tmp_path / "judged", {"q1": ["d"], "q2": ["d"]}, "RR", input_format=form)
    assert got.per_query == {"q1": {"RR": 1.0}, "q2": {"RR": 0.0}}


def test_labelled_data_are_the_relevant_documents(tmp_path):
    record = {"query_id": 1, "relevant_docs": [{"id": "d1", "score": 2}], "doc_id": 7, "score": 9}
    (tmp_path / "judged").write_text(json.dumps([record]))
    judged = load_judgments(tmp_path / "judged")
    assert (judged.docs.objects, judged.grades.tolist()) == (["d1"], [2.0])


def test_hits_sorted_by_something_else_have_no_scores(tmp_path):
    (tmp_path / "run").write_text(
        '{"q": [{"_id": "a", "_score": null}, {"_id": "b", "_score": null}]}'
    )
    assert rs.evaluate({"q": ["b"]}, tmp_path / "run", "RR")["RR"] == 0.5


def test_ranks_within_a_list_decide(tmp_path):
    (tmp_path / "run").write_text('{"q": [{"id": "b", "rank": 2}, {"id": "a", "rank": 1}]}')
    assert rs.evaluate({"q": ["a"]}, tmp_path / "run", "RR")["RR"] == 1.0


def test_quoted_fields_under_a_plain_header(engine, tmp_path):
    (tmp_path / "run").write_text('query_id\tdoc_id\tscore\n"q"\t"a ""b"""\t1.5\nq\tc\t"2"\n')
    assert rs.evaluate({"q": ['a "b"']}, tmp_path / "run", "RR")["RR"] == 0.5


def test_only_the_first_of_two_marks_is_one(tmp_path):
    (tmp_path / "judged").write_bytes("\ufeff\ufeff d 1\n".encode())
    assert load_judgments(tmp_path / "judged").queries.objects == ["\ufeff"]
    convert(str(tmp_path / "judged"), str(tmp_path / "out"), "json", kind="judgments")
    assert json.loads((tmp_path / "out").read_text()) == {"\ufeff": {"d": 1.0}}


def test_marks_do_not_matter_beside_the_rows_either(tmp_path):
    (tmp_path / "rows").write_text("1 1:0.5\n0 1:1\n")
    (tmp_path / "rows.query").write_bytes(b"\xef\xbb\xbf1\n1\n")
    assert load_judgments(tmp_path / "rows").queries.objects == ["1", "2"]


BOTH = ["trec", "json", "jsonl"]


@pytest.mark.parametrize("to", BOTH)
@pytest.mark.parametrize("form", RUN_FILES)
def test_runs_survive_conversion(tmp_path, form, to):
    (tmp_path / "in").write_text(RUN_FILES[form](RANKED))
    convert(str(tmp_path / "in"), str(tmp_path / "out"), to, kind="run")
    got = rs.evaluate(JUDGED, tmp_path / "out", MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, SCORED, MEASURES))
    assert sorted(os.listdir(tmp_path)) == ["in", "out"]


@pytest.mark.parametrize("to", [*BOTH, "letor", "quepid"])
@pytest.mark.parametrize("form", JUDGMENT_FILES)
def test_judgments_survive_conversion(tmp_path, form, to):
    (tmp_path / "in").write_text(JUDGMENT_FILES[form](JUDGED))
    convert(str(tmp_path / "in"), str(tmp_path / "out"), to, kind="judgments")
    got = rs.evaluate(tmp_path / "out", SCORED, MEASURES)
    assert bits(got) == bits(rs.evaluate(JUDGED, SCORED, MEASURES))


@settings(max_examples=60)
@given(collections(), st.sampled_from(BOTH), st.sampled_from([*BOTH, "letor", "quepid"]))
def test_what_is_written_is_read_again(tmp_path_factory, collection, run_to, judged_to):
    judgments, run = collection
    folder = tmp_path_factory.mktemp("again")
    for name, data, to in (("judged", judgments, judged_to), ("run", run, run_to)):
        path = folder / name
        form = formats.named(to)
        write = form.write_judgments if name == "judged" else form.write_run
        rows = [(q, d, float(n)) for q, d, n in pairs(data)]
        with path.open("wb") as out:
            refused = complaint(lambda w=write, r=rows, o=out: w(r, o))
        if refused:
            assert "Convert to json or jsonl" in refused
            return
    got = rs.evaluate(
        folder / "judged", folder / "run", MEASURES, input_format=f"{judged_to}:{run_to}"
    )
    assert bits(got) == bits(rs.evaluate(judgments, run, MEASURES))


def rows_again(tmp_path, raw, to, kind="judgments"):
    (tmp_path / "in").write_bytes(raw)
    convert(str(tmp_path / "in"), str(tmp_path / "out"), to, kind=kind)
    judged = load_judgments(tmp_path / "out", input_format=to)
    return list(zip(judged.docs, judged.grades.tolist(), strict=True))


@pytest.mark.parametrize("to", [*BOTH, "letor", "quepid", "csv"])
def test_numbers_are_written_to_the_last_digit(tmp_path, to):
    raw = b"q 0 a 1234567\nq 0 b 0.12345678901234567\nq 0 c 1e22\nq 0 d -1e-9\n"
    wanted = [("a", 1234567.0), ("b", 0.12345678901234567), ("c", 1e22), ("d", -1e-9)]
    assert rows_again(tmp_path, raw, to) == wanted


@pytest.mark.parametrize("to", [*BOTH, "letor", "quepid", "csv"])
def test_repeated_judgments_keep_their_documents(tmp_path, to):
    assert rows_again(tmp_path, b"q 0 a 1\nq 0 a 2\n", to) == [("a", 2.0)]


@pytest.mark.parametrize("to", ["json", "jsonl", "quepid", "csv"])
def test_ids_that_are_not_utf8_stay_out_of_formats_that_are(tmp_path, to):
    with pytest.raises(rs.DataError, match=r"document id 'd\\udcff' is not UTF-8 and cannot be"):
        rows_again(tmp_path, b"q 0 d\xff 1\n", to)
    assert rows_again(tmp_path, b"q\xff 0 d\xff 1\n", "letor") == [("d\udcff", 1.0)]


@pytest.mark.parametrize("to", ["trec", "letor", "quepid", "csv"])
@pytest.mark.parametrize("odd", ["\\u0000", "\\r"])
def test_ids_that_could_not_be_read_again_are_not_written(tmp_path, to, odd):
    raw = f'{{"q": {{"d{odd}": 1}}}}'.encode()
    with pytest.raises(rs.DataError, match="cannot be written to"):
        rows_again(tmp_path, raw, to)


def test_a_letor_row_ends_its_query_at_a_comment(tmp_path):
    with pytest.raises(rs.DataError, match="query id 'q#1' cannot be written to a LETOR file"):
        rows_again(tmp_path, b"q#1 0 a 1\n", "letor")
    assert rows_again(tmp_path, b"q 0 a#b 1\n", "letor") == [("a#b", 1.0)]


def test_a_first_query_that_starts_like_a_mark_is_not_written_as_rows(tmp_path):
    with pytest.raises(rs.DataError, match="start with no # or byte order mark"):
        rows_again(tmp_path, '{"\ufeffq": {"d": 1}}'.encode(), "trec")


def test_a_conversion_that_stops_midway_says_nothing_else(tmp_path, capsys):
    (tmp_path / "in").write_text("query,docid,rating\nstar trek,d1,1\nq,d,1\n")
    assert run(capsys, "convert", tmp_path / "in", tmp_path / "out", "--to", "trec")[0] == 3
    gc.collect()  # pytest fails where an error is raised that nobody sees


def run(capsys, *args):
    code = main([str(a) for a in args])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_failed_conversion_leaves_nothing(tmp_path, capsys):
    (tmp_path / "in").write_text("q1 Q0 d1 1 1.5 t\nq1 Q0 d2 2 high t\n")
    (tmp_path / "kept").write_text("what was there")
    for name in ("out", "kept"):
        code, out, err = run(
            capsys, "convert", tmp_path / "in", tmp_path / name, "--to", "json", "--force"
        )
        assert (code, out) == (3, "")
        assert ":2:12: score 'high' is not a number" in err
    assert sorted(os.listdir(tmp_path)) == ["in", "kept"]
    assert (tmp_path / "kept").read_text() == "what was there"


def test_converting_on_the_command_line(tmp_path, capsys):
    (tmp_path / "in").write_text(RUN_FILES["trec"](RANKED))
    code, out, err = run(capsys, "convert", tmp_path / "in", tmp_path / "out.jsonl")
    assert (code, out, err) == (0, "", "rankstone: 8 rows of run from trec to jsonl\n")
    assert (
        (tmp_path / "out.jsonl")
        .read_text()
        .startswith('{"query_id": "q1", "doc_id": "d2", "score": 3.0}\n')
    )
    code, out, err = run(capsys, "convert", tmp_path / "out.jsonl", tmp_path / "x", "--to", "trec")
    assert code == 2
    assert "say which it is: --as judgments or --as run" in err
    code, _, err = run(capsys, "convert", tmp_path / "in", tmp_path / "x", "--to", "quepid")
    assert code == 2
    assert "the format 'quepid' cannot hold a run" in err
    (tmp_path / "spaced").write_text('{"star trek": {"d1": 1}}')
    code, _, err = run(capsys, "convert", tmp_path / "spaced", tmp_path / "x", "--as", "run")
    assert code == 3
    assert "query id 'star trek' cannot be written to a TREC file" in err
    assert not (tmp_path / "x").exists()


def test_validating_on_the_command_line(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d1 0\n")
    (tmp_path / "fine").write_text("q1 Q0 d1 1 2 t\nq2 Q0 d2 1 2 t\n")
    (tmp_path / "odd").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 2 t\n1.0 Q0 d2 1 2 t\n")
    (tmp_path / "bad").write_text("q1 Q0 d1 1 nan t\n")
    code, out, err = run(capsys, "validate", tmp_path / "qrels", tmp_path / "fine")
    assert (code, err) == (0, "")
    assert "grades: 1 of grade 0, 1 of grade 1" in out
    assert "depth: 1 to 1, median 1" in out
    code, out, _ = run(capsys, "validate", tmp_path / "qrels", tmp_path / "odd", "--format", "json")
    assert code == 1
    judged, found = json.loads(out)
    assert (judged["kind"], judged["rows"], judged["queries"]) == ("judgments", 2, 2)
    assert {n["code"]: n["count"] for n in found["notices"]} == {
        "duplicate-documents": 1,
        "ties": 2,
        "suspicious-ids": 1,
        "missing-queries": 1,
        "unjudged-queries": 1,
    }
    code, out, _ = run(capsys, "validate", tmp_path / "qrels", tmp_path / "fine", tmp_path / "bad")
    assert code == 3
    assert "score 'nan' is not a finite number" in out
    assert run(capsys, "validate", tmp_path / "odd", "--as", "run")[0] == 1


def test_validating_counts_the_judged_documents_that_were_found(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 1\nq1 0 c 0\nq2 0 d 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 b 3 2 t\nq3 Q0 a 1 1 t\n")
    call = ("validate", tmp_path / "qrels", tmp_path / "run", "--format", "json")
    judged, found = json.loads(run(capsys, *call)[1])
    assert judged["judged_per_query"] == {"least": 1, "median": 2.0, "most": 3}
    assert judged["relevant_per_query"] == {"least": 1, "median": 1.5, "most": 2}
    names = ("rows", "queries", "tied_rows", "judged_queries", "judged_documents")
    assert [found[name] for name in names] == [4, 2, 2, 1, 2]
    assert found["depth"] == {"least": 1, "median": 2.0, "most": 3}


@pytest.mark.parametrize(("count", "least"), [(256, ""), (257, "at least ")])
def test_validating_looks_for_ids_that_look_alike_in_some_queries(tmp_path, capsys, count, least):
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 Doc 1\n" for i in range(count)))
    (tmp_path / "run").write_text("".join(f"q{i} Q0 doc 1 1 t\n" for i in range(count)))
    call = ("validate", tmp_path / "qrels", tmp_path / "run", "--format", "json")
    found = json.loads(run(capsys, *call)[1])[1]["notices"]
    (alike,) = (n for n in found if n["code"] == "ids-look-alike")
    assert alike["count"] == count
    assert alike["text"].startswith(f"{least}{count} judged documents are not in the run")


@pytest.mark.parametrize(("count", "shown"), [(20, "1 of grade 19"), (21, "21 different ones")])
def test_validating_lists_at_most_twenty_grades(tmp_path, capsys, count, shown):
    text = "".join(f"q 0 d{i} {i}\n" for i in range(count))
    (tmp_path / "qrels").write_text(text)
    out = run(capsys, "validate", tmp_path / "qrels")[1]
    assert shown in out


def test_a_separator_that_is_declared_comes_before_the_header(tmp_path):
    path = tmp_path / "qrels.csv"
    path.write_text("sep=;\nquery_id;doc_id;relevance\nq;a;2\n")
    assert load_judgments(path).grades.tolist() == [2.0]
    path.write_text("sep=;\nquery_id;doc_id;relevance")
    with pytest.raises(rs.DataError, match=r"the table has no rows"):
        load_judgments(path)


def test_an_object_with_two_parts_of_a_record_may_be_one(tmp_path):
    path = tmp_path / "judged.json"
    path.write_text('{\n"gold": {"a": 1}, "ratings": {"b": 1}, "x": {"c": 1}}')
    with pytest.raises(rs.DataError, match="is 'gold' a query, or does it name a part"):
        load_judgments(path)
    path.write_text('{\n"gold": {"a": 1}, "x": {"c": 1}}')
    assert list(load_judgments(path).queries) == ["gold", "x"]


def test_validating_scores_of_rows(tmp_path, capsys):
    (tmp_path / "rows").write_text("1 qid:1 1:1\n0 qid:1 1:1\n2 qid:2 1:1\n")
    (tmp_path / "scores").write_text("0.5\n0.5\n1\n")
    code, out, _ = run(capsys, "validate", tmp_path / "rows", tmp_path / "scores")
    assert code == 0
    assert "judged documents: 3" in out
    assert "note: 2 of 3 rows share their score with another of their query [ties]" in out
    (tmp_path / "scores").write_text("0.5\n")
    code, out, _ = run(capsys, "validate", tmp_path / "rows", tmp_path / "scores")
    assert code == 3
    assert "1 scores for the 3 rows of" in out


# Pieces of all formats, put together at random.
pieces = st.sampled_from(
    ["{", "}", "[", "]", ":", ",", '"', '"q1"', '"d1"', '"query_id"', '"doc_id"', '"score"', "1",
     '"expected_ids"', '"retrieved_ids"', '"requests"', '"ratings"', '"details"', '"hits"', "null",
     '"topics"', '"query_groups"', '"relevant_documents"', '"judgmentRatings"', '"relevant_docs"',
     "true", "NaN", "1e999", "-0.5", "qid:1", "1:0.5", "#", "docid = d1", "query,docid,rating", "q1",
     "d1", "Q0", "query-id", "corpus-id", "score", "rank", "\n", "\n", " ", " ", "\t", "\\ud800",
     "\x00", "é", "\ufeff", "\r\n"]
)  # fmt: skip
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.text(max_size=3)
        | st.sampled_from(
            ["query_id", "doc_id", "score", "id", "_id", "rating", "ratings", "requests", "details",
             "metric_score", "hits", "hit", "topics", "query_groups", "queries", "placeholders",
             "relevant_documents", "gain", "judgmentRatings", "query", "docId", "relevant_docs",
             "expected_ids", "retrieved_ids", "results"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip
texts = (
    st.lists(pieces, max_size=40).map("".join)
    | values.map(json.dumps)
    | st.lists(values.map(json.dumps), max_size=4).map("\n".join)
)


@settings(max_examples=examples(600))
@given(texts, st.sampled_from([None, *formats.names()]))
def test_readers_answer_or_say_why_not(tmp_path_factory, text, form):
    path = tmp_path_factory.getbasetemp() / f"any-{os.getpid()}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for read in (
        lambda: load_judgments(path, input_format=form),
        lambda: load_run(path, input_format=form).match(
            load_judgments({"q1": {"d1": 1}}), float32=False, repeats=False
        ),
        lambda: convert(
            str(path), str(path) + ".out", "jsonl", kind="run", input_format=form, force=True
        ),
        lambda: convert(
            str(path), str(path) + ".out", "json", kind="judgments", input_format=form, force=True
        ),
    ):
        refused = complaint(read)
        assert refused is None or (refused and "\n" not in refused)


@pytest.mark.parametrize(
    ("doc", "odd"),
    [("1.0", True), ("12.0", True), ("x.0", False), ("12", False), ("1.5", False), ("1.00", False)],
)
def test_ids_that_were_numbers(tmp_path, capsys, doc, odd):
    path = tmp_path / "qrels"
    path.write_text(f"{doc} 0 d 1\nq 0 d 0\n")
    _, out, _ = run(capsys, "validate", path, "--format", "json")
    (report,) = json.loads(out)
    found = [n["examples"] for n in report["notices"] if n["code"] == "suspicious-ids"]
    assert found == [[repr(doc)]] * odd


def test_a_report_on_judgments_counts_by_query(tmp_path, capsys):
    path = tmp_path / "qrels"
    path.write_text("a 0 d 1\na 0 e 0\na 0 f 2\nb 0 d 0\nb 0 e -1\nc 0 d 0.5\nc 0 g 0\nc 0 h 3\n")
    _, out, _ = run(capsys, "validate", path, "--format", "json")
    (report,) = json.loads(out)
    assert report["judged_per_query"] == {"least": 2, "median": 3, "most": 3}
    assert report["relevant_per_query"] == {"least": 0, "median": 1, "most": 2}
    assert report["grades"] == {"-1": 1, "0": 3, "0.5": 1, "1": 1, "2": 1, "3": 1}


def test_rows_of_a_query_are_put_together_where_a_format_mixes_them(tmp_path):
    """A table often mixes queries, and a TREC run ranks the rows of a query that are together."""
    rows = [("q1", "a", 2), ("q2", "b", 1), ("q1", "c", 3)]
    trec = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows)
    (tmp_path / "a.run").write_text(trec)
    table = "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}.0\n" for q, d, s in rows)
    (tmp_path / "a.csv").write_text(table)

    def converted(source, target):
        convert(str(tmp_path / source), str(tmp_path / target), kind="run")
        return (tmp_path / target).read_text()

    assert converted("a.run", "b.run") == trec.replace(" t\n", " rankstone\n")
    assert converted("a.csv", "c.run").splitlines() == [
        "q1 Q0 c 1 3 rankstone", "q1 Q0 a 2 2 rankstone", "q2 Q0 b 1 1 rankstone",
    ]  # fmt: skip
    assert converted("a.run", "d.csv") == converted("a.csv", "e.csv") == table


def test_what_a_format_cannot_hold_of_nuggets_is_said(tmp_path):
    source = tmp_path / "nuggets.csv"
    source.write_text(
        "query_id,doc_id,nugget,importance,relevance\n"
        "q,a,n1,vital,1\nq,a,n2,okay,1\nq,b,n3,okay,1\n"
    )
    wanted = {
        "n.qrels": [("importance-left-out", 2)],
        "n.json": [("subtopics-left-out", 3)],
        "n.jsonl": [],
        "n.csv": [],
        "n.parquet": [],
    }
    for name, said in wanted.items():
        result = convert(str(source), str(tmp_path / name), kind="judgments")
        assert [(n.code, n.count) for n in result.notices] == said
    for name in ("n.jsonl", "n.csv", "n.parquet"):
        judged = load_judgments(tmp_path / name)
        assert judged.subtopics.vital.tolist() == [True, False, False]
    assert (tmp_path / "n.qrels").read_text() == "q n1 a 1\nq n2 a 1\nq n3 b 1\n"
    again = convert(str(tmp_path / "n.qrels"), str(tmp_path / "m.jsonl"), kind="judgments")
    assert (again.rows, again.notices) == (3, ())
    assert len(load_judgments(tmp_path / "m.jsonl").subtopics.names) == 3


MIB = 1 << 20


@pytest.mark.parametrize(("more", "fine"), [(0, True), (1, False)])
def test_the_longest_line(engine, tmp_path, more, fine):
    path = tmp_path / "run"
    row = "q1 Q0 {} 1 1 t"
    path.write_text(
        row.format("d" * (MIB - 1 + more - len(row.format("")))) + "\nq1 Q0 d1 2 0.5 t\n"
    )
    if fine:
        assert rs.evaluate({"q1": {"d1": 1}}, path, ["RR"])["RR"] == 0.5
    else:
        with pytest.raises(rs.DataError, match=":1: the line is longer than 1 MiB"):
            rs.evaluate({"q1": {"d1": 1}}, path, ["RR"])


@pytest.mark.parametrize(("more", "fine"), [(0, True), (1, False)])
def test_the_longest_line_of_other_formats(tmp_path, monkeypatch, more, fine):
    monkeypatch.setattr("rankstone.io.streams._LONGEST_LINE", 1000)
    path = tmp_path / "run.jsonl"
    row = '{"query_id": "q1", "doc_id": "%s", "score": 1, "more": []}\n'  # not scanned
    path.write_text(row % ("d" * (1000 + more - len(row % ""))) + row % "d1")
    if fine:
        assert rs.evaluate({"q1": {"d1": 1}}, path, ["NumRet"])["NumRet"] == 2
    else:
        with pytest.raises(rs.DataError, match=":1: the line is longer than"):
            rs.evaluate({"q1": {"d1": 1}}, path, ["NumRet"])


def test_a_text_without_a_number_is_0_for_a_lenient_reader(engine, tmp_path):
    path = tmp_path / "qrels"
    path.write_text("q 0 a x\nq 0 b 2x\nq 0 c -3\n")
    assert load_judgments(path, input_format="trec-lenient").grades.tolist() == [0.0, 2.0, -3.0]
