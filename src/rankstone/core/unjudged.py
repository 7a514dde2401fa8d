"""The uncertainty of a result that unjudged documents cause."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np

from rankstone.core import saved
from rankstone.frozen import frozen


class UnjudgedInterval(NamedTuple):
    """Between which values an aggregate lies, whatever the grades of unjudged documents.

    If it is not ``exact``, no judgments may bring it that far. ``per_query`` are the lowest and
    the highest value of each query.
    """

    low: float
    high: float
    exact: bool
    per_query: tuple[np.ndarray, np.ndarray]


@frozen(eq=False)
class UnjudgedReport:
    """Retrieved documents without a judgment, and the values that judgments of them could give.

    ``documents`` of the ``retrieved`` documents are not judged. ``judged_by_rank`` is the share of
    queries whose document at rank 1, 2, ... is. Both are computed on request, as are the intervals.
    """

    documents: int
    retrieved: int
    judged_by_rank: tuple[float, ...] = ()
    interval: Mapping[str, UnjudgedInterval] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "documents": self.documents,
            "retrieved": self.retrieved,
            "judged_by_rank": list(self.judged_by_rank),
            "interval": {
                name: {
                    "low": _plain(i.low),
                    "high": _plain(i.high),
                    "exact": i.exact,
                    "per_query": [[_plain(v) for v in end.tolist()] for end in i.per_query],
                }
                for name, i in self.interval.items()
            },
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], queries: int) -> UnjudgedReport:
        """Read what ``to_dict`` returned for a result of so many queries."""
        return cls(
            saved.whole(data["documents"]),
            saved.whole(data["retrieved"]),
            tuple(saved.column(data["judged_by_rank"]).tolist()),
            {name: _interval(i, queries) for name, i in data["interval"].items()},
        )


@frozen
class UnjudgedDocument:
    """An unjudged document, its rank in each run (None: not among its first), and its effect.

    ``effect`` is what the mean, or the difference of the means of two runs, gains if the document
    is as good as possible and all other unjudged documents are worthless.
    """

    query: Any
    document: Any
    ranks: tuple[int | None, ...]
    effect: float


def _plain(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else "unbounded"


def _interval(data: Mapping[str, Any], queries: int) -> UnjudgedInterval:
    lows, highs = data["per_query"]
    ends = _column(lows, -math.inf), _column(highs, math.inf)
    if not isinstance(data["exact"], bool) or any(len(end) != queries for end in ends):
        raise ValueError("an interval is not one of its queries")
    low, high = _number(data["low"], -math.inf), _number(data["high"], math.inf)
    return UnjudgedInterval(low, high, data["exact"], ends)


def _number(value: Any, unbounded: float) -> float:
    return unbounded if value == "unbounded" else saved.number(value)


def _column(values: Any, unbounded: float) -> np.ndarray:
    return np.array([_number(v, unbounded) for v in saved.items(values)], np.float64)
