"""The one verb: judgments and a run in, a Result out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankstone import __version__
from rankstone.conventions import Conventions
from rankstone.core import engine
from rankstone.core.align import align
from rankstone.core.direct import ranked_of
from rankstone.core.health import judged_share, without_relevant
from rankstone.core.result import Provenance, Result
from rankstone.errors import (
    DataError,
    Notice,
    RankstoneNotice,
    StrictError,
    UsageError,
    did_you_mean,
)
from rankstone.io.load import load_judgments, load_run
from rankstone.measures import DEFAULT, Measure, parse_measure
from rankstone.measures.plan import compute, measures_of

if TYPE_CHECKING:
    from rankstone.report.explain import Explanation


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
    columns, weights, aggregates, final = compute(ranked, asked)
    return Result(
        name=ranked_run.name,
        queries=ranked.queries,
        columns=columns,
        aggregates=final,
        counted={n: a.n for n, a in aggregates.items()},
        weights=weights,
        conventions=chosen,
        notices=notices,
        provenance=Provenance(__version__, engine.name(), judged.source, ranked_run.source),
    )


def explain(
    measure: str | Measure,
    *data: Any,
    query: Any = None,
    conventions: Conventions | None = None,
    **choices: Any,
) -> Explanation:
    """Show the working of a number, document by document.

    Data are judgments and a run, with the ``query`` to explain; or one ranking, in any form a
    measure can be called with.

    >>> print(explain("RR", [0, 1, 0]))
    RR: Reciprocal rank
      RR = 1 / rank of the first relevant document. Its mean is MRR.
    <BLANKLINE>
    rank  grade  relevant    term     sum
    ────  ─────  ────────  ──────  ──────
       1      0        no       0       0
       2      1       yes  0.5000  0.5000
       3      0        no       0  0.5000
    <BLANKLINE>
    RR = 0.5
    Conventions: ties=docid-desc, no_relevant=zero
    """
    from rankstone.report.explain import explain_query

    asked = parse_measure(measure)
    if query is None:
        chosen = (conventions or Conventions(ties="expected")).but(**choices)
        ranked, single = ranked_of(data, chosen if conventions or choices else None)
        if not single:
            raise UsageError("explain one ranking at a time, or give judgments, a run and query=.")
        unnamed = replace(ranked, queries=[None])
        return explain_query(asked, unnamed, 0, lambda _: None)
    if len(data) != 2:
        raise UsageError("to explain a query give judgments and a run.")
    judged = load_judgments(data[0])
    ranked, _ = align(load_run(data[1]), judged, (conventions or Conventions()).but(**choices))
    if query not in ranked.queries:
        hint = did_you_mean(str(query), [str(q) for q in ranked.queries[:10_000]])
        raise DataError(f"query {query!r} is not evaluated.{hint}")
    return explain_query(asked, ranked, ranked.queries.index(query), judged.docs.__getitem__)


def _tell(text: str) -> None:
    warnings.warn(text, RankstoneNotice, stacklevel=3)


def _refuse(name: str, notices: tuple[Notice, ...]) -> None:
    for notice in notices:
        if notice.level == "warning":
            raise StrictError(f"{name}: {notice} [{notice.code}; an error because of strict].")
