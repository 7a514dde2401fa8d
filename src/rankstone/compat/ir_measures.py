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
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import rankstone as rs

_LIKE = "ir_measures"
_COLUMNS = {"query": "query_id", "doc": "doc_id", "grade": "relevance", "score": "score"}


class Qrel(NamedTuple):
    """A judged document."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A retrieved document."""

    query_id: str
    doc_id: str
    score: float


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
        return "cutoff" if known is None or known.definition.at == "k" else known.definition.at

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
    cut = words.pop("cutoff" if known.definition.at == "k" else known.definition.at, None)
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


class _Rows:
    """The rows of a TREC file, read anew each time; an evaluation reads the file itself."""

    def __init__(self, path: str, kind: type) -> None:
        self.path = path
        self._kind = kind

    def __iter__(self) -> Iterator[Any]:
        import gzip

        reader: Any = gzip.open if self.path.endswith(".gz") else open
        with reader(self.path, "rt", encoding="utf-8") as lines:
            yield from _rows(lines, self._kind)


def _rows(lines: Iterable[str], kind: type) -> Iterator[Any]:
    size = 4 if kind is Qrel else 6
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        try:
            if len(fields) != size:
                raise ValueError
            if kind is Qrel:
                query, iteration, doc, grade = fields
                yield Qrel(query, doc, int(grade), iteration)
            else:
                yield ScoredDoc(fields[0], fields[2], float(fields[4]))
        except ValueError:
            shape = "query iteration document grade"
            shape = shape if kind is Qrel else "query Q0 document rank score tag"
            raise rs.DataError(f"line {number}: expected '{shape}', found {line!r}.") from None


def _read(file: Any, kind: type) -> Any:
    if isinstance(file, os.PathLike) or (isinstance(file, str) and "\n" not in file):
        return _Rows(os.fspath(file), kind)
    return list(_rows(file.splitlines() if isinstance(file, str) else file, kind))


def read_trec_qrels(file: Any) -> Iterable[Qrel]:
    """Return the judgments in a TREC file: a path, an open file, or its text."""
    return _read(file, Qrel)


def read_trec_run(file: Any) -> Iterable[ScoredDoc]:
    """Return the documents in a TREC run: a path, an open file, or its text."""
    return _read(file, ScoredDoc)


def _data(source: Any, value: str) -> Any:
    """Return judgments or a run as Rankstone takes them."""
    if isinstance(source, _Rows):
        return source.path
    if isinstance(source, Mapping | str | os.PathLike) or hasattr(source, "columns"):
        return source
    found: dict[Any, dict[Any, Any]] = {}
    for row in source:
        try:
            found.setdefault(row.query_id, {})[row.doc_id] = getattr(row, value)
        except AttributeError:
            raise rs.UsageError(
                f"rows must have query_id, doc_id and {value}, as Qrel and ScoredDoc do; "
                f"found {row!r}."
            ) from None
    return found


class Evaluator:
    """Evaluates runs against judgments that are read once."""

    def __init__(self, measures: Iterable[str | Measure], qrels: Any) -> None:
        self.measures = list(dict.fromkeys(parse_measure(m) for m in measures))
        self._asked = {m: in_rankstone(m.NAME, m.params) for m in self.measures}
        self._judged = rs.load_judgments(_data(qrels, "relevance"), _COLUMNS)
        self.queries = list(self._judged.queries.objects)

    def _results(self, run: Any) -> Iterator[tuple[Measure, rs.Result]]:
        data = _data(run, "score")
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
    functions = ("calc", "calc_aggregate", "iter_calc", "evaluator", "parse_measure")
    rows = ("Qrel", "ScoredDoc", "Metric", "CalcResults", "read_trec_qrels", "read_trec_run")
    return sorted({*_known(), *functions, *rows, "Measure", "Evaluator"})
