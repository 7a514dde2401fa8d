"""The outcome of a gate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rankstone.core.shown import plain
from rankstone.errors import Notice, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.stats.comparison import Moved

SCHEMA = "rankstone/gate/1"
PASS, WARN, FAIL, CANNOT_TELL = "pass", "warn", "fail", "cannot tell"


@frozen
class Check:
    """One rule and its outcome.

    ``text`` says it in a sentence. ``difference`` is candidate minus baseline over ``n`` queries,
    ``low`` and ``high`` its interval; ``detectable`` is the smallest true difference that these
    queries find with a chance of 80 %. A slice with too few queries does not decide. None is a number that the rule does not have, or that
    cannot be computed.
    """

    rule: str
    status: str
    text: str
    slice: str | None = None
    measure: str | None = None
    n: int | None = None
    baseline: float | None = None
    candidate: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    detectable: float | None = None
    decides: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return plain(vars(self))


@frozen
class Verdict:
    """May the candidate ship? ``status`` is ``pass``, ``warn``, ``fail`` or ``cannot tell``.

    ``passed`` is False if it may not. ``worst`` are the queries that lost most by
    ``worst_measure``. ``baseline`` is the baseline's name, None if no rule needs one;
    ``intervals`` are the kinds of intervals that decided.
    """

    candidate: str
    baseline: str | None
    queries: int
    checks: tuple[Check, ...]
    inconclusive: str
    confidence: float
    conventions: str
    worst_measure: str | None = None
    worst: tuple[Moved, ...] = ()
    notices: tuple[Notice, ...] = ()
    intervals: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """The gravest status of the checks, after ``inconclusive``."""
        statuses = {check.status for check in self.checks}
        if FAIL in statuses:
            return FAIL
        if CANNOT_TELL in statuses and self.inconclusive != "pass":
            return FAIL if self.inconclusive == "fail" else CANNOT_TELL
        return WARN if WARN in statuses else PASS

    @property
    def passed(self) -> bool:
        """Whether the candidate may ship."""
        return self.status != FAIL

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 or 1."""
        return 0 if self.passed else 1

    def of_status(self, *statuses: str) -> Sequence[Check]:
        """Return the checks with one of some statuses."""
        return [check for check in self.checks if check.status in statuses]

    def headline(self) -> str:
        """Return the verdict in one line."""
        against = tr(" against {}").format(self.baseline) if self.baseline is not None else ""
        over = plural(self.queries, "query")
        return tr("{}: {}{}, {} ({})").format(
            tr(self.status).upper(), self.candidate, against, self._reason(), over
        )

    def _reason(self) -> str:
        checks, failed = len(self.checks), len(self.of_status(FAIL))
        unclear = len(self.of_status(CANNOT_TELL))
        if failed:
            return tr("{} of {} failed").format(failed, plural(checks, "check"))
        warned = len(self.of_status(WARN))
        if warned and (not unclear or self.inconclusive == "pass"):
            return tr("{} of {} warned").format(warned, plural(checks, "check"))
        if unclear:
            return tr("{} of {} cannot tell").format(unclear, plural(checks, "check"))
        every = tr("the one check passed") if checks == 1 else tr("all {} checks passed")
        return every.format(checks)

    def __repr__(self) -> str:
        lines = [f"{tr(c.status)}: {c.text}" for c in self.checks if c.status != PASS]
        return "\n".join([f"<Verdict {self.headline()}>", *lines])

    def _repr_html_(self) -> str:
        """Show the verdict in a notebook."""
        from rankstone.verbs.gate.text import write_verdict

        return "".join(write_verdict(self, "html"))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; NaN is None."""
        head = {"schema": SCHEMA, "status": self.status, "passed": self.passed}
        return {**head, "headline": self.headline(), **plain(vars(self))}

    def to_json(self, indent: int | None = None) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)
