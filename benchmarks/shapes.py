"""Measure Rankstone on many shapes of data: ``python benchmarks/shapes.py``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import islice
from statistics import median
from typing import TypeVar

import array_shapes
import memory
import peers
import shape_data
from shape_data import Shape
from shape_results import (
    Cost,
    Different,
    Peak,
    Ratio,
    Results,
    bars,
    lines,
    markdown,
    readme_table,
)
from timing import Times, in_turns, output_of, processor_time, rankstone, timed

T = TypeVar("T")
_HERE = os.path.dirname(os.path.abspath(__file__))
_MEASURES = ["nDCG@10", "AP"]
_SAME = 1e-9  # two ways to add up differ by far less, two ways to rank by more
_MB = 1_000_000

# Shapes of files, and how many times as fast as pytrec_eval the command should be.
_FILES = [
    (Shape("web search", 6980, 1000, 1), 25),
    (Shape("deep TREC", 250, 1000, 1000), 8),
    (Shape("pooled", 2000, 1000, 100), 15),
    (Shape("tied scores", 2000, 1000, 100, decimals=1), 15),
    (Shape("recommender", 100_000, 50, 10), 20),
    (Shape("interleaved", 2000, 1000, 1, order="shuffled"), 12),
    (Shape("one query", 1, 5_000_000, 1000), 20),
]
_DICTS = [Shape(f"dicts {judged}", 2000, 1000, judged) for judged in (1, 5, 20, 100)]
_FLAT = [10**5, 10**6, 10**7, 10**8]


def main() -> int:
    """Measure, write the results; return 1 if a goal is missed."""
    args = _arguments()
    if os.name == "posix" and (load := os.getloadavg()[0]) > 0.5:
        print(f"The machine is busy (load {load:.1f}): ratios are rough.", file=sys.stderr)
    results = Results(_machine(), args.scale, args.rounds)
    for section in args.sections:
        for item in _SECTIONS[section](args):
            print(item, flush=True)
            results.add(item)
    _write(results, args.output)
    for page in args.pages:
        _write_table(results, page)
    return 1 if results.missed else 0


def _write(results: Results, folder: str) -> None:
    os.makedirs(folder, exist_ok=True)

    def write(name: str, text: str) -> None:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    write("results.json", json.dumps(asdict(results), indent=1) + "\n")
    write("RESULTS.md", "".join(f"{line}\n" for line in markdown(results)))
    if find_spec("vl_convert") is not None:
        from vl_convert import vegalite_to_svg

        write("shapes.svg", vegalite_to_svg(bars(results)))
        write("rows.svg", vegalite_to_svg(lines(results)))


def _write_table(results: Results, path: str) -> None:
    """Replace the table between the two marks of a page."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, mark, rest = text.partition("<!-- shapes -->")
    _, end, tail = rest.partition("<!-- /shapes -->")
    if not end:
        sys.exit(f"{path}: the marks <!-- shapes --> and <!-- /shapes --> are not there")
    table = "\n".join(readme_table(results))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{mark}\n{table}\n{end}{tail}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Rankstone on many shapes of data.")
    names = list(_SECTIONS)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(names)}")
    folder = os.path.join(tempfile.gettempdir(), "rankstone-shapes")
    parser.add_argument("--data", default=folder, help=f"folder for the data ({folder})")
    parser.add_argument("--output", default=_HERE, help="folder for RESULTS.md and results.json")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each comparison (5)")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the queries (1)")
    parser.add_argument(
        "--pages",
        nargs="*",
        default=[],
        help="also write the table between the marks of these pages",
    )
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
        "load before": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        **versions,
    }


def _wanted(args: argparse.Namespace, shape: Shape) -> bool:
    return not args.shape or args.shape in shape.name


def _evaluate(qrels: str, *runs: str) -> list[str]:
    options = [part for name in _MEASURES for part in ("-m", name)]
    return [*rankstone(), "evaluate", qrels, *runs, *options, "--quiet"]


def _off(ours: list[float], theirs: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=True))


def _agree(shape: str, ours: list[float], theirs: list[float]) -> None:
    """Refuse to compare the speed of tools that do not give the same numbers."""
    if (off := _off(ours, theirs)) > _SAME:
        sys.exit(f"{shape}: the numbers differ by {off:.1e}; {ours} and {theirs}")


