"""The example that goes from 30 questions to a gate, step by step in an empty folder."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankstone.cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "rag"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the example without what its steps make."""
    made = ("results.jsonl", "baseline.json", "__pycache__")
    shutil.copytree(EXAMPLE, tmp_path / "rag", ignore=shutil.ignore_patterns(*made))
    monkeypatch.chdir(tmp_path / "rag")
    return tmp_path / "rag"


def retrieve(folder, target, program="retrieve.py"):
    done = subprocess.run(
        [sys.executable, program, "questions.jsonl", "chunks.jsonl"],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    (folder / target).write_text(done.stdout)


SAVE = "gate baseline save baseline.json questions.jsonl results.jsonl -m R@3 nDCG@5 Silence"
SILENCE = ["-c", "no_relevant=silence", "--quiet"]


def test_the_steps_lead_to_a_gate(folder, capsys):
    assert len((folder / "questions.jsonl").read_text().splitlines()) == 30
    retrieve(folder, "results.jsonl")
    assert (folder / "results.jsonl").read_text() == (EXAMPLE / "results.jsonl").read_text()
    assert main([*SAVE.split(), *SILENCE]) == 0
    made, kept = (json.loads((f / "baseline.json").read_text()) for f in (folder, EXAMPLE))
    assert made.keys() == kept.keys()
    retrieve(folder, "new.jsonl")
    yaml = pytest.importorskip("yaml", reason="recipes are read with PyYAML")
    steps = yaml.safe_load((folder / "github.yml").read_text())["jobs"]["gate"]["steps"]
    (gate,) = (step["with"] for step in steps if "with" in step)
    capsys.readouterr()
    words = ["gate", gate["judgments"], gate["run"], *gate["options"].split(), "-o", "gate.md"]
    assert main(words) == 0
    # Nothing changed; 30 questions cannot promise a drop of less than 0.03.
    verdict = (folder / "gate.md").read_text()
    assert "CANNOT TELL" in verdict
    assert "R@3 is as before (0.8333); no query changed" in verdict


def test_the_gate_of_the_example_stops_a_worse_retriever(folder, capsys):
    """Without word stems, and with one result for each question."""
    shutil.copy(EXAMPLE / "baseline.json", folder)
    code = (folder / "retrieve.py").read_text()
    worse, n = re.subn(
        r"DEPTH = 5|word\[:5\]", lambda m: m[0].replace("5", "1").replace("[:1]", ""), code
    )
    assert n == 2
    (folder / "worse.py").write_text(worse)
    retrieve(folder, "new.jsonl", "worse.py")
    assert main(["gate", "questions.jsonl", "new.jsonl", *SILENCE]) == 1
    assert "R@3 is worse by" in capsys.readouterr().out


def test_a_retriever_that_is_never_silent_fails_the_gate(folder, capsys):
    shutil.copy(EXAMPLE / "baseline.json", folder)
    code = (folder / "retrieve.py").read_text().replace("MIN_SCORE = 3.0", "MIN_SCORE = 0.0")
    (folder / "loud.py").write_text(code)
    retrieve(folder, "new.jsonl", "loud.py")
    assert main(["gate", "questions.jsonl", "new.jsonl", *SILENCE]) == 1
    assert "Silence" in capsys.readouterr().out
