"""Frozen data classes whose definition costs little at start-up."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

_Class = TypeVar("_Class")
_set = object.__setattr__


@overload
def frozen(cls: type[_Class], /) -> type[_Class]: ...
@overload
def frozen(
    *, eq: bool = True, repr: bool = True, kw_only: bool = False
) -> Callable[[type[_Class]], type[_Class]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def frozen(
    cls: type[Any] | None = None,
    /,
    *,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - as in dataclasses
    kw_only: bool = False,
) -> Any:
    """Make a class a data class whose fields are set once, by ``__init__``.

    It is ``dataclasses.dataclass(frozen=True)``, except that classes share the methods other than
    ``__init__``: that decorator compiles six functions for each class, a quarter of the time in which the
    command starts.

    Args:
        cls: the class.
        eq: values are equal if their fields are, and have a hash (default); otherwise by identity.
        repr: whether the class shows its fields (default: yes).
        kw_only: whether ``__init__`` takes names only.
    """

    def make(cls: type[Any]) -> type[Any]:
        made = dataclasses.dataclass(cls, eq=False, repr=False, kw_only=kw_only)
        own: dict[str, Any] = {"__setattr__": _set_once, "__delattr__": _refuse}
        if eq:
            own |= _comparison(made)
        if repr:
            own["__repr__"] = _show
        for name, method in own.items():
            # A class that defines ``__eq__`` has a ``__hash__`` of None.
            if made.__dict__.get(name) is None:
                setattr(made, name, method)
        return made

    return make if cls is None else make(cls)


def _set_once(self: Any, name: str, value: object) -> None:
    known = name in self.__dataclass_fields__
    # A subclass that is not a data class may have attributes of its own, and change them.
    if name in self.__dict__ if known else "__dataclass_fields__" in type(self).__dict__:
        _refuse(self, name)
    _set(self, name, value)


def _refuse(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot change field {name!r} of {_name(self)}")


def _comparison(cls: type[Any]) -> dict[str, Any]:
    """Return the methods that compare and hash values by their fields, of which the names are found once."""
    own = dataclasses.fields(cls)
    compared = _tuple_of([f.name for f in own if f.compare])
    hashed = _tuple_of([f.name for f in own if (f.compare if f.hash is None else f.hash)])

    def equal(self: Any, other: object) -> Any:
        return compared(self) == compared(other) if type(other) is type(self) else NotImplemented

    def hash_of(self: Any) -> int:
        return hash(hashed(self))

    return {"__eq__": equal, "__hash__": hash_of}


def _tuple_of(names: list[str]) -> Callable[[Any], Any]:
    """Return the function that takes the values of some attributes."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple([getattr(value, name) for name in names])


def _show(self: Any) -> str:
    shown = [f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr]
    return f"{_name(self)}({', '.join(shown)})"


def _name(value: object) -> str:
    return type(value).__qualname__
