"""Check the archives of a release: what is in them, and that each works where it is installed.

    python release/check_dist.py dist/*

Each archive is installed in a virtual environment of its own, outside the checkout, and
``release/smoke.py`` runs there. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from fnmatch import fnmatchcase

SMOKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "smoke.py")

DATA = ("examples/search/qrels.txt", "examples/search/bm25.run", "examples/recommender/test.qrels")
WHEEL_NEEDS = (
    *(f"rankstone/{path}" for path in DATA),
    "rankstone/__init__.py",
    "rankstone/__init__.pyi",
    "rankstone/py.typed",
    "rankstone/_native/_core.*",
    "rankstone/page/assets/page.html",
    "rankstone-*.dist-info/METADATA",
    "rankstone-*.dist-info/entry_points.txt",
    "rankstone-*.dist-info/licenses/LICENSE",
)
SDIST_NEEDS = (
    *DATA,
    "CHANGELOG.md",
    "CMakeLists.txt",
    "LICENSE",
    "PKG-INFO",
    "README.md",
    "pyproject.toml",
    "src/rankstone/_native/module.cpp",
    "src/rankstone/_native/index.hpp",
    "src/rankstone/py.typed",
)
COMPILED = ("*.so", "*.pyd", "*.dll", "*.dylib", "*.o", "*.a")
CACHES = ("*.pyc", "*__pycache__/*", "*.venv*/*", "*_cache/*", "*.egg-info/*", ".git/*")
SOURCES = ("*.hpp", "*.h", "*.cpp", "*.c", "*CMakeLists.txt", "*.cmake")
TESTS = ("*/test_*.py", "*conftest.py", "tests/*", "*/tests/*", "benchmarks/*", "*/benchmarks/*")


def wheel_problems(names: list[str]) -> list[str]:
    """Return what is wrong with the names of the files in a wheel."""
    forbidden = {
        "a compiled cache or a tool's folder": CACHES,
        "a source or header of the compiled core": SOURCES,
        "a test or benchmark": TESTS,
        "outside the package": ("!rankstone/*", "!rankstone-*.dist-info/*"),
    }
    return _missing(names, WHEEL_NEEDS) + _forbidden(names, forbidden)


def sdist_problems(names: list[str]) -> list[str]:
    """Return what is wrong with the names of the files in a source archive.

    Its tests stay in: those who package Rankstone for a distribution run them.
    """
    forbidden = {
        "a compiled cache or a tool's folder": (*CACHES, "build/*", "dist/*"),
        "a compiled file": COMPILED,
    }
    return _missing(names, SDIST_NEEDS) + _forbidden(names, forbidden)


def metadata_problems(metadata: str, archive: str) -> list[str]:
    """Return what is wrong with the METADATA of a wheel or the PKG-INFO of a source archive."""
    head = metadata.partition("\n\n")[0]
    version = re.search(r"^Version: (.+)$", head, re.MULTILINE)
    problems = []
    if version is None or not os.path.basename(archive).startswith(f"rankstone-{version[1]}"):
        problems.append("the version in the metadata is not that in the name of the file")
    problems += [
        f"no line {line!r} in the metadata"
        for line in ("License-Expression: Apache-2.0", "License-File: LICENSE")
        if line not in head.splitlines()
    ]
    return problems


def problems(archive: str) -> list[str]:
    """Return what is wrong with the contents of a wheel or a source archive."""
    if archive.endswith(".whl"):
        with zipfile.ZipFile(archive) as wheel:
            names = [name for name in wheel.namelist() if not name.endswith("/")]
            found = wheel_problems(names)
            for name in (n for n in names if n.endswith(".dist-info/METADATA")):
                found += metadata_problems(wheel.read(name).decode(), archive)
        return found
    with tarfile.open(archive) as sdist:
        files = {m.name.partition("/")[2]: m for m in sdist.getmembers() if m.isfile()}
        found = sdist_problems(list(files))
        stream = sdist.extractfile(files["PKG-INFO"]) if "PKG-INFO" in files else None
        if stream is not None:
            found += metadata_problems(stream.read().decode(), archive)
    return found


def try_installed(archive: str) -> int:
    """Install an archive in a clean environment, run the smoke tests there, return their exit code."""
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "environment")
        venv.create(place, with_pip=True)
        programs = os.path.join(place, "Scripts" if os.name == "nt" else "bin")
        python = os.path.join(programs, "python")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        install = [python, "-m", "pip", "install", "--quiet", os.path.abspath(archive)]
        for command in (install, [python, SMOKE]):
            done = subprocess.run(command, cwd=folder, env=environment, check=False)
            if done.returncode:
                return done.returncode
    return 0


def main(archives: list[str]) -> int:
    """Check every archive; print what is wrong."""
    faults = 0
    if {a.rpartition(".")[2] for a in archives} != {"whl", "gz"}:
        print("check_dist: give a wheel (.whl) and a source archive (.tar.gz)", file=sys.stderr)
        return 2
    for archive in archives:
        name = os.path.basename(archive)
        wrong = problems(archive)
        if not wrong and try_installed(archive):
            wrong = ["the smoke tests failed where it was installed"]
        faults += len(wrong)
        for problem in wrong:
            print(f"{name}: {problem}", file=sys.stderr)
        if not wrong:
            print(f"{name}: contents as they should be, installed and tried")
    return 1 if faults else 0


def _missing(names: list[str], needed: tuple[str, ...]) -> list[str]:
    return [
        f"{pattern} is missing"
        for pattern in needed
        if not any(fnmatchcase(name, pattern) for name in names)
    ]


def _forbidden(names: list[str], kinds: dict[str, tuple[str, ...]]) -> list[str]:
    """Name the files that match a pattern of a kind, or none of its patterns that begin with !."""
    wrong = []
    for kind, patterns in kinds.items():
        allowed = [p[1:] for p in patterns if p.startswith("!")]
        for name in names:
            hit = any(fnmatchcase(name, p) for p in patterns)
            if hit or (allowed and not any(fnmatchcase(name, p) for p in allowed)):
                wrong.append(f"{name} is {kind}")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
