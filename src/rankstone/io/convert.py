"""From one format to another, row by row."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any

from rankstone.core.judgments import Judgments
from rankstone.errors import DataError, UsageError
from rankstone.io import formats
from rankstone.io.column_roles import Columns
from rankstone.io.file_run import Reading, in_folder, opened
from rankstone.io.formats import Format, Input, Row
from rankstone.io.formats.trec_layout import FORCED, judgments_forced
from rankstone.io.rows import Lists, rows_of_judgments, rows_of_lists
from rankstone.io.streams import STDIN


def convert(
    source: str,
    target: str,
    to: str,
    *,
    kind: str | None = None,
    input_format: str | None = None,
    max_bytes: int | None = None,
    groups: str | None = None,
    columns: Mapping[str, Any] | None = None,
) -> tuple[int, str, str, str]:
    """Write a file's rows in another format; return their number, what they are, and the formats.

    The target appears whole or not at all.
    """
    writer = formats.named(to)
    named = Columns.of(columns)
    folder, source = source, in_folder(source)
    if source != folder:
        kind = kind or "judgments"
    reading = Reading(input_format, max_bytes=max_bytes, groups=groups, columns=named)
    with opened(source, reading) as text:
        form = reading.format_of(text)
        kind = kind or kind_of(text, form, reading)
        write = writer.write_judgments if kind == "judgments" else writer.write_run
        if write is None:
            raise UsageError(f"the format '{to}' cannot hold {_what(kind)}.")
        rows = rows_in(text, form, kind, reading)
        if form.rows is not None and to == "trec":
            rows = _by_query(rows)  # a table's rows are often mixed, those of a TREC file not
        counted = Counted(rows, empty=to == "json")
        with _replaced(target) as out:
            write(counted, out)
            if not counted.n:
                raise DataError(f"{source}: the file holds no rows.")
            named.check_used()
            if text.source.path and not text.source.unchanged():
                raise DataError(f"{source}: the file changed while it was read. Try again.")
    return counted.n, kind, form.name, to


def _by_query(rows: Iterable[Row]) -> Iterator[Row]:
    held: dict[str, list[tuple[str, float]]] = {}
    for query, doc, number in rows:
        held.setdefault(query, []).append((doc, number))
    return ((query, *row) for query, found in held.items() for row in found)


def _what(kind: str) -> str:
    return "judgments" if kind == "judgments" else "a run"


class Counted:
    """Rows that are counted as they pass; with ``empty`` queries without rows pass too."""

    def __init__(self, rows: Iterable[Row], *, empty: bool) -> None:
        self.rows = rows
        self.empty = empty
        self.n = 0

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows."""
        for row in self.rows:
            self.n += bool(row[1])
            if row[1] or self.empty:
                yield row


def kind_of(text: Input, form: Format, reading: Reading) -> str:
    """Return ``judgments`` or ``run``: what a file holds, as far as that can be told."""
    if form.run is None:
        return "judgments"
    if form.judgments is None:
        return "run"
    found = _kind_told(text, form, reading)
    if found is None:
        raise UsageError(
            f"{text.path}: '{form.name}' may hold judgments or a run; say which it is: "
            "--as judgments or --as run."
        )
    return found


def _kind_told(text: Input, form: Format, reading: Reading) -> str | None:
    if reading.format in FORCED:
        return "judgments" if FORCED[reading.format].number == "grade" else "run"
    return form.holds(text) if form.holds else None


def rows_in(text: Input, form: Format, kind: str, reading: Reading) -> Iterable[Row]:
    """Return the rows of a file, of whatever format."""
    if form.name == "trec" and reading.format in FORCED:
        from rankstone.io.formats.trec_rows import rows_of

        judged = kind == "judgments"
        shape = judgments_forced(reading.format, text.path) if judged else FORCED[reading.format]
        return rows_of(text, shape, "a file of three columns")
    if form.rows is not None:
        return form.rows(text, kind)
    read = form.judgments if kind == "judgments" else form.run
    if read is None:
        raise UsageError(f"{text.path}: the format '{form.name}' holds no {kind}.")
    found: Any = read(text)
    if isinstance(found, Judgments):
        return rows_of_judgments(found)
    if isinstance(found, Lists):
        return rows_of_lists(found)
    if hasattr(found, "match"):
        raise UsageError(
            f"{text.path}: the format '{form.name}' names no queries and documents; evaluate it "
            "with the judgments it belongs to."
        )
    rows: Iterable[Row] = found
    return rows


@contextmanager
def _replaced(path: str) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of ``path`` once it is complete."""
    if path == STDIN:
        with tempfile.TemporaryFile() as out:
            yield out
            out.seek(0)
            for chunk in iter(lambda: out.read(1 << 20), b""):
                sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
        return
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(prefix=".rankstone-", dir=folder)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror}).") from None
    try:
        with open(handle, "wb") as out:
            yield out
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error}).") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
