"""Runs: documents in an order, by query."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.provenance import MEMORY, Source


class Run(Protocol):
    """What ``align`` needs of a run, wherever it is held.

    ``scored`` says whether scores decide the order, or position alone.
    """

    @property
    def name(self) -> str:
        """What to call the run."""

    @property
    def scored(self) -> bool:
        """Whether scores decide the order."""

    @property
    def source(self) -> Source:
        """Where the run came from."""

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the run.

        Args:
            judgments: what to look for.
            float32: compare scores rounded to 32 bits.
            repeats: find every occurrence of a document, not only its best.
        """


@dataclass(frozen=True)
class EmptyRun:
    """A run without documents, for queries that are missing from all parts of a run."""

    name: str = "run"
    scored: bool = False
    source: Source = MEMORY

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find nothing."""
        return Matches.none(len(judgments.queries))


@dataclass(frozen=True, eq=False)
class WrappedRun:
    """A run that changes what another one matches, and is called the same."""

    run: Run

    @property
    def name(self) -> str:
        """What to call the run."""
        return self.run.name

    @property
    def scored(self) -> bool:
        """Whether scores decide the order."""
        return self.run.scored

    @property
    def source(self) -> Source:
        """Where the run came from."""
        return self.run.source


@dataclass(frozen=True, eq=False)
class CompleteRun(WrappedRun):
    """A run that has a ranking for each judged query, though some of them are empty."""

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the run."""
        matches = self.run.match(judgments, float32=float32, repeats=repeats)
        return replace(matches, present=np.ones(len(judgments.queries), bool))
