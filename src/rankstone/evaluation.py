"""The one verb: judgments and a run in, a Result out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankstone import __version__
from rankstone.conventions import Conventions
from rankstone.core import engine
from rankstone.core.align import Join, align, join
from rankstone.core.direct import BARE, ranked_of
from rankstone.core.exclude import ExcludingRun
from rankstone.core.notices import judged_share, without_relevant
from rankstone.core.result import Provenance, Result, Ties
from rankstone.errors import (
    DataError,
    Notice,
    SlowEngineWarning,
    StrictError,
    UsageError,
    did_you_mean,
)
from rankstone.io.arrays import Arrays, arrays_of, meant_as_arrays, no_arrays
from rankstone.io.column_roles import Columns
from rankstone.io.load import load_both, load_judgments
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.compute import asked_for, compute_each, reach_of
from rankstone.profiles import conventions_of, profile

if TYPE_CHECKING:
    from rankstone.report.explanation import Explanation


def evaluate(
    judgments: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    like: str | None = None,
    conventions: Conventions | None = None,
    tie_interval: bool = False,
    strict: bool = False,
    name: str | None = None,
    threads: int | None = None,
    input_format: str | None = None,
    max_bytes: int | None = None,
    groups: Any = None,
    mask: Any = None,
    qid: Any = None,
    group_sizes: Any = None,
    columns: Mapping[str, Any] | None = None,
    exclude: Any = None,
    **choices: Any,
) -> Result:
    """Evaluate a run against judgments.

    Args:
        judgments: path of a file, ``{query: {document: grade}}``, ``{query: relevant documents}``,
            a list of the relevant documents of each query, a dataframe, or an array or tensor of
            labels.
        run: path of a file, ``{query: {document: score}}``, ``{query: [document, ...]}``, a list
            of the ranked documents of each query, a dataframe, or an array or tensor of scores.
        measures: names or measures.
        like: a tool whose numbers to give, such as ``"trec_eval-9"``.
        conventions: every other choice that changes a number.
        tie_interval: give each measure's value with ties at their worst and best, too.
        strict: make warnings errors.
        name: what to call the run.
        threads: how many to scan a file with; all cores unless told.
        input_format: the format of the files where their content does not tell; for two
            different ones ``"judgments:run"``, such as ``"quepid:trec"``.
        max_bytes: as much as a file may hold, once expanded.
        groups: path of a file of group sizes, for LETOR rows without qid.
        mask: with arrays, False for what is no item of its list.
        qid: with arrays, the query of each item, or of each row of a table.
        group_sizes: with arrays, how many items each query has.
        columns: the columns of tables whose names do not tell what they hold, for example
            ``{"query": "uid", "doc": "sku", "score": "yhat", "grade": "stars"}``.
        exclude: pairs of query and document, in any form judgments may have, that are taken out
            of the run before ranks are given; such as a recommender's training data.
        choices: single conventions, for example ``ties="input"``.

    >>> result = evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, ["RR"])
    >>> result["RR"]
    0.5
    """
    followed = profile(like) if like is not None else None
    asked = asked_for(measures, followed)
    named = Columns.of(columns)
    engine.load(tell=_tell)
    found: Join | Arrays
    if meant_as_arrays(judgments, run, keyed=any(k is not None for k in (mask, qid, group_sizes))):
        if exclude is not None:
            raise UsageError(
                "exclude= takes out documents by their ids, and arrays have none; use mask=."
            )
        bare = BARE if followed is None else None
        chosen = conventions_of(followed, conventions or bare, choices)
        found = arrays_of(
            judgments,
            run,
            mask=mask,
            qid=qid,
            group_sizes=group_sizes,
            name=name or "run",
            reach=reach_of(a.measure for a in asked),
            rules=[chosen, *(a.under(chosen, choices) for a in asked)],
        )
    else:
        no_arrays(mask=mask, qid=qid, group_sizes=group_sizes)
        chosen = conventions_of(followed, conventions, choices)
        judged, ranked_run = load_both(
            judgments,
            run,
            name=name,
            threads=threads,
            columns=named,
            input_format=input_format,
            max_bytes=max_bytes,
            groups=groups,
        )
        if exclude is not None:
            ranked_run = ExcludingRun(ranked_run, load_judgments(exclude, named, graded=False))
        found = join(ranked_run, judged, chosen)
    named.check_used()
    notices = found.notices(chosen)
    if strict:
        refuse_warnings(found.run.name, notices)
    plan = [(a.measure, a.under(chosen, choices)) for a in asked]
    values = compute_each(found, plan)
    ranked = found.ranked(chosen)
    cuts = [a.measure.params.get("k") for a in asked]
    notices = (*notices, *without_relevant(ranked), *judged_share(ranked, cuts))
    return Result(
        name=found.run.name,
        queries=values.queries,
        columns=values.columns,
        aggregates=values.final,
        counted={n: a.n for n, a in values.aggregates.items()},
        weights=values.weights,
        conventions=chosen,
        notices=(*notices, *(a.notice for a in asked if a.notice)),
        provenance=Provenance(__version__, engine.name(), found.judgments.source, found.run.source),
        ties=_ties(found, chosen, plan if tie_interval else []),
        like=followed.name if followed else None,
        asked={a.name: str(a.measure) for a in asked if a.name != str(a.measure)},
        exceptions={str(m): c.diff(chosen) for m, c in plan if c != chosen},
    )


def _ties(
    found: Join | Arrays, chosen: Conventions, plan: list[tuple[Measure, Conventions]]
) -> Ties:
    """Count judged documents in ties; give the interval of luck for the measures in the plan."""
    plan = [(m, c) for m, c in plan if m.supports_extreme_ties]
    ends = [
        compute_each(found, [(m, c.replace(ties=rule)) for m, c in plan]).final if plan else {}
        for rule in ("pessimistic", "optimistic")
    ]
    interval = {n: (min(low, ends[1][n]), max(low, ends[1][n])) for n, low in ends[0].items()}
    return Ties(*found.tied(chosen), interval)


def explain(
    measure: str | Measure,
    *data: Any,
    query: Any = None,
    like: str | None = None,
    conventions: Conventions | None = None,
    columns: Mapping[str, Any] | None = None,
    input_format: str | None = None,
    max_bytes: int | None = None,
    groups: Any = None,
    **choices: Any,
) -> Explanation:
    """Show the working of a number, document by document.

    Data are judgments and a run, with the ``query`` to explain; or one ranking, in any form a
    measure can be called with. ``columns``, ``input_format``, ``max_bytes`` and ``groups`` say
    how to read them, as in ``evaluate``.

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
    from rankstone.measures.explain import explain_query
    from rankstone.report.explanation import Explanation

    followed = profile(like) if like is not None else None
    (one,) = asked_for([measure], followed)
    asked = one.measure
    named = Columns.of(columns)
    if query is None:
        named.check_used()
        base = conventions or (None if followed else Conventions(ties="expected"))
        chosen = one.under(conventions_of(followed, base, choices), choices)
        ranked, single = ranked_of(data, chosen if followed or conventions or choices else None)
        if not single:
            raise UsageError("explain one ranking at a time, or give judgments, a run and query=.")
        unnamed = replace(ranked, queries=[None])
        return Explanation.of(explain_query(asked, unnamed, 0, lambda _: None))
    if len(data) != 2:
        raise UsageError("to explain a query give judgments and a run.")
    judged, run = load_both(
        *data, columns=named, input_format=input_format, max_bytes=max_bytes, groups=groups
    )
    chosen = one.under(conventions_of(followed, conventions, choices), choices)
    ranked, _ = align(run, judged, chosen)
    named.check_used()
    place = _place(query, ranked.queries)
    return Explanation.of(explain_query(asked, ranked, place, judged.docs.__getitem__))


def _place(query: Any, queries: list[Any]) -> int:
    """Return which query is meant; a whole number may be written as text, as commands do."""
    if query in queries:
        return queries.index(query)
    texts = [str(q) for q in queries]
    if str(query) in texts:
        return texts.index(str(query))
    hint = did_you_mean(str(query), texts[:10_000])
    raise DataError(f"query {query!r} is not evaluated.{hint}")


def _tell(text: str) -> None:
    warnings.warn(text, SlowEngineWarning, stacklevel=3)


def refuse_warnings(name: str, notices: Iterable[Notice]) -> None:
    """Make the first warning an error, as ``strict`` has it."""
    for notice in notices:
        if notice.level == "warning":
            raise StrictError(f"{name}: {notice} [{notice.code}; an error because of strict].")
