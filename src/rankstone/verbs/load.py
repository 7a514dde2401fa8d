"""The verbs ``load_judgments`` and ``load_run``: data that several calls use are read once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from rankstone.choices.setup import Setup, verb
from rankstone.core.judgments import Judgments
from rankstone.core.run import Run
from rankstone.io import load
from rankstone.io.changes import prepared

if TYPE_CHECKING:
    from rankstone.choices.options import LoadJudgmentsOptions, LoadRunOptions


@verb("load_judgments")
def load_judgments(
    data: Any,
    columns: Mapping[str, Any] | None = None,
    **options: Unpack[LoadJudgmentsOptions],
) -> Judgments:
    """Read judgments, which every verb takes in place of the data.

    Args:
        data: whatever ``evaluate`` takes as judgments.
        columns: the columns of a table by role.
        options: see below.

    >>> len(load_judgments({"q1": {"d1": 2, "d2": 0}}))
    2
    """
    setup = prepared(Setup.of("load_judgments", options).replace(columns=columns))
    return load.load_judgments(data, setup)


@verb("load_run")
def load_run(data: Any, **options: Unpack[LoadRunOptions]) -> Run:
    """Read a run, or open the file that holds it; every verb takes it in place of the data.

    Args:
        data: whatever ``evaluate`` takes as a run.
        options: see below.

    >>> [doc for _, doc, _ in load_run({"q1": ["d7", "d1"]}).rows() if doc]
    ['d7', 'd1']
    """
    return load.load_run(data, prepared(Setup.of("load_run", options)))
