"""Warnings on a comparison: what its numbers cannot show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rankstone.errors import Notice, plural
from rankstone.stats.distributions import normal_quantile
from rankstone.stats.few_changes import ENOUGH
from rankstone.stats.power import POWER

#: The code of a notice that makes a comparison untestable.
TOO_FEW_CLUSTERS = "too-few-clusters"
#: Fewer queries or clusters than this make an interval that says little.
FEW_UNITS = 6
#: Smallest difference, relative to the baseline's mean, that a comparison should be able to detect.
WORTHWHILE = 0.1
_FEW_CARRY = 2.5  # queries that carry the variance


def left_out(queries: Sequence[Any], total: int) -> list[Notice]:
    """Note the queries that a pair leaves out because one of the runs has no value for them."""
    text = f"{len(queries)} of {total} queries left out, because a run has no value for them"
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
    who = " and ".join(
        f"{name} has no answer for {plural(count, 'query')}" for name, count in counts if count
    )
    total = sum(count for _, count in counts)
    if not common:
        text = f"{who}; no query was answered by both, so this says nothing about quality"
        return [Notice("incomplete", total, text)]
    text = f"{who}; {share * 100:.0f} % of the difference comes from them"
    if share <= limit:
        return [Notice("unanswered", total, text, level="note")]
    text += (
        f" (more than {limit * 100:g} %), so this is not a comparison of quality. See the one "
        f"over the {plural(common, 'query')} that both answered"
    )
    return [Notice("incomplete", total, text)]


def degenerate(n: int, effective: float, ties: int, standard_error: float) -> list[Notice]:
    """Warn of too few queries, or of differences that do not vary."""
    if n == 1:
        text = "one common query: it shows a difference, but not whether it is chance"
        return [Notice("one-query", 1, text)]
    if effective < 2:
        text = (
            f"{n} queries weigh as much as {effective:.1f} equal ones: one query decides, so "
            "nothing can be tested"
        )
        return [Notice("one-query", n, text)]
    if ties == n:
        return [Notice("no-difference", n, "the values are the same for every query", level="note")]
    if standard_error == 0.0:
        text = (
            "the difference is the same for every query, which real runs hardly have: check that "
            "the values are per query. There is no effect size"
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
        text = (
            f"with {plural(n, unit)} no outcome can be significant at {alpha:g}; at least "
            f"{needed} are needed"
        )
        if unit == "cluster":
            text += (
                ". The test 't' could be chosen: it assumes that means of clusters are normally "
                "distributed"
            )
            return [Notice(TOO_FEW_CLUSTERS, n, text)]
        return [Notice("too-few-queries", n, text)]
    if resamples is not None and factor / (resamples + 1.0) > alpha:
        text = (
            f"with {resamples} resamples no outcome can be significant at {alpha:g} after the "
            f"correction; use resamples={math.ceil(2 * factor / alpha)} or more"
        )
        return [Notice("too-few-resamples", resamples, text)]
    return []


def underpowered(
    n: int, detectable: float, worthwhile: float, standard_error: float, alpha: float
) -> list[Notice]:
    """Note that n queries would probably miss a worthwhile difference, if so."""
    if math.isnan(detectable) and n > 1:
        text = f"{plural(n, 'query')} can show no difference: it would have to exceed the range"
        return [Notice("underpowered", n, text, level="note")]
    if not detectable > worthwhile > 0:
        return []
    # Close to power.queries_needed, which takes too long for thousands of pairs.
    z, reach = _quantiles(alpha)
    sd = standard_error * math.sqrt(n)
    needed = math.ceil((reach * sd / worthwhile) ** 2 + 0.5 * z * z)
    text = (
        f"{n} queries can only detect differences of {detectable:.3f} or more "
        f"({POWER * 100:g} % power); for {worthwhile:.3f} about {needed} are needed"
    )
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
    of = f"only {changed:,} of {plural(n, 'query')} changed"
    if math.isnan(unseen):
        text = f"{of}, for which this interval is too short; the default (bca) allows for that"
        return [Notice("few-changes", changed, text)]
    if math.isinf(unseen):
        text = f"{of}; the interval allows for changes of any size that were not seen"
    else:
        text = f"{of}; the interval allows for changes of up to {unseen:.2f} that were not seen"
    text += (
        f". About {math.ceil(n * ENOUGH / changed):,} have the {ENOUGH} changes for a shorter one"
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
    text = (
        f"the variance comes from about {carrying:.1f} of {len(squares)} queries: with such heavy "
        "tails the interval covers less than it states"
    )
    return [Notice("heavy-tails", len(squares), text)]


def clustered(n: int, clusters: int, effective: float) -> list[Notice]:
    """Note the effective number of queries in clusters."""
    text = (
        f"{plural(n, 'query')} in {plural(clusters, 'cluster')}; the effective number of queries is "
        f"about {effective:,.0f}"
    )
    return [Notice("clustered", clusters, text, level="note")]


def few_repeats(repeats: Sequence[int]) -> list[Notice]:
    """Warn of too few runs to estimate their variance."""
    if 2 not in repeats:
        return []
    text = (
        "two runs say little about the variance between runs, which makes the interval long; use "
        "three or more"
    )
    return [Notice("few-repeats", 2, text)]
