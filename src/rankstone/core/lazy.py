"""Attributes that are computed on first access."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class _Lazy:
    """Computes an attribute on first access; unlike cached_property it never waits for a lock."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


def lazy(compute: Callable[[Any], T]) -> T:
    """Make a method an attribute that is computed on first access; to mypy it is that attribute."""
    return cast("T", _Lazy(compute))
