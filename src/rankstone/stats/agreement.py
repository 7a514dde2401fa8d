"""How much do two rankings, two orderings of systems, or two sets of judgments agree?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from rankstone.core.shown import Shown, plain
from rankstone.errors import DataError, NothingInCommonError, Notice, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.stats.judges import (
    Confusion,
    Grades,
    alpha_of,
    coincidences,
    confusions,
    fleiss_of,
    jackknife,
    kappa_of,
)
from rankstone.stats.rank_biased_overlap import RBO, Items, Ranking, overlap_at, rbo
from rankstone.stats.rank_correlation import kendall_tau, tau_ap
from rankstone.stats.trusted import Estimate

_PARTS = 200  # that are left out one at a time, at most
_FEW_DOCUMENTS, _FEW_QUERIES = 50, 10


@frozen
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

    def numbers(self) -> dict[str, float]:
        """Return the coefficients and the residual of RBO by name."""
        return {
            "tau_a": self.tau_a,
            "tau_b": self.tau_b,
            "tau_ap": self.tau_ap,
            "rbo": self.rbo.extrapolated,
            "residual": self.rbo.residual,
            **{f"overlap@{k}": value for k, value in self.overlap.items()},
        }


@frozen
class RunAgreement(Shown):
    """Agreement of two runs, query by query.

    ``only_first`` and ``only_second`` are queries that one run alone has.
    """

    per_query: Mapping[Any, RankingAgreement]
    only_first: tuple[Any, ...]
    only_second: tuple[Any, ...]

    def means(self) -> dict[str, float]:
        """Return the means over the common queries; queries without a value are left out."""
        rows = [agreement.numbers() for agreement in self.per_query.values()]
        return {name: _mean([row[name] for row in rows]) for name in rows[0]}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; NaN is None."""
        return {"queries": len(self.per_query), "means": plain(self.means()), **super().to_dict()}


@frozen
class OrderingAgreement(Shown):
    """Agreement of two orderings of systems, by two measures or two sets of judgments.

    ``swapped`` are the pairs of systems that both order, in opposite ways. Of two sets of judgments
    ``bias`` is by how much the second raises the mean of each system, ``by_rank`` the number of documents
    that systems put at some ranks, and by how much the second grades them higher; ``warnings`` name systems
    that it favours.
    """

    systems: tuple[str, ...]
    tau_a: float
    tau_b: float
    tau_ap: float
    swapped: tuple[tuple[str, str], ...]
    bias: Mapping[str, Estimate] = field(default_factory=dict)
    by_rank: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()


@frozen(eq=False)
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


@frozen(eq=False)
class JudgesAgreement(Shown):
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


def judges(
    ratings: np.ndarray, queries: Sequence[Any], *, relevant_from: float = 1.0
) -> JudgesAgreement:
    """Compare the grades of three or more judges.

    Args:
        ratings: one row per judge, one column per document; NaN where a judge gave no grade.
        queries: that of each document.
        relevant_from: lowest grade of a relevant document.
    """
    known = ~np.isnan(ratings)
    several = known.sum(axis=0) >= 2
    if not several.any():
        raise NothingInCommonError("no document was judged by two of the judges.")
    own, complete = np.array([*map(str, queries)]), known.all(axis=0)
    fleiss, alpha = (
        jackknife(coincidences(ratings[:, some], _parts(own[some])), of)
        for some, of in ((complete, fleiss_of), (several, alpha_of))
    )
    against: list[JudgmentAgreement | None] = []
    for judge, grades in enumerate(ratings):
        common = _majority(np.delete(ratings, judge, axis=0))
        both = ~np.isnan(common + grades)
        against.append(
            judgments(common[both], grades[both], relevant_from=relevant_from, queries=own[both])
            if both.any()
            else None
        )
    ends = {"fleiss": fleiss[1], "alpha": alpha[1]}
    return JudgesAgreement(int(several.sum()), fleiss[0], alpha[0], ends, tuple(against))


def _majority(ratings: np.ndarray) -> np.ndarray:
    """Return the most frequent grade of each document, NaN if there are two."""
    grades = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings[None] == grades[:, None, None]).sum(axis=1)
    most = counts.max(axis=0)
    clear = (counts == most).sum(axis=0) == 1
    return np.where(clear & (most > 0), grades[counts.argmax(axis=0)], np.nan)


def _parts(queries: Iterable[Any]) -> np.ndarray:
    """Return the number of the part of each document that is left out with others of its query."""
    return np.unique([*map(str, queries)], return_inverse=True)[1].ravel() % _PARTS


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
        tau_ap=tau_ap(x, y) if several else math.nan,
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
        tuple(systems), kendall_tau(x, y, "a"), kendall_tau(x, y, "b"), tau_ap(x, y), swapped
    )


def judgments(
    first: Grades,
    second: Grades,
    *,
    relevant_from: float = 1.0,
    only_first: int = 0,
    only_second: int = 0,
    queries: Iterable[Any] | None = None,
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
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    names = [*map(str, range(len(a)) if queries is None else queries)]
    parts = _parts(names)
    grades, tables = confusions(a, b, parts)
    _, relevant = confusions(a >= relevant_from, b >= relevant_from, parts)
    table = Confusion(tuple(grades.tolist()), tables.sum(axis=0))
    found = {
        "kappa": jackknife(tables, kappa_of),
        "kappa_linear": jackknife(tables, partial(kappa_of, power=1)),
        "kappa_quadratic": jackknife(tables, partial(kappa_of, power=2)),
        "kappa_relevant": jackknife(relevant, kappa_of),
        "alpha": jackknife(tables, lambda counts: alpha_of(counts + counts.T)),
    }
    caution, units = None, len(set(names))
    if len(a) < _FEW_DOCUMENTS or units < _FEW_QUERIES:
        caution = tr(
            "{} of {} say little: intervals need about {} documents of {} queries to hold"
        ).format(plural(len(a), "document"), plural(units, "query"), _FEW_DOCUMENTS, _FEW_QUERIES)
    return JudgmentAgreement(
        n=len(a),
        only_first=only_first,
        only_second=only_second,
        agreement=table.agreement,
        **{name: value for name, (value, _) in found.items()},
        confusion=table,
        intervals={name: ends for name, (_, ends) in found.items()},
        bias={None: float((b - a).mean())}
        | {grade: float((b - a)[a == grade].mean()) for grade in np.unique(a).tolist()},
        caution=caution,
    )


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
