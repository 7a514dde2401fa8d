"""Fusing two runs, from files to a file: ``python fuse.py [--peer PYTHON_WITH_RANX]``.

Prints seconds of wall time and of processors for the command and, in turns with it, for ranx, and how the time
grows with rows and with runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

_RANX = """
import sys
from ranx import Run, fuse
*paths, target = sys.argv[1:]
runs = [Run.from_file(path, kind="trec") for path in paths]
fuse(runs, norm=None, method="rrf").save(target, kind="trec")
"""


def write_runs(folder: str, queries: int, depth: int, runs: int) -> list[str]:
    """Write runs that share about half of their documents."""
    rng = np.random.default_rng(7)
    paths = [os.path.join(folder, f"{queries}-{depth}-{r}.run") for r in range(runs)]
    files = [open(path, "w", encoding="ascii") for path in paths]  # noqa: SIM115
    for query in range(queries):
        pool = rng.choice(8_841_822, depth * 8 // 5, replace=False)
        for file in files:
            docs = rng.permutation(pool)[:depth].tolist()
            scores = np.sort(rng.gamma(2, 5, depth))[::-1].tolist()
            rows = enumerate(zip(docs, scores, strict=True), 1)
            file.writelines(f"{query + 1} Q0 {d} {i} {s:.6f} run\n" for i, (d, s) in rows)
    for file in files:
        file.close()
    return paths


def show(what: str, words: list[str]) -> None:
    """Print the wall time of a command, and the time of all processors."""
    before, begin = os.times(), time.perf_counter()
    subprocess.run(words, check=True)
    after, end = os.times(), time.perf_counter()
    used = after.children_user - before.children_user
    used += after.children_system - before.children_system
    print(f"{what}: {end - begin:.2f} s (processors {used:.2f} s)", flush=True)


def main() -> None:
    """Time and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", metavar="PYTHON", help="a Python that has ranx")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ours = [sys.executable, "-m", "rankstone", "fuse", "--quiet", "--force", "-o"]
        target = os.path.join(folder, "fused.run")
        paths = write_runs(folder, 2000, 1000, 2)
        for _ in range(args.rounds):
            show("rankstone, 2 runs x 2,000 queries x 1,000", [*ours, target, *paths])
            if args.peer:
                show("ranx", [args.peer, "-c", _RANX, *paths, target])
        for queries, runs in ((500, 2), (1000, 2), (1000, 4)):
            paths = write_runs(folder, queries, 1000, runs)
            show(f"rankstone, {runs} runs x {queries} queries x 1,000", [*ours, target, *paths])


if __name__ == "__main__":
    main()
