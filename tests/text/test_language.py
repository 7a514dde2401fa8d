"""Texts in Chinese: the same numbers, ids and keys."""

# ruff: noqa: RUF001

import json
import os
import re
import subprocess
import sys
from contextlib import suppress

import pytest

import rankstone as rs
from rankstone import language as languages
from rankstone.cli import COMMANDS, main
from rankstone.core.text import width, wrapped
from rankstone.language import in_language, language, tr

JUDGMENTS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1}}
RUN = {"q1": ["d2", "d1", "d7", "d3"], "q2": ["d9", "d4"]}


@pytest.fixture(autouse=True)
def _english_afterwards():
    yield
    rs.set_language("en")


def test_the_language_is_chosen_by_function_or_context():
    assert language() == "en"
    rs.set_language("zh_CN.UTF-8")
    assert (language(), tr("query")) == ("zh", "查询")
    with in_language("en"):
        assert tr("query") == "query"
    assert tr("query") == "查询"
    assert tr("") == ""  # which the catalogue has its own entry for


def test_an_unknown_language_is_refused(capsys):
    with pytest.raises(rs.UsageError, match="unknown language 'fr'. Known: en, zh."):
        rs.set_language("fr")
    assert main(["measures", "AP", "--lang", "fr"]) == 2
    assert "unknown language 'fr'" in capsys.readouterr().err
    assert main(["measures", "AP", "--lang"]) == 2
    assert "unknown language ''" in capsys.readouterr().err


@pytest.mark.parametrize("name", [None, 3, "", "C", ["zh"]])
def test_what_is_not_a_language_is_refused(name):
    with pytest.raises(rs.UsageError, match="unknown language .* Known: en, zh."):
        rs.set_language(name)
    assert language() == "en"


@pytest.mark.parametrize(
    ("words", "code", "out", "err"),
    [
        (
            ["-c", "import rankstone as rs; print(rs.RR)"],
            0,
            "RR\n",
            "UserWarning: RANKSTONE_LANG: ",
        ),
        (["-m", "rankstone", "measures", "RR"], 2, "", "rankstone: error: "),
    ],
    ids=["Python warns", "the command refuses"],
)
def test_an_unknown_language_of_the_environment(words, code, out, err):
    environment = {**os.environ, "RANKSTONE_LANG": "fr", "COVERAGE_PROCESS_START": ""}
    done = subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (code, out)
    assert f"{err}unknown language 'fr'. Known: en, zh." in done.stderr
    assert done.stderr.count("unknown language") == 1


def test_the_environment_chooses_the_language(monkeypatch, capsys):
    monkeypatch.setenv("RANKSTONE_LANG", "zh")
    assert main(["measures", "RR"]) == 0
    assert capsys.readouterr().out.startswith("RR: 倒数排名\n")
    assert main(["measures", "RR", "--lang", "en"]) == 0  # which counts for more
    assert capsys.readouterr().out.startswith("RR: Reciprocal rank\n")
    code = "import rankstone as rs; print(rs.RR)\nprint(rs.RR.__doc__.split()[1])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert shown.stdout.decode().split() == ["RR", "倒数排名"]


@pytest.mark.parametrize(
    "words", [["--lang", "zh", "measures", "RR"], ["measures", "RR", "--lang=zh"]]
)
def test_the_option_is_accepted_before_and_behind_the_command(words, capsys):
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("RR: 倒数排名\n")
    assert language() == "en"


