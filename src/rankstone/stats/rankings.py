"""A ranking as agreement between rankings needs it: items, and the ranks that ties share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.errors import DataError

_TIED = {set, frozenset, list, tuple}  # what groups of tied items come in


@dataclass(frozen=True, eq=False)
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
