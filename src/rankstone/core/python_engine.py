"""The engine in pure Python: the contract and the outcome of the native core, and its test oracle.

It is written to be right and easy to read: whole files and runs are in memory, and lists are sorted.
"""

from __future__ import annotations

import ctypes
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import groupby, islice, pairwise
from math import inf, isfinite
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from rankstone.core.ids import key_of
from rankstone.core.judgments import repetitions
from rankstone.core.matches import SAMPLED_DOCS, Outcome, arrays_of, sampled_queries
from rankstone.core.row_layout import ATOF, ATOL, RANK, ColumnFault, LineFault, RowLayout
from rankstone.core.text import BOM, decode, is_number, number_text
from rankstone.errors import INSTALL, require
from rankstone.frozen import frozen

# Runs, as in place.hpp --------------------------------------------------------------------------

# A row of a run: document, score, rank as written (None if it is not a whole number).
Row = tuple[Any, float, int | None]
# The queries, the bounds of each in the documents, and these laid end to end.
LaidOut = tuple[np.ndarray, np.ndarray, bytes, np.ndarray]


def place(rows: list[Row], judged: Mapping[Any, int], *, repeats: bool) -> Outcome:
    """Place the judged documents among the rows of a query, in input order.

    With ``repeats`` every row of a document counts, else the best one.
    """
    best: dict[Any, tuple[int, float]] = {}
    for i, (doc, score, _) in enumerate(rows):
        if doc not in best or score > best[doc][1]:
            best[doc] = (i, score)
    kept = [row for i, row in enumerate(rows) if repeats or best[row[0]][0] == i]
    kept.sort(key=itemgetter(1), reverse=True)  # in which equals keep their order
    matches = []
    above = 0
    for _, group in groupby(kept, itemgetter(1)):
        tie = list(group)
        ids = sorted(doc for doc, _, _ in tie)
        for earlier, (doc, score, _) in enumerate(tie):
            if doc in judged:
                greater = len(ids) - bisect_right(ids, doc)
                matches.append((judged[doc], score, above, len(tie), greater, earlier))
        above += len(tie)
    again = [doc for doc, times in Counter(doc for doc, _, _ in rows).items() if times > 1]
    matches.sort(key=itemgetter(0, 2, 5))  # those of a judgment by falling score, in input order
    return Outcome(
        True, len(kept), len(rows) - len(best), _rank_disagrees(rows), min(again, default=None), matches
    )  # fmt: skip


def _rank_disagrees(rows: list[Row]) -> bool:
    """Return whether a row is ranked better than another but has a lower score."""
    if any(rank is None for _, _, rank in rows):
        return False
    lowest = float("inf")
    for _, same in groupby(sorted(rows, key=lambda row: row[2] or 0), itemgetter(2)):
        scores = [score for _, score, _ in same]
        if max(scores) > lowest:
            return True
        lowest = min(lowest, *scores)
    return False


def match_rows(
    rows: Mapping[bytes, list[Row]], index: Any, unjudged: dict[str, Any], *, repeats: bool
) -> dict[str, Any]:
    """Place the judged documents of a run; ``unjudged`` is the report on its other queries."""
    outcomes, lacking, names = [Outcome()] * len(index.docs), list[int](), list(index.queries)
    for q, judged in enumerate(index.docs):
        if names[q] in rows:
            outcomes[q] = place(rows[names[q]], judged, repeats=repeats)
            if len({match[0] for match in outcomes[q].matches}) < len(judged):
                lacking.append(q)
    samples = laid_out(
        (q, islice((doc for doc, *_ in rows[names[q]] if doc not in index.docs[q]), SAMPLED_DOCS))
        for q in sampled_queries(lacking)
    )
    return {**arrays_of(outcomes), **unjudged, "fault": None, "doc_samples": samples}


def tops_of(rows: Mapping[bytes, list[Row]], index: Any, most: int, ids_fall: int) -> LaidOut:
    """Return the judged queries of a run, and their first documents, each once.

    Of equal scores the greater id is first if ``ids_fall`` is 1, the smaller if it is -1, the earlier
    row if it is 0.
    """

    def top_of(own: list[Row]) -> Iterable[bytes]:
        if ids_fall:
            own = sorted(own, key=itemgetter(0), reverse=ids_fall > 0)
        ordered = sorted(own, key=itemgetter(1), reverse=True)
        return islice(dict.fromkeys(doc for doc, _, _ in ordered), most)

    judged = [(q, query) for query, q in index.queries.items() if query in rows and most]
    return laid_out((q, top_of(rows[query])) for q, query in judged)


