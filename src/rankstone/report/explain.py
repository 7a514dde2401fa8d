"""The working of one number: what each document adds, and to what it adds up."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.measures.base import Measure, Working, cut_total


@dataclass(frozen=True)
class Step:
    """One judged document: where it stands, what it is worth, and the sum so far."""

    rank: int
    document: str | int | None
    grade: float
    columns: dict[str, float]
    term: float
    sum: float


@dataclass(frozen=True)
class Explanation:
    """The working of a measure on one query, as plain data.

    ``value`` is the sum of the terms of ``steps`` over ``over``, unless ``remark`` says why not.
    ``ideal`` is the working of the ranking that ``over`` comes from.
    """

    measure: str
    pretty: str
    formula: str
    choices: tuple[str, ...]
    query: str | int | None
    retrieved: int
    steps: tuple[Step, ...]
    ideal: tuple[Step, ...]
    total: float | None
    over: float | None
    value: float
    remark: str
    conventions: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; a value that is left out is None."""
        data = asdict(self)
        data["value"] = None if math.isnan(self.value) else self.value
        return data

    def _repr_markdown_(self) -> str:
        """Show the working in a notebook."""
        from rankstone.report.explanation import markdown

        return "\n".join(markdown(self))

    def __str__(self) -> str:
        from rankstone.report.explanation import text

        return "\n".join(text(self))


def explain_query(
    measure: Measure, ranked: Ranked, query: int, name_of: Callable[[int], Any]
) -> Explanation:
    """Explain a measure on one query of a ranking; ``name_of`` names the document of a judgment."""
    whole = measure.working(ranked).in_full()
    values = measure.values(ranked, whole)
    rows = slice(int(ranked.offsets[query]), int(ranked.offsets[query + 1]))
    total = over = None
    steps: tuple[Step, ...] = ()
    if whole.value is None:
        k = measure.params.get("k")
        sums = cut_total(ranked, whole, k)
        total = float(sums[query])
        over = None if whole.over is None else float(np.broadcast_to(whole.over, sums.shape)[query])
        steps = _steps(ranked, whole, rows, None if whole.cut else k, name_of)
    value = float(values[query])
    return Explanation(
        measure=str(measure),
        pretty=measure.definition.pretty,
        formula=_formula(measure),
        choices=tuple(_choices(measure)),
        query=ranked.queries[query],
        retrieved=int(ranked.retrieved[query]),
        steps=steps,
        ideal=_ideal(whole, query, measure),
        total=total,
        over=over,
        value=value,
        remark=_remark(measure, ranked, whole, query, value),
        conventions={
            name: getattr(ranked.conventions, name) for name in measure.definition.conventions
        },
    )


def _formula(measure: Measure) -> str:
    """Return the paragraph of the manual page that holds the formula."""
    paragraphs = measure.definition.text.split("\n\n")
    found = (p for p in paragraphs[1:] if "=" in p)
    return " ".join(next(found, paragraphs[0]).split())


def _choices(measure: Measure) -> Iterator[str]:
    """Say what the parameters that are not at their default mean."""
    for p in measure.definition.params:
        value = measure.params[p.name]
        if value != p.default and p.choices is not None and p.name != "k":
            meaning = p.choices.get(value) if isinstance(value, str) else "as given"
            yield f"{p.name}={value!r}: {meaning}"


def _steps(
    r: Ranked, working: Working, rows: slice, k: int | None, name_of: Callable[[int], Any]
) -> tuple[Step, ...]:
    if working.terms is None:
        return ()
    steps = []
    so_far: list[float] = []
    for i in range(rows.start, rows.stop):
        if k is not None and r.rank[i] > k:
            break
        so_far.append(float(working.terms[i]))
        steps.append(
            Step(
                rank=int(r.rank[i]),
                document=name_of(int(r.judgment[i])),
                grade=float(r.grade[i]),
                columns={name: float(column[i]) for name, column in working.columns.items()},
                term=so_far[-1],
                sum=math.fsum(so_far),
            )
        )
    return tuple(steps)


def _ideal(working: Working, query: int, measure: Measure) -> tuple[Step, ...]:
    if working.ideal is None:
        return ()
    ranked, best = working.ideal[0], working.ideal[1].in_full()
    rows = slice(int(ranked.offsets[query]), int(ranked.offsets[query + 1]))
    uncut = measure.params.get("ideal") == "uncut"
    return _steps(ranked, best, rows, None if uncut else measure.params.get("k"), lambda _: None)


def _remark(
    measure: Measure,
    ranked: Ranked,
    working: Working,
    query: int,
    value: float,
) -> str:
    """Say why a value is not simply the sum of its terms over what it is over."""
    shown = "left out of the mean" if math.isnan(value) else f"{value:g}"
    one = ranked.select(np.arange(len(ranked)) == query)
    if measure.definition.needs_relevant and measure.is_empty(one)[0]:
        rule = ranked.conventions.no_relevant
        return f"The query has no relevant document; no_relevant={rule} makes the value {shown}."
    if working.instead is not None and not math.isinf(working.instead[query]):
        return f"The query has documents of one kind only, so the value is {shown}."
    if working.terms is None:
        return ""
    if working.over is not None and not np.broadcast_to(working.over, (len(ranked),))[query]:
        return "There is nothing to divide by, so the value is 0."
    if not segments.lengths(one.offsets)[0]:
        return "No judged document was retrieved."
    return ""
