"""What reading used to do in silence: directions, doubtful columns, dropped columns, objects."""

import gzip
import hashlib
import json
import os
import sys
import uuid
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from sources import JUDGED, JUDGMENT_FILES, MEASURES, RANKED, RUN_FILES, SCORED, pairs
from strategies import NATIVE, collections

import rankstone as rs
from rankstone.cli import main
from rankstone.core.collection import MatchedCollection
from rankstone.io.convert import convert
from rankstone.verbs.load import load_judgments, load_run

TEXT_JSON = [name for name in (*JUDGMENT_FILES, *RUN_FILES) if name.startswith(("json", "rank"))]


def bits(result):
    return result.queries, {n: c.tobytes() for n, c in result.columns.items()}, result.aggregates


def ranked(run, judged=None, **options):
    """Return rank and grade of the judged documents."""
    judgments = load_judgments(judged or JUDGED)
    ranking = MatchedCollection(load_run(run, **options), judgments).ranked(rs.Conventions())
    return ranking.rank.tolist(), ranking.grade.tolist(), ranking.offsets.tolist()


DISTANCES = {q: {d: 10.0 - s for d, s in docs.items()} for q, docs in SCORED.items()}


def table(data, number):
    return pl.DataFrame(pairs(data), schema=["qid", "docno", number], orient="row")


def written(form):
    def put(folder):
        path = folder / "run"
        path.write_text(form)
        return path

    return put


