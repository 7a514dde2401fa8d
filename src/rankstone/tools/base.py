"""Other tools as data: their conventions, and the meaning of their names of measures."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any, NamedTuple

from rankstone.choices.conventions import Conventions as Conventions  # noqa: PLC0414
from rankstone.errors import one_of
from rankstone.frozen import frozen

#: Reasons why a tool's measure is unsupported that several tools share.
NO_MEASURE = "Rankstone has no such measure"
CURVE = "it is a curve or a table of curve points, not one number"
RATINGS = "it measures predicted ratings or probabilities, not a ranking"
ANSWERS = "it judges texts or answers with a model, not a ranking by its judgments"
MORE_DATA = "it needs data on items or users beyond judgments and a run"

#: Sentences about a tool that hold for several tools.
CANDIDATES = "sees a list of candidates only: relevant documents outside it do not exist"
CALLER = "the caller ranks; documents with equal scores stay in input order"
SETS = "relevant items are a set, so grades are 0 or 1"
SKIPS = "users without relevant items are left out"
FLOAT32 = "it computes in 32 bits, so values agree to about 6 digits"
FAILS_EMPTY = "it fails on a query without relevant documents"
MEAN_OF_COUNTS = "it gives the mean over queries, not the sum"

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"


def _table(text: str) -> dict[float, float]:
    pairs = (part.split("=") for part in text.split(","))
    return {float(grade): float(gain) for grade, gain in pairs}


def _root(value: float) -> float:
    """Return the square root, with the sign of the value, so that negative ones stay wrong."""
    return math.copysign(math.sqrt(abs(value)), value)


class Reading(NamedTuple):
    """How a parameter is written in a name: the pattern of its text, and text to value and back."""

    pattern: str
    value: Callable[[str], Any]
    text: Callable[[Any], str] | None = None


#: By keyword; a hole ``{beta:square}`` in a name is read by the reading ``square``.
READINGS = {
    "number": Reading(_NUMBER, float, "{:g}".format),
    "square": Reading(_NUMBER, lambda text: _root(float(text)), lambda v: f"{v * v:g}"),
    "decimals": Reading(
        r"[0-9]+", lambda text: float(f"0.{text}"), lambda v: str(v).removeprefix("0.")
    ),
    "list": Reading(rf"{_NUMBER}(?:,{_NUMBER})*", lambda text: tuple(map(float, text.split(",")))),
    "table": Reading(rf"[0-9]+={_NUMBER}(?:,[0-9]+={_NUMBER})*", _table),
}
_HOLE = re.compile(r"\{(\w+)(?::(\w+))?\}")


def holes(pattern: str) -> list[tuple[str, str]]:
    """Return the parameters that are written in a pattern, each with its reading.

    >>> holes("set_F.{beta:square}@{k}")
    [('beta', 'square'), ('k', 'number')]
    """
    return [(param, reading or "number") for param, reading in _HOLE.findall(pattern)]


class Choices(NamedTuple):
    """The meaning of a value of a tool's parameter."""

    params: Mapping[str, Any] = {}
    conventions: Mapping[str, Any] = {}
    note: str = ""


@frozen
class Argument:
    """A parameter of a tool's functions, as it is written in parentheses.

    It sets the parameter ``param`` of the measure, to its value or to the square root of its
    value (``reading="square"``), and the further parameters ``also``; or each of its ``values``
    stands for some choices. ``measures`` are Rankstone's measures for which it does (default: all).
    """

    param: str = ""
    reading: str = "number"
    also: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[Any, Choices] = field(default_factory=dict)
    measures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the names of readings and conventions."""
        one_of(self.reading, ("number", "square"), "reading of an argument")
        for choices in self.values.values():
            Conventions().replace(**choices.conventions)

    def holds_for(self, measure: str) -> bool:
        """Return whether the parameter of one of Rankstone's measures is meant."""
        return not self.measures or measure in self.measures

    def choices(self, name: str, value: Any) -> Choices:
        """Return the meaning of a value; an error lists the values."""
        if self.values:
            known = {repr(v): choices for v, choices in self.values.items()}
            return known[one_of(repr(value), known, f"value of {name}")]
        if self.reading == "square" and isinstance(value, float | int):
            value = _root(value)
        return Choices({self.param: value, **self.also})