def laid_out(lists: Iterable[tuple[int, Iterable[bytes]]]) -> LaidOut:
    """Return queries, and documents of each laid end to end."""
    pairs = [(q, list(docs)) for q, docs in lists]
    ids = [doc for _, docs in pairs for doc in docs]
    bounds = np.cumsum([0, *(len(docs) for _, docs in pairs)], dtype=np.int64)
    ends = np.cumsum([0, *map(len, ids)], dtype=np.int64)
    return np.array([q for q, _ in pairs], np.int64), bounds, b"".join(ids), ends


def read_judged(judged: list[Any]) -> tuple[list[Any], bool, np.ndarray, np.ndarray] | None:
    """Read the judgments of queries from dictionaries; None if they need a closer look."""
    if not all(type(rows) is dict for rows in judged):
        return None
    docs = [doc for rows in judged for doc in rows]
    grades = [grade for rows in judged for grade in rows.values()]
    types = {*map(type, docs)}
    if (types - {str} and types - {int}) or "" in docs or {*map(type, grades)} - {int, float, bool}:
        return None
    try:
        values = np.array(grades, np.float64)
    except OverflowError:
        return None
    if not np.isfinite(values).all():
        return None
    groups = np.cumsum([0, *map(len, judged)], dtype=np.int64)
    return docs, types == {int}, groups, values


def match_mapping(
    run: dict[Any, Any],
    queries: list[Any],
    docs: list[Any],
    groups: np.ndarray,
    ascending: bool,
    float32: bool,
) -> dict[str, Any]:
    """Place the judged documents of a run held in dictionaries."""
    outcomes = []
    kinds: set[bool] = set()  # of ids: whether they are text
    for query, (first, last) in zip(queries, pairwise(groups.tolist()), strict=True):
        if query not in run:
            outcomes.append(Outcome())
            continue
        if not isinstance(run[query], dict):
            return {"fault": ("not_a_mapping", query, None, run[query])}
        rows: list[Row] = []
        for doc, value in list(run[query].items()):  # reading a score may change the dict
            number = _score(value)
            fault = _fault_of_score(doc, number, kinds)
            if number is None or fault:
                return {"fault": (fault, query, doc, value)}
            rows.append((doc, rounded(0.0 - number if ascending else number, float32), None))
        judged = {doc: first + i for i, doc in enumerate(docs[first:last])}
        outcomes.append(place(rows, judged, repeats=False))
    return {**arrays_of(outcomes), "fault": None}


def _fault_of_score(doc: Any, number: float | None, kinds: set[bool]) -> str:
    """Return the fault of an id (not plain, or of another kind than others) or of its score."""
    is_text = isinstance(doc, str)
    whole = isinstance(doc, int | np.integer) and not isinstance(doc, bool)
    if not (is_text or whole) or (is_text and not doc):
        return "not_an_id"
    kinds.add(is_text)
    if len(kinds) > 1:
        return "mixed_ids"
    return "not_a_number" if number is None else "" if isfinite(number) else "not_finite"


def _score(value: Any) -> float | None:
    """Return a score as a number, None if it is not one."""
    if isinstance(value, str | bytes | bytearray):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def rounded(number: float, float32: bool) -> float:
    """Return a number, rounded to 32 bits if ``float32``."""
    if not float32:
        return number
    with np.errstate(over="ignore"):
        return float(np.float32(number))


# Text, as in text.hpp, fault.hpp, scan_run.hpp and scan_judgments.hpp ---------------------------


LONGEST_LINE = 1 << 20
MOST_UNJUDGED = 1 << 20
MOST_NAMED = 1 << 16
_MOST_ITERATIONS = 3
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")
_ATOF = re.compile(
    rb"(?P<sign>[+-]?)(?:(?P<hex>0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)"
    rb"|(?P<word>nan|inf)|(?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))",
    re.IGNORECASE,
)
_ATOL = re.compile(rb"[+-]?[0-9]+")