ASCENDING = {
    "dict": lambda _: DISTANCES,
    "list of dicts": lambda _: [*DISTANCES.values()],
    "polars": lambda _: table(DISTANCES, "score"),
    "pandas": lambda _: table(DISTANCES, "score").to_pandas(),
    "records": lambda _: table(DISTANCES, "score").to_dicts(),
    "trec": written("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in pairs(DISTANCES))),
    "header": written(
        "qid docno score\n" + "".join(f"{q} {d} {s}\n" for q, d, s in pairs(DISTANCES))
    ),
    "csv": written("qid,docno,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in pairs(DISTANCES))),
    "json": written(json.dumps(DISTANCES)),
    "jsonl": written(
        "".join(
            json.dumps({"qid": q, "docid": d, "score": s}) + "\n" for q, d, s in pairs(DISTANCES)
        )
    ),
}


@pytest.mark.parametrize("held", ASCENDING)
def test_the_lowest_may_be_the_best(engine, tmp_path, held):
    run = ASCENDING[held](tmp_path)
    judged = dict(enumerate(JUDGED.values())) if held == "list of dicts" else JUDGED
    wanted = ranked([*SCORED.values()] if held == "list of dicts" else SCORED, judged)
    assert ranked(run, judged, scores="ascending") == wanted
    assert ranked(run, judged) != wanted


def test_scores_of_rows_may_be_distances(tmp_path):
    (tmp_path / "rows").write_text("1 qid:1 1:1\n0 qid:1 1:1\n")
    (tmp_path / "scores").write_text("0.5\n0.7\n")
    for scores, rank in (("descending", [2, 1]), ("ascending", [1, 2])):
        run = load_run(tmp_path / "scores", scores=scores)
        judgments = load_judgments(tmp_path / "rows")
        ranking = MatchedCollection(run, judgments).ranked(rs.Conventions())
        assert ranking.rank.tolist() == [1, 2]
        assert ranking.grade.tolist() == [2.0 - r for r in rank]


@settings(max_examples=60)
@given(collections())
def test_distances_are_negative_scores(collection):
    judged, run = collection
    negative = {q: {d: -s for d, s in docs.items()} for q, docs in run.items()}
    assert ranked(negative, judged, scores="ascending") == ranked(run, judged)


@pytest.mark.parametrize("run", [RANKED, [*RANKED.values()]], ids=["dict", "lists"])
def test_positions_have_no_direction(run):
    with pytest.raises(rs.UsageError, match="the run has no scores"):
        load_run(run, scores="ascending")


def test_ranks_have_their_own_direction(tmp_path):
    (tmp_path / "run").write_text(RUN_FILES["msmarco"](RANKED))
    with pytest.raises(rs.UsageError, match="have their own direction"):
        load_run(tmp_path / "run", scores="ascending")
    with pytest.raises(rs.UsageError, match=r"unknown value of scores 'rising'"):
        load_run(SCORED, scores="rising")


def test_the_sign_of_a_distance_means_nothing(engine):
    run = load_run({"q": {"a": 1.0, "b": 2.0}}, scores="ascending")
    result = rs.evaluate({"q": {"a": 1}}, run, "RR", nonpositive="nonrelevant")
    assert result["RR"] == 1.0


def test_a_column_of_distances_is_named(engine, tmp_path, capsys):
    frame = table(DISTANCES, "dist")
    frame.write_csv(tmp_path / "run.csv")
    frame.write_parquet(tmp_path / "run.parquet")
    (tmp_path / "qrels").write_text(JUDGMENT_FILES["trec"](JUDGED))
    wanted = bits(rs.evaluate(JUDGED, SCORED, MEASURES))
    for run in (frame, frame.to_pandas(), tmp_path / "run.csv", tmp_path / "run.parquet"):
        assert bits(rs.evaluate(JUDGED, run, MEASURES, columns={"distance": "dist"})) == wanted
        with pytest.raises(
            rs.DataError,
            match=r"Pass columns=\{'distance': 'dist'\} \(--columns distance=dist\) to rank the lowest",
        ):
            rs.evaluate(JUDGED, run, "RR")
    call = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run.csv"), "-m", "RR"]
    assert main([*call, "--columns", "distance=dist"]) == 0
    shown = capsys.readouterr().out.splitlines()[-1].split("\t")[-1]
    assert float(shown) == rs.evaluate(JUDGED, SCORED, "RR")["RR"]
    assert main(call) == 3
    assert "--columns distance=dist" in capsys.readouterr().err
    with pytest.raises(rs.UsageError, match="names a score, .* and a distance"):
        rs.evaluate(JUDGED, frame, "RR", columns={"score": "dist", "distance": "dist"})
    target = tmp_path / "out.run"
    convert(str(tmp_path / "run.csv"), str(target), columns={"distance": "dist"})
    assert bits(rs.evaluate(JUDGED, target, MEASURES)) == wanted


TWO = {
    "grade": ({"qid": ["1", "1"], "docno": ["a", "b"], "rating": [1, 5], "label": [1, 0]}, "judgments"),
    "score": ({"qid": ["1", "1"], "docno": ["a", "b"], "score": [1.0, 0.5], "sim": [0.1, 0.9]}, "run"),
}  # fmt: skip


def columns_as(columns, folder):
    frame = pl.DataFrame(columns)
    frame.write_csv(folder / "table.csv")
    frame.write_csv(folder / "table.tsv", separator="\t")
    frame.write_parquet(folder / "table.parquet")
    (folder / "table.jsonl").write_text("".join(json.dumps(r) + "\n" for r in frame.to_dicts()))
    files = [folder / f"table.{kind}" for kind in ("csv", "tsv", "parquet", "jsonl")]
    return [frame, frame.to_pandas(), frame.to_dicts(), *files]


@pytest.mark.parametrize("role", TWO)
def test_two_columns_that_may_be_meant_are_an_error(engine, tmp_path, role):
    columns, kind = TWO[role]
    first, second = list(columns)[2:]
    other = {"1": {"a": 1}}
    for data in columns_as(columns, tmp_path):
        given = (data, other) if kind == "judgments" else (other, data)
        with pytest.raises(
            rs.DataError, match=f"holds the {role}s?, .*{first}.*|.*{second}.*"
        ) as caught:
            rs.evaluate(*given, "RR")
        assert first in str(caught.value)
        assert second in str(caught.value)
        if str(data).endswith("jsonl"):
            assert "Keep one of them" in str(caught.value)
            continue
        assert f"--columns {role}=" in str(caught.value)
        for name in (first, second):
            rs.evaluate(*given, "RR", columns={role: name})


def test_a_column_of_text_is_no_second_candidate(engine, tmp_path):
    columns = {"qid": ["1", "1"], "docno": ["a", "b"], "label": ["bad", "good"], "rating": [0, 2]}
    for data in columns_as(columns, tmp_path):
        if str(data).endswith("jsonl"):
            continue
        assert rs.evaluate(data, {"1": ["a", "b"]}, "RR")["RR"] == 0.5, data


IGNORED = {
    "prels": ("1 d1 1 0 0.5\n1 d2 0 1 0.25\n", "warning", "sampling methods are not read"),
    "a fifth column": ("1 0 d1 1 x\n1 0 d2 0 y\n", "note", "the fifth column is not read"),
}


@pytest.mark.parametrize("case", IGNORED)
def test_columns_that_are_dropped_are_said(engine, tmp_path, capsys, case):
    text, level, words = IGNORED[case]
    (tmp_path / "qrels").write_text(text)
    result = rs.evaluate(tmp_path / "qrels", {"1": ["d1", "d2"]}, "RR")
    (notice,) = (n for n in result.notices if n.code == "ignored-columns")
    assert (notice.level, words in notice.text) == (level, True)
    assert main(["validate", str(tmp_path / "qrels")]) == (1 if level == "warning" else 0)
    assert words in capsys.readouterr().out


def test_ordinary_judgments_drop_nothing(engine, tmp_path):
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d1 1\n")
    assert load_judgments(tmp_path / "qrels").notices == ()


@pytest.mark.parametrize("form", [n for n in JUDGMENT_FILES if n in TEXT_JSON])
def test_judgments_of_a_json_file_may_be_objects(engine, tmp_path, form):
    (tmp_path / "file").write_text(JUDGMENT_FILES[form](JUDGED))
    text = JUDGMENT_FILES[form](JUDGED)
    value = [json.loads(t) for t in text.splitlines()] if "jsonl" in form else json.loads(text)
    judged = rs.load_judgments(value)
    assert [str(q) for q in judged.queries] == load_judgments(tmp_path / "file").queries.objects
    got = rs.evaluate(value, {q: list(docs) for q, docs in RANKED.items()}, MEASURES)
    wanted = rs.evaluate(tmp_path / "file", RANKED, MEASURES)
    if {type(q) for q in judged.queries} == {str} and {type(d) for d in judged.docs} == {str}:
        assert bits(got) == bits(wanted)


@pytest.mark.parametrize("form", ["opensearch", "rre", "vespa", "rank-eval"])
def test_objects_of_other_tools_are_read_as_their_files(engine, tmp_path, form):
    plain = {f"q{q}": {f"d{d}": n for d, n in docs.items()} for q, docs in JUDGED.items()}
    run = {f"q{q}": [f"d{d}" for d in docs] for q, docs in RANKED.items()}
    text = JUDGMENT_FILES[form](plain)
    (tmp_path / "file").write_text(text)
    wanted = rs.evaluate(tmp_path / "file", run, MEASURES)
    assert bits(rs.evaluate(json.loads(text), run, MEASURES)) == bits(wanted)


@pytest.mark.parametrize("form", ["json", "json lists", "json of records", "jsonl rows", "jsonl lists", "jsonl scores", "rank-eval"])  # fmt: skip
def test_runs_of_a_json_file_may_be_objects(engine, tmp_path, form):
    judged = {f"q{q}": {f"d{d}": n for d, n in docs.items()} for q, docs in JUDGED.items()}
    run = {f"q{q}": [f"d{d}" for d in docs] for q, docs in RANKED.items()}
    text = RUN_FILES[form](run)
    (tmp_path / "file").write_text(text)
    value = [json.loads(t) for t in text.splitlines()] if "jsonl" in form else json.loads(text)
    wanted = bits(rs.evaluate(judged, tmp_path / "file", MEASURES))
    assert bits(rs.evaluate(judged, value, MEASURES)) == wanted


OBJECTS = {
    "numbers as text": ({"q": {"d": "2", "e": 0}}, {"q": {"e": "1.5", "d": 0.5}}),
    "text further down": ({"q": {"e": 0, "d": "2"}}, {"q": {"d": 0.5, "e": "1.5"}}),
    "objects for documents": ({"q": [{"id": "d", "rating": 2}]}, {"q": [{"_id": "e", "_score": 2}, {"_id": "d", "_score": 1}]}),
    "mixed ids": ({"q": ["d", 7]}, {"q": ["e", "d", 8]}),
    "bytes": ({"q": {b"d": 1}}, {"q": {b"e": 2.0, b"d": 1.0}}),
    "bytes in a list": ({b"q": [b"d"]}, {b"q": [b"e", b"d"]}),
    "text of NumPy": ({"q": {np.str_("d"): 1}}, {np.str_("q"): {np.str_("e"): 2.0, np.str_("d"): 1.0}}),
    "tuples": ({"q": ({"id": "d"},)}, {"q": ("e", "d")}),
}  # fmt: skip


@pytest.mark.parametrize("case", OBJECTS)
def test_objects_that_would_work_as_a_file_work(engine, case):
    assert rs.evaluate(*OBJECTS[case], "RR", strict=True)["RR"] == 0.5


def test_uuids_are_ids(engine):
    one, two, query = (uuid.UUID(int=i) for i in (1, 2, 3))
    for judged, run in (
        ({query: {one: 1}}, {query: {two: 2.0, one: 1.0}}),
        ({query: [one]}, {query: [two, one]}),
        ({str(query): [str(one)]}, {query: [two, one]}),
        ({query: [one]}, {str(query): [str(two), str(one)]}),
    ):
        assert rs.evaluate(judged, run, "RR", strict=True)["RR"] == 0.5
    frame = pd.DataFrame({"qid": [query, query], "docno": [two, one], "score": [2.0, 1.0]})
    assert rs.evaluate({query: [one]}, frame, "RR", strict=True)["RR"] == 0.5


@pytest.mark.parametrize("form", ["trec", "json", "csv"])
def test_text_in_files_matches_whole_numbers_in_memory(engine, tmp_path, form):
    judged, run = {1: {101: 1, 102: 0}}, {1: {102: 2.0, 101: 1.0}}
    for name, kind, data in (("judged", "judgments", judged), ("run", "run", run)):
        (tmp_path / "rows.json").write_text(json.dumps(data))
        convert(str(tmp_path / "rows.json"), str(tmp_path / name), form, kind=kind)
    listed = {q: list(docs) for q, docs in run.items()}
    for data in (
        (tmp_path / "judged", run),
        (tmp_path / "judged", listed),
        (judged, tmp_path / "run"),
    ):
        assert rs.evaluate(*data, "RR", strict=True)["RR"] == 0.5


REFUSED = [
    ({"q": {1.0: 1}}, {"q": ["d"]}),
    ({"q": [12.0]}, {"q": ["d"]}),
    ({"q": ["d"]}, {"q": [12.0]}),
    ({"q": ["d"]}, {1.5: ["d"]}),
    ({"q": [None]}, {"q": ["d"]}),
    ({"q": [("d", 1)]}, {"q": ["d"]}),
    ([{"query": 1.5, "expected_ids": ["d"]}], [["d"]]),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_nobody_is_advised_to_write_ids_with_str(case):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(*REFUSED[case], "RR")
    assert "str(" not in str(caught.value)


def test_a_ranking_of_mixed_ids_is_text_if_judged_ids_are():
    assert rs.evaluate({"q": {"1": 1, "b": 1}}, {"q": ["b", 1]}, "R")["R"] == 1.0


def test_a_frame_of_mixed_ids_is_text(engine):
    frame = pd.DataFrame({"qid": ["q", "q"], "docno": ["e", 7], "score": [2.0, 1.0]})
    assert rs.evaluate({"q": {"7": 1}}, frame, "RR", strict=True)["RR"] == 0.5


def test_records_may_hold_numbers_as_text(engine):
    records = [{"qid": "q", "docno": "e", "score": "2"}, {"qid": "q", "docno": "d", "score": "1e0"}]
    assert rs.evaluate({"q": {"d": 1}}, records, "RR", strict=True)["RR"] == 0.5
    with pytest.raises(rs.DataError, match="column 'score', row 1: score 'high' is not a number"):
        rs.evaluate({"q": {"d": 1}}, [records[0], records[1] | {"score": "high"}], "RR")


def test_a_file_is_not_converted_into_itself(tmp_path, capsys):
    path = tmp_path / "a.run"
    path.write_text(RUN_FILES["trec"](RANKED))
    os.symlink(path, tmp_path / "link.run")
    for target in (path, tmp_path / "link.run", tmp_path / "." / "a.run"):
        assert main(["convert", str(path), str(target)]) == 2
        assert "this is the file that is read, and would be lost" in capsys.readouterr().err
    assert path.read_text() == RUN_FILES["trec"](RANKED)


@pytest.mark.parametrize("name", ["out.xlsx", "out.tsv", "out.v2", "out.XLSX"])
def test_an_ending_that_no_format_has_is_an_error(tmp_path, capsys, name):
    (tmp_path / "a.run").write_text(RUN_FILES["trec"](RANKED))
    call = ["convert", str(tmp_path / "a.run"), str(tmp_path / name)]
    assert main(call) == 2
    assert "no format is written to files that end in" in capsys.readouterr().err
    assert not (tmp_path / name).exists()
    assert main([*call, "--to", "json"]) == 0
    assert json.loads((tmp_path / name).read_text()).keys() == RANKED.keys()


def test_a_conversion_replaces_another_file_only_on_request(tmp_path):
    source, target = tmp_path / "a.run", tmp_path / "b.json"
    source.write_text(RUN_FILES["trec"](RANKED))
    target.write_text("mine")
    with pytest.raises(rs.RankstoneError, match="b.json"):
        convert(str(source), str(target))
    assert target.read_text() == "mine"
    convert(str(source), str(target), force=True)
    assert json.loads(target.read_text()).keys() == RANKED.keys()


def test_endings_say_what_is_written(tmp_path):
    (tmp_path / "a").write_text(RUN_FILES["trec"](RANKED))
    wanted = {"b.run": "trec", "b.txt": "trec", "b": "trec", "b.json": "json", "b.CSV": "csv", "b.pq": "parquet", "b.jsonl": "jsonl"}  # fmt: skip
    assert {n: convert(str(tmp_path / "a"), str(tmp_path / n)).target for n in wanted} == wanted


def test_checksums_are_of_the_file_and_of_its_content(tmp_path, monkeypatch):
    text = JUDGMENT_FILES["trec"](JUDGED).encode()
    plain, packed = tmp_path / "qrels", tmp_path / "qrels.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    content = hashlib.sha256(text).hexdigest()
    for path in (plain, packed):
        result = rs.evaluate(path, SCORED, "RR")
        source = json.loads(result.to_json())["provenance"]["judgments"]
        assert source["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert source["content_sha256"] == content
        again = rs.Result.from_json(result.to_json()).provenance.judgments
        assert (again.sha256, again.content_sha256) == (source["sha256"], content)
    packed.write_bytes(gzip.compress(text, mtime=1) + gzip.compress(b""))
    with pytest.raises(rs.DataError, match="the file changed after it was read"):
        result.to_json()


def test_checksums_of_a_pipe(tmp_path):
    text = RUN_FILES["trec"](RANKED).encode()
    for raw in (text, gzip.compress(text)):
        reader, writer = os.pipe()
        with os.fdopen(writer, "wb") as out:
            out.write(raw)
        run = load_run(f"/dev/fd/{reader}")
        os.close(reader)
        assert run.source.digest() == hashlib.sha256(raw).hexdigest()
        assert run.source.content_digest() == hashlib.sha256(text).hexdigest()


class Calls:
    """Counts the calls of functions in Python, by module."""

    def __init__(self):
        self.modules = Counter()

    def __enter__(self):
        sys.setprofile(self.note)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def note(self, frame, event, _):
        if event == "call" and "rankstone" in frame.f_code.co_filename:
            self.modules[frame.f_code.co_filename.partition("rankstone/")[2]] += 1


@pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")
@pytest.mark.parametrize("verb", ["convert", "validate", "evaluate"])
def test_the_python_engine_rests_while_the_core_is_there(tmp_path, verb, capsys, monkeypatch):
    monkeypatch.delenv("RANKSTONE_ENGINE", raising=False)
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d{q} 1\n" for q in range(50)))
    rows = [f"{q} Q0 d{d} {d} {100 - d} t\n" for q in range(50) for d in range(40)]
    (tmp_path / "a.run").write_text("".join(rows))
    qrels, run = str(tmp_path / "qrels"), str(tmp_path / "a.run")
    call = {
        "convert": ["convert", run, str(tmp_path / "out.json"), "--force"],
        "validate": ["validate", qrels, run],
        "evaluate": ["evaluate", qrels, run, "-m", "RR"],
    }[verb]
    main(call)  # imports
    with Calls() as calls:
        assert main(call) == 0
    assert not [m for m in calls.modules if "python_engine" in m]
    assert sum(calls.modules.values()) < len(rows)
