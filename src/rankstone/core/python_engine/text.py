"""The pure-Python twin of the native core: same contract, same outcome, also the test oracle."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core.python_engine.columns import (  # noqa: F401
    MOST_NAMED,
    MOST_UNJUDGED,
    SAMPLE,
    Column,
    column_of_array,
    column_of_objects,
    columns_of_stream,
    judged_pairs,
    match_columns,
)
from rankstone.core.python_engine.place import Outcome, Row, arrays_of, place, place_mapping
from rankstone.core.row_layout import ATOF, ATOL, RANK, Layout

LONGEST_LINE = 1 << 20
FIELD_COUNT, NOT_A_NUMBER, NOT_FINITE, CONTROL_CHARACTER, LONG_LINE = 1, 2, 3, 4, 5

_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ATOF = re.compile(
    rb"[+-]?(?:(?P<hex>0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)"
    rb"|(?P<word>nan|inf)|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)",
    re.IGNORECASE,
)
_ATOL = re.compile(rb"[+-]?[0-9]+")
_NON_FINITE = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"
_INFINITE = float("inf")


class Index:
    """Exact look-up of judged queries and documents."""

    def __init__(
        self,
        query_bytes: bytes,
        query_offsets: np.ndarray,
        groups: np.ndarray,
        doc_bytes: bytes,
        doc_offsets: np.ndarray,
    ) -> None:
        self.queries = {q: i for i, q in enumerate(_split(query_bytes, query_offsets))}
        docs = _split(doc_bytes, doc_offsets)
        bounds = groups.tolist()
        self.docs = [dict(zip(docs[a:b], range(a, b), strict=True)) for a, b in pairwise(bounds)]


def _split(text: bytes, offsets: np.ndarray) -> list[bytes]:
    bounds = offsets.tolist()
    return [text[a:b] for a, b in pairwise(bounds)]


class Fault(Exception):
    """What is wrong with a line: kind, column, field, text."""

    def __init__(self, kind: int, column: int, field: int, text: bytes) -> None:
        self.report = (kind, column, field, text[:64])


def read_row(line: bytes, layout: Layout) -> tuple[list[bytes], float] | None:
    """Return the fields of a line and its number, None where it is blank or a comment."""
    body = line.removesuffix(b"\n").removesuffix(b"\r")
    control = _CONTROL.search(body)
    if control and control.start() < LONGEST_LINE:
        raise Fault(CONTROL_CHARACTER, control.start(), control[0][0], control[0])
    if len(line) > LONGEST_LINE:
        raise Fault(LONG_LINE, 0, 0, b"")
    fields = body.split()
    if not fields:
        return None
    if fields[0].startswith(b"#"):
        return None
    if not layout.fits(len(fields)):
        raise Fault(FIELD_COUNT, 0, len(fields), line.removesuffix(b"\n"))
    text = fields[layout.value]
    number = _number(text, layout.reading)
    if number is None or number in (_INFINITE, -_INFINITE):
        column = _field_start(body, layout.value)
        raise Fault(NOT_A_NUMBER if number is None else NOT_FINITE, column, layout.value, text)
    return fields, number


def _number(text: bytes, reading: int) -> float | None:
    """Return a number, infinity where it is not finite, None where it is none."""
    if reading == ATOF:
        return _atof(text)
    if _NON_FINITE.fullmatch(text):
        return _INFINITE
    if reading == ATOL:
        whole = _ATOL.match(text)
        if not whole:
            return 0.0
        sign, digits = whole[0][:1], whole[0].lstrip(b"+-").lstrip(b"0")[:20] or b"0"
        most = (1 << 63) - (sign != b"-")
        magnitude = float(min(int(digits), most))
        return -magnitude if sign == b"-" and magnitude else magnitude
    if not _NUMBER.fullmatch(text):
        return None
    return 0.0 - float(text) if reading == RANK else float(text)


def _atof(text: bytes) -> float:
    found = _ATOF.match(text)
    if not found:
        return 0.0
    if found["word"]:
        return _INFINITE
    if not found["hex"]:
        return float(found[0])
    try:
        return float.fromhex(found[0].decode())
    except OverflowError:
        return _INFINITE


def _commented(line: bytes, layout: Layout) -> bool:
    """Return whether a line that holds no row is a comment that would be one without its #."""
    fields = line.split()
    if not fields or not layout.fits(len(fields)):
        return False
    number = _number(fields[layout.value], layout.reading)
    return number is not None and abs(number) != _INFINITE


