"""Means over all orders of the documents that share a score, in closed form.

A tie is a set of documents of one query with the same score: ``above`` documents rank before it,
``size`` are in it, and its ``size!`` orders are equally likely. Every mean here is a sum over the
positions of a tie, so it costs no more than listing the positions once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankstone.core import segments
from rankstone.core.discounts import discount, discount_sums
from rankstone.core.pairs import Pair, quotient
from rankstone.core.ranked import Ranked, lazy
from rankstone.frozen import frozen

Array = np.ndarray


class Positions:
    """The positions of some ties, laid end to end.

    ``place`` counts from 1 within a tie, ``rank`` is the place in the whole ranking.
    """

    def __init__(self, above: Array, size: Array) -> None:
        self.size = size
        self.offsets = segments.offsets_of(size)
        self.place = segments.positions(self.offsets) + 1
        self.rank = self.place + self.spread(above)

    def spread(self, values: Array) -> Array:
        """Return, for each position, the value of its tie."""
        return np.repeat(values, self.size)

    def sum(self, values: Array) -> Array:
        """Return, for each tie, the sum over its positions."""
        return segments.total(values, self.offsets)


@frozen(eq=False)
class Ties:
    """The ties of a Ranked that hold a judged document, singletons included.

    ``rows`` are their rows, which ``row_offsets`` divide by query; ``of_row`` is the tie of each row,
    ``starts`` the first row of each tie.
    """

    above: Array
    size: Array
    starts: Array
    row_offsets: Array
    rows: Array | slice

    @lazy
    def of_row(self) -> Array:
        """The tie of each row."""
        ends = np.append(self.starts[1:], self.row_offsets[-1])
        return np.repeat(np.arange(len(self.starts)), ends - self.starts)

    @property
    def offsets(self) -> Array:
        """The offsets of the ties of each query."""
        return np.searchsorted(self.starts, self.row_offsets)

    @property
    def query(self) -> Array:
        """The query of each tie."""
        return segments.numbers(self.row_offsets)[self.starts]

    def positions(self, ties: Array) -> Positions:
        """Return the positions of some ties."""
        return Positions(self.above[ties], self.size[ties])

    def count(self, mask: Array) -> Array:
        """Return how many rows of each tie are true."""
        if len(self.size) == self.row_offsets[-1]:
            return mask.astype(np.int64)
        return np.bincount(self.of_row, weights=mask, minlength=len(self.size)).astype(np.int64)

    def alone(self, k: Array | int | None) -> Array:
        """Return the ties of one document, down to a cutoff."""
        single = self.size == 1
        return np.flatnonzero(single if k is None else single & (self.above < k))

    def of_rows(self, values: Pair) -> Pair:
        """Return the value of each row's tie."""
        return values[0][self.of_row], values[1][self.of_row]


def _means(mean: Array, alone: Array, own: Pair) -> Pair:
    """Return the mean of each tie; a document that is ``alone`` has its ``own`` value.

    So it has the bits it would have if no other documents were tied either.
    """
    low = np.zeros(len(mean))
    mean[alone], low[alone] = own
    return mean, low


def ties_of(r: Ranked, k: Array | int | None = None) -> Ties:
    """Return the ties of a ranking; of a table those that begin below a cutoff may be left out."""
    cut = k if isinstance(k, int) and r.width and k < r.width else None
    return r.cached(("ties", cut), lambda: _ties_of(r, cut))


def _ties_of(r: Ranked, k: int | None) -> Ties:
    first, offsets = r.tie_starts(), r.offsets
    rows: Array | slice = slice(None)
    if first is None:
        first = np.ones(len(r.above), bool)
        first[1:] = r.above[1:] != r.above[:-1]
        first[offsets[:-1][segments.lengths(offsets) > 0]] = True
        starts = np.flatnonzero(first)
        above, size = r.above[starts], r.tied[starts]
    else:
        if k is not None:
            rows, offsets = _rows_above(first.reshape(len(r), -1), k)
            first = first[rows]
        starts = np.flatnonzero(first)
        above = segments.positions(offsets)[starts]
        size = np.diff(starts, append=len(first))
    return Ties(above, size, starts, offsets, rows)


