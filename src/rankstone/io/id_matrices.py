"""Tables of ids, a row for each query, as vector indexes and recommenders return them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankstone.core.as_numpy import array_of, speaks_arrays
from rankstone.errors import DataError
from rankstone.io.rows import check_distinct

Array = np.ndarray


def ids_of(data: Any) -> Array | None:
    """Return the ids of a table of whole numbers, or of a pair of one and its scores, else None.

    implicit returns ids and scores, FAISS distances and ids; the ids are the whole numbers, and their
    order is the ranking.
    """
    if isinstance(data, tuple) and len(data) == 2 and all(map(_is_table, data)):
        tables = [array_of(table, "ids") for table in data]
        whole = [table for table in tables if table.dtype.kind in "iu"]
        if len(whole) == 1 and tables[0].shape == tables[1].shape:
            return whole[0]
    return array_of(data, "ids") if _is_table(data) and _is_whole(data) else None


def _is_table(data: Any) -> bool:
    return (
        not isinstance(data, list | tuple)
        and speaks_arrays(data)
        and not hasattr(data, "columns")
        and getattr(data, "ndim", 0) == 2
    )


def _is_whole(table: Any) -> bool:
    return "int" in str(getattr(table, "dtype", ""))


def lists_of(ids: Array, query_ids: Sequence[Any] | None) -> Any:
    """Return the ids of each row without padding, by query if these are named."""
    rows = [row[row >= 0].tolist() for row in ids]
    if query_ids is None:
        return rows
    if len(query_ids) != len(rows):
        raise DataError(
            f"{len(query_ids)} query_ids for {len(rows)} rows of ids: give one for each."
        )
    check_distinct(query_ids, "the run")
    return dict(zip(query_ids, rows, strict=True))


def true_neighbours(ids: Any, distances: Any, k: int, *, ascending: bool = True) -> list[set[Any]]:
    """Return the true nearest neighbours of each query, as judgments of an approximate search.

    The k nearest, and every other one that is as near as the k-th: a search that returns one of
    these in its place is as good. A query may have fewer. Evaluate with capped recall.

    Args:
        ids: of the neighbours, a row for each query, in any order; below 0 is padding.
        distances: as many, of which the lowest are the nearest.
        k: how many are searched for.
        ascending: False if the numbers are similarities, of which the highest are the nearest.

    >>> import rankstone as rs
    >>> truth = true_neighbours([[4, 7, 9]], [[0.1, 0.5, 0.5]], k=2)
    >>> rs.evaluate(truth, np.array([[4, 9]]), "R(denominator='min(R,k)')@2").aggregates
    {"R(denominator='min(R,k)')@2": 1.0}
    """
    table, far = array_of(ids, "ids"), array_of(distances, "distances").astype(np.float64)
    if table.ndim != 2 or table.shape != far.shape:
        raise DataError(
            f"ids are {table.shape} and distances {far.shape}; give tables of one shape, a row for "
            "each query."
        )
    if k < 1 or np.isnan(far[table >= 0]).any():
        raise DataError("k is at least 1, and the distance of a neighbour is a number.")
    far = np.where(table >= 0, far if ascending else -far, np.inf)
    last = np.sort(far, axis=1)[:, min(k, far.shape[1]) - 1, None]
    near = (far <= last) & (table >= 0)
    return [set(row[chosen].tolist()) for row, chosen in zip(table, near, strict=True)]
