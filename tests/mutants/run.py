"""Mutation testing:  python tests/mutants/run.py [--minutes 60] [--sample 200] [--seed 1] [TESTS ...]

First the tests run once under coverage, which says which test runs which line. Then a sample of
small changes is made, one at a time, in a copy of the sources, and the tests that run the changed
line have to fail. Prints the changes that no test noticed, and the share that was noticed.
Mutants in equivalent.txt, written as they are printed, change nothing that can be observed and do
not count.
"""

from __future__ import annotations

import argparse
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
MOST_TESTS = 60
SECONDS = 120


def contexts_of(
    tests: list[str], data: Path
) -> tuple[dict[str, dict[int, list[str]]], dict[str, int]]:
    """Return the tests that run each line of each file, and how many lines a test runs."""
    from coverage import CoverageData

    if not data.exists():
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
            line: [c.partition("|")[0] for c in contexts if c] for line, contexts in lines.items()
        }
        for contexts in by_line[path].values():
            for context in contexts:
                size[context] += 1
    return by_line, size


def sample_of(every: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """Return some mutants of each package, as many as it has of all."""
    return sorted(
        random.Random(seed).sample(every, min(size, len(every))), key=lambda m: (m.path, m.number)
    )


def survives(mutant: Mutant, tests: list[str], folder: Path) -> bool:
    """Return whether the tests pass with a change in a copy of the sources."""
    target = folder / "src" / "rankstone" / mutant.path
    original = target.read_text()
    target.write_text(mutated(original, mutant))
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1", "MUTANTS": "1",
    }  # fmt: skip
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:randomly",
             "-p", "no:cacheprovider", *tests],
            cwd=ROOT, env=environment, capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False  # a loop without end is noticed
    finally:
        target.write_text(original)
    return done.returncode == 0


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
    chosen = sample_of(every, args.sample, args.seed)
    counts: dict[str, list[int]] = {p: [0, 0] for p in args.packages}
    folders = [Path(tempfile.mkdtemp(prefix="mutants-")) for _ in range(os.cpu_count() or 1)]
    for folder in folders:
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        os.symlink(ROOT / "examples", folder / "examples")
    print(
        f"{len(every)} mutants, {len(chosen)} of them in the sample (seed {args.seed})", flush=True
    )

    def judge(mutant: Mutant) -> tuple[Mutant, bool | None]:
        if time.monotonic() > until:
            return mutant, None
        contexts = by_line.get(str(SOURCE / mutant.path), {}).get(mutant.line, [])
        tests = sorted(set(contexts), key=lambda c: (size[c], c))[:MOST_TESTS]
        folder = folders.pop()
        try:
            return mutant, not tests or survives(mutant, tests, folder)
        finally:
            folders.append(folder)

    order = random.Random(args.seed).sample(chosen, len(chosen))
    with ThreadPoolExecutor(len(folders)) as pool:
        for mutant, alive in pool.map(judge, order):
            if alive is None:
                continue
            count = counts[mutant.path.partition("/")[0]]
            count[0] += not alive
            count[1] += 1
            if alive:
                print(f"survived  {mutant}", flush=True)
    for folder in folders:
        shutil.rmtree(folder)
    killed, judged = (sum(c[i] for c in counts.values()) for i in (0, 1))
    for package, (dead, of) in counts.items():
        print(f"{package}: {dead} of {of} killed" + (f" ({dead / of:.0%})" if of else ""))
    print(f"all: {killed} of {judged} killed ({killed / max(judged, 1):.0%})")
    return 0 if killed >= 0.9 * judged else 1


if __name__ == "__main__":
    sys.exit(main())
