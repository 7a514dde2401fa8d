"""The pure-Python twin of the native core: same contract, same outcome, also the test oracle."""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

Layout = tuple[int, int, int, int, int]
LONGEST_LINE = 1 << 20
FIELD_COUNT, NOT_A_NUMBER, NOT_FINITE, CONTROL_CHARACTER, LONG_LINE = 1, 2, 3, 4, 5

_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NON_FINITE = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"
_MOST_UNJUDGED = 1 << 20
_SAMPLE = 100

# A row of a run: document, score, rank as written (None where it is not a whole number).
Row = tuple[bytes, float, int | None]


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


class _Fault(Exception):
    def __init__(self, kind: int, column: int, field: int, text: bytes) -> None:
        self.report = (kind, column, field, text[:64])


def _read_row(line: bytes, layout: Layout) -> tuple[list[bytes], float] | None:
    """Return the fields of a line and its number, None where it is blank."""
    body = line.removesuffix(b"\n").removesuffix(b"\r")
    control = _CONTROL.search(body)
    if control and control.start() < LONGEST_LINE:
        raise _Fault(CONTROL_CHARACTER, control.start(), control[0][0], control[0])
    if len(line) > LONGEST_LINE:
        raise _Fault(LONG_LINE, 0, 0, b"")
    fields = body.split()
    if not fields:
        return None
    columns, _, _, value, _ = layout
    if len(fields) != columns:
        raise _Fault(FIELD_COUNT, 0, len(fields), line.removesuffix(b"\n"))
    text = fields[value]
    number = float(text) if _NUMBER.fullmatch(text) else None
    if number is None or number in (float("inf"), float("-inf")):
        finite = number is None and not _NON_FINITE.fullmatch(text)
        column = _field_start(body, value)
        raise _Fault(NOT_A_NUMBER if finite else NOT_FINITE, column, value, text)
    return fields, number


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
) -> dict[str, Any]:
    """Place the judged documents of a run in a file."""
    outcomes: list[_Outcome] = [_Outcome() for _ in index.docs]
    blocks: dict[int, list[tuple[int, int]]] = {}
    unjudged: set[bytes] = set()
    rows_read = 0
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
                outcomes[judged] = _place(rows, index.docs[judged])
            rows.clear()

        at = 0
        for at, line in _lines(stream, 0, size):
            try:
                read = _read_row(line, layout)
            except _Fault as fault:
                kind, *rest = fault.report
                os.lseek(descriptor, where, os.SEEK_SET)
                return {"fault": (kind, at, *rest)}
            if read is None:
                continue
            rows_read += 1
            query = read[0][layout[1]]
            if query != current:
                close(at)
                begin, current, judged = at, query, index.queries.get(query)
                progress[0] = at
                if judged is None:
                    capped = capped or len(unjudged) >= _MOST_UNJUDGED
                    if not capped:
                        unjudged.add(query)
            if judged is not None:
                rows.append(_row(read, layout, float32))
        close(size)
        progress[0] = size
        for judged, stretches in blocks.items():
            if len(stretches) > 1:
                again = list(_reread(stream, stretches, layout, float32))
                outcomes[judged] = _place(again, index.docs[judged])
        doc_sample: list[bytes] = []
        present = sorted(blocks)
        if present and not any(o.matches for o in outcomes):
            again = list(_reread(stream, blocks[present[0]], layout, float32))
            doc_sample = [row[0] for row in again[:_SAMPLE]]
    os.lseek(descriptor, where, os.SEEK_SET)  # a copied descriptor shares its position
    for judged in blocks:
        outcomes[judged].present = True
    return {
        **_arrays(outcomes),
        "fault": None,
        "rows": rows_read,
        "unjudged_queries": len(unjudged),
        "unjudged_capped": capped,
        "unjudged_sample": sorted(unjudged)[:_SAMPLE],
        "doc_sample": doc_sample,
    }


def _row(read: tuple[list[bytes], float], layout: Layout, float32: bool) -> Row:
    fields, score = read
    rank = fields[layout[4]] if layout[4] >= 0 else b""
    written = int(rank) if rank.isdigit() and len(rank) <= 9 else None
    if float32:
        with np.errstate(over="ignore"):
            score = float(np.float32(score))
    return fields[layout[2]], score, written


def _reread(
    stream: Any, stretches: list[tuple[int, int]], layout: Layout, float32: bool
) -> Iterator[Row]:
    for begin, end in stretches:
        for _, line in _lines(stream, begin, end):
            read = _read_row(line, layout)
            if read is not None:
                yield _row(read, layout, float32)


class _Outcome:
    """What became of one judged query; matches as (judgment, score, above, tied, greater, earlier)."""

    def __init__(self) -> None:
        self.present = False
        self.retrieved = 0
        self.duplicates = 0
        self.tied = 0
        self.rank_disagrees = False
        self.duplicate: Any = None
        self.matches: list[tuple[int, float, int, int, int, int]] = []


