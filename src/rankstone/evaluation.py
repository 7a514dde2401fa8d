"""The one verb: judgments and a run in, a Result out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from rankstone import __version__
from rankstone.conventions import Conventions
from rankstone.core import engine
from rankstone.core.align import align
from rankstone.core.health import judged_share, without_relevant
from rankstone.core.result import Provenance, Result
from rankstone.errors import Notice, RankstoneNotice, StrictError
from rankstone.io.load import load_judgments, load_run
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.plan import compute, measures_of


def evaluate(
    judgments: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    conventions: Conventions | None = None,
    strict: bool = False,
    name: str | None = None,
    threads: int | None = None,
    **choices: Any,
) -> Result:
    """Evaluate a run against judgments.

    Args:
        judgments: path of a qrels file, ``{query: {document: grade}}``, or
            ``{query: relevant documents}``.
        run: path of a run file, ``{query: {document: score}}``, or ``{query: [document, ...]}``.
        measures: names or measures.
        conventions: every other choice that changes a number.
        strict: make warnings errors.
        name: what to call the run.
        threads: how many to scan a file with; all cores unless told.
        choices: single conventions, for example ``ties="input"``.

    >>> result = evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, ["RR"])
    >>> result["RR"]
    0.5
    """
    asked = measures_of(measures)
    chosen = (conventions or Conventions()).but(**choices)
    engine.load(tell=_tell)
    judged = load_judgments(judgments)
    ranked_run = load_run(run, name, threads)
    ranked, notices = align(ranked_run, judged, chosen)
    if strict:
        _refuse(ranked_run.name, notices)
    cuts = [m.params.get("k") for m in asked]
    notices = (*notices, *without_relevant(ranked), *judged_share(ranked, cuts))
    columns, aggregates, final = compute(ranked, asked)
    return Result(
        name=ranked_run.name,
        queries=ranked.queries,
        columns=columns,
        aggregates=final,
        counted={n: a.n for n, a in aggregates.items()},
        conventions=chosen,
        notices=notices,
        provenance=Provenance(__version__, engine.name(), judged.source, ranked_run.source),
    )


def _tell(text: str) -> None:
    warnings.warn(text, RankstoneNotice, stacklevel=3)


def _refuse(name: str, notices: tuple[Notice, ...]) -> None:
    for notice in notices:
        if notice.level == "warning":
            raise StrictError(f"{name}: {notice} [{notice.code}; an error because of strict].")
