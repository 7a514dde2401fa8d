"""What people type and read in the first hour."""

from __future__ import annotations

import inspect
import json
import pydoc
import re
import time
from dataclasses import fields
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

import rankstone as rs
from rankstone.choices.changes import Changes
from rankstone.choices.conventions import Conventions
from rankstone.choices.effort import Effort
from rankstone.choices.reading import Reading
from rankstone.cli import main
from rankstone.cli.terminal import progress
from rankstone.measures.parse import split_names
from rankstone.text.blocks import Grid, Line
from rankstone.text.terminal import shortened, terminal, width, wrapped

SEARCH = Path(__file__).parents[2] / "examples" / "search"
QRELS, BM25, DENSE = (str(SEARCH / name) for name in ("qrels.txt", "bm25.run", "dense.run"))
JUDGED, RUN = {"q1": {"a": 1, "b": 2}}, {"q1": ["x", "b", "a"]}


def output(capsys, *words):
    assert main([*words]) == 0
    return capsys.readouterr().out


NAMES = {"MRR": "RR", "MAP": "AP", "NDCG": "nDCG", "HR": "Success", "Recall": "R", "Precision": "P"}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_people_type_are_measures(name):
    assert str(getattr(rs, name)) == NAMES[name]


def test_a_name_that_nobody_has_is_an_attribute_error_with_a_suggestion():
    with pytest.raises(AttributeError, match=r"no attribute 'ngcd'.* Did you mean nDCG\?"):
        rs.ngcd  # noqa: B018
    assert not hasattr(rs, "no_such_thing")


def test_several_measures_in_one_text(capsys):
    for text in ("nDCG@10,AP", "nDCG@10 AP", " nDCG@10 , AP "):
        assert rs.evaluate(JUDGED, RUN, text).measures == ["nDCG@10", "AP"]
    both = output(capsys, "evaluate", QRELS, BM25, "-m", "nDCG@10", "-m", "AP", "--quiet")
    assert output(capsys, "evaluate", QRELS, BM25, "-m", "nDCG@10,AP", "--quiet") == both
    assert output(capsys, "evaluate", QRELS, BM25, "-m", "nDCG@10", "AP", "--quiet") == both
    assert output(capsys, "evaluate", "-m", "nDCG@10", "AP", QRELS, BM25, "--quiet") == both
    assert output(capsys, "evaluate", "-m", "nDCG@10", "-m", "AP", QRELS, BM25, "--quiet") == both
    assert main(["evaluate", "-m", "AP", "no-such-file", BM25]) == 3
    assert "no-such-file: there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize("tool", rs.TOOLS.values(), ids=lambda tool: tool.name)
def test_the_name_of_a_tool_is_never_taken_for_two(tool):
    for name in tool.names:
        written = name.written({**rs.parse_measure(name.measure)(**name.params).params, "k": 10})
        assert written is None or split_names(written) == [written]


def test_other_words_for_options_are_answered():
    with pytest.raises(
        rs.UsageError, match=r"no option 'metrics': name the measures with measures="
    ):
        rs.evaluate(JUDGED, RUN, metrics=["AP"])
    with pytest.raises(rs.UsageError, match=r"no option 'k': .*'NAME@10'"):
        rs.evaluate(JUDGED, RUN, "nDCG", k=10)


def test_the_number_of_a_query_is_a_hint(capsys):
    assert main(["explain", "RR", QRELS, BM25, "--query", "1"]) == 3
    assert "query '1' is not evaluated. Did you mean q01?" in capsys.readouterr().err


def test_help_is_the_manual_page():
    page = pydoc.render_doc(rs.nDCG)
    assert "DCG over the DCG of the ideal ranking." in page
    assert "Names elsewhere:" in page
    assert type(rs.nDCG).__doc__.startswith("A measure with its parameters")


