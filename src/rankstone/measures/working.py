"""The workings of a measure for all queries at once, in columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures import summation
from rankstone.measures.base import Measure
from rankstone.measures.summation import Computation, Sum, Terms, Value

Array = np.ndarray


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True, eq=False)
class Workings:
    """The working of every query, as ``explain`` shows it for one.

    The value is (total of all terms + constant) / denominator; or that of the expression, with
    ``parts`` as its names. ``steps`` holds the first ranks only, ``total`` is over all of them.
    """

    computation: Computation
    steps: Steps | None
    ideal: Steps | None
    total: Array | None
    constant: Array | None
    denominator: Array | None
    expression: str
    parts: dict[str, Array]


def workings(measure: Measure, ranked: Ranked, depth: int | None = None) -> Workings:
    """Return the terms of a measure for each query of a ranking, down to a rank (default: all)."""
    measure, ranked = measure.cut(ranked)
    ordered = measure.tie_order(ranked)
    computation = measure.definition.kernel(ordered, measure)
    expression, parts = "", {}
    added: Sum | Terms | None
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
    )


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