def _place(rows: list[Row], judged: dict[bytes, int]) -> _Outcome:
    outcome = _Outcome()
    outcome.rank_disagrees = _rank_disagrees(rows)
    best: dict[bytes, tuple[int, float]] = {}
    for i, (doc, score, _) in enumerate(rows):
        if doc not in best:
            best[doc] = (i, score)
            continue
        outcome.duplicates += 1
        outcome.duplicate = doc if outcome.duplicates == 1 else min(doc, outcome.duplicate)
        if score > best[doc][1]:
            best[doc] = (i, score)
    outcome.retrieved = len(best)
    groups: dict[float, list[tuple[int, bytes]]] = {}
    for doc, (i, score) in best.items():
        groups.setdefault(score, []).append((i, doc))
    above = 0
    for score in sorted(groups, reverse=True):
        tie = sorted(groups[score])
        if len(tie) > 1:
            outcome.tied += len(tie)
        ids = sorted(doc for _, doc in tie)
        for earlier, (_, doc) in enumerate(tie):
            if doc in judged:
                greater = len(ids) - bisect_right(ids, doc)
                outcome.matches.append((judged[doc], score, above, len(tie), greater, earlier))
        above += len(tie)
    return outcome


def _rank_disagrees(rows: list[Row]) -> bool:
    """Return whether a row is ranked better than another but has a lower score."""
    if any(rank is None for _, _, rank in rows):
        return False
    lowest = float("inf")
    by_rank: dict[int, list[float]] = {}
    for _, score, rank in rows:
        by_rank.setdefault(rank or 0, []).append(score)
    for rank in sorted(by_rank):
        if max(by_rank[rank]) > lowest:
            return True
        lowest = min(lowest, *by_rank[rank])
    return False


def _arrays(outcomes: list[_Outcome]) -> dict[str, Any]:
    matches = [m for o in outcomes for m in sorted(o.matches)]
    columns: list[Any] = list(zip(*matches, strict=True)) or [[]] * 6
    ints = [np.array(c, np.int64) for i, c in enumerate(columns) if i != 1]
    judgment, above, tied, greater, earlier = ints
    return {
        "offsets": np.cumsum([0] + [len(o.matches) for o in outcomes], dtype=np.int64),
        "judgment": judgment,
        "score": np.array(columns[1], np.float64),
        "above": above,
        "tied": tied,
        "greater": greater,
        "earlier": earlier,
        "present": np.array([o.present for o in outcomes], np.uint8),
        "retrieved": np.array([o.retrieved for o in outcomes], np.int64),
        "duplicates": np.array([o.duplicates for o in outcomes], np.int64),
        "tied_documents": np.array([o.tied for o in outcomes], np.int64),
        "rank_disagrees": np.array([o.rank_disagrees for o in outcomes], np.uint8),
        "duplicate": {q: o.duplicate for q, o in enumerate(outcomes) if o.duplicates},
    }


def scan_judgments(text: bytes, layout: Layout) -> dict[str, Any]:
    """Read judgments from text."""
    groups: dict[bytes, dict[bytes, list[float]]] = {}
    at = len(_BOM) if text.startswith(_BOM) else 0
    while at < len(text):
        end = text.find(b"\n", at) + 1 or len(text)
        try:
            read = _read_row(text[at:end], layout)
        except _Fault as fault:
            kind, *rest = fault.report
            return {"fault": (kind, at, *rest)}
        if read is not None:
            fields, grade = read
            docs = groups.setdefault(fields[layout[1]], {})
            docs.setdefault(fields[layout[2]], []).append(grade)
        at = end
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
    outcomes = [_Outcome() for _ in queries]
    first = 0
    for query, judged, outcome in zip(queries, docs, outcomes, strict=True):
        if query in run:
            rows = run[query]
            if not isinstance(rows, dict):
                return {"fault": ("not_a_mapping", query, None, rows)}
            outcome.present = True
            fault = _place_mapping(rows, judged, first, float32, outcome)
            if fault:
                kind, doc, value = fault
                return {"fault": (kind, query, doc, value)}
        first += len(judged)
    return {**_arrays(outcomes), "fault": None}


def _place_mapping(
    rows: dict[Any, Any], judged: list[Any], first: int, float32: bool, outcome: _Outcome
) -> tuple[str, Any, Any] | None:
    scores = _scores(rows)
    if not isinstance(scores, np.ndarray):
        return scores
    if float32:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    outcome.retrieved = len(scores)
    falling = np.sort(-scores)
    counts = np.unique(falling, return_counts=True)[1]
    outcome.tied = int(counts[counts > 1].sum())
    keys: list[Any] | None = None
    for i, doc in enumerate(judged):
        if doc not in rows:
            continue
        score = float(rows[doc])
        if float32:
            score = float(np.float32(score))
        above = bisect_left(falling, -score)
        tied = bisect_right(falling, -score) - above
        greater = earlier = 0
        if tied > 1:
            keys = keys or list(rows)
            tie = [keys[j] for j in np.flatnonzero(scores == score)]
            try:
                greater = sum(other > doc for other in tie)
            except TypeError:
                return ("mixed_ids", None, None)
            earlier = tie.index(doc)
        outcome.matches.append((first + i, score, above, tied, greater, earlier))
    return None


def _scores(rows: dict[Any, Any]) -> Any:
    """Return the scores as an array, or what is wrong with the first bad one."""
    try:
        values = [v if type(v) is float else _number(v) for v in rows.values()]
    except TypeError:
        values = []
    scores = np.array(values, np.float64)
    if len(scores) == len(rows) and np.isfinite(scores).all():
        return scores
    for doc, value in rows.items():
        try:
            number = _number(value)
        except TypeError:
            return ("not_a_number", doc, value)
        if not np.isfinite(number):
            return ("not_finite", doc, value)
    return scores


def _number(value: Any) -> float:
    if isinstance(value, str | bytes | bytearray):
        raise TypeError
    return float(value)
