"""Data of named shapes and sizes, the same bytes every time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO, NamedTuple

import numpy as np

_SEED = 11
_RETRIEVED = 0.6  # share of judged documents that are in the run
_LISTS = 500  # different rankings; queries beyond this number repeat their documents and scores
_HIGHEST_DOC = 8_841_822


@dataclass(frozen=True)
class Shape:
    """A run of ``queries`` lists of ``depth`` documents, and ``judged`` judgments for each.

    ``small`` is the number of queries of the small size. ``form`` is how the data are held: "trec", "jsonl"
    and "json" are files, "dicts" and "table" are in memory. Rows are in order of rank, query by query, unless
    ``order`` is "shuffled". Scores have ``decimals`` decimals.
    """

    name: str
    form: str
    queries: int
    small: int
    depth: int
    judged: int
    order: str = "ranked"
    decimals: int = 6

    @property
    def rows(self) -> int:
        """Number of documents of all lists."""
        return self.queries * self.depth

    def sizes(self, scale: float) -> list[Shape]:
        """Return the shape in its small and its large size, the latter with a share of the queries."""
        large = max(2 * self.small, round(self.queries * scale))
        return [replace(self, queries=queries) for queries in (self.small, large)]


SHAPES = (
    Shape("web search", "trec", 6980, 50, 1000, 1),
    Shape("pooled judgments, tied scores", "trec", 2000, 50, 1000, 100, decimals=1),
    Shape("deep judgments", "trec", 2500, 50, 1000, 1000),
    Shape("recommender", "trec", 100_000, 1000, 50, 10),
    Shape("short lists", "trec", 500_000, 5000, 4, 2),
    Shape("interleaved rows", "trec", 2000, 50, 1000, 1, order="shuffled"),
    Shape("JSON lines", "jsonl", 1000, 50, 1000, 10),
    Shape("JSON object", "json", 500, 50, 1000, 10),
    Shape("dicts, 1 judgment a query", "dicts", 2000, 50, 1000, 1),
    Shape("dicts, 100 judgments a query", "dicts", 2000, 50, 1000, 100),
    Shape("table, all graded", "table", 2000, 200, 1000, 1000),
    Shape("table, one relevant item a row", "table", 6040, 200, 3706, 1),
)


class Files(NamedTuple):
    """Paths of judgments and a run."""

    qrels: str
    run: str


def files(folder: str, shape: Shape) -> Files:
    """Return the paths of a shape's judgments and run, made on first use."""
    os.makedirs(folder, exist_ok=True)
    form = shape.form if shape.form in ("json", "jsonl") else "trec"
    words = shape.name.replace(",", "").split()
    stem = os.path.join(folder, "-".join([*words, str(shape.queries), str(shape.depth)]))
    paths = Files(f"{stem}.qrels.{form}", f"{stem}.run.{form}")
    if not all(map(os.path.exists, paths)):
        _write(shape, form, paths)
    return paths


def table(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores of a shape in two tables."""
    rng = np.random.default_rng(_SEED)
    scores = rng.random((shape.queries, shape.depth), np.float32)
    if shape.judged == shape.depth:
        return rng.integers(0, 5, scores.shape).astype(np.float32), scores
    labels = np.zeros(scores.shape, bool)
    columns = rng.integers(0, shape.depth, (shape.queries, shape.judged))
    labels[np.arange(shape.queries)[:, None], columns] = True
    return labels, scores


_Numbers = list[tuple[int, float]]  # documents with scores or grades


def _write(shape: Shape, form: str, paths: Files) -> None:
    rng = np.random.default_rng(_SEED)
    lists = [_list(rng, shape) for _ in range(min(_LISTS, shape.queries))]
    queries = (rng.permutation(shape.queries) + 1).tolist()
    for path, part, decimals in zip(paths, (1, 0), (0, shape.decimals), strict=True):
        own = [numbers[part] for numbers in lists]
        with _new(path) as file:
            if form == "json":
                written = ({str(d): n for d, n in own[i % len(own)]} for i in range(len(queries)))
                json.dump(dict(zip(map(str, queries), written, strict=True)), file)
                continue
            bodies = [_bodies(numbers, form, decimals, is_run=not part) for numbers in own]
            start = '{{"query_id": "{}", ' if form == "jsonl" else "{} "
            texts = _texts([start.format(q) for q in queries], bodies)
            if shape.order == "shuffled" and not part:
                lines = "".join(texts).splitlines(keepends=True)
                texts = (lines[i] for i in rng.permutation(len(lines)).tolist())
            file.writelines(texts)


def _texts(starts: list[str], lists: list[list[str]]) -> Iterator[str]:
    """Yield the lines of each query: one of the lists, with the query in front."""
    for i, start in enumerate(starts):
        yield start + f"\n{start}".join(lists[i % len(lists)]) + "\n"


def _bodies(numbers: _Numbers, form: str, decimals: int, *, is_run: bool) -> list[str]:
    """Return the lines of a list without their query."""
    if form == "jsonl":
        name = "score" if is_run else "grade"
        return [f'"doc_id": "{d}", "{name}": {n:.{decimals}f}}}' for d, n in numbers]
    if is_run:
        ranked = enumerate(numbers, 1)
        return [f"Q0 {d} {rank} {n:.{decimals}f} bm25-v1" for rank, (d, n) in ranked]
    return [f"0 {d} {n:.0f}" for d, n in numbers]


def _list(rng: np.random.Generator, shape: Shape) -> tuple[_Numbers, _Numbers]:
    """Return one ranking and its judgments."""
    depth, judged = shape.depth, shape.judged
    docs = _distinct(rng, depth + judged)
    scores = np.sort((4 + 11 * rng.beta(1.2, 4, depth)).round(shape.decimals))[::-1].tolist()
    retrieved = min(depth, round(judged * _RETRIEVED) or int(rng.random() < _RETRIEVED))
    # Good systems put relevant documents near the top: ranks are uniform on a log scale.
    drawn = np.exp(rng.random(4 * retrieved + 1) * np.log(depth)).astype(int) - 1
    ranks = list(dict.fromkeys(drawn.tolist()))[:retrieved]
    chosen = [docs[r] for r in ranks] + docs[depth : depth + judged - len(ranks)]
    grades = rng.integers(0, 3, judged)
    grades[0] = 1
    order = rng.permutation(judged)
    judgments = [(chosen[i], int(grades[i])) for i in order]
    return list(zip(docs, scores, strict=False)), judgments


def _distinct(rng: np.random.Generator, n: int) -> list[int]:
    drawn = rng.integers(0, max(_HIGHEST_DOC, 3 * n), 2 * n + 10)
    _, first = np.unique(drawn, return_index=True)
    return drawn[np.sort(first)[:n]].tolist()


@contextmanager
def _new(path: str) -> Iterator[IO[str]]:
    """Open a file that is there under its name only once it is whole."""
    partial = f"{path}.partial"
    with open(partial, "w", encoding="ascii", newline="\n") as file:
        yield file
    os.replace(partial, path)
