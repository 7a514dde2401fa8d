"""The computations that kernels return, and how they are added up.

A kernel says what each document contributes; here it is decided how the contributions are added:
exactly, in trec_eval's order, averaged over the orders of tied documents, or as a table. No other
module reads the convention ``sums``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import discounts, pairs, segments
from rankstone.core.expected_ties import mean_discount, ties_of
from rankstone.core.items import ItemLists, ListCounts
from rankstone.core.pairs import Pair
from rankstone.core.ranked import Ranked

Array = np.ndarray
T = TypeVar("T")
#: The numbers or words behind each term, by name; a function makes them if they are asked for.
Columns = Mapping[str, Array | Callable[[], Array]]
_NO_COLUMNS: Columns = MappingProxyType({})


class Sum(NamedTuple):
    """The sum of gain times discount over documents down to rank k, over the denominator.

    Args:
        ranked: the ranking.
        gain: gain of each row; the same in any order of the documents if ties are averaged.
        discount: name of the discount by rank.
        k: cutoff, or one cutoff per query.
        denominator: one number per query, or the sum over another ranking. 0: the value is 0.
        query_weight: weight of each query in the mean (default: 1).
        largest: highest possible gain, if all gains are known to be whole numbers.
        columns: the numbers behind each term, for an explanation (default: gain and discount).
    """

    ranked: Ranked
    gain: Array
    discount: str = "none"
    k: Array | int | None = None
    denominator: Array | Sum | None = None
    query_weight: Array | None = None
    largest: float | None = None
    columns: Columns = _NO_COLUMNS


class Terms(NamedTuple):
    """The sum of explicit terms over the denominator.

    Args:
        ranked: the ranking.
        terms: one term per row of the ranking, or per step if ``offsets`` are given.
        denominator: one number per query, or the sum over another ranking.
        k: cutoff. None if the terms beyond it are 0 already.
        columns: the numbers behind each term, for an explanation.
        offsets: the steps of each query, if they are not the rows of the ranking.
        constant: what is added once per query.
        undefined: value of a query whose denominator is 0.
        query_weight: weight of each query in the mean (default: 1).
    """

    ranked: Ranked
    terms: Array | Pair
    denominator: Array | Sum | None = None
    k: int | None = None
    columns: Columns = _NO_COLUMNS
    offsets: Array | None = None
    constant: Array | None = None
    undefined: Array | float = 0.0
    query_weight: Array | None = None


class Value(NamedTuple):
    """A value that is not a sum.

    Args:
        ranked: the ranking.
        value: value of each query.
        expression: the value in Python, as a function of its parts.
        parts: function that returns the number of each name in the expression, or one per query.
        sum: a sum that one of the parts is made from.
    """

    ranked: Ranked
    value: Array
    expression: str
    parts: Callable[[], Mapping[str, Array | float]] = dict
    sum: Sum | Terms | None = None

    @property
    def query_weight(self) -> None:
        """Weight of each query in the mean: 1."""
        return


class Pooled(NamedTuple):
    """The items of lists, for a measure of all lists together, which has no value per query.

    Args:
        ranked: the ranking.
        lists: the items that were shown, and what is known of them.
        items: number of the item at each place of each list, -1 beyond its end.
        place: what its exposure depends on at each of these: a rank, the length of the list, or 0.
        catalogue: mask of the items that could be shown.
    """

    ranked: Ranked
    lists: ItemLists
    items: Array
    place: Array
    catalogue: Array
    query_weight: None = None

    def counts(self, chosen: Array | slice = slice(None)) -> ListCounts:
        """Return how often the items of the chosen lists (default: all) were shown."""
        return ListCounts.of(self.lists, self.items[chosen], self.place[chosen], self.catalogue)


Computation = Sum | Terms | Value | Pooled


def is_exact(r: Ranked) -> bool:
    """Return whether sums are exact; else they follow trec_eval's order."""
    return r.conventions.sums == "exact"


def depends_on_every_tie(conventions: Conventions) -> bool:
    """Return whether a tie anywhere changes how a sum is rounded."""
    return conventions.sums != "exact"


