"""Lists of lists: what was expected and what was retrieved, query by query, without query ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.errors import DataError
from rankstone.io import nested


def judgments_of(data: Sequence[Any]) -> Judgments:
    """Take the relevant documents of each query; a query's id is its position, from 0."""
    _check(data, "the judgments")
    return nested.judgments_of(dict(enumerate(data)))


def run_of(data: Sequence[Any], name: str | None = None) -> Any:
    """Take the ranked documents of each query; a query's id is its position, from 0."""
    _check(data, "the run")
    run = nested.run_of(dict(enumerate(data)), name)
    if isinstance(run, nested.ListedRun):
        return PositionalRun(run.data, run.name)
    return run


def _check(data: Sequence[Any], what: str) -> None:
    odd = next((v for v in data if isinstance(v, str | bytes | int | float) or v is None), data)
    if odd is not data:
        raise DataError(
            f"{what}: expected a list of lists, one for each query, but it holds {odd!r}. For a "
            "single query write [[...]], or call the measure itself."
        )


@dataclass(frozen=True, eq=False)
class PositionalRun(nested.ListedRun):
    """Rankings that belong to queries by their position alone."""

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Find the judged documents, if there is one ranking for each query."""
        n = len(judgments.queries)
        positional = list(judgments.queries) == list(range(n))
        if positional and len(self.data) != n:
            raise DataError(
                f"{self.name}: {len(self.data)} rankings for {n} lists of relevant documents. "
                "Lists belong together by position; give one for each query, [] where nothing "
                "was retrieved."
            )
        return super().match(judgments, float32=float32)
