"""Measure Rankstone on many shapes of data: ``python benchmarks/shapes.py``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import array_shapes
import memory
import peers
import shape_data
from shape_data import Shape
from timing import Times, in_turns, output_of, rankstone

_HERE = os.path.dirname(os.path.abspath(__file__))
_MEASURES = ["nDCG@10", "AP"]
_SAME = 1e-9  # two ways to add up differ by far less, two ways to rank by more
_MB = 1_000_000

# Shapes of files, how many times as fast as pytrec_eval the command should be, and its memory.
_FILES = [
    (Shape("web search", 6980, 1000, 1), 25, 60),
    (Shape("deep TREC", 250, 1000, 1000), 8, 60),
    (Shape("pooled", 2000, 1000, 100), 15, 60),
    (Shape("tied scores", 2000, 1000, 100, decimals=1), 15, 60),
    (Shape("recommender", 100_000, 50, 10), 20, 250),
    (Shape("interleaved", 2000, 1000, 1, order="shuffled"), 12, 60),
    (Shape("one query", 1, 5_000_000, 1000), 20, 60),
]
_DICTS = [Shape(f"dicts {judged}", 2000, 1000, judged) for judged in (1, 5, 20, 100)]
_FLAT = [10**5, 10**6, 10**7, 10**8]


@dataclass(frozen=True)
class Ratio:
    """What was compared, the ratio of the medians, and the goal for it."""

    shape: str
    against: str
    ratio: float
    low: float
    high: float
    goal: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        """Whether the ratio of the medians meets its goal."""
        return self.ratio >= self.goal if self.at_least else self.ratio <= self.goal

    @classmethod
    def of(
        cls, shape: str, against: str, goal: float, *, long: Times, short: Times, at_least: bool
    ) -> Ratio:
        """Return the ratio of two tasks done in turns, with that of the worst and best turn."""
        turns = [a / b for a, b in zip(long.seconds, short.seconds, strict=True)]
        middle = long.median / short.median
        return cls(shape, against, middle, min(turns), max(turns), goal, at_least)


@dataclass(frozen=True)
class Peak:
    """The most memory a command used, in MB, and the goal for it."""

    shape: str
    megabytes: float
    goal: float


def main() -> int:
    """Measure, write the results; return 1 if a goal is missed."""
    args = _arguments()
    if os.name == "posix" and (load := os.getloadavg()[0]) > 0.5:
        print(f"The machine is busy (load {load:.1f}): ratios are rough.", file=sys.stderr)
    ratios: list[Ratio] = []
    peaks: list[Peak] = []
    for section in args.sections:
        for found in _SECTIONS[section](args):
            print(found, flush=True)
            (peaks if isinstance(found, Peak) else ratios).append(found)  # type: ignore[arg-type]
    results = {
        "machine": _machine(),
        "scale": args.scale,
        "rounds": args.rounds,
        "ratios": [asdict(ratio) for ratio in ratios],
        "memory": [asdict(peak) for peak in peaks],
    }
    os.makedirs(args.output, exist_ok=True)
    with open(os.path.join(args.output, "results.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    with open(os.path.join(args.output, "RESULTS.md"), "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in _markdown(results, ratios, peaks))
    missed = [r for r in ratios if not r.met] or [p for p in peaks if p.megabytes > p.goal]
    return 1 if missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Rankstone on many shapes of data.")
    names = list(_SECTIONS)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(names)}")
    folder = os.path.join(tempfile.gettempdir(), "rankstone-shapes")
    parser.add_argument("--data", default=folder, help=f"folder for the data ({folder})")
    parser.add_argument("--output", default=_HERE, help="folder for RESULTS.md and results.json")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each comparison (5)")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the queries (1)")
    parser.add_argument("--shape", help="only the shapes whose name holds this text")
    args = parser.parse_args()
    if unknown := set(args.sections) - set(names):
        parser.error(f"unknown section {', '.join(sorted(unknown))}")
    args.sections = args.sections or names
    return args


def _machine() -> dict[str, str]:
    tools = ("rankstone", "numpy", "pytrec-eval-terrier", "ir-measures", "ranx", "scikit-learn")
    versions = {}
    for tool in tools:
        try:
            versions[tool] = version(tool)
        except PackageNotFoundError:
            versions[tool] = "not installed"
    return {
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "date": str(datetime.now(UTC).date()),
        **versions,
    }


def _wanted(args: argparse.Namespace, shape: Shape) -> bool:
    return not args.shape or args.shape in shape.name


def _evaluate(qrels: str, *runs: str) -> list[str]:
    options = [part for name in _MEASURES for part in ("-m", name)]
    return [*rankstone(), "evaluate", qrels, *runs, *options, "--quiet"]


def _agree(shape: str, ours: list[float], theirs: list[float]) -> None:
    """Refuse to compare the speed of tools that do not give the same numbers."""
    off = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    if off > _SAME:
        sys.exit(f"{shape}: the numbers differ by {off:.1e}; {ours} and {theirs}")


def _files(args: argparse.Namespace) -> Iterator[Ratio | Peak]:
    for full, goal, megabytes in _FILES:
        if not _wanted(args, full):
            continue
        shape = full.scaled(args.scale)
        files = shape_data.files(args.data, shape)
        ours = _evaluate(files.qrels, files.run)
        peer = [sys.executable, f"{_HERE}/peers.py", "pytrec_eval", files.qrels, files.run]
        _agree(
            shape.name,
            [float(v) for v in output_of(ours).splitlines()[-1].split("\t")[-2:]],
            [float(v) for v in output_of(peer).split()],
        )
        commands = {"ours": ours, "pytrec_eval": peer}
        if wc := shutil.which("wc"):
            commands["wc -l"] = [wc, "-l", files.run, files.qrels]
        times = in_turns({n: partial(output_of, c) for n, c in commands.items()}, args.rounds)
        for name, found in times.items():
            if name == "pytrec_eval":
                yield Ratio.of(
                    shape.name, name, goal, long=found, short=times["ours"], at_least=True
                )
            elif name != "ours":
                yield Ratio.of(
                    shape.name, name, 60, long=times["ours"], short=found, at_least=False
                )
        if memory.measurable():
            yield Peak(shape.name, memory.peak_anonymous(ours) / _MB, megabytes)


def _dicts(args: argparse.Namespace) -> Iterator[Ratio]:
    import rankstone as rs

    for full in _DICTS:
        if not _wanted(args, full):
            continue
        shape = full.scaled(args.scale)
        files = shape_data.files(args.data, shape)
        qrels, run = peers.read_qrels(files.qrels), peers.read_run(files.run)
        result = rs.evaluate(qrels, run, _MEASURES)
        _agree(shape.name, [result[m] for m in _MEASURES], [*peers.evaluate_dicts(qrels, run)])

        def add_up(run: dict[str, dict[str, float]] = run) -> None:
            for docs in run.values():
                sum(docs.values())

        tasks: dict[str, Callable[[], object]] = {
            "ours": partial(rs.evaluate, qrels, run, _MEASURES),
            "pytrec_eval": partial(peers.evaluate_dicts, qrels, run),
            "sum(values)": add_up,
        }
        times = in_turns(tasks, args.rounds)
        ours = times["ours"]
        name = shape.name
        peer, floor = times["pytrec_eval"], times["sum(values)"]
        yield Ratio.of(name, "pytrec_eval", 10, long=peer, short=ours, at_least=True)
        yield Ratio.of(name, "sum(values)", 10, long=ours, short=floor, at_least=False)


def _arrays(args: argparse.Namespace) -> Iterator[Ratio]:
    for case in array_shapes.cases(args.scale):
        if args.shape and args.shape not in case.name:
            continue
        times = in_turns({"ours": case.ours, "other": case.other}, args.rounds)
        long, short = times["other"], times["ours"]
        if not case.at_least:
            long, short = short, long
        yield Ratio.of(
            case.name, case.against, case.goal, long=long, short=short, at_least=case.at_least
        )


def _many(args: argparse.Namespace) -> Iterator[Ratio]:
    if not hasattr(os, "sched_setaffinity"):
        return
    shape = Shape("many runs", 250, 1000, 100).scaled(args.scale)
    files = shape_data.files(args.data, shape)
    runs = [files.run] * 40
    both = partial(output_of, _evaluate(files.qrels, *runs))
    cores = os.sched_getaffinity(0)

    def one() -> None:
        os.sched_setaffinity(0, {min(cores)})
        try:
            both()
        finally:
            os.sched_setaffinity(0, cores)

    times = in_turns({"one": one, "both": both}, args.rounds)
    yield Ratio.of(
        shape.name, "one core", 1.7, long=times["one"], short=times["both"], at_least=True
    )


def _start(args: argparse.Namespace) -> Iterator[Ratio]:
    files = shape_data.files(args.data, Shape("small", 50, 100, 1))
    commands = {
        "ours": _evaluate(files.qrels, files.run),
        "numpy": [sys.executable, "-c", "import numpy"],
    }
    times = in_turns({n: partial(output_of, c) for n, c in commands.items()}, 3 * args.rounds)
    ours, numpy = times.values()
    yield Ratio.of("start", "import numpy", 1.15, long=ours, short=numpy, at_least=False)


def _flat(args: argparse.Namespace) -> Iterator[Ratio]:
    """Compare the cost of a row beyond start-up from 10^5 to 10^8 rows."""
    sizes = [round(rows * args.scale) for rows in _FLAT]
    costs: list[tuple[int, Times]] = []
    for rows in sizes:
        files = shape_data.files(args.data, Shape("flat", rows // 1000, 1000, 1))
        tasks = {
            "ours": partial(output_of, _evaluate(files.qrels, files.run)),
            "numpy": partial(output_of, [sys.executable, "-c", "import numpy"]),
        }
        ours, numpy = in_turns(tasks, args.rounds).values()
        pairs = zip(ours.seconds, numpy.seconds, strict=True)
        costs.append((rows, Times([(a - b) / rows for a, b in pairs])))
        if rows > 10**7:
            os.remove(files.run)
    base = next(cost for rows, cost in costs if rows == sizes[2])
    for rows, cost in costs:
        yield Ratio.of(
            f"{rows:,} rows", "cost of a row of the third size", 1.2,
            long=cost, short=base, at_least=False,
        )  # fmt: skip


def _markdown(results: dict[str, object], ratios: list[Ratio], peaks: list[Peak]) -> Iterator[str]:
    yield "# Speed on many shapes of data\n"
    yield "Written by `benchmarks/shapes.py`. Ratios of medians of runs in turns; in brackets the"
    yield "lowest and highest ratio of one turn.\n"
    machine = results["machine"]
    assert isinstance(machine, dict)
    yield (
        ", ".join(f"{key} {value}" for key, value in machine.items())
        + f", scale {results['scale']}.\n"
    )
    yield "| shape | against | times as fast | goal | met |"
    yield "|---|---|--:|--:|---|"
    for r in ratios:
        if r.at_least:
            yield f"| {r.shape} | {r.against} | {_range(r)} | {r.goal:g} | {_verdict(met=r.met)} |"
    yield "\n| shape | against | times its time | at most | met |"
    yield "|---|---|--:|--:|---|"
    for r in ratios:
        if not r.at_least:
            yield f"| {r.shape} | {r.against} | {_range(r)} | {r.goal:g} | {_verdict(met=r.met)} |"
    yield "\n| shape | peak memory, MB | at most | met |"
    yield "|---|--:|--:|---|"
    for p in peaks:
        verdict = _verdict(met=p.megabytes <= p.goal)
        yield f"| {p.shape} | {p.megabytes:.0f} | {p.goal:g} | {verdict} |"


def _range(ratio: Ratio) -> str:
    return f"{ratio.ratio:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def _verdict(*, met: bool) -> str:
    return "yes" if met else "**no**"


# Commands come before dicts: what is started from a large process starts more slowly.
_SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[Ratio | Peak]]] = {
    "files": _files,
    "start": _start,
    "many": _many,
    "flat": _flat,
    "dicts": _dicts,
    "arrays": _arrays,
}

if __name__ == "__main__":
    sys.exit(main())
