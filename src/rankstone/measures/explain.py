"""The working of one number: what each document adds, and what the sum comes to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core.ranked import Ranked
from rankstone.measures import summation
from rankstone.measures.base import Measure
from rankstone.measures.summation import Computation, Sum, Terms, Value
from rankstone.measures.working import steps_of

NameOf = Callable[[int], Any]


@dataclass(frozen=True)
class Step:
    """One term: the document it comes from, if it comes from one, and the sum so far."""

    rank: int | None
    document: str | int | None
    grade: float | None
    columns: dict[str, float | bool | str]
    term: float
    sum: float


@dataclass(frozen=True)
class ExplanationData:
    """The working of a measure on one query, as plain data.

    ``total`` is the sum of the terms of ``steps`` and ``constant``, and ``value`` is ``total`` over
    ``denominator``, unless ``remark`` says why not. If there is an ``expression``, the value is that
    of the expression with ``parts`` as its names. ``ideal`` are the steps of the ranking that the
    denominator comes from. ``unjudged`` are, by rank, the ids of documents without a judgment
    between those of the steps, if they can be read.
    """

    measure: str
    pretty: str
    formula: str
    choices: tuple[str, ...]
    query: str | int | None
    retrieved: int
    steps: tuple[Step, ...]
    ideal: tuple[Step, ...]
    constant: float
    total: float | None
    denominator: float | None
    expression: str
    parts: dict[str, float]
    value: float
    remark: str
    conventions: dict[str, Any]
    unjudged: dict[int, str] = field(default_factory=dict)

    @property
    def gaps(self) -> list[int]:
        """The ranks between those of the steps, which documents without a judgment have."""
        ranks = [0, *(s.rank for s in self.steps if s.rank is not None)]
        return [rank for a, b in pairwise(ranks) for rank in range(a + 1, b)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; a value that is left out is None."""
        data = asdict(self)
        data["value"] = None if math.isnan(self.value) else self.value
        return data


def explain_query(
    measure: Measure,
    ranked: Ranked,
    query: int,
    name_of: NameOf,
    judged: Sequence[tuple[Any, float]] = (),
) -> ExplanationData:
    """Explain a measure on one query of a ranking.

    ``name_of`` names the document of a judgment; ``judged`` are the ids and grades of the query's
    judged documents, which the ideal ranking consists of.
    """
    ordered = measure.tie_order(ranked)
    computation = measure.definition.kernel(ordered, measure)
    value = float(measure.values(computation)[query])
    is_value = isinstance(computation, Value)
    added = computation.sum if isinstance(computation, Value) else computation
    parts = computation.parts() if isinstance(computation, Value) else {}
    below = None if added is None else _denominator(added, query)
    steps = () if added is None else _steps(added, query, name_of, ordered)
    constant = getattr(added, "constant", None)
    return ExplanationData(
        measure=str(measure),
        pretty=measure.definition.pretty,
        formula=formula_of(measure),
        choices=tuple(parameters_in_words(measure)),
        query=ranked.queries[query],
        retrieved=int(ranked.retrieved[query]),
        steps=steps,
        ideal=_named(_ideal(added, query), () if measure.definition.reads_subtopics else judged),
        constant=0.0 if constant is None else float(constant[query]),
        total=None if added is None else float(summation.total(added)[query]),
        denominator=below,
        expression=computation.expression if isinstance(computation, Value) else "",
        parts={name: _at(part, query) for name, part in parts.items()},
        value=value,
        remark=_remark(measure, computation, query, value, below, empty=not steps and not is_value),
        conventions={
            name: getattr(ranked.conventions, name)
            for name in (*measure.definition.conventions, *_of_repeats(ranked))
        },
    )


def _of_repeats(ranked: Ranked) -> tuple[str, ...]:
    """Return the convention that makes documents count more than once, if some are repeated."""
    return ("duplicates",) if ranked.has_repeats else ()


def _at(part: np.ndarray | float, query: int) -> float:
    return float(part[query]) if isinstance(part, np.ndarray) else float(part)


