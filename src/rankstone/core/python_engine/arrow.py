"""Columns of an Arrow stream, through its C interface: what arrow.hpp does."""

from __future__ import annotations

import ctypes
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core.python_engine.columns import NUMBERS, Column


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
            if record:
                _check_records(batch, len(values[0]) if values else 0)
            for i, type_ in enumerate(types):
                part = batch.children[i].contents if record else batch
                skipped = batch.offset if record else 0
                values[i] += _values(part, type_, part.offset + skipped, batch.length)
            batch.release(batch)
    finally:
        stream.release(where)
    columns = []
    for type_, column in zip(types, values, strict=True):
        kind = type_.dictionary.contents if type_.dictionary else type_
        name = (type_.name or b"") if record else b""
        columns.append((name, Column(kind.format.decode(), column)))
    schema.release(schema)
    return columns


def _check_records(batch: Any, first: int) -> None:
    """Refuse records that are missing as a whole, whose fields hold anything."""
    if not batch.null_count or not batch.buffers[0]:
        return
    present = _bits(batch.buffers[0], batch.offset, batch.offset + batch.length)
    if not all(present):
        raise RuntimeError(f"row {first + present.index(False)} is missing")


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
    elif form in NUMBERS:
        values = _read(array.buffers[1], NUMBERS[form], end)[begin:].tolist()
    else:
        return [None] * length
    if array.null_count and array.buffers[0]:
        there = _bits(array.buffers[0], begin, end)
        values = [v if t else None for v, t in zip(values, there, strict=True)]
    if array.dictionary:
        words_of = array.dictionary.contents
        words = _values(words_of, schema.dictionary.contents, words_of.offset, words_of.length)
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
