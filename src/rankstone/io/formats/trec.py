"""TREC runs and qrels."""

from __future__ import annotations

import os
import re
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rankstone.core import engine
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.notices import negative_notices, repeated_notices
from rankstone.core.provenance import Source
from rankstone.errors import DataError, Notice, plural
from rankstone.io.formats.trec_layout import (
    HEAD,
    LENIENT_QRELS,
    QRELS,
    RUN,
    Shape,
    qrels_shape,
)
from rankstone.io.streams import STDIN

if TYPE_CHECKING:
    from rankstone.io.formats import Input

RUN_LAYOUT = RUN.layout
QRELS_LAYOUT = QRELS.layout
_RANGE = 2 << 20
_TAIL = 1 << 16
_DECIMAL_COMMA = re.compile(rb"[+-]?[0-9]+,[0-9]+")
_CALLED = {"grade": "relevance"}


def read_qrels(text: bytes, path: str, source: Source, *, lenient: bool = False) -> Judgments:
    """Read judgments from the text of a TREC qrels file."""
    whole = len(text) <= HEAD
    shape = LENIENT_QRELS if lenient else qrels_shape(text[:HEAD], path, whole=whole)
    return scan_qrels(text, path, source, shape)


def scan_qrels(text: bytes, path: str, source: Source, shape: Shape) -> Judgments:
    """Read judgments whose shape is known."""
    found = engine.load().scan_judgments(text, shape.layout, shape.first)
    if found["fault"]:
        raise fault_error(path, found["fault"], shape, "TREC qrels", text)
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
    return [
        *commented_notices(found),
        *repeated_notices(found),
        *negative_notices(found["grades"]),
    ]


def commented_notices(found: dict[str, Any]) -> list[Notice]:
    """Say how many comments would be rows, since an id may start with # too."""
    n = int(found["commented"])
    text = f"{plural(n, 'row')} after a # at the start of the line; read as comments"
    return [Notice("commented-rows", n, text)] if n else []


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def scan_run(
    text: Input,
    shape: Shape,
    judgments: Judgments,
    *,
    float32: bool,
    threads: int,
    progress: np.ndarray,
) -> Matches:
    """Find the judged documents in a run of known shape, which is never held in memory."""
    found = engine.load().scan_run(
        text.stream.fileno(),
        text.size,
        shape.layout,
        judgments.index(),
        float32,
        threads,
        _RANGE,
        progress,
        shape.first,
    )
    if text.source.path and not text.source.unchanged():
        raise DataError(f"{text.path}: the file changed while it was read. Try again.")
    if found["fault"]:
        raise fault_error(text.path, found["fault"], shape, "a TREC run", text.stream)
    if not found["rows"]:
        raise DataError(f"{text.path}: the file holds no rows.")
    return Matches.of(
        found,
        duplicate={q: _text(doc) for q, doc in found["duplicate"].items()},
        unjudged_queries=found["unjudged_queries"],
        unjudged_capped=found["unjudged_capped"],
        unjudged_sample=tuple(_text(q) for q in found["unjudged_sample"]),
        doc_sample=tuple(_text(d) for d in found["doc_sample"]),
        notices=tuple(commented_notices(found)),
        tag=_last_tag(text.stream, text.size),
    )


def _last_tag(stream: IO[bytes], size: int) -> str:
    """Return the tag in the last row: the sixth field, or the last of a shorter row."""
    stream.seek(max(0, size - _TAIL))
    rows = [row.split() for row in stream.read(_TAIL).split(b"\n") if row[:1] != b"#"]
    fields = next((row for row in reversed(rows) if row), [b""])
    return _text(fields[min(5, len(fields) - 1)])


def run_name(path: str) -> str:
    """Return a file's name without folder and without endings that only tell its format."""
    if path == STDIN:
        return "stdin"
    name = os.path.basename(path)
    endings = (
        ".gz .bz2 .xz .zst .txt .run .trec .res .tsv .jsonl .json .csv .parquet .pq .arrow "
        ".feather .ipc"
    )
    for ending in endings.split():
        name = name.removesuffix(ending)
    return name or path


def fault_error(path: str, fault: tuple[Any, ...], shape: Shape, what: str, text: Any) -> DataError:
    """Turn an engine's report into words."""
    kind, begin, column, field, found = fault
    line = _newlines_before(text, begin) + 1
    shown = ascii(_text(found))[1:-1]
    where = f"{path}:{line}"
    if kind == 1:
        like = " like the first row" if shape.from_file else ""
        message = (
            f"{where}: expected {shape.layout.columns} fields ({shape.columns}){like}, "
            f"found {field}: '{shown}'."
        )
        other, name = (QRELS, "TREC qrels") if shape == RUN else (RUN, "a TREC run")
        if shape in (RUN, QRELS) and field == other.layout.columns:
            message += f" This looks like {name}; the order is judgments first, then runs."
        elif shape.first and b"\t" in found:
            message += (
                " If fields hold blanks, name the format: 'csv' (--input-format, input_format=)."
            )
        elif line == 1 or field == 1:
            message += _other_table(found, field, shape)
        return DataError(message)
    if kind in (2, 3):
        problem = "is not a finite number" if kind == 3 else "is not a number"
        remedy = (
            "Rankings need finite scores; remove the row or repair the model's output."
            if kind == 3
            else "Write it like 3, -0.25 or 1e-3."
        )
        if line == 1 and kind == 2:
            remedy += " A first line of names is known by its query, document and number columns."
        return DataError(f"{where}:{column + 1}: {shape.number} '{shown}' {problem}. {remedy}")
    if kind == 4:
        if field == 13:
            remedy = "The file seems to have CR-only line ends; convert them to LF."
        else:
            remedy = f"Is this {what}? It looks like binary data."
        return DataError(f"{where}:{column + 1}: control character 0x{field:02x}. {remedy}")
    return DataError(f"{where}: the line is longer than 1 MiB. Is this {what}?")


def _other_table(row: bytes, fields: int, shape: Shape) -> str:
    """Say what a first line may be that is no row of columns between blanks."""
    if fields == 1 and shape == RUN and _DECIMAL_COMMA.fullmatch(row):
        return " Write decimals with a point: 0.5, not 0,5."
    for separator in (",", ";"):
        if separator.encode() in row:
            return (
                f" If '{separator}' stands between columns, the first line has to name them, such "
                f"as query_id{separator}doc_id{separator}{_CALLED.get(shape.number, shape.number)}; "
                "other names need --columns query=NAME,doc=NAME (columns=)."
            )
    for separator in ("::", "|"):
        if separator.encode() in row:
            return f" Columns stand between blanks, tabs, ',' or ';', not between '{separator}'."
    if fields == 1 and shape == RUN:
        return " A file of scores alone has one number in each line, and no header."
    return ""


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
