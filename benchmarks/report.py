"""What a report costs beside the evaluation and the comparison that it contains.

    python benchmarks/report.py [--queries 7000] [--runs 5] [--repeat 5] [--ids uuid]

Each run ranks 100 of 150 candidates of a query, of which 30 are judged. Commands alternate, and the
best wall time and the best processor time of each are printed. A page shows its first measures at
more cutoffs than those asked for: what evaluating these costs is how much longer ``evaluate`` takes
with them than without.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

MEASURES = [
    "nDCG@10", "nDCG@100", "AP", "RR", "P@10", "P@5", "R@100", "R@10", "Bpref", "ERR@20",
]  # fmt: skip
CUTOFFS = [f"{name}@{k}" for name in ("nDCG", "AP", "RR", "P") for k in (1, 3, 5, 10, 20, 50, 100)]
CANDIDATES, RETRIEVED, JUDGED, CORPUS = 150, 100, 30, 1_000_000


def write(folder: Path, queries: int, runs: int, ids: str) -> None:
    """Write judgments and runs."""
    rng = random.Random(7)

    def name(doc: int) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, str(doc))) if ids == "uuid" else f"D{doc:06d}"

    known = [[name(d) for d in rng.sample(range(CORPUS), CANDIDATES)] for _ in range(queries)]
    with (folder / "qrels").open("w") as out:
        for q, docs in enumerate(known):
            out.writelines(
                f"q{q} 0 {doc} {rng.choice((0, 0, 1, 1, 2, 3))}\n" for doc in docs[:JUDGED]
            )
    for r in range(runs):
        with (folder / f"run{r}").open("w") as out:
            for q, docs in enumerate(known):
                good = [
                    rng.gauss(0, 1) + (0.6 + 0.05 * r) * (i < JUDGED) for i in range(CANDIDATES)
                ]
                best = sorted(zip(good, docs, strict=True), reverse=True)[:RETRIEVED]
                out.writelines(f"q{q} Q0 {d} {i} {s:.5f} r\n" for i, (s, d) in enumerate(best, 1))


def cost(folder: Path, *words: str) -> tuple[float, float]:
    """Return the wall time and the processor time of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "rankstone", *words], cwd=folder, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, used


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=7000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--ids", choices=("short", "uuid"), default="short")
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder, args.queries, args.runs, args.ids)
        files = ["qrels", *(f"run{r}" for r in range(args.runs))]
        more = list(dict.fromkeys([*MEASURES, *CUTOFFS]))
        commands = {
            "compare": ["compare", *files, "-m", *MEASURES],
            "report": ["report", *files, "-m", *MEASURES, "-o", "page.html", "--force"],
            "evaluate": ["evaluate", *files, "-m", *MEASURES],
            "with cutoffs": ["evaluate", *files, "-m", *more],
        }
        costs: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(args.repeat):
            for name, words in commands.items():
                costs[name].append(cost(folder, *words))
        wall, processor = ({n: min(c[i] for c in own) for n, own in costs.items()} for i in (0, 1))
        print(f"{args.runs} runs, {args.queries} queries, {len(MEASURES)} measures")
        for what, best in (("wall", wall), ("processor", processor)):
            cutoffs = best["with cutoffs"] - best["evaluate"]
            print(
                f"{what:>9}: compare {best['compare']:.2f} s, report {best['report']:.2f} s: "
                f"{best['report'] / best['compare']:.2f} times; evaluation at cutoffs {cutoffs:.2f} s, "
                f"with it {best['report'] / (best['compare'] + cutoffs):.2f} times"
            )
        print(f"page: {(folder / 'page.html').stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
