"""Tables of any library: the names of their columns, and the columns as an engine takes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import isfinite
from numbers import Number
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.core.as_numpy import rounded
from rankstone.core.ids import Ids
from rankstone.core.scalars import number_of, plain_id
from rankstone.core.text import is_number
from rankstone.errors import DataError
from rankstone.frozen import frozen

_MISSING = {"NAType", "NaTType"}
_REMEDY = "ids are text or whole numbers, scores and grades are numbers."
_BATCH = 1 << 16


@frozen(eq=False)
class Table:
    """A table of some library: the names of its columns, and how to take some of them."""

    data: Any
    names: list[str]
    take: Callable[[Sequence[str]], dict[str, Any]]


@frozen(eq=False)
class PlainTable:
    """Columns as lists of texts or of numbers; ``in_file`` if they are under a header in a file."""

    columns: dict[str, list[Any]]
    in_file: bool = False

    def numbers(self, name: str, role: str, what: str) -> Any:
        """Return a column of numbers, some of which may be text."""
        where = f"{what}, column {name!r}, row"
        column = enumerate(self.columns[name])
        numbers = [number_of(value, role, f"{where} {i}") for i, value in column]
        return engine.load().column_of_array(np.array(numbers, np.float64))


def open_table(data: Any) -> Table:
    """Open a table of a library that is known, or that speaks Arrow."""
    adapter = _ADAPTERS.get(type(data).__module__.partition(".")[0])
    table = adapter(data) if adapter else None
    if table is None and hasattr(data, "__arrow_c_stream__"):
        columns = [(n.decode("utf-8", "replace"), c) for n, c in _stream_columns(data)]
        return Table(
            data, [n for n, _ in columns], lambda names: {n: c for n, c in columns if n in names}
        )
    table = table or _other_table(data)
    if table is None:
        raise DataError(f"cannot read a table from {type(data).__name__}.")
    return table


def _plain_table(data: Any) -> Table | None:
    if not isinstance(data, PlainTable):
        return None
    return Table(
        data,
        list(data.columns),
        lambda names: {n: _objects(data.columns[n], n, in_file=data.in_file) for n in names},
    )


def _pandas_table(data: Any) -> Table | None:
    if not hasattr(data, "columns"):
        return None
    columns = [str(c) for c in data.columns]
    return Table(
        data, columns, lambda names: {n: _series(data.iloc[:, columns.index(n)], n) for n in names}
    )


def _polars_table(data: Any) -> Table | None:
    if not hasattr(data, "collect_schema"):
        return None
    lazy = data.lazy() if hasattr(data, "lazy") else data

    def collected(work: Callable[[], Any]) -> Any:
        try:
            return work()
        except Exception as error:
            words = str(error).strip().splitlines() or [type(error).__name__]
            raise DataError(
                f"the {type(data).__name__} cannot be collected ({words[0]})."
            ) from error

    def take(names: Sequence[str]) -> dict[str, Any]:
        return _polars(collected(lazy.select(list(names)).collect), names)

    return Table(data, collected(data.collect_schema).names(), take)


def _pyarrow_table(data: Any) -> Table | None:
    if not hasattr(data, "column_names"):
        return None

    def take(names: Sequence[str]) -> dict[str, Any]:
        for name in names:
            kind = data.schema.field(name).type
            if hasattr(getattr(kind, "value_type", None), "index_type"):
                raise DataError(
                    f"column {name!r} is a dictionary of a dictionary; decode it once: "
                    f"table[{name!r}].combine_chunks().dictionary_decode()."
                )
        columns = _stream_columns(data.select(list(dict.fromkeys(names))))
        return {name.decode(): column for name, column in columns}

    return Table(data, list(data.column_names), take)


def _other_table(data: Any) -> Table | None:
    """Open a table that narwhals knows."""
    frame = as_narwhals(data)
    if frame is None:
        return None

    def take(names: Sequence[str]) -> dict[str, Any]:
        part = frame.select(list(names))
        part = part.collect() if hasattr(part, "collect") else part
        return open_table(part.to_native()).take(names)

    return Table(data, list(frame.collect_schema().names()), take)


_ADAPTERS: dict[str, Callable[[Any], Table | None]] = {
    "narwhals": lambda data: open_table(data.to_native()),
    "rankstone": _plain_table,
    "pandas": _pandas_table,
    "polars": _polars_table,
    "pyarrow": _pyarrow_table,
}


def as_narwhals(data: Any) -> Any:
    """Wrap a table that narwhals knows, if it is installed and the table's library is loaded."""
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


