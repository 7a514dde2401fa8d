"""The first change that CONTRIBUTING.md shows works as it is written there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Your first change\n")[2].partition("\n## ")[0]


def block(language, number):
    return re.findall(rf"^```{language}\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)[number]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The sources with the new file and the new line, and the core that is installed."""
    folder = tmp_path_factory.mktemp("first-change")
    package = folder / "src" / "rankstone"
    shutil.copytree(ROOT / "src" / "rankstone", package, ignore=shutil.ignore_patterns("*.so"))
    core = find_spec("rankstone._native._core")
    if core is not None:
        shutil.copy(core.origin, package / "_native")
    (path,) = re.findall(r"Write `(.+?)`:", SECTION)
    (folder / path).write_text(block("python", 0), encoding="utf-8")
    (init,) = re.findall(r"among the imports of `(.+?)`", SECTION)
    with (folder / init).open("a", encoding="utf-8") as file:
        file.write(block("text", 0))
    # An editable installation finds its own sources before those of PYTHONPATH.
    (folder / "src" / "sitecustomize.py").write_text(
        "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if 'Redirecting' not in str(f)]\n"
    )
    return folder / "src"


def run(sources, line):
    """Run a line of the page with the changed sources."""
    _, *arguments = shlex.split(line)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(sources)},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )


def test_the_commands_of_the_first_change_print_what_the_page_says(sources):
    explain, measures, _ = block("sh", 1).splitlines()
    done = run(sources, explain)
    assert done.returncode == 0, done.stderr
    assert block("text", 1).strip() in done.stdout.splitlines()
    manual = run(sources, measures)
    assert manual.returncode == 0, manual.stderr
    assert "The mean grade of the first k documents." in manual.stdout


def test_the_contract_tests_take_the_new_measure_without_an_edit(sources):
    done = run(sources, block("sh", 1).splitlines()[2] + " -q -p no:cacheprovider")
    assert done.returncode == 0, done.stdout[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= 5
