"""The verbs ``reconcile`` and ``across_tools``: other people's numbers, and other tools' measures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Unpack

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup, verb
from rankstone.core.aggregate import AGGREGATES, summarise
from rankstone.core.collection import Collection
from rankstone.core.cutoff import Budget
from rankstone.core.rank import conventions_that_matter
from rankstone.errors import RankstoneError, UsageError
from rankstone.io.load import read
from rankstone.measures import Measure, parse_measure
from rankstone.measures.base import REGISTRY
from rankstone.measures.compute import compute, final_values
from rankstone.measures.param import REL, Param
from rankstone.measures.request import Candidate, Departure, ToolMeasure, ways_in_tool
from rankstone.text.tools import Reconciliation
from rankstone.tools import TOOLS

if TYPE_CHECKING:
    from rankstone.choices.options import AcrossToolsOptions, ReconcileOptions

_MOST_CHOICES = 3
_MOST_LEVELS = 4
_SHOWN = 8
_NEAREST = 3


@verb("reconcile")
def reconcile(
    measure: str | Measure,
    judgments: Any = None,
    run: Any = None,
    *,
    value: float | str,
    **options: Unpack[ReconcileOptions],
) -> Reconciliation:
    """Find the choices behind a number that somebody reported.

    Args:
        measure: a name or a measure.
        judgments: whatever ``evaluate`` takes; without a run, grades in rank order.
        run: whatever ``evaluate`` takes.
        value: the number as it was printed: its digits say how closely it has to be met.
        options: see below.

    >>> print(reconcile("nDCG@6", [3, 2, 3, 0, 1, 2], value="0.932"))
    nDCG@6 is 0.9608 by default; 0.932 was reported.
    One choice explains it: discount='jarvelin' (1 / log2(rank), ranks 1 and 2 undiscounted).
      nDCG(discount='jarvelin')@6 = 0.9315 (gain='linear', ideal='judged' as before)
    Tools that give it: lenskit-2025 as NDCG(gain=)@6, article-3 as NDCG@6, article-4 as ndcg_at_k(method=0)@6.
    """
    asked = parse_measure(measure)
    setup = Setup.of("reconcile", options)
    source = read(judgments, run, setup)
    base = setup.conventions(source.default)
    try:
        reported, within = tolerance(str(value))
    except ValueError:
        raise UsageError(
            f"write the value as a number, such as 0.932 or 93.2%, not {value!r}."
        ) from None

    def meets(candidate: Candidate) -> bool:
        return abs(candidate.value - reported) <= within

    usual = _try(source, asked, base, ())
    tools = [t for t in by_tools(source, asked, base) if t.candidate and meets(t.candidate)]
    tried = [usual]
    matching = [usual] if meets(usual) else []
    others = [] if matching else [c for c in by_mistakes(source, asked, base) if meets(c)]
    for candidates in by_choices(source, asked, base):
        if matching or (others and len(tried) > 1):  # a common mistake is likelier than two choices
            break
        tried += candidates
        matching = [candidate for candidate in candidates if meets(candidate)]
    if not (matching or tools or others):
        others = [c for c in by_measures(source, asked, base) if meets(c)]
    nearest = sorted(tried, key=lambda f: abs(f.value - reported))[:_NEAREST]
    known = [t.measure for t in tools]

    def unlikely(candidate: Candidate) -> tuple[bool, bool, float]:
        """Return the key by which candidates that keep the cutoff come first, then a tool's, then the nearest."""
        cutoff = candidate.measure.definition.cutoff_param
        moved = any(where == "measure" and name == cutoff for where, name, _ in candidate.choices)
        return moved, candidate.measure not in known, abs(candidate.value - reported)

    matching.sort(key=unlikely)
    return Reconciliation(
        asked,
        str(value),
        usual,
        tuple(matching[:_SHOWN]),
        tuple(sorted(tools, key=lambda t: len(t.candidate.choices) if t.candidate else 0)),
        () if matching or tools or others else tuple(nearest),
        len(tried),
        tuple(others),
        by_chance(tried, within),
    )


@verb("across_tools")
def across_tools(
    measure: str | Measure,
    judgments: Any = None,
    run: Any = None,
    **options: Unpack[AcrossToolsOptions],
) -> list[ToolMeasure]:
    """Return how each tool that has a measure defines it, and its value if data are given.

    Args:
        measure: a name or a measure.
        judgments: whatever ``evaluate`` takes; without a run, grades in rank order.
        run: whatever ``evaluate`` takes.
        options: see below.

    >>> for row in across_tools("R@5", [1, 0, 1])[:2]:
    ...     print(row.tool, row.name, row.measure, row.value)
    trec_eval-9 recall_5 R@5 1.0
    trec_eval-10 recall_5 R@5 1.0
    """
    asked = parse_measure(measure)
    setup = Setup.of("across_tools", options)
    if isinstance(asked.get("k"), Budget):
        raise UsageError(f"no other tool has {asked}: their cutoffs are ranks, as in {asked @ 10}.")
    if judgments is None:
        return list(in_tools(asked))
    source = read(judgments, run, setup)
    return list(by_tools(source, asked, source.default))


def by_choices(data: Collection, measure: Measure, base: Conventions) -> Iterator[list[Candidate]]:
    """Yield all combinations that depart in one choice, in two, and so on.

    Choices that cannot change anything in these data are not tried.
    """
    axes = _axes(data, measure, base)
    for size in range(1, _MOST_CHOICES + 1):
        plans = [choices for some in combinations(axes, size) for choices in product(*some)]
        # Those that share their ranking share its making, if they come one after another.
        plans.sort(
            key=lambda choices: [
                str(c) for c in choices if c[0] == "convention" and c[1] != "no_relevant"
            ]
        )
        tried = (_attempt(data, measure, base, choices) for choices in plans)
        yield [candidate for candidate in tried if candidate is not None]


