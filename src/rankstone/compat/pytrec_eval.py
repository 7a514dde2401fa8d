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
from typing import Any

import numpy as np

import rankstone as rs
from rankstone.measures.trec_eval import Column, columns, nicknames

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
_FLOOR = 1e-5


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a TREC run into a dict of dicts."""
    return _parsed(f_run, (0, 2, 4), 6, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of TREC qrels into a dict of dicts."""
    return _parsed(f_qrel, (0, 2, 3), 4, int)


def _parsed(lines: Iterable[str], at: tuple[int, int, int], size: int, kind: Any) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != size:
            raise rs.DataError(
                f"line {number}: expected {size} fields, found {len(fields)}: {line!r}."
            )
        query, doc, value = (fields[i] for i in at)
        known = found.setdefault(query, {})
        if doc in known:
            raise rs.DataError(
                f"line {number}: document {doc!r} of query {query!r} is there twice."
            )
        try:
            known[doc] = kind(value)
        except ValueError:
            what = "a whole number" if kind is int else "a number"
            raise rs.DataError(f"line {number}: {value!r} is not {what}.") from None
    return found


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Return the sum of counts (``num_...``), the geometric mean (``gm_...``) or the mean."""
    numbers = [float(v) for v in values]
    total = math.fsum(numbers)
    if measure.startswith("num_"):
        return total
    mean = total / len(numbers) if numbers else math.nan
    return math.exp(mean) if measure.startswith("gm_") else mean


class RelevanceEvaluator:
    """Evaluates runs against judgments; grades may be fractions, numbers NumPy's."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        wanted = [measures] if isinstance(measures, str) else measures
        self._columns = _columns(wanted)
        self._conventions = rs.Conventions(
            precision="float32",
            queries="both",
            sums="plain",
            relevance=relevance_level,
            unjudged="remove" if judged_docs_only_flag else "nonrelevant",
        )
        judged = {query: docs for query, docs in query_relevance.items() if len(docs)}
        self._judged = rs.load_judgments(judged) if judged else None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the values of each query both judged and in the run, in the run's order."""
        if not scores or self._judged is None:
            return {}
        measures = [c.measure for c in self._columns if c.measure is not None]
        try:
            result = rs.evaluate(
                self._judged, scores, measures or rs.DEFAULT, conventions=self._conventions
            )
        except rs.NothingInCommonError:
            return {}
        values = [_values(column, result) for column in self._columns]
        labels = [_label(column) for column in self._columns]
        rows = zip(*values, strict=True) if values else ([] for _ in result.queries)
        found = {
            query: dict(zip(labels, row, strict=True))
            for query, row in zip(result.queries, rows, strict=True)
        }
        return {query: found[query] for query in scores if query in found}


def _label(column: Column) -> str:
    """Return pytrec_eval's name: parameters stand in it where they make several lines."""
    return column.label if column.line.each else column.line.name


def _values(column: Column, result: Any) -> list[float]:
    if column.measure is None:
        return [0.0] * len(result.queries)
    values = result.values(column.measure)
    if column.measure.definition.aggregate == "geometric":
        values = np.log(np.maximum(values, _FLOOR))
    return values.tolist()


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
            base, given = _split(name)
            arguments.setdefault(base, set()).update(given)
    names = (f"{n}.{','.join(sorted(a))}" if a else n for n, a in arguments.items())
    return columns(names, 9, lenient=True)


def _split(name: str) -> tuple[str, list[str]]:
    found = re.fullmatch(rf"(.+?)[._]({_NUMBERS}(?:,{_NUMBERS})*)", name)
    if found is None or found[1] not in supported_measures:
        raise rs.UsageError(f"unsupported measure {name}")
    return found[1], found[2].split(",")