class Fault(Exception):
    """A fault of a line: kind, offset of the line, column, field, text."""

    at = 0

    @property
    def report(self) -> dict[str, Any]:
        """The report of an engine on this fault."""
        kind, column, field, text = self.args
        return {"fault": (int(kind), self.at, column, field, text[:64])}


def read_row(line: bytes, layout: RowLayout) -> tuple[list[bytes], float] | None:
    """Return the fields of a line and its number, None if it is blank or a comment."""
    if layout.record is not None:
        raise Fault(LineFault.UNUSUAL, 0, 0, b"")  # JSON is left to the strict reader
    body = line.removesuffix(b"\n").removesuffix(b"\r")
    control = _CONTROL.search(body)
    if control and control.start() < LONGEST_LINE:
        raise Fault(LineFault.CONTROL_CHARACTER, control.start(), control[0][0], control[0])
    if len(line) > LONGEST_LINE:
        raise Fault(LineFault.LONG_LINE, 0, 0, b"")
    fields = body.split()
    if not fields or fields[0].startswith(b"#"):
        return None
    if not layout.fits(len(fields)):
        raise Fault(LineFault.FIELD_COUNT, 0, len(fields), line.removesuffix(b"\n"))
    text = fields[layout.value]
    number, fault = _number(text, layout.reading)
    if fault:
        raise Fault(fault, _field_start(body, layout.value), layout.value, text)
    return fields, number


def is_commented_row(line: bytes, layout: RowLayout) -> bool:
    """Return whether a line without a row is a comment that would be one without its #."""
    fields = line.split()
    if not fields or not layout.fits(len(fields)):
        return False
    return _number(fields[layout.value], layout.reading)[1] is None


def _number(text: bytes, reading: int) -> tuple[float, LineFault | None]:
    """Return a number, or what is wrong with it."""
    if reading == ATOF:
        return _atof(text)
    if not is_number(text):
        return (_atol(text), None) if reading == ATOL else (0.0, LineFault.NOT_A_NUMBER)
    number = float(text)
    if reading == ATOL and text.lstrip(b"+-")[:1] not in b"nNiI":
        return _atol(text), None
    if not isfinite(number):
        return 0.0, LineFault.NOT_FINITE
    return (0.0 - number if reading == RANK else number), None


def _atof(text: bytes) -> tuple[float, LineFault | None]:
    """Return the number that text starts with, as C's atof; NaN is refused."""
    parts = _ATOF.match(text)
    if not parts:
        return 0.0, None
    if (parts["word"] or b"").lower() == b"nan":
        return 0.0, LineFault.NOT_FINITE
    if parts["word"]:
        magnitude = inf
    elif parts["decimal"]:
        magnitude = float(parts["decimal"])
    else:
        try:
            magnitude = float.fromhex(parts["hex"].decode())
        except OverflowError:
            magnitude = inf
    return (-magnitude if parts["sign"] == b"-" else magnitude), None


def _atol(text: bytes) -> float:
    """Return the whole number that text starts with, as C's atol, within 64 bits."""
    whole = _ATOL.match(text)
    if not whole:
        return 0.0
    negative = whole[0].startswith(b"-")
    digits = whole[0].lstrip(b"+-").lstrip(b"0")[:20] or b"0"
    magnitude = float(min(int(digits), 1 << 63))  # 2**63 - 1 is the same float
    return -magnitude if negative and magnitude else magnitude


def _field_start(line: bytes, field: int) -> int:
    starts = [m.start() for m in re.finditer(rb"[^ \t]+", line)]
    return starts[field]


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

    def __repr__(self) -> str:
        """Show how much it holds, as the compiled core does."""
        return f"Index of {len(self.queries)} queries, {sum(map(len, self.docs))} documents"


def _split(text: bytes, offsets: np.ndarray) -> list[bytes]:
    return [text[a:b] for a, b in pairwise(offsets.tolist())]