def by_tools(data: Collection, measure: Measure, base: Conventions) -> Iterator[ToolMeasure]:
    """Yield each tool's value of the measure, once per definition the tool offers."""
    for row in in_tools(measure):
        choices = (
            *(("measure", n, v) for n, v in row.measure.params.items() if v != measure.params[n]),
            *(("convention", n, v) for n, v in row.conventions.diff(base).items()),
        )
        yield replace(row, candidate=_attempt(data, measure, base, choices))


def in_tools(measure: Measure) -> Iterator[ToolMeasure]:
    """Yield how each tool that has the measure defines it."""
    for name, tool in TOOLS.items():
        for way in ways_in_tool(measure, tool):
            note = way.tool_name.note if way.tool_name else ""
            conventions = way.conventions_for(tool.conventions)
            yield ToolMeasure(name, way.column, way.measure, conventions, note)


def by_mistakes(data: Collection, measure: Measure, base: Conventions) -> Iterator[Candidate]:
    """Yield the measures whose values are often reported under this name, at the same cutoff."""
    for name in measure.definition.mistaken_for:
        other = REGISTRY[name]
        alike = {p.name for p in other.definition.params if p in measure.definition.params}
        shared = {n: v for n, v in measure.given.items() if n in alike}
        candidate = _attempt(data, other(**shared) if shared else other, base, ())
        if candidate is not None:
            yield candidate


def by_measures(data: Collection, measure: Measure, base: Conventions) -> Iterator[Candidate]:
    """Yield other measures of the same scale, with the cutoff of this one and without any.

    Those that most tools have come first.
    """
    at = measure.definition.cutoff_param
    common = {m: sum(bool(tool.names_of(m)) for tool in TOOLS.values()) for m in REGISTRY}
    for other in sorted(REGISTRY.values(), key=lambda m: -common[m.name]):
        if other.name == measure.name or other.definition.range != measure.definition.range:
            continue
        cutoffs = {None, measure.params.get(at)} if other.definition.takes(at) else {None}
        for cutoff in cutoffs:
            candidate = _attempt(data, other if cutoff is None else other @ cutoff, base, ())
            if candidate is not None:
                yield candidate


def by_chance(tried: Sequence[Candidate], within: float) -> float:
    """Return how many of the values tried would meet a number by chance.

    It is the expected count if the number were anywhere in the range of the values tried.
    """
    values = {round(c.value, 12) for c in tried if not math.isnan(c.value)}
    spread = max(values) - min(values) if values else 0.0
    return len(values) * min(1.0, 2 * within / spread) if spread else 0.0


def _axes(data: Collection, measure: Measure, base: Conventions) -> list[list[Departure]]:
    """Return, for each choice to be made, its other values."""
    matters = conventions_that_matter(data, base)
    levels = matters.pop("relevance", [])[:_MOST_LEVELS]
    axes: list[list[Departure]] = []
    for p in measure.definition.params:
        values = levels if p is REL else _values(p)
        now = measure.params[p.name]
        axes.append([("measure", p.name, v) for v in values if v != now])
    if REL not in measure.definition.params:
        matters["relevance"] = levels
    for name, values in matters.items():
        now = getattr(base, name)
        axes.append([("convention", name, v) for v in values if v != now])
    is_mean = measure.definition.aggregate == "mean" and measure.definition.of_all_lists is None
    if is_mean and len(data.ranked(base)) > 1:
        others = [a.name for a in AGGREGATES.values() if not a.weighted]
        axes.append([("aggregate", "aggregate", name) for name in others])
    return [axis for axis in axes if axis]


def _values(p: Param) -> list[Any]:
    """Return the default of a parameter and the values in use, each once; tables are not tried."""
    if p.beside_table:
        return []
    values = [p.check(v, p.name) for v in (p.default, *p.examples)]
    return [v for i, v in enumerate(values) if v not in values[:i] and not p.is_table(v)]


def _attempt(
    data: Collection, measure: Measure, base: Conventions, choices: tuple[Departure, ...]
) -> Candidate | None:
    """Return the value of a combination, or None if it is refused."""
    try:
        return _try(data, measure, base, choices)
    except RankstoneError:
        return None


def _try(
    data: Collection, measure: Measure, base: Conventions, choices: tuple[Departure, ...]
) -> Candidate:
    params = {name: value for where, name, value in choices if where == "measure"}
    chosen = {name: value for where, name, value in choices if where == "convention"}
    how = next((v for where, _, v in choices if where == "aggregate"), measure.definition.aggregate)
    conventions = base.replace(**chosen)
    changed = measure(**params)
    made, name = compute(data.ranked(conventions), {"": changed}), ""
    if how == measure.definition.aggregate:
        value = final_values({name: changed}, made.aggregates)[name]
    else:
        value = summarise(made.columns[name], how, weight=made.weights.get(name)).value
    return Candidate(value, changed, conventions, how, choices)


def tolerance(text: str) -> tuple[float, float]:
    """Return a reported number and half a unit of the last digit it was printed with.

    0 and 1 are exact, the ends of most scales, and not what 0.5 is rounded to. Both ends of the
    range count: tools round a half up, to even, or as its nearest double happens to be.

    >>> tolerance("93.2%")[0]
    0.932
    """
    digits, percent = (text.strip().removesuffix("%"), text.strip().endswith("%"))
    value = float(digits)
    mantissa, _, exponent = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0) + 2 * percent
    value = value / 100 if percent else value
    unit = 0.0 if digits in ("0", "1") and not percent else 0.5 * 10.0**-decimals
    # Nobody's last digits are exact to the bit.
    return value, unit + 8 * math.ulp(value)
