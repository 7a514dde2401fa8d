"""ir_measures' interface: the same names, inputs and numbers.

>>> from rankstone.compat import ir_measures
>>> from rankstone.compat.ir_measures import AP, P
>>> qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 1.5}}
>>> ir_measures.calc_aggregate([AP, P(rel=1) @ 5], qrels, run)
{AP: 0.5, P(rel=1)@5: 0.2}
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import rankstone as rs
from rankstone.compat.ir_measures_rows import (
    Qrel as Qrel,
    ScoredDoc as ScoredDoc,
    data_of,
    read_trec_qrels as read_trec_qrels,
    read_trec_run as read_trec_run,
)

_LIKE = "ir_measures"
_COLUMNS = {"query": "query_id", "doc": "doc_id", "grade": "relevance", "score": "score"}


class Metric(NamedTuple):
    """The value of a measure for a query."""

    query_id: Any
    measure: Measure
    value: float


class CalcResults(NamedTuple):
    """Aggregates, and the value of every query."""

    aggregated: Any
    per_query: list[Metric]


class UnknownMeasureError(rs.UsageError, NameError):
    """A name that is no measure; ir_measures raises a NameError."""


class Measure:
    """A measure in ir_measures' words: ``P(rel=2)@5`` has the parameters cutoff and rel."""

    def __init__(self, name: str, params: Mapping[str, Any] | None = None) -> None:
        self.NAME = name
        self.params = dict(params or {})

    @property
    def _at(self) -> str:
        known = _known().get(self.NAME)
        return (
            "cutoff"
            if known is None or known.definition.cutoff_param == "k"
            else known.definition.cutoff_param
        )

    def __call__(self, **params: Any) -> Measure:
        """Return the measure with some parameters set."""
        return Measure(self.NAME, {**self.params, **params})

    def __matmul__(self, value: float) -> Measure:
        """Return the measure at a cut-off."""
        return self(**{self._at: value})

    def __repr__(self) -> str:
        inside = ",".join(f"{n}={v!r}" for n, v in self.params.items() if n != self._at)
        cut = f"@{self.params[self._at]}" if self._at in self.params else ""
        return self.NAME + (f"({inside})" if inside else "") + cut

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def evaluator(self, qrels: Any) -> Evaluator:
        """Return an evaluator of this measure."""
        return Evaluator([self], qrels)

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """Return the value of every query."""
        return self.evaluator(qrels).iter_calc(run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """Return the aggregate."""
        return self.evaluator(qrels).calc_aggregate(run)[self]

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """Return the aggregate, and the value of every query."""
        found = self.evaluator(qrels).calc(run)
        return CalcResults(found.aggregated[self], found.per_query)


def in_rankstone(name: str, params: Mapping[str, Any]) -> str:
    """Return a measure in words that Rankstone reads like ir_measures, without judged_only."""
    known = _known().get(name)
    if known is None:
        raise UnknownMeasureError(
            f"{name!r} is no measure of ir_measures that Rankstone has. Known: "
            f"{', '.join(_known())}."
        )
    has = known.params
    if "rel" in has and "gain" in has and "rel" not in params:
        raise rs.UsageError(f"{name} needs rel=, as in ir_measures: {name}(rel=1).")
    words = {n: v for n, v in params.items() if n != "judged_only" and (n, v) != ("dcg", "log2")}
    cut = words.pop(
        "cutoff" if known.definition.cutoff_param == "k" else known.definition.cutoff_param, None
    )
    if "gains" in words:
        words |= {"gain": words.pop("gains"), "unlisted": "grade"}
    if "beta" in words:  # what trec_eval calls beta is its square
        words["beta"] = math.sqrt(words["beta"])
    inside = ", ".join(f"{n}={v!r}" for n, v in words.items())
    return name + (f"({inside})" if inside else "") + ("" if cut is None else f"@{cut}")


@cache
def _known() -> dict[str, rs.Measure]:
    """Return Rankstone's measure for each name that ir_measures has."""
    return {
        spelling.pattern.partition("@")[0]: measure
        for measure in rs.all_measures()
        for spelling in measure.definition.names.get(_LIKE, ())
        if "(" not in spelling.pattern
    }


@cache
def _aliases() -> dict[str, str]:
    """Return the names by lower case, as means (M...), and by what they are called in full."""
    known = _known()
    pretty = {m.definition.pretty.lower(): n for n, m in known.items() if n == m.name}
    return pretty | {f"m{n.lower()}": n for n in known} | {n.lower(): n for n in known}


def _measure(name: str) -> Measure:
    found = name if name in _known() else _aliases().get(name.lower())
    if found is None:
        in_rankstone(name, {})
    return Measure(str(found))


def parse_measure(measure: str | Measure) -> Measure:
    """Read a measure such as ``P(rel=2)@5``.

    >>> parse_measure("MAP(rel=2)@100")
    AP(rel=2)@100
    """
    if isinstance(measure, Measure):
        return measure
    try:
        node = ast.parse(measure.strip(), mode="eval").body
        cut = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            cut, node = ast.literal_eval(node.right), node.left
        params = {}
        if isinstance(node, ast.Call) and not node.args:
            params = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
            node = node.func
        name = node.id  # type: ignore[attr-defined]
    except (ValueError, SyntaxError, AttributeError):
        raise rs.UsageError(
            f"cannot read the measure {measure!r}; write it as Name(param=value)@5."
        ) from None
    found = _measure(name)(**params)
    return found if cut is None else found @ cut


def parse_trec_measure(measure: str) -> list[Measure]:
    """Return the measures behind a name of trec_eval, such as map, P_5,10 or official.

    >>> parse_trec_measure("P_5,10")
    [P@5, P@10]
    """
    from rankstone.compat import pytrec_eval

    tried = pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, [measure]).evaluate({"q": {"d": 1.0}})
    found = list(dict.fromkeys(m for name in tried["q"] if (m := _of_trec_eval(name)) is not None))
    if not found:
        raise rs.UsageError(f"ir_measures has no measure for trec_eval's {measure}.")
    return found


