"""Blocks of pages that show no output are run too, on data of the names they use."""

import re
import shlex
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from _site.command_pages import parsers

import rankstone as rs
from rankstone.cli import main
from rankstone.gates.settings import read_settings

ROOT = Path(__file__).resolve().parent.parent
SEARCH = ROOT / "examples" / "search"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page):
    """Yield the language and the text of the blocks whose output no other test compares."""
    text = page.read_text(encoding="utf-8")
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if language != "console" and ">>>" not in block:
            yield language, block


BLOCKS = [(page.name, *block) for page in PAGES for block in blocks(page)]
COMMANDS = [
    (page, command.strip())
    for page, _, block in BLOCKS
    for command in block.replace("\\\n", " ").splitlines()
    if command.startswith("rankstone ")
]
PYTHON = [(page, block) for page, language, block in BLOCKS if language == "python"]


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
    assert main(["baseline", "save", "search/baseline.json", "qrels.txt", "bm25.run"]) == 0
    for name in ("questions.jsonl", "results.jsonl"):
        shutil.copy(ROOT / "examples" / "rag" / name, name)
    rag = ["questions.jsonl", "results.jsonl", "-m", "R@3", "-c", "no_relevant=silence"]
    assert main(["baseline", "save", "baseline.json", *rag]) == 0
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
        if words[:2] == ["baseline", "save"]:
            (work / words[2]).unlink(missing_ok=True)
        if words[0] in ("report", "plot"):
            pytest.importorskip("vl_convert")
        assert main(words) == 0


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
    if "engines import spark" in block:  # the tests of the engine call each of these
        spark = pytest.importorskip("rankstone.engines.spark", exc_type=ImportError)
        used = set(re.findall(r"done\.(\w+)", block))
        assert used or "evaluate_lists" in block
        assert used <= {*dir(spark.SparkEvaluation), *spark.SparkEvaluation.__annotations__}
        return
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
        assert read_settings(str(path)), page
