"""How runs are compared: tests, intervals, corrections, weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankstone.choices.base import Choices, at_least, option
from rankstone.frozen import frozen


@frozen(kw_only=True, eq=False, repr=False)
class Statistics(Choices):
    """How a comparison is made; part of every Comparison."""

    title = "statistics"

    baseline: str | None = option(
        None, "name of the run that all others are compared with (default: the first)"
    )
    all_pairs: bool = option(False, "compare every two runs instead", kind="flag")
    test: str | None = option(
        None,
        "randomization (default), t (default for repeated runs), wilcoxon, sign, bootstrap or tukey",
    )
    correction: str = option(
        "holm",
        "for the number of comparisons: holm (default), bh, bonferroni or none",
    )
    interval: str | None = option(
        None,
        "method of the intervals: bca (default), percentile or t (default for repeated runs)",
        flag="--interval-method",
    )
    confidence: float = option(
        0.95,
        "level of the intervals (0.95); 1 - confidence is the significance level",
        kind="number",
    )
    resamples: int = option(
        10_000, "number of random sign flips or permutations (10000)", kind="whole"
    )
    rng: Any = option(
        0,
        "seed of the resamples (0), or a NumPy Generator; the same seed gives the same numbers",
        kind="seed",
        flag="--seed",
        metavar="N",
    )
    family: str = option(
        "measure",
        "comparisons that are corrected together",
        values={"measure": "those of one measure", "all": "all that are shown"},
    )
    clusters: Any = option(
        None,
        "queries that belong together, such as those of one conversation: a dict of clusters by "
        "query, a file with both in each line, a key of the judgments' records, or a pattern of "
        "query ids such as '{cluster}_{n}'",
        kind="data",
    )
    by: Any = option(
        None,
        "groups of queries that are decided one by one, too: a dict of groups by query, a Series or "
        "frame, a file with both in each line, or a key of the judgments' records",
        kind="data",
    )
    trusted: Any = option(
        None,
        "judgments by people of some of the queries, beside judgments by a model of all of them; both "
        "are combined by prediction-powered inference",
        kind="data",
        metavar="QRELS",
    )
    weights: Any = option(
        None,
        "weight of each query, such as its traffic: a dict, or a file with both in each line",
        kind="data",
    )
    repeats: Mapping[str, Sequence[str]] | None = option(
        None,
        "names of runs by name of the system that they are repetitions of; on the command line "
        "the files, such as 'dense=dense.*.run'",
        kind="list",
        metavar="NAME=PATTERN",
    )
    lower_is_better: Any = option(
        (),
        "measures that rankstone does not know, and of which lower is better, such as latency",
        kind="list",
    )
    minimum_difference: float | None = option(
        None,
        "smallest difference that matters (default: a tenth of the baseline's mean)",
        kind="number",
    )
    incomplete_above: float = option(
        0.1,
        "share of a difference that may come from unanswered queries (0.1)",
        kind="number",
        check=lambda share: None if 0.0 <= share <= 1.0 else "from 0 to 1",
    )
    zeros: str = option(
        "wilcox",
        "how the Wilcoxon test treats differences of 0: wilcox (left out) or pratt (ranked first)",
    )
    moved: int = option(
        5,
        "number of queries to list that improved and worsened most (5)",
        kind="whole",
        check=at_least(0),
    )