def rows_in(
    text: bytes, layout: RowLayout, begin: int = 0, offset: int = 0
) -> Iterator[tuple[int, bytes, tuple[list[bytes], float] | None]]:
    """Yield the offset, the text and the row of each line from ``begin`` on; None without a row.

    ``offset`` is that of the text in its file, at whose beginning a byte order mark is left out.
    """
    at = begin or (len(BOM) if not offset and text.startswith(BOM) else 0)
    stream = BytesIO(text)
    stream.seek(at)
    for line in stream:
        try:
            yield offset + at, line, read_row(line, layout)
        except Fault as fault:
            fault.at = offset + at
            raise
        at += len(line)


def unjudged_report(queries: Iterable[bytes]) -> dict[str, Any]:
    """Return the report on queries without judgments: their number up to a limit, the smallest ids."""
    names = sorted(set(queries))
    return {
        "unjudged_queries": min(len(names), MOST_UNJUDGED),
        "unjudged_capped": len(names) > MOST_UNJUDGED,
        "unjudged_sample": names[:MOST_NAMED],
    }


def scan_run(
    descriptor: int,
    size: int,
    layout: RowLayout,
    index: Index,
    float32: bool,
    threads: int,  # noqa: ARG001
    range_size: int,  # noqa: ARG001
    progress: np.ndarray,
    first: int,
    repeats: bool,
    kept: int = 0,
    ids_fall: int = 0,
) -> dict[str, Any]:
    """Place the judged documents of a run in a file, and keep the first documents of queries."""
    where = os.lseek(descriptor, 0, os.SEEK_CUR)
    with open(os.dup(descriptor), "rb") as stream:
        stream.seek(0)
        text = stream.read(size)
    os.lseek(descriptor, where, os.SEEK_SET)  # a copied descriptor shares its position
    rows: dict[bytes, list[Row]] = {}
    count = commented = 0
    try:
        for at, line, row in rows_in(text, layout, min(first, size)):
            if row is None:
                commented += is_commented_row(line, layout)
                continue
            fields, score = row
            count, progress[0] = count + 1, at
            own = rows.setdefault(fields[layout.query], [])
            if fields[layout.query] in index.queries:
                rank = fields[layout.rank] if layout.rank >= 0 else b""
                written = int(rank) if rank.isdigit() and len(rank) <= 9 else None
                own.append((fields[layout.doc], rounded(score, float32), written))
    except Fault as fault:
        return fault.report
    progress[0] = size
    unjudged = unjudged_report(rows.keys() - index.queries.keys())
    return {
        **match_rows(rows, index, unjudged, repeats=repeats),
        "rows": count,
        "commented": commented,
        "tops": tops_of(rows, index, kept, ids_fall),
    }


def scan_lists(
    descriptor: int, size: int, record: Any, index: Index, float32: bool, ascending: bool
) -> None:
    """Return None: JSON is left to the strict reader."""


def judge_lists(descriptor: int, size: int, record: Any) -> dict[str, Any]:  # noqa: ARG001
    """Report a fault: JSON is left to the strict reader."""
    return {"fault": (int(LineFault.UNUSUAL), 0, 0, 0, b"")}


def read_rows(text: bytes, layout: RowLayout, offset: int = 0, most: int = 0) -> dict[str, Any]:
    """Read the rows of text that starts at some offset of its file.

    ``queries`` has one entry for each stretch of consecutive rows of a query, ``sizes`` the number of
    rows of each. With ``most``, only that many rows of a stretch, those with the highest numbers, are
    kept, and all that share the number of the last of these.
    """
    rows: list[tuple[bytes, bytes, float]] = []
    try:
        for _, _, row in rows_in(text, layout, offset=offset):
            if row is not None:
                fields, number = row
                rows.append((fields[layout.query], fields[layout.doc], number))
    except Fault as fault:
        return fault.report
    queries: list[str] = []
    sizes: list[int] = []
    kept: list[tuple[bytes, bytes, float]] = []
    for query, own in groupby(rows, key=itemgetter(0)):
        group = list(own)
        if most and len(group) > most:
            group.sort(key=itemgetter(2), reverse=True)
            group = [row for row in group if row[2] >= group[most - 1][2]]
        queries.append(decode(query))
        sizes.append(len(group))
        kept += group
    return {
        "fault": None,
        "queries": queries,
        "sizes": np.array(sizes, np.int64),
        "docs": [decode(doc) for _, doc, _ in kept],
        "numbers": np.array([number for _, _, number in kept], np.float64),
    }