def test_english_users_do_not_load_the_catalogue():
    code = (
        "import sys, rankstone as rs; rs.explain('RR', [0, 1]); "
        "print('gettext' in sys.modules and rs.measures.base.tr.__globals__['_lookup'] is not None)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert shown.stdout == b"False\n"


def test_an_explanation_in_chinese():
    with in_language("zh"):
        lines = str(rs.explain("RR", JUDGMENTS, RUN, query="q2")).splitlines()
    assert lines == [
        "RR: 倒数排名，查询 q2",
        "  RR = 1 / 第一篇相关文档的名次。它的均值就是 MRR。",
        "",
        "名次  文档  等级  相关    本项    累计",
        "────  ────  ────  ────  ──────  ──────",
        "   1  d9       -",
        "   2  d4       1    是  0.5000  0.5000",
        "",
        "前 2 篇文档中有 1 篇未标注（等级 -），不贡献分数。",
        "RR = 0.5",
        "约定：ties=docid-desc, no_relevant=zero",
    ]


def test_tables_are_as_wide_as_their_characters():
    with in_language("zh"):
        lines = str(rs.explain("nDCG@3", JUDGMENTS, RUN, query="q1")).splitlines()
    rule = next(line for line in lines if line.startswith("──"))
    assert width(lines[lines.index(rule) - 1]) == width(rule)


#: The keys of JSON whose values are texts for people; ``choices`` has a text for each value.
TEXTS = {
    "caution", "choices", "conventions", "family", "formula", "headline", "method", "pretty",
    "summary", "text", "title",
}  # fmt: skip


def _are_alike(english, chinese, key=""):
    """Return whether two outputs differ in nothing but texts that are Chinese in one of them."""
    if isinstance(english, dict):
        return list(english) == list(chinese) and all(
            _are_alike(own, chinese[name], key if key == "choices" else name)
            for name, own in english.items()
        )
    if isinstance(english, list):
        pairs = zip(english, chinese, strict=False)
        return len(english) == len(chinese) and all(_are_alike(*pair, key) for pair in pairs)
    is_text = key in TEXTS and isinstance(english, str) and not chinese.isascii()
    return english == chinese or is_text


@pytest.mark.parametrize(
    "words",
    [
        "evaluate {q} {a} {b} --format json --by {g} --interval --tie-interval",
        "evaluate {q} {a} --format jsonl --per-query",
        "evaluate {q} {a} {b} --format csv --by {g}",
        "compare {q} {a} {b} --format json --by {g}",
        "compare {q} {a} {b} --format tsv",
        "explain nDCG@10 {q} {a} --query q01 --format json",
        "measures --format json",
        "gate {q} {a} --baseline {b} --max-drop nDCG@10=0.01 --format json",
        "power {q} {a} {b} --format json",
        "agree {a} {b} --format json",
        "agree {q} {q} {a} {b} --format json",
        "agree {q} {q} {q} --format json",
        "agree {q} {a} {b} -m nDCG@10 -m AP --format json",
        "leaderboard {folder} --format json",
        "validate {q} {a} --format json",
        "reconcile nDCG@10 {q} {a} --value 0.43 --format json",
        "reconcile nDCG --grades 3,2,3,0,1,2 --value 0.932 --format json",
        "holes {q} {a} {b}",
        "fuse {a} {b} --explain q01",
        "pool {a} {b} --depth 3",
        "convert {q} - --to csv",
        "risk {q} {a}",
        "spans {spans} {chunks}",
        "trec_eval -q {q} {a}",
    ],
)
def test_numbers_ids_and_keys_do_not_change(words, capsys, tmp_path):
    words = words.format(**files(tmp_path)).split()
    outputs = []
    for name in ("en", "zh"):
        code = main([*words, *([] if words[0] == "trec_eval" else ["--lang", name])])
        text = capsys.readouterr().out.replace(f" --lang {name}", "")  # of a recorded command
        is_json = "json" in words or words[0] in ("measures", "leaderboard")
        parts = [text] if is_json else text.splitlines()
        outputs.append([code, [json.loads(p) if p[0] in "{[" else p for p in parts]])
    assert _are_alike(*outputs)
    if "json" not in words:
        assert outputs[0] == outputs[1]


def files(folder):
    """Return the files of commands by name, of which one is a folder of two collections."""
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "qrels.txt").symlink_to(os.path.abspath("examples/search/qrels.txt"))
        for run in ("bm25.run", "dense.run", "hybrid.run"):
            (folder / name / run).symlink_to(os.path.abspath(f"examples/search/{run}"))
    names = {
        "q": "qrels.txt",
        "a": "bm25.run",
        "b": "dense.run",
        "c": "hybrid.run",
        "g": "needs.tsv",
    }
    more = {"spans": "evidence.jsonl", "chunks": "chunks.jsonl", "bought": "bought.tsv"}
    return (
        {key: f"examples/search/{name}" for key, name in names.items()}
        | {key: f"examples/formats/{name}" for key, name in more.items()}
        | {"folder": str(folder)}
    )


@pytest.mark.parametrize(
    "words",
    [
        "evaluate {q} {a} {b} --format table --interval --tie-interval --unjudged-interval",
        "evaluate {q} {a} {b} --format table --by {g} --aggregate mean --aggregate geometric",
        "evaluate {q} {a} --format table --timing -m AP",
        "compare {q} {a} {b} --format table --by {g} --unjudged-interval",
        "compare {q} {a} {b} --format md --all-pairs --test tukey --correction none",
        "explain ERR {q} {a} {b} --query q01",
        "explain nDCG@10 {q} {a} --query q01 --format md",
        "gate {q} {a} --baseline {b} --max-drop nDCG@10=0.01 --non-inferior AP=0.1 --min RR=0.9 --by {g}",
        "power {q} {a} {b} -m nDCG@10",
        "agree {a} {b}",
        "agree {q} {q}",
        "agree {q} {q} {a} {b} {c}",
        "agree {q} {q} {q}",
        "agree {q} {a} {b} -m nDCG@10 -m AP",
        "validate {q} {a} {b}",
        "reconcile nDCG@10 {q} {a} --value 0.43",
        "reconcile nDCG --grades 3,2,3,0,1,2 --value 0.932",
        "measures",
        "measures --tools",
        "measures --tools nDCG --grades 3,2,0",
        "leaderboard {folder} --format table",
        "evaluate {q} {a} {b} {c} --format latex --interval",
        "evaluate {q} {a} --format table --trusted {q} --interval",
        "compare {q} {a} {b} {c} --format table --trusted {q}",
        "power {q} {a} {b} -m nDCG@10 --trusted {q} --difference 0.05",
        "explain AP {q} {a} {b} {c} --query q02",
        "explain AUC {q} {a} --query q02",
        "explain ids-look-alike",
        "explain RBP {q} {a} --query q02",
        "gate {q} {a} --baseline {b} --max-gain AP=0 --min-judged @10=1 --min-queries 90 --must-find q01:no@3",
        "gate {q} {a} --baseline {b} --max-drop AP=0 --format md",
        "holes {q} {a}",
        "spans {spans} {chunks} --format table",
        "measures --tools trec_eval-9",
        "measures --tools --diff trec_eval-9 ranx-0.3",
        "measures " + " ".join(m.name for m in rs.all_measures()),
        "--help",
        *(f"{name} --help" for name in COMMANDS if name != "trec_eval"),
        *(f"gate baseline {verb} --help" for verb in ("", "save", "accept", "show")),
    ],
)
def test_commands_say_no_sentence_in_english(words, capsys, tmp_path, missing):
    words = words.format(**files(tmp_path)).split()
    with suppress(SystemExit):  # after help
        main([*words, "--lang", "zh"])
    out, err = capsys.readouterr()
    spoken = re.sub(
        r"(?m)^(用法| {10,}\[).*$|'[^']*'|：query \w.*|文\s?献\s?：(.|\n)*?(?=\n\n)|rankstone gate examples|\$ .*|rrf of.*",
        "",
        out + err,
    )
    assert re.findall(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}\b", spoken) == []
    assert missing == set()
    assert any("一" <= character <= "鿿" for character in out + err)


