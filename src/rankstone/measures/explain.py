"""The working of one number: the term of each document, and their sum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.errors import UsageError
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.measures import summation
from rankstone.measures.base import Measure
from rankstone.measures.summation import Computation, Pooled, Sum, Terms, Value

Array = np.ndarray


@frozen(eq=False)
class Steps:
    """The terms of single documents: rows ``offsets[q]:offsets[q + 1]`` belong to query q.

    ``rank``, ``grade`` and ``judgment`` are None if steps are not documents of the ranking.
    """

    offsets: Array
    columns: dict[str, Array]
    term: Array
    rank: Array | None = None
    grade: Array | None = None
    judgment: Array | None = None


@frozen(eq=False)
class Workings:
    """The working of every query, as ``explain`` shows it for one.

    The value is (total of all terms + constant) / denominator; or that of the expression, with
    ``parts`` as its names. ``steps`` holds the first ranks only, ``total`` is over all of them.
    ``cutoff`` is the rank down to which documents count, if steps are documents.
    """

    computation: Computation
    steps: Steps | None
    ideal: Steps | None
    total: Array | None
    constant: Array | None
    denominator: Array | None
    expression: str
    parts: dict[str, Array]
    cutoff: int | None = None


def workings(measure: Measure, ranked: Ranked, depth: int | None = None) -> Workings:
    """Return the terms of a measure for each query of a ranking, down to a rank (default: all)."""
    measure, ranked = measure.cut(ranked)
    ordered = measure.tie_order(ranked)
    computation = measure.definition.kernel(ordered, measure)
    expression, parts = "", {}
    added: Sum | Terms | None
    if isinstance(computation, Pooled):
        raise UsageError(
            f"{measure} is a number of all lists together, which no list has a part of. Explain a "
            "measure of single lists, such as Exposure or Novelty."
        )
    if isinstance(computation, Value):
        expression, added = computation.expression, computation.sum
        parts = {n: np.broadcast_to(p, len(ranked)) for n, p in computation.parts().items()}
    else:
        added = computation
    if added is None:
        return Workings(computation, None, None, None, None, None, expression, parts)
    below = added.denominator
    steps = steps_of(added, depth)
    if added.ranked is not ordered:  # another ranking, such as the ideal one
        steps = replace(steps, judgment=None)
    return Workings(
        computation=computation,
        steps=steps,
        ideal=steps_of(below, depth) if isinstance(below, Sum) else None,
        total=summation.total(added),
        constant=getattr(added, "constant", None),
        denominator=summation.total(below) if isinstance(below, Sum) else below,
        expression=expression,
        parts=parts,
        cutoff=_cutoff(measure, added, steps),
    )


def _cutoff(measure: Measure, added: Sum | Terms, steps: Steps) -> int | None:
    """Return the rank down to which documents count; None if all of these are judged."""
    k, r = measure.get("k"), added.ranked
    is_rank = isinstance(k, int) and steps.rank is not None and steps.judgment is not None
    all_judged = np.array_equal(r.retrieved, segments.lengths(r.offsets))
    return k if is_rank and not r.ties_averaged and not all_judged else None


def steps_of(c: Sum | Terms, depth: int | None = None) -> Steps:
    """Return the steps of all queries down to the cutoff, and not below a depth."""
    r = c.ranked
    columns = {name: part() if callable(part) else part for name, part in c.columns.items()}
    if isinstance(c, Sum):
        discount, terms = summation.terms_of(c)
        columns = columns or {"gain": c.gain, "discount": discount}
    else:
        terms = c.terms[0] if isinstance(c.terms, tuple) else c.terms
    own = c.offsets if isinstance(c, Terms) else None
    offsets = r.offsets if own is None else own
    kept = np.ones(int(offsets[-1]), bool)
    place = segments.positions(offsets) + 1 if own is not None else r.rank
    if depth is not None:
        kept &= place <= depth
    averaged = isinstance(c, Sum) and r.ties_averaged  # a tie may reach beyond the cutoff
    if own is None and c.k is not None and not averaged:
        last = np.repeat(c.k, segments.lengths(offsets)) if isinstance(c.k, np.ndarray) else c.k
        kept &= place <= last
    documents = own is None
    return Steps(
        segments.keep(kept, offsets),
        {name: column[kept] for name, column in columns.items()},
        terms[kept],
        r.rank[kept] if documents else None,
        r.grade[kept] if documents else None,
        r.judgment[kept] if documents else None,
    )


NameOf = Callable[[int], Any]


@frozen
class Step:
    """One term: the document it comes from, if it comes from one, and the sum so far."""

    rank: int | None
    document: str | int | None
    grade: float | None
    columns: dict[str, float | bool | str]
    term: float
    sum: float


@frozen
class Explanation:
    """The working of a measure on one query, which shows itself.

    ``total`` is the sum of the terms of ``steps`` and ``constant``, and ``value`` is ``total`` over
    ``denominator``, unless ``remark`` says why not. If there is an ``expression``, the value is that
    of the expression with ``parts`` as its names. ``ideal`` are the steps of the ranking that the
    denominator comes from. ``unjudged`` are, by rank, the ids of documents without a judgment
    between those of the steps, if they can be read. ``cut`` says where a budget or a number of
    chunks has cut the list. ``changes`` are those made to the data before ranking, in words. ``depth`` is
    the number of documents that were retrieved down to the cutoff, 0 if there is none. ``notices``
    are what an evaluation notes on the scale of the measure.
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
    cut: str = ""
    changes: tuple[str, ...] = ()
    depth: int = 0
    notices: tuple[str, ...] = ()

    @property
    def gaps(self) -> list[int]:
        """The ranks of unjudged documents: all ranks down to the depth without a step."""
        ranks = [0, *(s.rank for s in self.steps if s.rank is not None)]
        ranks.append(max(ranks[-1], self.depth) + 1)
        return [rank for a, b in pairwise(ranks) for rank in range(a + 1, b)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; a value that is left out is None."""
        data = asdict(self)
        data["value"] = None if math.isnan(self.value) else self.value
        return data

    def _repr_html_(self) -> str:
        """Show the working in a notebook."""
        from rankstone.text.notebook import of_explanation

        return of_explanation(self)

    def _repr_markdown_(self) -> str:
        """Show the working where Markdown is shown."""
        from rankstone.text.explanation import markdown

        return "\n".join(markdown(self))

    def __str__(self) -> str:
        from rankstone.text.explanation import text

        return "\n".join(text(self))

    __repr__ = __str__


def explain_query(
    measure: Measure,
    ranked: Ranked,
    query: int,
    name_of: NameOf,
    judged: Sequence[tuple[Any, float]] = (),
) -> Explanation:
    """Explain a measure on one query of a ranking.

    ``name_of`` names the document of a judgment; ``judged`` are the ids and grades of the query's
    judged documents, which the ideal ranking consists of.
    """
    working = workings(measure, ranked)
    computation = working.computation
    value = float(measure.values(computation)[query])
    constant, below = _at(working.constant, query), _at(working.denominator, query)
    is_value = isinstance(computation, Value)
    steps = _steps(working.steps, query, name_of)
    repeats = ("duplicates",) if ranked.has_repeats else ()
    cut = ""
    if measure.is_cut_apart(ranked) and ranked.cuts is not None:
        cut = ranked.cuts.at(measure.k)[ranked.queries[query]].reason
    return Explanation(
        measure=str(measure),
        pretty=tr(measure.definition.pretty),
        formula=tr(measure.definition.formula),
        choices=tuple(parameters_in_words(measure)),
        query=ranked.queries[query],
        retrieved=int(computation.ranked.retrieved[query]),
        steps=steps,
        ideal=_named(
            _steps(working.ideal, query), () if measure.definition.reads_subtopics else judged
        ),
        constant=constant or 0.0,
        total=_at(working.total, query),
        denominator=below,
        expression=working.expression,
        parts={name: float(part[query]) for name, part in working.parts.items()},
        value=value,
        remark=_remark(measure, computation, query, value, below, empty=not steps and not is_value),
        conventions={
            name: getattr(ranked.conventions, name)
            for name in (*measure.definition.conventions, *repeats)
        },
        cut=cut,
        depth=int(ranked.depth(working.cutoff)[query]) if working.cutoff else 0,
    )


def _at(column: np.ndarray | None, query: int) -> float | None:
    return None if column is None else float(column[query])


def parameters_in_words(measure: Measure, *, every: bool = False) -> Iterator[str]:
    """Yield the meaning of parameters that are not at their default, or of every one that matters."""
    has_table = any(p.is_table(measure.params[p.name]) for p in measure.definition.params)
    for p in measure.definition.params:
        value = measure.params[p.name]
        matters = value is not None and (has_table or not p.beside_table)
        if p.choices and (value != p.default or (every and matters)):
            meaning = tr(p.choices[value]) if isinstance(value, str) else tr("as given")
            yield f"{p.name}={value!r}: {meaning}"


def _named(steps: tuple[Step, ...], judged: Sequence[tuple[Any, float]]) -> tuple[Step, ...]:
    """Return the steps of the ideal ranking with the ids of judged documents of their grades."""
    by_grade: dict[float, list[Any]] = {}
    for document, grade in reversed(judged):
        by_grade.setdefault(grade, []).append(document)
    return tuple(
        replace(step, document=by_grade[step.grade or 0.0].pop())
        if by_grade.get(step.grade or 0.0)
        else step
        for step in steps
    )


def _steps(steps: Steps | None, query: int, name_of: NameOf | None = None) -> tuple[Step, ...]:
    """Return the steps of a query; documents have names if the ranking is the actual one."""
    if steps is None:
        return ()
    rank, grade, judgment = steps.rank, steps.grade, steps.judgment
    begin, end = steps.offsets[query : query + 2].tolist()
    so_far = _ExactSum()
    return tuple(
        Step(
            rank=None if rank is None else int(rank[i]),
            document=name_of(int(judgment[i])) if name_of and judgment is not None else None,
            grade=None if grade is None else float(grade[i]),
            columns={name: _cell(column[i]) for name, column in steps.columns.items()},
            term=float(steps.term[i]),
            sum=so_far.add(float(steps.term[i])),
        )
        for i in range(begin, end)
    )


def _cell(value: Any) -> float | bool | str:
    if isinstance(value, np.bool_):
        return bool(value)
    return value if isinstance(value, str) else float(value)


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


def _remark(
    measure: Measure, c: Computation, query: int, value: float, below: float | None, *, empty: bool
) -> str:
    """Return the reason why a value is not the sum of its terms over the denominator, if so."""
    shown = tr("left out of the mean") if math.isnan(value) else f"{value:g}"
    if measure.definition.undefined_without_relevant and measure.is_empty(c.ranked)[query]:
        effect = c.ranked.conventions.effect("no-relevant")
        return tr("The query has no relevant document; {} makes the value {}.").format(
            effect, shown
        )
    if below == 0:
        return tr("There is nothing to divide by, so the value is {}.").format(shown)
    return tr("No judged document was retrieved.") if empty else ""
