"""How much do two rankings, two orderings of systems, or two sets of judgments agree?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from rankstone.core.shown import Shown
from rankstone.errors import DataError, NothingInCommonError, Notice, UsageError, plural
from rankstone.language import tr
from rankstone.stats.judges import (
    Confusion,
    Grades,
    alpha_of,
    confusion,
    fleiss_kappa,
    jackknife_ends,
    jackknife_interval,
    kappa_of,
    krippendorff_alpha,
)
from rankstone.stats.rank_biased_overlap import RBO, Items, Ranking, overlap_at, rbo
from rankstone.stats.rank_correlation import kendall_tau, tau_ap
from rankstone.stats.trusted import Estimate

_PARTS = 200  # that are left out one at a time, at most
_FEW_DOCUMENTS, _FEW_QUERIES = 50, 10


@dataclass(frozen=True)
class RankingAgreement(Shown):
    """Agreement of two rankings of one query.

    tau and tau-AP are over the ``common`` items, NaN if there are fewer than two of them.
    """

    first_length: int
    second_length: int
    common: int
    tau_a: float
    tau_b: float
    tau_ap: float
    rbo: RBO
    overlap: Mapping[int, float]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        return {
            "first_length": self.first_length,
            "second_length": self.second_length,
            "common": self.common,
            **_taus(self),
            "rbo": self.rbo.to_dict(),
            "overlap": {str(k): value for k, value in self.overlap.items()},
        }


@dataclass(frozen=True)
class OrderingAgreement(Shown):
    """Agreement of two orderings of systems, by two measures or two sets of judgments.

    ``swapped`` are the pairs of systems that both order, in opposite ways. Of two sets of judgments
    ``bias`` is by how much the second raises the mean of each system, ``by_rank`` by how much it grades
    documents higher that systems put at some ranks, with their number; ``warnings`` name systems that
    it favours.
    """

    systems: tuple[str, ...]
    tau_a: float
    tau_b: float
    tau_ap: float
    swapped: tuple[tuple[str, str], ...]
    bias: Mapping[str, Estimate] = field(default_factory=dict)
    by_rank: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        swapped = [list(pair) for pair in self.swapped]
        data = {"systems": list(self.systems), **_taus(self), "swapped": swapped}
        if not self.bias:
            return data
        bias = {
            name: {"mean": one.mean, "interval": list(one.interval(0.95)), "p": one.p_value()}
            for name, one in self.bias.items()
        }
        ranks = {ranks: {"documents": n, "bias": b} for ranks, (n, b) in self.by_rank.items()}
        warnings = [notice.to_dict() for notice in self.warnings]
        return {**data, "bias": bias, "by_rank": ranks, "warnings": warnings}


@dataclass(frozen=True, eq=False)
class JudgmentAgreement(Shown):
    """Agreement of two sets of judgments on the documents that both judged.

    ``kappa`` counts all disagreements alike, ``kappa_linear`` and ``kappa_quadratic`` by the
    distance of grades, ``kappa_relevant`` only whether a document is relevant. ``alpha`` is
    Krippendorff's, for ordered grades. ``intervals`` has the 95 % interval of each over queries, and
    ``bias`` is how much higher the second grades on average, by grade of the first, None for all;
    ``caution`` says what so few queries or documents cannot show.
    """

    n: int
    only_first: int
    only_second: int
    agreement: float
    kappa: float
    kappa_linear: float
    kappa_quadratic: float
    kappa_relevant: float
    alpha: float
    confusion: Confusion
    intervals: Mapping[str, tuple[float, float]]
    bias: Mapping[float | None, float]
    caution: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        numbers = (
            "agreement", "kappa", "kappa_linear", "kappa_quadratic", "kappa_relevant", "alpha",
        )  # fmt: skip
        return {
            "n": self.n,
            "only_first": self.only_first,
            "only_second": self.only_second,
            **{name: _plain(getattr(self, name)) for name in numbers},
            "confusion": self.confusion.to_dict(),
            "intervals": {k: [_plain(end) for end in ends] for k, ends in self.intervals.items()},
            "bias": {"all" if k is None else f"{k:g}": _plain(v) for k, v in self.bias.items()},
            "caution": self.caution,
        }


@dataclass(frozen=True, eq=False)
class JudgesAgreement:
    """Agreement of three or more judges on the documents that at least two of them judged.

    ``fleiss`` is Fleiss' kappa over the documents that all judged, ``alpha`` Krippendorff's, for ordered
    grades; ``intervals`` has the 95 % interval of each over queries. ``against`` is the agreement of each
    judge, in order, with the majority of the others, which is their most frequent grade; documents
    on which two grades are the most frequent are left out, and a judge without such documents has None.
    """

    n: int
    fleiss: float
    alpha: float
    intervals: Mapping[str, tuple[float, float]]
    against: tuple[JudgmentAgreement | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        return {
            "n": self.n,
            "fleiss": _plain(self.fleiss),
            "alpha": _plain(self.alpha),
            "intervals": {k: [_plain(end) for end in ends] for k, ends in self.intervals.items()},
            "against": [None if one is None else one.to_dict() for one in self.against],
        }


def judges(
    ratings: np.ndarray, queries: Sequence[Any], *, relevant_from: float = 1.0
) -> JudgesAgreement:
    """Compare the grades of three or more judges.

    Args:
        ratings: one row per judge, one column per document; NaN where a judge gave no grade.
        queries: that of each document.
        relevant_from: lowest grade of a relevant document.
    """
    several = (~np.isnan(ratings)).sum(axis=0) >= 2
    ratings = ratings[:, several]
    own = [query for query, kept in zip(queries, several.tolist(), strict=True) if kept]
    if not own:
        raise NothingInCommonError("no document was judged by two of the judges.")
    _, codes = np.unique([str(query) for query in own], return_inverse=True)
    parts = codes.ravel() % _PARTS
    of: dict[str, Callable[[np.ndarray], float]] = {"alpha": krippendorff_alpha}
    if not np.isnan(ratings).any(axis=0).all():
        of["fleiss"] = fleiss_kappa
    values = {name: coefficient(ratings) for name, coefficient in of.items()}
    against: list[JudgmentAgreement | None] = []
    for judge in range(len(ratings)):
        common = _majority(np.delete(ratings, judge, axis=0))
        both = ~np.isnan(common) & ~np.isnan(ratings[judge])
        some = [query for query, kept in zip(own, both.tolist(), strict=True) if kept]
        one = (common[both], ratings[judge][both])
        against.append(
            judgments(*one, relevant_from=relevant_from, queries=some) if both.any() else None
        )
    return JudgesAgreement(
        n=len(own),
        fleiss=values.get("fleiss", math.nan),
        alpha=values["alpha"],
        intervals={name: _over_parts(ratings, parts, how) for name, how in of.items()},
        against=tuple(against),
    )


def _majority(ratings: np.ndarray) -> np.ndarray:
    """Return the most frequent grade of each document, NaN if there are two."""
    grades = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[None] == grades[:, None, None]).sum(axis=1)
    most = counts.max(axis=0)
    clear = (counts == most).sum(axis=0) == 1
    return np.where(clear & (most > 0), grades[counts.argmax(axis=0)], np.nan)


def _over_parts(
    ratings: np.ndarray, parts: np.ndarray, of: Callable[[np.ndarray], float]
) -> tuple[float, float]:
    """Return the interval of a coefficient, by leaving out the documents of one part at a time."""
    names = np.unique(parts)
    try:
        without = [of(ratings[:, parts != name]) for name in names.tolist()]
    except (DataError, UsageError):  # nothing to compare without a part
        return math.nan, math.nan
    return jackknife_ends(of(ratings), np.array(without))


def rankings(
    first: Items, second: Items, *, p: float = 0.9, ties: str = "a", depths: Iterable[int] = (10,)
) -> RankingAgreement:
    """Compare two rankings of one query.

    Args:
        first: items from first to last, tied ones in a set or a list; or scores by item.
        second: the other ranking.
        p: persistence of RBO.
        ties: treatment of ties by RBO: ``w``, ``a`` or ``b``.
        depths: where to take the overlap.

    >>> rankings("abc", "acb", depths=[2]).overlap
    {2: 0.5}
    """
    one, other = Ranking.of(first), Ranking.of(second)
    place = dict(zip(other.items, other.top.tolist(), strict=True))
    common = [
        (-rank, -place[item])
        for item, rank in zip(one.items, one.top.tolist(), strict=True)
        if item in place
    ]
    x, y = np.array(common, np.float64).reshape(-1, 2).T
    several = len(common) > 1
    return RankingAgreement(
        first_length=len(one),
        second_length=len(other),
        common=len(common),
        tau_a=kendall_tau(x, y, "a") if several else math.nan,
        tau_b=kendall_tau(x, y, "b") if several else math.nan,
        tau_ap=tau_ap(x, y, "b") if several else math.nan,
        rbo=rbo(one, other, p, ties),
        overlap={k: overlap_at(one, other, k) for k in depths},
    )


def orderings(first: Mapping[str, float], second: Mapping[str, float]) -> OrderingAgreement:
    """Compare two orderings of the same systems by their means, higher is better.

    >>> orderings({"a": 0.1, "b": 0.2, "c": 0.3}, {"a": 0.3, "b": 0.1, "c": 0.4}).swapped
    (('a', 'b'),)
    """
    systems = sorted(set(first) & set(second))
    if len(systems) < 2:
        raise DataError("two orderings can be compared if they share at least two systems.")
    x, y = (np.array([means[s] for s in systems], np.float64) for means in (first, second))
    swapped = tuple(
        (systems[i], systems[j])
        for i, j in combinations(range(len(systems)), 2)
        if (x[i] - x[j]) * (y[i] - y[j]) < 0
    )
    return OrderingAgreement(
        tuple(systems), kendall_tau(x, y, "a"), kendall_tau(x, y, "b"), tau_ap(x, y, "b"), swapped
    )


def judgments(
    first: Grades,
    second: Grades,
    *,
    relevant_from: float = 1.0,
    only_first: int = 0,
    only_second: int = 0,
    queries: Sequence[Any] | None = None,
) -> JudgmentAgreement:
    """Compare the grades that two judges gave to the same documents.

    Args:
        first: grades of the first judge.
        second: grades of the second judge, of the same documents in the same order.
        relevant_from: lowest grade of a relevant document.
        only_first: number of documents that only the first judged.
        only_second: number of documents that only the second judged.
        queries: that of each document (default: documents are independent).
    """
    table = confusion(first, second)
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    relevant = confusion(a >= relevant_from, b >= relevant_from)
    of: dict[str, tuple[Confusion, Callable[[Confusion], float]]] = {
        "kappa": (table, kappa_of),
        "kappa_linear": (table, partial(kappa_of, weights="linear")),
        "kappa_quadratic": (table, partial(kappa_of, weights="quadratic")),
        "kappa_relevant": (relevant, kappa_of),
        "alpha": (table, alpha_of),
    }
    _, codes = np.unique([str(q) for q in queries or range(len(a))], return_inverse=True)
    units = int(codes.max()) + 1
    parts = codes.ravel() % min(units, _PARTS)
    by_part = _by_part(a, b, table.grades, parts)
    of_relevant = _by_part(a >= relevant_from, b >= relevant_from, relevant.grades, parts)
    caution = None
    if len(a) < _FEW_DOCUMENTS or units < _FEW_QUERIES:
        caution = tr(
            "{} of {} say little: intervals need about {} documents of {} queries to hold"
        ).format(plural(len(a), "document"), plural(units, "query"), _FEW_DOCUMENTS, _FEW_QUERIES)
    return JudgmentAgreement(
        n=len(a),
        only_first=only_first,
        only_second=only_second,
        agreement=table.agreement,
        confusion=table,
        **{name: value(own) for name, (own, value) in of.items()},
        intervals={
            name: jackknife_interval(by_part if own is table else of_relevant, value)
            for name, (own, value) in of.items()
        },
        bias={None: float((b - a).mean())}
        | {grade: float((b - a)[a == grade].mean()) for grade in np.unique(a).tolist()},
        caution=caution,
    )


def _by_part(
    a: np.ndarray, b: np.ndarray, grades: Sequence[float], parts: np.ndarray
) -> list[Confusion]:
    """Return the confusion of grades in each part of the documents."""
    known, k = np.asarray(grades, np.float64), len(grades)
    cell = np.searchsorted(known, a) * k + np.searchsorted(known, b)
    count = int(parts.max()) + 1
    tables = np.bincount(parts * k * k + cell, minlength=count * k * k).reshape(count, k, k)
    return [Confusion(tuple(grades), table) for table in tables]


def _taus(agreement: RankingAgreement | OrderingAgreement) -> dict[str, float | None]:
    return {name: _plain(getattr(agreement, name)) for name in ("tau_a", "tau_b", "tau_ap")}


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
