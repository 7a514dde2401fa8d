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
from rankstone.core.run import Row
from rankstone.core.scalars import number_of
from rankstone.core.text import decode, is_number
from rankstone.errors import DataError, UsageError
from rankstone.io.formats import Format, run_name
from rankstone.io.input_file import Input


@dataclass(frozen=True, eq=False)
class RowScores:
    """A run that is one score for each row of the file the judgments came from."""

    scores: list[float]
    name: str
    source: Source
    ascending: bool

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is."""
        return -1 if self.ascending else 1

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Match the scores to the judged rows, in their order."""
        data: dict[Any, dict[Any, float]] = {}
        for query, doc, score in self.rows(judgments):
            data.setdefault(query, {})[doc] = score
        run = ScoredRun(data, self.name, self.source, made_from=self.direction)
        return run.match(judgments, float32=float32, repeats=repeats)

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the rows of the judgments' file with their scores."""
        if judgments is None:
            raise UsageError(
                f"{self.source.name}: the format 'scores' names no queries and documents; evaluate "
                "it with the judgments it belongs to."
            )
        rows = getattr(judgments, "file_rows", None)
        if rows is None:
            raise DataError(
                f"{self.source.name}: one number in each line is a score for each row of a LETOR or "
                f"SVMlight file, but the judgments ({judgments.source.name}) are not such a file."
            )
        if len(rows) != len(self.scores):
            raise DataError(
                f"{self.source.name}: {len(self.scores)} scores for the {len(rows)} rows of "
                f"{judgments.source.name}. Score exactly these rows, in their order."
            )
        query_of = np.repeat(np.arange(len(judgments.queries)), np.diff(judgments.groups))
        for row, score in zip(rows.tolist(), self.scores, strict=True):
            own = -score if self.ascending else score
            yield judgments.queries[query_of[row]], judgments.docs[row], own


def _detect(file: Input) -> bool:
    rows = file.first_rows
    return bool(rows) and all(len(r.fields) == 1 for r in rows) and is_number(rows[0].fields[0])


def _scores(file: Input) -> Iterator[float]:
    for number, line in file.lines():
        shown = decode(line.strip(b" \t\r\n"))
        if shown and not shown.startswith("#"):
            yield number_of(shown, "score", f"{file.path}:{number}")


def _run(file: Input) -> Any:
    name = file.options.name or run_name(file.path)
    return RowScores(list(_scores(file)), name, file.source, file.options.ascending)


FORMAT = Format("scores", "0.731 (one number in each line)", _detect, None, _run)
