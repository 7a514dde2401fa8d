"""Runs and judgments as a whole, for comparing two of them; what they hold is kept in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankstone.errors import DataError, UsageError
from rankstone.io.convert import kind_of
from rankstone.io.files import in_folder, rows_in
from rankstone.io.formats import format_of
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.load import load_judgments
from rankstone.io.rows import rows_of_judgments


def kind_in(path: str, options: ReadOptions) -> str:
    """Return what a file holds: ``judgments`` or ``run``."""
    with Input.open(in_folder(path), options) as file:
        return kind_of(file, format_of(file))


def whole_run(data: Any, options: ReadOptions | None = None) -> dict[Any, Any]:
    """Return the rankings of a run by query: scores by document, or documents in order.

    ``data`` is a path, ``{query: {document: score}}`` or ``{query: [document, ...]}``.
    """
    if isinstance(data, Mapping):
        return dict(data)
    if not isinstance(data, str | os.PathLike):
        raise UsageError(
            f"give a run as a path or as {{query: ranking}}, not {type(data).__name__}."
        )
    run: dict[str, dict[str, float]] = {}
    with Input.open(os.fspath(data), options or ReadOptions()) as file:
        for query, document, score in rows_in(file, format_of(file), "run"):
            scores = run.setdefault(query, {})
            if document in scores:
                raise DataError(
                    f"{file.path}: query {query!r} has document {document!r} twice. Keep one."
                )
            if document:
                scores[document] = score
    return run


def whole_judgments(data: Any, **options: Any) -> dict[tuple[Any, Any], float]:
    """Return the grade of each judged pair of query and document, of any form of judgments."""
    rows = rows_of_judgments(load_judgments(data, **options))
    return {(query, document): grade for query, document, grade in rows}
