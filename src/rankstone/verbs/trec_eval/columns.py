"""The lines that ``-m`` options ask for, in the order of trec_eval's output."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rankstone.errors import UsageError, did_you_mean
from rankstone.frozen import frozen
from rankstone.measures.base import REGISTRY, Measure
from rankstone.tools.base import READINGS, holes
from rankstone.tools.trec_eval import NEWEST, Line, lines, nicknames

_REAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"\s*[+-]?\d+")


@frozen(eq=False)
class Column:
    """A line of output: its label, trec_eval's measure and Rankstone's, None if it is text."""

    label: str
    line: Line
    measure: Measure | None = None
    length: int = 0


def columns(
    requests: Iterable[str], version: int = NEWEST, *, lenient: bool = False, **given: Any
) -> list[Column]:
    """Return the lines that ``-m`` options ask for; ``given`` are parameters for all measures."""
    known, sets = lines(version), nicknames(version)
    arguments: dict[str, str] = {}
    chosen: set[str] = set()
    for text in requests:
        name, dot, rest = text.partition(".")
        if dot and not rest:
            raise UsageError(f"measure {text!r}: parameters are missing after the dot.")
        if name not in known and name not in sets:
            hint = did_you_mean(name, [*known, *sets])
            raise UsageError(f"trec_eval has no measure {name!r}.{hint}")
        if dot:
            arguments.setdefault(name, rest)
        chosen.update(sets.get(name, [name]))
    return [
        column
        for name, line in known.items()
        if name in chosen
        for column in _columns(line, arguments.get(name), version, lenient, given)
    ]


def _columns(
    line: Line, text: str | None, version: int, lenient: bool, given: dict[str, Any]
) -> list[Column]:
    if not line.measure:
        return [_text_column(line, text, lenient)]
    measure = REGISTRY[line.measure]
    params = line.params_in(version) | {n: v for n, v in given.items() if n in measure.params}
    if line.per_value_of:
        return _one_per_value(line, measure(**params), text, lenient)
    if text is None or not line.arguments:
        return [Column(line.name, line, measure(**params))]
    params |= _parameters(line, measure, text, lenient)
    return [Column(f"{line.name}_{text}", line, measure(**params))]


def _text_column(line: Line, text: str | None, lenient: bool) -> Column:
    """Return the tag of the run, or a string of grades of some length."""
    if text is None or not line.values:
        return Column(line.name, line, None, int(line.values[0]) if line.values else 0)
    length = max(0, int(_numbers(line, text, _REAL, lenient)[0]))
    return Column(f"{line.name}_{text}", line, None, length)


def _one_per_value(line: Line, measure: Measure, text: str | None, lenient: bool) -> list[Column]:
    whole = measure.definition.param(line.per_value_of).type is int
    values = line.values
    if text is not None:
        values = tuple(sorted(_numbers(line, text, _WHOLE if whole else _REAL, lenient)))
        if len(set(values)) < len(values):
            raise UsageError(f"{line.name}.{text}: a cutoff is given twice.")
    form = "_%d" if whole else "_%3.2f"
    return [
        Column(
            line.name + form % value,
            line,
            Measure(measure.definition, {**measure.params, line.per_value_of: value}),
        )
        for value in values
    ]


def _parameters(line: Line, measure: Measure, text: str, lenient: bool) -> dict[str, Any]:
    """Return the parameters written after the dot."""
    written = [hole for argument in line.arguments for hole in holes(argument)]
    if any("=" in argument for argument in line.arguments) or ("gain", "table") in written:
        return _gains(line, measure, text, lenient)
    values = _numbers(line, text, _REAL, lenient)
    if written == [("points", "list")]:
        return {"points": tuple(values)}
    if lenient and len(written) == 1:  # C reads one number, and does not look further
        values = values[:1]
    if len(values) != len(written):
        raise UsageError(f"{line.name}.{text}: wrong number of parameters.")
    return {
        param: READINGS[reading].value(str(value))
        for (param, reading), value in zip(written, values, strict=True)
    }


def _gains(line: Line, measure: Measure, text: str, lenient: bool) -> dict[str, Any]:
    """Return a table of gains, and parameters by name, from grade=gain,name=value."""
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(equals for _, equals, _ in pairs):
        raise UsageError(f"{line.name}.{text}: write gains as grade=gain, such as 1=3,2=9.")
    values = _numbers(line, ",".join(v for _, _, v in pairs), _REAL, lenient)
    params: dict[str, Any] = {}
    gains: dict[int, float] = {}
    for (name, _, _), value in zip(pairs, values, strict=True):
        if re.fullmatch(r"[+-]?\d+", name):
            gains.setdefault(int(name), value)
        elif name in measure.params:
            params[name] = value
        else:
            raise UsageError(f"{line.name}.{text}: {name!r} is not a grade.")
    if gains and "gain" in measure.params:
        params |= {"gain": gains, "unlisted": "grade"}
    return params


def _numbers(line: Line, text: str, form: re.Pattern[str], lenient: bool) -> list[float]:
    """Return the numbers of a list; ``lenient`` reads each as far as it is one, as C does."""
    values = []
    for part in text.split(","):
        match = form.match(part)
        if not lenient and (match is None or match.end() < len(part)):
            kind = "whole number" if form is _WHOLE else "number"
            raise UsageError(f"{line.name}.{text}: {part!r} is not a {kind}.")
        values.append(float(match[0]) if match else 0.0)
    return values
