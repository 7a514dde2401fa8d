"""Mutation testing:  python tests/mutants/run.py [--minutes 60] [--sample 200] [--seed 1] [TESTS ...]

First the tests run once under coverage, which says which test runs which line. Then a sample of
small changes is made, one at a time, in a copy of the sources, and the tests that run the changed
line have to fail; at the end the tests that failed have to pass in an unchanged copy. Prints the
changes that no test noticed, and the share that was noticed, which has to be 90 % of all and 95 %
of those in core and measures. Mutants in equivalent.txt, written as they are printed, change
nothing that can be observed and do not count.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutate import Mutant, mutants_of, mutated

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "rankstone"
PACKAGES = ("core", "measures", "stats", "io")
LEAST = {PACKAGES: 0.9, ("core", "measures"): 0.95}
MOST_TESTS = 60
SECONDS = 120


def contexts_of(
    tests: list[str], data: Path
) -> tuple[dict[str, dict[int, list[str]]], dict[str, int]]:
    """Return the tests that run each line of each file, and how many lines a test runs."""
    from coverage import CoverageData

    if not data.exists() or data.stat().st_mtime < newest():
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:randomly",
             "--cov=rankstone", "--cov-context=test", "--cov-report=", *tests],
            cwd=ROOT, env=os.environ | {"COVERAGE_FILE": str(data), "MUTANTS": "1"}, check=False,
        )  # fmt: skip
    read = CoverageData(str(data))
    read.read()
    by_line: dict[str, dict[int, list[str]]] = {}
    size: dict[str, int] = defaultdict(int)
    for path in read.measured_files():
        lines = read.contexts_by_lineno(path)
        by_line[path] = {
            line: [c.rpartition("|")[0] for c in contexts if c] for line, contexts in lines.items()
        }
        for contexts in by_line[path].values():
            for context in contexts:
                size[context] += 1
    return by_line, size


def newest() -> float:
    """Return when a source or a test was last changed."""
    files = [f for folder in (SOURCE, ROOT / "tests") for f in folder.rglob("*.py")]
    return max(f.stat().st_mtime for f in files)


def tests_of(mutant: Mutant, lines: dict[int, list[str]], size: dict[str, int]) -> list[str]:
    """Return the smallest tests that run a line, or its file if it is run when that is imported."""
    found = lines.get(mutant.line) or [c for contexts in lines.values() for c in contexts]
    return sorted(set(found), key=lambda c: (size[c], c))[:MOST_TESTS]


def failed(tests: list[str], folder: Path, *words: str, seconds: float | None = None) -> list[str]:
    """Return which tests fail with the sources of a folder; what stops pytest fails, too."""
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1", "MUTANTS": "1",
    }  # fmt: skip
    shutil.rmtree(folder / "cache", ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:randomly", *words,
         "-o", f"cache_dir={folder / 'cache'}", *tests],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False,
    )  # fmt: skip
    if "ERROR: not found:" in done.stderr + done.stdout:
        raise RuntimeError(done.stderr + done.stdout)
    last = folder / "cache" / "v" / "cache" / "lastfailed"
    return (
        sorted(json.loads(last.read_text()))
        if last.exists()
        else ["pytest"] * (done.returncode > 0)
    )


def killer_of(mutant: Mutant, tests: list[str], folder: Path) -> str | None:
    """Return what fails with a change in a copy of the sources, None if nothing does."""
    target = folder / "src" / "rankstone" / mutant.path
    original = target.read_text()
    target.write_text(mutated(original, mutant))
    try:
        return next(iter(failed(tests, folder, "-x", seconds=SECONDS)), None)
    except subprocess.TimeoutExpired:
        return "the clock"  # a loop without end is noticed
    finally:
        target.write_text(original)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", nargs="+", default=PACKAGES)
    parser.add_argument("--coverage", type=Path, default=ROOT / "build" / "mutants.coverage")
    parser.add_argument("tests", nargs="*", default=["tests"])
    args = parser.parse_args()
    until = time.monotonic() + 60 * args.minutes
    args.coverage.parent.mkdir(exist_ok=True)
    by_line, size = contexts_of(args.tests, args.coverage)
    known = {
        line.partition("  #")[0].strip()
        for line in (Path(__file__).parent / "equivalent.txt").read_text().splitlines()
    }
    every = [
        mutant
        for package in args.packages
        for path in sorted((SOURCE / package).rglob("*.py"))
        for mutant in mutants_of(str(path.relative_to(SOURCE)), path.read_text())
        if str(mutant) not in known
    ]
    chosen = random.Random(args.seed).sample(every, min(args.sample, len(every)))
    killers: dict[Mutant, str | None] = {}
    folders = [Path(tempfile.mkdtemp(prefix="mutants-")) for _ in range(os.cpu_count() or 1)]
    for folder in folders:
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        os.symlink(ROOT / "examples", folder / "examples")
    print(
        f"{len(every)} mutants, {len(chosen)} of them in the sample (seed {args.seed})", flush=True
    )

    def judge(mutant: Mutant) -> None:
        if time.monotonic() > until:
            return
        tests = tests_of(mutant, by_line.get(str(SOURCE / mutant.path), {}), size)
        folder = folders.pop()
        try:
            killers[mutant] = killer_of(mutant, tests, folder) if tests else None
        finally:
            folders.append(folder)
        if killers[mutant] is None:
            print(f"survived  {mutant}", flush=True)

    with ThreadPoolExecutor(len(folders)) as pool:
        list(pool.map(judge, chosen))
    sound = sorted({k for k in killers.values() if k and "::" in k})
    unsound = failed(sound, folders[0]) if sound else []
    for folder in folders:
        shutil.rmtree(folder)
    for test in unsound:
        print(f"fails without a change, so it judges nothing: {test}")
    judged = {m: k for m, k in killers.items() if k not in unsound}
    enough = True
    for packages in [*((p,) for p in args.packages), *LEAST]:
        of = [k for m, k in judged.items() if m.path.partition("/")[0] in packages]
        dead = sum(k is not None for k in of)
        rate = dead / len(of) if of else 1.0
        enough &= rate >= LEAST.get(packages, 0)
        print(f"{' and '.join(packages)}: {dead} of {len(of)} killed ({rate:.0%})")
    return 0 if enough and not unsound else 1


if __name__ == "__main__":
    sys.exit(main())
