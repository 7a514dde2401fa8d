"""ranx's interface: Qrels, Run, evaluate and compare, with ranx's numbers.

>>> from rankstone.compat.ranx import Qrels, Run, evaluate
>>> qrels = Qrels({"q1": {"d1": 1, "d2": 3}})
>>> run = Run({"q1": {"d9": 0.9, "d2": 0.8, "d1": 0.1}}, name="bm25")
>>> evaluate(qrels, run, ["mrr", "precision@2"])
{'mrr': 0.5, 'precision@2': 0.5}
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np

import rankstone as rs
from rankstone.compat.ranx_report import PValues, Report
from rankstone.compat.ranx_tables import Qrels, Run

__all__ = ["Qrels", "Report", "Run", "compare", "evaluate"]

_LIKE = "ranx"
_TESTS = {"student": "t", "fisher": "randomization", "tukey": "tukey"}
_METRIC = re.compile(r"(.+?)(?:[.@](\d+))?(?:-l(\d+))?")


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | list[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Return the mean of each metric, or with ``return_mean=False`` the value of every query.

    Judgments and run are ``Qrels`` and ``Run``, dicts of dicts, or lists of arrays (NumPy's,
    numba's), one for each query. A row is the number of a document and its grade or score; the
    order of a run's rows is the ranking.
    """
    qrels, run = Qrels.of(qrels), Run.of(run)
    if make_comparable:
        run.make_comparable(qrels)
    _check_queries(qrels, run)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    values = _values(qrels, run, names, threads)
    scores: dict[str, Any] = {}
    for name, of_queries in values.items():
        mean, std = float(np.mean(of_queries)), float(np.std(of_queries))
        scores[name] = {"mean": mean, "std": std} if return_std else mean
        if save_results_in_run:
            run.scores[name] = dict(zip(run.get_query_ids(), of_queries.tolist(), strict=True))
            run.mean_scores[name] = mean
            if return_std:
                run.std_scores[name] = std
    answer = scores if return_mean else values
    return answer[names[0]] if len(names) == 1 else answer


def compare(
    qrels: Qrels,
    runs: list[Run],
    metrics: str | list[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """Evaluate several runs, side by side; test every two, and count wins, ties and losses.

    ``stat_test`` is ``"student"`` (paired t test), ``"fisher"`` (randomization) or ``"tukey"``
    (randomized Tukey HSD). Runs are matched by query id. As in ranx, p-values are not corrected for
    the number of comparisons.
    """
    if stat_test not in _TESTS:
        raise rs.UsageError(f"stat_test={stat_test!r}: give one of {', '.join(_TESTS)}.")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    values: dict[str, dict[str, np.ndarray]] = {}
    by_query: dict[str, dict[str, dict[str, float]]] = {}
    for number, run in enumerate(runs, 1):
        label = run.name if run.name is not None else f"run_{number}"
        if label in values:
            raise rs.UsageError(f"two runs are called {label!r}; give each a name of its own.")
        evaluated = evaluate(
            qrels, run, names, False, threads=threads, make_comparable=make_comparable
        )
        values[label] = {names[0]: evaluated} if len(names) == 1 else evaluated
        by_query[label] = {
            query: {name: float(values[label][name][i]) for name in names}
            for i, query in enumerate(run.get_query_ids())
        }
    tested = None
    if len(runs) > 1:
        tested = rs.compare(
            by_query,
            measures=names,
            all_pairs=True,
            test=_TESTS[stat_test],
            correction="none",
            resamples=n_permutations,
            rng=random_seed,
        )
    p_values = PValues.of(tested, max_p)
    return Report(values, names, rounding_digits, show_percentages, p_values, stat_test)


def _values(qrels: Qrels, run: Run, metrics: list[str], threads: int) -> dict[str, np.ndarray]:
    """Return the value of each query, in the order of the run's, by metric."""
    sums = {metric: _sum_of(metric, qrels) for metric in metrics}
    values: dict[str, np.ndarray] = {}
    for level in {level for _, level in sums.values()}:
        same = {metric: parts for metric, (parts, at) in sums.items() if at == level}
        result = rs.evaluate(
            _from_level(qrels.qrels, level),
            run.run,
            [text for parts in same.values() for text in parts],
            like=_LIKE,
            threads=threads or None,
        )
        place = {query: i for i, query in enumerate(result.queries)}
        order = [place[query] for query in run.get_query_ids()]
        for metric, parts in same.items():
            total = sum(weight * result.values(text) for text, weight in parts.items())
            values[metric] = np.asarray(total)[order]
    return {metric: values[metric] for metric in metrics}


def _sum_of(metric: str, qrels: Qrels) -> tuple[dict[str, int], int]:
    """Return a metric such as map@10-l2 or rbp.95 as a sum of Rankstone's, and its level."""
    parts = _METRIC.fullmatch(metric) if isinstance(metric, str) else None
    if parts is None:
        raise rs.UsageError(f"a metric is given by name, such as 'mrr@10', not as {metric!r}.")
    base, number, level = parts.groups()
    if base != "rbp":
        return {base if number is None else f"{base}@{number}": 1}, int(level or 1)
    if number is None:
        raise rs.UsageError(f"{base} needs a persistence: '{base}.95'.")
    # A grade is its own gain: the sum of the steps up to it.
    grades = sorted({g for docs in qrels.qrels.values() for g in docs.values() if g > 0}) or [1]
    steps = {str(rs.RBP(p=float(f"0.{number}"), rel=g)): g - h for h, g in pairwise([0, *grades])}
    return steps, int(level or 1)


def _from_level(qrels: dict[str, dict[str, int]], level: int) -> dict[str, dict[str, int]]:
    """Return judgments whose grades below the level are 0."""
    if level <= 1:
        return qrels
    return {q: {d: g if g >= level else 0 for d, g in docs.items()} for q, docs in qrels.items()}


def _check_queries(qrels: Qrels, run: Run) -> None:
    judged, retrieved = set(qrels.get_query_ids()), set(run.get_query_ids())
    if judged != retrieved:
        query = min(judged ^ retrieved)
        which = "judged and not in the run" if query in judged else "in the run and not judged"
        raise rs.DataError(
            f"judgments and run have different queries: {query!r} is {which}. make_comparable=True adds empty "
            "results for missing queries and drops those that are not judged."
        )
