"""Choices that are made on some queries, and their values on others."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def folds_of(clusters: Array, folds: int, rng: np.random.Generator) -> Array:
    """Return the fold of each query; queries of a cluster, numbered from 0, are in one."""
    n = int(clusters.max()) + 1
    fold = np.empty(n, np.int64)
    fold[rng.permutation(n)] = np.arange(n) % folds
    return fold[clusters]


def chosen_before(values: Array, fold: Array) -> tuple[Array, Array]:
    """Return the candidate of each fold but the first, and its values on the queries of that fold.

    The candidate has the highest mean over the queries of all earlier folds, the first one of equals.
    Later folds are not used, although that would be more data: if each fold is chosen for by all
    others, the values of folds depend on each other, and intervals are too narrow.

    Args:
        values: of each candidate (row) on each query (column); NaN if it is left out of the mean.
        fold: of each query.
    """
    member = (fold[:, None] == np.arange(int(fold.max()) + 1)).astype(np.float64)
    known = ~np.isnan(values)
    total, count = (
        np.cumsum(rows @ member, axis=1) for rows in (np.where(known, values, 0.0), known)
    )
    chosen = np.argmax(total[:, :-1] / np.maximum(count[:, :-1], 1.0), axis=0)
    later = np.flatnonzero(fold > 0)
    return chosen, values[chosen[fold[later] - 1], later]