def by_sums(r: Ranked, *, exact: Callable[[], T], plain: Callable[[], T]) -> T:
    """Return values that are exact, or that follow trec_eval's arithmetic step by step."""
    return exact() if is_exact(r) else plain()


def values(c: Computation) -> Array:
    """Return the value of every query."""
    if isinstance(c, Value):
        return _floats(c.value)
    if isinstance(c, Pooled):
        return np.full(len(c.ranked), np.nan)
    if c.denominator is None:
        return total(c)
    quotient = np.zeros(len(c.ranked))
    if isinstance(c, Terms):
        quotient += c.undefined
    if not isinstance(c.denominator, Sum):
        return np.divide(
            total(c), c.denominator, out=quotient, where=np.not_equal(c.denominator, 0)
        )
    below = pair_total(c.denominator)
    if isinstance(c, Sum) and (below[0] < _TINY).any() and not _are_small(c.denominator):
        c, ideal = _scaled(c, c.denominator)
        below = pair_total(ideal)
    with np.errstate(divide="ignore", invalid="ignore"):
        high, low = pairs.divide(pair_total(c), below)
    return np.where(below[0] != 0, high + low, quotient)


_LARGE_TIE = 1 << 18  # the gains of fewer documents add up to less than 2**26
_TINY = 2.0**-900  # products of smaller numbers lose digits
_UP = 2.0**600


def _scaled(c: Sum, ideal: Sum) -> tuple[Sum, Sum]:
    """Return two sums, the gains of queries with tiny gains multiplied by a power of two in both."""
    best = segments.largest(ideal.gain, ideal.ranked.offsets[:-1], ideal.ranked.offsets[1:])
    tiny = (best > 0) & (best < _TINY)
    if not tiny.any():
        return c, ideal
    factor = np.where(tiny, _UP, 1.0)

    def scaled(s: Sum) -> Sum:
        return s._replace(gain=s.gain * np.repeat(factor, segments.lengths(s.ranked.offsets)))

    return scaled(c), scaled(ideal)


def total(c: Sum | Terms) -> Array:
    """Return the sum of the terms of each query."""
    return pair_total(c)[0]


def pair_total(c: Sum | Terms) -> Pair:
    """Return the sum of the terms of each query, and what rounding takes from it."""
    r = c.ranked
    if isinstance(c, Terms):
        return _total_of_terms(c)
    if r.ties_averaged:
        ties = ties_of(r, c.k)
        gain, mean = c.gain[ties.rows], mean_discount(ties, c.discount, c.k)
        if is_exact(r) and _are_small(c) and ties.size.max(initial=0) < _LARGE_TIE:
            gain = np.add.reduceat(gain, ties.starts) if len(gain) else gain
            return _added(r, *_times(c, gain, mean), ties.offsets)
        return _added(r, *_times(c, gain, ties.of_rows(mean)), ties.row_offsets)
    if c.discount == "none" and c.gain.dtype == bool:
        return single(_count(r, c.gain, c.k))
    if r.width and is_exact(r):
        table = _floats(c.gain.reshape(-1, r.width)[:, : c.k])
        exact = discounts.exact_sums(table, c.discount, lambda: _largest(c))
        if exact is not None:
            return exact
    gain, offsets = _first(r, c.gain, c.k)
    return _added(r, *_discounted(c, gain), offsets)


def _total_of_terms(c: Terms) -> Pair:
    r = c.ranked
    terms, low = c.terms if isinstance(c.terms, tuple) else (c.terms, None)
    offsets = r.offsets if c.offsets is None else c.offsets
    if c.k is not None:
        low = None if low is None else _first(r, low, c.k)[0]
        terms, offsets = _first(r, terms, c.k)
    if c.constant is None:
        return _added(r, terms, low, offsets)
    if not is_exact(r):
        return single(_added(r, terms, low, offsets)[0] + c.constant)
    terms = np.insert(_floats(terms), offsets[1:], c.constant)
    low = None if low is None else np.insert(low, offsets[1:], 0.0)
    return _added(r, terms, low, offsets + np.arange(len(offsets)))


