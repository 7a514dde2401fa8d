"""A guard without clocks: instructions of the native kernels, objects and calls of the rest.

``tests/native/instructions.json`` holds the instructions for each row. After a change that is meant
to cost more or less, write it anew with ``python tests/repository/test_instruction_counts.py``.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[1] / "native"
BASELINE = NATIVE / "instructions.json"
CORE = NATIVE.parent.parent / "src" / "rankstone" / "_native"
KINDS = ("judgments", "ordered", "tied", "interleaved", "one-query")
SLACK = 1.3  # compilers differ by less

needed = [tool for tool in ("valgrind", "g++") if shutil.which(tool) is None]


def build(folder):
    program = f"{folder}/instructions"
    source = str(NATIVE / "instructions.cpp")
    flags = ["-std=c++20", "-O2", "-DNDEBUG", "-pthread", "-I", str(CORE)]
    subprocess.run(["g++", *flags, source, "-o", program], check=True)
    return program


def count(program, kind):
    """Return the instructions for each row."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += ["--toggle-collect=measured", program, kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]) / int(done.stdout)


@pytest.mark.skipif(bool(needed), reason=f"not installed: {', '.join(needed)}")
def test_native_kernels_take_no_more_instructions(tmp_path):
    program = build(tmp_path)
    baseline = json.loads(BASELINE.read_text())
    counts = {kind: count(program, kind) for kind in KINDS}
    assert {k: round(n) for k, n in counts.items() if n > SLACK * baseline[k]} == {}


def allocated_by(code):
    """Return how many Python objects a statement leaves behind."""
    script = f"import sys\n{code}\nbefore = sys.getallocatedblocks()\nkept = work()\n"
    script += "print(sys.getallocatedblocks() - before)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_judgments_in_a_file_are_not_objects(tmp_path):
    path = tmp_path / "qrels"
    path.write_text("".join(f"{q} 0 d{d} 1\n" for q in range(50) for d in range(200)))
    work = (
        "from rankstone.io.load import load_judgments\n"
        f"load_judgments({str(path)!r})\n"
        f"work = lambda: load_judgments({str(path)!r})"
    )
    assert allocated_by(work) < 1000


def test_judgments_in_dicts_are_not_copied_one_by_one():
    work = (
        "from rankstone.io.load import load_judgments\n"
        "data = {str(q): {f'd{d}': 1 for d in range(200)} for q in range(50)}\n"
        "load_judgments(data)\n"
        "work = lambda: load_judgments(data)"
    )
    assert allocated_by(work) < 1000


def test_the_command_loads_no_more_modules(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1.0 t\n")
    script = (
        "import sys, numpy\n"
        "before = set(sys.modules)\n"
        "from rankstone.cli import main\n"
        "main(['evaluate', 'qrels', 'run', '-m', 'nDCG@10'])\n"
        "built_in = set(sys.builtin_module_names)\n"
        "print(*sorted(set(sys.modules) - before - built_in), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    modules = done.stderr.split()
    assert len(modules) <= json.loads(BASELINE.read_text())["modules"], modules


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work_folder:
        made = build(work_folder)
        written = {kind: round(count(made, kind)) for kind in KINDS}
    written["modules"] = (
        int(os.environ.get("MODULES", "0")) or json.loads(BASELINE.read_text())["modules"]
    )
    BASELINE.write_text(json.dumps(written, indent=1) + "\n")
