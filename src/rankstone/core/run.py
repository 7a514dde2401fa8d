"""Runs: documents in an order, by query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.provenance import MEMORY, Source
from rankstone.frozen import frozen

#: A document of a query with its score; a query without documents has one row without a document.
Row = tuple[Any, Any, float]
NO_DOCUMENT = ""


class Block(NamedTuple):
    """Consecutive rows of a run.

    The first ``sizes[0]`` rows belong to ``queries[0]``, the next ``sizes[1]`` to ``queries[1]``, and
    so on.
    """

    queries: list[Any]
    sizes: np.ndarray
    docs: list[Any]
    numbers: np.ndarray

    def query_of_rows(self) -> Iterator[Any]:
        """Yield the query of each row."""
        return chain.from_iterable(map(repeat, self.queries, self.sizes.tolist()))


class Run(Protocol):
    """Ranked documents by query, wherever they are stored."""

    @property
    def name(self) -> str:
        """The name of the run."""

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is, 0 if there are no scores."""

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

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents in input order, with scores; the highest is the best.

        ``judgments`` name the queries and documents of a run that is scores alone.
        """


@frozen
class EmptyRun:
    """A run without documents, for queries that are missing from all parts of a run."""

    name: str = "run"
    direction: int = 0
    source: Source = MEMORY

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find nothing."""
        return Matches.none(len(judgments.queries))

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield nothing."""
        return iter(())


@frozen(eq=False)
class RunWrapper:
    """A run that changes the matches of another one, under the same name."""

    run: Run

    name = property(attrgetter("run.name"))
    direction = property(attrgetter("run.direction"))
    source = property(attrgetter("run.source"))

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents of the run."""
        return self.run.rows(judgments)


@frozen(eq=False)
class RunWithAllQueries(RunWrapper):
    """A run that has a ranking for each judged query, though some of them are empty."""

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the run."""
        matches = self.run.match(judgments, float32=float32, repeats=repeats)
        return replace(matches, present=np.ones(len(judgments.queries), bool))
