"""Judgments and runs from files of any format."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any, cast

from rankstone.choices.reading import Reading
from rankstone.core.judgments import Judgments
from rankstone.core.provenance import Source
from rankstone.core.run import Run
from rankstone.errors import DataError, UsageError
from rankstone.io.formats import Format, format_of, run_name
from rankstone.io.input_file import Input, ReadOptions

_RESPONSES = "search-response"  # the format that does not name its queries


def judgments_of(data: str | os.PathLike[str], options: ReadOptions) -> Judgments:
    """Read judgments from a file, or from the folder of a data set."""
    path = os.fspath(data)
    with Input.open(in_folder(path) if os.path.isdir(path) else path, options) as file:
        form = format_of(file)
        grouped = options.group_sizes is not None or options.qid_blocks != "merge"
        if grouped and not form.takes_group_sizes:
            option = "qid_blocks" if options.group_sizes is None else "group_sizes"
            raise UsageError(
                f"{file.path}: {option}= is for rows without ids of documents, such as LETOR rows; "
                f"this file has the format '{form.name}'."
            )
        for option in Reading.going_with("sheets") if form.name != "xlsx" else ():
            if option in options.sheet.given():
                raise UsageError(
                    f"{file.path}: {option}= is for judgments in a workbook (.xlsx); this file has the "
                    f"format '{form.name}'."
                )
        judgments = judgments_in(file, form)
        file.check_unchanged()
    return judgments


def run_of(data: str | os.PathLike[str], options: ReadOptions) -> Run:
    """Read a run, or open it if its format reads it when it is matched."""
    path = os.fspath(data)
    if os.path.isdir(path):
        from rankstone.io.formats.search_tools import responses_in

        return cast("Run", _gathered(*responses_in(path, options), path, options))
    with ExitStack() as stack:
        file = stack.enter_context(Input.open(path, options))
        run = run_in(file, format_of(file))
        if hasattr(run, "file"):
            stack.pop_all()  # it is closed when nothing refers to it any more
        else:
            file.check_unchanged()
    return run


def content_of(file: Input, form: Format, kind: str, *, at_once: bool = True) -> Any:
    """Return what a format reads: rows, rankings, judgments or a run."""
    read = form.judgments if kind == "judgments" else form.run
    if read is None:
        hint = ""
        if file.options.format is not None and kind == "judgments":
            hint = f" To name the format of the run alone, write ':{form.name}'."
        raise DataError(
            f"{file.path}: the format '{form.name}' ({form.example}) holds no {kind}; the order is "
            f"judgments first, then runs.{hint}"
        )
    return (at_once and form.scan and form.scan(file, kind)) or read(file)


def run_in(file: Input, form: Format) -> Run:
    """Read a run of a known format, or open it if its format reads it when it is matched."""
    if file.options.query_ids is not None and form.name != _RESPONSES and form.run is not None:
        raise UsageError(
            f"{file.path}: query_ids= goes with a search engine's responses, and this is of the format "
            f"{form.name!r}, which names its queries."
        )
    content = content_of(file, form, "run")
    run: Run = _gathered(content, file.source, file.path, file.options)
    return run


def _gathered(content: Any, source: Source, path: str, options: ReadOptions) -> Any:
    """Return a run as it is, or gathered from rows or rankings."""
    if hasattr(content, "match"):
        return content
    from rankstone.io.gathered import run_from
    from rankstone.io.rows import Lists, as_text, lists_as_text

    rows = lists_as_text(content, path) if isinstance(content, Lists) else as_text(content)
    return run_from(rows, source, path, options, name=options.name or run_name(path))


def judgments_in(file: Input, form: Format) -> Judgments:
    """Read judgments of a known format."""
    content = content_of(file, form, "judgments")
    if isinstance(content, Judgments):
        return content
    from rankstone.io.rows import judged_as_text, judgments_from

    return judgments_from(judged_as_text(content), file.source, file.path)


def rows_in(file: Input, form: Format, kind: str) -> Iterable[Any]:
    """Return the rows of a file: text for ids, and a number."""
    from rankstone.io.rows import Lists, as_text, rows_of_judgments, rows_of_lists

    if form.rows is not None and (form.judgments if kind == "judgments" else form.run):
        return form.rows(file, kind)
    content = content_of(file, form, kind, at_once=False)
    if hasattr(content, "rows"):
        content = content.rows()
    elif isinstance(content, Judgments):
        content = rows_of_judgments(content)
    elif isinstance(content, Lists):
        content = rows_of_lists(content)
    return as_text(content)


def in_folder(path: str) -> str:
    """Return the judgments of a data set that is a folder, as BEIR lays them out; else the path."""
    if not os.path.isdir(path):
        return path
    folder = os.path.join(path, "qrels")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    tables = [name for name in names if name.split(".")[1:2] == ["tsv"]]
    chosen = [name for name in tables if name.startswith("test.")] or tables
    if len(chosen) == 1:
        return os.path.join(folder, chosen[0])
    if chosen:
        raise DataError(f"{path}: which of {', '.join(chosen)} in {folder}? Give one of them.")
    raise DataError(
        f"{path}: this is a directory; give a file, or a data set with judgments in "
        f"{os.path.join(path, 'qrels', 'test.tsv')}."
    )