def _most_memory(shape: Shape) -> float:
    """Return the goal in MB: 60 if there are few judgments, 250 if there are a million."""
    return 60 + 190 * shape.queries * shape.judged / 10**6


def _files(args: argparse.Namespace) -> Iterator[Ratio | Peak | Different]:
    for full, goal in _FILES:
        if not _wanted(args, full):
            continue
        shape = full.scaled(args.scale)
        files = shape_data.files(args.data, shape)
        ours = _evaluate(files.qrels, files.run)
        values = [float(v) for v in output_of(ours).splitlines()[-1].split("\t")[-2:]]
        others = {name: peers.command(name, files.qrels, files.run) for name in peers.installed()}
        _agree(shape.name, values, peers.values_of(others["pytrec_eval"]))
        once: dict[str, Times] = {}  # slow tools are not repeated
        for name in [name for name in others if name != "pytrec_eval"]:
            before = processor_time()
            taken, theirs = timed(partial(peers.values_of, others[name]))
            once[name] = Times([taken], [processor_time() - before])
            if (off := _off(values, theirs)) > peers.DIGITS.get(name, _SAME):
                yield Different(shape.name, name, off)
                del once[name]
        repeated = {name: others[name] for name in ("pytrec_eval", "trec_eval") if name in others}
        if wc := shutil.which("wc"):
            repeated["wc -l"] = [wc, "-l", files.run, files.qrels]
        tasks = {n: partial(output_of, c) for n, c in {"ours": ours, **repeated}.items()}
        times = in_turns(tasks, args.rounds)
        for name in repeated:
            yield _lead(shape.name, name, goal, ours=times["ours"], other=times[name])
        mine = Times([times["ours"].median], [Times(times["ours"].processors).median])
        for name in sorted(once.keys() - repeated.keys()):
            yield _lead(shape.name, name, goal, ours=mine, other=once[name])
        if memory.measurable():
            yield Peak(shape.name, memory.peak_anonymous(ours) / _MB, _most_memory(shape))


def _lead(shape: str, name: str, goal: float, *, ours: Times, other: Times) -> Ratio:
    if name == "wc -l":
        return Ratio.of(shape, name, 60, long=ours, short=other, at_least=False)
    least = goal if name == "pytrec_eval" else 1
    return Ratio.of(shape, name, least, long=other, short=ours, at_least=True)


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


def _batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of some size."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def _flat(args: argparse.Namespace) -> Iterator[Ratio | Cost]:
    """Compare the cost of a row, beyond the command on 1,000 rows, from 10^5 to 10^8 rows."""
    sizes = [round(rows * args.scale) for rows in _FLAT]
    costs: list[tuple[int, Times]] = []
    few = shape_data.files(args.data, Shape("flat", 1, 1000, 1))
    for rows in sizes:
        files = shape_data.files(args.data, Shape("flat", rows // 1000, 1000, 1))
        tasks = {
            "ours": partial(output_of, _evaluate(files.qrels, files.run)),
            "start": partial(output_of, _evaluate(few.qrels, few.run)),
        }
        # Start-up is most of the time that few rows take: the middle of several turns is one round.
        turns = 1 if rows > 10**6 else 9
        ours, start = in_turns(tasks, args.rounds * turns).values()
        beyond = [
            [
                median((a - b) / (rows - 1000) for a, b in round_)
                for round_ in _batched(zip(*pairs, strict=True), turns)
            ]
            for pairs in ((ours.seconds, start.seconds), (ours.processors, start.processors))
        ]
        costs.append((rows, Times(*beyond)))
        if rows > 10**7:
            os.remove(files.run)
    base = next(cost for rows, cost in costs if rows == sizes[2])
    for rows, cost in costs:
        yield Cost.of(rows, cost)
        yield Ratio.of(
            f"{rows:,} rows", "cost of a row of the third size", 1.2,
            long=cost, short=base, at_least=False,
        )  # fmt: skip


# Commands come before dicts: what is started from a large process starts more slowly.
_SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[Ratio | Peak | Cost | Different]]] = {
    "files": _files,
    "start": _start,
    "many": _many,
    "flat": _flat,
    "dicts": _dicts,
    "arrays": _arrays,
}

if __name__ == "__main__":
    sys.exit(main())