def _rows(s: Sum) -> Pair:
    """Return the terms of all rows, whatever the cutoff."""
    if s.ranked.ties_averaged:
        ties = ties_of(s.ranked)
        return _times(s, s.gain, ties.of_rows(mean_discount(ties, s.discount, s.k)))
    terms, low = _discounted(s._replace(k=None), s.gain)
    return _floats(terms), np.zeros(len(terms)) if low is None else low


def _largest(s: Sum) -> float | None:
    """Return the highest gain, if all gains are known to be whole."""
    if s.largest is None and _are_small(s):
        return float(s.ranked.highest().max())
    return 1.0 if s.gain.dtype == bool else s.largest


def _are_small(s: Sum) -> bool:
    """Return whether the gains are whole numbers from 0 to 255, as small grades are."""
    return s.ranked.has_small_grades and s.gain is s.ranked.grade


def _count(r: Ranked, hit: Array, k: Array | int | None) -> Array:
    if isinstance(k, np.ndarray):
        k = np.repeat(k, segments.lengths(r.offsets))
        return segments.count(hit & (r.rank <= k), r.offsets)
    if r.width:
        return np.count_nonzero(hit.reshape(-1, r.width)[:, :k], axis=1)
    return segments.count(*_first(r, hit, k))


def _first(r: Ranked, column: Array, k: Array | int | None) -> tuple[Array, Array]:
    """Return the rows of a column down to rank k, and the offsets of the queries."""
    if k is None:
        return column, r.offsets
    if r.width:
        cut = column.reshape(-1, r.width)[:, :k]
        return cut.reshape(-1), np.arange(len(cut) + 1) * cut.shape[1]
    within, offsets = r.cached(("within", k), lambda: _within(r, k))
    return column[within], offsets


def _within(r: Ranked, k: Array | int) -> tuple[Array | slice, Array]:
    within = r.rank <= k
    if within.all():
        return slice(None), r.offsets
    return np.flatnonzero(within), segments.keep(within, r.offsets)


def _discounted(s: Sum, gain: Array) -> tuple[Array, Array | None]:
    """Return the terms of rows down to k, from their gains."""
    r, exact = s.ranked, is_exact(s.ranked)
    if s.discount == "none":
        return gain, None
    if r.width:  # the ranks are columns
        gain = gain.reshape(len(r), -1)
        rank = np.arange(1, gain.shape[1] + 1)
    else:
        rank, _ = _first(r, r.rank, s.k)
    if s.discount == "reciprocal":
        terms, low = pairs.quotient(_floats(gain), _floats(rank))
    elif s.discount == "log2" and not exact:
        terms, low = gain / discounts.plain_log2_ranks(rank), None
    else:
        terms, low = _times(s, gain, discounts.discount(rank, s.discount))
    return terms.reshape(-1), None if low is None else low.reshape(-1)


def _times(s: Sum, gain: Array, discount: Pair) -> Pair:
    high, low = discount
    terms, lost = (pairs.short_product if _are_small(s) else pairs.two_product)(_floats(gain), high)
    return terms, lost + gain * low


def _added(r: Ranked, terms: Array, low: Array | None, offsets: Array) -> Pair:
    if is_exact(r):
        return pairs.two_sum(*segments.total_parts(_floats(terms), offsets, low))
    return single(segments.plain_total(_floats(terms), offsets))


def _floats(values: Array) -> Array:
    return values.astype(np.float64, copy=False)


def terms_of(s: Sum) -> tuple[Array, Array]:
    """Return the discount and the term of each row, whatever the cutoff.

    If ties are averaged the cutoff is part of the discount.
    """
    r = s.ranked
    if not r.ties_averaged:
        return discounts.discount(r.rank, s.discount)[0], _rows(s)[0]
    ties = ties_of(r)
    return ties.of_rows(mean_discount(ties, s.discount, s.k))[0], _rows(s)[0]


def single(x: Array) -> Pair:
    """Return doubles as pairs."""
    return _floats(x), np.zeros(x.shape)


def running_total(s: Sum) -> Array:
    """Return the sum down to each row, every step of which rounds."""
    return segments.running_sum(_rows(s)[0], s.ranked.offsets)
