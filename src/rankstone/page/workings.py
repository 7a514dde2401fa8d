"""The workings of a report: how the value of each query comes about, for as many measures as fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.core.collection import Collection
from rankstone.measures.base import Measure
from rankstone.measures.explain import Steps, Workings, workings
from rankstone.page.model import StepsPart, WorkingPart
from rankstone.page.rankings import by_query, row_numbers

Plan = Sequence[tuple[str, Measure, Conventions]]
Array = np.ndarray
_MOST_NUMBERS = 600_000  # in all workings; measures beyond are explained by a command


def working_parts(
    plans: Sequence[tuple[Collection, Plan]], queries: Sequence[Any], places: Array, depth: int
) -> list[WorkingPart]:
    """Return the workings of the measures in order, as many as fit into a page.

    ``places`` are those of judged documents in the lists of the rankings, down to ``depth``.
    """
    parts: list[WorkingPart] = []
    numbers = 0
    for m in range(len(plans[0][1])):
        if plans[0][1][m][1].definition.reads_items:
            continue  # the steps are items with names, which a command explains
        ideals: list[Steps | None] = []
        own_parts = []
        for run, (data, plan) in enumerate(plans):
            _, measure, conventions = plan[m]
            ranked = data.ranked(conventions)
            working = workings(measure, ranked, depth)
            shared = _same(working.ideal, ideals[0]) if ideals else False
            ideals.append(working.ideal)
            part = _working_part(working, ranked.queries, queries, places)
            part = replace(part, measure=m, run=run, ideal=None if shared else part.ideal)
            own_parts.append(part)
            numbers += _size(part)
            if numbers > _MOST_NUMBERS and parts:
                return parts
        parts += own_parts
    return parts


def _size(part: WorkingPart) -> int:
    steps = [s for s in (part.steps, part.ideal) if s is not None]
    rows = [part.total, part.constant, part.denominator, *(s.sizes for s in steps)]
    return sum(len(row) for row in rows if row is not None) + sum(
        len(s.term) * (1 + len(s.columns) + 3 * (s.rank is not None)) for s in steps
    )


def _same(one: Steps | None, other: Steps | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one.offsets, other.offsets) and np.array_equal(one.term, other.term)


def _working_part(
    working: Workings, own: Sequence[Any], queries: Sequence[Any], places: Array
) -> WorkingPart:
    """Return a working in the order of the report's queries; ``own`` are those of the working."""

    def placed(values: Any) -> Array:
        return by_query(np.asarray(values, np.float64), own, queries, np.nan)

    order = np.full(len(queries), -1)
    order[row_numbers(own, queries)] = np.arange(len(own))
    numbers = (working.total, working.constant, working.denominator)
    total, constant, denominator = (None if n is None else placed(n) for n in numbers)
    return WorkingPart(
        measure=-1,
        run=-1,
        steps=_steps_part(working.steps, order, places),
        ideal=_steps_part(working.ideal, order, None),
        total=total,
        constant=constant,
        denominator=denominator,
        expression=working.expression,
        parts={name: placed(part) for name, part in working.parts.items()},
        cutoff=working.cutoff,
    )


def _steps_part(steps: Steps | None, order: Array, places: Array | None) -> StepsPart | None:
    """Return steps in the order of the report's queries; documents as places in a query's list."""
    if steps is None:
        return None
    sizes = np.where(order >= 0, segments.lengths(steps.offsets)[order], 0)
    offsets = segments.offsets_of(sizes)
    rows = np.repeat(steps.offsets[order], sizes) + segments.positions(offsets)
    documents = None
    if places is not None and steps.judgment is not None:
        judgment = steps.judgment[rows]
        documents = np.where(judgment >= 0, places[judgment], -1)
    return StepsPart(
        sizes=sizes,
        columns={name: column[rows] for name, column in steps.columns.items()},
        term=steps.term[rows],
        rank=None if steps.rank is None else steps.rank[rows],
        grade=None if steps.grade is None else steps.grade[rows],
        documents=documents,
    )
