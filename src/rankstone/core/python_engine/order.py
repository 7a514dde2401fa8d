"""Order and equality of numbers in segments, as in falling_order.hpp, count_equals.hpp, count_table.hpp."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core.text import number_text


def falling_order(values: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Order each segment, highest first, equals in input order; say which hold equals."""
    sizes = np.diff(offsets)
    segment = np.repeat(np.arange(len(sizes)), sizes)
    if len(sizes) and (sizes == sizes[0]).all():
        table = -values.reshape(len(sizes), sizes[0])
        order = (np.argsort(table, axis=1, kind="stable") + offsets[:-1, None]).reshape(-1)
    else:
        order = np.lexsort((-values, segment))
    ordered = values[order]
    equal = (ordered[1:] == ordered[:-1]) & (segment[1:] == segment[:-1])
    tied = np.zeros(len(sizes), np.uint8)
    tied[segment[1:][equal]] = 1
    return order, tied


def falling_beside(
    values: np.ndarray, offsets: np.ndarray, beside: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Put the numbers beside the values in the order of the values; say which segments hold equals."""
    order, tied = falling_order(values, offsets)
    return beside[order], tied


def falling_small(values: np.ndarray, offsets: np.ndarray) -> None:
    """Return None: here counting small numbers is no quicker than sorting them."""
    del values, offsets


def count_equals(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return how many numbers of each segment equal another of it."""
    order, tied = falling_order(values, offsets)
    ordered = values[order]
    bounds = np.repeat(offsets[:-1], np.diff(offsets))
    place = np.arange(len(values))
    same = np.zeros(len(values) + 1, bool)  # as the number before, of the same segment
    same[1:-1] = (ordered[1:] == ordered[:-1]) & (place[1:] > bounds[1:])
    equal = same[:-1] | same[1:]
    return np.bincount(
        np.repeat(np.arange(len(tied)), np.diff(offsets))[equal], minlength=len(tied)
    )


def count_table(
    scores: np.ndarray, offsets: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, ...] | None:
    """Count, for some columns of each row, scores above, scores equal, and equal ones before.

    And the documents of each row, of which those with the score -inf are absent. None if a score is
    NaN, +inf, or 2^53 and more.
    """
    listed = scores != -np.inf
    if not (np.abs(scores[listed]) < 2.0**53).all():
        return None
    rows = np.repeat(np.arange(len(scores)), np.diff(offsets))
    counts = [np.zeros(len(columns), np.int64) for _ in range(3)]
    for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
        own = scores[row]
        equal = own == own[column]
        for count, mask in zip(counts, (own > own[column], equal, equal[:column]), strict=True):
            count[i] = mask.sum()
    return *counts, np.count_nonzero(listed, axis=1)


def count_near(
    scores: np.ndarray, offsets: np.ndarray, columns: np.ndarray, tolerance: np.ndarray, check: bool
) -> tuple[Any, ...]:
    """Count, for some columns of each row, scores above, equal, equal and before, and near.

    And the documents that are absent from each row, with the score -inf; and the first row with a
    score that is NaN or +inf, -1 if there is none.
    """
    odd = np.flatnonzero(~(scores < np.inf).all(axis=1))
    none = np.zeros(len(scores), np.int64)
    if check and len(odd):
        return *np.zeros((4, len(columns)), np.int64), none, int(odd[0])
    rows = np.repeat(np.arange(len(scores)), np.diff(offsets))
    counts = np.zeros((4, len(columns)), np.int64)
    for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
        own = scores[row]
        width = scores.dtype.type(tolerance[row])
        equal = own == own[column]
        near = ~((own > own[column] + width) | (own < own[column] - width))
        counts[:, i] = (own > own[column]).sum(), equal.sum(), equal[:column].sum(), near.sum()
    return *counts, np.isneginf(scores).sum(axis=1) if check else none, -1


def nonzero(bits: np.ndarray, signed_zero: bool, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return where the elements of each row begin that are not 0, and their columns.

    With ``signed_zero`` the highest bit is the sign of a float. None if there are more than ``most``.
    """
    mask = np.iinfo(bits.dtype).max >> signed_zero
    rows, columns = np.nonzero(bits & bits.dtype.type(mask))
    if len(columns) > most:
        return None
    return np.append(0, np.cumsum(np.bincount(rows, minlength=len(bits)))), columns


def gather(text: bytes, begins: np.ndarray, ends: np.ndarray) -> bytes:
    """Return the ids from each begin up to each end, laid end to end."""
    return b"".join(_ids(text, begins, ends))


def _ids(text: bytes, begins: np.ndarray, ends: np.ndarray) -> list[bytes]:
    return [text[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]


def first_equal(
    text: bytes, begins: np.ndarray, ends: np.ndarray, offsets: np.ndarray
) -> np.ndarray:
    """Return for each id in a text the place of the first id of its segment that equals it."""
    ids = _ids(text, begins, ends)
    places: list[int] = []
    for begin, end in pairwise(offsets.tolist()):
        first: dict[bytes, int] = {}
        places.extend(map(first.setdefault, ids[begin:end], range(begin, end)))
    return np.array(places, np.int64)


def write_rows(
    queries: list[bytes],
    text: bytes,
    begins: np.ndarray,
    ends: np.ndarray,
    numbers: np.ndarray,
    offsets: np.ndarray,
) -> bytes:
    """Return the rows of a TREC run, of ids in a text and numbers by query."""
    ids, values = _ids(text, begins, ends), numbers.tolist()
    return b"".join(
        b"%b Q0 %b %d %b rankstone\n" % (query, ids[i], i - a + 1, number_text(values[i]).encode())
        for query, (a, b) in zip(queries, pairwise(offsets.tolist()), strict=True)
        for i in range(a, b)
    )
