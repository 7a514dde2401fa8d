"""Files of any format, as Judgments or as a Run."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.provenance import Source
from rankstone.errors import DataError, UsageError, one_of
from rankstone.io import formats
from rankstone.io.formats import Format, Input, trec
from rankstone.io.formats.trec_layout import (
    FORCED,
    HEAD,
    LENIENT_RUN,
    Shape,
    judgments_forced,
    run_shape,
)
from rankstone.io.streams import STDIN, open_seekable


@dataclass(frozen=True)
class Reading:
    """How a file is to be read where it is not as its content tells."""

    format: str | None = None
    lenient: bool = False
    max_bytes: int | None = None
    groups: str | None = None
    columns: Mapping[str, Any] | None = None
    graded: bool = True

    def __post_init__(self) -> None:
        if self.format is not None:
            one_of(self.format, [*formats.names(), *FORCED], "format")
        if self.max_bytes is not None and self.max_bytes < 1:
            raise UsageError(f"max_bytes must be at least 1, not {self.max_bytes}.")

    def format_of(self, text: Input) -> Format:
        """Return the format that was asked for, else the one the content tells."""
        if self.lenient or self.format in FORCED:
            return formats.named("trec")
        if self.format is None:
            return formats.tell(text)
        form = formats.named(self.format)
        if not (form.may_be or form.told_by)(text):
            raise DataError(
                f"{text.path}: this is not of the format '{form.name}' ({form.looks_like})."
            )
        return form


@contextmanager
def opened(path: str, reading: Reading, source: Source | None = None) -> Iterator[Input]:
    """Open a file, a pipe or standard input, expanded if it is compressed."""
    with open_seekable(path, source, reading.max_bytes) as (stream, size, found):
        yield Input(path, stream, size, found, reading.groups, reading.columns, reading.graded)


def read_judgments(path: str, reading: Reading) -> Judgments:
    """Read judgments from a file, or from the folder of a data set."""
    path = in_folder(path)
    with opened(path, reading) as text:
        form = reading.format_of(text)
        if form.name == "trec":
            text.stream.seek(0)
            whole = text.stream.read()
            if reading.format in FORCED:
                shape = judgments_forced(reading.format, path)
                judged = trec.scan_qrels(whole, path, text.source, shape)
            else:
                judged = trec.read_qrels(whole, path, text.source, lenient=reading.lenient)
        else:
            judged = judgments_in(text, form)
        if text.source.path and not text.source.unchanged():
            raise DataError(f"{path}: the file changed while it was read. Try again.")
    return judged


def judgments_in(text: Input, form: Format) -> Judgments:
    """Read judgments of a known format."""
    if form.judgments is None:
        raise DataError(
            f"{text.path}: the format '{form.name}' ({form.looks_like}) holds no judgments; the "
            "order is judgments first, then runs."
        )
    found = form.judgments(text)
    if isinstance(found, Judgments):
        return found
    from rankstone.io.rows import judgments_from

    return judgments_from(found, text.source, text.path)


def in_folder(path: str) -> str:
    """Return the judgments of a data set that is a folder, as BEIR lays them out."""
    if not os.path.isdir(path):
        return path
    folder = os.path.join(path, "qrels")
    found = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    tables = [name for name in found if name.split(".")[1:2] == ["tsv"]]
    chosen = [name for name in tables if name.startswith("test.")] or tables
    if len(chosen) == 1:
        return os.path.join(folder, chosen[0])
    if chosen:
        raise DataError(f"{path}: which of {', '.join(chosen)} in {folder}? Give one of them.")
    raise DataError(
        f"{path}: this is a directory; give a file, or a data set with judgments in "
        f"{os.path.join(path, 'qrels', 'test.tsv')}."
    )


@dataclass(frozen=True, eq=False)
class FileRun:
    """A run in a file, read when it is matched; rows of columns are never held in memory."""

    path: str
    name: str
    source: Source
    threads: int
    progress: np.ndarray
    reading: Reading = field(default_factory=Reading)
    scored: bool = True
    _kept: ExitStack = field(default_factory=ExitStack, repr=False)
    _spooled: list[Input] = field(default_factory=list, repr=False)

    @classmethod
    def open(
        cls,
        path: str,
        name: str | None = None,
        threads: int | None = None,
        reading: Reading | None = None,
    ) -> FileRun:
        """Point to a run; the file is read later."""
        source = Source("stdin")
        if path != STDIN:
            try:
                status = os.stat(path)
                regular = stat.S_ISREG(status.st_mode)
                source = Source.of_file(path, status) if regular else Source(path)
            except OSError:
                with open_seekable(path):  # explains what is wrong
                    pass
        return cls(
            path,
            name or trec.run_name(path),
            source,
            threads or os.cpu_count() or 1,
            np.zeros(1, np.int64),
            reading or Reading(),
        )

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Find the judged documents in the file."""
        with self._opened() as text:
            form = self.reading.format_of(text)
            if text.source.path is None:
                object.__setattr__(self, "source", text.source)
            if form.name != "trec":
                held = run_in(replace(text, threads=self.threads), form, self.name)
                object.__setattr__(self, "scored", held.scored)
                return self._unchanged(text, held.match(judgments, float32=float32))
            shape = self._shape(text)
            object.__setattr__(self, "scored", shape.number != "rank")
            return trec.scan_run(
                text,
                shape,
                judgments,
                float32=float32,
                threads=self.threads,
                progress=self.progress,
            )

    @contextmanager
    def _opened(self) -> Iterator[Input]:
        """Open the run; what can be read only once is kept for when it is read again."""
        if self.source.path is not None:
            with opened(self.path, self.reading, self.source) as text:
                yield text
            return
        if not self._spooled:
            found = self._kept.enter_context(opened(self.path, self.reading, self.source))
            self._spooled.append(found)
        yield self._spooled[0]

    @staticmethod
    def _unchanged(text: Input, matches: Matches) -> Matches:
        if text.source.path and not text.source.unchanged():
            raise DataError(f"{text.path}: the file changed while it was read. Try again.")
        return matches

    def _shape(self, text: Input) -> Shape:
        if self.reading.lenient:
            return LENIENT_RUN
        if self.reading.format in FORCED:
            return FORCED[self.reading.format]
        return run_shape(text.start, self.path, whole=text.size <= HEAD)


def run_in(text: Input, form: Format, name: str) -> Any:
    """Read a run of a known format."""
    if form.run is None:
        raise DataError(
            f"{text.path}: the format '{form.name}' ({form.looks_like}) holds no run; the order is "
            "judgments first, then runs."
        )
    found = form.run(text)
    if hasattr(found, "match"):
        return found
    from rankstone.io.rows import run_from

    return run_from(found, name, text.source, text.path)
