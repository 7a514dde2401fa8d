"""Cautions about numbers that cannot tell rankings apart, or that are another measure's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from rankstone.core.tally import Tally
from rankstone.errors import Notice, plural
from rankstone.language import tr
from rankstone.measures.base import Measure

_ENOUGH = 10  # queries of which a pattern is not chance
_ORDERLESS = ("R", "Success", "Complete", "P")  # the order above the cutoff does not matter
_SAMPLES = range(20, 502)  # candidates of each query, one of them relevant
_UNHARMED = ("AUC", "Corrected", "NumRet", "NumRel", "NumRelRet", "NumQ")  # by sampling


def cautions(
    measures: Collection[tuple[str, Measure]], values: Mapping[str, float], tally: Tally
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
            text = tr(
                "{} reads whole lists, of which none is longer than {}, so their order does not "
                "matter; cutoffs below {} tell rankings apart"
            ).format(name, plural(longest, "document"), longest)
            level = "warning" if is_full else "note"
            yield Notice("cutoff-beyond-lists", tally.evaluated, text, level=level)
        elif is_full:
            text = tr(
                "{} is {:g} for all of {} queries, so no ranking can be better; a smaller cutoff, "
                "or harder queries, can show a difference, and the verb power says how many are "
                "needed"
            ).format(name, definition.range[1], queries)
            yield Notice("saturated", queries, text, level="note")
        if measure.name == "R" and measure.rel is None and tally.single_relevant == queries:
            hit_rates.append(name)
    sampled = [name for name, m in measures if m.name not in _UNHARMED]
    one_in_each = tally.single_found == tally.as_long == tally.evaluated
    if sampled and one_in_each and tally.longest in _SAMPLES:
        text = tr(
            "each query has {} candidates, one of them relevant. If they are a random sample of more, {} "
            "says how that sample is ranked: it is far from the number over all documents, and may order "
            "systems differently. Rank all of them (Factors, Scorer), or estimate with {}"
        ).format(tally.longest, sampled[0], "Corrected(of='nDCG', cutoff=10, items=NUMBER OF ALL)")
        yield Notice("sampled-candidates", tally.evaluated, text)
    if hit_rates:
        text = tr(
            "{} {} the hit rate (Success): each query has one relevant document, and so all of "
            "them or none"
        ).format(tr(" and ").join(hit_rates), tr("are") if hit_rates[1:] else tr("is"))
        yield Notice("recall-is-hit-rate", queries, text, level="note")
