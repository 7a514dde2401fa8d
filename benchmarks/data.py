"""Judgments and runs of the size of MS MARCO passage ranking, the same bytes every time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

import numpy as np

_SEED = 7
_HIGHEST_QUERY = 1_102_432
_HIGHEST_DOC = 8_841_822
_FOUND = 0.85  # share of judged documents that are in the run
_SECOND = 0.06  # share of queries with a second relevant document


@dataclass(frozen=True)
class Files:
    """Paths of judgments and a run; ``double`` has as many queries again, none of them judged."""

    qrels: str
    run: str
    double: str = ""


def large(folder: str) -> Files:
    """Return 6,980 queries with 1,000 documents each, about 260 MB, made on first use."""
    return _made(folder, "large", 6980, 1000, double=True)


def small(folder: str) -> Files:
    """Return 50 queries with 100 documents each, made on first use."""
    return _made(folder, "small", 50, 100, double=False)


def _made(folder: str, name: str, queries: int, depth: int, *, double: bool) -> Files:
    os.makedirs(folder, exist_ok=True)
    paths = [os.path.join(folder, f"{name}.{kind}") for kind in ("qrels", "run", "double.run")]
    paths = paths[: 3 if double else 2]
    if not all(map(os.path.exists, paths)):
        partial = [f"{path}.partial" for path in paths]
        _write(partial, queries, depth)
        for path, finished in zip(partial, paths, strict=True):
            os.replace(path, finished)
    return Files(*paths)


def _write(paths: list[str], queries: int, depth: int) -> None:
    rng = np.random.default_rng(_SEED)
    ids = rng.choice(_HIGHEST_QUERY, 2 * queries, replace=False) + 1
    judgments: list[str] = []
    with ExitStack() as stack:
        runs = [stack.enter_context(_new(path)) for path in paths[1:]]
        for query in ids[:queries].tolist():
            docs = _distinct(rng, depth + 2)
            judgments += _judgments(rng, query, docs[:depth], docs[depth:])
            _write_query(rng, runs, query, docs[:depth])
        for query in ids[queries:].tolist() if len(runs) > 1 else []:
            _write_query(rng, runs[1:], query, _distinct(rng, depth))
    with _new(paths[0]) as file:
        # Judgments seldom stand in the order of the run.
        file.writelines(judgments[i] for i in rng.permutation(len(judgments)).tolist())


def _new(path: str) -> IO[str]:
    return open(path, "w", encoding="ascii", newline="\n")


def _distinct(rng: np.random.Generator, n: int) -> list[int]:
    drawn = rng.integers(0, _HIGHEST_DOC + 1, n + n // 10 + 10)
    _, first = np.unique(drawn, return_index=True)
    return drawn[np.sort(first)[:n]].tolist()


def _judgments(
    rng: np.random.Generator, query: int, docs: list[int], others: list[int]
) -> Iterator[str]:
    # Good systems put relevant documents near the top: ranks are uniform on a log scale.
    ranks = np.exp(rng.random(2) * np.log(len(docs))).astype(int) - 1
    found = rng.random(2) < _FOUND
    chosen = [docs[r] if f else o for r, f, o in zip(ranks, found, others, strict=True)]
    second = rng.random() < _SECOND
    for doc in dict.fromkeys(chosen[: 2 if second else 1]):
        yield f"{query} 0 {doc} 1\n"


def _write_query(
    rng: np.random.Generator, runs: list[IO[str]], query: int, docs: list[int]
) -> None:
    # Below 16, six decimals stay distinct when rounded to 32 bits as trec_eval does, so every
    # evaluator sees the same ties: few with six decimals, some with four.
    decimals = int(rng.integers(4, 7))
    scores = np.sort(4 + 11 * rng.beta(1.2, 4, len(docs)))[::-1].tolist()
    lines = [
        f"{query} Q0 {doc} {rank} {score:.{decimals}f} bm25-v1\n"
        for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), 1)
    ]
    text = "".join(lines)
    for run in runs:
        run.write(text)
