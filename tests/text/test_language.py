"""Texts in Chinese: the same numbers, ids and keys."""

# ruff: noqa: RUF001

import json
import re
import subprocess
import sys
from contextlib import suppress

import pytest

import rankstone as rs
from rankstone.cli import main
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


def _are_alike(english, chinese):
    """Return whether two outputs differ in nothing but texts that are Chinese in one of them."""
    if isinstance(english, dict):
        return list(english) == list(chinese) and _are_alike(
            [*english.values()], [*chinese.values()]
        )
    if isinstance(english, list):
        return len(english) == len(chinese) and all(map(_are_alike, english, chinese))
    is_translated = isinstance(chinese, str) and not chinese.isascii()
    return english == chinese or (isinstance(english, str) and is_translated)


@pytest.mark.parametrize(
    "words",
    [
        "evaluate {q} {a} {b} --format json",
        "evaluate {q} {a} --format jsonl --per-query",
        "compare {q} {a} {b} --format json",
        "explain nDCG@10 {q} {a} --query q01 --format json",
        "measures --format json",
        "gate {q} {a} --baseline {b} --max-drop nDCG@10=0.01 --format json",
        "validate {q} {a} --format json",
        "reconcile nDCG@10 {q} {a} --value 0.43 --format json",
        "holes {q} {a} {b}",
        "compare {q} {a} {b} --format tsv",
    ],
)
def test_numbers_ids_and_keys_do_not_change(words, capsys):
    names = {"q": "qrels.txt", "a": "bm25.run", "b": "dense.run"}
    words = words.format(**{key: f"examples/search/{name}" for key, name in names.items()}).split()
    outputs = []
    for name in ("en", "zh"):
        code = main([*words, "--lang", name])
        text = capsys.readouterr().out.replace(
            f" --lang {name}", ""
        )  # in the command that is recorded
        parts = [text] if "json" in words else text.splitlines()
        outputs.append([code, [json.loads(p) if p[0] in "{[" else p for p in parts]])
    assert _are_alike(*outputs)
    if "json" not in words:
        assert outputs[0] == outputs[1]


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
        "agree {q} {a} {b} -m nDCG@10 -m AP",
        "validate {q} {a} {b}",
        "reconcile nDCG@10 {q} {a} --value 0.43",
        "reconcile nDCG --grades 3,2,3,0,1,2 --value 0.932",
        "measures",
        "measures --tools",
        "measures --tools nDCG --grades 3,2,0",
        "evaluate --help",
        "gate baseline save --help",
    ],
)
def test_commands_say_no_sentence_in_english(words, capsys):
    names = {"q": "qrels.txt", "a": "bm25.run", "b": "dense.run", "g": "needs.tsv"}
    words = words.format(**{key: f"examples/search/{name}" for key, name in names.items()}).split()
    with suppress(SystemExit):  # after help
        main([*words, "--lang", "zh"])
    out, err = capsys.readouterr()
    spoken = re.sub(r"(?m)^(用法| {10,}\[).*$|'[^']*'|：query \w.*", "", out + err)
    assert re.findall(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}\b", spoken) == []
    assert any("一" <= character <= "鿿" for character in out + err)


def test_lines_end_between_characters_and_never_before_a_full_stop():
    text = "每篇文档的增益除以它的折损，再求和。This is English text, 然后继续用中文写下去。"
    for columns in range(12, 60):
        lines = wrapped(text, columns)
        assert all(width(line) <= columns for line in lines)
        assert all(line[0] not in "，。" for line in lines)
        assert "".join("".join(lines).split()) == "".join(text.split())
