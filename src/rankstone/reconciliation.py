"""One measure in the words of every tool, and other people's numbers explained."""

from __future__ import annotations

from collections.abc import Mapping, Set as AbstractSet
from typing import Any

from rankstone.conventions import Conventions
from rankstone.core.align import Join, join
from rankstone.errors import UsageError
from rankstone.io.column_roles import Columns
from rankstone.io.load import load_both
from rankstone.measures import Measure, parse_measure
from rankstone.measures.candidates import Candidate, ToolMeasure
from rankstone.profiles import conventions_of
from rankstone.reconciliation_search import (
    by_choices,
    by_tools,
    in_tools,
    rank_of,
    start,
    tolerance,
)
from rankstone.report.tools import Reconciliation

_SHOWN = 8
_NEAREST = 3


def reconcile(
    measure: str | Measure,
    *data: Any,
    value: float | str,
    conventions: Conventions | None = None,
    columns: Mapping[str, Any] | None = None,
    input_format: str | None = None,
    max_bytes: int | None = None,
    groups: Any = None,
    **choices: Any,
) -> Reconciliation:
    """Find the choices behind a number that somebody reported.

    Data are judgments and a run, or grades in rank order. ``value`` is the number as it was
    printed: its digits say how closely it has to be met. ``columns``, ``input_format``,
    ``max_bytes`` and ``groups`` say how to read the data, as in ``evaluate``.

    >>> print(reconcile("nDCG@6", [3, 2, 3, 0, 1, 2], value="0.932"))
    nDCG@6 is 0.9608 by default; 0.932 was reported.
    One choice explains it: discount='jarvelin' (1 / log2(rank), ranks 1 and 2 undiscounted).
      nDCG(discount='jarvelin')@6 = 0.9315 (gain='linear', ideal='judged' as before)
    Tools that give it: lenskit-2025 as NDCG(gain=)@6, article-4 as ndcg_at_k(method=0)@6.
    """
    asked = parse_measure(measure)
    base = conventions_of(None, conventions, choices)
    reading = {"input_format": input_format, "max_bytes": max_bytes, "groups": groups}
    joined = _join(data, base, columns, **reading)
    reported, within = _reported(value)

    def meets(candidate: Candidate) -> bool:
        return abs(candidate.value - reported) <= within

    usual = start(joined, asked, base)
    tools = [t for t in by_tools(joined, asked, base) if t.candidate and meets(t.candidate)]
    tried = [usual]
    matching = [usual] if meets(usual) else []
    for combinations in by_choices(joined, asked, base):
        if matching:
            break
        tried += combinations
        matching = [candidate for candidate in combinations if meets(candidate)]
    nearest = sorted(tried, key=lambda f: abs(f.value - reported))[:_NEAREST]
    known = [t.measure for t in tools]
    matching.sort(key=lambda candidate: rank_of(candidate, reported, known))
    return Reconciliation(
        asked,
        str(value),
        usual,
        tuple(matching[:_SHOWN]),
        tuple(sorted(tools, key=lambda t: len(t.candidate.choices) if t.candidate else 0)),
        () if matching or tools else tuple(nearest),
        len(tried),
    )


def across_tools(measure: str | Measure, *data: Any, **reading: Any) -> list[ToolMeasure]:
    """Return how each tool that has a measure defines it, and its value if data are given.

    ``reading`` says how to read the data, as in ``evaluate``: ``columns``, ``input_format``,
    ``max_bytes`` and ``groups``.

    >>> for row in across_tools("R@5", [1, 0, 1])[:2]:
    ...     print(row.profile, row.name, row.measure, row.value)
    trec_eval-9 recall_5 R@5 1.0
    trec_eval-10 recall_5 R@5 1.0
    """
    asked = parse_measure(measure)
    if not data:
        return list(in_tools(asked))
    return list(by_tools(_join(data, Conventions(), **reading), asked, Conventions()))


def _join(
    data: tuple[Any, ...],
    base: Conventions,
    columns: Mapping[str, Any] | None = None,
    **reading: Any,
) -> Join:
    named = Columns.of(columns)
    judged, run = load_both(*_pair(data), columns=named, **reading)
    found = join(run, judged, base)
    named.check_used()
    return found


def _pair(data: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return judgments and a run, made from one ranking where that is what was given."""
    if len(data) == 1:
        names = [f"d{i}" for i in range(len(data[0]))]
        judged = {d: g for d, g in zip(names, data[0], strict=True) if g is not None}
        return {"query": judged}, {"query": names}
    if len(data) != 2:
        raise UsageError("give judgments and a run, or grades in rank order.")
    judged, run = data
    if isinstance(judged, AbstractSet) or (
        isinstance(judged, Mapping)
        and not any(isinstance(v, Mapping | AbstractSet | list) for v in judged.values())
    ):
        return {"query": judged}, {"query": run}
    return judged, run


def _reported(value: float | str) -> tuple[float, float]:
    try:
        return tolerance(str(value))
    except ValueError:
        raise UsageError(
            f"write the value as a number, such as 0.932 or 93.2%, not {value!r}."
        ) from None
