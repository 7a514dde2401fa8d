"""Tables of labels and scores: what is compared with what, and the goal for the ratio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

import numpy as np

import rankstone as rs

_TWENTY = [f"{name}@{k}" for name in ("nDCG", "P", "R", "Success") for k in (1, 5, 10, 100)] + [
    "AP",
    "RR",
    "nDCG",
    "Rprec",
]


@dataclass(frozen=True)
class Case:
    """Two tasks, and how many times as fast or slow ours may be."""

    name: str
    against: str
    goal: float
    ours: Callable[[], object]
    other: Callable[[], object]
    at_least: bool = False


def cases(scale: float) -> Iterator[Case]:
    """Yield the comparisons."""
    rng = np.random.default_rng(7)
    shape = max(2, round(2000 * scale)), 1000
    whole = rng.integers(0, 5, shape).astype(float)
    grades = rng.random(shape)
    scores = rng.random(shape)
    sparse = np.where(rng.random(shape) < 0.01, 1.0, 0.0).astype(np.float32)
    single = scores.astype(np.float32)
    rounded = np.round(scores, 2)
    two = [rs.nDCG @ 10, rs.AP]

    def direct(labels: np.ndarray, predicted: np.ndarray) -> None:
        for measure in two:
            measure(labels, predicted)

    tables = {
        "whole grades": (whole, scores),
        "float grades": (grades, scores),
        "sparse labels, 32-bit scores": (sparse, single),
        "tied scores": (whole, rounded),
    }
    for name, data in tables.items():
        yield Case(
            f"evaluate, {name}", "the direct calls", 1.15,
            partial(rs.evaluate, *data, two), partial(direct, *data),
        )  # fmt: skip
        yield Case(f"AP, {name}", "nDCG", 1.15, partial(rs.AP, *data), partial(rs.nDCG, *data))
    data = tables["whole grades"]
    yield Case(
        "20 measures", "nDCG@10", 2.5,
        partial(rs.evaluate, *data, _TWENTY), partial(rs.evaluate, *data, [rs.nDCG @ 10]),
    )  # fmt: skip
    yield from _against_partition(rng, scale)
    if find_spec("sklearn") is not None:
        yield from _against_sklearn(tables)


def _against_partition(rng: np.random.Generator, scale: float) -> Iterator[Case]:
    shape = max(2, round(6040 * scale)), 3706
    scores = rng.random(shape, np.float32)
    labels = (rng.random(shape) < 0.003).astype(np.float32)
    hit = rs.Success @ 10
    yield Case(
        "hit rate at 10", "np.argpartition", 2,
        partial(hit, labels, scores), lambda: np.argpartition(scores, -10, axis=1),
    )  # fmt: skip


def _against_sklearn(tables: dict[str, tuple[np.ndarray, np.ndarray]]) -> Iterator[Case]:
    from sklearn.metrics import ndcg_score

    for name, data in tables.items():
        ours = partial(rs.nDCG, *data)
        ignored = name != "tied scores"
        theirs = partial(ndcg_score, *data, ignore_ties=ignored)
        if ignored or abs(float(np.mean(ours())) - theirs()) < 1e-9:
            goal = 3 if name == "float grades" else 1
            yield Case(f"nDCG, {name}", "scikit-learn", goal, ours, theirs, at_least=True)
        else:
            raise SystemExit(f"nDCG, {name}: the numbers differ")
