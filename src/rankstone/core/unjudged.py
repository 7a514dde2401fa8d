"""What the documents without a judgment leave open in a result."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class UnjudgedInterval(NamedTuple):
    """Between which values an aggregate lies, whatever the grades of unjudged documents.

    If it is not ``exact``, no judgments may bring it that far. ``per_query`` are the lowest and
    the highest value of each query.
    """

    low: float
    high: float
    exact: bool
    per_query: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class UnjudgedReport:
    """Retrieved documents without a judgment, and what judging them might bring.

    ``documents`` of the ``retrieved`` documents are not judged. ``judged_by_rank`` is the share of
    queries whose document at rank 1, 2, ... is. Both are there on request, as are the intervals.
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
    def from_dict(cls, data: Mapping[str, Any]) -> UnjudgedReport:
        """Read what ``to_dict`` returned."""
        interval = {
            name: UnjudgedInterval(
                _number(i["low"], -math.inf),
                _number(i["high"], math.inf),
                bool(i["exact"]),
                (_column(i["per_query"][0], -math.inf), _column(i["per_query"][1], math.inf)),
            )
            for name, i in data["interval"].items()
        }
        by_rank = tuple(map(float, data["judged_by_rank"]))
        return cls(int(data["documents"]), int(data["retrieved"]), by_rank, interval)


@dataclass(frozen=True)
class Hole:
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


def _number(value: float | str | None, unbounded: float) -> float:
    if value is None:
        return math.nan
    return unbounded if value == "unbounded" else float(value)


def _column(values: list[Any], unbounded: float) -> np.ndarray:
    return np.array([_number(v, unbounded) for v in values], np.float64)
