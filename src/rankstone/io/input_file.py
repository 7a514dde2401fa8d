"""A file that is open, and how it is to be read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import field
from functools import cached_property
from typing import IO, Any, NamedTuple
from weakref import finalize

from rankstone.choices.reading import Reading, first_of, last_of
from rankstone.choices.setup import Setup
from rankstone.core.provenance import Source
from rankstone.core.text import BOM
from rankstone.errors import DataError
from rankstone.frozen import frozen
from rankstone.io.encodings import as_utf8, check_utf16, is_json_in_utf8, is_text
from rankstone.io.streams import lines, open_seekable

HEAD = 1 << 16
_ROWS = 200


@frozen
class ReadOptions:
    """Options for reading a file that its content does not determine.

    Args:
        format: name of the file's format (default: detected).
        max_bytes: maximum size after decompression.
        group_sizes: path of a file of group sizes, for LETOR rows without qid.
        qid_blocks: whether LETOR rows of a query that are not next to each other are one list.
        columns: names of columns by role, for tables.
        graded: whether the grades of judgments matter; if not, every row counts 1.
        name: what to call the run (default: the file's name).
        threads: number of scanning threads (default: all cores).
        ascending: whether the lowest score is the best.
        encoding: encoding of the text (default: UTF-8).
        by_score: whether scores rank the documents of lists, too.
        query_ids: ids of the queries of responses, or the path of a file of these.
        sheet: which sheet and rows of a workbook to read, and how (default: the first).
    """

    format: str | None = None
    max_bytes: int | None = None
    group_sizes: str | None = None
    columns: Mapping[str, Any] | None = None
    graded: bool = True
    name: str | None = None
    threads: int | None = None
    ascending: bool = False
    encoding: str | None = None
    by_score: bool = False
    qid_blocks: str = "merge"
    query_ids: Any = None
    sheet: Reading = field(default_factory=Reading)

    @classmethod
    def of_judgments(cls, setup: Setup, *, graded: bool = True) -> ReadOptions:
        """Return how to read a file of judgments."""
        reading, sizes = setup.reading, setup.reading.group_sizes
        return cls(
            first_of(reading.input_format),
            setup.effort.max_bytes,
            os.fspath(sizes) if isinstance(sizes, str | os.PathLike) else None,
            reading.columns,
            graded,
            encoding=first_of(reading.encoding),
            qid_blocks=reading.qid_blocks,
            sheet=reading,
        )

    @classmethod
    def of_run(cls, setup: Setup) -> ReadOptions:
        """Return how to read the file of a run."""
        reading = setup.reading
        return cls(
            last_of(reading.input_format),
            setup.effort.max_bytes,
            columns=reading.columns,
            name=setup.evaluation.name,
            threads=setup.effort.threads,
            ascending=setup.changes.scores == "ascending",
            encoding=last_of(reading.encoding),
            by_score=setup.by_score,
            query_ids=reading.query_ids,
        )


DEFAULT = ReadOptions()


class FirstRow(NamedTuple):
    """A line among the first of a file: its fields, split at blanks, and where it ends."""

    fields: list[bytes]
    end: int


@frozen(eq=False)
class Input(AbstractContextManager["Input"]):
    """A file that is open for reading at any position; closed on leaving or when freed."""

    path: str
    stream: IO[bytes]
    size: int
    source: Source
    options: ReadOptions = field(default_factory=ReadOptions)
    _resources: ExitStack = field(default_factory=ExitStack, repr=False)

    @classmethod
    def open(cls, path: str, options: ReadOptions) -> Input:
        """Open a file, a pipe or standard input, decompressed if it is compressed."""
        resources = ExitStack()
        stream, size, source = resources.enter_context(open_seekable(path, options.max_bytes))
        encoding = options.encoding
        if encoding is not None and is_text(stream) and not is_json_in_utf8(stream):
            stream = resources.enter_context(as_utf8(stream, path, encoding))
            size = stream.seek(0, 2)
        file = cls(path, stream, size, source, options, resources)
        finalize(file, resources.close)
        if encoding is None:
            check_utf16(file.start, path)
        return file

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._resources.close()

    @cached_property
    def start(self) -> bytes:
        """The first bytes."""
        self.stream.seek(0)
        return self.stream.read(HEAD)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, without a byte order mark."""
        return self.start.removeprefix(BOM)

    @property
    def threads(self) -> int:
        """The number of threads to scan the file with."""
        return self.options.threads or os.cpu_count() or 1

    @property
    def begin(self) -> int:
        """The position of the text, after a byte order mark."""
        return len(self.start) - len(self.head)

    @cached_property
    def first_rows(self) -> list[FirstRow]:
        """The first lines that are neither blank nor comments, as far as they are complete."""
        start = self.start
        at = len(start) - len(self.head)
        rows: list[FirstRow] = []
        while at < len(start) and len(rows) < _ROWS:
            newline = start.find(b"\n", at)
            if newline < 0 and self.size > HEAD and rows:
                break
            end = newline + 1 or len(start)
            fields = start[at:end].split()
            if fields and not fields[0].startswith(b"#"):
                rows.append(FirstRow(fields, end))
            at = end
        return rows

    @cached_property
    def carrier(self) -> str:
        """``json``, ``jsonl`` or ``text``."""
        if self.head.lstrip()[:1] not in (b"{", b"["):
            return "text"
        if self.lists_form is not None:
            return "json"
        from rankstone.io.formats.strict_json import carrier

        return carrier(self)

    @cached_property
    def lists_form(self) -> Any:
        """How a JSON object by query is written that the core can read; None for other files."""
        from rankstone.io.formats.json_scan import lists_form

        return lists_form(self)

    @cached_property
    def value(self) -> Any:
        """The content of a JSON file."""
        from rankstone.io.formats.strict_json import parse

        self.stream.seek(0)
        return parse(self.stream.read(), self.path)

    @property
    def record(self) -> dict[str, Any]:
        """The content of a file that is one JSON object; empty if it is another kind of file."""
        value = self.value if self.carrier == "json" else None
        return value if isinstance(value, dict) else {}

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (line number, line) for every line."""
        return lines(self.stream, self.path)

    def records(self) -> Iterator[tuple[str, Any]]:
        """Yield the place and the value of every line of JSON that is not blank."""
        from rankstone.io.formats.strict_json import parse

        for number, line in self.lines():
            if line.strip():
                where = f"{self.path}:{number}"
                yield where, parse(line, where)

    def check_unchanged(self, when: str = "while it was read. Try again") -> None:
        """Refuse a file that is no longer the one that was opened."""
        if not self.source.unchanged():
            raise DataError(f"{self.path}: the file changed {when}.")
