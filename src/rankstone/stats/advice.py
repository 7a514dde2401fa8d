"""Warnings on a comparison: the limits of its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rankstone.errors import Notice, plural
from rankstone.language import tr
from rankstone.stats.clusters import FEW_UNITS
from rankstone.stats.distributions import normal_quantile
from rankstone.stats.few_changes import ENOUGH
from rankstone.stats.power import POWER

#: The code of a notice that makes a comparison untestable.
TOO_FEW_CLUSTERS = "too-few-clusters"
#: Smallest difference, relative to the baseline's mean, that a comparison should be able to detect.
WORTHWHILE = 0.1
_FEW_CARRY = 2.5  # queries that carry the variance


def left_out(queries: Sequence[Any], total: int) -> list[Notice]:
    """Note the queries that a pair leaves out because one of the runs has no value for them."""
    text = tr("{} of {} queries left out, because a run has no value for them").format(
        len(queries), total
    )
    examples = tuple(str(query) for query in queries[:3])
    return [Notice("queries-left-out", len(queries), text, examples, "note")]


def unanswered(
    counts: Sequence[tuple[str, int]], share: float, limit: float, common: int
) -> list[Notice]:
    """Note the share of a difference that comes from queries without an answer.

    Args:
        counts: number of such queries of the baseline and of the run, by name.
        share: of the difference that comes from them.
        limit: share above which the comparison is incomplete.
        common: number of queries that both answered.
    """
    who = tr(" and ").join(
        tr("{} has no answer for {}").format(name, plural(count, "query"))
        for name, count in counts
        if count
    )
    total = sum(count for _, count in counts)
    if not common:
        text = tr("{}; no query was answered by both, so this says nothing about quality").format(
            who
        )
        return [Notice("incomplete", total, text)]
    text = tr("{}; {:.0f} % of the difference comes from them").format(who, share * 100)
    if share <= limit:
        return [Notice("unanswered", total, text, level="note")]
    text += tr(
        " (more than {:g} %), so this is not a comparison of quality. See the one over the "
        "{} that both answered"
    ).format(limit * 100, plural(common, "query"))
    return [Notice("incomplete", total, text)]


def degenerate(n: int, effective: float, ties: int, standard_error: float) -> list[Notice]:
    """Warn of too few queries, or of differences that do not vary."""
    if n == 1:
        text = tr("one common query: it shows a difference, but not whether it is chance")
        return [Notice("one-query", 1, text)]
    if effective < 2:
        text = tr(
            "{} queries weigh as much as {:.1f} equal ones: one query decides, so nothing can "
            "be tested"
        ).format(n, effective)
        return [Notice("one-query", n, text)]
    if ties == n:
        return [
            Notice("no-difference", n, tr("the values are the same for every query"), level="note")
        ]
    if standard_error == 0.0:
        text = tr(
            "the difference is the same for every query, which real runs hardly have: check "
            "that the values are per query. There is no effect size"
        )
        return [Notice("zero-variance", n, text)]
    return []


def hopeless(
    n: int, resamples: int | None, factor: int, alpha: float, unit: str = "query"
) -> list[Notice]:
    """Warn if no outcome at all could have been significant.

    Args:
        n: number of differences other than 0; the p-value is at least 2 ** (1 - n).
        resamples: the p-value is at least 1 / (resamples + 1); None if nothing was drawn.
        factor: what the correction multiplies the smallest p-value with.
        alpha: significance level.
        unit: what is counted: ``query``, ``changed query`` or ``cluster``.
    """
    if 2.0 ** (1 - n) * factor > alpha:
        needed = 1 + math.ceil(math.log2(factor / alpha))
        text = tr("with {} no outcome can be significant at {:g}; at least {} are needed").format(
            plural(n, unit), alpha, needed
        )
        if unit == "cluster":
            text += tr(
                ". The test 't' could be chosen: it assumes that means of clusters are normally "
                "distributed"
            )
            return [Notice(TOO_FEW_CLUSTERS, n, text)]
        return [Notice("too-few-queries", n, text)]
    if resamples is not None and factor / (resamples + 1.0) > alpha:
        text = tr(
            "with {} resamples no outcome can be significant at {:g} after the correction; use "
            "resamples={} or more"
        ).format(resamples, alpha, math.ceil(2 * factor / alpha))
        return [Notice("too-few-resamples", resamples, text)]
    return []


def underpowered(
    n: int, detectable: float, worthwhile: float, standard_error: float, alpha: float
) -> list[Notice]:
    """Note that n queries would probably miss a worthwhile difference, if so."""
    if math.isnan(detectable) and n > 1:
        text = tr("{} can show no difference: it would have to exceed the range").format(
            plural(n, "query")
        )
        return [Notice("underpowered", n, text, level="note")]
    if not detectable > worthwhile > 0:
        return []
    # Close to power.queries_needed, which takes too long for thousands of pairs.
    z, reach = _quantiles(alpha)
    sd = standard_error * math.sqrt(n)
    needed = math.ceil((reach * sd / worthwhile) ** 2 + 0.5 * z * z)
    text = tr(
        "{} queries can only detect differences of {:.3f} or more ({:g} % power); for "
        "{:.3f} about {} are needed"
    ).format(n, detectable, POWER * 100, worthwhile, needed)
    return [Notice("underpowered", n, text, level="note")]


@lru_cache(maxsize=64)
def _quantiles(alpha: float) -> tuple[float, float]:
    z = normal_quantile(1.0 - 0.5 * alpha)
    return z, z + normal_quantile(POWER)


def few_changes(changed: int, n: int, unseen: float) -> list[Notice]:
    """Note how an interval allows for few changed queries, or warn that it does not.

    Args:
        changed: number of queries with a difference.
        n: number of all queries.
        unseen: how large a change the interval allows for that was not seen; NaN for none, infinite
            for any.
    """
    of = tr("only {:,} of {} changed").format(changed, plural(n, "query"))
    if math.isnan(unseen):
        text = tr(
            "{}, for which this interval is too short; the default (bca) allows for that"
        ).format(of)
        return [Notice("few-changes", changed, text)]
    if math.isinf(unseen):
        text = tr("{}; the interval allows for changes of any size that were not seen").format(of)
    else:
        text = tr("{}; the interval allows for changes of up to {:.2f} that were not seen").format(
            of, unseen
        )
    text += tr(". About {:,} have the {} changes for a shorter one").format(
        math.ceil(n * ENOUGH / changed), ENOUGH
    )
    return [Notice("few-changes", changed, text, level="note")]


def heavy_tails(influence: np.ndarray) -> list[Notice]:
    """Warn if one or two queries decide how long an interval is."""
    squares = np.nan_to_num(influence) ** 2
    fourth = float((squares**2).sum())
    if len(squares) < 2 * FEW_UNITS or not fourth:
        return []
    carrying = float(squares.sum()) ** 2 / fourth
    if carrying >= _FEW_CARRY:
        return []
    text = tr(
        "the variance comes from about {:.1f} of {} queries: with such heavy tails the "
        "interval covers less than it states"
    ).format(carrying, len(squares))
    return [Notice("heavy-tails", len(squares), text)]


def clustered(n: int, clusters: int, effective: float) -> list[Notice]:
    """Note the effective number of queries in clusters."""
    text = tr("{} in {}; the effective number of queries is about {:,.0f}").format(
        plural(n, "query"), plural(clusters, "cluster"), effective
    )
    return [Notice("clustered", clusters, text, level="note")]


def few_repeats(repeats: Sequence[int]) -> list[Notice]:
    """Warn of too few runs to estimate their variance."""
    if 2 not in repeats:
        return []
    text = tr(
        "two runs say little about the variance between runs, which makes the interval "
        "long; use three or more"
    )
    return [Notice("few-repeats", 2, text)]
