"""Columns of an Arrow stream, read by pyarrow: the outcome of arrow.hpp."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from rankstone.core.python_engine.columns import NUMBERS, Column
from rankstone.errors import INSTALL, MissingDependencyError


class _Exporter(NamedTuple):
    capsule: Any

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.capsule


def columns_of_stream(capsule: Any) -> list[tuple[bytes, Column]]:
    """Take the columns of an Arrow stream; one of a single column has no name."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingDependencyError(
            "reading Arrow data without the compiled core needs the library pyarrow: "
            f"{INSTALL.format('frames')}."
        ) from None
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
