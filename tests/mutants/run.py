"""Mutation testing:  python tests/mutants/run.py [--minutes 60] [--sample 200] [--seed 1] [TESTS ...]

First the tests run once under coverage, which says which test runs which line and for how long.
Then a sample of small changes is made, one at a time, in a copy of the sources, and one of the
tests that run the changed line has to fail: of those, as many different ones as take 30 seconds,
and if they all pass, as many more as take two minutes. At the end the tests that failed have to
pass in an unchanged copy. Prints the changes that no test noticed, and the share that was noticed,
which has to be 90 % of all and 95 % of those in core and measures. Mutants in equivalent.txt,
written as they are printed, change nothing that can be observed and do not count.

With --reuse the coverage of an earlier run stands, although sources or tests have changed since;
new lines are then judged by the tests that run any line of their file. A change that a test would
judge that is gone since is not judged, and does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
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
#: Seconds that the tests of a first and of a second round take, and how many they are at most.
ROUNDS = ((30, 60), (120, 400))
#: How much longer a round may take before a change is said to have stopped it.
PATIENCE = 5


def contexts_of(
    tests: list[str], data: Path, *, reuse: bool
) -> tuple[dict[str, dict[int, list[str]]], dict[str, float]]:
    """Return the tests that run each line of each file, and the seconds that a test takes."""
    from coverage import CoverageData

    log = data.with_suffix(".log")
    if not data.exists() or not (reuse or data.stat().st_mtime >= newest()):
        with log.open("w") as output:
            subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:randomly",
                 "--cov=rankstone", "--cov-context=test", "--cov-report=",
                 "--durations=0", "--durations-min=0.02", *tests],
                cwd=ROOT, env=os.environ | {"COVERAGE_FILE": str(data), "MUTANTS": "1"},
                stdout=output, check=False,
            )  # fmt: skip
    seconds: dict[str, float] = defaultdict(lambda: 0.02)
    for taken, test in re.findall(
        r"^([\d.]+)s (?:setup|call) +(.+)$", log.read_text(), re.MULTILINE
    ):
        seconds[test] += float(taken)
    read = CoverageData(str(data))
    read.read()
    by_line = {
        path: {
            line: [c.rpartition("|")[0] for c in contexts if c]
            for line, contexts in read.contexts_by_lineno(path).items()
        }
        for path in read.measured_files()
    }
    return by_line, seconds


def newest() -> float:
    """Return when a source or a test was last changed."""
    files = [f for folder in (SOURCE, ROOT / "tests") for f in folder.rglob("*.py")]
    return max(f.stat().st_mtime for f in files)


def rounds_of(
    mutant: Mutant, lines: dict[int, list[str]], seconds: dict[str, float]
) -> list[list[str]]:
    """Return tests that run a line, or its file if it is run when that is imported.

    Tests that differ in their parameters only take turns with others, quick ones first.
    """
    found = lines.get(mutant.line) or [c for contexts in lines.values() for c in contexts]
    turn: dict[str, int] = defaultdict(int)
    left = []
    for test in sorted(set(found), key=lambda t: (seconds[t], t)):
        name = test.partition("[")[0]
        left.append((turn[name], seconds[test], test))
        turn[name] += 1
    left.sort()
    rounds = []
    for limit, most in ROUNDS:
        taken: list[tuple[int, float, str]] = []
        later = []
        for row in left:
            fits = sum(r[1] for r in taken) + row[1] <= limit and len(taken) < most
            (taken if fits else later).append(row)
        rounds.append([test for _, _, test in taken])
        left = later
    return rounds


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


def killer_of(mutant: Mutant, rounds: list[list[str]], folder: Path) -> str | None:
    """Return what fails with a change in a copy of the sources, None if nothing does."""
    target = folder / "src" / "rankstone" / mutant.path
    original = target.read_text()
    target.write_text(mutated(original, mutant))
    try:
        for tests, (limit, _) in zip(rounds, ROUNDS, strict=True):
            found = tests and failed(tests, folder, "-x", seconds=PATIENCE * limit)
            if found:
                return found[0]
    except subprocess.TimeoutExpired:
        return "the clock"  # a loop without end is noticed
    finally:
        target.write_text(original)
    return None


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", nargs="+", default=PACKAGES)
    parser.add_argument("--coverage", type=Path, default=ROOT / "build" / "mutants.coverage")
    parser.add_argument("--reuse", action="store_true")
    parser.add_argument("tests", nargs="*", default=["tests"])
    args = parser.parse_args()
    until = time.monotonic() + 60 * args.minutes
    args.coverage.parent.mkdir(exist_ok=True)
    by_line, seconds = contexts_of(args.tests, args.coverage, reuse=args.reuse)
    known = {
        line.rpartition("  #")[0].strip()
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
        rounds = rounds_of(mutant, by_line.get(str(SOURCE / mutant.path), {}), seconds)
        folder = folders.pop()
        try:
            killers[mutant] = killer_of(mutant, rounds, folder)
        except RuntimeError as error:
            print(f"not judged  {mutant}: {error}", flush=True)
            return
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
    for mutant, killer in killers.items():
        if killer and "::" not in killer:  # so that whoever reads can tell it from a failing test
            print(f"stopped by {killer}  {mutant}")
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
