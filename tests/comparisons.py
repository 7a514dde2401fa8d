"""Comparisons of values per query, with statistics by name."""

from rankstone.choices.statistics import Statistics
from rankstone.stats import compare as comparing


def compare(runs, *, measures=None, ranges=None, exact=False, **chosen):
    """Compare values per query as some statistics say."""
    statistics = Statistics(**chosen)
    return comparing.compare(runs, statistics, measures=measures, ranges=ranges, exact=exact)