def test_measures_as_data(capsys):
    ndcg = json.loads(output(capsys, "measures", "nDCG", "--format", "json"))[0]
    assert ndcg["family"].startswith("Cumulated gain")
    assert ndcg["names"]["pytrec_eval-0.5"] == ["ndcg", "ndcg_cut_{k}", "ndcg_cut.{k}"]
    assert {p["name"] for p in ndcg["parameters"]} >= {"gain", "discount", "ideal", "k"}


def test_a_usage_error_is_one_line_that_names_the_help_of_the_command(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", QRELS, BM25, "--nonsense"])
    assert capsys.readouterr().err == (
        "rankstone evaluate: error: unrecognized arguments: --nonsense. "
        "rankstone evaluate --help lists the options.\n"
    )


def test_the_best_first(capsys):
    runs = [str(path) for path in sorted(SEARCH.glob("*.run"))]
    options = ["-m", "AP", "-q", "--sort", "AP", "--top", "2", "--quiet"]
    rows = [r.split("\t") for r in output(capsys, "evaluate", QRELS, *runs, *options).splitlines()]
    assert [row[0] for row in rows[1:]] == ["hybrid"] * 3 + ["dense"] * 3
    result = rs.evaluate(QRELS, runs[2], "AP", name="hybrid")
    best = sorted(result.per_query.items(), key=lambda item: -item[1]["AP"])[:2]
    assert [row[1] for row in rows[1:4]] == [query for query, _ in best] + ["all"]
    assert main(["evaluate", QRELS, BM25, "-m", "AP", "--sort", "RR"]) == 2
    assert "'RR' was not measured" in capsys.readouterr().err


def lines_of(names, numbers, rows):
    return list(terminal([[Grid(names, numbers, [Line(*row) for row in rows])]], columns=40))


def test_few_rows_that_are_too_wide_are_turned_around():
    measures = [f"nDCG@{k}" for k in (1, 5, 10, 20, 100)]
    lines = lines_of(["run"], measures, [(["bm25"], ["0.1", "0.2", "0.3", "0.4", "0.5"])])
    assert lines[0].split() == ["run", "bm25"]
    assert [line.split() for line in lines[2:]] == [
        [m, f"0.{i}"] for i, m in enumerate(measures, 1)
    ]


def test_many_rows_that_are_too_wide_are_divided_and_long_ids_are_cut():
    queries = [f"https://example.org/questions/{i}/what-is-it" for i in range(9)]
    measures = [f"nDCG@{k}" for k in (1, 5, 10, 20, 100)]
    lines = lines_of(["query"], measures, [([q], ["0.1234"] * 5) for q in queries])
    assert max(map(width, lines)) <= 40
    heads = [line.split() for line in lines if line.startswith("query")]
    assert [m for head in heads for m in head[1:]] == measures
    assert len(heads) > 1
    assert sum("…" in line for line in lines) == 9 * len(heads)


def test_wide_characters_stay_aligned():
    lines = lines_of(["查询"], ["AP"], [(["什么是排序"], ["0.5"]), (["q"], ["0.25"])])
    assert len({width(line) for line in lines}) == 1
    assert shortened("什么是排序学习", 7) == "什…习"
    assert shortened("short", 7) == "short"


def test_sentences_with_wide_characters_fit_the_terminal():
    text = "Cannot tell whether 新模型 is better than 基线模型 on 防水徒步鞋男款的查询集合, not yet"
    lines = wrapped(text, 30, "  ")
    assert max(map(width, lines)) <= 30
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_several_long_runs_show_how_far_they_are(monkeypatch):
    shown = StringIO()
    shown.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", shown)
    runs = [
        SimpleNamespace(name=name, progress=[1 << 28], source=SimpleNamespace(size=size))
        for name, size in {"bm25": 10, "混合": 1 << 30}.items()
    ]
    with progress(2, quiet=False) as watch:
        for run in runs:
            watch(run)
        while "混合 (2 of 2): 25 % of 1024 MiB" not in shown.getvalue():
            time.sleep(0.01)
    assert shown.getvalue().endswith("\r\x1b[K")
    with progress(2, quiet=True) as watch:
        watch(runs[1])


def test_explain_shows_documents_that_are_not_judged_and_names_the_ideal():
    lines = str(rs.explain("nDCG@3", JUDGED, RUN)).splitlines()
    table = [line.split() for line in lines[4:9]]
    assert table[2][:3] == ["1", "x", "-"]
    assert table[2][-7:][:2] == ["1", "b"]
    assert table[3][:2] == ["2", "b"]
    assert "1 of the first 3 documents is not judged (grade -) and adds nothing." in lines


def test_explain_names_documents_that_are_not_judged_from_every_kind_of_run(tmp_path, monkeypatch):
    rows = [("q1", "y", 3.0), ("q1", "x", 2.0), ("q1", "b", 1.0), ("q2", "z", 9.0)]
    (tmp_path / "run.txt").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    (tmp_path / "run.csv").write_text(
        "query,doc,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in rows)
    )
    scored = {"q1": {d: s for q, d, s in rows if q == "q1"}}
    for run in (
        str(tmp_path / "run.txt"),
        str(tmp_path / "run.csv"),
        scored,
        {"q1": ["y", "x", "b"]},
    ):
        assert rs.explain("RR", JUDGED, run, query="q1").unjudged == {1: "y", 2: "x"}
    kept = rs.explain("RR", JUDGED, scored, exclude={"q1": ["y"]})
    assert kept.unjudged == {1: "x"}
    assert rs.explain("RR", JUDGED, scored, unjudged="remove").unjudged == {}
    for name in ("run.txt", "run.csv"):
        with (tmp_path / name).open() as piped:
            monkeypatch.setattr("sys.stdin", piped)
            assert rs.explain("RR", JUDGED, "-", query="q1").unjudged == {1: "y", 2: "x"}


def test_explain_names_the_ideal_of_arrays_by_position():
    working = rs.explain("nDCG@2", [0, 3, 1], [0.9, 0.5, 0.7])
    assert [(step.rank, step.document) for step in working.ideal] == [(1, 1), (2, 2)]


def test_explain_stops_where_nothing_more_counts(tmp_path, capsys):
    (tmp_path / "qrels").write_text("".join(f"1 0 d{i:03} {i % 7 == 2:d}\n" for i in range(128)))
    (tmp_path / "run").write_text("".join(f"1 Q0 d{i:03} 1 {200 - i} t\n" for i in range(128)))
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    short = output(capsys, "explain", "RR", *files).splitlines()
    assert len(short) < 14
    assert "124 more judged documents below, adding nothing." in short
    assert len(output(capsys, "explain", "RR", *files, "--all").splitlines()) > 128
    paged = output(capsys, "explain", "AP", *files)
    assert "\n ...\n" in paged
    assert len(paged.splitlines()) < 60


def test_explain_shows_runs_side_by_side(capsys):
    text = output(capsys, "explain", "RR", QRELS, BM25, DENSE, "--query", "q03")
    assert text.splitlines()[3].split() == ["bm25", "dense"]
    assert "\nbm25:\n" in text
    assert "\ndense:\n" in text
    both = json.loads(
        output(capsys, "explain", "RR", QRELS, BM25, DENSE, "--query", "q03", "--format", "json")
    )
    assert [one["value"] for one in both] == [0.2, 1.0]


def test_reconcile_tries_cutoffs_and_other_measures_and_says_what_is_chance():
    def reconciled(measure, reported, digits=6):
        value = f"{rs.evaluate(QRELS, BM25, reported)[reported]:.{digits}f}"
        return str(rs.reconcile(measure, QRELS, BM25, value=value))

    assert "One choice explains it: k=20." in reconciled("nDCG@10", "nDCG@20")
    assert "One choice explains it: k=20." in reconciled("AP", "AP@20")
    assert "Another measure gives it: P@10 = 0.3575" in reconciled("R@10", "P@10")
    assert "by chance" not in reconciled("nDCG@10", "nDCG@20")
    few = str(rs.reconcile("nDCG@10", QRELS, BM25, value="0.5"))
    assert "0.5 has few digits: about " in few


def test_a_saved_result_is_verified(tmp_path, capsys, monkeypatch):
    qrels, run, saved = tmp_path / "qrels", tmp_path / "run", tmp_path / "result.json"
    qrels.write_text("1 0 a 1\n2 0 b 1\n")
    run.write_text("1 Q0 x 1 2 t\n1 Q0 a 2 1 t\n2 Q0 b 1 2 t\n")
    for options in ({}, {"like": "lightgbm-4"}, {"ties": "input", "queries": "both"}):
        rs.evaluate(qrels, run, ["nDCG@5", "AP"], **options).save(saved)
        assert "verified; 2 measures of 2 queries, the same" in output(capsys, "verify", str(saved))
    text = json.loads(saved.read_text())
    text["provenance"]["rankstone"] = "0.0.9"
    saved.write_text(json.dumps(text))
    assert "made by rankstone 0.0.9" in output(capsys, "verify", str(saved))
    run.write_text("1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n")
    assert main(["verify", str(saved)]) == 1
    out = capsys.readouterr().out
    assert "NOT the same; 4 values changed" in out
    assert f"{run}: the content changed since." in out
    assert "AP, query 1: 0.5 then, 1.0 now" in out
    qrels.rename(tmp_path / "moved")
    assert main(["verify", str(saved)]) == 3
    assert "are not there. Say where they are now: judgments=" in capsys.readouterr().err
    assert (
        main(["verify", str(saved), "--judgments", str(tmp_path / "moved"), "--format", "json"])
        == 1
    )
    assert json.loads(capsys.readouterr().out)[0]["changed_inputs"] == [str(run)]


@pytest.mark.parametrize("options", [{}, {"tie_interval": True, "unjudged_interval": True}])
@pytest.mark.parametrize("fact", ["ties", "unanswered", "counted", "notices", "unjudged"])
def test_verify_notices_what_was_changed_beside_the_values(fact, options):
    search = Path(__file__).parents[2] / "examples" / "search"
    files = str(search / "qrels.txt"), str(search / "bm25.run")
    result = rs.evaluate(*files, ["nDCG@10", "AP", "AUC"], **options)
    assert rs.verify(result).holds
    data = json.loads(result.to_json())
    if fact == "ties":
        data["ties"]["documents"] += 1
    elif fact == "unanswered":
        data["unanswered"] = [] if data["unanswered"] else data["queries"][:1]
    elif fact == "counted":
        data["counted"]["AP"] -= 1
    elif fact == "notices":
        del data["notices"][0]
    elif not data["unjudged"]:
        return
    else:
        data["unjudged"]["documents"] += 1
    forged = rs.verify(rs.Result.from_json(json.dumps(data)))
    assert (forged.holds, forged.facts) == (False, (fact,))
    assert f"not as saved: {fact}." in str(forged)


def test_the_signature_of_evaluate_has_every_convention_and_how_data_are_read():
    parameters = inspect.signature(rs.evaluate).parameters
    for group in (Conventions, Reading, Changes, Effort):
        assert set(group.names()) <= set(parameters)
    assert all(parameters[f.name].default == f.default for f in fields(Conventions))


def test_a_misspelt_convention_is_found_by_the_type_checker(tmp_path):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "use.py").write_text(
        "import rankstone as rs\n"
        'rs.evaluate({}, {}, "AP", ties="input")\n'
        'rs.evaluate({}, {}, "AP", tise="input")\n'
        'rs.evaluate({}, {}, "AP", ties="inputs")\n'
        'rs.explain("AP", {}, {}, tise="input")\n'
        'rs.reconcile("AP", {}, {}, value=0.5, tise="input")\n'
        'rs.compare({}, {}, "AP", tise="input")\n'
        'rs.compare({}, {}, "AP", ties="input", like="ranx", strict=True)\n'
        'rs.gate({}, {}, tise="input")\n'
        "rs.evaluate({}, {}, [rs.MRR @ 10, rs.MAP, rs.NDCG @ 10, rs.HR, rs.Recall, rs.Precision])\n"
    )
    out, _, _ = api.run(
        [str(tmp_path / "use.py"), "--cache-dir", str(tmp_path), "--no-error-summary"]
    )
    lines = [line.split(":")[1] for line in out.splitlines() if "error" in line]
    assert lines == ["3", "4", "5", "6", "7", "9"], out


