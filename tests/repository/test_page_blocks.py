"""Blocks of pages that show no output are run too, on data of the names they use."""

import json
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from _site.command_pages import parsers

import rankstone as rs
from rankstone.cli import main
from rankstone.verbs.gate.rules import Settings

ROOT = Path(__file__).resolve().parents[2]
SEARCH = ROOT / "examples" / "search"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]


def blocks(page):
    """Yield the language and the text of the blocks whose output no other test compares."""
    text = page.read_text(encoding="utf-8")
    walk = r"^## Your first change\n.*?(?=^## )"  # test_first_change.py follows it
    text = re.sub(walk, "", text, flags=re.DOTALL | re.MULTILINE)
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if language != "console" and ">>>" not in block:
            yield language, block


BLOCKS = [(page.name, *block) for page in PAGES for block in blocks(page)]
LINES = [
    (page, line.strip())
    for page, language, block in BLOCKS
    if language in ("", "sh")
    for line in block.replace("\\\n", " ").splitlines()
]
COMMANDS = [(page, line) for page, line in LINES if line.startswith("rankstone ")]
PYTHON = [
    (page, block)
    for page, language, block in BLOCKS
    if language == "python" and "rankstone import spark" not in block  # test_spark.py runs these
]


@pytest.fixture
def work(tmp_path, monkeypatch, capsys):
    """A folder with the files that the blocks name."""
    monkeypatch.chdir(tmp_path)
    Path("search").mkdir()
    for name in ("qrels.txt", "bm25.run", "dense.run"):
        shutil.copy(SEARCH / name, name)
    for name, source in {
        "qrels.txt": "qrels.txt",
        "old.run": "bm25.run",
        "new.run": "hybrid.run",
    }.items():
        shutil.copy(SEARCH / source, Path("search") / name)
    for name in ("bm25", "dense"):
        assert main(["trec_eval", "-q", "qrels.txt", f"{name}.run"]) == 0
        Path(f"{name}.eval").write_text(capsys.readouterr().out)
        result = rs.evaluate("qrels.txt", f"{name}.run", ["nDCG@10", "AP"])
        result.save(f"{name}.json")
        _write_parquet(result, Path("values") / name)
    assert main(["gate", "baseline", "save", "search/baseline.json", "qrels.txt", "bm25.run"]) == 0
    for name in ("questions.jsonl", "results.jsonl"):
        shutil.copy(ROOT / "examples" / "rag" / name, name)
    rag = ["questions.jsonl", "results.jsonl", "-m", "R@3", "-c", "no_relevant=silence"]
    assert main(["gate", "baseline", "save", "baseline.json", *rag]) == 0
    return tmp_path


