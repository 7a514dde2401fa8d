"""However people hold their data, the numbers are the same; every verb takes every source."""

import io
import os
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from sources import FRAMES, JUDGMENT_FILES, MEASURES, RUN_FILES, TABLES, columns_of, scored
from strategies import collections

import rankstone as rs
from rankstone.cli import main
from rankstone.core.provenance import MEMORY
from rankstone.io import formats
from rankstone.io.convert import convert
from rankstone.io.input_file import Input
from rankstone.verbs.load import load_judgments, load_run

# Every retrieved document is judged and every judged one retrieved, so that arrays can hold it.
JUDGED = {
    "0": {"d3": 2, "d1": 0, "d7": 1},
    "1": {"d2": 1.5, "d1": 1, "d9": 0, "d4": 3},
    "2": {"7": 3, "8": 0},
}
RANKED = {"0": ["d1", "d3", "d7"], "1": ["d9", "d4", "d2", "d1"], "2": ["8", "7"]}
SCORED = scored(RANKED)
GRADES = [[JUDGED[q][d] for d in docs] for q, docs in RANKED.items()]
SCORES = [[SCORED[q][d] for d in docs] for q, docs in RANKED.items()]
NAMES = {"judged": "relevance", "run": "score"}


def values(result):
    return (
        [str(q) for q in result.queries],
        {n: c.tobytes() for n, c in result.columns.items()},
        result.aggregates,
    )


def in_file(text):
    def put(folder):
        path = folder / "file"
        path.write_text(text)
        return path

    return put


def in_table(kind, columns):
    def put(folder):
        path = folder / f"file.{kind}"
        TABLES[kind](pa.table(columns), str(path))
        return path

    return put


def letor(folder):
    rows = [(q, g, s) for q in range(3) for g, s in zip(GRADES[q], SCORES[q], strict=True)]
    (folder / "rows").write_text("".join(f"{g} qid:{q} 1:0.5\n" for q, g, _ in rows))
    (folder / "scores").write_text("".join(f"{s}\n" for _, _, s in rows))
    return folder / "rows", folder / "scores", {}


def padded(make):
    def put(_):
        width = max(map(len, GRADES))
        labels = [g + [0.0] * (width - len(g)) for g in GRADES]
        scores = [s + [-9.0] * (width - len(s)) for s in SCORES]
        mask = [[True] * len(g) + [False] * (width - len(g)) for g in GRADES]
        return make(labels), make(scores), {"mask": make(mask)}

    return put


def flat(make):
    def put(_):
        qid = [q for q, grades in enumerate(GRADES) for _ in grades]
        grades, scores = ([n for row in rows for n in row] for rows in (GRADES, SCORES))
        return make(grades), make(scores), {"qid": make(qid)}

    return put


def tensor(values):
    return pytest.importorskip("torch").tensor(values)


def both(judged, run):
    return lambda _: (judged() if callable(judged) else judged, run() if callable(run) else run, {})


SOURCES = {
    "dicts": both(JUDGED, SCORED),
    "dicts, ranked": both(JUDGED, RANKED),
    "lists": both([*JUDGED.values()], [*RANKED.values()]),
    "lists of scores": both([*JUDGED.values()], [*SCORED.values()]),
    "arrays": padded(np.array),
    "arrays, flat": flat(np.array),
    "tensors": padded(tensor),
    "tensors, flat": flat(tensor),
    "letor and scores": letor,
}
for name, write in JUDGMENT_FILES.items():
    put = in_file(write(JUDGED))
    SOURCES[f"judgments file, {name}"] = lambda folder, put=put: (put(folder), SCORED, {})
for name, write in RUN_FILES.items():
    put = in_file(write(RANKED))
    SOURCES[f"run file, {name}"] = lambda folder, put=put: (JUDGED, put(folder), {})
for name in TABLES:
    put = in_table(name, columns_of(JUDGED, "relevance"))
    SOURCES[f"judgments table, {name}"] = lambda folder, put=put: (put(folder), SCORED, {})
    put = in_table(name, columns_of(SCORED, "score", [8, 3, 1, 0, 7, 2, 4, 6, 5]))
    SOURCES[f"run table, {name}"] = lambda folder, put=put: (JUDGED, put(folder), {})
