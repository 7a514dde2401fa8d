"""Ids in a text: what ids_in_text.hpp does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rankstone.core.text import number_text


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
