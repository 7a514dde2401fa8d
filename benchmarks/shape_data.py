"""Judgments and runs of many shapes, the same bytes every time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import numpy as np
from data import Files

_SEED = 11
_RETRIEVED = 0.6  # share of judged documents that are in the run
_LISTS = 500  # different rankings; queries beyond this number repeat their documents and scores
_HIGHEST_DOC = 8_841_822


@dataclass(frozen=True)
class Shape:
    """A run of ``queries`` lists of ``depth`` documents, and ``judged`` judgments for each.

    The rows are in order of rank, query by query, unless ``order`` is "shuffled". Scores have
    ``decimals`` decimals.
    """

    name: str
    queries: int
    depth: int
    judged: int
    order: str = "ranked"
    decimals: int = 6

    @property
    def rows(self) -> int:
        """Number of rows of the run."""
        return self.queries * self.depth

    def scaled(self, scale: float) -> Shape:
        """Return the shape with fewer queries, or fewer documents of the only query."""
        queries, depth = max(1, round(self.queries * scale)), self.depth
        if self.queries == 1:
            depth = max(1, round(depth * scale))
        return Shape(self.name, queries, depth, self.judged, self.order, self.decimals)


def files(folder: str, shape: Shape) -> Files:
    """Return the paths of a shape's judgments and run, made on first use."""
    os.makedirs(folder, exist_ok=True)
    stem = os.path.join(folder, f"{shape.name.replace(' ', '-')}-{shape.rows}")
    paths = Files(f"{stem}.qrels", f"{stem}.run")
    if not (os.path.exists(paths.qrels) and os.path.exists(paths.run)):
        _write(shape, paths)
    return paths


def _write(shape: Shape, paths: Files) -> None:
    rng = np.random.default_rng(_SEED)
    lists = [_list(rng, shape) for _ in range(min(_LISTS, shape.queries))]
    queries = (rng.permutation(shape.queries) + 1).tolist()
    with _new(paths.run) as run:
        texts = _texts(queries, [rows for rows, _ in lists])
        if shape.order == "shuffled":
            lines = "".join(texts).splitlines(keepends=True)
            texts = (lines[i] for i in rng.permutation(len(lines)).tolist())
        run.writelines(texts)
    with _new(paths.qrels) as qrels:
        qrels.writelines(_texts(queries, [judgments for _, judgments in lists]))


def _texts(queries: list[int], lists: list[list[str]]) -> Iterator[str]:
    """Yield the lines of each query: one of the lists, with the query in front."""
    for i, query in enumerate(queries):
        rows = lists[i % len(lists)]
        yield f"{query} " + f"\n{query} ".join(rows) + "\n"


def _list(rng: np.random.Generator, shape: Shape) -> tuple[list[str], list[str]]:
    """Return the rows of one ranking and of its judgments, without their query."""
    depth, judged = shape.depth, shape.judged
    docs = _distinct(rng, depth + judged)
    scores = np.sort(4 + 11 * rng.beta(1.2, 4, depth))[::-1].tolist()
    rows = [
        f"Q0 {doc} {rank} {score:.{shape.decimals}f} bm25-v1"
        for rank, (doc, score) in enumerate(zip(docs[:depth], scores, strict=True), 1)
    ]
    retrieved = min(depth, round(judged * _RETRIEVED) or int(rng.random() < _RETRIEVED))
    # Good systems put relevant documents near the top: ranks are uniform on a log scale.
    drawn = np.exp(rng.random(4 * retrieved + 1) * np.log(depth)).astype(int) - 1
    ranks = list(dict.fromkeys(drawn.tolist()))[:retrieved]
    chosen = [docs[r] for r in ranks] + docs[depth : depth + judged - len(ranks)]
    grades = rng.integers(0, 3, judged)
    grades[0] = 1
    order = rng.permutation(judged)
    return rows, [f"0 {chosen[i]} {grades[i]}" for i in order]


def _distinct(rng: np.random.Generator, n: int) -> list[int]:
    highest = max(_HIGHEST_DOC, 3 * n)
    drawn = rng.integers(0, highest, 2 * n + 10)
    _, first = np.unique(drawn, return_index=True)
    return drawn[np.sort(first)[:n]].tolist()


@contextmanager
def _new(path: str) -> Iterator[IO[str]]:
    """Open a file that is there under its name only once it is whole."""
    partial = f"{path}.partial"
    with open(partial, "w", encoding="ascii", newline="\n") as file:
        yield file
    os.replace(partial, path)
