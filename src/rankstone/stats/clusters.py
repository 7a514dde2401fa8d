"""Queries that belong together: of one conversation, document, user or session.

Values of such queries are alike, so that many of them say less than as many independent ones. Tests
and intervals then act on clusters: sums and means of their queries.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankstone.errors import DataError, Notice, UsageError, amount, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.stats.distributions import f_tail

#: The cluster of each query: a mapping, pairs, or a pattern of ids such as ``{cluster}_{n}``.
Source = Mapping[Any, Hashable] | Iterable[tuple[Any, Hashable]] | str


#: Fewer queries or clusters than this make an interval that says little.
FEW_UNITS = 6
_MANY = 20  # clusters of unequal weight of which the bootstrap holds


@frozen(eq=False)
class Clusters:
    """The cluster of each query, as a number from 0; ``names`` are those of the clusters."""

    codes: np.ndarray
    names: tuple[Any, ...]
    notices: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, queries: Sequence[Any], source: Source) -> Clusters:
        """Look the cluster of each query up.

        Args:
            queries: ids in the order of the values.
            source: ``{query: cluster}``, pairs of both, or a pattern of ids such as
                ``{cluster}_{n}``, in which ``{cluster}`` is as long as possible.

        >>> Clusters.of(["c1_1", "c1_2", "c2_1"], "{cluster}_{n}").names
        ('c1', 'c2')
        """
        named = _by_pattern(queries, source) if isinstance(source, str) else _mapping(source)
        known = set(queries)
        missing = [q for q in queries if _is_missing(named.get(q))]
        if missing:
            some = ", ".join(map(str, missing[:3])) + (", ..." if len(missing) > 3 else "")
            raise DataError(
                f"{amount(len(missing), 'query')} without a cluster ({some}). Give every query "
                "one; a query that belongs to no other is a cluster of its own."
            )
        names = tuple(dict.fromkeys(named[q] for q in queries))
        if len(names) < 2:
            raise DataError(
                f"all {amount(len(queries), 'query')} are in one cluster ({names[0]}), so nothing "
                "shows how clusters vary. Clusters are conversations, documents or users, each "
                "with some of the queries."
            )
        unknown = [q for q in named if q not in known]
        notices: tuple[Notice, ...] = ()
        if unknown:
            text = tr("clusters of {} without values were not used; compare the ids").format(
                plural(len(unknown), "query")
            )
            examples = tuple(map(str, unknown[:3]))
            notices = (Notice("unknown-clusters", len(unknown), text, examples),)
        place = {name: i for i, name in enumerate(names)}
        codes = np.array([place[named[q]] for q in queries], np.int64)
        return cls(codes, names, notices)

    def interval(self, *, weighted: bool) -> str:
        """Return the kind of interval that holds, Student's t or BCa.

        The bootstrap of fewer than 6 clusters is too short, and that of few clusters of unequal
        weight too long, since it draws their weights again.
        """
        sizes = np.bincount(self.codes)
        unequal = weighted or sizes.min() < sizes.max()
        return "t" if len(self) < (_MANY if unequal else FEW_UNITS) else "bca"

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Return the sums of each row of values over the queries of each cluster."""
        member = np.zeros((len(self.codes), len(self)))
        member[np.arange(len(self.codes)), self.codes] = 1.0
        return rows @ member

    def means(
        self, rows: np.ndarray, weights: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the means of clusters in each row, and their weights: None if they are equal.

        Args:
            rows: of values, one column per query; NaN is left out.
            weights: one per query.
        """
        counted = ~np.isnan(rows)
        share = np.where(counted, 1.0 if weights is None else weights, 0.0)
        total = self.sums(share)
        with np.errstate(invalid="ignore"):
            means = self.sums(np.where(counted, rows, 0.0) * share) / total
        filled = total[total > 0]
        equal = weights is None and (filled == filled[:1]).all()
        return means, None if equal else total


def freedom(weights: np.ndarray) -> np.ndarray:
    """Return the degrees of freedom of the variance of means over clusters of unequal weight.

    With a = w^(5/4) and G clusters it is (G - 1) / G (sum of a)^2 / sum of a^2. By Satterthwaite it
    would be w if queries of a cluster were independent, and w^2 if they were equal; how alike they
    are is not known well enough from few clusters. The power between holds for both
    (``benchmarks/coverage.py``), and equal clusters have G - 1.

    Args:
        weights: of clusters, one row per mean.
    """
    shares = weights**1.25
    groups = (weights > 0).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (groups - 1) / groups * shares.sum(axis=1) ** 2 / (shares**2).sum(axis=1)


def _is_missing(name: Any) -> bool:
    return name is None or name == "" or (isinstance(name, float) and math.isnan(name))


def _mapping(source: Mapping[Any, Hashable] | Iterable[tuple[Any, Hashable]]) -> dict[Any, Any]:
    """Return the cluster of each query; refuse two of one query."""
    items = source.items() if hasattr(source, "items") else source
    named: dict[Any, Any] = {}
    for query, name in items:
        if isinstance(name, (list, tuple, set, frozenset)):
            raise DataError(f"query {query!r} is in {len(name)} clusters. Give each query one.")
        if not _is_missing(name) and named.setdefault(query, name) != name:
            raise DataError(
                f"query {query!r} is in two clusters, {named[query]!r} and {name!r}. Keep one."
            )
    return named


def _by_pattern(queries: Sequence[Any], pattern: str) -> dict[Any, str]:
    """Return the part of each id that ``{cluster}`` of the pattern matches."""
    parts = re.split(r"(\{\w+\})", pattern)
    fields = [part for part in parts if re.fullmatch(r"\{\w+\}", part)]
    if fields.count("{cluster}") != 1:
        raise UsageError(
            f"a pattern of clusters needs one {{cluster}}, such as '{{cluster}}_{{n}}', not {pattern!r}."
        )
    text = "".join(
        "(?P<cluster>.+)" if part == "{cluster}" else ".+?" if part in fields else re.escape(part)
        for part in parts
    )
    named = {q: match["cluster"] for q in queries if (match := re.fullmatch(text, str(q)))}
    if len(named) < len(queries):
        other = next(q for q in queries if q not in named)
        raise DataError(
            f"the pattern {pattern!r} does not fit {amount(len(queries) - len(named), 'query')}, "
            f"such as {str(other)!r}."
        )
    return named


@frozen
class Intraclass:
    """How alike the values of a cluster are, by one-way analysis of variance.

    ``icc`` is the share of the variance that is common to a cluster, ``p`` the chance of so large
    a variance between clusters if there is none.
    """

    icc: float
    p: float
    size: float

    @classmethod
    def of(cls, values: np.ndarray, codes: np.ndarray) -> Intraclass:
        """Compare the variance between clusters with that within.

        Args:
            values: one per query, without NaN.
            codes: number of the cluster of each.
        """
        counts = np.bincount(codes)
        counts = counts[counts > 0].astype(np.float64)
        _, codes = np.unique(codes, return_inverse=True)
        n, groups = float(len(values)), float(len(counts))
        centred = values - values.mean()
        between = float((np.bincount(codes, centred) ** 2 / counts).sum())
        within = float((centred**2).sum()) - between
        size = (n - float((counts**2).sum()) / n) / max(groups - 1.0, 1.0)
        if groups < 2 or n <= groups or between + within <= 0:
            return cls(0.0, 1.0, size)
        mean_between, mean_within = between / (groups - 1.0), max(within, 0.0) / (n - groups)
        icc = (mean_between - mean_within) / (mean_between + (size - 1.0) * mean_within)
        ratio = mean_between / mean_within if mean_within > 0 else math.inf
        return cls(icc, f_tail(ratio, groups - 1.0, n - groups), size)

    @property
    def design_effect(self) -> float:
        """How much larger the variance of a mean is than that of as many independent queries."""
        return 1.0 + (self.size - 1.0) * max(self.icc, 0.0)
