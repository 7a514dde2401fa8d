"""Assertions for tests of search quality, with any test runner."""

from __future__ import annotations

from typing import Any

from rankstone.core.result import Result
from rankstone.verbs.gate.gate import gate
from rankstone.verbs.gate.text import write_verdict
from rankstone.verbs.gate.verdict import Verdict

__all__ = ["assert_gate", "assert_not_worse"]


def assert_not_worse(result: Result, baseline: Any, **rules: Any) -> Verdict:
    """Fail a test if a result is worse than a baseline; the message is the gate's summary.

    Without rules it fails if an interval shows that a mean dropped, however little; a drop that
    may be noise passes.

    Args:
        result: what ``rankstone.evaluate`` returned.
        baseline: a Result, or the path of a saved Result or of a baseline file.
        rules: of ``rankstone.gate``: ``max_drop``, ``non_inferior``, ``inconclusive``, ...

    >>> import rankstone as rs
    >>> judgments = {f"q{i}": {"d1": 1} for i in range(9)}
    >>> old, new = ({f"q{i}": docs for i in range(9)} for docs in (["d1"], ["d2", "d1"]))
    >>> before, after = (rs.evaluate(judgments, run, "RR") for run in (old, new))
    >>> assert_not_worse(after, after).status
    'pass'
    >>> assert_not_worse(after, before)
    Traceback (most recent call last):
        ...
    AssertionError: FAIL: run against run (baseline), 1 of 2 checks failed (9 queries)
    ...
    """
    if not rules:
        rules = {"non_inferior": dict.fromkeys(result.measures, 0.0), "inconclusive": "pass"}
    __tracebackhide__ = True  # pytest shows the line of the test
    return _asserted(gate(None, result, baseline, **rules))


def assert_gate(judgments: Any, candidate: Any, baseline: Any = None, **rules: Any) -> Verdict:
    """Fail a test if a gate fails; the message is its summary. Arguments: of ``rankstone.gate``."""
    __tracebackhide__ = True
    return _asserted(gate(judgments, candidate, baseline, **rules))


def _asserted(verdict: Verdict) -> Verdict:
    __tracebackhide__ = True
    if not verdict.passed:
        raise AssertionError("\n".join(write_verdict(verdict, "text")))
    return verdict
