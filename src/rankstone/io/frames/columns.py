"""Tables of any library, opened: their names, and columns as an engine takes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.errors import DataError

Take = Callable[[Sequence[str]], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class PlainTable:
    """Columns as lists of texts or of numbers."""

    columns: dict[str, list[Any]]

    def take(self, wanted: Sequence[str]) -> dict[str, Any]:
        """Return some columns as the engine takes them."""
        return {n: _objects(self.columns[n], n) for n in wanted}


def opened(data: Any) -> tuple[list[str], Take]:
    """Return the names of a table's columns, and how to take some of them."""
    kind = type(data)
    root = kind.__module__.partition(".")[0]
    if root == "narwhals":
        return opened(data.to_native())
    if isinstance(data, PlainTable):
        return list(data.columns), data.take
    if root == "pandas":
        return [str(c) for c in data.columns], lambda names: _pandas(data, names)
    if root == "polars" and hasattr(data, "collect_schema"):
        lazy = data.lazy() if hasattr(data, "lazy") else data
        names = data.collect_schema().names()
        return names, lambda wanted: _polars(lazy.select(list(wanted)).collect(), wanted)
    if root == "pyarrow" and hasattr(data, "select") and hasattr(data, "column_names"):
        names = list(data.column_names)
        return names, lambda wanted: _stream(data.select(list(dict.fromkeys(wanted))), wanted)
    if hasattr(data, "__arrow_c_stream__"):
        read = [(n.decode("utf-8", "replace"), c) for n, c in _columns(data)]
        return [n for n, _ in read], lambda wanted: {n: c for n, c in read if n in wanted}
    frame = as_narwhals(data)
    if frame is None:
        raise DataError(f"cannot read a table from {kind.__name__}.")
    names = list(frame.collect_schema().names())
    if hasattr(frame, "collect"):
        return names, lambda wanted: _again(frame.select(list(wanted)).collect(), wanted)
    return names, lambda wanted: _again(frame.select(list(wanted)), wanted)


def as_narwhals(data: Any) -> Any:
    """Wrap what narwhals knows, if it is installed and the data is of a library already loaded."""
    root = type(data).__module__.partition(".")[0]
    if (
        root in ("builtins", "numpy", "torch", "collections", "rankstone")
        or root not in sys.modules
    ):
        return None
    try:
        import narwhals.stable.v2 as nw
    except ImportError:
        return None
    frame = nw.from_native(data, pass_through=True)
    return frame if frame is not data else None


def _again(frame: Any, wanted: Sequence[str]) -> dict[str, Any]:
    return opened(frame.to_native())[1](wanted)


def _columns(data: Any) -> list[tuple[bytes, Any]]:
    try:
        found: list[tuple[bytes, Any]] = engine.load().columns_of_stream(data.__arrow_c_stream__())
    except (ValueError, RuntimeError) as error:
        raise DataError(
            f"the {type(data).__name__} cannot be read as a stream of Arrow data ({error})."
        ) from None
    if len(found) == 1 and found[0][0] == b"":
        raise DataError(
            f"a {type(data).__name__} is one column; give a table with a column of queries and "
            "one of documents."
        )
    return found


def _stream(data: Any, wanted: Sequence[str]) -> dict[str, Any]:
    return {n.decode("utf-8", "replace"): c for n, c in _columns(data) if n.decode() in wanted}


def _polars(frame: Any, wanted: Sequence[str]) -> dict[str, Any]:
    """Take column by column: a whole frame is copied first where its chunks differ by column.

    Without its name, because polars ends the process over one with a NUL in it.
    """
    read = engine.load().columns_of_stream
    return {name: read(frame[name].alias("").__arrow_c_stream__())[0][1] for name in wanted}


def _pandas(frame: Any, wanted: Sequence[str]) -> dict[str, Any]:
    names = [str(c) for c in frame.columns]
    return {name: _series(frame.iloc[:, names.index(name)], name) for name in wanted}


def _series(series: Any, name: str) -> Any:
    """Return a pandas column as the engine takes it."""
    core = engine.load()
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        codes = np.ascontiguousarray(series.cat.codes.to_numpy())
        _none_missing(codes < 0, name)
        return _categories(dtype.categories, name).of_codes(core.column_of_array(codes))
    if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
        return core.column_of_array(_plain(series.to_numpy()))
    if getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype"):
        return core.columns_of_stream(series.array.__arrow_array__().__arrow_c_stream__())[0][1]
    if hasattr(dtype, "numpy_dtype") and dtype.numpy_dtype.kind in "iufb":
        _none_missing(series.isna().to_numpy(), name)
        return core.column_of_array(_plain(series.to_numpy(dtype.numpy_dtype)))
    if getattr(dtype, "kind", "") == "O" or getattr(dtype, "storage", None) == "python":
        return _objects(series.to_numpy(object).tolist(), name)
    raise DataError(f"column {name!r} is of type {dtype}; {_REMEDY}")


def _categories(index: Any, name: str) -> Any:
    if isinstance(index.dtype, np.dtype) and index.dtype.kind in "iuf":
        return engine.load().column_of_array(_plain(index.to_numpy()))
    return _objects(index.to_numpy(object).tolist(), name)


def _plain(array: np.ndarray) -> np.ndarray:
    """Return numbers laid end to end, in a type that every engine knows."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


_MISSING = {"NAType", "NaTType"}
_REMEDY = "ids are text or whole numbers, scores and grades are numbers."


def _none_missing(missing: np.ndarray, name: str) -> None:
    if missing.any():
        raise DataError(no_value(name, int(np.flatnonzero(missing)[0])))


def no_value(name: str, row: int) -> str:
    """Say which row of a column has no value, and what to do."""
    return (
        f"column {name!r} has no value in row {row} (rows count from 0); fill it or drop the row."
    )


def _objects(values: list[Any], name: str) -> Any:
    """Return texts, whole numbers or other numbers as a column."""
    core = engine.load()
    column, row = core.column_of_objects(values)
    if row is None:
        return column
    value = values[row]
    gone = (i for i, v in enumerate(values) if v is None or type(v).__name__ in _MISSING)
    if (first := next(gone, None)) is not None:
        raise DataError(no_value(name, first))
    if _all_numbers(values):
        return core.column_of_array(np.array(values, np.float64))
    if isinstance(value, float) and value != value:  # noqa: PLR0124
        raise DataError(no_value(name, row))
    if isinstance(value, str | int) and not isinstance(value, bool):
        raise DataError(
            f"column {name!r} holds {type(values[0]).__name__} and {type(value).__name__} "
            f"({values[0]!r}, and {value!r} in row {row}); use one type, for example "
            f"frame[{name!r}].astype(str)."
        )
    raise DataError(
        f"column {name!r} holds {value!r} ({type(value).__name__}) in row {row}; {_REMEDY}"
    )


def _all_numbers(values: list[Any]) -> bool:
    return all(isinstance(v, int | float | np.number) for v in values)
