"""trec_eval's measures by its own names, in its own order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.errors import UsageError, did_you_mean
from rankstone.measures.base import REGISTRY, Measure
from rankstone.measures.lines import Line

NEWEST = 10
RUN_ID = Line("runid", 0, "official all_trec set prefs all_prefs qrels_jg", format="any")
RELEVANCE = Line("relstring", 12, "all_trec", values=(10,))

_REAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"\s*[+-]?\d+")


@dataclass(frozen=True, eq=False)
class Column:
    """A line of output: its label, trec_eval's measure and ours, None for what is no number."""

    label: str
    line: Line
    measure: Measure | None = None
    length: int = 0


def table(version: int = NEWEST) -> dict[str, tuple[Line, Measure | None]]:
    """Return what trec_eval measures, by name and in the order of its output."""
    found: list[tuple[Line, Measure | None]] = [(RUN_ID, None), (RELEVANCE, None)]
    found += [(line, m) for m in REGISTRY.values() for line in m.definition.lines]
    known = sorted((e for e in found if e[0].since <= version), key=lambda e: e[0].place)
    return {line.name: (line, m) for line, m in known}


def nicknames(version: int = NEWEST) -> dict[str, list[str]]:
    """Return the names of measures by nickname."""
    sets: dict[str, list[str]] = {}
    for line, _ in table(version).values():
        for name in line.sets.split():
            sets.setdefault(name, []).append(line.name)
    return sets


def columns(
    wanted: Iterable[str], version: int = NEWEST, *, lenient: bool = False, **given: Any
) -> list[Column]:
    """Return the lines that ``-m`` options ask for, in the order of the output.

    ``given`` are parameters for all measures that have them.
    """
    known, sets = table(version), nicknames(version)
    arguments: dict[str, str] = {}
    marked: set[str] = set()
    for text in wanted:
        name, dot, rest = text.partition(".")
        if dot and not rest:
            raise UsageError(f"measure {text!r}: parameters are missing after the dot.")
        if name not in known and name not in sets:
            hint = did_you_mean(name, [*known, *sets])
            raise UsageError(f"trec_eval has no measure {name!r}.{hint}")
        if dot:
            arguments.setdefault(name, rest)
        marked.update(sets.get(name, [name]))
    return [
        column
        for name, (line, m) in known.items()
        if name in marked
        for column in _columns(line, m, arguments.get(name), version, lenient, given)
    ]


def _columns(
    line: Line,
    m: Measure | None,
    text: str | None,
    version: int,
    lenient: bool,
    given: dict[str, Any],
) -> list[Column]:
    label = line.name if text is None else f"{line.name}_{text}"
    if m is None:
        length = int(line.values[0]) if line.values else 0
        if text is not None and line.values:
            length = max(0, int(_numbers(text, _REAL, lenient, line.name)[0]))
        return [Column(label if line.values else line.name, line, None, length)]
    params = {**line.params, **(line.old or {})} if version < NEWEST else dict(line.params)
    params |= {n: v for n, v in given.items() if n in m.params}
    if line.each is None:
        if text is not None:
            if not line.gains and line.read is None:
                label = line.name
            params |= _parameters(line, m, text, lenient)
        return [Column(label, line, m(**params))]
    values = line.values
    whole = m.definition.param(line.each).type is int
    if text is not None:
        found = _numbers(text, _WHOLE if whole else _REAL, lenient, line.name)
        values = tuple(sorted(found))
        if len(set(values)) < len(values):
            raise UsageError(f"{line.name}.{text}: a cut-off is given twice.")
    form = "_%d" if whole else "_%3.2f"
    return [
        Column(line.name + form % v, line, Measure(m.definition, {**params, line.each: v}))
        for v in values
    ]


def _parameters(line: Line, m: Measure, text: str, lenient: bool) -> dict[str, Any]:
    if line.read is not None:
        try:
            return dict(line.read(_numbers(text, _REAL, lenient, line.name)))
        except ValueError:
            raise UsageError(f"{line.name}.{text}: wrong number of parameters.") from None
    if not line.gains:
        return {}
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(equals for _, equals, _ in pairs):
        raise UsageError(f"{line.name}.{text}: write gains as grade=gain, such as 1=3,2=9.")
    values = _numbers(",".join(v for _, _, v in pairs), _REAL, lenient, line.name)
    params: dict[str, Any] = {}
    gains: dict[int, float] = {}
    for (name, _, _), value in zip(pairs, values, strict=True):
        if re.fullmatch(r"[+-]?\d+", name):
            gains.setdefault(int(name), value)
        elif name in m.params:
            params[name] = value
        else:
            raise UsageError(f"{line.name}.{text}: {name!r} is no grade.")
    if gains and "gain" in m.params:
        params |= {"gain": gains, "unlisted": "grade"}
    return params


def _numbers(text: str, form: re.Pattern[str], lenient: bool, name: str) -> list[float]:
    """Return the numbers of a list; ``lenient`` reads each as far as it is one, as C does."""
    values = []
    for part in text.split(","):
        found = form.match(part)
        if not lenient and (found is None or found.end() < len(part)):
            kind = "whole number" if form is _WHOLE else "number"
            raise UsageError(f"{name}.{text}: {part!r} is not a {kind}.")
        values.append(float(found[0]) if found else 0.0)
    return values


def relevance_strings(r: Ranked, length: int) -> list[str]:
    """Return the grades of the first documents of each query, a character for each.

    Grades above 9 are ``>``; ``-`` was not in the pool, ``.`` was in it without a judgment.
    """
    shown = np.full((len(r), length), b"-", "S1")
    near = r.rank <= length
    grade = r.grade[near].astype(np.int64)
    digits = np.array([*b"0123456789>"], np.uint8).view("S1")
    shown[segments.numbers(r.offsets)[near], r.rank[near] - 1] = digits[np.minimum(grade, 10)]
    if r.pooled is not None and r.pooled_offsets is not None:
        near = r.pooled <= length
        shown[segments.numbers(r.pooled_offsets)[near], r.pooled[near] - 1] = b"."
    text = shown.tobytes().decode("ascii")
    depth = r.depth(length).tolist()
    return [text[q * length : q * length + n] for q, n in enumerate(depth)]