def values_of(table: Table, names: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    """Return the rows of some columns of a table read from a file."""
    data = table.data
    if isinstance(data, PlainTable):
        return zip(*(data.columns[n] for n in names), strict=True)
    if hasattr(data, "collect_schema"):
        rows: Iterable[tuple[Any, ...]] = data.lazy().select(names).collect().iter_rows()
        return rows
    parts = data.select(names).to_batches(max_chunksize=_BATCH)
    return (row for p in parts for row in zip(*(c.to_pylist() for c in p.columns), strict=True))


def cells_of(table: Table, name: str) -> Iterable[Any]:
    """Return the values of a column, whatever their type, of a table of any library."""
    data = table.data
    if hasattr(data, "iloc"):
        values: list[Any] = data.iloc[:, table.names.index(name)].tolist()
        return values
    if isinstance(data, PlainTable) or hasattr(data, "collect_schema") or _is_arrow(data):
        return (value for (value,) in values_of(table, [name]))
    frame = as_narwhals(data)
    if frame is not None:
        part = frame.select(name)
        part = part.collect() if hasattr(part, "collect") else part
        return cells_of(open_table(part.to_native()), name)
    try:  # a stream, of which nothing but the columns is left
        return ids_in(table.take([name])[name], numbers=False, what="the table")
    except DataError:
        return ()


def _is_arrow(data: Any) -> bool:
    return hasattr(data, "select") and hasattr(data, "to_batches")


def reads_as_number(cell: Any) -> bool:
    """Return whether a cell is a finite number, or text that is one with a decimal point or comma.

    >>> [reads_as_number(cell) for cell in (3, " 0,5 ", "-1e3", "n/a", "nan", None)]
    [True, True, True, False, False, False]
    """
    if isinstance(cell, str):
        text = cell.strip().replace(",", ".", 1)
        return is_number(text) and isfinite(float(text))
    return isinstance(cell, Number | np.number) and bool(cell == cell)  # noqa: PLR0124


def _stream_columns(data: Any) -> list[tuple[bytes, Any]]:
    try:
        columns: list[tuple[bytes, Any]] = engine.load().columns_of_stream(
            data.__arrow_c_stream__()
        )
    except (ValueError, RuntimeError) as error:
        raise DataError(
            f"the {type(data).__name__} cannot be read as a stream of Arrow data ({error})."
        ) from None
    if len(columns) == 1 and columns[0][0] == b"":
        raise DataError(
            f"a {type(data).__name__} is one column; give a table with a column of queries and "
            "one of documents."
        )
    return columns


def _polars(frame: Any, names: Sequence[str]) -> dict[str, Any]:
    """Take column by column: a whole frame is copied first if its chunks differ by column.

    Without its name, because polars ends the process over one with a NUL in it; as a frame of one
    column, because the stream of a column of records would be a table of their fields.
    """
    read = engine.load().columns_of_stream
    columns = {name: frame[name].alias("").to_frame() for name in names}
    return {name: read(one.__arrow_c_stream__())[0][1] for name, one in columns.items()}


def _series(series: Any, name: str) -> Any:
    """Return a pandas column as the engine takes it."""
    core = engine.load()
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        codes = np.ascontiguousarray(series.cat.codes.to_numpy())
        _check_values(codes < 0, name)
        return _categories(dtype.categories, name).of_codes(core.column_of_array(codes))
    if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
        return core.column_of_array(_plain(series.to_numpy()))
    if getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype"):
        import pyarrow as pa

        one = pa.table([series.array.__arrow_array__()], names=[""])
        return core.columns_of_stream(one.__arrow_c_stream__())[0][1]
    if hasattr(dtype, "numpy_dtype") and dtype.numpy_dtype.kind in "iufb":
        _check_values(series.isna().to_numpy(), name)
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
        array = rounded(array, "the values of a column")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def _check_values(missing: np.ndarray, name: str) -> None:
    if missing.any():
        raise DataError(no_value(name, place_of(int(np.flatnonzero(missing)[0]))))


def no_value(name: str, place: str) -> str:
    """Return the message for a row of a column without a value."""
    return f"column {name!r} has no value in {place}; fill it or drop the row."


def place_of(row: int, *, in_file: bool = False) -> str:
    """Return the place of a row, as people count: from 0 in memory, from 1 under the header of a file."""
    return f"row {row + 1} under the header" if in_file else f"row {row} (rows count from 0)"


def _objects(values: list[Any], name: str, *, in_file: bool = False) -> Any:
    """Return texts, whole numbers or other numbers as a column.

    Texts and whole numbers together are text, as in a file.
    """
    core = engine.load()
    column, row = core.column_of_objects(values)
    if row is None:
        return column
    for i, value in enumerate(values):
        if value is None or type(value).__name__ in _MISSING:
            raise DataError(no_value(name, place_of(i, in_file=in_file)))
    if all(isinstance(v, int | float | np.number) for v in values):
        return core.column_of_array(np.array(values, np.float64))
    odd = next((i for i, v in enumerate(values) if plain_id(v) is None and v != ""), None)
    if odd is None:
        column, row = core.column_of_objects([str(plain_id(v) or "") for v in values])
        if row is None:
            return column
        odd = row
    value = values[odd]
    if isinstance(value, float) and value != value:  # noqa: PLR0124
        raise DataError(no_value(name, place_of(odd, in_file=in_file)))
    raise DataError(
        f"column {name!r} holds {value!r} ({type(value).__name__}) in "
        f"{place_of(odd, in_file=in_file)}; {_REMEDY}"
    )


def ids_in(column: Any, *, numbers: bool, what: str) -> list[Any]:
    """Return the ids in the rows of a column, as Python objects."""
    rows = engine.load().column_of_array(np.arange(len(column), dtype=np.int64))
    scan = engine.load().judge_columns(column, rows, None)
    if scan["fault"]:
        raise DataError(f"{what} has no value in row {scan['fault'][2]} (rows count from 0).")
    raw = scan["query_bytes"]
    names = Ids.from_keys(raw) if numbers else Ids.from_bytes(raw, scan["query_offsets"])
    places = np.array(Ids.from_keys(scan["doc_bytes"]).objects, np.int64)
    values = np.empty(len(column), object)
    for name, (a, b) in zip(names.objects, pairwise(scan["groups"].tolist()), strict=True):
        values[places[a:b]] = name
    return values.tolist()


def grades_in(column: Any, rows: int) -> list[float]:
    """Return the grades in the rows of a column, 1 without a column."""
    if column is None:
        return [1.0] * rows
    at = engine.load().column_of_array(np.arange(rows, dtype=np.int64))
    scan = engine.load().judge_columns(at, at, column)
    order = np.array(Ids.from_keys(scan["doc_bytes"]).objects, np.int64)
    grades = np.empty(rows)
    grades[order] = scan["grades"]
    return grades.tolist()
