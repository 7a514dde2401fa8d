"""How other tools fuse runs: the choices that give their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankstone.errors import UsageError, did_you_mean

#: The choices of each tool, by its name and version.
FUSIONS: Mapping[str, Mapping[str, Any]] = {
    "ranx-0.3": {"constant": "zero", "ties": "input", "fused_ties": "input", "queries": "same"},
    "pyterrier-1": {"first_rank": 0, "ties": "input", "fused_ties": "input", "keep": 1000},
    "sentence_transformers-5": {
        "first_rank": 0, "absent": "last", "ties": "input", "fused_ties": "input", "queries": "same",
    },
    "pyserini-1": {"ties": "input", "fused_ties": "docid-asc"},
}  # fmt: skip


def fusion_like(name: str | None) -> Mapping[str, Any]:
    """Return the choices of a tool, with or without its version in the name; none of no tool.

    >>> fusion_like("pyterrier")["first_rank"]
    0
    """
    if name is None:
        return {}
    for known, choices in FUSIONS.items():
        if name in (known, known.rpartition("-")[0]):
            return choices
    hint = did_you_mean(name, [known.rpartition("-")[0] for known in FUSIONS])
    raise UsageError(f"it is not known how {name!r} fuses runs.{hint} Known: {', '.join(FUSIONS)}.")
