"""Parts of a report's model, each from a result and the data behind it."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core.collection import Collection
from rankstone.core.ranked import Ranked
from rankstone.core.result import Result
from rankstone.measures.base import REGISTRY, Measure
from rankstone.measures.curves import Curve, curves_and_areas
from rankstone.measures.explain import formula_of, parameters_in_words
from rankstone.measures.judged import judged_by_rank
from rankstone.report.formulas import formula_tree
from rankstone.report.model import Cell, MeasurePart, RunPart
from rankstone.report.workings import Plan

_DIGITS = 6  # of a value per query; tables have four
_POINTS = 200  # of a curve


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
