"""Order and equality of numbers in segments: what falling_order.hpp and count_equals.hpp do."""

from __future__ import annotations

import numpy as np


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
