"""Overlap of two rankings that need not hold the same items nor be equally long."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankstone.core.shown import Shown
from rankstone.errors import DataError, UsageError, one_of
from rankstone.frozen import frozen

_TIED = {set, frozenset, list, tuple}  # what groups of tied items come in


@frozen(eq=False)
class Ranking:
    """Items from first to last; item i shares the ranks ``top[i]`` to ``bottom[i]``, from 1."""

    items: tuple[Any, ...]
    top: np.ndarray
    bottom: np.ndarray

    def __len__(self) -> int:
        return len(self.items)

    @classmethod
    def of(cls, data: Ranking | Mapping[Any, float] | Iterable[Any]) -> Ranking:
        """Take scores by item, or items from first to last, with tied ones in a set or a list.

        >>> Ranking.of(["a", {"b", "c"}, "d"]).top.tolist()
        [1, 2, 2, 4]
        >>> Ranking.of({"d": 0.1, "a": 0.9, "b": 0.5, "c": 0.5}).items
        ('a', 'b', 'c', 'd')
        """
        if isinstance(data, Ranking):
            return data
        if isinstance(data, Mapping):
            scores = np.fromiter(data.values(), np.float64, len(data))
            return cls.from_scores(list(data), scores)
        groups = list(data)
        items = groups
        sizes = np.ones(len(groups), np.int64)
        if not _TIED.isdisjoint(map(type, groups)):
            nested = [list(g) if type(g) in _TIED else [g] for g in groups]
            items = [item for group in nested for item in group]
            sizes = np.array([len(group) for group in nested], np.int64)
        return cls._of(items, sizes)

    @classmethod
    def from_scores(cls, items: Sequence[Any], scores: np.ndarray) -> Ranking:
        """Rank items by descending score; equal scores are ties."""
        if len(unknown := np.flatnonzero(np.isnan(scores))):
            raise DataError(f"the score of {items[unknown[0]]!r} is not a number: no rank.")
        order = np.argsort(-scores, kind="stable")
        first = np.flatnonzero(np.diff(scores[order], prepend=np.inf))
        ordered = [items[i] for i in order.tolist()]
        return cls._of(ordered, np.diff(first, append=len(ordered)))

    @classmethod
    def _of(cls, items: Sequence[Any], sizes: np.ndarray) -> Ranking:
        if len(set(items)) < len(items):
            twice = next(item for i, item in enumerate(items) if item in items[:i])
            raise DataError(f"{twice!r} is in the ranking twice. Keep its first occurrence.")
        last = np.cumsum(sizes)
        return cls(tuple(items), np.repeat(last - sizes + 1, sizes), np.repeat(last, sizes))


#: A ranking: scores by item, or items from first to last with tied ones in a set or a list.
Items = Ranking | Mapping[Any, float] | Iterable[Any]


@frozen
class RBO(Shown):
    """Rank-biased overlap of two rankings, of which only the beginnings are known.

    ``extrapolated`` takes the agreement of the beginnings to continue. ``minimum`` and ``maximum``
    bound the value of the whole rankings, ``residual`` is their distance.
    """

    extrapolated: float
    minimum: float
    maximum: float
    residual: float
    p: float
    ties: str


def rbo(first: Items, second: Items, p: float = 0.9, ties: str = "a") -> RBO:
    """Return the rank-biased overlap of two rankings.

    RBO = (1 - p) / p * sum over depths d of p^d A(d), where A(d) is the agreement of both at depth
    d: without ties, the share of items in common (Webber, Moffat and Zobel 2010). Rankings may
    differ in length and have ties (Corsi and Urbano 2024). For rankings of one length, RBO with
    ``ties="a"`` is the mean over all orders of tied items. For others only ``minimum`` is: by the
    paper's definition the unseen items of the shorter ranking are a mean of their own.

    Args:
        first: items from first to last, tied ones in a set or a list; or scores by item.
        second: the other ranking.
        p: persistence; the expected depth is 1 / (1 - p).
        ties: ``w``: tied items are at the same rank, the first of their group; ``a``: their order is
            unknown, and the overlap at a depth is the mean over all orders; ``b``: as ``a``, corrected
            for the information that ties lose, so that RBO(x, x) = 1.

    >>> round(rbo("abcde", "bcdae").extrapolated, 4)
    0.828
    """
    one_of(ties, ("w", "a", "b"), "treatment of ties")
    if not 0.0 < p < 1.0:
        raise UsageError(f"p must be between 0 and 1, not {p!r}.")
    short, long = _by_length(first, second)
    s, depth = len(short), len(long)
    d = np.arange(1, depth + 1)
    overlap = _overlap(short, long, ties)
    size = _size(short, d, ties) * _size(long, d, ties)
    if ties == "w":
        size = 0.5 * (_size(short, d, ties) + _size(long, d, ties))
    known = overlap / size
    # Below the short ranking's end: its unseen items agree as its seen ones did, or all do.
    most, mean = _unseen(short, long, ties)
    expected = (overlap + known[s - 1] * mean) / size
    highest = (overlap + most) / size
    # Below both ends, the overlap stays, grows by two items at each depth, or agrees as before.
    shared = round(overlap[-1])
    powers = p**d
    lowest_tail = shared * (math.log(1.0 / (1.0 - p)) - float((powers / d).sum()))
    complete = depth + s - shared
    growing = np.arange(depth + 1, complete + 1)
    highest_tail = float(((2 * growing - complete) / growing * p**growing).sum())
    highest_tail += p ** (complete + 1) / (1.0 - p)
    expected_tail = (shared + (depth - s) * known[s - 1]) / depth * p ** (depth + 1) / (1.0 - p)
    whole_tail = p ** (depth + 1) / (1.0 - p)

    def value(agreement: np.ndarray, tail: float) -> float:
        found = (1.0 - p) / p * (float((agreement * powers).sum()) + tail)
        # What is missing is added up if it is less, so that RBO(x, x) is exactly 1.
        missing = (1.0 - p) / p * (float(((1.0 - agreement) * powers).sum()) + whole_tail - tail)
        return min(max(found if found < 0.5 else 1.0 - missing, 0.0), 1.0)

    minimum = value(known, float(lowest_tail))
    maximum = value(highest, highest_tail)
    extrapolated = value(expected, float(expected_tail))
    return RBO(extrapolated, minimum, maximum, maximum - minimum, p, ties)


def overlap_at(first: Items, second: Items, k: int) -> float:
    """Return the share of the first k items that two rankings have in common.

    Of items tied across rank k, the mean over all orders counts. Rankings shorter than k are
    compared at the length of the longer one.

    >>> overlap_at("abcd", "bace", 3)
    1.0
    """
    if k < 1:
        raise UsageError(f"k must be at least 1, not {k!r}.")
    short, long = _by_length(first, second)
    depth = min(k, len(long))
    return float(_overlap(short, long, "a")[depth - 1]) / depth


def _by_length(first: Items, second: Items) -> tuple[Ranking, Ranking]:
    short, long = sorted((Ranking.of(first), Ranking.of(second)), key=len)
    if not len(short):
        raise DataError("a ranking is empty, so there is no overlap to compute.")
    return short, long


def _part_of(top: Any, bottom: Any, depth: np.ndarray, ties: str) -> np.ndarray:
    """Return how much of an item is in the first ``depth`` ranks, if it may be."""
    if ties == "w":
        return np.ones(depth.shape)
    return np.minimum((depth - top + 1) / (bottom - top + 1), 1.0)


def _overlap(short: Ranking, long: Ranking, ties: str) -> np.ndarray:
    """Return the number of items in common at each depth."""
    place = {item: i for i, item in enumerate(long.items)}
    pairs = [(i, place[item]) for i, item in enumerate(short.items) if item in place]
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    tops = np.stack((short.top[i], long.top[j]))
    bottoms = tops if ties == "w" else np.stack((short.bottom[i], long.bottom[j]))
    entry, whole = tops.max(axis=0), bottoms.max(axis=0)
    depth = len(long)
    overlap = np.bincount(whole, minlength=depth + 1)[: depth + 1].cumsum().astype(np.float64)
    groups, counts = np.unique(
        np.vstack((tops, bottoms))[:, entry < whole], axis=1, return_counts=True
    )
    for (top1, top2, bottom1, bottom2), count in zip(groups.T.tolist(), counts, strict=True):
        d = np.arange(max(top1, top2), max(bottom1, bottom2))
        parts = _part_of(top1, bottom1, d, ties) * _part_of(top2, bottom2, d, ties)
        overlap[d] += count * parts
    return overlap[1:]


def _size(ranking: Ranking, d: np.ndarray, ties: str) -> np.ndarray:
    """Return the size of a ranking's beginning at each depth, by which overlaps are divided.

    The sizes of both are added up (w) or multiplied (a and b). A ranking that has ended would go
    on without ties.
    """
    size = np.sqrt(d) if ties != "w" else d.astype(np.float64)
    seen = d[: len(ranking)]
    if ties == "w":
        size[: len(seen)] = ranking.bottom
    elif ties == "b":
        part = _part_of(ranking.top, ranking.bottom, seen, ties)
        group = ranking.bottom - ranking.top + 1
        size[: len(seen)] = np.sqrt(ranking.top - 1 + group * part**2)
    return size


def _unseen(short: Ranking, long: Ranking, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """Return by how much unseen items of the short ranking may add to the overlap.

    At depth d below its end it has d - s of them: at most as many as the first items that only the
    long ranking has, and as much as the mean of these for each that agrees.
    """
    d = np.arange(1, len(long) + 1)
    missing = np.maximum(d - len(short), 0)
    shared = np.fromiter(map(set(short.items).__contains__, long.items), bool, len(long))
    only = np.concatenate(([0], np.cumsum(~shared)))
    above, within = only[long.top - 1], only[long.bottom] - only[long.top - 1]
    part = _part_of(long.top, long.bottom, d, ties)
    most = np.minimum(missing, above) + part * np.clip(missing - above, 0, within)
    mean = missing * (above + part * within) / np.maximum(above + within, 1)
    return most, mean