def scan_judgments(
    text: bytes,
    layout: RowLayout,
    first: int = 0,
    threads: int = 1,  # noqa: ARG001
) -> dict[str, Any]:
    """Read judgments from text."""
    groups: dict[bytes, dict[bytes, list[float]]] = {}
    iterations: list[bytes] = []
    commented = 0
    try:
        for _, line, row in rows_in(text, layout, first):
            if row is None:
                commented += is_commented_row(line, layout)
                continue
            fields, grade = row
            if layout.iteration >= 0 and fields[layout.iteration] not in iterations:
                iterations = [*iterations, fields[layout.iteration]][:_MOST_ITERATIONS]
            docs = groups.setdefault(fields[layout.query], {})
            docs.setdefault(fields[layout.doc], []).append(grade)
    except Fault as fault:
        return fault.report
    return judgments_of(groups, commented, iterations)


def judgments_of(
    groups: dict[bytes, dict[bytes, list[float]]],
    commented: int = 0,
    iterations: list[bytes] | None = None,
) -> dict[str, Any]:
    """Lay judgments out by query; of several grades of a document the highest counts."""
    repeated: list[tuple[bytes, bytes]] = []
    contradicting: list[tuple[bytes, bytes]] = []
    order = _sorted_ids(groups)
    docs: list[bytes] = []
    highest: list[float] = []
    bounds = [0]
    for query in order:
        for doc, grades in groups[query].items():
            top = max(grades)
            same = grades.count(top)
            repeated += [(query, doc)] * (same - 1)
            contradicting += [(query, doc)] * (len(grades) - same)
            docs.append(doc)
            highest.append(top)
        bounds.append(len(docs))
    index: dict[str, Any] = {
        "query_bytes": b"".join(order),
        "query_offsets": _offsets(order),
        "groups": np.array(bounds, np.int64),
        "doc_bytes": b"".join(docs),
        "doc_offsets": _offsets(docs),
    }
    return {
        "fault": None,
        **index,
        "index": Index(**index),
        "grades": np.array(highest, np.float64),
        "commented": commented,
        **repetitions(repeated, contradicting),
        "iterations": iterations or [],
    }


def _sorted_ids(ids: Any) -> list[bytes]:
    if all(i.isdigit() for i in ids):
        return sorted(ids, key=lambda i: (len(i.lstrip(b"0")), i.lstrip(b"0"), i))
    return sorted(ids)


def _offsets(ids: list[bytes]) -> np.ndarray:
    return np.cumsum([0] + [len(i) for i in ids], dtype=np.int64)


# Columns, as in columns.hpp, match_columns.hpp and arrow.hpp ------------------------------------


NUMBERS = {
    "c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
    "f": "f4", "g": "f8",
}  # fmt: skip
_FORMATS = {np.dtype(t): f for f, t in NUMBERS.items()} | {np.dtype(bool): "b"}


@frozen(eq=False)
class Column:
    """A column: text as bytes, numbers as numbers, None for a missing value."""

    format: str
    values: list[Any]

    def __len__(self) -> int:
        return len(self.values)

    def of_codes(self, codes: Column) -> Column:
        """Return the column whose row i is row ``codes[i]`` of this one."""
        return Column(self.format, [self.values[c] for c in codes.values])

    @property
    def keys(self) -> list[bytes]:
        """The ids as bytes in whose order they sort."""
        return [key_of(v) if isinstance(v, int) else v for v in self.values]


def column_of_array(array: np.ndarray) -> Column:
    """Take an array of numbers as a column."""
    return Column(_FORMATS[array.dtype], array.tolist())


def column_of_objects(values: list[Any]) -> tuple[Column | None, int | None]:
    """Take texts or whole numbers as a column, or say which row is neither."""
    if not values or isinstance(values[0], str):
        texts = []
        for i, value in enumerate(values):
            if not isinstance(value, str):
                return None, i
            try:
                texts.append(value.encode("utf-8", "surrogateescape"))
            except UnicodeEncodeError:
                return None, i
        return Column("U", texts), None
    numbers: list[int] = []
    low = high = 0
    for i, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            return None, i
        low, high = min(low, int(value)), max(high, int(value))
        if low < -(1 << 63) or high >= 1 << 64 or (low < 0 and high >= 1 << 63):
            return None, i
        numbers.append(int(value))
    return Column("L" if high >= 1 << 63 else "l", numbers), None


