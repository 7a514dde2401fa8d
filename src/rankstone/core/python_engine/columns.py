"""Columns of tables: the twin's half of what columns.hpp and match_columns.hpp do."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core.ids import key_of
from rankstone.core.python_engine.place import Outcome, Row, arrays_of, place

NULL, NOT_FINITE, EMPTY = 1, 2, 3
SAMPLE = 100
MOST_UNJUDGED = 1 << 20
MOST_NAMED = 1 << 16
_NUMBERS = {
    "c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
    "f": "f4", "g": "f8",
}  # fmt: skip
_FORMATS = {np.dtype(t): f for f, t in _NUMBERS.items()} | {np.dtype(bool): "b"}


@dataclass(frozen=True, eq=False)
class Column:
    """A column: text as bytes, numbers as numbers, None where there is no value."""

    format: str
    values: list[Any]

    def __len__(self) -> int:
        return len(self.values)

    def of_codes(self, codes: Column) -> Column:
        """Return the column of the values that codes stand for."""
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
            yield row, which, NULL
        elif numbers and not math.isfinite(value):
            yield row, which, NOT_FINITE
        elif value == b"":
            yield row, which, EMPTY
        else:
            continue
        return


def _fault(query: Column, doc: Column, number: Column | None) -> tuple[int, int, int] | None:
    found = [*_faults(query, 0, numbers=False), *_faults(doc, 1, numbers=False)]
    if number is not None:
        found += _faults(number, 2, numbers=True)
    if not found:
        return None
    row, which, kind = min(found)
    return kind, which, row


def match_columns(
    query: Column,
    doc: Column,
    score: Column | None,
    rank: Column | None,
    falling: bool,
    index: Any,
    float32: bool,
    threads: int,  # noqa: ARG001
    range_size: int,  # noqa: ARG001
) -> dict[str, Any]:
    """Place the judged documents of a run held in columns."""
    fault = _fault(query, doc, score)
    if fault:
        return {"fault": fault}
    rows: dict[bytes, list[Row]] = {}
    for i, (q, d) in enumerate(zip(query.keys, doc.keys, strict=True)):
        own = rows.setdefault(q, [])
        number = float(score.values[i]) if score else -float(len(own))
        if score and not falling:
            number = -number
        if score and float32:
            with np.errstate(over="ignore"):
                number = float(np.float32(number))
        written = rank.values[i] if rank else None
        if written is not None:
            written = int(written) if 0 <= written < 1e9 else None
        own.append((d, number, written))
    outcomes = [Outcome() for _ in index.docs]
    first: int | None = None
    for q, own in rows.items():
        judged = index.queries.get(q)
        if judged is not None:
            outcomes[judged] = place(own, index.docs[judged])
            outcomes[judged].present = True
            first = judged if first is None else min(first, judged)
    sample: list[bytes] = []
    if first is not None and not any(o.matches for o in outcomes):
        name = next(q for q, i in index.queries.items() if i == first)
        sample = [row[0] for row in rows[name][:SAMPLE]]
    unjudged = [q for q in rows if q not in index.queries]
    return {
        **arrays_of(outcomes),
        "fault": None,
        "unjudged_queries": min(len(unjudged), MOST_UNJUDGED),
        "unjudged_capped": len(unjudged) > MOST_UNJUDGED,
        "unjudged_sample": sorted(unjudged)[:MOST_NAMED],
        "doc_sample": sample,
    }


def judged_pairs(query: Column, doc: Column, grade: Column | None) -> Any:
    """Return ``{query: {document: [grade, ...]}}`` by bytes, or what is wrong with the columns."""
    fault = _fault(query, doc, grade)
    if fault:
        return fault
    groups: dict[bytes, dict[bytes, list[float]]] = {}
    given = grade.values if grade else [1.0] * len(query)
    for q, d, g in zip(query.keys, doc.keys, given, strict=True):
        groups.setdefault(q, {}).setdefault(d, []).append(float(g))
    return groups


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ("private_data", ctypes.c_void_p),
]


def columns_of_stream(capsule: Any) -> list[tuple[bytes, Column]]:
    """Take the columns of an Arrow stream, through the C interface as the native core does."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    where = pointer_of(capsule, b"arrow_array_stream")
    stream = _Stream.from_address(where)
    if not stream.release:
        raise ValueError("the stream was read already")

    def check(code: int) -> None:
        if code:
            words = stream.get_last_error(where) or f"error {code}".encode()
            raise RuntimeError(words.decode("utf-8", "replace"))

    schema = _Schema()
    try:
        check(stream.get_schema(where, ctypes.addressof(schema)))
        record = schema.format == b"+s"
        count = schema.n_children if record else 1
        types = [schema.children[i].contents if record else schema for i in range(count)]
        values: list[list[Any]] = [[] for _ in types]
        while True:
            batch = _Array()
            check(stream.get_next(where, ctypes.addressof(batch)))
            if not batch.release:
                break
            for i, type_ in enumerate(types):
                part = batch.children[i].contents if record else batch
                skipped = batch.offset if record else 0
                values[i] += _values(part, type_, part.offset + skipped, batch.length)
            batch.release(batch)
    finally:
        stream.release(where)
    found = []
    for type_, column in zip(types, values, strict=True):
        kind = type_.dictionary.contents if type_.dictionary else type_
        found.append(((type_.name or b"") if record else b"", Column(kind.format.decode(), column)))
    schema.release(schema)
    return found


def _values(array: Any, schema: Any, begin: int, length: int) -> list[Any]:
    """Return rows of an array; None for what is missing or of another type."""
    form = schema.format.decode()
    end = begin + length
    values: list[Any]
    if form in ("u", "U"):
        bounds = _read(array.buffers[1], "i4" if form == "u" else "i8", end + 1)[begin:].tolist()
        text = array.buffers[2]
        values = [ctypes.string_at(text + a, b - a) if b > a else b"" for a, b in pairwise(bounds)]
    elif form == "vu":
        values = [_view(array, i) for i in range(begin, end)]
    elif form == "b":
        values = _bits(array.buffers[1], begin, end)
    elif form in _NUMBERS:
        values = _read(array.buffers[1], _NUMBERS[form], end)[begin:].tolist()
    else:
        return [None] * length
    if array.null_count and array.buffers[0]:
        there = _bits(array.buffers[0], begin, end)
        values = [v if t else None for v, t in zip(values, there, strict=True)]
    if array.dictionary:
        held = array.dictionary.contents
        words = _values(held, schema.dictionary.contents, held.offset, held.length)
        values = [None if v is None else words[v] for v in values]
    return values


def _read(address: int | None, kind: str, count: int) -> np.ndarray:
    dtype = np.dtype(kind)
    if not address or not count:
        return np.zeros(count, dtype)
    raw: Any = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(raw, dtype, count)


def _bits(address: int | None, begin: int, end: int) -> list[bool]:
    packed = _read(address, "u1", (end + 7) // 8)
    return np.unpackbits(packed, bitorder="little")[begin:end].astype(bool).tolist()


def _view(array: Any, i: int) -> bytes:
    where = array.buffers[1] + 16 * i
    size, _, buffer, start = _read(where, "i4", 4).tolist()
    if size <= 12:
        return ctypes.string_at(where + 4, size)
    return ctypes.string_at(array.buffers[2 + buffer] + start, size)
