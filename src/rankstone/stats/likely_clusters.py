"""Clusters seen without being asked for: ids that name groups, and values that vary by group."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rankstone.errors import Notice
from rankstone.language import tr
from rankstone.stats.clusters import Intraclass
from rankstone.stats.tests import average_ranks

#: Chance of a false alarm, over all comparisons.
FALSE_ALARM = 0.005
_LEAST_CLUSTERS = 3
_PATTERNS = {
    # Everything before the last separator and a number, or before the first separator.
    "{cluster}SEP{n}": re.compile(r"^(?P<cluster>.+?)(?P<sep>[-_#/:.|])(?P<n>[A-Za-z]{0,8}\d+)$"),
    "{cluster}SEP{rest}": re.compile(r"^(?P<cluster>[^-_#/:.|]+)(?P<sep>[-_#/:.|])(?P<n>.+)$"),
    "{n}SEP{cluster}": re.compile(r"^(?P<n>[A-Za-z]{0,8}\d+)(?P<sep>[-_#/:.|])(?P<cluster>.+)$"),
}


def likely_clusters(
    queries: Sequence[Any], differences: np.ndarray, comparisons: int = 1
) -> list[Notice]:
    """Warn if ids name groups and the values of a group are alike.

    Both the values and their ranks have to vary by group, since either test alone alarms too often
    with values that are skewed or nearly all equal.

    Args:
        queries: ids in the order of the values.
        differences: one per query; NaN is left out.
        comparisons: number of calls that share the chance of a false alarm.
    """
    used = ~np.isnan(differences)
    x = differences[used]
    ids = [str(q) for q, kept in zip(queries, used.tolist(), strict=True) if kept]
    groupings = id_groups(tuple(ids))
    for pattern, codes in groupings:
        both = [Intraclass.of(v, codes) for v in (x, average_ranks(x))]
        level = FALSE_ALARM / (comparisons * len(groupings))
        if max(one.p for one in both) <= level and min(one.icc for one in both) > 0:
            wider = math.sqrt(both[0].design_effect)
            groups = int(codes.max()) + 1
            text = tr(
                "the {0:,} queries seem to be {1:,} groups by their ids ({2}), and queries of a "
                "group differ alike (intraclass correlation {3:.2f}): as independent queries they "
                "say too much. The interval would be about {4:.1f} times as long with "
                "clusters='{2}'"
            ).format(len(ids), groups, pattern, both[0].icc, wider)
            examples = tuple(
                dict.fromkeys(ids[i] for i in np.unique(codes, return_index=True)[1][:3])
            )
            return [Notice("clusters", groups, text, examples)]
    return []


@lru_cache(maxsize=2)
def id_groups(ids: tuple[str, ...]) -> list[tuple[str, np.ndarray]]:
    """Return the patterns that divide all ids into groups, most of them of several queries."""
    found: list[tuple[str, np.ndarray]] = []
    for pattern, expression in _PATTERNS.items():
        if not ids or not expression.match(ids[0]):
            continue
        matches = [expression.match(text) for text in ids]
        separators = {match["sep"] if match else None for match in matches}
        if len(separators) != 1 or None in separators:
            continue
        names = [match["cluster"] for match in matches if match]
        _, codes, counts = np.unique(names, return_inverse=True, return_counts=True)
        if not _LEAST_CLUSTERS <= len(counts) <= len(ids) // 2:
            continue
        if not any(np.array_equal(codes, other) for _, other in found):
            found.append((pattern.replace("SEP", str(separators.pop())), codes))
    return found
