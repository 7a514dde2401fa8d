"""pytrec_eval's interface: the same names and results, with room for what it refuses.

>>> from rankstone.compat import pytrec_eval
>>> evaluator = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 1}}, {"map", "P.5"})
>>> evaluator.evaluate({"q1": {"d1": 0.5, "d2": 1.5}})
{'q1': {'map': 0.5, 'P_5': 0.2}}
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

import rankstone as rs
from rankstone.compat.trec_rows import Qrel, ScoredDoc, by_query, trec_rows
from rankstone.tools.trec_eval import nicknames
from rankstone.verbs.trec_eval.columns import Column, columns
from rankstone.verbs.trec_eval.values import aggregated, per_query

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

supported_nicknames = {name: set(members) for name, members in nicknames(9).items()}
supported_measures = supported_nicknames["all_trec"]

_NUMBERS = r"[0-9]+(?:\.[0-9]+)?"


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run into a dict of dicts."""
    return by_query(trec_rows(f_run, ScoredDoc))


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC qrels into a dict of dicts."""
    return by_query(trec_rows(f_qrel, Qrel))


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Return the sum of counts (``num_...``), the geometric mean (``gm_...``) or the mean."""
    numbers = [float(v) for v in values]
    how = {"num": "sum", "gm": "geometric"}.get(measure.partition("_")[0], "mean")
    return aggregated(math.fsum(numbers), len(numbers), how)


class RelevanceEvaluator:
    """Evaluates runs against judgments; grades may be fractions, numbers NumPy's."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        self._columns = _columns([measures] if isinstance(measures, str) else measures)
        self._conventions = rs.tool("pytrec_eval").conventions.replace(
            relevance=relevance_level,
            unjudged="remove" if judged_docs_only_flag else "nonrelevant",
        )
        judged = {query: docs for query, docs in query_relevance.items() if len(docs)}
        self._judgments = rs.load_judgments(judged) if judged else None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the values of each query both judged and in the run, in the run's order."""
        if not scores or self._judgments is None:
            return {}
        measures = [c.measure for c in self._columns if c.measure is not None]
        try:
            result = rs.evaluate(
                self._judgments, scores, measures or rs.DEFAULT, conventions=self._conventions
            )
        except rs.NothingInCommonError:
            return {}
        values = [
            [0.0] * len(result.queries)
            if column.measure is None
            else per_query(column, result.values(column.measure)).tolist()
            for column in self._columns
        ]
        # Parameters stand in a name where they make several lines.
        labels = [c.label if c.line.per_value_of else c.line.name for c in self._columns]
        rows = zip(*values, strict=True) if values else ([] for _ in result.queries)
        evaluated = {
            query: dict(zip(labels, row, strict=True))
            for query, row in zip(result.queries, rows, strict=True)
        }
        return {query: evaluated[query] for query in scores if query in evaluated}


def _columns(measures: Iterable[str]) -> list[Column]:
    """Return columns for names such as map, P.5, P_5,10 or official."""
    arguments: dict[str, set[str]] = {}
    for name in measures:
        if name in supported_nicknames:
            for member in supported_nicknames[name]:
                arguments.setdefault(member, set())
        elif name in supported_measures:
            arguments.setdefault(name, set())
        else:
            base, given = split_name(name)
            arguments.setdefault(base, set()).update(given)
    names = (f"{n}.{','.join(sorted(a))}" if a else n for n, a in arguments.items())
    return columns(names, 9, lenient=True)


def split_name(name: str) -> tuple[str, list[str]]:
    """Return the measure and the numbers of a name such as P_5,10."""
    match = re.fullmatch(rf"(.+?)[._]({_NUMBERS}(?:,{_NUMBERS})*)", name)
    if match is None or match[1] not in supported_measures:
        raise rs.UsageError(f"unsupported measure {name}")
    return match[1], match[2].split(",")