def _rows_above(first: Array, k: int) -> tuple[Array, Array]:
    """Return the rows of a table whose ties begin within the first k columns, and their offsets."""
    count, width = first.shape
    sizes = np.full(count, k)
    longer = np.flatnonzero(~first[:, k])
    rest = first[longer, k:]
    sizes[longer] = np.where(rest.any(axis=1), k + rest.argmax(axis=1), width)
    offsets = segments.offsets_of(sizes)
    return segments.positions(offsets) + np.repeat(np.arange(count) * width, sizes), offsets


def mean_discount(ties: Ties, name: str, k: Array | int | None) -> Pair:
    """Return the mean discount of the positions of each tie; beyond k it is 0.

    ``k`` may hold a cutoff for each query.
    """
    begin, end = ties.above, ties.above + ties.size
    cut = k[ties.query] if isinstance(k, np.ndarray) else k
    if cut is not None:
        begin, end = np.minimum(begin, cut), np.minimum(end, cut)
    mean = discount_sums(begin, end, name) / ties.size
    alone = ties.alone(cut)
    return _means(mean, alone, discount(end[alone], name))


def hit_precision(r: Ranked, hit: Array, k: int | None) -> Pair:
    """Return the mean precision at the rank of each hit, 0 if it is beyond k.

    In a tie of n documents, r of them relevant, with h relevant ones above, a given relevant
    document is at position i with probability 1/n, and then h + 1 + (i - 1)(r - 1)/(n - 1)
    relevant documents are there or above, on average.
    """
    ties = ties_of(r)
    relevant = ties.count(hit)
    by_query = segments.offsets_of(np.bincount(ties.query, minlength=len(r)))
    before = segments.running_total(relevant, by_query) - relevant
    shared = np.flatnonzero((ties.size > 1) & (relevant > 0))
    at = ties.positions(shared)
    n, inside = at.spread(at.size), at.spread(relevant[shared])
    others = (at.place - 1) * (inside - 1) / (n - 1)
    precision = (at.spread(before[shared]) + 1 + others) / at.rank
    if k is not None:
        precision = np.where(at.rank <= k, precision, 0.0)
    mean = np.zeros(len(ties.size))
    mean[shared] = at.sum(precision) / at.size
    alone = ties.alone(k)
    alone = alone[relevant[alone] > 0]
    own = quotient(before[alone] + 1.0, ties.above[alone] + 1.0)
    high, low = ties.of_rows(_means(mean, alone, own))
    return np.where(hit, high, 0.0), np.where(hit, low, 0.0)


def first_hit(r: Ranked, hit: Array, weight: Callable[[Array], Array], k: int | None) -> Array:
    """Return the mean weight of the rank of the first hit, shared among the hits of its tie.

    Ranks beyond k weigh nothing. In a tie of n documents, r of them relevant, the first relevant
    one is at position i with probability r/(n - i + 1) times the probability that none comes
    before, which for each of the i - 1 positions before, at place j, is (n - r - j + 1)/(n - j + 1).
    """
    ties = ties_of(r)
    relevant = ties.count(hit)
    by_query = segments.offsets_of(np.bincount(ties.query, minlength=len(r)))
    has_hit = relevant > 0
    earliest = np.flatnonzero(has_hit & (segments.running_count(has_hit, by_query) == 1))
    at = ties.positions(earliest)
    inside = at.spread(relevant[earliest])
    left = at.spread(at.size) - at.place + 1
    chance = (
        inside / left * segments.running_product(np.maximum(left - inside, 0) / left, at.offsets)
    )
    weights = weight(at.rank)
    if k is not None:
        weights = np.where(at.rank <= k, weights, 0.0)
    mean = np.zeros(len(ties.size))
    mean[earliest] = at.sum(chance * weights) / relevant[earliest]
    return np.where(hit, mean[ties.of_row], 0.0)
