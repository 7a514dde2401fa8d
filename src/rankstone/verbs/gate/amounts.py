"""Rules on values of a file, such as latency or tokens of each query."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankstone.errors import DataError, UsageError, did_you_mean
from rankstone.stats.values import QueryValues
from rankstone.verbs.compare import read_values
from rankstone.verbs.gate.rules import ROUNDING, Limit, Rules
from rankstone.verbs.gate.verdict import FAIL, PASS, Check

#: How the values of queries become one number, by the ending of a target.
SUMMARIES: dict[str, Callable[[np.ndarray], float]] = {
    "mean": lambda x: float(np.mean(x)),
    "median": lambda x: float(np.median(x)),
    "p90": lambda x: float(np.quantile(x, 0.9)),
    "p95": lambda x: float(np.quantile(x, 0.95)),
    "p99": lambda x: float(np.quantile(x, 0.99)),
    "max": lambda x: float(np.max(x)),
    "sum": lambda x: float(np.sum(x)),
}


@dataclass(frozen=True)
class Amounts:
    """Values of the candidate's queries and of the baseline's, and the limits on them."""

    candidate: QueryValues
    baseline: QueryValues | None
    limits: tuple[Limit, ...]

    @classmethod
    def of(cls, rules: Rules, values: Any, baseline: Any) -> tuple[Rules, Amounts | None]:
        """Return the rules without those on values of files, and these.

        Args:
            rules: all of them.
            values: of the candidate: a file, or ``{query: {name: value}}``; None if there are none.
            baseline: of the baseline, likewise.
        """
        rises = rules.of_kind("max-rise")
        if values is None:
            if rises or baseline is not None:
                what = rises[0] if rises else "baseline_values="
                raise UsageError(f"{what} needs the values of the candidate: --values FILE.")
            return rules, None
        own = _read(values, "values")
        limits = tuple(
            limit
            for limit in rules.of_kind("min", "max", "max-rise")
            if limit.kind == "max-rise" or _column(limit, own) is not None
        )
        for limit in limits:
            if _column(limit, own) is None:
                hint = did_you_mean(limit.target, list(own.columns))
                raise UsageError(
                    f"{limit}: the values have no column of that name.{hint} They have: "
                    f"{', '.join(own.columns)}, each with an ending of {', '.join(SUMMARIES)}."
                )
        if rises and baseline is None:
            raise UsageError(f"{rises[0]} compares with a baseline: give --baseline-values FILE.")
        if not limits:
            raise UsageError(
                f"values= is given, and no rule is on {', '.join(own.columns)}. Add one, such as "
                f"max {next(iter(own.columns))}.p95=50."
            )
        rest = tuple(limit for limit in rules.limits if limit not in limits)
        before = None if baseline is None else _read(baseline, "baseline_values")
        return replace(rules, limits=rest), cls(own, before, limits)

    def check(self, limit: Limit) -> Check:
        """Check one limit; the point estimate decides."""
        name, how = _column(limit, self.candidate) or (limit.target, "mean")
        what = f"{name} ({how})"
        now = _summary(self.candidate, name, how)
        if limit.kind != "max-rise":
            bad = now - limit.value if limit.kind == "max" else limit.value - now
            words = ("at most", "above") if limit.kind == "max" else ("at least", "below")
            text = f"{what} is {now:g}, {words[bad > ROUNDING]} {limit.amount()}"
            return self._checked(limit, bad > ROUNDING, text, now, None)
        if self.baseline is None or name not in self.baseline.columns:
            raise DataError(f"{limit}: the values of the baseline have no column {name!r}.")
        then = _summary(self.baseline, name, how)
        allowed = limit.value * abs(then) if limit.relative else limit.value
        share = f" ({(now - then) / abs(then):+.1%})" if then else ""
        text = f"{what} went from {then:g} to {now:g}{share}; a rise of {limit.amount()} is allowed"
        return self._checked(limit, now - then > allowed + ROUNDING, text, now, then)

    def _checked(
        self, limit: Limit, failed: bool, text: str, now: float, then: float | None
    ) -> Check:
        return Check(
            str(limit),
            FAIL if failed or math.isnan(now) else PASS,
            text,
            measure=limit.target,
            n=len(self.candidate.queries),
            baseline=then,
            candidate=now,
            difference=None if then is None else now - then,
        )


def _read(values: Any, what: str) -> QueryValues:
    if isinstance(values, str | os.PathLike):
        read = read_values(os.fspath(values))
        if len(read) != 1:
            raise DataError(
                f"{os.fspath(values)}: {what} of one run are needed, not of {len(read)}."
            )
        return read[0][0]
    if isinstance(values, Mapping) and all(isinstance(row, Mapping) for row in values.values()):
        return QueryValues.from_dicts(what, values)
    raise UsageError(f"{what}= is a file, or {{query: {{name: value}}}}, not {values!r:.60}.")


def _column(limit: Limit, values: QueryValues) -> tuple[str, str] | None:
    """Return the column of a limit and how its values become one number."""
    name, dot, how = limit.target.rpartition(".")
    if limit.target in values.columns:
        return limit.target, "mean"
    return (name, how) if dot and name in values.columns and how in SUMMARIES else None


def _summary(values: QueryValues, name: str, how: str) -> float:
    known = values.columns[name]
    known = known[~np.isnan(known)]
    return SUMMARIES[how](known) if len(known) else math.nan