def _field_start(line: bytes, field: int) -> int:
    starts = [m.start() for m in re.finditer(rb"[^ \t]+", line)]
    return starts[field]


def _lines(stream: Any, begin: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) for the whole lines in a stretch of a file."""
    stream.seek(begin)
    at = begin
    while at < end:
        line = stream.readline(min(LONGEST_LINE + 2, end - at))
        if not line:
            return
        if at == 0 and line.startswith(_BOM):
            at, line = len(_BOM), line[len(_BOM) :]
            if not line:
                return
        yield at, line
        at += len(line)


def scan_run(
    descriptor: int,
    size: int,
    layout: Layout,
    index: Index,
    float32: bool,
    threads: int,  # noqa: ARG001
    range_size: int,  # noqa: ARG001
    progress: np.ndarray,
    first: int = 0,
) -> dict[str, Any]:
    """Place the judged documents of a run in a file."""
    outcomes: list[Outcome] = [Outcome() for _ in index.docs]
    blocks: dict[int, list[tuple[int, int]]] = {}
    unjudged: set[bytes] = set()
    sample: set[bytes] = set()  # the smallest of them
    rows_read = commented = 0
    capped = False
    where = os.lseek(descriptor, 0, os.SEEK_CUR)
    with open(os.dup(descriptor), "rb") as stream:
        current: bytes | None = None
        judged: int | None = None
        begin = 0
        rows: list[Row] = []

        def close(end: int) -> None:
            if judged is None:
                return
            stretches = blocks.setdefault(judged, [])
            stretches.append((begin, end))
            if len(stretches) == 1:
                outcomes[judged] = place(rows, index.docs[judged])
            rows.clear()

        at = 0
        for at, line in _lines(stream, min(first, size), size):
            try:
                read = read_row(line, layout)
            except Fault as fault:
                kind, *rest = fault.report
                os.lseek(descriptor, where, os.SEEK_SET)
                return {"fault": (kind, at, *rest)}
            if read is None:
                commented += _commented(line, layout)
                continue
            rows_read += 1
            query = read[0][layout.query]
            if query != current:
                close(at)
                begin, current, judged = at, query, index.queries.get(query)
                progress[0] = at
                if judged is None:
                    if len(unjudged) < MOST_UNJUDGED:
                        unjudged.add(query)
                    capped = capped or query not in unjudged
                    sample.add(query)
                    if len(sample) > 2 * MOST_NAMED:
                        sample = set(sorted(sample)[:MOST_NAMED])
            if judged is not None:
                rows.append(_row(read, layout, float32))
        close(size)
        progress[0] = size
        for judged, stretches in blocks.items():
            if len(stretches) > 1:
                again = list(_reread(stream, stretches, layout, float32))
                outcomes[judged] = place(again, index.docs[judged])
        doc_sample: list[bytes] = []
        present = sorted(blocks)
        if present and not any(o.matches for o in outcomes):
            again = list(_reread(stream, blocks[present[0]], layout, float32))
            doc_sample = [row[0] for row in again[:SAMPLE]]
    os.lseek(descriptor, where, os.SEEK_SET)  # a copied descriptor shares its position
    for judged in blocks:
        outcomes[judged].present = True
    return {
        **arrays_of(outcomes),
        "fault": None,
        "rows": rows_read,
        "commented": commented,
        "unjudged_queries": len(unjudged),
        "unjudged_capped": capped,
        "unjudged_sample": sorted(sample)[:MOST_NAMED],
        "doc_sample": doc_sample,
    }


def _row(read: tuple[list[bytes], float], layout: Layout, float32: bool) -> Row:
    fields, score = read
    rank = fields[layout.rank] if layout.rank >= 0 else b""
    written = int(rank) if rank.isdigit() and len(rank) <= 9 else None
    if float32:
        with np.errstate(over="ignore"):
            score = float(np.float32(score))
    return fields[layout.doc], score, written


def _reread(
    stream: Any, stretches: list[tuple[int, int]], layout: Layout, float32: bool
) -> Iterator[Row]:
    for begin, end in stretches:
        for _, line in _lines(stream, begin, end):
            read = read_row(line, layout)
            if read is not None:
                yield _row(read, layout, float32)


def scan_judgments(text: bytes, layout: Layout, first: int = 0) -> dict[str, Any]:
    """Read judgments from text."""
    groups: dict[bytes, dict[bytes, list[float]]] = {}
    at = len(_BOM) if not first and text.startswith(_BOM) else first
    commented = 0
    while at < len(text):
        end = text.find(b"\n", at) + 1 or len(text)
        try:
            read = read_row(text[at:end], layout)
        except Fault as fault:
            kind, *rest = fault.report
            return {"fault": (kind, at, *rest)}
        if read is None:
            commented += _commented(text[at:end], layout)
        else:
            fields, grade = read
            docs = groups.setdefault(fields[layout.query], {})
            docs.setdefault(fields[layout.doc], []).append(grade)
        at = end
    return _judgments(groups, commented)


def judge_columns(query: Column, doc: Column, grade: Column | None) -> dict[str, Any]:
    """Group judgments held in columns."""
    found = judged_pairs(query, doc, grade)
    return _judgments(found) if isinstance(found, dict) else {"fault": found}


def _judgments(groups: dict[bytes, dict[bytes, list[float]]], commented: int = 0) -> dict[str, Any]:
    repeated: list[tuple[bytes, bytes]] = []
    contradicting: list[tuple[bytes, bytes]] = []
    order = _sorted_ids(groups)
    docs_flat: list[bytes] = []
    grades: list[float] = []
    bounds = [0]
    for query in order:
        for doc, given in groups[query].items():
            top = max(given)
            same = given.count(top)
            repeated += [(query, doc)] * (same - 1)
            contradicting += [(query, doc)] * (len(given) - same)
            docs_flat.append(doc)
            grades.append(top)
        bounds.append(len(grades))
    nothing = (b"", b"")
    return {
        "fault": None,
        "query_bytes": b"".join(order),
        "query_offsets": _offsets(order),
        "groups": np.array(bounds, np.int64),
        "doc_bytes": b"".join(docs_flat),
        "doc_offsets": _offsets(docs_flat),
        "grades": np.array(grades, np.float64),
        "commented": commented,
        "repeated": len(repeated),
        "contradicting": len(contradicting),
        "repeated_example": min(repeated, default=nothing),
        "contradicting_example": min(contradicting, default=nothing),
    }


def _sorted_ids(ids: Any) -> list[bytes]:
    if all(i.isdigit() for i in ids):
        return sorted(ids, key=lambda i: (len(i.lstrip(b"0")), i.lstrip(b"0"), i))
    return sorted(ids)


def _offsets(ids: list[bytes]) -> np.ndarray:
    return np.cumsum([0] + [len(i) for i in ids], dtype=np.int64)


def match_mapping(
    run: dict[Any, Any], queries: list[Any], docs: list[list[Any]], float32: bool
) -> dict[str, Any]:
    """Place the judged documents of a run held in dictionaries."""
    outcomes = [Outcome() for _ in queries]
    first = 0
    for query, judged, outcome in zip(queries, docs, outcomes, strict=True):
        if query in run:
            rows = run[query]
            if not isinstance(rows, dict):
                return {"fault": ("not_a_mapping", query, None, rows)}
            outcome.present = True
            fault = place_mapping(rows, judged, first, float32, outcome)
            if fault:
                kind, doc, value = fault
                return {"fault": (kind, query, doc, value)}
        first += len(judged)
    return {**arrays_of(outcomes), "fault": None}


def falling_order(values: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, bool]:
    """Order each segment, highest first, equals as they came; say whether there are equals."""
    sizes = np.diff(offsets)
    segment = np.repeat(np.arange(len(sizes)), sizes)
    if len(sizes) and (sizes == sizes[0]).all():
        table = -values.reshape(len(sizes), sizes[0])
        order = (np.argsort(table, axis=1, kind="stable") + offsets[:-1, None]).reshape(-1)
    else:
        order = np.lexsort((-values, segment))
    ordered = values[order]
    tied = (ordered[1:] == ordered[:-1]) & (segment[1:] == segment[:-1])
    return order, bool(tied.any())


def falling_beside(
    values: np.ndarray, offsets: np.ndarray, beside: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Put what stands beside values in their order; say whether there are equals."""
    order, tied = falling_order(values, offsets)
    return beside[order], tied


def falling_small(values: np.ndarray, offsets: np.ndarray) -> None:
    """Leave the numbers as they are: here counting them is no quicker than sorting."""
    del values, offsets
