"""Ids of any content: they cannot steer a terminal, nor forge a row, and tables read back."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import rankstone as rs
from rankstone.cli import main
from rankstone.core.text import escape_field, unescape_field
from rankstone.errors import Notice, printable
from rankstone.io.query_values import read_query_values
from rankstone.text.results import Layout, write

HOSTILE = [
    "\x1b[2J\x1b]0;title\x07",
    "a\nrankstone: error: forged",
    "a\tb",
    "\rb",
    "\u202egro.live",
    "\u2066x\u2069",
    "\x9b31m",
    "a\u2028b",
    "\udc9b31m",
]


def is_harmless(text):
    """Whether a text holds nothing that steers a terminal, breaks a line or turns direction."""
    kinds = {unicodedata.category(c) for c in text.replace("\n", "")}
    return not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text())
def test_what_is_printable_is_harmless(text):
    assert is_harmless(printable(text))
    assert "\n" not in printable(text)
    assert printable(text).isprintable()


def test_what_is_printable_stays():
    assert printable("d1 日本 é \\ 'x'") == "d1 日本 é \\ 'x'"
    assert printable("a\x1bb\u202ec\udcffd") == "a\\x1bb\\u202ec\\xffd"


@pytest.mark.parametrize("id_", HOSTILE, ids=ascii)
def test_messages_quote_ids_printably(id_):
    assert str(Notice("code", 1, f"text {id_}", (id_,))).isprintable()
    assert str(rs.DataError(id_)).isprintable()


@pytest.mark.parametrize("id_", HOSTILE, ids=ascii)
@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "-q", "--format", "table", "-m", "RR"],
        ["evaluate", "-q", "--format", "md", "-m", "RR"],
        ["evaluate", "-q", "--format", "latex", "-m", "RR"],
        ["evaluate", "-q", "--format", "tsv", "-m", "RR"],
        ["evaluate", "-q", "--format", "csv", "-m", "RR"],
        ["validate"],
        ["explain", "nDCG@10"],
        ["explain", "nDCG@10", "--format", "md"],
        ["holes", "tsv"],
        ["pool", "tsv"],
    ],
    ids=" ".join,
)
def test_nothing_of_an_id_reaches_the_terminal(tmp_path, monkeypatch, capsys, command, id_):
    monkeypatch.chdir(tmp_path)
    # JSON holds ids of any content; a lone surrogate is not valid there.
    if "\udc9b" in id_:
        for name, line in (("qrels.json", "{} 0 {} 1\n"), ("run.json", "{} Q0 {} 1 1 t\n")):
            Path(name).write_bytes(line.format(id_, id_).encode("utf-8", "surrogateescape"))
        if "tsv" in command or "csv" in command:
            pytest.skip("bytes that are not UTF-8 leave as they came in")
    else:
        judged = {id_: {id_: 1, f"{id_}2": 0}, f"{id_}3": {id_: 1}}
        Path("qrels.json").write_text(json.dumps(judged))
        Path("run.json").write_text(
            json.dumps({id_: {id_: 2.0, f"{id_}4": 1.0}, f"{id_}5": {"d": 1}})
        )
    if command[0] == "explain":
        words = [*command[:2], "qrels.json", "run.json", "--query", id_, *command[2:]]
    elif command[0] == "holes":
        words = ["holes", "qrels.json", "run.json", "run.json"]
    elif command[0] == "pool":
        words = ["pool", "run.json"]
    else:
        words = [command[0], "qrels.json", "run.json", *command[1:]]
    code = main(words)
    out, err = capsys.readouterr()
    assert code == (command == ["validate"] and "\udc9b" not in id_), err
    assert is_harmless(out.replace("\t", "") if "tsv" in command else out)
    assert is_harmless(err)
    assert "forged" not in {line[17:] for line in (out + err).splitlines()}


@pytest.mark.parametrize("id_", [h for h in HOSTILE if "\udc9b" not in h], ids=ascii)
@pytest.mark.parametrize(
    "command",
    [["compare", "-m", "RR"], ["holes"], ["explain", "AP"], ["trec_eval", "-q", "-m", "runid"]],
    ids=" ".join,
)
def test_nothing_of_the_name_of_a_run_reaches_the_terminal(
    tmp_path, monkeypatch, capsys, command, id_
):
    monkeypatch.chdir(tmp_path)
    judged = {f"{id_}{i}": {f"{id_}{j}": j % 2 for j in range(4)} for i in range(6)}
    Path("qrels.json").write_text(json.dumps(judged))
    names = ["a.json", f"b{id_}.json"]
    for i, name in enumerate(names):
        run = {q: {f"{id_}{j}": float(j * (i or -1)) for j in range(6)} for q in judged}
        Path(name).write_text(json.dumps(run))
    words = {
        "explain": [*command, "qrels.json", *names, "--query", f"{id_}1"],
        "trec_eval": [*command, "qrels.json", names[1]],
    }.get(command[0], [command[0], "qrels.json", *names, *command[1:]])
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert is_harmless(out.replace("\t", "") + err)
    assert "rankstone: error: forged" not in {line[:24] for line in out.splitlines()}


ids = st.text(min_size=1).filter(lambda t: t not in ("all", "amean"))


@given(st.text())
def test_fields_read_back(text):
    field = escape_field(text)
    assert unescape_field(field) == text
    assert field == field.strip()
    assert len(field.splitlines()) <= 1
    assert "\t" not in field


@pytest.mark.parametrize("form", ["tsv", "csv"])
@given(queries=st.lists(ids, min_size=1, max_size=5, unique=True), name=ids)
def test_tables_read_back(form, queries, name):
    queries = [q for q in queries if q.isascii() or not any(0xD800 <= ord(c) < 0xE000 for c in q)]
    if not queries:
        return
    judged = {query: {"d": 1} for query in queries}
    run = {query: ["e"] * i + ["d"] for i, query in enumerate(queries)}
    result = rs.evaluate(judged, run, ["RR"], name=name)
    content = "".join(f"{line}\n" for line in write([result], form, Layout(per_query=True)))
    values = read_query_values(content.encode("utf-8", "surrogateescape"), "values", bool)
    assert values == {name: result.per_query}


@pytest.mark.parametrize("first", "=+-@'")
def test_a_spreadsheet_runs_no_id(first):
    result = rs.evaluate({f"{first}1": {"d": 1}}, {f"{first}1": ["d"]}, ["RR"])
    line = list(write([result], "csv", Layout(per_query=True)))[1]
    assert line == f"run,'{first}1,1"


def test_other_ids_are_written_as_they_are():
    result = rs.evaluate({"a=1 b": {"d": 1}}, {"a=1 b": ["d"]}, ["RR"])
    for form, between in (("csv", ","), ("tsv", "\t")):
        assert (
            list(write([result], form, Layout(per_query=True)))[1] == f"run{between}a=1 b{between}1"
        )


@pytest.mark.parametrize("half", [0xD83D, 0xDFFF, 0xDC9B], ids=hex)
def test_half_of_a_character_in_ids_in_memory(tmp_path, half):
    half = chr(half)
    run = tmp_path / "b.run"
    run.write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    judged = {"q": {half: 2, "b": 1}, half: {"b": 1}}
    assert rs.evaluate(judged, run, "RR").per_query == {"q": {"RR": 0.5}, half: {"RR": 0.0}}
    both = rs.evaluate(judged, {"q": {half: 2.0, "b": 1.0}, half: {"b": 1.0}}, "nDCG")
    assert both.per_query == {"q": {"nDCG": 1.0}, half: {"nDCG": 1.0}}
    page = rs.report(judged, {"file": run, "dict": {"q": [half]}}, "RR", pictures=False)
    assert len({*page.model.rankings.documents}) == 3
    assert page.to_html()