def test_lines_end_between_characters_and_never_before_a_full_stop():
    text = "每篇文档的增益除以它的折损，再求和。This is English text, 然后继续用中文写下去。"
    for columns in range(12, 60):
        lines = wrapped(text, columns)
        assert all(width(line) <= columns for line in lines)
        assert all(line[0] not in "，。" for line in lines)
        assert "".join("".join(lines).split()) == "".join(text.split())


@pytest.fixture
def missing(monkeypatch):
    """Return the texts that are looked up and have no Chinese."""
    rs.set_language("zh")
    lookup = languages._lookup
    known, found = lookup.__self__._catalog, set()

    def recorded(text):
        is_english = text.isascii() or "…" in text
        if is_english and text not in known and not re.fullmatch(r"\d[\w.]*( \(\S+\))?", text):
            found.add(text)
        return lookup(text)

    monkeypatch.setattr(languages, "_lookup", recorded)
    yield found
    monkeypatch.undo()


def test_the_columns_of_explanations_have_their_chinese(missing):
    items = rs.Items(
        categories={"a": ["x"], "b": ["y"], "c": ["x", "y"]}, catalogue=["a", "b", "c"]
    )
    beside = {"items": items, "history": {"u": ["b"], "v": ["a", "b"]}}
    data = {"u": {"a": 1}}, {"u": ["c", "a"]}
    subtopics = ["examples/formats/intents.qrels", "examples/formats/intents.run"]
    columns = {}
    for measure in rs.all_measures():
        definition = measure.definition
        if definition.reads_items:
            with suppress(rs.RankstoneError):  # numbers of all lists together
                columns[measure] = rs.explain(measure, *data, query="u", **beside)
        elif definition.reads_subtopics:
            columns[measure] = rs.explain(measure, *subtopics, query="jaguar")
        else:
            with suppress(rs.RankstoneError):
                columns[measure] = rs.explain(measure, [2, 0, 1])
    assert len(columns) > 50
    assert all(str(working) for working in columns.values())
    assert missing == set()


def test_help_is_aligned(capsys):
    with suppress(SystemExit):
        main(["gate", "baseline", "save", "--help", "--lang", "zh"])
    first, second, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("用法： rankstone gate baseline save [-h]")
    assert width(first.partition("[")[0]) == width(second.partition("[")[0])
    assert [line for line in lines if line.endswith(":")] == []
    assert "位置参数：" in lines


def test_errors_are_english(capsys):
    words = "compare {q} {a} {b} --clusters {g} -m AP --lang zh"
    names = {"q": "qrels.txt", "a": "bm25.run", "b": "hybrid.run", "g": "needs.tsv"}
    paths = {key: f"examples/search/{name}" for key, name in names.items()}
    assert main(words.format(**paths).split()) == 3
    assert "error: 1 query without a cluster (q37)." in capsys.readouterr().err


def test_a_space_that_does_not_break_stays_on_its_line():
    assert wrapped("差异很小，p\u00a0=\u00a00.03。", 12) == ["差异很小，", "p\u00a0=\u00a00.03。"]


def test_a_saved_result_is_verified_in_another_language(tmp_path, capsys):
    path = tmp_path / "saved.json"
    words = ["evaluate", "examples/search/qrels.txt", "examples/search/bm25.run", "-m", "AP"]
    assert main([*words, "--format", "json", "--lang", "zh"]) == 0
    path.write_text(capsys.readouterr().out)
    assert main(["verify", str(path)]) == 0
    assert "verified" in capsys.readouterr().out
