"""What documents without a judgment leave open, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankstone.core.result import Result
from rankstone.errors import plural

_RANKS = (1, 5, 10, 20, 50, 100)


def unjudged_lines(result: Result, digits: int, *, several: bool) -> Iterator[str]:
    """Yield the interval of each measure, and which share of the documents at a rank is judged."""
    report = result.unjudged
    if report is None:
        return
    who = f"{result.name}: " * several
    of = plural(report.retrieved, "retrieved document")
    shares = report.judged_by_rank
    at = ", ".join(f"{shares[r - 1]:.0%} at rank {r}" for r in _RANKS if r <= len(shares))
    yield f"{who}{report.documents} of {of} not judged" + (f"; judged: {at}" if at else "")
    for name, interval in report.interval.items():
        low, high = (_end(v, digits) for v in (interval.low, interval.high))
        surely = "" if interval.exact else " (a bound)"
        yield f"{who}whatever their grades, {name} is from {low} to {high}{surely}"


def _end(value: float, digits: int) -> str:
    return "no bound" if math.isinf(value) else f"{value:.{digits}f}"
