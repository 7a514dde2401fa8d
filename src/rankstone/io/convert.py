"""From one format to another, row by row."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Unpack

from rankstone.choices.setup import Setup, verb
from rankstone.core import atomic
from rankstone.core.judgments import Judgments
from rankstone.core.subtopics import aspects_of
from rankstone.errors import DataError, Notice, UsageError, plural
from rankstone.io import formats
from rankstone.io.changes import prepared
from rankstone.io.files import in_folder, judgments_in, rows_in
from rankstone.io.formats import Format, format_of
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.load import check_columns_used
from rankstone.io.streams import STDIN
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.choices.options import ConvertOptions

_BATCH = 1 << 12


class Conversion(NamedTuple):
    """A conversion: the number of rows, of judgments or a run, from and to which format.

    ``notices`` say what the target cannot hold.
    """

    rows: int
    kind: str
    source: str
    target: str
    notices: tuple[Notice, ...] = ()


@verb("convert")
def convert(
    source: str,
    target: str,
    to: str | None = None,
    *,
    kind: str | None = None,
    force: bool = False,
    **options: Unpack[ConvertOptions],
) -> Conversion:
    """Write a file's rows in another format; the target appears whole or not at all.

    Args:
        source: path of judgments or a run.
        target: path to write to.
        to: name of the format (default: by the ending of the target).
        kind: ``judgments`` or ``run``, if it cannot be detected.
        force: replace another file.
        options: see below.
    """
    setup = prepared(Setup.of("convert", options))
    folder, source = source, in_folder(source)
    if source != folder:
        kind = kind or "judgments"
    _check_other_file(source, target)
    with Input.open(source, ReadOptions.of_judgments(setup)) as file:
        form = format_of(file)
        kind = kind or kind_of(file, form)
        writer, write = writer_of(target, to, kind, force=force)
        judgments = _by_subtopic(file, form) if kind == "judgments" else None
        notices = () if judgments is None else _left_out(judgments, writer)
        if judgments is not None and writer.write_subtopics is not None:
            write = writer.write_subtopics
            rows: Iterable[Any] = aspects_of(judgments)
        else:
            rows = rows_in(file, form, kind)
        if form.mixes_queries and writer.writes_by_query:
            rows = _by_query(rows)
        counted = Counted(rows, empty=writer.holds_empty_queries)
        with output(target) as out:
            write(counted, out)
            if not counted.n:
                raise DataError(f"{source}: the file holds no rows.")
            check_columns_used(setup)
            file.check_unchanged()
    return Conversion(counted.n, kind, form.name, writer.name, notices)


def writer_of(
    target: str, to: str | None, kind: str, *, force: bool
) -> tuple[Format, Callable[[Any, IO[bytes]], None]]:
    """Return the format of a file to write, and its function that writes a kind of data."""
    writer = formats.named(to or formats.format_for(target))
    write = writer.write_judgments if kind == "judgments" else writer.write_run
    if write is None:
        what = "judgments" if kind == "judgments" else "a run"
        raise UsageError(f"the format '{writer.name}' cannot hold {what}.")
    if target != STDIN:
        atomic.check_own(target, None, force=force)
    return writer, write


def _by_subtopic(file: Input, form: Format) -> Judgments | None:
    """Return the judgments of a file, None if they are not by subtopic."""
    if not form.may_hold_subtopics:
        return None
    judgments = judgments_in(file, form)
    return None if judgments.subtopics is None else judgments


def _left_out(judgments: Judgments, writer: Format) -> tuple[Notice, ...]:
    """Return notices of what a format cannot hold of judgments by subtopic."""
    subtopics = judgments.subtopics
    if subtopics is None:
        return ()
    if writer.write_subtopics is None:
        n = len(subtopics.names)
        text = tr(
            "{} left out: the format '{}' cannot hold them. Convert to trec, jsonl, csv or "
            "parquet to keep them"
        ).format(plural(n, "subtopic"), writer.name)
        return (Notice("subtopics-left-out", n, text),)
    okay = 0 if writer.holds_importance else int((~subtopics.vital).sum())
    if not okay:
        return ()
    text = tr(
        "the importance of {} (okay, not vital) left out: the format '{}' cannot hold it. "
        "Convert to jsonl, csv or parquet to keep it"
    ).format(plural(okay, "nugget"), writer.name)
    return (Notice("importance-left-out", okay, text),)


def _check_other_file(source: str, target: str) -> None:
    """Refuse to replace the file that is read."""
    with suppress(OSError):
        if STDIN not in (source, target) and os.path.samefile(source, target):
            raise UsageError(
                f"{target}: this is the file that is read, and would be lost. Write to another."
            )


def _by_query(rows: Iterable[Any]) -> Iterator[Any]:
    """Put rows of one query together, in the order of their first rows."""
    blocks: dict[str, list[Any]] = {}
    for row in rows:
        blocks.setdefault(row[0], []).append(row)
    return chain.from_iterable(blocks.values())


class Counted:
    """Rows that are counted as they pass; with ``empty`` queries without rows pass too."""

    def __init__(self, rows: Iterable[Any], *, empty: bool) -> None:
        self.rows = iter(rows)
        self.empty = empty
        self.n = 0

    def __iter__(self) -> Iterator[Any]:
        """Yield the rows."""
        return chain.from_iterable(self._batches())

    def _batches(self) -> Iterator[list[Any]]:
        while batch := list(islice(self.rows, _BATCH)):
            documents = [row for row in batch if row[1]]
            self.n += len(documents)
            yield batch if self.empty else documents


def kind_of(file: Input, form: Format) -> str:
    """Return the kind of a file, ``judgments`` or ``run``; an error if that is unclear."""
    if form.run is None:
        return "judgments"
    if form.judgments is None:
        return "run"
    kind = form.kind(file) if form.kind else None
    if kind is None:
        raise UsageError(
            f"{file.path}: '{form.name}' may hold judgments or a run; say which it is: "
            "--as judgments or --as run."
        )
    return kind


def kind_in(path: str, options: ReadOptions) -> str:
    """Return the kind of a file's content: ``judgments`` or ``run``."""
    with Input.open(in_folder(path), options) as file:
        return kind_of(file, format_of(file))


@contextmanager
def output(path: str) -> Iterator[IO[bytes]]:
    """Yield a file that becomes ``path``, or standard output, once it is complete."""
    if path == STDIN:
        with tempfile.TemporaryFile() as out:
            yield out
            out.seek(0)
            for chunk in iter(lambda: out.read(1 << 20), b""):
                sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
        return
    with atomic.replaced(path) as out:
        yield out
