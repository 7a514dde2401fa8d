"""Parts of a report's model, each from a result and the data behind it."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import chain
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.collection import Collection
from rankstone.core.judgments import Judgments
from rankstone.core.ranked import Ranked
from rankstone.core.result import Result
from rankstone.measures.base import REGISTRY, Measure
from rankstone.measures.curves import Curve, curves_and_areas
from rankstone.measures.explain import formula_of, parameters_in_words
from rankstone.measures.judged import judged_by_rank
from rankstone.measures.working import Steps, Workings, workings
from rankstone.report.formulas import formula_tree
from rankstone.report.model import (
    Cell,
    MeasurePart,
    RankingPart,
    RunPart,
    StepsPart,
    WorkingPart,
)

Plan = Sequence[tuple[str, Measure, Conventions]]
_DIGITS = 6  # of a value per query; tables have four
_POINTS = 200  # of a curve
_MOST_NUMBERS = 600_000  # in all workings; measures beyond are explained by a command


def cells(values: Any) -> list[Cell]:
    """Return numbers for JSON: rounded, None if not finite."""
    rounded = np.round(np.asarray(values, np.float64), _DIGITS)
    if not np.isfinite(rounded).all():
        return [v if math.isfinite(v) else None for v in rounded.tolist()]
    whole = rounded.astype(np.int64)
    return (whole if (whole == rounded).all() else rounded).tolist()


def plain_ranking(data: Collection, conventions: Conventions) -> Ranked:
    """Return the ranking with the documents that are not judged in their places."""
    return data.ranked(conventions.replace(unjudged="nonrelevant"))


def run_part(result: Result, data: Collection, depth: int) -> RunPart:
    """Describe a run and the health of its data."""
    ranked = plain_ranking(data, result.conventions)
    labels = ranked.relevant().astype(np.float64)
    curves = curves_and_areas(labels, ranked.score)
    return RunPart(
        name=result.name,
        source=result.provenance.run.to_dict(),
        answered=len(result.queries) - len(result.unanswered),
        retrieved=int(ranked.retrieved.sum()),
        ties=result.ties.to_dict(),
        notices=[notice.to_dict() for notice in result.notices if notice.level != "info"],
        judged_by_rank=cells(judged_by_rank(ranked, depth)),
        areas={name: round(area, _DIGITS) for name, (_, area) in curves.items()},
        curves={name: _thinned(curve) for name, (curve, _) in curves.items()},
    )


def _thinned(curve: Curve) -> list[list[Cell]]:
    """Return at most a few hundred points of a curve, evenly along it."""
    along = np.cumsum(np.hypot(np.diff(curve.x, prepend=0.0), np.diff(curve.y, prepend=curve.y[0])))
    wanted = np.linspace(0.0, along[-1], _POINTS)
    chosen = np.unique(np.append(np.searchsorted(along, wanted).clip(max=len(along) - 1), 0))
    return [cells(curve.x[chosen]), cells(curve.y[chosen])]


def measure_parts(plan: Plan) -> list[MeasurePart]:
    """Describe the measures from their definitions."""
    return [
        MeasurePart(
            name=column,
            title=measure.definition.pretty,
            formula=formula_tree(formula_of(measure)),
            used=[formula_tree(formula_of(other)) for other in _used(measure)],
            text=measure.definition.text.split("\n\n")[0].replace("\n", " "),
            choices=list(parameters_in_words(measure, every=True)),
            conventions={n: getattr(conventions, n) for n in measure.definition.conventions},
            aggregate=measure.definition.aggregate,
            higher_is_better=measure.definition.higher_is_better,
            range=cells(measure.definition.range),
        )
        for column, measure, conventions in plan
    ]


def _used(measure: Measure) -> list[Measure]:
    """Return the other measures that the formula of a measure names."""
    names = re.findall(r"\b[A-Za-z](?:\w+|(?=@))", formula_of(measure).split(". ")[0])
    own = measure.definition.name
    return [REGISTRY[name] for name in dict.fromkeys(names) if name != own and name in REGISTRY]


def convention_rows(conventions: Conventions) -> list[dict[str, Any]]:
    """Return each convention with its meaning, and whether it is the default."""
    usual = Conventions()
    rows = []
    for f in fields(conventions):
        value = getattr(conventions, f.name)
        rows.append(
            {
                "name": f.name,
                "value": str(value).removesuffix(".0"),
                "text": f.metadata["text"],
                "meaning": f.metadata.get("values", {}).get(value, ""),
                "usual": value == getattr(usual, f.name),
            }
        )
    return rows


def rankings_part(
    judgments: Judgments,
    queries: Sequence[Any],
    rankings: Sequence[Ranked],
    tops: Sequence[Mapping[str, Sequence[str]] | None],
    depth: int,
) -> RankingPart:
    """Return the first documents of each query in every run.

    Judged documents are where the evaluation ranked them; the others fill the places between.
    """
    runs: list[list[list[str | None]]] = []
    retrieved = []
    ids = judgments.docs.objects
    for ranked, top in zip(rankings, tops, strict=True):
        row = {query: i for i, query in enumerate(ranked.queries)}
        docs = [str(ids[j]) for j in ranked.judgment.tolist()]
        ranks, bounds = ranked.rank.tolist(), ranked.offsets.tolist()
        counts = ranked.retrieved.tolist()
        lists: list[list[str | None]] = []
        for query in queries:
            i = row.get(query)
            if i is None:
                lists.append([])
                continue
            own = slice(bounds[i], bounds[i + 1])
            unjudged = top.get(str(query), ()) if top is not None else ()
            lists.append(_placed(ranks[own], docs[own], unjudged, min(counts[i], depth)))
        runs.append(lists)
        retrieved.append([counts[row[query]] if query in row else 0 for query in queries])
    grades_of = _grades(judgments, queries)
    documents, grades = [], []
    indexed: list[list[list[int]]] = [[] for _ in runs]
    for q, known in enumerate(grades_of):
        lists = [run[q] for run in runs]
        shown = dict.fromkeys(filter(None, chain.from_iterable(lists)))
        judged = [doc for doc in known if doc in shown]
        ordered = list(dict.fromkeys(chain(judged, shown)))
        index: dict[str | None, int] = dict(zip(ordered, range(len(ordered)), strict=True))
        index[None] = -1
        documents.append(ordered)
        grades.append([known[doc] for doc in judged])
        for places, one in zip(indexed, lists, strict=True):
            places.append([*map(index.__getitem__, one)])
    return RankingPart(depth, documents, grades, indexed, retrieved)


def _placed(
    ranks: Sequence[int], docs: Sequence[str], top: Sequence[str], count: int
) -> list[str | None]:
    """Return the documents of the first ranks: judged ones by rank, the others between them."""
    if len(top) >= count:  # usually all are in their places
        inside = bisect_right(ranks, count)
        first = zip(ranks[:inside], docs[:inside], strict=True)
        if all(top[rank - 1] == doc for rank, doc in first):
            shown = list(top[:count])
            if set(docs[inside:]).isdisjoint(shown):
                return [*shown]
    slots: list[str | None] = [None] * count
    late = []
    for rank, doc in zip(ranks, docs, strict=True):
        if rank <= count and slots[rank - 1] is None:
            slots[rank - 1] = doc
        elif rank <= count:  # ranks within a tie may be shared
            late.append(doc)
    judged = set(docs)
    rest = iter([*late, *(doc for doc in top if doc not in judged)])
    return [doc if doc is not None else next(rest, None) for doc in slots]


def _grades(judgments: Judgments, queries: Sequence[Any]) -> list[dict[str, Cell]]:
    """Return the grades of each query by document."""
    row = {query: i for i, query in enumerate(judgments.queries.objects)}
    bounds, ids = judgments.groups.tolist(), list(map(str, judgments.docs.objects))
    values = cells(judgments.grades)
    own = [row.get(query) for query in queries]
    spans = [(0, 0) if i is None else (bounds[i], bounds[i + 1]) for i in own]
    return [dict(zip(ids[a:b], values[a:b], strict=True)) for a, b in spans]


def working_parts(
    plans: Sequence[tuple[Collection, Plan]],
    judgments: Judgments,
    queries: Sequence[Any],
    rankings: RankingPart,
) -> list[WorkingPart]:
    """Return the workings of the measures in order, as many as fit into a page."""
    index = [{doc: i for i, doc in enumerate(docs)} for docs in rankings.documents]
    parts: list[WorkingPart] = []
    numbers = 0
    for m in range(len(plans[0][1])):
        ideals: list[Steps | None] = []
        own_parts = []
        for run, (data, plan) in enumerate(plans):
            _, measure, conventions = plan[m]
            ranked = data.ranked(conventions)
            working = workings(measure, ranked, rankings.depth)
            order = _order(ranked.queries, queries)
            shared = _same(working.ideal, ideals[0]) if ideals else False
            ideals.append(working.ideal)
            part = _working_part(working, m, run, order, judgments, index, shared=shared)
            own_parts.append(part)
            numbers += _size(part)
        if numbers > _MOST_NUMBERS and parts:
            break
        parts += own_parts
    return parts


def _size(part: WorkingPart) -> int:
    steps = [s for s in (part.steps, part.ideal) if s is not None]
    rows = [part.total, part.constant, part.denominator, *(s.bounds for s in steps)]
    return sum(len(row) for row in rows if row) + sum(
        len(s.term) * (1 + len(s.columns) + 3 * (s.rank is not None)) for s in steps
    )


def _order(own: Sequence[Any], queries: Sequence[Any]) -> list[int]:
    row = {query: i for i, query in enumerate(own)}
    return [row.get(query, -1) for query in queries]


def _same(one: Steps | None, other: Steps | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one.offsets, other.offsets) and np.array_equal(one.term, other.term)


def _working_part(
    working: Workings,
    measure: int,
    run: int,
    order: list[int],
    judgments: Judgments,
    index: Sequence[Mapping[str, int]],
    *,
    shared: bool,
) -> WorkingPart:
    def by_query(values: np.ndarray | None) -> list[Cell] | None:
        if values is None:
            return None
        own = cells(values)
        return [own[i] if i >= 0 else None for i in order]

    return WorkingPart(
        measure=measure,
        run=run,
        steps=_steps_part(working.steps, order, judgments, index),
        ideal=None if shared else _steps_part(working.ideal, order, judgments, None),
        total=by_query(working.total),
        constant=by_query(working.constant),
        denominator=by_query(working.denominator),
        expression=working.expression,
        parts={name: by_query(part) or [] for name, part in working.parts.items()},
    )


def _steps_part(
    steps: Steps | None,
    order: list[int],
    judgments: Judgments,
    index: Sequence[Mapping[str, int]] | None,
) -> StepsPart | None:
    """Return steps in the order of the report's queries; documents as indexes of a query's list."""
    if steps is None:
        return None
    sizes = segments.lengths(steps.offsets)
    own = np.array(order)
    lengths = np.where(own >= 0, sizes[own], 0)
    bounds = segments.offsets_of(lengths)
    starts = np.repeat(steps.offsets[own], lengths)
    rows = starts + segments.positions(bounds)
    documents = None
    if index is not None and steps.judgment is not None:
        ids = judgments.docs.objects
        query = segments.numbers(bounds).tolist()
        judged = steps.judgment[rows].tolist()
        documents = [
            index[q].get(str(ids[j]), -1) if j >= 0 else -1
            for q, j in zip(query, judged, strict=True)
        ]
    columns = {
        name: column[rows].tolist() if column.dtype == bool else cells(column[rows])
        for name, column in steps.columns.items()
    }
    return StepsPart(
        bounds=bounds.tolist(),
        columns=columns,
        term=cells(steps.term[rows]),
        rank=None if steps.rank is None else steps.rank[rows].tolist(),
        grade=None if steps.grade is None else cells(steps.grade[rows]),
        documents=documents,
    )
