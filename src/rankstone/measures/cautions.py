"""Cautions about numbers that cannot tell rankings apart, or that are another measure's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rankstone.core.tally import Tally
from rankstone.errors import Notice, plural
from rankstone.measures.base import Measure

_ENOUGH = 10  # queries of which a pattern is not chance
_ORDERLESS = ("R", "Success", "Complete", "P")  # the order above the cutoff does not matter


def cautions(
    measures: Iterable[tuple[str, Measure]], values: Mapping[str, float], tally: Tally
) -> Iterator[Notice]:
    """Yield notices on numbers that mean less than they seem to.

    Args:
        measures: names and measures.
        values: the number of each name.
        tally: counts over the queries.
    """
    queries = tally.evaluated - tally.without_relevant
    if queries < _ENOUGH:
        return
    hit_rates = []
    for name, measure in measures:
        definition, k, longest = measure.definition, measure.get("k"), tally.longest
        is_full = definition.higher_is_better and definition.undefined_without_relevant
        is_full = is_full and values[name] == definition.range[1]
        if isinstance(k, int) and measure.name in _ORDERLESS and (k > longest or (k == longest and is_full)):  # fmt: skip
            text = (
                f"{name} reads whole lists, of which none is longer than {plural(longest, 'document')}, "
                f"so their order does not matter; cutoffs below {longest} tell rankings apart"
            )
            level = "warning" if is_full else "note"
            yield Notice("cutoff-beyond-lists", tally.evaluated, text, level=level)
        elif is_full:
            text = (
                f"{name} is {definition.range[1]:g} for all of {queries} queries, so no ranking can "
                "be better; a smaller cutoff, or harder queries, can show a difference, and the verb "
                "power says how many are needed"
            )
            yield Notice("saturated", queries, text, level="note")
        if measure.name == "R" and measure.rel is None and tally.single_relevant == queries:
            hit_rates.append(name)
    if hit_rates:
        text = (
            f"{' and '.join(hit_rates)} {'are' if hit_rates[1:] else 'is'} the hit rate (Success): each "
            "query has one relevant document, and so all of them or none"
        )
        yield Notice("recall-is-hit-rate", queries, text, level="note")
