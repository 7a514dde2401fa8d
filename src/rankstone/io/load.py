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
        kind = None if input_format or lenient or groups else _table(data, columns, max_bytes)
        if kind:
            from rankstone.io.tables import read_table_judgments

            return read_table_judgments(os.fspath(data), columns, kind=kind, graded=graded)
        from rankstone.io.files import Reading, read_judgments

        sizes = None if groups is None else os.fspath(groups)
        return read_judgments(os.fspath(data), Reading(input_format, lenient, max_bytes, sizes))
    if isinstance(data, Mapping):
        from rankstone.io import nested

        return nested.judgments_of(data)
    if isinstance(data, list | tuple):
        from rankstone.io import lists

        return lists.judgments_of(data)
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
        kind = None if input_format or lenient else _table(data, columns, max_bytes)
        if kind:
            from rankstone.io.tables import read_table_run

            return read_table_run(os.fspath(data), columns, name, threads, kind=kind)
        from rankstone.io.files import FileRun, Reading

        reading = Reading(input_format, lenient, max_bytes)
        return FileRun.open(os.fspath(data), name, threads, reading)
    if isinstance(data, Mapping):
        from rankstone.io import nested

        return nested.run_of(data, name)
    if isinstance(data, list | tuple):
        from rankstone.io import lists

        return lists.run_of(data, name)
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


def _table(
    path: str | os.PathLike[str], columns: Mapping[str, Any] | None, max_bytes: int | None
) -> str | None:
    """Return the kind of table a file holds; None where its text is read as rows."""
    from rankstone.io import tables

    kind = tables.kind_of(os.fspath(path), columns)
    if kind and max_bytes is not None and os.path.getsize(path) > max_bytes:
        return None  # the reader of rows says that it is too large
    return kind