@frozen
class Name:
    """A tool's name of a measure, and the choices that make the measure that tool's.

    In ``pattern`` a hole such as ``{k}`` is where a parameter is written; ``{p:decimals}`` says
    how it is read. A tool may list several names of one measure in one pattern: ``P@{k} | Prec@{k}``. ``measure`` is Rankstone's name, ``params`` are fixed parameters.
    ``conventions`` are those on which this function differs from the rest of its tool; ``note``
    says what it does that no choice expresses. A name that is ``only_here`` means other things to
    other tools, and is read under ``like=`` alone.
    """

    pattern: str
    measure: str
    params: Mapping[str, Any] = field(default_factory=dict)
    conventions: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    only_here: bool = False

    def __post_init__(self) -> None:
        """Check the names of readings and conventions."""
        for _, reading in holes(self.pattern):
            one_of(reading, READINGS, "reading of a parameter")
        Conventions().replace(**self.conventions)

    @property
    def base(self) -> str:
        """The name without the place for a cutoff."""
        return self.pattern.replace("{k}", "").rstrip("@._").removesuffix("_at")

    @property
    def has_cutoff(self) -> bool:
        """Whether a cutoff is written in the name."""
        return "{k}" in self.pattern

    @property
    def is_plain(self) -> bool:
        """Whether the name has at most a cutoff, at its end."""
        written = holes(self.pattern)
        return written in ([], [("k", "number")]) and self.pattern.endswith(("{k}", self.base))

    @property
    def shown(self) -> str:
        """The pattern, without the readings of its parameters."""
        return _HOLE.sub(r"{\1}", self.pattern)

    def match(self, text: str) -> dict[str, Any] | None:
        """Return the parameters written in a text, None if the text is not this name."""
        match = self._regex.fullmatch(text)
        if match is None:
            return None
        return {
            param: READINGS[reading].value(match[param]) for param, reading in holes(self.pattern)
        }

    def written(self, params: Mapping[str, Any]) -> str | None:
        """Return the name with parameters of a measure in its holes, None if it cannot hold them."""
        text = self.shown
        for param, reading in holes(self.pattern):
            write = READINGS[reading].text
            if write is None:
                return None
            value = params.get(param)
            text = text.replace(f"{{{param}}}", param if value is None else write(value))
        return text

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        parts, end = [], 0
        for hole in _HOLE.finditer(self.pattern):
            reading = READINGS[hole[2] or "number"]
            parts += [
                re.escape(self.pattern[end : hole.start()]),
                f"(?P<{hole[1]}>{reading.pattern})",
            ]
            end = hole.end()
        return re.compile("".join([*parts, re.escape(self.pattern[end:])]), re.IGNORECASE)


@frozen(kw_only=True)
class Tool:
    """A version of another tool: its conventions, and its names of measures.

    Args:
        name: the tool and its version, ``xgboost-3``.
        about: what its users should know, in one line.
        conventions: its conventions, for all its measures.
        names: its names of measures, the usual one of a measure first.
        unsupported: names of which Rankstone cannot give the numbers, and why.
        arguments: parameters of its functions that are called or mean something else here.
        tested: the version whose numbers were compared; empty if nothing was compared.
        limits: what it does that no convention expresses.
    """

    name: str
    about: str
    conventions: Conventions
    names: tuple[Name, ...] = ()
    unsupported: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    tested: str = ""
    limits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """List each of several names in one pattern."""
        names = (replace(n, pattern=p) for n in self.names for p in n.pattern.split(" | "))
        object.__setattr__(self, "names", tuple(names))

    @cached_property
    def family(self) -> str:
        """The tool's name without the version."""
        return self.name.rsplit("-", 1)[0]

    @cached_property
    def by_base(self) -> dict[str, list[Name]]:
        """The names, by their bases in lower case."""
        return _by_base(self.names)

    @cached_property
    def refused(self) -> dict[str, list[Name]]:
        """The unsupported names, by their bases in lower case; the note is the reason."""
        return _by_base(Name(p, "", note=reason) for p, reason in self.unsupported.items())

    def names_of(self, measure: str) -> list[Name]:
        """Return the tool's names of one of Rankstone's measures."""
        return [name for name in self.names if name.measure == measure]


def _by_base(names: Any) -> dict[str, list[Name]]:
    groups: dict[str, list[Name]] = {}
    for name in names:
        groups.setdefault(name.base.lower(), []).append(name)
    return groups
