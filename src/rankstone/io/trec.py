"""TREC runs and qrels."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.source import Source
from rankstone.errors import DataError, Notice, plural
from rankstone.io.open import STDIN, open_seekable, read_all

# Columns in a line, then which of them hold query, document, number and rank.
RUN_LAYOUT = (6, 0, 2, 4, 3)
QRELS_LAYOUT = (4, 0, 2, 3, -1)
_RANGE = 2 << 20

_SHAPES = {
    RUN_LAYOUT: ("a TREC run", "query Q0 document rank score tag", "score"),
    QRELS_LAYOUT: ("TREC qrels", "query iteration document grade", "grade"),
}


def read_qrels(path: str) -> Judgments:
    """Read judgments from a TREC qrels file."""
    text, source = read_all(path)
    found = engine.load().scan_judgments(text, QRELS_LAYOUT)
    if found["fault"]:
        raise _fault(path, found["fault"], QRELS_LAYOUT, text)
    if not len(found["grades"]):
        raise DataError(f"{path}: the file holds no judgments.")
    return Judgments(
        Ids.from_bytes(found["query_bytes"], found["query_offsets"]),
        found["groups"],
        Ids.from_bytes(found["doc_bytes"], found["doc_offsets"]),
        found["grades"],
        source,
        tuple(judgment_notices(found)),
    )


def judgment_notices(found: dict[str, Any]) -> list[Notice]:
    """Return what is worth saying about judgments as they were read."""
    notices = []
    for key, code, what, rule in (
        ("repeated", "repeated-judgments", "repeated judgment", "each counts once"),
        (
            "contradicting",
            "contradicting-judgments",
            "contradicting judgment",
            "the highest grade of a document counts",
        ),
    ):
        n = int(found[key])
        if n:
            query, doc = (_text(part) for part in found[f"{key}_example"])
            notices.append(
                Notice(code, n, f"{plural(n, what)}; {rule}", (f"document {doc} of query {query}",))
            )
    return notices + negative_notices(found["grades"])


def negative_notices(grades: np.ndarray) -> list[Notice]:
    """Say how many grades are negative."""
    n = int((grades < 0).sum())
    text = (
        f"{plural(n, 'negative grade')}; gain 0, and the convention 'negatives' says what is meant"
    )
    return [Notice("negative-grades", n, text)] if n else []


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, eq=False)
class TrecRun:
    """A run in a TREC file, read when it is matched and never held in memory."""

    path: str
    name: str
    source: Source
    threads: int
    progress: np.ndarray
    scored: bool = True

    @classmethod
    def open(cls, path: str, name: str | None = None, threads: int | None = None) -> TrecRun:
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
            name or run_name(path),
            source,
            threads or os.cpu_count() or 1,
            np.zeros(1, np.int64),
        )

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Find the judged documents in the file."""
        with open_seekable(self.path, self.source) as (stream, size, source):
            found = engine.load().scan_run(
                stream.fileno(),
                size,
                RUN_LAYOUT,
                judgments.index(),
                float32,
                self.threads,
                _RANGE,
                self.progress,
            )
            if source.path is None:
                object.__setattr__(self, "source", source)
            elif not source.unchanged():
                raise DataError(f"{self.path}: the file changed while it was read. Try again.")
            if found["fault"]:
                raise _fault(self.path, found["fault"], RUN_LAYOUT, stream)
            if not found["rows"]:
                raise DataError(f"{self.path}: the file holds no rows.")
        return Matches.of(
            found,
            duplicate={q: _text(doc) for q, doc in found["duplicate"].items()},
            unjudged_queries=found["unjudged_queries"],
            unjudged_capped=found["unjudged_capped"],
            unjudged_sample=tuple(_text(q) for q in found["unjudged_sample"]),
            doc_sample=tuple(_text(d) for d in found["doc_sample"]),
        )


def run_name(path: str) -> str:
    """Return a file's name without folder and without endings that only tell its format."""
    if path == STDIN:
        return "stdin"
    name = os.path.basename(path)
    for ending in (".gz", ".bz2", ".xz", ".zst", ".txt", ".run", ".trec", ".res", ".tsv"):
        name = name.removesuffix(ending)
    return name or path


def _fault(path: str, fault: tuple[Any, ...], layout: tuple[int, ...], text: Any) -> DataError:
    """Turn an engine's report into words."""
    kind, begin, column, field, found = fault
    line = _newlines_before(text, begin) + 1
    what, shape, number = _SHAPES[layout]  # type: ignore[index]
    shown = ascii(_text(found))[1:-1]
    where = f"{path}:{line}"
    if kind == 1:
        message = f"{where}: expected {layout[0]} fields ({shape}), found {field}: '{shown}'."
        other = next(s for key, s in _SHAPES.items() if key != layout)
        if field == len(other[1].split()):
            message += f" This looks like {other[0]}; the order is judgments first, then runs."
        return DataError(message)
    if kind in (2, 3):
        problem = "is not a finite number" if kind == 3 else "is not a number"
        remedy = (
            "Rankings need finite scores; remove the row or repair the model's output."
            if kind == 3
            else "Write it like 3, -0.25 or 1e-3."
        )
        return DataError(f"{where}:{column + 1}: {number} '{shown}' {problem}. {remedy}")
    if kind == 4:
        if field == 13:
            remedy = "The file seems to have CR-only line ends; convert them to LF."
        else:
            remedy = f"Is this {what}? It looks like binary data."
        return DataError(f"{where}:{column + 1}: control character 0x{field:02x}. {remedy}")
    return DataError(f"{where}: the line is longer than 1 MiB. Is this {what}?")


def _newlines_before(text: Any, offset: int) -> int:
    if isinstance(text, bytes):
        return text.count(b"\n", 0, offset)
    text.seek(0)
    count = 0
    while offset > 0:
        chunk = text.read(min(offset, 1 << 20))
        if not chunk:
            break
        count += chunk.count(b"\n")
        offset -= len(chunk)
    return count
