"""The pytest fixture ``quality_gate``.

A project that wants it writes ``pytest_plugins = ["rankstone.testing.fixtures"]`` into its
conftest.py; nobody else's pytest loads it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from rankstone.testing import assert_gate
from rankstone.verbs.gate.rules import Settings
from rankstone.verbs.gate.verdict import Verdict


@pytest.fixture
def quality_gate(
    pytestconfig: pytest.Config, record_property: Callable[[str, object], None]
) -> Callable[..., Verdict]:
    """Return ``assert_gate`` with the settings in the root folder of the tests.

    The verdict's headline becomes a property of the test, which JUnit reports show.
    """

    def check(judgments: Any, candidate: Any, baseline: Any = None, **rules: Any) -> Verdict:
        __tracebackhide__ = True
        rules.setdefault("settings", Settings.find(os.fspath(pytestconfig.rootpath)).path)
        verdict = assert_gate(judgments, candidate, baseline, **rules)
        record_property("rankstone gate", verdict.headline())
        return verdict

    return check
