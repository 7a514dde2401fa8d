"""``rankstone gate`` and ``rankstone gate baseline``: files, settings, refusals and output."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.verbs.gate.baseline import Baseline
from rankstone.verbs.gate.text import write_verdict

SEARCH = Path(__file__).resolve().parents[2] / "examples" / "search"
QRELS, BM25, DENSE, HYBRID = (
    str(SEARCH / name) for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run")
)
DROP = ("--max-drop", "nDCG@10=0.01")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Run in a folder without settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def call(capsys):
    def command(*words):
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.fixture
def saved(call):
    """A baseline file of bm25."""
    assert (
        call("gate", "baseline", "save", "b.json", QRELS, BM25, "-m", "nDCG@10", "-m", "AP")[0] == 0
    )
    return Path("b.json")


def test_exit_codes_and_first_line(call):
    code, out, err = call("gate", QRELS, BM25, "--baseline", HYBRID, *DROP)
    assert (code, out.splitlines()[0]) == (
        1, "FAIL: bm25 against hybrid, 1 of 2 checks failed (40 queries)",
    )  # fmt: skip
    assert err.startswith("rankstone: warning: 7 negative grades")
    code, out, err = call("gate", QRELS, HYBRID, "--baseline", BM25, *DROP, "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("PASS: hybrid against bm25, all 2 checks passed (40 queries)\n")
    assert call("gate", QRELS, HYBRID)[0] == 2
    assert call("gate", QRELS, HYBRID, "--baseline", "none.json", *DROP)[0] == 3


def test_the_summary_fits_a_terminal_of_80_columns(call):
    rules = [*DROP, "--non-inferior", "nDCG@10=0.01", "--min-judged", "@10=0.8", "--min-queries", "50",
             "--must-find", "q01:tent-0308@1", "--by", str(SEARCH / "needs.tsv")]  # fmt: skip
    _, out, _ = call("gate", QRELS, DENSE, "--baseline", HYBRID, *rules)
    assert max(map(len, out.splitlines())) <= 80
    for status in ("fail:", "warn:", "Queries that lost most on nDCG@10: q"):
        assert status in out


@pytest.mark.parametrize("form", ["run", "result", "baseline", "gz"])
def test_the_baseline_may_be_a_run_a_result_or_a_baseline_file(call, saved, form):
    import gzip

    rs.evaluate(QRELS, BM25, ["nDCG@10"]).save("result.json")
    Path("b.json.gz").write_bytes(gzip.compress(saved.read_bytes()))
    path = {"run": BM25, "result": "result.json", "baseline": saved, "gz": "b.json.gz"}[form]
    code, out, _ = call("gate", QRELS, HYBRID, "--baseline", path, *DROP, "--format", "json")
    direct = rs.gate(QRELS, HYBRID, BM25, max_drop={"nDCG@10": 0.01})
    assert (code, json.loads(out)) == (0, json.loads(direct.to_json()))


def test_the_candidate_may_be_a_saved_result(call, saved):
    rs.evaluate(QRELS, HYBRID, ["nDCG@10"]).save("hybrid.json")
    call_of_run = call("gate", QRELS, HYBRID, "--baseline", saved, *DROP, "--format", "json")
    call_of_result = call(
        "gate", QRELS, "hybrid.json", "--baseline", saved, *DROP, "--format", "json"
    )
    assert call_of_result[:2] == call_of_run[:2]
    direct = rs.gate(None, "hybrid.json", saved, max_drop={"nDCG@10": 0.01})
    assert json.loads(direct.to_json()) == json.loads(call_of_result[1])
    code, _, err = call(
        "gate", QRELS, "hybrid.json", "--baseline", saved, *DROP, "-c", "ties=input"
    )
    assert (code, "ties= cannot be applied to values that exist already" in err) == (2, True)
    Path("broken.json").write_text('{"schema": "rankstone/result/1"', encoding="utf-8")
    code, _, err = call("gate", QRELS, "broken.json", "--baseline", saved, *DROP)
    assert (code, err.startswith("rankstone: error: broken.json: ")) == (3, True)


def test_a_baseline_file_brings_back_every_bit(saved):
    result = rs.evaluate(QRELS, BM25, ["nDCG@10", "AP"])
    baseline = Baseline.from_json(saved.read_bytes())
    kept = baseline.result
    assert dict(zip(kept.queries, kept.columns["AP"].tolist(), strict=True)) == {
        query: values["AP"] for query, values in result.per_query.items()
    }
    assert kept.provenance.judgments.digest() == result.provenance.judgments.digest()
    assert baseline.to_json() == saved.read_text()
    lines = saved.read_text().splitlines()
    assert sum(line.lstrip().startswith('["q') for line in lines) == 40  # one line per query


def test_a_baseline_is_updated_by_accept_only_and_keeps_the_reasons(call, saved):
    before = saved.read_text()
    code, _, err = call("gate", "baseline", "save", saved, QRELS, HYBRID)
    assert code == 3
    assert "a baseline is updated by accept only: rankstone gate baseline accept b.json" in err
    for reason in ([], ["--reason", "  "]):
        code, _, err = call("gate", "baseline", "accept", saved, QRELS, HYBRID, *reason)
        assert code == 2
        assert "is updated for a reason" in err
    assert saved.read_text() == before
    code, out, _ = call(
        "gate", "baseline", "accept", saved, QRELS, HYBRID, "--reason", "dense\nvectors"
    )
    assert code == 0
    assert re.search(r"nDCG@10  0\.4308  0\.5721     \+0\.1414", out)
    baseline = Baseline.from_json(saved.read_bytes())
    assert [a.reason for a in baseline.history] == ["first baseline", "dense vectors"]
    assert list(baseline.result.columns) == ["nDCG@10", "AP"]
    code, out, _ = call("gate", "baseline", "show", saved)
    assert code == 0
    assert out.startswith("b.json: hybrid, 40 queries, Rankstone ")
    assert "dense vectors    0.5721  0.5393" in out
    assert call("gate", QRELS, BM25, "--baseline", saved, *DROP, "--quiet")[0] == 1
    assert sorted(os.listdir()) == ["b.json"]


def test_accept_keeps_the_conventions(call):
    more = ("--like", "trec_eval-9", "-m", "ndcg_cut_10", "-c", "relevance=2")
    assert call("gate", "baseline", "save", "b.json", QRELS, BM25, *more)[0] == 0
    before = Baseline.from_json(Path("b.json").read_bytes())
    assert call("gate", "baseline", "accept", "b.json", QRELS, HYBRID, "--reason", "x")[0] == 0
    before, after = before.result, Baseline.from_json(Path("b.json").read_bytes()).result
    assert (after.conventions, after.like) == (before.conventions, "trec_eval-9")
    assert after.aggregates != before.aggregates
    new = ("-m", "nDCG@10", "-c", "ties=input", "--reason", "y")
    assert call("gate", "baseline", "accept", "b.json", QRELS, HYBRID, *new)[0] == 0
    assert Baseline.from_json(Path("b.json").read_bytes()).result.conventions.ties == "input"


def test_accept_keeps_what_a_tool_does_with_single_measures(call):
    more = ("--like", "xgboost", "-m", "ndcg@10-", "-m", "ndcg@10")
    assert call("gate", "baseline", "save", "b.json", QRELS, BM25, *more)[0] == 0
    before = Baseline.from_json(Path("b.json").read_bytes())
    assert before.result.exceptions
    assert call("gate", "baseline", "accept", "b.json", QRELS, BM25, "--reason", "again")[0] == 0
    before, after = before.result, Baseline.from_json(Path("b.json").read_bytes()).result
    assert (after.conventions, after.exceptions) == (before.conventions, before.exceptions)
    assert after.aggregates == before.aggregates
    rules = ("--max-drop", "ndcg@10-=0.01", "--max-drop", "ndcg@10=0.01", "--like", "xgboost")
    assert call("gate", QRELS, BM25, "--baseline", "b.json", *rules, "--quiet")[0] == 0


def test_other_conventions_are_refused(call, saved):
    code, out, err = call(
        "gate", QRELS, BM25, "--baseline", saved, *DROP, "-c", "ties=input", "--quiet"
    )
    assert (code, out) == (3, "")
    assert "the convention ties was docid-desc and is input (set it with -c ties=docid-desc)" in err
    code, _, err = call(
        "gate", QRELS, BM25, "--baseline", saved, *DROP, "--like", "xgboost", "--quiet"
    )
    assert code == 2
    assert "has no values of nDCG(gain='exp2')@10" in err


def test_other_judgments_are_refused(call, saved):
    text = Path(QRELS).read_text()
    changed = {
        "fewer.txt": (text.replace("q01 ", "q99 "), "(1 query added, 1 removed; accept"),
        "graded.txt": (text.replace("q01 0 climb-0007 0", "q01 0 climb-0007 3"), "0 queries added"),
    }
    for name, (content, message) in changed.items():
        Path(name).write_text(content)
        code, _, err = call("gate", name, HYBRID, "--baseline", saved, *DROP, "--quiet")
        assert code == 3
        assert "the judgments were " in err
        assert message in err
        assert "rankstone gate baseline accept" in err
    # The same judgments under another name, compressed, are the same.
    import gzip

    Path("same.gz").write_bytes(gzip.compress(text.encode()))
    assert call("gate", "same.gz", HYBRID, "--baseline", saved, *DROP, "--quiet")[0] == 0


def test_other_queries_are_refused_where_judgments_have_no_checksum():
    old = rs.evaluate({"a": {"d": 1}, "b": {"d": 1}}, {"a": ["d"], "b": ["d"]}, "RR")
    new = rs.evaluate({"a": {"d": 1}, "c": {"d": 1}}, {"a": ["d"], "c": ["d"]}, "RR")
    with pytest.raises(rs.DataError, match="of other queries .1 query added, 1 removed"):
        rs.gate(None, new, old, max_drop={"RR": 0.1})


def test_numbers_of_another_version_are_refused(call, saved):
    from dataclasses import replace

    baseline = Baseline.from_json(saved.read_bytes())
    same, other = ".".join([*rs.__version__.split(".")[:2], "99"]), "99.0.0"
    for version, code in ((same, 0), (other, 3)):
        made = replace(baseline.result.provenance, rankstone=version)
        replace(baseline, result=replace(baseline.result, provenance=made)).save(saved)
        got, _, err = call("gate", QRELS, HYBRID, "--baseline", saved, *DROP, "--quiet")
        assert got == code, err
    assert f"its numbers are of Rankstone {other} and this is {rs.__version__}" in err


def damage(text):
    """Yield ways in which a baseline file can be broken, and what is said."""
    data = json.loads(text)
    yield (
        "edited",
        text.replace("0.43077", "0.13077", 1),
        "delete it and make it again with 'rankstone gate baseline save'",
    )
    yield (
        "conflict",
        text.replace('"name"', '<<<<<<< HEAD\n"name"', 1),
        "this is not a baseline file",
    )
    yield "half", text[: len(text) // 2], "this is not a baseline file"
    yield "newer", text.replace("baseline/2", "baseline/9"), "schema 'rankstone/baseline/9'"
    yield (
        "no checksum",
        json.dumps({k: v for k, v in data.items() if k != "checksum"}),
        "'checksum' is missing",
    )
    yield (
        "key twice",
        text.replace('"name"', '"like": "ranx",\n  "name"', 1),
        "a key is there twice",
    )
    yield "empty", "", "the file is empty"
    yield "deep", '{"schema": "rankstone/baseline/2", "x": ' + "[" * 100_000, "not a baseline file"
    from rankstone.verbs.gate.baseline import _checksum

    for name, change, message in (
        ("short row", {"values": [["q01", 0.5]]}, "its rows differ in length"),
        ("twice", {"values": [["q01", 0.5, 0.5]] * 2}, "a query is there twice"),
        ("text", {"values": [["q01", "high", 0.5]]}, "'high' is not a number"),
        ("convention", {"conventions": {"tise": "input"}}, "tise"),
        ("no list", {"values": None}, "not a baseline file"),
        ("a list as id", {"values": [[["q"], 0.5, 0.5]]}, "not a baseline file"),
        (
            "forged mean",
            {"means": {**data["means"], "AP": 0.9}},
            "the mean of AP is not that of its values",
        ),
        ("huge", {"values": [["q01", 10**400, 0.5]]}, "not a baseline file"),
        ("measure twice", {"measures": ["AP", "AP"]}, "a measure is there twice"),
    ):
        new = {k: v for k, v in data.items() if k != "checksum"} | change
        yield name, json.dumps({**new, "checksum": _checksum(new)}), message


def test_a_corrupt_baseline_is_refused(call, saved):
    for name, text, message in list(damage(saved.read_text())):
        saved.write_text(text)
        for words in (
            ("gate", QRELS, HYBRID, "--baseline", saved, *DROP, "--quiet"),
            ("gate", "baseline", "show", saved),
        ):
            code, out, err = call(*words)
            assert (code, out) == (3, ""), name
            assert re.match(r"rankstone: error: b\.json: ", err), name
            assert message in err, (name, err)


def test_reasons_that_are_given_at_the_same_time_are_all_kept(saved):
    """Each update is made from what is in the file when it is replaced."""
    words = ["gate", "baseline", "accept", str(saved), QRELS, HYBRID, "--quiet", "--reason"]
    own = [subprocess.Popen([sys.executable, "-m", "rankstone", *words, f"because {i}"],
                            stdout=subprocess.DEVNULL) for i in range(6)]  # fmt: skip
    assert [process.wait(timeout=120) for process in own] == [0] * 6
    reasons = [a.reason for a in Baseline.from_json(saved.read_bytes()).history]
    assert reasons[0] == "first baseline"
    assert sorted(reasons[1:]) == [f"because {i}" for i in range(6)]


BAD = {
    "missing baseline": (["--baseline", "b.json", *DROP], 3, "b.json: there is no such baseline. Make one with 'rankstone gate baseline save b.json QRELS RUN'"),
    "no baseline": ([*DROP], 2, "max-drop nDCG@10=0.01 compares with a baseline; give one: --baseline FILE"),
    "no rule": (["--baseline", BM25], 2, "a gate needs a rule"),
    "contradicting": (["--min", "AP=0.5", "--max", "map=0.4"], 2, "contradict each other: min AP=0.5 and max map=0.4"),
    "twice": (["--min", "AP=0.5", "--min", "AP=0.4"], 2, "contradict each other"),
    "unknown measure": (["--min", "AQ=0.5"], 2, "unknown measure 'AQ'"),
    "a run is not settings": (["--min", "AP=0.5", "--settings", BM25], 3, "not valid TOML"),
    "no settings": (["--min", "AP=0.5", "--settings", "none.toml"], 3, "none.toml: No such file"),
    "an ending": (["--min", "AP=0.5", "-o", "out.pdf"], 2, "--output out.pdf: the ending says the format"),
    "a folder that is not there": (["--min", "AP=0.1", "-o", "no/out.md"], 3, "no/out.md: cannot be written"),
    "stdin": (["--baseline", "-", *DROP], 2, "cannot be standard input"),
}  # fmt: skip


def test_a_baseline_that_is_something_else(call):
    Path("b.json").write_text('{"dependencies": 1}')
    code, _, err = call("gate", QRELS, HYBRID, "--quiet", "--baseline", "b.json", *DROP)
    assert code == 3
    assert err.startswith("rankstone: error: b.json, query 'dependencies': ")
    assert (
        "neither a baseline file (made by 'rankstone gate baseline save') nor a saved result" in err
    )


@pytest.mark.parametrize("case", BAD)
def test_bad_input(call, case):
    words, expected, message = BAD[case]
    code, _, err = call("gate", QRELS, HYBRID, "--quiet", *words)
    assert code == expected
    assert message in err
    assert err.count("\n") == 1


def test_an_empty_candidate_is_a_clear_fail(call, saved):
    Path("new.run").write_text("")
    code, out, _ = call(
        "gate", QRELS, "new.run", "--baseline", saved, *DROP, "--inconclusive", "pass"
    )
    assert code == 1
    assert out.startswith(
        "FAIL: new, 1 of 1 check failed (0 queries)\nfail: new.run: the file is empty."
    )
    code, out, _ = call("gate", "baseline", "accept", saved, QRELS, "new.run", "--reason", "oops")
    assert code == 3


SETTINGS = """
[gate]
baseline = "../b.json"
by = "groups.csv"
min-queries = 30
must-find = ["q01:tent-0308@1", {query = "q01", document = "tent-0172", cutoff = 2}]
max-drop = {"nDCG@10" = 0.01, "AP" = 0.01}
conventions = {ties = "docid-desc"}
[gate.min]
"nDCG@10" = 0.1
"""


@pytest.mark.parametrize("name", ["rankstone.toml", "pyproject.toml"])
def test_settings(call, saved, monkeypatch, name):
    folder = Path("sub")
    folder.mkdir()
    text = SETTINGS.replace("[gate", "[tool.rankstone.gate") if name[0] == "p" else SETTINGS
    (folder / name).write_text(text)
    (folder / "groups.csv").write_text("".join(f"q{i:02},g{i % 2}\n" for i in range(1, 41)))
    words = ("gate", QRELS, BM25, "--settings", folder / name, "--format", "json", "--quiet")
    code, out, _ = call(*words)
    rules = [check["rule"] for check in json.loads(out)["checks"] if not check["slice"]]
    assert (code, rules) == (0, [
        "answers", "min-queries 30", "max-drop nDCG@10=0.01", "max-drop AP=0.01",
        "min nDCG@10=0.1", "must-find q01:tent-0308@1", "must-find q01:tent-0172@2",
    ])  # fmt: skip
    # The command line replaces one rule, and the folder's settings are found.
    monkeypatch.chdir(folder)
    code, out, _ = call("gate", QRELS, BM25, "--min", "nDCG@10=0.9", "--quiet", "-o", "out.md")
    assert code == 1
    assert "nDCG@10 is 0.4308, below 0.9" in out
    # No query of 40 changed, which does not show that less than 1 % would.
    assert rs.gate(QRELS, BM25, settings=name).status == "cannot tell"
    # What the Markdown says reproduces it without settings.
    command = Path("out.md").read_text().splitlines()[-1].strip()
    Path(name).unlink()
    code, again, _ = call(*shlex.split(command)[1:], "--quiet")
    assert (code, again) == (1, out)


BAD_SETTINGS = {
    "a key": ("[gate]\nmax-dorp = {}", 2, "[gate] has an unknown key 'max-dorp'. Did you mean max-drop?"),
    "a table": ("[gaet]\nx = 1", 2, "has an unknown key 'gaet'. Did you mean gate?"),
    "a type": ("[gate]\nmin-queries = 'many'", 2, "min-queries must be a whole number, not 'many'"),
    "a flag": ("[gate]\nmin-queries = true", 2, "min-queries must be a whole number"),
    "a number": ("[gate]\nmax-drop = 0.01", 2, "max-drop must be a table such as { MEASURE = 0.01 }"),
    "not a table": ("gate = 1", 2, "gate must be a table"),
    "TOML": ("[gate", 3, "this is not valid TOML"),
    "a value": ("[gate]\nmin = {AP = 'x'}", 2, "min AP: 'x' is not a number"),
    "a convention": ("[gate]\nmin = {AP = 0.1}\nconventions = {tise = 'input'}", 2, "Did you mean ties?"),
    "must find": ("[gate]\nmust-find = [{query = 'q'}]", 2, "a table needs query, document and cutoff"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_SETTINGS)
def test_bad_settings(call, case):
    text, expected, message = BAD_SETTINGS[case]
    Path("rankstone.toml").write_text(text)
    code, _, err = call("gate", QRELS, BM25, "--quiet")
    assert code == expected
    assert message in err


def test_a_pyproject_without_a_gate_is_ignored(call):
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert call("gate", QRELS, BM25, "--min", "AP=0.1", "--quiet")[0] == 0


def test_files_are_written_beside_the_output(call):
    words = ("gate", QRELS, BM25, "--baseline", HYBRID, *DROP, "--quiet", "--format", "github")
    code, out, _ = call(*words, *(f"-oout.{e}" for e in ("md", "xml", "json", "txt")))
    assert code == 1
    assert out.splitlines() == [
        "::error title=rankstone gate::FAIL: bm25 against hybrid, 1 of 2 checks failed (40 queries)",
        "::error title=fail%3A max-drop nDCG@10=0.01::nDCG@10 is worse by 0.1414 (0.5721 to 0.4308); at most 0.01 is allowed",
    ]
    assert json.loads(Path("out.json").read_text())["status"] == "fail"
    assert Path("out.txt").read_text().startswith("FAIL: bm25")
    suite = ET.parse("out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    text = Path("out.md").read_text()
    assert text.startswith("### FAIL: bm25 against hybrid")
    assert len(re.findall(r"^\| q\d\d \|", text, re.MULTILINE)) == 5  # the worst queries
    assert "Reproduce:\n\n    rankstone gate " in text
    assert sorted(os.listdir()) == ["out.json", "out.md", "out.txt", "out.xml"]


HOSTILE = [
    "]]><x a=\"'&\x00\x1b[31m", "::error::boo", "%0A::stop", "|`*_<script>[x](y)", "@somebody #7",
    "https://evil.example", "a long id with blanks " * 5 + "::set-env name=x::y", "line\nbreak", "\udcff\ufffe", "a,b:c",
]  # fmt: skip


def hostile():
    """A verdict in which ids of every kind occur: queries, documents, slices and names."""
    queries = {q: {"d": 1} for q in HOSTILE}
    old = {q: ["d"] for q in HOSTILE}
    new = {q: ["x", "d"] for q in HOSTILE}
    find = [(q, q, 3) for q in HOSTILE]
    return rs.gate(
        queries, rs.load_run(new, name="<run>|`@x`"), old, max_drop={"RR": 0.1}, must_find=find,
        smallest_slice=1, by={q: q for q in HOSTILE},
    )  # fmt: skip


def test_hostile_ids_are_harmless_in_every_format():
    verdict = hostile()
    xml = "\n".join(write_verdict(verdict, "junit"))
    suite = ET.fromstring(xml.encode())
    assert len(list(suite.iter("testcase"))) == len(verdict.checks)
    assert {tag.tag for tag in suite.iter()} == {"testsuites", "testsuite", "testcase", "failure", "system-out"}  # fmt: skip
    for line in write_verdict(verdict, "github"):
        assert re.fullmatch(r"::(error|warning|notice) title=[^:,\n]*::[^\n]*", line)
    for line in (line for text in write_verdict(verdict, "text") for line in text.split("\n")):
        assert not line.lstrip().startswith("::")
        assert "\x1b" not in line
        assert "\x00" not in line
    text = "\n".join(write_verdict(verdict, "md"))
    assert "<script>" not in text.replace(r"\<script\>", "")
    assert not re.search(r"(?<![\w\\])@\w|https://", text)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 3  # one count per table
    json.loads("\n".join(write_verdict(verdict, "json")))


def test_markdown_is_what_a_renderer_reads():
    markdown_it = pytest.importorskip("markdown_it")
    text = "\n".join(write_verdict(hostile(), "md", command="rankstone gate 'a`b' <c>"))
    html = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert html.count("<table>") == 3
    assert "<script" not in html
    assert "<a " not in html
    assert "<em>" not in html
    assert "<code>rankstone gate 'a`b' &lt;c&gt;\n</code>" in html


def test_a_verdict_repeats_to_the_bit(call):
    outs = {
        call("gate", QRELS, BM25, "--baseline", HYBRID, *DROP, "--format", "json", "--quiet")[1]
        for _ in range(2)
    }
    assert len(outs) == 1
