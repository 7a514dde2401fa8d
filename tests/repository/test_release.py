"""The checks of a release can fail, and its files say what is true."""

import ast
import hashlib
import importlib.util
import io
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import rankstone as rs

ROOT = Path(__file__).resolve().parents[2]
METADATA = (
    "Metadata-Version: 2.4\nName: rankstone\nVersion: 1.0\n"
    "License-Expression: Apache-2.0\nLicense-File: LICENSE\n\nRankstone\n"
)


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "release" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def check_dist():
    return script("check_dist")


@pytest.fixture(scope="module")
def conda_recipe():
    return script("conda_recipe")


def files(patterns):
    """Names that satisfy patterns, with contents."""
    names = [p.replace("rankstone-*", "rankstone-1.0").replace("*", "so") for p in patterns]
    return {n: METADATA if n.endswith(("METADATA", "PKG-INFO")) else "" for n in names}


def wheel(folder, contents):
    path = folder / "rankstone-1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return str(path)


def sdist(folder, contents):
    path = folder / "rankstone-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in contents.items():
            member = tarfile.TarInfo(f"rankstone-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return str(path)


def test_good_archives_pass(check_dist, tmp_path):
    assert check_dist.problems(wheel(tmp_path, files(check_dist.WHEEL_NEEDS))) == []
    assert check_dist.problems(sdist(tmp_path, files(check_dist.SDIST_NEEDS))) == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rankstone/_native/index.hpp", "source or header"),
        ("rankstone/_native/module.cpp", "source or header"),
        ("rankstone/examples/gate/test_search.py", "test"),
        ("rankstone/tests/reference.py", "test"),
        ("rankstone/conftest.py", "test"),
        ("rankstone/__pycache__/x.cpython-311.pyc", "cache"),
        ("tests/cli/test_command.py", "outside the package"),
        ("stray.py", "outside the package"),
    ],
)
def test_a_file_that_does_not_belong_in_a_wheel(check_dist, tmp_path, name, kind):
    contents = files(check_dist.WHEEL_NEEDS) | {name: ""}
    assert any(name in p and kind in p for p in check_dist.problems(wheel(tmp_path, contents)))


@pytest.mark.parametrize(
    "name", ["src/rankstone/_native/_core.cpython-311-x86_64-linux-gnu.so", "build/x", ".venv/x"]
)
def test_a_file_that_does_not_belong_in_a_source_archive(check_dist, tmp_path, name):
    contents = files(check_dist.SDIST_NEEDS) | {name: ""}
    assert any(name in p for p in check_dist.problems(sdist(tmp_path, contents)))


def test_every_missing_file_is_named(check_dist, tmp_path):
    for needs, make in ((check_dist.WHEEL_NEEDS, wheel), (check_dist.SDIST_NEEDS, sdist)):
        for pattern in needs:
            contents = files(p for p in needs if p != pattern)
            assert check_dist.problems(make(tmp_path, contents)) == [f"{pattern} is missing"]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("Version: 1.0", "Version: 2.0", "version"),
        ("License-Expression: Apache-2.0", "License: ?", "License-Expression"),
        ("License-File: LICENSE", "X: y", "License-File"),
    ],
)
def test_wrong_metadata(check_dist, tmp_path, before, after, message):
    for needs, make in ((check_dist.WHEEL_NEEDS, wheel), (check_dist.SDIST_NEEDS, sdist)):
        contents = {n: t.replace(before, after) for n, t in files(needs).items()}
        assert message in " ".join(check_dist.problems(make(tmp_path, contents)))


def test_both_kinds_of_archive_are_needed(check_dist, tmp_path, capsys):
    assert check_dist.main([wheel(tmp_path, {})]) == 2
    assert ".tar.gz" in capsys.readouterr().err


def test_problems_are_printed_and_counted(check_dist, tmp_path, capsys):
    assert check_dist.main([wheel(tmp_path, {}), sdist(tmp_path, {})]) == 1
    assert "rankstone/py.typed is missing" in capsys.readouterr().err


