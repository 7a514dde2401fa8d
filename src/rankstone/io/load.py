"""Whatever the user holds, as Judgments or as a Run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankstone.core.judgments import Judgments
from rankstone.core.run import Run
from rankstone.errors import UsageError


def load_judgments(
    data: Any,
    columns: Mapping[str, Any] | None = None,
    *,
    graded: bool = True,
    lenient: bool = False,
    input_format: str | None = None,
    max_bytes: int | None = None,
    groups: Any = None,
) -> Judgments:
    """Return judgments from a path, a dict, a list or a table.

    Args:
        data: what the user holds.
        columns: the columns of a table, by what they hold.
        graded: whether the grades matter; without, every row counts 1.
        lenient: read grades as C's atol does, in the four columns of a TREC file.
        input_format: the format of a file, where its content does not tell.
        max_bytes: as much as a file may hold, once expanded.
        groups: path of a file of group sizes, for rows without qid.
    """
    if isinstance(data, Judgments):
        return data
    if isinstance(data, str | os.PathLike):
        from rankstone.io.file_run import Reading, read_judgments

        sizes = None if groups is None else os.fspath(groups)
        reading = Reading(input_format, lenient, max_bytes, sizes, columns, graded)
        return read_judgments(os.fspath(data), reading)
    if isinstance(data, Mapping):
        from rankstone.core import dicts

        return dicts.judgments_of(data)
    if isinstance(data, list | tuple):
        from rankstone.io import lists

        return lists.judgments_of(data, columns, graded=graded)
    from rankstone.io import frames

    if frames.is_frame(data):
        return frames.judgments_of(data, columns, graded=graded)
    raise UsageError(
        f"cannot read judgments from {type(data).__name__}; give a path to a file, "
        "a dict {query: {document: grade}}, a list of lists of relevant documents or a dataframe."
    )


def load_run(
    data: Any,
    name: str | None = None,
    threads: int | None = None,
    columns: Mapping[str, Any] | None = None,
    *,
    lenient: bool = False,
    input_format: str | None = None,
    max_bytes: int | None = None,
) -> Run:
    """Return a run from a path, a dict, a list or a table.

    Args:
        data: what the user holds.
        name: what to call the run.
        threads: how many to scan a file with; all cores unless told.
        columns: the columns of a table, by what they hold.
        lenient: read scores as C's atof does and ignore fields after the tag.
        input_format: the format of a file, where its content does not tell.
        max_bytes: as much as a file may hold, once expanded.
    """
    if isinstance(data, str | os.PathLike):
        from rankstone.io.file_run import FileRun, Reading

        reading = Reading(input_format, lenient, max_bytes, columns=columns)
        return FileRun.open(os.fspath(data), name, threads, reading)
    if isinstance(data, Mapping):
        from rankstone.core import dicts

        return dicts.run_of(data, name)
    if isinstance(data, list | tuple):
        from rankstone.io import lists

        return lists.run_of(data, name, columns)
    if hasattr(data, "match") and hasattr(data, "source"):
        run: Run = data
        return run
    from rankstone.io import frames

    if frames.is_frame(data):
        return frames.run_of(data, columns, name, threads)
    raise UsageError(
        f"cannot read a run from {type(data).__name__}; give a path to a file, "
        "a dict {query: {document: score}}, a dict {query: [document, ...]}, a list of lists or "
        "a dataframe."
    )


def load_both(
    judgments: Any,
    run: Any,
    *,
    name: str | None = None,
    threads: int | None = None,
    columns: Mapping[str, Any] | None = None,
    input_format: str | None = None,
    max_bytes: int | None = None,
    groups: Any = None,
) -> tuple[Judgments, Run]:
    """Return judgments and a run; ``input_format`` may name two formats, ``judgments:run``."""
    formats = (input_format or "").split(":")
    judged = load_judgments(
        judgments, columns, input_format=formats[0] or None, max_bytes=max_bytes, groups=groups
    )
    ranked = load_run(
        run, name, threads, columns, input_format=formats[-1] or None, max_bytes=max_bytes
    )
    return judged, ranked
