"""The recipes in examples/gate, run as far as one can without the service."""

import functools
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankstone.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RECIPES, SEARCH = EXAMPLES / "gate", EXAMPLES / "search"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="recipes are run by bash")


def changed(name):
    """Return bm25's run as a candidate: better, noise, or a real regression."""
    rows = [line.split() for line in (SEARCH / "bm25.run").read_text().splitlines()]
    if name == "noise":  # every seventh document moves up a little
        for i, row in enumerate(rows):
            row[4] = str(float(row[4]) + 0.01 * (i % 7 == 0))
    elif name == "worse":  # the first ten documents of every query are in reverse order
        for row in rows:
            if int(row[3]) <= 10:
                row[4] = str(1000 + int(row[3]))
    return "".join(" ".join(row) + "\n" for row in rows)


CANDIDATES = {
    "noise": (changed("noise"), 0),
    "worse": (changed("worse"), 1),
    "empty": ("", 1),
}


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    """A baseline file."""
    path = tmp_path_factory.mktemp("baseline") / "baseline.json"
    files = [str(path), str(SEARCH / "qrels.txt"), str(SEARCH / "bm25.run")]
    assert main(["gate", "baseline", "save", *files, "-m", "nDCG@10", "--quiet"]) == 0
    return path


@pytest.fixture
def repository(tmp_path, baseline):
    """A repository as the recipes expect it, and the environment of a build."""
    tools, work = tmp_path / "tools", tmp_path / "work"
    (work / "search").mkdir(parents=True)
    tools.mkdir()
    program(tools / "rankstone", f'exec {sys.executable} -m rankstone "$@"')
    program(tools / "pip", "exit 0")  # it is installed
    for path in (SEARCH / "qrels.txt", baseline):
        shutil.copy(path, work / "search")
    shutil.copy(SEARCH / "bm25.run", work / "search" / "old.run")
    shutil.copy(RECIPES / "rankstone.toml", work)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(work / "summary.md"),
        "GITHUB_OUTPUT": str(work / "output"),
        "RUNNER_TEMP": str(tmp_path),
    }
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        environment.pop(name, None)

    def call(script):
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=work, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return work, call


def program(path, body):
    path.write_text(f"#!/usr/bin/env bash\n{body}\n")
    path.chmod(0o755)


def search(work, name):
    """Make the repository's search give a candidate."""
    (work / "candidate").write_text(CANDIDATES[name][0])
    program(work / "search.sh", "cat candidate")


def yaml_of(name):
    yaml = pytest.importorskip("yaml", reason="recipes are read with PyYAML")
    return yaml.safe_load((RECIPES / name).read_text())


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_the_github_workflow(repository, candidate):
    work, call = repository
    search(work, candidate)
    steps = yaml_of("github.yml")["jobs"]["gate"]["steps"]
    scripts = {step["name"]: step["run"] for step in steps if "run" in step}
    (given,) = (step["with"] for step in steps if "with" in step)
    assert list(scripts) == ["Search"]
    assert call(scripts["Search"]).returncode == 0
    _, gate = action_steps(given)
    done = call(gate)
    assert done.returncode == CANDIDATES[candidate][1], done.stderr
    assert (work / "summary.md").read_text().startswith("### ")
    assert (work / "gate.xml").exists()
    verdict = (work / "output").read_text().removeprefix("verdict=").strip()
    assert Path(verdict).read_text() == (work / "summary.md").read_text()


def action_steps(given, root=EXAMPLES.parent):
    """Return the scripts of the action's steps, with what is given to it in their environment."""
    action = yaml_of("../../action.yml")
    assert given.keys() <= action["inputs"].keys()
    assert {n for n, about in action["inputs"].items() if about.get("required")} <= given.keys()
    values = {
        f"inputs.{n}": given.get(n, about.get("default", ""))
        for n, about in action["inputs"].items()
    }
    values["github.action_path"] = str(root)
    scripts = []
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        own = {name: values[text.strip("${} ")] for name, text in step["env"].items()}
        lines = [f"export {name}={shlex.quote(str(value))}" for name, value in own.items()]
        scripts.append("\n".join([*lines, step["run"]]))
    return scripts