def release_file(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_conda_recipe_is_filled_in_and_asks_for_what_the_project_asks_for(
    conda_recipe, tmp_path
):
    archive = sdist(tmp_path, {"PKG-INFO": METADATA})
    recipe = yaml.safe_load(conda_recipe.recipe(archive))
    assert recipe["context"]["version"] == "1.0"
    assert recipe["source"]["sha256"] == hashlib.sha256(Path(archive).read_bytes()).hexdigest()
    facts = project()
    needs = recipe["requirements"]
    run, host = ({n.replace(" ", "") for n in needs[key]} for key in ("run", "host"))
    assert run == {"python", *facts["project"]["dependencies"]}
    assert host >= set(facts["build-system"]["requires"])
    programs = recipe["build"]["python"]["entry_points"]
    assert programs == [f"{k} = {v}" for k, v in facts["project"]["scripts"].items()]
    for file in recipe["tests"][1]["files"]["source"]:
        assert (ROOT / file).is_file()


def test_every_supported_python_is_built_and_tested():
    facts = project()
    listed = [
        c.rpartition(" ")[2] for c in facts["project"]["classifiers"] if ":: Python :: 3." in c
    ]
    assert facts["project"]["requires-python"] == f">={listed[0]}"
    wheels = facts["tool"]["cibuildwheel"]["build"].split()
    assert wheels == [f"cp{v.replace('.', '')}-*" for v in listed]
    tests = release_file(".github/workflows/tests.yml")["jobs"]
    assert tests["dist"]["strategy"]["matrix"]["python"] == listed
    assert tests["platforms"]["strategy"]["matrix"]["python"] == listed
    runners = tests["platforms"]["strategy"]["matrix"]["runner"]
    assert {name.partition("-")[0] for name in runners} == {"ubuntu", "macos", "windows"}
    for job in ("test", "dist"):
        assert f"make {job}" in [step.get("run") for step in tests[job]["steps"]]


def test_only_the_job_that_publishes_can_prove_who_it_is():
    release = release_file(".github/workflows/release.yml")
    jobs = release["jobs"]
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert set(jobs["publish"]["needs"]) == set(jobs) - {"publish"}
    assert release["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("name", ["tests", "release"])
def test_actions_are_pinned_by_commit(name):
    jobs = release_file(f".github/workflows/{name}.yml")["jobs"].values()
    actions = [step["uses"] for job in jobs for step in job["steps"] if "uses" in step]
    assert actions
    assert [a for a in actions if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", a)] == []


def imported():
    """The distributions and packages that some module of Rankstone imports."""
    roots = set()
    for path in (ROOT / "src" / "rankstone").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                roots |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                roots.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "require":
                roots.add(getattr(node.args[0], "value", ""))
    return roots


def test_every_extra_brings_only_what_some_module_imports():
    facts = project()["project"]
    extras = facts["optional-dependencies"]
    (everything,) = extras.pop("all")
    others = sorted(set(extras) - {"spark"})  # which is large, and needs Java
    assert everything == f"rankstone[{','.join(others)}]"
    called = {"vl-convert-python": "vl_convert"}
    wanted = [need for needs in (*extras.values(), facts["dependencies"]) for need in needs]
    distributions = {re.match(r"[\w-]+", need)[0] for need in wanted}
    assert {called.get(name, name) for name in distributions} - imported() == set()


def promises():
    """The rows of the tables of promises: a promise, and the tests that hold it."""
    rows = []
    for page, least in (("SECURITY.md", 10), ("docs/engine.md", 7)):
        text = (ROOT / page).read_text(encoding="utf-8")
        table = text[text.index("| promise | tests |") :]
        found = re.findall(r"^\| (?!promise|-)(.+?) \| (.+) \|$", table, re.MULTILINE)
        assert len(found) >= least
        rows += found
    return rows


@pytest.mark.parametrize(("promise", "tests"), promises(), ids=[p for p, _ in promises()])
def test_every_promise_names_tests_that_exist(promise, tests):
    named = re.findall(r"\[(test_\w+)\]\((?:\.\./)?(tests/\w+/\w+\.py)\)", tests)
    assert named, promise
    for test, file in named:
        nodes = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        assert test in {n.name for n in nodes if isinstance(n, ast.FunctionDef)}, f"{file}: {test}"


def test_the_citation_names_the_version_and_the_licence():
    citation = release_file("CITATION.cff")
    assert citation["version"] == rs.__version__
    assert citation["license"] == project()["project"]["license"]
    assert {"cff-version", "message", "title", "authors"} <= set(citation)


def test_every_fragment_of_the_changelog_is_of_a_kind_that_a_release_joins():
    kinds = {kind["directory"] for kind in project()["tool"]["towncrier"]["type"]}
    for path in (ROOT / "changelog.d").iterdir():
        if path.name not in ("README.md", "template.md"):
            slug, kind, ending = path.name.split(".")
            assert re.fullmatch(r"[a-z0-9-]+", slug), path.name
            assert kind in kinds, path.name
            assert ending == "md", path.name
            assert 1 <= len(path.read_text(encoding="utf-8").strip().splitlines()) <= 4, path.name
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert project()["tool"]["towncrier"]["start_string"] in changelog
    first = re.search(r"^## (\S+)", changelog, re.MULTILINE)[1]
    assert first == rs.__version__
