"""Values that a notebook shows as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: fields and keys by name, all for the key None.

    NaN and infinite numbers are None.
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if is_dataclass(value):
        return plain(vars(value))
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {_key(key): plain(own) for key, own in value.items()}
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _key(key: Any) -> str:
    return "all" if key is None else f"{key:g}" if isinstance(key, float) else str(key)


class Shown:
    """A value of a few numbers, which a notebook shows by name; ``to_dict`` returns them."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        data: dict[str, Any] = plain(vars(self))
        return data

    def _repr_html_(self) -> str:
        """Show the numbers in a notebook."""
        from rankstone.text.notebook import of_numbers

        return of_numbers(self)


class ByGroup(dict[Any, Any], Shown):
    """Aggregates by group of queries."""

    def to_dict(self) -> dict[str, Any]:
        """Return the number and the queries of each group."""
        names = {group: "(no group)" if group is None else str(group) for group in self}
        return {names[group]: {"value": s.value, "queries": s.n} for group, s in self.items()}
