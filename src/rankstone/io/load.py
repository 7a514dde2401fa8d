"""Whatever the user holds, as Judgments or as a Run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankstone.core.judgments import Judgments
from rankstone.core.run import Run
from rankstone.errors import UsageError
from rankstone.io import trec


def load_judgments(data: Any, *, lenient: bool = False) -> Judgments:
    """Return judgments from a path or a dict; ``lenient`` reads grades as C's atol does."""
    if isinstance(data, Judgments):
        return data
    if isinstance(data, str | os.PathLike):
        return trec.read_qrels(os.fspath(data), lenient=lenient)
    if isinstance(data, Mapping):
        from rankstone.io import nested

        return nested.judgments_of(data)
    raise UsageError(
        f"cannot read judgments from {type(data).__name__}; give a path to a qrels file or "
        "a dict {query: {document: grade}}."
    )


def load_run(
    data: Any, name: str | None = None, threads: int | None = None, *, lenient: bool = False
) -> Run:
    """Return a run from a path or a dict.

    ``lenient`` reads scores as C's atof does and ignores fields after the tag.
    """
    if isinstance(data, str | os.PathLike):
        return trec.TrecRun.open(os.fspath(data), name, threads, lenient=lenient)
    if isinstance(data, Mapping):
        from rankstone.io import nested

        return nested.run_of(data, name)
    if hasattr(data, "match") and hasattr(data, "source"):
        run: Run = data
        return run
    raise UsageError(
        f"cannot read a run from {type(data).__name__}; give a path to a run file, "
        "a dict {query: {document: score}} or a dict {query: [document, ...]}."
    )
