"""Numbers from lists, arrays and tensors of any library, as NumPy arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankstone.core.parallel import on_each
from rankstone.errors import DataError

Array = np.ndarray


def array_of(value: Any, what: str) -> Array:
    """Return lists, arrays or tensors as an array, without a copy where that can be."""
    if type(value) is np.ndarray:
        return value
    try:
        if hasattr(value, "detach"):
            return _from_tensor(value)
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except (ValueError, TypeError, BufferError) as error:
        if isinstance(value, list | tuple):
            raise DataError(f"{what}: the rows differ in length.") from None
        raise DataError(f"{what}: {type(value).__name__} cannot be read ({error}).") from None


def numbers_of(value: Any, what: str) -> Array:
    """Return lists, arrays or tensors of numbers, in one or two dimensions, as float64.

    None in a list becomes NaN.
    """
    array = array_of(value, what)
    if array.dtype == np.float64 and 1 <= array.ndim <= 2:
        return array
    if array.dtype.kind == "O" and array.ndim in (1, 2):
        array = _without_none(array, what)
    kind = array.dtype.kind
    # Other libraries' short floats, such as bfloat16, are void to NumPy.
    if (kind not in "biuf" and "float" not in array.dtype.name) or array.ndim not in (1, 2):
        raise DataError(
            f"{what} must be numbers in one or two dimensions, not {array.dtype} in {array.ndim}."
        )
    return array.astype(np.float64)


_FEW = 4096
_BLOCK = 1 << 17


def all_finite(values: Array) -> bool:
    """Return whether all values are finite."""
    flat = values.reshape(-1)
    if len(flat) <= _FEW:
        return bool(np.isfinite(flat).all())
    return all(on_each(_sums_up, _blocks(flat)))


def _sums_up(values: Array) -> bool:
    # Without a mask as long as the values; an overflow is looked into.
    with np.errstate(all="ignore"):
        return math.isfinite(values.sum()) or bool(np.isfinite(values).all())


def lowest(values: Array) -> float:
    """Return the lowest of some numbers, NaN if one is."""
    found = on_each(np.min, _blocks(values))
    return float(found[0] if len(found) == 1 else np.min(found))


def _blocks(values: Array) -> list[Array]:
    """Return the values in parts that make it worth while to divide the work."""
    return [values[i : i + _BLOCK] for i in range(0, len(values), _BLOCK)]


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
