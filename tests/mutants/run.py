"""Mutation testing:  python tests/mutants/run.py [--minutes 60] [--sample 200] [--seed 1] [TESTS ...]

First the tests run once under coverage, which says which test runs which line and for how long.
Then a sample of small changes is made, one at a time, and one of the tests that run the changed line
has to fail: as many different ones as take two minutes. Most changes are judged in forks of a process
that has collected the tests (forks.py), those of what runs at import in processes of their own. At the
end the tests that failed have to pass without a change. Prints the changes that no test noticed, and
the share that was noticed, which has to be 90 % of all and 95 % of those in core and measures. Mutants
in equivalent.txt, named by function and change, change nothing that can be observed and do not count.

To close survivors, work on one file:  run.py --reuse --only core/ties.py --sample 1000
and judge what was printed again after tests were added:  run.py --reuse --again FILE --more TESTFILE
With --reuse the coverage of an earlier run stands, although sources or tests have changed since;
new lines are then judged by the tests that run any line of their file. Tests of --more are new since.
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
from dataclasses import dataclass
from pathlib import Path

from mutate import Mutant, mutants_of, mutated

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "rankstone"
PACKAGES = ("core", "measures", "stats", "io")
LEAST = {PACKAGES: 0.9, ("core", "measures"): 0.95}
MOST_TESTS = 400
#: How much longer tests may take than they did before a change is said to have stopped them, and
#: the seconds that it may take to begin.
PATIENCE = 2
START = 60
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
#: What judges unless tests are named: doctests judge, too.
TESTS = ["tests", "src"]


@dataclass(frozen=True)
class Covered:
    """Which tests run each line of each file, and the seconds that a test takes."""

    lines: dict[str, dict[int, list[str]]]
    seconds: dict[str, float]

    def tests_of(self, mutant: Mutant, limit: float) -> list[str]:
        """Return tests that run a line, or its file if it is run when that is imported.

        Tests that differ in their parameters only take turns with others, quick ones first.
        """
        lines = self.lines.get(mutant.path, {})
        found = [t for t in lines.get(mutant.line, ()) if t]
        found = found or [t for tests in lines.values() for t in tests if t]
        turn: dict[str, int] = defaultdict(int)
        rows = []
        for test in sorted(set(found), key=lambda t: (self.seconds[t], t)):
            name = test.partition("[")[0]
            rows.append((turn[name], self.seconds[test], test))
            turn[name] += 1
        taken: list[str] = []
        left = limit
        for _, seconds, test in sorted(rows):
            if seconds <= left and len(taken) < MOST_TESTS:
                left -= seconds
                taken.append(test)
        return taken

    def is_import(self, mutant: Mutant) -> bool:
        """Return whether the line runs when a module is imported."""
        return "" in self.lines.get(mutant.path, {}).get(mutant.line, ("",))


def covered(tests: list[str], data: Path, *, fresh: bool) -> Covered:
    """Run tests under coverage unless there is a result, and return what it says."""
    from coverage import CoverageData

    log = data.with_suffix(".log")
    if fresh or not data.exists():
        with log.open("w") as output:
            subprocess.run(
                [*PYTEST, "-n", "auto", "--cov=rankstone", "--cov-context=test",
                 "--cov-report=", "--durations=0", "--durations-min=0.02", *tests],
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
    lines = {
        path.rpartition("/rankstone/")[2]: {
            line: [c.rpartition("|")[0] for c in contexts]
            for line, contexts in read.contexts_by_lineno(path).items()
        }
        for path in read.measured_files()
    }
    return Covered(lines, seconds)


def together(first: Covered, second: Covered) -> Covered:
    """Return what two results say."""
    lines = {path: dict(rows) for path, rows in first.lines.items()}
    for path, rows in second.lines.items():
        own = lines.setdefault(path, {})
        for line, tests in rows.items():
            own[line] = [*own.get(line, []), *tests]
    seconds: dict[str, float] = defaultdict(lambda: 0.02)
    return Covered(lines, seconds | first.seconds | second.seconds)


def newest() -> float:
    """Return when a source or a test was last changed."""
    files = [f for folder in (SOURCE, ROOT / "tests") for f in folder.rglob("*.py")]
    return max(f.stat().st_mtime for f in files)


def environment(source: Path) -> dict[str, str]:
    """Return the environment in which tests run with the package of a folder."""
    return os.environ | {
        "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "MUTANTS": "1",
    }  # fmt: skip


def judged_in_forks(
    plan: list[tuple[Mutant | None, list[str], float]], until: float
) -> dict[int, str | None]:
    """Return what fails with each change of a plan by its place; "unfit" if that cannot be said."""
    files = sorted({test.partition("::")[0] for _, tests, _ in plan for test in tests})
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        asked, found = Path(folder, "plan"), Path(folder, "found")
        rows = [
            {
                "place": place, "path": mutant.path if mutant else "__init__.py",
                "number": mutant.number if mutant else None, "tests": tests, "seconds": seconds,
            }
            for place, (mutant, tests, seconds) in enumerate(plan)
        ]  # fmt: skip
        asked.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found.touch()
        here = {
            "MUTANTS_PLAN": str(asked),
            "MUTANTS_FOUND": str(found),
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{Path(__file__).parent}",
        }
        words = ["-n", "0", "-s", "-p", "forks", "--basetemp", f"{folder}/pytest", *files]
        with Path(folder, "out").open("w") as output:
            server = subprocess.Popen(
                [*PYTEST, *words], cwd=ROOT, env=environment(ROOT / "src") | here,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        while server.poll() is None and time.monotonic() < until:
            time.sleep(0.2)
        if server.returncode is None:
            server.terminate()
        elif server.returncode not in (0, 5):
            print(Path(folder, "out").read_text()[-2000:])
        answers = map(json.loads, found.read_text().splitlines())
        return {answer["place"]: answer["killer"] for answer in answers}


def killer_of(mutant: Mutant, tests: list[str], folder: Path, seconds: float) -> str | None:
    """Return what fails with a change in a copy of the sources, None if nothing does."""
    target = folder / "src" / "rankstone" / mutant.path
    original = target.read_text()
    target.write_text(mutated(original, mutant))
    try:
        done = subprocess.run(
            [*PYTEST, "-n", "0", "-x", "-rfE", "--tb=no", "--basetemp", f"{folder}/pytest", *tests],
            cwd=ROOT, env=environment(folder / "src"), capture_output=True, text=True,
            timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "the clock"  # a loop without end is noticed
    finally:
        target.write_text(original)
    if done.returncode == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return failed[1] if failed and "::" in failed[1] else "pytest"


def judged_alone(
    plan: list[tuple[Mutant, list[str], float]], until: float
) -> dict[Mutant, str | None]:
    """Return what fails with each change, each in a process of its own."""
    killers: dict[Mutant, str | None] = {}
    folders = [Path(tempfile.mkdtemp(prefix="mutants-")) for _ in range(os.cpu_count() or 1)]
    for folder in folders:
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        os.symlink(ROOT / "examples", folder / "examples")
    free = [*folders]

    def judge(row: tuple[Mutant, list[str], float]) -> None:
        if time.monotonic() > until:
            return
        folder = free.pop()
        killers[row[0]] = killer_of(row[0], row[1], folder, row[2]) if row[1] else None
        free.append(folder)

    with ThreadPoolExecutor(len(folders)) as pool:
        list(pool.map(judge, plan))
    for folder in folders:
        shutil.rmtree(folder)
    return killers


def chosen_of(args: argparse.Namespace) -> tuple[int, list[Mutant]]:
    """Return the number of mutants and those to judge."""
    known = {
        line.rpartition("  #")[0].strip()
        for line in (Path(__file__).parent / "equivalent.txt").read_text().splitlines()
    }
    every = [
        mutant
        for package in PACKAGES
        for path in sorted((SOURCE / package).rglob("*.py"))
        for mutant in mutants_of(str(path.relative_to(SOURCE)), path.read_text())
        if str(mutant) not in known
    ]
    if args.only:
        every = [mutant for mutant in every if mutant.path.startswith(tuple(args.only))]
    if args.again:
        again = {
            line.removeprefix("survived  ").strip() for line in args.again.read_text().splitlines()
        }
        every = [mutant for mutant in every if str(mutant) in again]
    return len(every), random.Random(args.seed).sample(every, min(args.sample, len(every)))


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="of tests for a mutant")
    parser.add_argument("--only", nargs="+", help="beginnings of paths, such as core/ties.py")
    parser.add_argument("--again", type=Path, help="file of mutants that survived before")
    parser.add_argument("--coverage", type=Path, default=ROOT / "build" / "mutants.coverage")
    parser.add_argument("--reuse", action="store_true")
    parser.add_argument("--more", nargs="+", help="files of tests that the coverage does not know")
    parser.add_argument("tests", nargs="*", default=TESTS)
    args = parser.parse_args()
    until = time.monotonic() + 60 * args.minutes
    args.coverage.parent.mkdir(exist_ok=True)
    is_old = args.coverage.exists() and args.coverage.stat().st_mtime < newest()
    known = covered(args.tests, args.coverage, fresh=is_old and not args.reuse)
    if args.more:
        more = covered(args.more, ROOT / "build" / "mutants-more.coverage", fresh=True)
        known = together(known, more)
    total, chosen = chosen_of(args)
    print(f"{total} mutants, {len(chosen)} of them in the sample (seed {args.seed})", flush=True)
    plan = []
    for mutant in chosen:
        tests = known.tests_of(mutant, args.seconds)
        limit = START + PATIENCE * sum(known.seconds[test] for test in tests)
        plan.append((mutant, tests, limit))
    found = judged_in_forks([*plan], until)
    killers = {chosen[place]: killer for place, killer in found.items() if killer != "unfit"}
    alone = [
        row
        for row in plan
        if row[0] not in killers or (killers[row[0]] is None and known.is_import(row[0]))
    ]
    killers |= judged_alone(alone, until)
    sound = sorted({k for k in killers.values() if k and "::" in k})
    unchanged = judged_in_forks([(None, [test], 300.0) for test in sound], until + 600)
    unsound = [killer for killer in unchanged.values() if killer]
    for mutant, killer in killers.items():
        if killer is None:
            print(f"survived  {mutant}")
    for mutant, killer in killers.items():
        if killer and "::" not in killer:  # so that whoever reads can tell it from a failing test
            print(f"stopped by {killer}  {mutant}")
    for test in unsound:
        print(f"fails without a change, so it judges nothing: {test}")
    judged = {m: k for m, k in killers.items() if k not in unsound}
    enough = True
    for packages in [*((p,) for p in PACKAGES), *LEAST]:
        of = [k for m, k in judged.items() if m.path.partition("/")[0] in packages]
        dead = sum(k is not None for k in of)
        rate = dead / len(of) if of else 1.0
        enough &= rate >= LEAST.get(packages, 0)
        if of:
            print(f"{' and '.join(packages)}: {dead} of {len(of)} killed ({rate:.0%})")
    return 0 if enough and not unsound else 1


if __name__ == "__main__":
    sys.exit(main())
