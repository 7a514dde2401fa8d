"""The entry for data: files, dicts, lists and tables become Judgments and Runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankstone.core.judgments import Judgments
from rankstone.core.run import Run
from rankstone.errors import UsageError, one_of


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
        data: a path, a dict, a list, a table, or Judgments.
        columns: the names of a table's columns, by role.
        graded: whether the grades matter; if not, every row counts 1.
        lenient: read grades as C's atol does, in the four columns of a TREC file.
        input_format: the format of a file (default: detected from its content).
        max_bytes: maximum size of a file in bytes after decompression.
        groups: path of a file of group sizes, for LETOR rows without qid.
    """
    if isinstance(data, Judgments):
        return data
    if isinstance(data, str | os.PathLike):
        from rankstone.io.files import read_judgments
        from rankstone.io.formats import LENIENT
        from rankstone.io.input_file import ReadOptions

        options = ReadOptions(
            LENIENT if lenient else input_format,
            max_bytes,
            None if groups is None else os.fspath(groups),
            columns,
            graded,
        )
        return read_judgments(os.fspath(data), options)
    if isinstance(data, Mapping):
        from rankstone.io import objects

        return objects.judgments_of(data)
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
    scores: str = "descending",
    lenient: bool = False,
    input_format: str | None = None,
    max_bytes: int | None = None,
) -> Run:
    """Return a run from a path, a dict, a list or a table.

    Args:
        data: a path, a dict, a list, a table, or a Run.
        name: what to call the run.
        threads: number of scanning threads (default: all cores).
        columns: the names of a table's columns, by role.
        scores: ``"descending"``, or ``"ascending"`` if the lowest score is the best (a distance).
        lenient: read scores as C's atof does and ignore fields after the tag.
        input_format: the format of a file (default: detected from its content).
        max_bytes: maximum size of a file in bytes after decompression.
    """
    ascending = one_of(scores, ("descending", "ascending"), "order of scores") == "ascending"
    if isinstance(data, str | os.PathLike):
        from rankstone.io.files import read_run
        from rankstone.io.formats import LENIENT
        from rankstone.io.input_file import ReadOptions

        options = ReadOptions(
            LENIENT if lenient else input_format,
            max_bytes,
            columns=columns,
            name=name,
            threads=threads,
            ascending=ascending,
        )
        return read_run(os.fspath(data), options)
    if isinstance(data, Mapping):
        from rankstone.io import objects

        return objects.run_of(data, name, ascending=ascending)
    if isinstance(data, list | tuple):
        from rankstone.io import lists

        return lists.run_of(data, name, columns, ascending=ascending)
    if hasattr(data, "match") and hasattr(data, "source"):
        run: Run = data
        return run
    from rankstone.io import frames

    if frames.is_frame(data):
        return frames.run_of(data, columns, name, threads, ascending=ascending)
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
