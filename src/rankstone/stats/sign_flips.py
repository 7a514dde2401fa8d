"""Sign flips of paired differences, for many pairs of columns at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rankstone.frozen import frozen
from rankstone.stats.resampling import check_resamples, in_chunks

_TABLE_CELLS = 1 << 20  # of tables of signed sums at once, 8 MB
_PAIR_CELLS = 1 << 16  # of differences at once, 512 kB, which fits caches


@frozen
class FlipCounts:
    """p-values of sign flips; ``exact`` where every choice of signs was enumerated."""

    p: np.ndarray
    exact: np.ndarray


def sign_flips(
    grid: np.ndarray, left: np.ndarray, right: np.ndarray, *, resamples: int, seed: int
) -> FlipCounts:
    """Return two-sided p-values of the differences ``grid[left] - grid[right]``.

    The signs of a resample are drawn once for all rows, so the work grows with the number of
    rows, not with that of their pairs. Every query has its sign, whether or not a difference needs
    it, so that a p-value does not depend on the other rows.

    Args:
        grid: one row per run and measure, one column per query, as ``on_grid`` returns them.
        left: row of the minuend of each difference.
        right: row of the subtrahend.
        resamples: number of random choices of signs; if there are no more, all are enumerated.
        seed: what the random signs depend on.
    """
    check_resamples(resamples)
    n = grid.shape[1]
    p, nonzero, in_use = np.ones(len(left)), np.zeros(len(left), np.int64), np.zeros(n, bool)
    for rows in _parts(len(left), n):
        different = grid[left[rows]] != grid[right[rows]]
        nonzero[rows] = different.sum(axis=1)
        in_use |= different.any(axis=0)
    exact = nonzero < int(resamples).bit_length()  # 2 ** nonzero <= resamples
    for i in np.flatnonzero(exact).tolist():
        difference = grid[left[i]] - grid[right[i]]
        p[i] = _enumerated(difference[difference != 0])
    if not exact.all():
        drawn = ~exact
        p[drawn] = _drawn(grid * in_use, left[drawn], right[drawn], resamples, seed)
    return FlipCounts(p, exact)


def _enumerated(difference: np.ndarray) -> float:
    """Return the share of all choices of signs with a sum at least as far from 0."""
    if not len(difference):
        return 1.0
    sums = difference[:1]  # the first sign is fixed: the other half mirrors this one
    for value in difference[1:].tolist():
        sums = np.concatenate((sums - value, sums + value))
    threshold = threshold_of(difference.sum(), len(difference))
    return float((np.abs(sums) >= threshold).mean())


def _drawn(
    grid: np.ndarray, left: np.ndarray, right: np.ndarray, resamples: int, seed: int
) -> np.ndarray:
    """Return (1 + number of sums at least as far from 0) / (1 + resamples)."""
    rows, place = np.unique(np.concatenate((left, right)), return_inverse=True)
    columns = grid[rows]
    first, second = np.split(place, 2)
    totals = columns.sum(axis=1)
    threshold = threshold_of(totals[first] - totals[second], grid.shape[1])
    task = _counter(columns, first, second, threshold)
    counts = np.sum(in_chunks(task, "sign flips", seed, resamples), axis=0)
    return (1.0 + counts) / (1.0 + resamples)


def _counter(
    columns: np.ndarray, first: np.ndarray, second: np.ndarray, threshold: np.ndarray
) -> Callable[[np.random.PCG64, int], np.ndarray]:
    """Return a task that counts how often each pair's sum is beyond its threshold."""

    def count(stream: np.random.PCG64, resamples: int) -> np.ndarray:
        sums = _signed_sums(columns, stream, resamples)
        counts = np.zeros(len(first))
        for rows in _parts(len(first), resamples):
            far = sums[first[rows]]
            far -= sums[second[rows]]
            np.abs(far, out=far)
            counts[rows] = np.count_nonzero(far >= threshold[rows, None], axis=1)
        return counts

    return count


def _signed_sums(columns: np.ndarray, stream: np.random.PCG64, resamples: int) -> np.ndarray:
    """Return the sums of each row of ``columns`` under random signs, one column per resample.

    A random byte chooses the signs of eight queries; a table of the 256 sums they can have makes
    eight additions one look-up. The bytes of queries that are all 0 are skipped.
    """
    count, n = columns.shape
    blocks = -(-n // 8)
    padded = np.zeros((blocks * 8, count))
    padded[:n] = columns.T
    eights = padded.reshape(blocks, 8, count)
    used = np.flatnonzero(eights.any(axis=(1, 2)))
    skipped = np.diff(used, prepend=-1) - 1
    at_once = max(1, _TABLE_CELLS // (256 * count))
    words = -(-resamples // 8)
    sums, part = np.zeros((resamples, count)), np.empty((resamples, count))
    for start in range(0, len(used), at_once):
        now = slice(start, start + at_once)
        for table, gap in zip(_tables(eights[used[now]]), skipped[now].tolist(), strict=True):
            stream.advance(gap * words)
            choice = stream.random_raw(words).astype("<u8", copy=False).view(np.uint8)[:resamples]
            np.take(table, choice, axis=0, out=part, mode="clip")
            sums += part
    return np.ascontiguousarray(sums.T)


def _tables(eights: np.ndarray) -> np.ndarray:
    """Return the sums of eight rows under all 256 choices of their signs."""
    sums = np.zeros((len(eights), 1, eights.shape[2]))
    for values in eights.transpose(1, 0, 2):
        sums = np.concatenate((sums - values[:, None], sums + values[:, None]), axis=1)
    return sums


def threshold_of(total: np.ndarray, n: int) -> np.ndarray:
    """Return the smallest sum on the grid that may equal an observed one on paper.

    Rounding to the grid moves a difference of two values by at most a unit, so a sum of n by at
    most n, and two sums by 2 n.
    """
    return np.abs(total) - 2.0 * n


def _parts(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of rows whose cells fit into memory."""
    at_once = max(1, _PAIR_CELLS // max(1, width))
    for start in range(0, rows, at_once):
        yield slice(start, start + at_once)
