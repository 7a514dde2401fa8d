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
from rankstone.compat.pytrec_eval import split_name, supported_measures, supported_nicknames
from rankstone.compat.trec_rows import (
    Qrel as Qrel,
    ScoredDoc as ScoredDoc,
    data_of,
    read_trec_qrels as read_trec_qrels,
    read_trec_run as read_trec_run,
)
from rankstone.tools.trec_eval import lines

_TOOL = rs.tool("ir_measures")
#: What ``like="ir_measures"`` reads, but this module leaves out.
_REFUSED = {"Accuracy": "its mean depends on which other measures are asked for"}
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
    """A name that is not a measure; ir_measures raises a NameError."""


class Measure:
    """A measure in ir_measures' words: ``P(rel=2)@5`` has the parameters cutoff and rel."""

    def __init__(self, name: str, params: Mapping[str, Any] | None = None) -> None:
        self.NAME = name
        self.params = dict(params or {})

    @property
    def _at(self) -> str:
        """The parameter that ``@`` sets."""
        return "recall" if self.NAME == "IPrec" else "cutoff"

    def __call__(self, **params: Any) -> Measure:
        """Return the measure with some parameters set."""
        return Measure(self.NAME, {**self.params, **params})

    def __matmul__(self, value: float) -> Measure:
        """Return the measure at a cutoff."""
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
        results = self.evaluator(qrels).calc(run)
        return CalcResults(results.aggregated[self], results.per_query)


#: ir_measures' measure for each of trec_eval's, and the parameter that follows the dot.
_TREC_EVAL = {
    "ndcg": (Measure("nDCG"), ""),
    "ndcg_cut": (Measure("nDCG"), "cutoff"),
    "P": (Measure("P"), "cutoff"),
    "map": (Measure("AP"), ""),
    "map_cut": (Measure("AP"), "cutoff"),
    "recall": (Measure("R"), "cutoff"),
    "success": (Measure("Success"), "cutoff"),
    "iprec_at_recall": (Measure("IPrec"), "recall"),
    "recip_rank": (Measure("RR"), ""),
    "Rprec": (Measure("Rprec"), ""),
    "bpref": (Measure("Bpref"), ""),
    "infAP": (Measure("infAP"), ""),
    "set_P": (Measure("SetP"), ""),
    "set_relative_P": (Measure("SetP", {"relative": True}), ""),
    "set_recall": (Measure("SetR"), ""),
    "set_F": (Measure("SetF"), "beta"),
    "set_map": (Measure("SetAP"), ""),
    "num_q": (Measure("NumQ"), ""),
    "num_rel": (Measure("NumRel"), ""),
    "num_rel_ret": (Measure("NumRet", {"rel": 1}), ""),
    "num_ret": (Measure("NumRet"), ""),
}


def in_words(name: str, params: Mapping[str, Any]) -> str:
    """Return a measure with its parameters, as ``like="ir_measures"`` reads it."""
    if name not in _names():
        reasons = {pattern.partition("@")[0]: why for pattern, why in _TOOL.unsupported.items()}
        reason = (reasons | _REFUSED).get(name)
        raise UnknownMeasureError(
            f"{name!r} is not a measure of ir_measures that is here"
            + (f": {reason}" if reason else "")
            + f". There are: {', '.join(dict.fromkeys(_names().values()))}."
        )
    if name == "RBP" and "rel" not in params:
        raise rs.UsageError("RBP needs rel=, as in ir_measures: RBP(rel=1).")
    inside = ", ".join(f"{n}={v!r}" for n, v in params.items())
    return f"{name}({inside})" if inside else name


@cache
def _names() -> dict[str, str]:
    """Return the name that ir_measures prints for each name it reads."""
    first: dict[str, str] = {}
    names: dict[str, str] = {}
    for name in _TOOL.names:
        base = name.pattern.partition("@")[0]
        if "(" not in base and base not in _REFUSED:
            same = f"{name.measure} {name.params} {name.conventions} {name.has_cutoff}"
            names.setdefault(base, first.setdefault(same, base))
    return names


def _measure(name: str) -> Measure:
    by_lower = {n.lower(): printed for n, printed in reversed(_names().items())}
    printed = _names().get(name) or by_lower.get(name.lower())
    if printed is None:
        in_words(name, {})
    return Measure(str(printed))


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
    parsed = _measure(name)(**params)
    return parsed if cut is None else parsed @ cut


def parse_trec_measure(measure: str) -> list[Measure]:
    """Return the measures behind a name of trec_eval, such as map, P_5,10 or official.

    >>> parse_trec_measure("P_5,10")
    [P@5, P@10]
    >>> parse_trec_measure("set_F.0.5,2.4")
    [SetF(beta=0.5), SetF(beta=2.4)]
    """
    if members := supported_nicknames.get(measure):
        return [m for name in sorted(members & _TREC_EVAL.keys()) for m in parse_trec_measure(name)]
    given: list[str] = []
    name = measure
    if measure not in supported_measures:
        name, given = split_name(measure)
    if name not in _TREC_EVAL:
        raise rs.UsageError(f"ir_measures has no measure for trec_eval's {measure}.")
    there, at = _TREC_EVAL[name]
    if given and not at:
        raise rs.UsageError(f"trec_eval's {name} has no parameter; found {','.join(given)!r}.")
    number = int if at == "cutoff" else float
    values = [number(v) for v in given or lines()[name].values]
    return [there(**{at: value}) for value in values] or [there]


class Evaluator:
    """Evaluates runs against judgments that are read once."""

    def __init__(self, measures: Iterable[str | Measure], qrels: Any) -> None:
        self.measures = list(dict.fromkeys(parse_measure(m) for m in measures))
        self._words = {m: in_words(m.NAME, m.params) for m in self.measures}
        self._judgments = rs.load_judgments(data_of(qrels, "relevance"), _COLUMNS)
        self.queries = list(self._judgments.queries.objects)

    def _result(self, run: Any) -> rs.Result | None:
        """Return the result of a run, None if no query is both judged and in the run."""
        data = data_of(run, "score")
        if not self.measures or (hasattr(data, "__len__") and len(data) == 0):
            return None
        try:
            return rs.evaluate(
                self._judgments,
                data,
                list(self._words.values()),
                like=_TOOL.name,
                columns=_COLUMNS if hasattr(data, "columns") else None,
            )
        except rs.NothingInCommonError:
            return None

    def calc(self, run: Any) -> CalcResults:
        """Return aggregates, and the value of every judged query; 0 for what is not in the run."""
        aggregates = dict.fromkeys(self.measures, 0.0)
        values: dict[Measure, dict[Any, float]] = {m: {} for m in self.measures}
        result = self._result(run)
        if result is not None:
            for measure, words in self._words.items():
                aggregates[measure] = result[words]
                column = result.values(words).tolist()
                values[measure] = dict(zip(result.queries, column, strict=True))
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
    return sorted({*_names(), *functions.split(), *rows.split()})
