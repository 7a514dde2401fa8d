"""Measure Rankstone against its bars: ``python benchmarks/run.py``."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from statistics import median

import data
import memory
import peers
import table
from data import Files
from table import Row
from timing import Times, in_turns, output_of, rankstone, timed

_MEASURES = ["nDCG@10", "AP"]
_HERE = os.path.dirname(os.path.abspath(__file__))
_MB = 1_000_000
_SAME = 1e-9  # two ways to add up 7,000 doubles differ by far less, two ways to rank by more

Section = tuple[list[Row], dict[str, Times]]


def main() -> int:
    """Print the tables; return 1 where a bar is missed."""
    args = _arguments()
    if os.name == "posix" and (load := os.getloadavg()[0]) > 0.5:
        print(f"The machine is busy (load {load:.1f}); wait, or trust no ratio.", file=sys.stderr)
    print(f"{_machine()}\n")
    rows: list[Row] = []
    times: dict[str, Times] = {}
    for name in args.sections:
        more_rows, more_times = _SECTIONS[name](args)
        rows += more_rows
        times |= more_times
    print("\n".join(table.markdown(rows)), end="\n\n")
    if times:
        print("\n".join(table.seconds(times)))
    if args.all_peers:
        print("", *_all_peers(args), sep="\n")
    return 1 if any(row.met is False for row in rows) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Rankstone against its bars.")
    names = list(_SECTIONS)
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"some of {', '.join(names)}; all if none"
    )
    folder = os.path.join(tempfile.gettempdir(), "rankstone-benchmarks")
    parser.add_argument("--data", default=folder, help=f"folder for the data ({folder})")
    parser.add_argument("--rounds", type=int, default=5, help="rounds on the large data (5)")
    parser.add_argument("--small-rounds", type=int, default=25, help="rounds on the small (25)")
    parser.add_argument(
        "--all-peers", action="store_true", help="also ir-measures, ranx and polars, once each"
    )
    args = parser.parse_args()
    if unknown := set(args.sections) - set(names):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    args.sections = args.sections or names
    return args


def _machine() -> str:
    size = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        size = f", {pages / (1 << 30):.0f} GiB memory"
    versions = (f"{n} {version(n)}" for n in ("rankstone", "numpy", "pytrec-eval-terrier"))
    return (
        f"{os.cpu_count()} cores{size}; {platform.system()} {platform.machine()}; "
        f"Python {platform.python_version()}; {', '.join(versions)}; "
        f"{datetime.now(UTC).date()}."
    )


def _evaluate(qrels: str, run: str) -> list[str]:
    options = [part for name in _MEASURES for part in ("-m", name)]
    return [*rankstone(), "evaluate", qrels, run, *options]


def _peer(name: str, files: Files) -> list[str]:
    return [sys.executable, os.path.join(_HERE, "peers.py"), name, files.qrels, files.run]


def _import_numpy() -> list[str]:
    return [sys.executable, "-c", "import numpy"]


def _our_values(files: Files) -> list[float]:
    last = output_of(_evaluate(files.qrels, files.run)).splitlines()[-1]
    return [float(value) for value in last.split("\t")[-2:]]


def _peer_values(name: str, files: Files) -> list[float]:
    return [float(value) for value in output_of(_peer(name, files)).split()]


def _difference(ours: list[float], theirs: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=True))


def _agreement(what: str, ours: list[float], theirs: list[float]) -> Row:
    off = _difference(ours, theirs)
    name = f"{what}: values, difference from pytrec_eval"
    return Row(name, f"at most {_SAME:g}", _SAME, off, off)


def _command(args: argparse.Namespace) -> Section:
    files = data.large(args.data)
    commands = {
        "command": _evaluate(files.qrels, files.run),
        "pytrec_eval, the same files": _peer("pytrec_eval", files),
        "import numpy": _import_numpy(),
    }
    wc = shutil.which("wc")
    if wc:
        commands["wc -l"] = [wc, "-l", files.run]
    times = in_turns({n: partial(output_of, c) for n, c in commands.items()}, args.rounds)
    ours, numpy = times["command"], times["import numpy"]
    beyond = "command: time beyond `import numpy`, against `wc -l`"
    scan = Row(beyond, "at most 14 times its time", 14)
    if wc:
        lines = times["wc -l"]
        middle = (ours.median - numpy.median) / lines.median
        scan = Row(scan.what, scan.bar, 14, middle, (ours.best - numpy.best) / lines.best)
    rows = [
        table.faster(
            "command: against pytrec_eval", 12, ours, times["pytrec_eval, the same files"]
        ),
        scan,
        _agreement("command", _our_values(files), _peer_values("pytrec_eval", files)),
    ]
    return rows, times


def _ties(args: argparse.Namespace) -> Section:
    files = data.large(args.data)
    plain = _evaluate(files.qrels, files.run)
    commands = {"command": plain, "command, ties=expected": [*plain, "-c", "ties=expected"]}
    times = in_turns({n: partial(output_of, c) for n, c in commands.items()}, args.rounds)
    ours, expected = times["command"], times["command, ties=expected"]
    middle, best = expected.median / ours.median, expected.best / ours.best
    what = "ties: the command with ties=expected, against the plain one"
    return [Row(what, "at most twice its time", 2, middle, best)], times


def _dicts(args: argparse.Namespace) -> Section:
    import rankstone as rs

    files = data.large(args.data)
    qrels, run = peers.read_qrels(files.qrels), peers.read_run(files.run)

    def add_up() -> None:
        for docs in run.values():
            sum(docs.values())

    times = in_turns(
        {
            "dicts": lambda: rs.evaluate(qrels, run, _MEASURES),
            "pytrec_eval, the same dicts": lambda: peers.evaluate_dicts(qrels, run),
            "sum of the scores": add_up,
        },
        args.rounds,
    )
    ours = times["dicts"]
    result = rs.evaluate(qrels, run, _MEASURES)
    values = [result[name] for name in _MEASURES]
    rows = [
        table.faster("dicts: against pytrec_eval", 10, ours, times["pytrec_eval, the same dicts"]),
        table.slower("dicts: against adding up all scores", 6, ours, times["sum of the scores"]),
        _agreement("dicts", values, list(peers.evaluate_dicts(qrels, run))),
    ]
    return rows, times


def _small(args: argparse.Namespace) -> Section:
    files = data.small(args.data)
    tasks = {
        "command, small data": partial(output_of, _evaluate(files.qrels, files.run)),
        "import numpy, beside it": partial(output_of, _import_numpy()),
    }
    times = in_turns(tasks, args.small_rounds)
    ours, numpy = times.values()
    return [table.slower("small data: command against `import numpy`", 1.5, ours, numpy)], times


def _direct(args: argparse.Namespace) -> Section:
    if find_spec("sklearn") is None:
        return [Row("direct calls: scikit-learn is not installed", "", 0)], {}
    import numpy as np
    from sklearn.metrics import ndcg_score

    import rankstone as rs

    rng = np.random.default_rng(7)
    grades, scores = rng.integers(0, 5, 100), rng.random(100)
    many = rng.integers(0, 5, (2000, 1000)).astype(float), rng.random((2000, 1000))
    cut = rs.nDCG @ 10

    def often(task: Callable[[], object]) -> Callable[[], None]:
        def repeat() -> None:
            for _ in range(200):
                task()

        return repeat

    times = in_turns(
        {
            "one list of 100, 200 times": often(lambda: cut(grades, scores)),
            "scikit-learn, the same": often(lambda: ndcg_score([grades], [scores], k=10)),
            "2,000 lists of 1,000": lambda: rs.nDCG(*many),
            "scikit-learn, ties ignored": lambda: ndcg_score(*many, ignore_ties=True),
            "scikit-learn, ties averaged": lambda: ndcg_score(*many),
        },
        args.rounds,
    )
    one, sklearn_one, table_of, ignored, averaged = times.values()
    rows = [
        table.faster("one list: against scikit-learn", 5, one, sklearn_one),
        table.faster("2,000 lists: against scikit-learn, ties ignored", 3, table_of, ignored),
        table.faster("2,000 lists: against scikit-learn, ties averaged", 10, table_of, averaged),
    ]
    ours, theirs = float(rs.nDCG(*many).mean()), float(ndcg_score(*many))
    off = abs(ours - theirs)
    rows.append(
        Row("lists: values, difference from scikit-learn", "at most 1e-12", 1e-12, off, off)
    )
    return rows, times


def _frames(args: argparse.Namespace) -> Section:
    if find_spec("polars") is None:
        return [Row("frames: polars is not installed", "", 0)], {}
    import frames
    import polars as pl

    import rankstone as rs

    held = frames.made(data.large(args.data))
    judged, run, parquet, csv = (held[n] for n in ("judged", "run", "parquet", "csv"))
    arrow = (judged.to_arrow(), run.to_arrow())
    tasks: dict[str, Callable[[], object]] = {
        "polars frame": lambda: rs.evaluate(judged, run, _MEASURES),
        "Arrow table": lambda: rs.evaluate(*arrow, _MEASURES),
        "polars' inner join": lambda: frames.join(judged, run),
        "Parquet file": lambda: rs.evaluate(judged, parquet, _MEASURES),
        "polars reads Parquet": lambda: pl.read_parquet(parquet),
        "CSV file": lambda: rs.evaluate(judged, csv, _MEASURES),
        "polars reads CSV": lambda: pl.read_csv(csv),
    }
    times = in_turns(tasks, args.rounds)
    rows = [
        table.slower(f"frames: {ours} against {theirs}", bar, times[ours], times[theirs])
        for ours, theirs, bar in (
            ("polars frame", "polars' inner join", 1.5),
            ("Arrow table", "polars' inner join", 1.5),
            ("Parquet file", "polars reads Parquet", 1.5),
            ("CSV file", "polars reads CSV", 2),
        )
    ]
    if find_spec("ir_measures") is None or find_spec("pandas") is None:
        return rows, times
    texts = {"query_id": object, "doc_id": object}
    pandas = [frame.to_pandas().astype(texts) for frame in (judged, run)]
    values: list[float] = []

    def peer() -> None:
        values[:] = frames.ir_measures(*pandas)

    more = in_turns({"pandas frame": lambda: rs.evaluate(*pandas, _MEASURES)}, args.rounds)
    more["ir-measures, the same, once"] = Times([timed(peer)[0]])
    result = rs.evaluate(*pandas, _MEASURES)
    rows.append(table.faster("frames: pandas against ir-measures", 10, *more.values()))
    off = _difference([result[name] for name in _MEASURES], values)
    rows.append(
        Row("frames: values, difference from ir-measures", f"at most {_SAME:g}", _SAME, off, off)
    )
    return rows, times | more


def _trec_eval(args: argparse.Namespace) -> Section:
    import pytrec_eval

    from rankstone.compat import pytrec_eval as compat

    files = data.large(args.data)
    command = [*rankstone(), "trec_eval", "-q", "-m", "all_trec", files.qrels, files.run]
    tasks: dict[str, Callable[[], object]] = {
        "rankstone trec_eval -q -m all_trec": partial(output_of, command),
        "pytrec_eval, the same": partial(output_of, _peer("all_trec", files)),
    }
    times = in_turns(tasks, args.rounds)
    qrels, run = peers.read_qrels(files.qrels), peers.read_run(files.run)
    times |= in_turns(
        {
            "compat.pytrec_eval, dicts": lambda: peers.every_value(compat, qrels, run),
            "pytrec_eval, dicts": lambda: peers.every_value(pytrec_eval, qrels, run),
        },
        args.rounds,
    )
    ours, theirs, mine, other = times.values()
    left, right = (peers.every_value(m, qrels, run) for m in (compat, pytrec_eval))
    off = max(abs(value - right[q][n]) for q, row in left.items() for n, value in row.items())
    rows = [
        table.faster("trec_eval: against pytrec_eval, all measures", 8, ours, theirs),
        table.faster("trec_eval: compat on dicts against pytrec_eval", 8, mine, other),
        Row(
            "trec_eval: values, difference from pytrec_eval", f"at most {_SAME:g}", _SAME, off, off
        ),
    ]
    return rows, times


def _memory(args: argparse.Namespace) -> Section:
    peak = Row("memory: peak of the command, MB", "at most 150", 150)
    growth = Row("memory: growth with twice the queries, MB", "at most 5", 5)
    if not memory.measurable():
        return [peak, growth], {}
    files = data.large(args.data)
    once: list[float] = []
    twice: list[float] = []
    for _ in range(args.rounds):
        for run, peaks in ((files.run, once), (files.double, twice)):
            command = [*_evaluate(files.qrels, run), "--quiet"]
            peaks.append(memory.peak_anonymous(command) / _MB)
    rows = [
        Row(peak.what, peak.bar, 150, median(once), min(once)),
        Row(growth.what, growth.bar, 5, median(twice) - median(once), min(twice) - min(once)),
    ]
    return rows, {}


def _all_peers(args: argparse.Namespace) -> list[str]:
    files = data.large(args.data)
    ours, values = timed(partial(_our_values, files))
    lines = ["| peer, once | times the command's time | difference of values |", "|---|--:|--:|"]
    for name in peers.PEERS:
        if find_spec(name) is None:
            lines.append(f"| {name} | not installed | |")
            continue
        theirs, found = timed(partial(_peer_values, name, files))
        lines.append(f"| {name} | {theirs / ours:.1f} | {_difference(values, found):.1e} |")
    return lines


# Commands come before dicts: what is started from a large process starts more slowly.
_SECTIONS = {
    "command": _command,
    "ties": _ties,
    "small": _small,
    "memory": _memory,
    "trec_eval": _trec_eval,
    "dicts": _dicts,
    "direct": _direct,
    "frames": _frames,
}

if __name__ == "__main__":
    sys.exit(main())
