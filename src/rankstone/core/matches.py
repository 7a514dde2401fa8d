"""Where judged documents landed in a run, before any convention is applied."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankstone.errors import Notice


@dataclass(frozen=True, eq=False)
class Matches:
    """For every judged document that was retrieved, the counts any tie rule follows from.

    Rows ``offsets[q]:offsets[q + 1]`` belong to judged query q and stand in the order of the
    judgments. ``above`` documents have a higher score; ``tied`` share its score, itself
    included; of those, ``greater`` have a greater id and ``earlier`` came earlier.
    ``repeats_above`` counts the dropped repetitions of documents above it, if that is known.
    """

    offsets: np.ndarray
    judgment: np.ndarray
    score: np.ndarray
    above: np.ndarray
    tied: np.ndarray
    greater: np.ndarray
    earlier: np.ndarray
    present: np.ndarray
    retrieved: np.ndarray
    duplicates: np.ndarray
    tied_documents: np.ndarray
    rank_disagrees: np.ndarray
    duplicate: dict[int, str | int] = field(default_factory=dict)
    repeats_above: np.ndarray | None = None
    unjudged_queries: int = 0
    unjudged_capped: bool = False
    unjudged_sample: tuple[str | int, ...] = ()
    doc_sample: tuple[str | int, ...] = ()
    notices: tuple[Notice, ...] = ()
    tag: str = ""

    @classmethod
    def of(cls, found: dict[str, Any], **more: Any) -> Matches:
        """Take what an engine returned; ``more`` is what it does not know."""
        arrays = {name: found[name] for name in _ARRAYS}
        for name in ("present", "rank_disagrees"):
            arrays[name] = arrays[name].astype(bool)
        return cls(**arrays, **more)


_ARRAYS = (
    "offsets",
    "judgment",
    "score",
    "above",
    "tied",
    "greater",
    "earlier",
    "present",
    "retrieved",
    "duplicates",
    "tied_documents",
    "rank_disagrees",
)
