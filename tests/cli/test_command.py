"""The command, as a person types it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pydoc
import re
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from strategies import NATIVE, shown_on_a_terminal

import rankstone as rs
from rankstone.cli import main

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d2 0 2.0 t\nq1 Q0 d1 0 1.0 t\nq2 Q0 d3 0 0.1 t\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("bm25.run").write_text(RUN)
    Path("best.run").write_text(RUN.replace("2.0", "0.5"))
    return tmp_path


def run(capsys, *args):
    code = main(list(args))
    out, err = capsys.readouterr()
    return code, out, err


def test_tsv_in_a_pipe(here, capsys, engine):
    code, out, err = run(
        capsys, "evaluate", "qrels.txt", "bm25.run", "best.run", "-m", "RR", "-m", "P@1"
    )
    assert (code, err) == (0, "")
    assert out == "run\tquery\tRR\tP@1\nbm25\tall\t0.75\t0.5\nbest\tall\t1\t1\n"


def test_values_of_each_query(here, capsys):
    _, out, _ = run(capsys, "evaluate", "qrels.txt", "bm25.run", "-m", "RR", "-q", "-n")
    assert out == "run\tquery\tRR\nbm25\tq1\t0.5\nbm25\tq2\t1\n"


def test_all_formats(here, capsys):
    def shown(form, *more):
        args = ["evaluate", "qrels.txt", "bm25.run", "best.run", "-m", "RR", "--format", form]
        code, out, _ = run(capsys, *args, *more)
        assert code == 0
        return out

    table = "| run | RR |\n|:---|---:|\n| bm25 | 0.7500 |\n| best | **1.0000** |\n"
    assert shown("md") == f"{table}\nmean over 2 queries, default conventions\n"
    assert [json.loads(line) for line in shown("jsonl").splitlines()] == [
        {"run": "bm25", "query": "all", "RR": 0.75},
        {"run": "best", "query": "all", "RR": 1.0},
    ]
    first, second = json.loads(shown("json"))
    assert first["aggregates"] == {"RR": 0.75}
    assert second["conventions"]["ties"] == "docid-desc"
    assert first["provenance"]["run"]["bytes"] == len(RUN)
    rows = list(csv.reader(io.StringIO(shown("csv", "-q", "--digits", "2"))))
    assert rows[:3] == [["run", "query", "RR"], ["bm25", "q1", "0.50"], ["bm25", "q2", "1.00"]]
    assert shown("table").splitlines() == [
        "run       RR",
        "────  ──────",
        "bm25  0.7500",
        "best  1.0000",
        "mean over 2 queries, default conventions",
    ]


def test_one_result_as_json_can_be_loaded(here, capsys):
    _, out, _ = run(capsys, "evaluate", "qrels.txt", "bm25.run", "-m", "RR", "--format", "json")
    assert rs.Result.from_json(out)["RR"] == 0.75


def test_spreadsheets_get_no_formulas_and_terminals_no_commands(here, capsys):
    Path("qrels.txt").write_text("=1+1 0 d1 1\n\x9b31m 0 d1 1\n")
    Path("bm25.run").write_text("=1+1 Q0 d1 1 1 t\n\x9b31m Q0 d1 1 1 t\n")
    _, out, _ = run(
        capsys, "evaluate", "qrels.txt", "bm25.run", "-m", "RR", "-q", "--format", "csv"
    )
    assert "'=1+1" in out
    _, out, _ = run(
        capsys, "evaluate", "qrels.txt", "bm25.run", "-m", "RR", "-q", "--format", "table"
    )
    assert "\x9b" not in out


def test_globs_and_names(here, capsys):
    _, out, _ = run(capsys, "evaluate", "qrels.txt", "*.run", "-m", "RR")
    assert [line.split("\t")[0] for line in out.splitlines()] == ["run", "best", "bm25"]
    (here / "other").mkdir()
    (here / "other" / "bm25.run").write_text(RUN)
    _, out, _ = run(capsys, "evaluate", "qrels.txt", "bm25.run", "other/bm25.run", "-m", "RR")
    assert [line.split("\t")[0] for line in out.splitlines()] == [
        "run",
        "bm25.run",
        "other/bm25.run",
    ]
    code, _, err = run(capsys, "evaluate", "qrels.txt", "no*.run")
    assert (code, err) == (3, "rankstone: error: no*.run: no file matches this pattern.\n")


def test_notices_are_said_in_the_order_of_what_they_may_change(here, capsys):
    rows = "user_id,item_id,rating\nq1,d1,5\nq1,d2,1\nq1,d9,-1\nq7,d1,4\n"
    Path("ratings.csv").write_text(rows)
    Path("bm25.run").write_text(RUN + "q1 Q0 d1 9 9.0 t\nq8 Q0 d1 1 1 t\n")
    _, _, err = run(capsys, "evaluate", "ratings.csv", "bm25.run", "-m", "RR")
    first, second, rest = err.splitlines()
    assert "judged queries not in the run" in first
    assert second.startswith("rankstone: note: the column 'rating' holds the grades")
    assert "more (unjudged-queries, " in rest


def test_the_ending_of_an_output_file_is_its_format(here, capsys):
    words = ["compare", "qrels.txt", "bm25.run", "best.run", "-m", "RR", "--quiet"]
    for ending, start in (
        ("tex", "% needs"),
        ("json", "{"),
        ("csv", "measure,"),
        ("tsv", "measure\t"),
    ):
        code, out, _ = run(capsys, *words, "--format", "latex", "-o", f"out.{ending}")
        assert (code, out.splitlines()[0]) == (0, "% needs \\usepackage{booktabs}")
        assert Path(f"out.{ending}").read_text().startswith(start)
    assert Path("out.tex").read_text() == out
    code, _, err = run(capsys, *words, "-o", "out.html")
    assert (code, "the ending says the format" in err) == (2, True)
    Path("out.md").write_text("mine")
    code, _, err = run(capsys, *words, "-o", "out.md")
    assert (code, "would be lost" in err, Path("out.md").read_text()) == (2, True, "mine")


def test_the_preflight_is_three_lines_at_most(here, capsys):
    Path("qrels.txt").write_text(QRELS + "q1 0 d2 1\nq1 0 d9 -1\nq7 0 d1 1\n")
    Path("bm25.run").write_text(RUN + "q1 Q0 d1 9 9.0 t\nq8 Q0 d1 1 1 t\n")
    code, out, err = run(capsys, "evaluate", "qrels.txt", "bm25.run", "-m", "RR")
    assert code == 0
    assert err.splitlines()[0] == (
        "rankstone: warning: 1 of 3 judged queries not in the run; "
        "missing ones count as 0 (for example q7)"
    )
    assert len(err.splitlines()) == 3
    assert err.splitlines()[2].startswith("rankstone: note: 4 more (contradicting-judgments, ")
    code, quiet, err = run(capsys, "evaluate", "qrels.txt", "bm25.run", "-m", "RR", "--quiet")
    assert (code, quiet, err) == (0, out, "")
    code, out, err = run(capsys, "evaluate", "qrels.txt", "bm25.run", "-m", "RR", "--strict")
    assert (code, out) == (3, "")
    assert "an error because of strict" in err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["qrels.txt", "absent.run"], 3, "absent.run: there is no such file in"),
        (["absent.txt", "bm25.run"], 3, "absent.txt: there is no such file in"),
        (["bm25.run", "qrels.txt"], 3, "This looks like a TREC run"),
        (["qrels.txt", "bm25.run", "-m", "ngcd@10"], 2, "Did you mean nDCG@10?"),
        (["qrels.txt", "bm25.run", "-m", "P@10,5"], 2, "each measure is named on its own"),
        (["qrels.txt", "bm25.run", "-c", "ties"], 2, "write a convention as NAME=VALUE"),
        (["qrels.txt", "bm25.run", "-c", "ties=random"], 2, "unknown value of ties 'random'"),
        (["qrels.txt", "bm25.run", "-c", "tie=input"], 2, "Did you mean ties?"),
        (["qrels.txt", "bm25.run", "-c", "relevance=x"], 2, "relevance must be a number above 0"),
        (["qrels.txt", "bm25.run", "-c", "relevance=-1"], 2, "relevance must be a number above 0"),
        (["qrels.txt", "bm25.run", "-n"], 2, "leaves nothing to print"),
        (["qrels.txt", "bm25.run", "--threads", "0"], 2, "--threads must be at least 1"),
        (["qrels.txt", "bm25.run", "--digits", "99"], 2, "--digits must be from 0 to 17"),
    ],
)  # fmt: skip
def test_errors_are_one_line_with_a_code(here, capsys, args, code, message):
    got, out, err = run(capsys, "evaluate", *args)
    assert (got, out) == (code, "")
    assert err.startswith("rankstone: error: ")
    assert err.count("\n") == 1
    assert message in err


def test_conventions_from_the_command_line(here, capsys):
    args = [
        "evaluate",
        "qrels.txt",
        "bm25.run",
        "-m",
        "RR",
        "-c",
        "relevance=2",
        "-c",
        "no_relevant=skip",
    ]
    _, out, _ = run(capsys, *args)
    assert out.splitlines()[1] == "bm25\tall\t1"


def command(*args, **more):
    call = [sys.executable, "-m", "rankstone", *args]
    return subprocess.run(call, capture_output=True, check=False, timeout=60, **more)


def test_standard_input(here):
    done = command("evaluate", "qrels.txt", "-", "-m", "RR", "--format", "json", input=RUN.encode())
    assert done.returncode == 0
    result = rs.Result.from_json(done.stdout)
    assert (result.name, result["RR"]) == ("stdin", 0.75)
    assert result.provenance.run.sha256
    packed = gzip.compress(QRELS.encode())
    done = command("evaluate", "-", "bm25.run", "-m", "RR", input=packed)
    assert done.stdout == b"run\tquery\tRR\nbm25\tall\t0.75\n"


def test_a_file_name_that_starts_with_a_dash(here):
    Path("-odd").write_text(RUN)
    done = command("evaluate", "-m", "RR", "--", "qrels.txt", "-odd")
    assert done.stdout == b"run\tquery\tRR\n-odd\tall\t0.75\n"


def test_ids_that_are_not_utf8_leave_as_they_came_and_are_shown_as_bytes(here):
    Path("qrels.txt").write_bytes(b"q\xe9 0 d 1\n")
    Path("bm25.run").write_bytes(b"q\xe9 Q0 d 1 1 t\n")
    for form, text in (("tsv", b"q\xe9"), ("table", b"q\\xe9")):
        done = command("evaluate", "qrels.txt", "bm25.run", "-m", "RR", "-q", "--format", form)
        assert done.returncode == 0
        assert text in done.stdout


def test_a_closed_pipe_is_no_drama(here):
    rows = "".join(f"q{i} 0 d 1\n" for i in range(30_000))
    Path("qrels.txt").write_text(rows)
    line = f"{sys.executable} -m rankstone evaluate qrels.txt bm25.run -q -m RR --quiet | head -1"
    done = subprocess.run(line, shell=True, capture_output=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == (b"run\tquery\tRR\n", b"")


def test_usage_errors_and_help(here):
    assert command("evaluate").returncode == 2
    assert command("frobnicate").returncode == 2
    shown = command("--help").stdout.decode()
    assert "evaluate" in shown
    assert "Exit codes: 0 fine, 1 a check failed, 2 usage, 3 data." in shown
    assert command("--version").stdout.decode() == f"rankstone {rs.__version__}\n"


def on_a_terminal(*args):
    """Return what the command shows of its output on a terminal."""
    return shown_on_a_terminal([sys.executable, "-m", "rankstone", *args])


def test_a_table_on_a_terminal(here, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = on_a_terminal("evaluate", "qrels.txt", "bm25.run", "best.run", "-m", "RR")
    assert "bm25  0.7500" in shown
    assert "best  \x1b[1m1.0000\x1b[0m" in shown
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in on_a_terminal("evaluate", "qrels.txt", "bm25.run", "-m", "RR")


def test_the_list_of_measures_and_a_page(capsys):
    code, out, _ = run(capsys, "measures")
    assert code == 0
    listed = [
        line.split()[0].partition("@")[0]
        for line in out.splitlines()
        if line[:2] == "  " != line[1:3]
    ]
    assert sorted(listed) == sorted(m.name for m in rs.all_measures())
    code, out, _ = run(capsys, "measures", "--format", "json")
    assert [m["name"] for m in json.loads(out)] == [m.name for m in rs.all_measures()]
    for measure in rs.all_measures():
        code, out, _ = run(capsys, "measures", measure.name)
        assert code == 0
        assert measure.definition.pretty in out
        assert measure.definition.example.value in out
    _, out, _ = run(capsys, "measures", "map", "mrr")
    assert out.startswith("AP: Average precision")
    assert "\nRR: Reciprocal rank" in out


def test_the_demo(capsys, monkeypatch):
    """Each command that the demo prints gives exactly the output below it."""
    code, out, err = run(capsys, "demo")
    assert (code, err) == (0, "")
    shown, _, _ = out.partition("\nNext:\n")
    head, *parts = re.split(r"^\$ rankstone ", shown, flags=re.MULTILINE)
    monkeypatch.chdir(re.search(r"^\$ cd (.*)$", head, flags=re.MULTILINE)[1])
    commands = []
    for part in parts:
        command, _, output = part.partition("\n")
        commands.append(command.split()[0])
        with redirect_stderr(sys.stdout):
            assert main(command.split()) == 0
        printed = capsys.readouterr().out
        assert output.startswith(printed)
        assert re.fullmatch(r"(\n.*\n)?", output[len(printed) :])  # the title of the next part
    assert commands == ["evaluate", "evaluate", "compare", "report"]
    for name in ("bm25", "dense", "hybrid", "als", "popular"):
        assert f"\n{name}" in out


def test_the_examples_can_be_copied(capsys, tmp_path):
    folder = tmp_path / "examples"
    assert run(capsys, "demo", "--save", str(folder))[0] == 0
    code, out, _ = run(
        capsys, "evaluate", *(str(folder / "search" / f) for f in ("qrels.txt", "bm25.run"))
    )
    assert (code, out.split("\t")[0]) == (0, "run")
    code, _, err = run(capsys, "demo", "--save", str(folder))
    assert (code, err) == (
        2,
        f"rankstone: error: {folder} exists already. Name a new folder, or remove it.\n",
    )
    code, _, err = run(capsys, "demo", "--save", str(folder / "search" / "measures.txt" / "x"))
    assert code == 3
    assert "cannot copy the examples" in err


@pytest.mark.skipif(NATIVE, reason="the compiled core is there, so there is nothing to say")
def test_without_the_compiled_core_one_notice_is_given(here, monkeypatch):
    monkeypatch.delenv("RANKSTONE_ENGINE")
    done = command("evaluate", "qrels.txt", "bm25.run", "best.run", "-m", "RR")
    assert done.stderr.decode().count("the compiled core of rankstone is not installed") == 1
    assert done.returncode == 0


def test_engines_can_be_chosen(here, monkeypatch):
    monkeypatch.setenv("RANKSTONE_ENGINE", "rust")
    with pytest.raises(rs.UsageError, match="it may be 'native' or 'python'"):
        rs.evaluate("qrels.txt", "bm25.run", ["RR"])


def test_progress_of_a_long_scan(here, monkeypatch):
    """The scan counts its bytes, so a progress line can be shown."""
    from rankstone.verbs.load import load_judgments, load_run

    loaded = load_run("bm25.run")
    rs.evaluate(load_judgments("qrels.txt"), loaded, ["RR"])
    assert int(loaded.progress[0]) == len(RUN)


def test_pipes_are_read_like_standard_input(here):
    line = f"{sys.executable} -m rankstone evaluate <(cat qrels.txt) <(cat bm25.run) -m RR"
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=False, timeout=60)
    assert done.stderr == b""
    assert done.stdout.splitlines()[1].endswith(b"\tall\t0.75")


def test_what_was_missed_can_be_explained(capsys):
    _, out, _ = run(capsys, "explain", "AP", "--grades", "1,0", "--missed", "1,1")
    assert "AP = 1 / 3 = 0.3333333333333333" in out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line(tmp_path):
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    (tmp_path / "run").write_text("q Q0 d 1 1 t\n")
    line = f"{sys.executable} -m rankstone evaluate qrels run -m RR > /dev/full"
    done = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stderr == "rankstone: error: cannot write the output: No space left on device.\n"


def test_messages_and_tables_of_tools_fit_the_terminal(here, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    for call in (
        ["measures", "--tools"],
        ["measures", "--tools", "ranx"],
        ["measures", "--tools", "nDCG"],
    ):
        shown = on_a_terminal(*call)
        assert max(map(len, shown.splitlines())) <= 60, call
    call = [sys.executable, "-m", "rankstone", "evaluate", "qrels.txt", "no-such-file", "-m", "RR"]
    first, *rest = shown_on_a_terminal(call, words=True).splitlines()
    assert first.startswith("rankstone: error: no-such-file: ")
    assert rest
    assert all(line.startswith("  ") and len(line) <= 60 for line in rest)


@pytest.mark.parametrize(("depth", "retrieved", "precision"), [(1, 1, 0), (2, 2, 0.2), (3, 3, 0.4), (9, 4, 0.4)])  # fmt: skip
def test_trec_eval_reads_as_many_documents_as_it_is_told(tmp_path, monkeypatch, capsys, depth, retrieved, precision):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q 0 b 1\nq 0 c 1\n")
    (tmp_path / "run").write_text(
        "".join(f"q Q0 {d} {i} {9 - i} t\n" for i, d in enumerate("abcd"))
    )
    words = ["trec_eval", "-M", str(depth), "-m", "num_ret", "-m", "P.5", "qrels", "run"]
    assert main(words) == 0
    values = [line.split()[-1] for line in capsys.readouterr().out.splitlines()]
    assert values == [str(retrieved), f"{precision:.4f}"]


def test_options_that_would_be_ignored(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\n")
    paths = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert main(["evaluate", *paths, "--group-sizes", "sizes"]) == 2
    assert "is for rows without ids of documents" in re.sub(r"\s+", " ", capsys.readouterr().err)
    assert main(["agree", paths[1], paths[1], "-m", "nDCG"]) == 2
    assert "-m orders systems" in capsys.readouterr().err


SEARCH = Path(__file__).parents[2] / "examples" / "search"


SEARCH_QRELS, BM25, DENSE = (str(SEARCH / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


def output(capsys, *words):
    assert main([*words]) == 0
    return capsys.readouterr().out


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


@pytest.fixture
def two_encodings(tmp_path):
    """Judgments in cp1252 and a run in UTF-8, with an id that the two write differently."""
    (tmp_path / "judged.csv").write_text("query;doc;grade\nq1;café;1\n", encoding="cp1252")
    (tmp_path / "run.json").write_text('{"q1": {"über": 2, "café": 1}}', encoding="utf-8")
    return tmp_path, [str(tmp_path / "judged.csv"), str(tmp_path / "run.json")]


def test_the_number_of_a_query_is_a_hint(capsys):
    assert main(["explain", "RR", SEARCH_QRELS, BM25, "--query", "1"]) == 3
    assert "query '1' is not evaluated. Did you mean q01?" in capsys.readouterr().err


def test_help_is_the_manual_page():
    page = pydoc.render_doc(rs.nDCG)
    assert "DCG over the DCG of the ideal ranking." in page
    assert "Names elsewhere:" in page
    assert type(rs.nDCG).__doc__.startswith("A measure with its parameters")


def test_a_usage_error_is_one_line_that_names_the_help_of_the_command(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", SEARCH_QRELS, BM25, "--nonsense"])
    assert capsys.readouterr().err == (
        "rankstone evaluate: error: unrecognized arguments: --nonsense. "
        "rankstone evaluate --help lists the options.\n"
    )


@pytest.mark.parametrize(("flag", "name"), [("--ties", "ties"), ("--no-relevant", "no_relevant")])
def test_a_convention_as_an_option_is_refused_with_the_words_that_work(capsys, flag, name):
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", SEARCH_QRELS, BM25, flag, "zero"])
    assert f"give the convention as -c {name}=VALUE" in capsys.readouterr().err


def test_an_error_names_the_text_on_its_kind_of_fault(here, capsys):
    shown = shown_on_a_terminal(
        [sys.executable, "-m", "rankstone", "evaluate", "bm25.run", "qrels.txt"], words=True
    )
    named = shown.partition("note: `rankstone ")[2].partition("`")[0]
    assert named == "explain bad-lines"
    assert "Accepted: spaces and tabs mixed" in output(capsys, *named.split())
    with pytest.raises(rs.DataError) as raised:
        rs.evaluate({"q": {"d": "high"}}, {"q": ["d"]}, "RR")
    assert "rankstone explain bad-numbers" in raised.value._render_traceback_()[1]
    with pytest.raises(rs.DataError) as raised:  # a program that has its own modules
        raise rs.DataError("mine")
    assert not raised.value.hint


def test_the_best_first(capsys):
    runs = [str(path) for path in sorted(SEARCH.glob("*.run"))]
    options = ["-m", "AP", "-q", "--sort", "AP", "--top", "2", "--quiet"]
    rows = [
        r.split("\t")
        for r in output(capsys, "evaluate", SEARCH_QRELS, *runs, *options).splitlines()
    ]
    assert [row[0] for row in rows[1:]] == ["hybrid"] * 3 + ["dense"] * 3
    result = rs.evaluate(SEARCH_QRELS, runs[2], "AP", name="hybrid")
    best = sorted(result.per_query.items(), key=lambda item: -item[1]["AP"])[:2]
    assert [row[1] for row in rows[1:4]] == [query for query, _ in best] + ["all"]
    assert main(["evaluate", SEARCH_QRELS, BM25, "-m", "AP", "--sort", "RR"]) == 2
    assert "'RR' was not measured" in capsys.readouterr().err


def test_an_unknown_command_is_answered(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["evalute", SEARCH_QRELS, BM25])
    assert "unknown command 'evalute'. Did you mean evaluate?" in capsys.readouterr().err


def test_the_list_of_measures_fits_and_begins_with_the_common_ones(capsys):
    lines = output(capsys, "measures").splitlines()
    assert max(map(len, lines)) <= 80
    first = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "][:12]
    assert {"nDCG@k", "AP@k", "P@k", "R@k", "RR@k"} & set(first)


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


def test_options_may_stand_between_a_measure_and_files(tmp_path, capsys):
    path = tmp_path / "eval.jsonl"
    path.write_text('{"question": "q", "expected": ["a"], "retrieved": ["x", "a", "a"]}\n')
    assert main(["explain", "RR", "--query", "q", str(path), str(path)]) == 0
    assert "RR = 0.5" in capsys.readouterr().out
    assert main(["reconcile", "R", "--value", "2.0", str(path), str(path)]) == 0
    assert "duplicates=count" in capsys.readouterr().out
    assert main(["holes", str(path), str(path), "-m", "P@2", "AP"]) == 2
    assert "give one measure, not 'P@2' and 'AP'" in capsys.readouterr().err


@pytest.mark.usefixtures("small_files")
def test_sorting_by_a_falling_measure_shows_the_lowest_first(capsys):
    words = ["evaluate", "judged.json", "late.json", "first.json", "-m", "Unjudged@1", "-m", "RR"]
    orders = {}
    for measure in ("Unjudged@1", "RR"):
        assert main([*words, "--sort", measure, "--format", "json"]) == 0
        orders[measure] = [one["name"] for one in json.loads(capsys.readouterr().out)]
    assert orders == {"Unjudged@1": ["first", "late"], "RR": ["first", "late"]}
    assert main(["evaluate", "judged.json", "late.json", "-q", "-m", "Unjudged@1", "--sort", "Unjudged@1", "--format", "tsv"]) == 0  # fmt: skip
    shown = [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()[1:7]]
    assert shown == ["q0", "q3", "q1", "q2", "q4", "q5"]


def test_explain_says_what_the_code_of_a_notice_means(capsys):
    from rankstone.text.notice_meanings import meanings

    codes = [code for level in meanings().values() for code in level]
    assert len(codes) == len(set(codes)) > 60
    assert main(["explain", "rank-disagrees"]) == 0
    out = capsys.readouterr().out
    assert out == (
        "rank-disagrees (warning): a rank column that contradicts the scores; the scores decide\n"
    )
    assert main(["explain", "rank-agrees"]) == 2
