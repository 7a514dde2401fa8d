"""The base of all choices: fields of frozen values, each with a text, a flag and a check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, field, fields, replace
from typing import Any, ClassVar, Self

from rankstone.errors import UsageError, one_of
from rankstone.frozen import frozen

#: Whether results that differ in a choice can be compared: no, with a warning, or yes.
EVALUATION, RUN, IDENTITY = "evaluation", "run", "identity"


_METAVARS = {"number": "X", "whole": "N", "data": "FILE"}


def option(
    default: Any,
    text: str,
    *,
    kind: str = "text",
    values: Mapping[str, str] | None = None,
    check: Callable[[Any], str | None] | None = None,
    flag: str | None = "",
    metavar: str | None = None,
    needs: str | None = None,
    part: str = EVALUATION,
    goes_with: str | None = None,
    **more: Any,
) -> Any:
    """Return a field that declares a choice.

    Args:
        default: value if nobody chooses.
        text: one sentence for help pages and docstrings.
        kind: ``text``, ``number``, ``whole``, ``flag``, ``data``, ``columns``, ``grades`` or
            ``list``: what a value is, how a command reads it, and how a result records it.
        values: the values there are, each with a text.
        check: returns what is wrong with a value, None if nothing is.
        flag: option of the command (default: the name of the field; None: not on the command line).
        metavar: what the help of the command calls the value (default: by its kind).
        needs: name of a choice without which this one means nothing.
        part: ``evaluation``, ``run`` or ``identity``: results that differ in it cannot be compared, can
            be with a warning, or can be.
        goes_with: the kind of data that it is for: ``files``, ``arrays``, ``documents`` with ids, or
            ``grades`` in rank order (default: any); or ``intervals`` beside values.
        more: further metadata.
    """
    metadata = {
        "text": text, "kind": kind, "check": check, "flag": flag,
        "metavar": metavar or _METAVARS.get(kind, "NAME"),
        "needs": needs, "part": part, "goes_with": goes_with, **more,
    }  # fmt: skip
    if values is not None:
        metadata["values"] = dict(values)
    return field(default=default, metadata=metadata)


@frozen(eq=False, repr=False)
class Choices:
    """Base of the values whose fields are choices."""

    title: ClassVar[str]  # heading of the group in help pages
    noun: ClassVar[str] = "choice"

    def __post_init__(self) -> None:
        """Check every choice that is not the default."""
        for f in fields(self):
            value = getattr(self, f.name)
            if value is not f.default:
                check_choice(f, value)
                needed = f.metadata.get("needs")
                if needed and value != f.default and getattr(self, needed) is None:
                    raise UsageError(
                        f"{f.name}= needs {needed}=: {field_of(self, needed)['text']}."
                    )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.given().items())
        return f"{type(self).__name__}({shown})"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the choices."""
        return tuple(f.name for f in fields(cls))

    @classmethod
    def going_with(cls, data: str) -> tuple[str, ...]:
        """Return the names of the choices for one kind of data."""
        return tuple(f.name for f in fields(cls) if f.metadata["goes_with"] == data)

    def given(self) -> dict[str, Any]:
        """Return the choices that are not the default."""
        pairs = ((f, getattr(self, f.name)) for f in fields(self))
        return {f.name: value for f, value in pairs if not is_default(f, value)}

    def replace(self, **choices: Any) -> Self:
        """Return the value with some choices made differently."""
        for name in choices:
            one_of(name, self.names(), self.noun)
        return replace(self, **choices) if choices else self


def field_of(choices: Any, name: str) -> Mapping[str, Any]:
    """Return the metadata of a field."""
    metadata: Mapping[str, Any] = choices.__dataclass_fields__[name].metadata
    return metadata


def is_default(f: Field[Any], value: Any) -> bool:
    """Return whether a value is the default; data are compared by identity alone."""
    return value is f.default or (
        f.metadata.get("kind") != "data" and type(value) is type(f.default) and value == f.default
    )


def check_choice(f: Field[Any], value: Any) -> None:
    """Refuse a value that a choice does not have."""
    about = f.metadata
    if "values" in about:
        if value is not None or f.default is not None:
            one_of(value, about["values"], f"value of {f.name}")
        return
    kind = about.get("kind")
    wrong = None
    if kind in ("number", "whole"):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if kind == "number" and is_number and not abs(value) < float("inf"):
            wrong = "a finite number"
        elif kind == "whole" and not isinstance(value, int):
            is_number = hasattr(value, "__index__")
        wrong = wrong or (None if is_number or value is None else _WORDS[kind])
    elif kind == "flag" and not isinstance(value, bool):
        wrong = "True or False"
    elif kind == "text" and value is not None and not isinstance(value, str):
        wrong = "text"
    if wrong is None and value is not None and about.get("check") is not None:
        wrong = about["check"](value)
    if wrong:
        raise UsageError(f"{f.name} must be {wrong}, not {value!r}.")


_WORDS = {"number": "a number", "whole": "a whole number"}


def at_least(bound: int) -> Callable[[Any], str | None]:
    """Return a check that a number is not below a bound."""
    return lambda value: None if value >= bound else f"at least {bound}"
