"""Numbers from lists, arrays and tensors of any library, as NumPy arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankstone.core.parallel import on_each
from rankstone.errors import DataError

Array = np.ndarray


def array_of(value: Any, what: str) -> Array:
    """Return lists, arrays or tensors as an array, without a copy if possible."""
    if type(value) is np.ndarray:
        return value
    _refuse_masked(value, what)
    try:
        if hasattr(value, "detach"):
            return _from_tensor(value)
        return np.asarray(value) if isinstance(value, list | tuple) else _by_protocol(value)
    except (ValueError, TypeError, BufferError, RuntimeError) as error:
        if isinstance(value, list | tuple):
            raise DataError(f"{what}: the rows differ in length.") from None
        raise DataError(f"{what}: {type(value).__name__} cannot be read ({error}).") from None


def _refuse_masked(value: Any, what: str) -> None:
    """Refuse masked arrays, alone or as rows: their masked values would count as any other."""
    rows = value if isinstance(value, list | tuple) and _are_rows(value) else (value,)
    if any(isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows):
        raise DataError(
            f"{what}: values of a masked array are masked, and masks are not read from arrays. "
            "Give the data and the mask by themselves: labels.data, scores.data, "
            "mask=~labels.mask."
        )


def _are_rows(values: list[Any] | tuple[Any, ...]) -> bool:
    return bool(values) and not isinstance(values[0], int | float | str)


def speaks_arrays(value: Any) -> bool:
    """Return whether a value speaks one of the protocols by which arrays are handed over."""
    return any(hasattr(value, p) for p in ("__array__", "__dlpack__", "__cuda_array_interface__"))


def _by_protocol(value: Any) -> Array:
    """Return an array from the array protocol or DLPack, from any device."""
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        return np.asarray(value.get())  # CuPy copies to the host only in words of its own
    if hasattr(value, "__array__") or not speaks_arrays(value):
        return np.asarray(value)
    if not hasattr(value, "__dlpack__"):
        raise TypeError("it is in the memory of a GPU; copy it to the host first")
    here = int(value.__dlpack_device__()[0]) == _HOST
    return np.from_dlpack(value) if here else np.from_dlpack(value, device="cpu")


_HOST = 1  # as DLPack numbers devices


def numbers_of(value: Any, what: str) -> Array:
    """Return lists, arrays or tensors of numbers, in one or two dimensions, as float64.

    None in a list becomes NaN.
    """
    array = array_of(value, what)
    if array.dtype == np.float64 and 1 <= array.ndim <= 2 and not is_by_column(array):
        return array
    if array.dtype.kind == "O" and array.ndim in (1, 2):
        array = _without_none(array, what)
    kind = array.dtype.kind
    # Other libraries' short numbers, such as bfloat16, are void to NumPy.
    number = kind in "biuf" or any(k in array.dtype.name for k in ("float", "int"))
    if not number or array.ndim not in (1, 2):
        raise DataError(
            f"{what} must be numbers in one or two dimensions, not {array.dtype} in {array.ndim}."
        )
    return rounded(array, what)


def is_by_column(array: Array) -> bool:
    """Return whether a table has the numbers of a column, and not of a row, beside each other."""
    return array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous


def rounded(array: Array, what: str) -> Array:
    """Return numbers as float64; longer ones that differ must not become equal."""
    numbers = np.empty(array.shape)
    step = max(1, _BLOCK * len(array) // max(1, array.size))
    rows = [slice(begin, begin + step) for begin in range(0, len(array), step)]
    on_each(lambda own: np.copyto(numbers[own], array[own], "unsafe"), rows)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        own = np.sort(array, axis=-1)
        near = own.astype(np.float64)
        if ((own[..., 1:] != own[..., :-1]) & (near[..., 1:] == near[..., :-1])).any():
            raise DataError(
                f"{what} are {array.dtype} numbers, some of which differ by less than a float64 can "
                "hold, and would become ties. Give the documents in order of rank instead."
            )
    return numbers


_FEW = 4096
_BLOCK = 1 << 17


def all_finite(values: Array) -> bool:
    """Return whether all values are finite."""
    flat = values.reshape(-1)
    if len(flat) <= _FEW:
        return bool(np.isfinite(flat).all())
    return all(on_each(_sums_up, _blocks(flat)))


def _sums_up(values: Array) -> bool:
    # A sum needs no mask as long as the values; if it overflows, the values are checked.
    with np.errstate(all="ignore"):
        return math.isfinite(values.sum()) or bool(np.isfinite(values).all())


def lowest(values: Array) -> float:
    """Return the lowest of some numbers, NaN if one is."""
    return float(np.min(on_each(np.min, _blocks(values))))


def highest(values: Array) -> float:
    """Return the highest of some numbers, NaN if one is."""
    return float(np.max(on_each(np.max, _blocks(values))))


def lowest_and_finite(values: Array, others: Array) -> tuple[float, bool]:
    """Return min(numbers), and whether numbers and others are all finite."""
    flat, beside = values.reshape(-1), others.reshape(-1)
    if len(flat) <= _FEW:
        return float(flat.min(initial=np.inf)), all_finite(flat) and all_finite(beside)
    parts = on_each(_lowest_and_finite, list(zip(_blocks(flat), _blocks(beside), strict=True)))
    return min(low for low, _ in parts), all(finite for _, finite in parts)


def _lowest_and_finite(part: tuple[Array, Array]) -> tuple[float, bool]:
    values, others = part
    return float(values.min()), _sums_up(values) and _sums_up(others)


def _blocks(values: Array) -> list[Array]:
    """Return the values in blocks large enough to share among cores."""
    flat = values.reshape(-1)
    return [flat[i : i + _BLOCK] for i in range(0, len(flat), _BLOCK)]


def _without_none(array: Array, what: str) -> Array:
    flat = [np.nan if v is None else v for v in array.reshape(-1).tolist()]
    if any(isinstance(v, list | tuple) for v in flat):
        raise DataError(f"{what}: the rows differ in length.")
    return np.array(flat).reshape(array.shape)


def _from_tensor(tensor: Any) -> Array:
    """Return a tensor of PyTorch, from whatever device, with or without a gradient."""
    on_host = tensor.detach().cpu()
    try:
        return np.asarray(on_host.numpy())
    except TypeError:  # a short float NumPy does not have; 32 bits hold it exactly
        return np.asarray(on_host.float().numpy())
