"""Measure Rankstone beside other tools, and write the pages that show it: ``make bench``."""

from __future__ import annotations

import argparse
import math
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import memory
import numpy as np
import peers
import shapes
from pages import HERE, PAGES, Lead, Measurement, Results, write_table
from shapes import Files, Shape
from timing import in_turns, output_of, rankstone

import rankstone as rs

Task = Callable[[], list[float]]  # returns the numbers that all tools have to agree on

_MEASURES = ["nDCG@10", "AP"]
_SAME = 1e-9  # two ways to add up differ by far less, two ways to rank by more
#: Peers whose numbers may be farther off, and how far.
_DIGITS = {"trec_eval": 5e-5, "scikit-learn, ties ignored": 1e-3}
_MB = 1_000_000
_OURS, _START = "Rankstone", "start"


def main() -> None:
    """Measure, and write the pages."""
    args = _arguments()
    if not args.pages_only and os.name == "posix" and (load := os.getloadavg()[0]) > 0.5:
        print(f"The machine is busy (load {load:.1f}): ratios are rough.", file=sys.stderr)
    results = Results.read() if args.pages_only else Results(_machine(), args.scale, args.rounds)
    # Commands come first: what is started from a large process starts more slowly.
    for shape in () if args.pages_only else shapes.SHAPES:
        for size in shape.sizes(args.scale) if args.shape in shape.name else ():
            measurement = _measured(size, args)
            print(shape.name, measurement.ratios, measurement.cost, sep="; ", flush=True)
            results.measurements.append(measurement)
    results.write(args.output or HERE)
    for page in () if args.output else PAGES:
        write_table(results, os.path.join(os.path.dirname(HERE), page))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Rankstone beside other tools.")
    folder = os.path.join(tempfile.gettempdir(), "rankstone-benchmarks")
    parser.add_argument("--data", default=folder, help=f"folder for the data ({folder})")
    parser.add_argument(
        "--output", help="folder for RESULTS.md and results.json; the pages stay as they are"
    )
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each comparison (7)")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the queries (1)")
    parser.add_argument("--shape", default="", help="only the shapes whose name holds this text")
    parser.add_argument("--all-peers", action="store_true", help="also ir-measures and ranx")
    parser.add_argument(
        "--pages-only", action="store_true", help="write the pages from results.json"
    )
    return parser.parse_args()


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


def _measured(shape: Shape, args: argparse.Namespace) -> Measurement:
    """Time Rankstone and its peers in turns; a peer that gives other numbers is left out."""
    command = None
    if shape.form == "table":
        tasks = _of_table(shape)
    elif shape.form == "dicts":
        tasks = _of_dicts(shapes.files(args.data, shape))
    else:
        files = shapes.files(args.data, shape)
        command = _evaluate(files)
        tasks = {_OURS: partial(_printed, command)}
        others = peers.commands(shape.form, *files, every=args.all_peers)
        tasks |= {name: partial(_printed, other) for name, other in others.items()}
    ours = tasks[_OURS]()
    # A first round, which is not timed, shows whether the numbers agree.
    off = {name: _off(ours, task()) for name, task in tasks.items()}
    different = {name: by for name, by in off.items() if by > _DIGITS.get(name, _SAME)}
    timed: dict[str, Callable[[], object]] = {
        name: task for name, task in tasks.items() if name not in different
    }
    if command:
        one = Shape("one document", shape.form, 1, 1, 1, 1)
        timed[_START] = partial(output_of, _evaluate(shapes.files(args.data, one)))
    times = in_turns(timed, args.rounds, unseen=0)
    peak = memory.peak_anonymous(command) / _MB if command and memory.measurable() else None
    return Measurement(
        shape.name,
        shape.queries,
        shape.depth,
        times[_OURS].median,
        times[_START].median if _START in times else None,
        peak,
        [Lead.of(n, times[_OURS], t) for n, t in times.items() if n not in (_OURS, _START)],
        different,
    )


def _off(ours: list[float], theirs: list[float]) -> float:
    """Return the largest difference of numbers; those that a peer does not give are NaN."""
    pairs = zip(ours, theirs, strict=True)
    return max(abs(a - b) for a, b in pairs if not math.isnan(b))


def _evaluate(files: Files) -> list[str]:
    options = [part for name in _MEASURES for part in ("-m", name)]
    return [*rankstone(), "evaluate", *files, *options, "--quiet"]


def _printed(command: list[str]) -> list[float]:
    """Return the last two numbers that a command prints, one for each measure."""
    words = output_of(command).split()
    if command[0] == "trec_eval":
        words = words[2::3]
        return [float(words[1]), float(words[0])]  # map is printed first
    return [float(word) for word in words[-2:]]


def _of_dicts(files: Files) -> Mapping[str, Task]:
    qrels, run = peers.read_qrels(files.qrels), peers.read_run(files.run)

    def ours() -> list[float]:
        result = rs.evaluate(qrels, run, _MEASURES)
        return [result[name] for name in _MEASURES]

    return {_OURS: ours, "pytrec_eval": lambda: list(peers.evaluate_dicts(qrels, run))}


def _of_table(shape: Shape) -> Mapping[str, Task]:
    labels, scores = shapes.table(shape)
    names = ["nDCG@10"] if shape.judged == shape.depth else ["Success@10", "RR"]

    def ours() -> list[float]:
        result = rs.evaluate(labels, scores, names)
        return [result[name] for name in names]

    def counting() -> list[float]:
        rank = 1 + (scores > scores[labels][:, None]).sum(axis=1)
        return [float((rank <= 10).mean()), float((1 / rank).mean())]

    def partition() -> list[float]:
        first = np.argpartition(scores, -10, axis=1)[:, -10:]
        return [float(np.take_along_axis(labels, first, axis=1).any(axis=1).mean()), math.nan]

    if len(names) == 2:
        return {_OURS: ours, "counting in NumPy": counting, "np.argpartition": partition}
    if not find_spec("sklearn"):
        return {_OURS: ours}
    from sklearn.metrics import ndcg_score

    def peer(*, ignore_ties: bool) -> list[float]:
        return [float(ndcg_score(labels, scores, k=10, ignore_ties=ignore_ties))]

    return {
        _OURS: ours,
        "scikit-learn": partial(peer, ignore_ties=False),
        "scikit-learn, ties ignored": partial(peer, ignore_ties=True),
    }


if __name__ == "__main__":
    main()
