"""The verb ``explain``: the working of a number, document by document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any, Unpack

from rankstone.choices.setup import Setup, verb
from rankstone.core.collection import MatchedCollection
from rankstone.core.provenance import in_words
from rankstone.errors import DataError, UsageError, did_you_mean, meant
from rankstone.io.load import read
from rankstone.measures import Measure
from rankstone.verbs.fuse import FusedRun
from rankstone.verbs.parts import Request, scale_notices

if TYPE_CHECKING:
    from rankstone.choices.options import ExplainOptions
    from rankstone.measures.explain import Explanation, Step


@verb("explain")
def explain(
    measure: str | Measure,
    judgments: Any = None,
    run: Any = None,
    *,
    query: Any = None,
    **options: Unpack[ExplainOptions],
) -> Explanation:
    """Show the working of a number, document by document.

    Args:
        measure: a name or a measure.
        judgments: whatever ``evaluate`` takes; without a run, grades in rank order.
        run: whatever ``evaluate`` takes.
        query: the query to explain if there are several.
        options: see below.

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
    Conventions: ties=expected, no_relevant=zero
    """
    from rankstone.measures.explain import explain_query

    setup = Setup.of("explain", options)
    request = Request.of([measure], setup)
    if len(request.measures) != 1:
        names = [str(requested.measure) for requested in request.measures]
        raise UsageError(
            f"explain takes one measure at a time, not {len(names)} ({', '.join(names)}). Give one: "
            f"explain({names[0]!r}, ...) (rankstone explain {quote(names[0])} ...)."
        )
    source = read(judgments, run, setup)
    steps = request.plan(source.default).steps
    chosen = steps[0][2]
    ranked = source.ranked(chosen)
    row = _row(query, ranked.queries)
    judged = source.judged_documents(ranked.queries[row])
    working = explain_query(request.measures[0].measure, ranked, row, source.document, judged)
    gaps, unjudged = working.gaps, dict[int, str]()
    if gaps and isinstance(source, MatchedCollection) and source.has_ids:
        _, first = source.top(gaps[-1] + len(judged), chosen, [working.query])
        known = {str(document) for document, _ in judged}
        ids = (doc for doc in first.docs if doc not in known)
        unjudged = dict(zip(gaps, ids, strict=False))
    working = replace(
        working,
        unjudged=unjudged,
        changes=tuple(in_words(source.changes)),
        notices=tuple(notice.text for notice in scale_notices(steps, ranked.max_grade)),
    )
    if isinstance(run, FusedRun):
        working = replace(working, steps=tuple(_with_points(working, run)))
    return replace(working, query=None) if source.single else working


def _with_points(working: Explanation, run: FusedRun) -> Iterator[Step]:
    """Yield steps with the points that each run gave to the document; 0 if it gave none."""
    points = {str(d.document): d.points for d in run.explain(working.query)}
    for step in working.steps:
        own = points.get(str(step.document), {})
        columns = {f"{name} points": own.get(name, 0.0) for name in run.runs.names}
        yield replace(step, columns={**columns, **step.columns})


def _row(query: Any, queries: Sequence[Any]) -> int:
    """Return which query is meant; a whole number may be written as text, as commands do."""
    if query is None:
        if len(queries) == 1:
            return 0
        shown = ", ".join(repr(q) for q in queries[:3])
        raise UsageError(
            f"there are {len(queries)} queries ({shown}, ...), and one is explained at a time: "
            f"give query={queries[0]!r} (--query {queries[0]})."
        )
    if query in queries:
        return queries.index(query)
    texts = [str(q) for q in queries]
    if str(query) in texts:
        return texts.index(str(query))
    number = _number_in(str(query))
    same = [text for text in texts if number is not None and _number_in(text) == number]
    hint = meant(same[0]) if same else did_you_mean(str(query), texts[:10_000])
    raise DataError(f"query {query!r} is not evaluated.{hint}")


def _number_in(query: str) -> int | None:
    """Return the number at the end of a query id: 1 in q01."""
    digits = query[len(query.rstrip("0123456789")) :]
    return int(digits) if digits else None