@pytest.mark.slow
def test_the_action_in_a_clean_environment_without_a_compiler(tmp_path, baseline, request):
    """The steps as GitHub runs them, with a checkout and no compiler: the pure-Python engine serves."""
    if not request.config.getoption("--thorough"):
        pytest.skip("part of 'make test-all'")
    checkout, work, tools = tmp_path / "checkout", tmp_path / "work", tmp_path / "tools"
    for folder in (checkout, work / "search", tools):
        folder.mkdir(parents=True)
    root = EXAMPLES.parent
    names = ["pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "src", "examples"]
    for name in names:
        if (root / name).is_dir():
            ignored = shutil.ignore_patterns("*.so", "__pycache__")
            shutil.copytree(root / name, checkout / name, ignore=ignored)
        else:
            shutil.copy(root / name, checkout)
    for path in (SEARCH / "qrels.txt", baseline):
        shutil.copy(path, work / "search")
    shutil.copy(RECIPES / "rankstone.toml", work)
    (work / "search" / "new.run").write_text(changed("worse"))
    for name in ("bash", "cat", "env", "sh", "uname"):
        (tools / name).symlink_to(shutil.which(name))
    (tools / "python3").symlink_to(
        os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    )
    environment = {"PATH": str(tools), "HOME": str(tmp_path), "RUNNER_TEMP": str(tmp_path)}
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_PATH", "GITHUB_OUTPUT"):
        environment[name] = str(work / name)
    environment |= {n: v for n, v in os.environ.items() if n.startswith(("PIP_", "UV_", "SSL_"))}
    install, gate = action_steps(
        {"judgments": "search/qrels.txt", "run": "search/new.run"}, checkout
    )
    run = functools.partial(
        subprocess.run, cwd=work, capture_output=True, text=True, timeout=540, check=False
    )
    done = run(["bash", "-eo", "pipefail", "-c", install], env=environment)
    assert done.returncode == 0, done.stderr
    environment["PATH"] = (work / "GITHUB_PATH").read_text().strip() + os.pathsep + str(tools)
    done = run(["bash", "-eo", "pipefail", "-c", gate], env=environment)
    assert done.returncode == 1, done.stderr
    assert "FAIL" in (work / "GITHUB_STEP_SUMMARY").read_text()


@pytest.mark.parametrize("candidate", ["noise", "worse"])
def test_the_gitlab_job(repository, candidate):
    work, call = repository
    search(work, candidate)
    job = yaml_of("gitlab.yml")["search quality"]
    done = call("\n".join(job["script"]))
    assert done.returncode == CANDIDATES[candidate][1], done.stderr
    assert (work / job["artifacts"]["reports"]["junit"]).exists()
    assert all((work / path).exists() for path in job["artifacts"]["paths"])


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_the_makefile(repository):
    work, call = repository
    search(work, "worse")
    shutil.copy(RECIPES / "Makefile", work)
    done = call("make gate")
    assert done.returncode != 0
    assert "\nFAIL: new against bm25" in done.stdout
    done = call('make accept REASON="we live with it" && make gate')
    assert done.returncode == 0, done.stdout
    assert "we live with it" in (work / "search" / "baseline.json").read_text()


@pytest.mark.parametrize("candidate", ["noise", "worse"])
def test_the_pre_commit_hook(repository, candidate):
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    work, call = repository
    search(work, candidate)
    shutil.copy(RECIPES / "pre-commit.yaml", work / ".pre-commit-config.yaml")
    setup = call(
        "./search.sh > search/new.run; git init -q .; git add .; "
        f"PRE_COMMIT_HOME=$PWD/home {sys.executable} -m pre_commit run --all-files"
    )
    assert setup.returncode == CANDIDATES[candidate][1], setup.stdout + setup.stderr
    assert "search quality" in setup.stdout
    assert ("FAIL: new against bm25" in setup.stdout) == (candidate == "worse")


@pytest.mark.parametrize("candidate", ["noise", "worse"])
def test_the_tests_with_pytest(repository, candidate):
    work, call = repository
    (work / "search" / "new.run").write_text(CANDIDATES[candidate][0])
    for name in ("conftest.py", "test_search.py"):
        shutil.copy(RECIPES / name, work)
    done = call(
        f"{sys.executable} -m pytest -q -p no:randomly -p no:cacheprovider --junitxml=out.xml"
    )
    assert done.returncode == CANDIDATES[candidate][1], done.stdout
    if candidate == "worse":
        assert "AssertionError: FAIL: new against bm25" in done.stdout
        assert "Queries that lost most on nDCG@10" in done.stdout
        assert "testing/__init__.py" not in done.stdout  # the line of the test is shown instead
    else:
        assert 'name="rankstone gate" value="' in (work / "out.xml").read_text()


def test_the_table_names_every_recipe():
    page = (RECIPES / "README.md").read_text()
    for path in RECIPES.iterdir():
        if path.is_file() and path.name != "README.md":
            assert f"`{path.name}`" in page, path.name