for name, make in FRAMES.items():
    SOURCES[f"frame, {name}"] = lambda _, make=make: (
        make(columns_of(JUDGED, "relevance")),
        make(columns_of(SCORED, "score", [8, 3, 1, 0, 7, 2, 4, 6, 5])),
        {},
    )


@pytest.mark.parametrize("source", SOURCES)
def test_however_data_are_held_the_result_is_the_same(engine, tmp_path, source):
    judged, run, options = SOURCES[source](tmp_path)
    got = rs.evaluate(judged, run, MEASURES, **options)
    assert values(got) == values(rs.evaluate(JUDGED, SCORED, MEASURES))
    warnings = {notice.code for notice in got.notices if notice.level == "warning"}
    # In arrays and tensors alone, grades that are fractions beside whole scores look like changed places.
    assert warnings <= (
        {"labels-and-scores"} if source.startswith(("arrays", "tensors")) else set()
    )


WRITTEN = ["trec", "json", "jsonl", "parquet", "arrow", "csv"]


def put_both(folder, kind):
    made = {"judged": JUDGED, "run": SCORED}
    paths = []
    for name, data in made.items():
        path = folder / f"{name}.{kind}"
        TABLES[kind](pa.table(columns_of(data, NAMES[name])), str(path))
        paths.append(str(path))
    return paths


@pytest.mark.parametrize("libraries", ["polars", "pyarrow"])
@pytest.mark.parametrize("to", WRITTEN)
@pytest.mark.parametrize("kind", TABLES)
def test_tables_become_text_and_text_tables(tmp_path, monkeypatch, kind, to, libraries):
    monkeypatch.setattr(
        "rankstone.io.formats.tables.find_spec", lambda name: name if name == libraries else None
    )
    judged, run = put_both(tmp_path, kind)
    expected = values(rs.evaluate(JUDGED, SCORED, MEASURES))
    # What a file holds is told by its columns; the reader of rows leaves it open.
    rows = {"kind": "judgments"} if kind == "tsv" else {}
    assert convert(judged, str(tmp_path / "a"), to, **rows)[0] == 9
    rows = {"kind": "run"} if kind == "tsv" else {}
    assert convert(run, str(tmp_path / "b"), to, **rows)[0] == 9
    assert values(rs.evaluate(tmp_path / "a", tmp_path / "b", MEASURES)) == expected
    back = "parquet" if to != "parquet" else "csv"
    convert(str(tmp_path / "a"), str(tmp_path / "c"), back, kind="judgments")
    convert(str(tmp_path / "b"), str(tmp_path / "d"), back, kind="run")
    assert values(rs.evaluate(tmp_path / "c", tmp_path / "d", MEASURES)) == expected


@settings(max_examples=60)
@given(collections(), st.sampled_from(["parquet", "arrow", "csv"]))
def test_tables_that_are_written_are_read_again(tmp_path_factory, collection, to):
    folder = tmp_path_factory.mktemp("again")
    form = formats.named(to)
    for name, data in zip(("judged", "run"), collection, strict=True):
        write = form.write_judgments if name == "judged" else form.write_run
        with (folder / name).open("wb") as out:
            write([(q, d, float(n)) for q, docs in data.items() for d, n in docs.items()], out)
    got = rs.evaluate(folder / "judged", folder / "run", MEASURES)
    assert values(got) == values(rs.evaluate(*collection, MEASURES))


def test_runs_without_scores_keep_their_order(tmp_path):
    rows = [(q, d, i + 1) for q, docs in RANKED.items() for i, d in enumerate(docs)]
    queries, docs, ranks = (list(c) for c in zip(*rows, strict=True))
    bare = {"qid": queries, "docno": docs}
    for columns in (bare, bare | {"rank": ranks}):
        pl.DataFrame(columns).write_parquet(tmp_path / "run")
        convert(str(tmp_path / "run"), str(tmp_path / "out"), "trec", kind="run", force=True)
        got = rs.evaluate(JUDGED, tmp_path / "out", MEASURES, strict=True)
        assert values(got) == values(rs.evaluate(JUDGED, SCORED, MEASURES))


