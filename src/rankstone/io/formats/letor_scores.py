"""Scores alone, one in each line, for the rows of a LETOR file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.core.dicts import ScoredRun
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.provenance import Source
from rankstone.errors import DataError
from rankstone.io.formats import Format, Input
from rankstone.io.rows import number_of


@dataclass(frozen=True, eq=False)
class RowScores:
    """A run that is one score for each row of the file the judgments came from."""

    scores: list[float]
    name: str
    source: Source
    scored: bool = True

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Give each judged row its score."""
        data: dict[Any, dict[Any, float]] = {}
        for query, doc, score in self.rows_for(judgments):
            data.setdefault(query, {})[doc] = score
        return ScoredRun(data, self.name, self.source).match(judgments, float32=float32)

    def rows_for(self, judgments: Judgments) -> Iterator[tuple[Any, Any, float]]:
        """Yield the rows of the judgments' file with their scores."""
        rows = getattr(judgments, "file_rows", None)
        if rows is None:
            raise DataError(
                f"{self.name}: one number in each line is a score for each row of a LETOR or "
                f"SVMlight file, but the judgments ({judgments.source.name}) are no such file."
            )
        if len(rows) != len(self.scores):
            raise DataError(
                f"{self.name}: {len(self.scores)} scores for the {len(rows)} rows of "
                f"{judgments.source.name}. Score exactly these rows, in their order."
            )
        query_of = np.repeat(np.arange(len(judgments.queries)), np.diff(judgments.groups))
        for row, score in zip(rows.tolist(), self.scores, strict=True):
            yield judgments.queries[query_of[row]], judgments.docs[row], score


def _told(text: Input) -> bool:
    return bool(text.rows) and all(len(row) == 1 for row in text.rows) and _number(text.rows[0][0])


def _number(raw: bytes) -> bool:
    try:
        float(raw)
    except ValueError:
        return False
    return True


def _scores(text: Input) -> Iterator[float]:
    for number, line in text.lines():
        shown = line.strip().decode("utf-8", "surrogateescape")
        if shown and not shown.startswith("#"):
            yield number_of(shown, "score", f"{text.path}:{number}")


def _run(text: Input) -> Any:
    return RowScores(list(_scores(text)), text.path, text.source)


FORMAT = Format("scores", "0.731 (one number in each line)", _told, None, _run)