def _denominator(c: Sum | Terms, query: int) -> float | None:
    if isinstance(c.denominator, Sum):
        return float(summation.total(c.denominator)[query])
    return None if c.denominator is None else float(c.denominator[query])


def formula_of(measure: Measure) -> str:
    """Return the paragraph of the manual page that holds the formula."""
    paragraphs = measure.definition.text.split("\n\n")
    formulas = (p for p in paragraphs[1:] if "=" in p)
    return " ".join(next(formulas, paragraphs[0]).split())


def parameters_in_words(measure: Measure, *, every: bool = False) -> Iterator[str]:
    """Say what the parameters mean that are not at their default, or every one that matters."""
    has_table = any(p.is_table(measure.params[p.name]) for p in measure.definition.params)
    for p in measure.definition.params:
        value = measure.params[p.name]
        matters = value is not None and (has_table or not p.beside_table)
        if p.choices and (value != p.default or (every and matters)):
            meaning = p.choices.get(value) if isinstance(value, str) else "as given"
            yield f"{p.name}={value!r}: {meaning}"


def _ideal(c: Sum | Terms | None, query: int) -> tuple[Step, ...]:
    if c is None or not isinstance(c.denominator, Sum):
        return ()
    return _steps(c.denominator, query)


def _named(steps: tuple[Step, ...], judged: Sequence[tuple[Any, float]]) -> tuple[Step, ...]:
    """Give each step of the ideal ranking the id of a judged document with its grade."""
    by_grade: dict[float, list[Any]] = {}
    for document, grade in reversed(judged):
        by_grade.setdefault(grade, []).append(document)
    return tuple(
        replace(step, document=by_grade[step.grade or 0.0].pop())
        if by_grade.get(step.grade or 0.0)
        else step
        for step in steps
    )


def _steps(
    c: Sum | Terms, query: int, name_of: NameOf | None = None, actual: Ranked | None = None
) -> tuple[Step, ...]:
    """Return the steps of a query; documents have names if the ranking is the actual one."""
    all_steps = steps_of(c)
    rank, grade, judgment = all_steps.rank, all_steps.grade, all_steps.judgment
    if c.ranked is not actual:
        judgment = None
    begin, end = all_steps.offsets[query : query + 2].tolist()
    steps: list[Step] = []
    so_far = _ExactSum()
    for i in range(begin, end):
        term = float(all_steps.term[i])
        steps.append(
            Step(
                rank=None if rank is None else int(rank[i]),
                document=name_of(int(judgment[i])) if name_of and judgment is not None else None,
                grade=None if grade is None else float(grade[i]),
                columns=_row(all_steps.columns, i),
                term=term,
                sum=so_far.add(term),
            )
        )
    return tuple(steps)


class _ExactSum:
    """A sum that is rounded once, however many terms it has."""

    def __init__(self) -> None:
        self.parts: list[float] = []  # each less than the last digit of the next

    def add(self, x: float) -> float:
        """Add a term and return the sum."""
        parts = []
        for y in self.parts:
            high, low = (x, y) if abs(x) >= abs(y) else (y, x)
            x = high + low
            rest = low - (x - high)
            if rest:
                parts.append(rest)
        self.parts = [*parts, x]
        return math.fsum(self.parts)


def _row(columns: Mapping[str, np.ndarray], i: int) -> dict[str, float | bool | str]:
    return {name: _cell(column[i]) for name, column in columns.items()}


def _cell(value: Any) -> float | bool | str:
    if isinstance(value, np.bool_):
        return bool(value)
    return value if isinstance(value, str) else float(value)


def _remark(
    measure: Measure, c: Computation, query: int, value: float, below: float | None, *, empty: bool
) -> str:
    """Say why a value is not simply the sum of its terms over the denominator."""
    shown = "left out of the mean" if math.isnan(value) else f"{value:g}"
    if measure.definition.undefined_without_relevant and measure.is_empty(c.ranked)[query]:
        effect = c.ranked.conventions.effect("no-relevant")
        return f"The query has no relevant document; {effect} makes the value {shown}."
    if below == 0:
        return f"There is nothing to divide by, so the value is {shown}."
    return "No judged document was retrieved." if empty else ""