@pytest.mark.parametrize("form", ["msmarco", "json lists", "rank-eval"])
def test_ranks_in_files_are_no_scores(engine, tmp_path, form):
    """A convention that looks at the sign of a score has none to look at."""
    (tmp_path / "run").write_text(RUN_FILES[form](RANKED))
    got = rs.evaluate(JUDGED, tmp_path / "run", MEASURES, nonpositive="nonrelevant")
    assert values(got) == values(rs.evaluate(JUDGED, RANKED, MEASURES))


def test_ranks_in_tables_are_no_scores(engine, tmp_path):
    rows = [(q, d, i + 1) for q, docs in RANKED.items() for i, d in enumerate(docs)]
    frame = pl.DataFrame(rows, schema=["qid", "docno", "rank"], orient="row")
    frame.write_parquet(tmp_path / "run")
    for run in (frame, tmp_path / "run"):
        got = rs.evaluate(JUDGED, run, MEASURES, nonpositive="nonrelevant")
        assert values(got) == values(rs.evaluate(JUDGED, RANKED, MEASURES))


def piped(monkeypatch, path):
    with open(path, "rb") as stream:
        content = io.BytesIO(stream.read())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(content)))


@pytest.mark.parametrize("libraries", ["polars", "pyarrow"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_may_come_from_a_pipe(engine, tmp_path, monkeypatch, kind, libraries):
    monkeypatch.setattr(
        "rankstone.io.formats.tables.find_spec", lambda name: name if name == libraries else None
    )
    judged, run = put_both(tmp_path, kind)
    expected = values(rs.evaluate(JUDGED, SCORED, MEASURES))
    piped(monkeypatch, judged)
    got = rs.evaluate("-", run, MEASURES)
    assert values(got) == expected
    assert got.provenance.judgments.digest() is not None
    piped(monkeypatch, run)
    got = rs.evaluate(judged, "-", MEASURES)
    assert values(got) == expected
    assert got.provenance.run.digest() is not None


def test_the_limit_holds_for_tables(tmp_path, monkeypatch):
    judged, run = put_both(tmp_path, "parquet")
    size = max(os.path.getsize(p) for p in (judged, run))
    assert rs.evaluate(judged, run, "RR", max_bytes=size)["RR"] == 0.5
    for data in ((judged, SCORED), (JUDGED, run)):
        with pytest.raises(rs.DataError, match="more than 10 bytes"):
            rs.evaluate(*data, "RR", max_bytes=10)
    piped(monkeypatch, run)
    with pytest.raises(rs.DataError, match="more than 10 bytes"):
        rs.evaluate(JUDGED, "-", "RR", max_bytes=10)


def test_a_table_may_be_named(tmp_path):
    judged, run = put_both(tmp_path, "parquet")
    assert rs.evaluate(judged, run, "RR", input_format="parquet")["RR"] == 0.5
    with pytest.raises(rs.DataError, match="not of the format 'arrow' "):
        rs.evaluate(judged, run, "RR", input_format="arrow:parquet")
    (tmp_path / "odd").write_text("a;b;c\n0;d1;1\n")
    with pytest.raises(
        rs.DataError, match=r"cannot tell which columns hold the queries.*\. Columns: 'a', 'b', 'c'"
    ):
        rs.evaluate(JUDGED, tmp_path / "odd", "RR", input_format=":csv")
    columns = {"query": "a", "doc": "b", "score": "c"}
    assert rs.evaluate(JUDGED, tmp_path / "odd", "NumRet", columns=columns)["NumRet"] == 1


DETECTED = {
    "qid,docno,score\n1,a,2\n": "csv",
    "userId;movieId;rating\n1;2;3\n": "csv",
    '"query-id"\t"corpus-id"\t"score"\n1\t2\t3\n': "csv",
    "userId\tmovieId\trating\ttimestamp\n1\t2\t3\t4\n": "trec",
    "qid\tdocno\tscore\tquery\n1\td7\t3.0\tred shoes\n": "csv",
    "qid\tdocno\tscore\tquery\n1\td7\t3.0\n": "trec",
    "user\titem\n1\t2\n": "csv",
    "query-id\tcorpus-id\tscore\n1\t2\t3\n": "trec",
    "query,docid,rating\nstar trek,1,3\n": "quepid",
    "docid,query,rating,notes\n1,star trek,3,\n": "quepid",
    "q1 Q0 d1 1 2.0 tag\n": "trec",
    "q1\t0\td1\t1\n": "trec",
    "PAR1 0 d1 1\n": "trec",
    "ARROW1 Q0 d1 1 1.5 t\n": "trec",
    "a,b,c\n": "trec",
    "PAR1\x15\x04\x00": "parquet",
    "ARROW1\x00\x00": "arrow",
}


@pytest.mark.parametrize("text", DETECTED)
def test_what_is_a_table_is_detected_by_content(text):
    raw = text.encode()
    file = Input("file", io.BytesIO(raw), len(raw), MEMORY)
    assert formats.format_of(file).name == DETECTED[text]


def test_columns_without_a_table_are_refused(tmp_path):
    columns = {"query": "uid"}
    (tmp_path / "run").write_text(RUN_FILES["trec"](RANKED))
    arrays = np.array([[1, 0]]), np.array([[0.5, 0.7]])
    message = r"columns are named \(query='uid'\), but no input is a table"
    for data in ((JUDGED, SCORED), (JUDGED, tmp_path / "run"), arrays):
        with pytest.raises(rs.UsageError, match=message):
            rs.evaluate(*data, "RR", columns=columns)
    with pytest.raises(rs.UsageError, match=message):
        rs.explain("RR", JUDGED, tmp_path / "run", query="0", columns=columns)
    with pytest.raises(
        rs.UsageError, match="columns= goes with judgments and a run; grades in rank"
    ):
        rs.explain("RR", [1, 0], columns=columns)
    with pytest.raises(rs.UsageError, match=message):
        rs.reconcile("RR", JUDGED, tmp_path / "run", value="0.5", columns=columns)
    with pytest.raises(rs.UsageError, match="no input is a table"):
        convert(str(tmp_path / "run"), str(tmp_path / "out"), "json", columns=columns)
    assert not (tmp_path / "out").exists()


def command(capsys, *args):
    code = main([str(a) for a in args])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize("kind", [*TABLES, "trec", "json", "jsonl"])
def test_every_verb_takes_every_kind_of_file(tmp_path, capsys, kind):
    judged, run = put_both(tmp_path, kind if kind in TABLES else "parquet")
    if kind not in TABLES:
        for path, what in ((judged, "judgments"), (run, "run")):
            convert(path, path + ".out", kind, kind=what, force=True)
        judged, run = judged + ".out", run + ".out"
    code, out, err = command(capsys, "explain", "RR", judged, run, "--query", "0")
    assert (code, err) == (0, "")
    assert "RR = 0.5\n" in out
    code, out, err = command(capsys, "reconcile", "RR", judged, run, "--value", "0.5")
    assert (code, err) == (0, "")
    assert "The default gives it." in out
    code, out, err = command(capsys, "validate", judged, run)
    assert (code, err) == (0, "")
    assert "  judged documents: 9\n" in out
    code, out, err = command(capsys, "measures", "--tools", "RR", judged, run)
    assert (code, err) == (0, "")
    code, out, err = command(capsys, "convert", run, "-", "--to", "trec", "--as", "run")
    assert (code, len(out.splitlines())) == (0, 9)


def test_columns_are_named_for_every_verb(tmp_path, capsys):
    rows = [(int(q), d, n, -n) for q, docs in SCORED.items() for d, n in docs.items()]
    names = ["uid", "sku", "yhat", "score"]
    pl.DataFrame(rows, schema=names, orient="row").write_csv(tmp_path / "run")
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(tmp_path / "run.parquet")
    (tmp_path / "judged").write_text(JUDGMENT_FILES["trec"](JUDGED))
    named = "--columns=query=uid,doc=sku,score=yhat"
    for run in (tmp_path / "run", tmp_path / "run.parquet"):
        data = (tmp_path / "judged", run, named)
        assert "RR = 0.5\n" in command(capsys, "explain", "RR", *data, "--query", "0")[1]
        assert command(capsys, "reconcile", "RR", *data, "--value", "0.5")[0] == 0
        assert "judged documents: 9" in command(capsys, "validate", *data)[1]
        code, _, err = command(capsys, "convert", run, tmp_path / "out.parquet", named, "--force")
        assert (code, err.split(": ")[1]) == (
            0,
            f"9 rows of run from {'csv' if run.suffix == '' else 'parquet'} to parquet\n",
        )
        got = rs.evaluate(JUDGED, tmp_path / "out.parquet", MEASURES)
        assert values(got) == values(rs.evaluate(JUDGED, SCORED, MEASURES))
        code, _, err = command(capsys, "evaluate", *data[:2], "--columns=query=uuid,doc=sku")
        assert code == 3
        assert "there is no column 'uuid'. Did you mean uid?" in err


def test_whole_numbers_may_be_asked_for_as_text(tmp_path, capsys):
    frame = pl.DataFrame({"qid": [7, 8], "docno": ["a", "b"], "rel": [1, 1], "score": [1.0, 2.0]})
    frame.write_parquet(tmp_path / "both")
    code, out, _ = command(capsys, "explain", "RR", *[tmp_path / "both"] * 2, "--query", "8")
    assert (code, out.splitlines()[0]) == (0, "RR: Reciprocal rank, query 8")
    code, _, err = command(capsys, "convert", tmp_path / "both", tmp_path / "out")
    assert code == 2
    assert "'parquet' may hold judgments or a run; say which it is" in err


BAD_ROWS = {
    "null id": ({"qid": ["1", None], "docno": ["a", "b"], "score": [1.0, 2.0]}, "row 1 .*query id None"),
    "empty id": ({"qid": ["1", "1"], "docno": ["a", ""], "score": [1.0, 2.0]}, "row 1 .*empty document id"),
    "floats": ({"qid": [1.0, 12.0], "docno": ["a", "b"], "score": [1.0, 2.0]}, "row 0 .*Write it as 1, in the judgments"),
    "nan": ({"qid": ["1", "2"], "docno": ["a", "b"], "score": [1.0, float("nan")]}, "row 1 .*not a finite number"),
    "null": ({"qid": ["1", "2"], "docno": ["a", "b"], "score": [None, 2.0]}, "row 0 .*None is not a number"),
    "text": ({"qid": ["1", "2"], "docno": ["a", "b"], "score": ["high", "2"]}, "row 0 .*'high' is not a number"),
    "no rows": ({"qid": [], "docno": [], "score": []}, "holds no rows"),
    "no query": ({"x": ["1"], "docno": ["a"], "score": [1.0]}, "cannot tell which column holds the queries"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_tables_are_not_converted(tmp_path, capsys, case):
    columns, message = BAD_ROWS[case]
    pl.DataFrame(columns).write_parquet(tmp_path / "in")
    with pytest.raises(rs.DataError, match=message):
        convert(str(tmp_path / "in"), str(tmp_path / "out"), "trec", kind="run")
    assert not (tmp_path / "out").exists()
    assert command(capsys, "validate", tmp_path / "in", "--as", "run")[0] == 3


def test_writing_needs_a_library(tmp_path, monkeypatch):
    (tmp_path / "in").write_text(RUN_FILES["trec"](RANKED))
    monkeypatch.setattr("rankstone.io.formats.tables.find_spec", lambda _: None)
    with pytest.raises(rs.MissingDependencyError, match="writing parquet files needs the library"):
        convert(str(tmp_path / "in"), str(tmp_path / "out"), "parquet")
    convert(str(tmp_path / "in"), str(tmp_path / "out"), "csv")
    assert (tmp_path / "out").read_text().startswith("query_id,doc_id,score\n0,d1,3.0\n")


def test_ids_that_are_not_utf8_stay_out_of_tables(tmp_path):
    (tmp_path / "in").write_bytes(b"q\xff Q0 d1 1 2.5 t\n")
    for to in ("parquet", "arrow"):
        with pytest.raises(rs.DataError, match=r"query id 'q\\udcff' is not UTF-8"):
            convert(str(tmp_path / "in"), str(tmp_path / "out"), to)


def test_exclude_may_be_any_table(tmp_path):
    pl.DataFrame({"user": ["0"], "item": ["d1"]}).write_parquet(tmp_path / "seen")
    got = rs.evaluate(load_judgments(JUDGED), load_run(SCORED), "RR", exclude=tmp_path / "seen")
    assert got.per_query["0"] == {"RR": 1.0}