def test_the_names_of_other_tools_in_the_stub_are_measures():
    stub = (Path(rs.__file__).parent / "__init__.pyi").read_text()
    names = re.findall(r"^(\w+): Measure$", stub, re.MULTILINE)
    assert {"MRR", "MAP", "NDCG", "HR"} <= {*names}
    for name in names:
        assert isinstance(getattr(rs, name), rs.Measure)


def test_several_measures_in_one_text_for_every_verb(capsys):
    assert output(capsys, "compare", QRELS, BM25, DENSE, "-m", "AP,RR", "--quiet").count("\n") == 3
    assert output(capsys, "power", QRELS, BM25, DENSE, "-m", "AP,RR", "--quiet").count("RR") >= 1


def test_an_unknown_command_is_answered(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["evalute", QRELS, BM25])
    assert "unknown command 'evalute'. Did you mean evaluate?" in capsys.readouterr().err


def test_the_list_of_measures_fits_and_begins_with_the_common_ones(capsys):
    lines = output(capsys, "measures").splitlines()
    assert max(map(len, lines)) <= 80
    first = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "][:12]
    assert {"nDCG@k", "AP@k", "P@k", "R@k", "RR@k"} & set(first)


@pytest.fixture
def chunks(tmp_path):
    """Judgments of documents, a run of chunks, and the other run; by type of question."""
    judged = [
        {"query": "q1", "expected_chunks": ["d1"], "type": "how"},
        {"query": "q2", "expected_chunks": ["d2"], "type": "why"},
    ]
    run = [
        {"query": "q1", "found_chunks": ["d9#1", "d1#2"]},
        {"query": "q2", "found_chunks": ["d2#1", "d2#2"]},
    ]
    for name, rows in (("judged", judged), ("run", run), ("again", run)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    files = [str(tmp_path / f"{name}.jsonl") for name in ("judged", "run", "again")]
    columns = ["--columns", "expected=expected_chunks,retrieved=found_chunks"]
    return tmp_path, files, [*columns, "--parents", "{doc}#{n}", "-m", "RR"]


def test_lists_of_any_name_and_chunks_in_every_verb(chunks, capsys):
    folder, (judged, run, again), options = chunks
    assert "\t0.75\n" in output(capsys, "evaluate", judged, run, *options)
    assert "\t0.75\t0.75\t" in output(capsys, "compare", judged, run, again, *options, "--quiet")
    page = folder / "page.json"
    output(
        capsys, "report", judged, run, again, *options, "--by", "type", "-o", str(page), "--quiet"
    )
    assert '"how"' in page.read_text()
    assert "0.75" in page.read_text()
    gate = ["gate", judged, run, *options[:-2], "--by", "type", "--baseline", again]
    assert output(capsys, *gate, "--max-drop", "RR=0.01", "--quiet").startswith("CANNOT TELL")
    working = output(capsys, "explain", "RR", judged, run, *options[:-2], "--query", "q1")
    assert "RR = 0.5" in working
    baseline = ["gate", "baseline", "save", str(folder / "b.json"), judged, run, *options]
    assert "0.7500" in output(capsys, *baseline, "--quiet")


PARENTS = {
    "csv": "chunk_id,doc_id\nd9#1,d9\nd1#2,d1\nd2#1,d2\nd2#2,d2\n",
    "txt": "d9#1 d9\nd1#2 d1\nd2#1 d2\nd2#2 d2\n",
    "json": '{"d9#1": "d9", "d1#2": "d1", "d2#1": "d2", "d2#2": "d2"}',
}


@pytest.mark.parametrize("ending", PARENTS)
def test_files_of_the_documents_of_chunks(chunks, ending):
    folder, (judged, run, _), _ = chunks
    (folder / f"map.{ending}").write_text(PARENTS[ending])
    columns = {"expected": "expected_chunks", "retrieved": "found_chunks"}
    result = rs.evaluate(judged, run, "RR", columns=columns, parents=folder / f"map.{ending}")
    assert result["RR"] == 0.75


@pytest.fixture
def two_encodings(tmp_path):
    """Judgments in cp1252 and a run in UTF-8, with an id that the two write differently."""
    (tmp_path / "judged.csv").write_text("query;doc;grade\nq1;café;1\n", encoding="cp1252")
    (tmp_path / "run.json").write_text('{"q1": {"über": 2, "café": 1}}', encoding="utf-8")
    return tmp_path, [str(tmp_path / "judged.csv"), str(tmp_path / "run.json")]


def test_two_encodings(two_encodings):
    _, files = two_encodings
    assert rs.evaluate(*files, "RR", encoding="cp1252:utf-8")["RR"] == 0.5


def test_two_encodings_in_every_command(two_encodings, capsys):
    folder, (judged, run) = two_encodings
    encoding = ["--encoding", "cp1252:utf-8"]
    assert "\t0.5\n" in output(capsys, "evaluate", judged, run, "-m", "RR", *encoding)
    assert "RR = 0.5" in output(capsys, "explain", "RR", judged, run, *encoding)
    assert main(["validate", judged, run, *encoding]) in (0, 1)
    assert "judged documents: 1" in capsys.readouterr().out
    page = folder / "page.json"
    output(capsys, "report", judged, run, "-m", "RR", *encoding, "-o", str(page), "--quiet")
    assert json.loads(page.read_text())["rankings"]["documents"] == ["café", "über"]
    assert "über" in output(capsys, "pool", run, "--depth", "2", *encoding)
    assert "über" in output(capsys, "holes", judged, run, run, *encoding)
    gate = [
        "gate",
        judged,
        run,
        "--baseline",
        run,
        "--max-drop",
        "RR=0.01",
        "--must-find",
        "q1:café@2",
    ]
    assert "must-find q1:café@2  pass" in output(capsys, *gate, *encoding, "--quiet")
    assert output(capsys, "risk", judged, run, "-m", "RR", *encoding)


def test_rankings_without_query_ids_are_explained():
    with pytest.raises(rs.DataError, match=r"numbered from 0: give them by query"):
        rs.evaluate({"café": {"a": 1}}, [["a"], ["b"]], "RR")


def test_the_ideal_of_subtopics_has_no_wrong_names():
    judged = {"t": {"d1": {"1": 1, "2": 1}, "d2": {"3": 1}}}
    working = rs.explain("alpha_nDCG@2", judged, {"t": ["d2", "d1"]})
    assert {step.document for step in working.ideal} == {None}
    assert repr(working).startswith("alpha_nDCG@2:")


def test_options_may_stand_between_a_measure_and_files(tmp_path, capsys):
    path = tmp_path / "eval.jsonl"
    path.write_text('{"question": "q", "expected": ["a"], "retrieved": ["x", "a", "a"]}\n')
    assert main(["explain", "RR", "--query", "q", str(path), str(path)]) == 0
    assert "RR = 0.5" in capsys.readouterr().out
    assert main(["reconcile", "R", "--value", "2.0", str(path), str(path)]) == 0
    assert "duplicates=count" in capsys.readouterr().out
    assert main(["holes", str(path), str(path), "-m", "P@2", "AP"]) == 2
    assert "give one measure, not 'P@2' and 'AP'" in capsys.readouterr().err