def _of_trec_eval(name: str) -> Measure | None:
    """Return ir_measures' name for a line of trec_eval, None where it has none."""
    try:
        measure = rs.parse_measure(name)
    except rs.UsageError:
        return None
    at = measure.definition.cutoff_param
    cut = measure.params.get(at)
    more = {n: v for n, v in measure.given.items() if n != at}.items()
    fitting = [
        spelling
        for spelling in measure.definition.names.get(_LIKE, ())
        if more <= spelling.params.items()
        and "(" not in spelling.pattern
        and (cut is None or "{" in spelling.pattern)
    ]
    if not fitting:
        return None
    # What is meant without a cut-off, and with nothing else, before what may be.
    best = min(fitting, key=lambda s: (cut is None and "{" in s.pattern, len(s.params)))
    found = Measure(best.pattern.partition("@")[0])
    return found if cut is None else found @ cut


class Evaluator:
    """Evaluates runs against judgments that are read once."""

    def __init__(self, measures: Iterable[str | Measure], qrels: Any) -> None:
        self.measures = list(dict.fromkeys(parse_measure(m) for m in measures))
        self._asked = {m: in_rankstone(m.NAME, m.params) for m in self.measures}
        self._judged = rs.load_judgments(data_of(qrels, "relevance"), _COLUMNS)
        self.queries = list(self._judged.queries.objects)

    def _results(self, run: Any) -> Iterator[tuple[Measure, rs.Result]]:
        data = data_of(run, "score")
        if hasattr(data, "__len__") and len(data) == 0:
            return
        for only in (False, True):
            asked = [m for m in self.measures if bool(m.params.get("judged_only", False)) == only]
            if not asked:
                continue
            try:
                result = rs.evaluate(
                    self._judged,
                    data,
                    [self._asked[m] for m in asked],
                    like=_LIKE,
                    columns=_COLUMNS if hasattr(data, "columns") else None,
                    unjudged="remove" if only else "nonrelevant",
                )
            except rs.NothingInCommonError:
                continue
            yield from ((m, result) for m in asked)

    def calc(self, run: Any) -> CalcResults:
        """Return aggregates, and the value of every judged query; 0 for what is not in the run."""
        aggregates = dict.fromkeys(self.measures, 0.0)
        values: dict[Measure, dict[Any, float]] = {m: {} for m in self.measures}
        for measure, result in self._results(run):
            asked = self._asked[measure]
            aggregates[measure] = result[asked]
            found = result.values(asked).tolist()
            values[measure] = dict(zip(result.queries, found, strict=True))
        metrics = [
            Metric(query, measure, 0.0 if math.isnan(value) else value)
            for measure in self.measures
            for query in self.queries
            for value in (values[measure].get(query, 0.0),)
        ]
        return CalcResults(aggregates, metrics)

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """Return the value of every query."""
        return iter(self.calc(run).per_query)

    def calc_aggregate(self, run: Any) -> dict[Measure, float]:
        """Return aggregates by measure."""
        return self.calc(run).aggregated


evaluator = Evaluator


def calc(measures: Iterable[str | Measure], qrels: Any, run: Any) -> CalcResults:
    """Return aggregates, and the value of every query."""
    return Evaluator(measures, qrels).calc(run)


def iter_calc(measures: Iterable[str | Measure], qrels: Any, run: Any) -> Iterator[Metric]:
    """Return the value of every query."""
    return Evaluator(measures, qrels).iter_calc(run)


def calc_aggregate(measures: Iterable[str | Measure], qrels: Any, run: Any) -> dict[Measure, float]:
    """Return aggregates by measure."""
    return Evaluator(measures, qrels).calc_aggregate(run)


def __getattr__(name: str) -> Any:
    """Return the measure of that name."""
    if name == "__all__":
        return __dir__()
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return _measure(name)
    except UnknownMeasureError as error:
        raise AttributeError(str(error)) from None


def __dir__() -> list[str]:
    """List what ``import *`` brings: the measures and the functions."""
    functions = "calc calc_aggregate iter_calc evaluator parse_measure parse_trec_measure"
    rows = "Qrel ScoredDoc Metric CalcResults read_trec_qrels read_trec_run Measure Evaluator"
    return sorted({*_known(), *functions.split(), *rows.split()})