def _faults(column: Column, which: int, numbers: bool) -> Iterator[tuple[int, int, int]]:
    """Yield (row, column, kind) for the first value that cannot be used."""
    for row, value in enumerate(column.values):
        if value is None:
            yield row, which, int(ColumnFault.MISSING)
        elif numbers and not isfinite(value):
            yield row, which, int(ColumnFault.NOT_FINITE)
        elif value == b"":
            yield row, which, int(ColumnFault.EMPTY)
        else:
            continue
        return


def _fault(query: Column, doc: Column, number: Column | None) -> tuple[int, int, int] | None:
    """Return (kind, column, row) of the first value that cannot be used."""
    faults = [*_faults(query, 0, numbers=False), *_faults(doc, 1, numbers=False)]
    if number is not None:
        faults += _faults(number, 2, numbers=True)
    if not faults:
        return None
    row, which, kind = min(faults)
    return kind, which, row


def match_columns(
    query: Column,
    doc: Column,
    score: Column | None,
    rank: Column | None,
    ascending: bool,
    index: Any,
    float32: bool,
    threads: int,  # noqa: ARG001
    range_size: int,  # noqa: ARG001
    repeats: bool,
) -> dict[str, Any]:
    """Place the judged documents of a run held in columns."""
    fault = _fault(query, doc, score)
    if fault:
        return {"fault": fault}
    ranks = [None] * len(query) if rank is None else [_rank(v) for v in rank.values]
    rows: dict[bytes, list[Row]] = {}
    for i, (q, d) in enumerate(zip(query.keys, doc.keys, strict=True)):
        block = rows.setdefault(q, [])
        number = -float(len(block)) if score is None else float(score.values[i])
        if score is not None:
            number = rounded(0.0 - number if ascending else number, float32)
        block.append((d, number, ranks[i]))
    unjudged = unjudged_report(rows.keys() - index.queries.keys())
    return match_rows(rows, index, unjudged, repeats=repeats)


def _rank(value: Any) -> int | None:
    return int(value) if value is not None and 0 <= value < 1e9 else None


def judge_columns(query: Column, doc: Column, grade: Column | None) -> dict[str, Any]:
    """Group judgments held in columns; without grades every row counts 1."""
    fault = _fault(query, doc, grade)
    if fault:
        return {"fault": fault}
    groups: dict[bytes, dict[bytes, list[float]]] = {}
    grades = grade.values if grade else [1.0] * len(query)
    for q, d, g in zip(query.keys, doc.keys, grades, strict=True):
        groups.setdefault(q, {}).setdefault(d, []).append(float(g))
    return judgments_of(groups)


class _Exporter(NamedTuple):
    capsule: Any

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.capsule


def columns_of_stream(capsule: Any) -> list[tuple[bytes, Column]]:
    """Take the columns of an Arrow stream; one of a single column has no name."""
    needed = "reading Arrow data without the compiled core needs the library pyarrow: "
    require("pyarrow", f"{needed}{INSTALL.format('frames')}.")
    import pyarrow as pa

    try:
        chunks = pa.chunked_array(_Exporter(capsule))
    except (pa.ArrowException, OSError, ValueError) as error:
        if "released" in str(error):
            raise ValueError("the stream was read already") from None
        raise RuntimeError(str(error)) from None
    if not pa.types.is_struct(chunks.type):
        return [(b"", _column(chunks))]
    if chunks.null_count:
        raise RuntimeError(f"row {chunks.is_null().index(True).as_py()} is missing")
    names = [field.name.encode() for field in chunks.type]
    return list(zip(names, map(_column, chunks.flatten()), strict=True))


def _column(chunks: Any) -> Column:
    """Return a column; None for what is missing or of a type that ids and numbers do not have."""
    kind = chunks.type
    form = _format(kind.value_type if hasattr(kind, "index_type") else kind)
    if not (form in NUMBERS or form in ("b", "u", "U", "vu")):
        return Column(form, [None] * len(chunks))
    if str(kind) in ("string", "large_string"):  # which may hold bytes that are not UTF-8
        chunks = chunks.cast("large_binary")
    values = chunks.to_pylist()
    return Column(form, [v.encode() if isinstance(v, str) else v for v in values])