def _write_parquet(result, folder):
    """Write the values of queries as the Spark engine does, in parts."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    folder.mkdir(parents=True)
    columns = {name: result.values(name) for name in result.measures}
    table = pa.table({"query": result.queries, **columns})
    for i in range(2):
        pq.write_table(table.slice(20 * i, 20), folder / f"part-{i}.parquet")


def test_there_are_blocks():
    assert len(COMMANDS) > 5
    assert len(PYTHON) > 3


@pytest.mark.parametrize(("page", "command"), COMMANDS, ids=[c for _, c in COMMANDS])
def test_commands_without_output_work(page, command, work):
    words = shlex.split(command.split(" > ")[0], comments=True)[1:]
    if "s3a:" in command:  # a cluster is needed: the options have to exist
        parsers()[words[0]].parse_args(words[1:])
    else:
        if words[:3] == ["gate", "baseline", "save"]:
            (work / words[3]).unlink(missing_ok=True)
        if words[0] == "report":
            pytest.importorskip("vl_convert")
        assert main(words) == 0


def inline(page):
    """Yield the code within the sentences and tables of a page."""
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    yield from (" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text))


def known_options():
    """The options of each command."""
    return {name: {*parser._option_string_actions} for name, parser in parsers().items()}


def test_commands_within_sentences_exist_with_their_options():
    options = known_options()
    named = [(page.name, code) for page in PAGES for code in inline(page)]
    commands = [(page, code) for page, code in named if code.startswith("rankstone ")]
    assert len(commands) > 20
    for page, code in commands:
        name, *words = code.split()[1:]
        if name == "trec_eval" or name == "COMMAND" or name.startswith("-"):
            continue
        assert name in options, f"{page}: {code}"
        used = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert used <= options[name] | {"--lang"}, f"{page}: {code}"


def test_long_options_within_sentences_exist():
    of_others = {"--py-files", "--archives"}  # of spark-submit
    of_trec_eval = {"--compat", "--lenient"}
    of_all = {"--lang"}  # before or after the name of a command
    known = set().union(of_others, of_trec_eval, of_all, *known_options().values())
    for page in PAGES:
        if page.parent.name == "docs":
            for code in inline(page):
                used = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", code))
                if used and code.startswith("python "):  # one of this repository's own scripts
                    used -= options_of(code.split()[1])
                assert used <= known, f"{page.name}: {code}"


def options_of(script):
    return set(re.findall(r'"(--[\w-]+)"', (ROOT / script).read_text(encoding="utf-8")))


def is_record(line):
    """Say whether a line of JSON is in the example that the page describes."""
    shown = json.loads(line)
    for name in ("questions.jsonl", "results.jsonl"):
        for row in map(json.loads, (ROOT / "examples" / "rag" / name).read_text().splitlines()):
            cut = {
                k: row.get(k, [])[: len(v)] if isinstance(v, list) else row.get(k)
                for k, v in shown.items()
            }
            if cut == shown and row.keys() == shown.keys():
                return True
    return False


def test_every_other_line_of_a_block_names_what_exists():
    """A line that this test does not know fails, so that none escapes."""
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    elsewhere = ("job/bin/venv-pack ", "spark-submit ")  # programs of others
    for page, text in LINES:
        line = text.partition("  #")[0].strip()
        if not line or line.startswith(("rankstone ", *elsewhere)):
            continue
        where = f"{page}: {line}"
        words = [word for word in shlex.split(line) if "/bin/" not in word]
        if line.startswith("{"):
            assert is_record(line), where
        elif line.startswith("make "):
            assert words[1] in targets, where
        elif "pip install" in line:
            assert set(re.findall(r"\[(\w+)\]", line)) <= {*extras}, where
        else:
            assert re.match(r"(\S+/)?(python|pytest) ", line), where
            scripts = [word for word in words if word.endswith(".py")]
            assert scripts
            assert all((ROOT / script).is_file() for script in scripts), where
            if "pytest" not in line:
                used = {word for word in words if word.startswith("--")}
                assert used <= options_of(scripts[0]), where


def module(**members):
    made = ModuleType("stand-in")
    vars(made).update(members)
    return made


def gather(states, state):
    states[0] = state


class Bag(list):
    """A bag of Dask, in this process."""

    def map(self, function):
        return Bag(map(function, self))

    def compute(self):
        return list(self)


@pytest.fixture
def names(work, monkeypatch):
    """What the blocks of Python use: data, and libraries of clusters that work in this process."""
    rows = Path("bm25.run").read_text().splitlines(keepends=True)
    for name, later in (("first.run", False), ("second.run", True)):
        Path(name).write_text("".join(row for row in rows if (row >= "q20") == later))
    group = module(get_world_size=lambda: 1, all_gather_object=gather)
    ray = module(remote=lambda function: SimpleNamespace(remote=function), get=list)
    dask = module(bag=module(from_sequence=lambda items, npartitions: Bag(items)))
    for name, made in {"torch": module(distributed=group), "ray": ray, "dask": dask}.items():
        monkeypatch.setitem(sys.modules, name, made)
    monkeypatch.setitem(sys.modules, "torch.distributed", group)
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    labels, features = np.array([1, 0, 2.0]), np.array([0.2, 0.7, 0.4])
    return {
        "rs": rs,
        "paths": ["first.run", "second.run"],
        "loader": [(["a"] * 3, labels, features), (["b"] * 3, labels[::-1], features)],
        "model": lambda features: features,
    }


@pytest.mark.parametrize(("page", "block"), PYTHON, ids=[b.split("\n")[0] for _, b in PYTHON])
def test_python_without_output_works(page, block, names):
    code = compile(block, page, "exec")
    exec(code, names)
    if "Evaluator(measures" in block:
        assert sorted(names["total"].result().queries) == ["a", "b"]
    elif "evaluate_shard" in block:
        whole = rs.evaluate("qrels.txt", "bm25.run", ["nDCG@10"])
        assert names["total"].result().per_query == whole.per_query
    elif "FORMAT = " in block:  # test_architecture.py reads a file with it
        assert names["FORMAT"].name == "arrows"
    else:
        assert hasattr(sys.modules["pytrec_eval"], "RelevanceEvaluator")


def test_settings_on_pages_are_settings(tmp_path):
    tables = [(page, block) for page, language, block in BLOCKS if language == "toml"]
    assert tables
    for page, block in tables:
        path = tmp_path / "rankstone.toml"
        path.write_text(block, encoding="utf-8")
        if "[collections." in block:  # of a leaderboard, whose files are not there
            with pytest.raises(rs.DataError, match=r"no file matches 'nq/\*.run'"):
                rs.leaderboard(path)
        else:
            assert Settings.read(str(path)), page