def _format(kind: Any) -> str:
    """Return the name of a type in Arrow's C interface, which begins with it."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    schema = kind.__arrow_c_schema__()
    return str(
        (ctypes.c_char_p.from_address(pointer_of(schema, b"arrow_schema")).value or b"").decode()
    )


# Arrays, as in falling_order.hpp, count_equals.hpp, sums.hpp, count_table.hpp and top_table.hpp ----------


def falling_order(values: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Order each segment, highest first, equals in input order; say which hold equals."""
    sizes = np.diff(offsets)
    segment = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-values, segment))
    ordered = values[order]
    equal = (ordered[1:] == ordered[:-1]) & (segment[1:] == segment[:-1])
    tied = np.zeros(len(sizes), np.uint8)
    tied[segment[1:][equal]] = 1
    return order, tied


def falling_beside(
    values: np.ndarray, offsets: np.ndarray, beside: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Put the numbers beside the values in the order of the values.

    And say which segments hold equal values, and which places a value that equals the one before.
    """
    order, tied = falling_order(values, offsets)
    same = np.zeros(len(order), np.uint8)
    same[1:] = values[order[1:]] == values[order[:-1]]
    same[offsets[:-1][offsets[1:] > offsets[:-1]]] = 0
    return beside[order], tied, same


def falling_small(values: np.ndarray, offsets: np.ndarray) -> None:
    """Return None: here counting small numbers is no quicker than sorting them."""
    del values, offsets


def count_equals(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return how many numbers of each segment equal another of it."""
    segments = (values[a:b] for a, b in pairwise(offsets.tolist()))
    counts = (np.unique(segment, return_counts=True, equal_nan=False)[1] for segment in segments)
    return np.array([count[count > 1].sum() for count in counts], np.int64)


def count(mask: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return how many elements of each segment are true."""
    running = np.cumsum(np.append(False, mask), dtype=np.int64)
    return running[offsets[1:]] - running[offsets[:-1]]


def running_count(mask: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return, for each element, how many of its segment up to and with it are true."""
    running = np.cumsum(np.append(False, mask), dtype=np.int64)
    return running[1:] - np.repeat(running[offsets[:-1]], np.diff(offsets))


def totals(
    values: np.ndarray, offsets: np.ndarray, low: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of each segment in two parts; ``low`` holds what rounding took from the values.

    What is left of a value once a power of two beyond its segment's sum was added and taken away
    again adds up without rounding; the rest is so small that rounding it does not matter.
    """
    size = np.diff(offsets)
    filled = size > 0
    start, size = offsets[:-1][filled], size[filled]
    sums, rests = np.zeros(len(offsets) - 1), np.zeros(len(offsets) - 1)
    top = np.maximum.reduceat(np.abs(values), start)
    beyond = np.repeat(np.ldexp(1.0, np.frexp(top * size)[1] + 1), size)
    high = (values + beyond) - beyond
    rest = values - high
    if low is not None:
        rest += low
    sums[filled], rests[filled] = np.add.reduceat(high, start), np.add.reduceat(rest, start)
    return sums, rests


def count_table(
    scores: np.ndarray, offsets: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, ...] | None:
    """Count, for some columns of each row, scores above, scores equal, and equal ones before.

    And the documents of each row, of which those with the score -inf are absent. None if a score is
    NaN, +inf, or 2^53 and more.
    """
    listed = scores != -np.inf
    if not (np.abs(scores[listed]) < 2.0**53).all():
        return None
    counts = count_near(scores, offsets, columns, np.zeros(len(scores)), False)
    return *counts[:3], np.count_nonzero(listed, axis=1)


def count_near(
    scores: np.ndarray, offsets: np.ndarray, columns: np.ndarray, tolerance: np.ndarray, check: bool
) -> tuple[Any, ...]:
    """Count, for some columns of each row, scores above, equal, equal and before, and near.

    And the documents that are absent from each row, with the score -inf; and the first row with a
    score that is NaN or +inf, -1 if there is none.
    """
    odd = np.flatnonzero(~(scores < np.inf).all(axis=1))
    none = np.zeros(len(scores), np.int64)
    if check and len(odd):
        return *np.zeros((4, len(columns)), np.int64), none, int(odd[0])
    rows = np.repeat(np.arange(len(scores)), np.diff(offsets))
    counts = np.zeros((4, len(columns)), np.int64)
    for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
        own = scores[row]
        width = scores.dtype.type(tolerance[row])
        equal = own == own[column]
        near = ~((own > own[column] + width) | (own < own[column] - width))
        counts[:, i] = (own > own[column]).sum(), equal.sum(), equal[:column].sum(), near.sum()
    return *counts, np.isneginf(scores).sum(axis=1) if check else none, -1


def top_table(
    labels: np.ndarray, scores: np.ndarray, k: int, count_equals: bool
) -> tuple[Any, ...] | None:
    """Take the first k documents of each row and those that tie with the last of them.

    Return how many there are in each row, their labels, how many documents have a higher score, the
    highest k labels of each row, how many labels are 1 and more; and how many labels are above 0, how
    many scores equal another of their row, and how many of these have a label above 0. None if a label
    is not a number from 0 up, or a score is NaN, infinite, or 2^53 and more.
    """
    is_label, is_score = (
        (labels >= 0) & (labels < np.inf),
        (scores < 2.0**53) & (scores > -(2.0**53)),
    )
    if not (is_label.all() and is_score.all()):
        return None
    labels = labels.astype(np.float64)
    order = np.argsort(-scores.astype(np.float64), axis=1, kind="stable")
    falling = np.take_along_axis(scores, order, axis=1)
    first = falling >= falling[:, k - 1 : k]
    starts = np.ones(falling.shape, bool)
    starts[:, 1:] = falling[:, 1:] != falling[:, :-1]
    above = np.maximum.accumulate(starts * np.arange(labels.shape[1]), axis=1)
    ends = np.append(starts[:, 1:], np.ones((len(starts), 1), bool), axis=1)
    grades = np.take_along_axis(labels, order, axis=1)
    equal = ~(starts & ends) & count_equals
    return (
        np.count_nonzero(first, axis=1),
        grades[first],
        above[first],
        -np.sort(-labels, axis=1)[:, :k].reshape(-1),
        np.count_nonzero(labels >= 1, axis=1),
        int((labels > 0).sum()),
        int(equal.sum()),
        int((equal & (grades > 0)).sum()),
    )


def nonzero(bits: np.ndarray, signed_zero: bool, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Return where the elements of each row begin that are not 0, and their columns.

    With ``signed_zero`` the highest bit is the sign of a float. None if there are more than ``most``.
    """
    mask = np.iinfo(bits.dtype).max >> signed_zero
    rows, columns = np.nonzero(bits & bits.dtype.type(mask))
    if len(columns) > most:
        return None
    return np.append(0, np.cumsum(np.bincount(rows, minlength=len(bits)))), columns


def gather(text: bytes, begins: np.ndarray, ends: np.ndarray) -> bytes:
    """Return the ids from each begin up to each end, laid end to end."""
    return b"".join(_ids(text, begins, ends))


def _ids(text: bytes, begins: np.ndarray, ends: np.ndarray) -> list[bytes]:
    return [text[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]


def first_equal(
    text: bytes, begins: np.ndarray, ends: np.ndarray, offsets: np.ndarray
) -> np.ndarray:
    """Return for each id in a text the place of the first id of its segment that equals it."""
    ids = _ids(text, begins, ends)
    places: list[int] = []
    for begin, end in pairwise(offsets.tolist()):
        first: dict[bytes, int] = {}
        places.extend(map(first.setdefault, ids[begin:end], range(begin, end)))
    return np.array(places, np.int64)


def write_rows(
    queries: list[bytes],
    text: bytes,
    begins: np.ndarray,
    ends: np.ndarray,
    numbers: np.ndarray,
    offsets: np.ndarray,
) -> bytes:
    """Return the rows of a TREC run, of ids in a text and numbers by query."""
    ids, values = _ids(text, begins, ends), numbers.tolist()
    return b"".join(
        b"%b Q0 %b %d %b rankstone\n" % (query, ids[i], i - a + 1, number_text(values[i]).encode())
        for query, (a, b) in zip(queries, pairwise(offsets.tolist()), strict=True)
        for i in range(a, b)
    )
