"""The state of an Evaluator as bytes: a header in JSON, then plain arrays. Nothing is executed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core.aggregate import Part as AggregatePart
from rankstone.core.items import ListCounts
from rankstone.core.ranked_rows import RankedRows
from rankstone.core.tally import Tally
from rankstone.errors import DataError, Notice
from rankstone.measures.compute import State, Values
from rankstone.verbs.parts import Part

_MAGIC = b"rankstone/evaluator/2\n"
_TYPES = {"f": np.dtype("<f8"), "i": np.dtype("<i8")}
_ROWS = (
    "offsets", "rank", "grade", "original_grade", "score", "judgment", "above", "tied",
    "retrieved", "judged_offsets", "judged_grade", "pooled", "pooled_offsets",
)  # fmt: skip


def to_bytes(part: Part, about: Mapping[str, Any]) -> bytes:
    """Return a part as bytes; ``about`` says what it is a part of."""
    arrays: list[np.ndarray] = []

    def put(array: np.ndarray | None) -> Any:
        if array is None:
            return None
        kind = "f" if array.dtype.kind == "f" else "i"
        arrays.append(np.ascontiguousarray(array, _TYPES[kind]))
        return kind, len(array)

    def put_all(columns: Mapping[str, np.ndarray]) -> dict[str, Any]:
        return {name: put(column) for name, column in columns.items()}

    values = part.values
    header = {
        "about": about,
        "queries": list(values.queries),
        "columns": put_all(values.columns),
        "weights": put_all(values.weights),
        "aggregates": _written(values.aggregates),
        "worst": _written(part.worst),
        "best": _written(part.best),
        "tally": asdict(part.tally),
        "unanswered": part.unanswered,
        "rankings": [
            {
                "conventions": c.to_dict(),
                "queries": list(r.queries),
                "rule": r.rule,
                "max_grade": r.max_grade,
                "rows": {name: put(getattr(r, name)) for name in _ROWS},
            }
            for c, r in part.rankings.items()
        ],
    }
    text = json.dumps(header).encode()
    size = len(text).to_bytes(8, "little")
    content = b"".join([size, text, *(array.tobytes() for array in arrays)])
    return _MAGIC + sha256(content).digest() + content


def from_bytes(data: bytes) -> tuple[Part, dict[str, Any]]:
    """Return the part that ``to_bytes`` wrote, and a record of the evaluation that it belongs to."""
    try:
        return _read(memoryview(data).cast("B"))
    except (
        ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError
    ) as error:  # fmt: skip
        raise DataError(
            f"this is not the state of an Evaluator ({error}). Give what Evaluator.state() "
            "returned, whole and from the same version of Rankstone."
        ) from None


def _read(data: memoryview) -> tuple[Part, dict[str, Any]]:
    content = len(_MAGIC) + 32
    if bytes(data[: len(_MAGIC)]) != _MAGIC:
        raise ValueError("it does not begin like one")
    if sha256(data[content:]).digest() != bytes(data[len(_MAGIC) : content]):
        raise ValueError("it was changed or cut short")
    start = content + 8
    end = start + int.from_bytes(data[content:start], "little")
    header = json.loads(bytes(data[start:end]))
    place = end

    def take(form: Any) -> Any:
        nonlocal place
        if form is None:
            return None
        dtype, n = _TYPES[form[0]], int(form[1])
        first, place = place, place + n * dtype.itemsize
        if n < 0 or place > len(data):
            raise ValueError("it is cut short")
        return np.frombuffer(data[first:place], dtype)

    def take_all(forms: Mapping[str, Any]) -> dict[str, np.ndarray]:
        return {name: take(form) for name, form in forms.items()}

    values = Values(
        list(header["queries"]),
        take_all(header["columns"]),
        take_all(header["weights"]),
        _aggregates(header["aggregates"]),
    )
    worst, best = _aggregates(header["worst"]), _aggregates(header["best"])
    rankings = {}
    for entry in header["rankings"]:
        conventions = Conventions(**entry["conventions"])
        rankings[conventions] = RankedRows(
            queries=list(entry["queries"]),
            rule=str(entry["rule"]),
            max_grade=float(entry["max_grade"]),
            conventions=conventions,
            **take_all(entry["rows"]),  # type: ignore[arg-type]
        )
    if place != len(data):
        raise ValueError("there are bytes behind its end")
    if any(len(c) != len(values.queries) for c in values.columns.values()):
        raise ValueError("its columns differ in length")
    part = Part(values, _tally(header["tally"]), list(header["unanswered"]), worst, best, rankings)
    return part, header["about"]


def _written(aggregates: Mapping[str, State]) -> dict[str, Any]:
    return {
        name: [p.parts, p.n, p.weight, p.values]
        if isinstance(p, AggregatePart)
        else {**vars(p), "inside": p.inside.tolist(), "counts": p.counts.tolist()}
        for name, p in aggregates.items()
    }


def _aggregates(data: Mapping[str, Any]) -> dict[str, State]:
    return {name: _aggregate(part) for name, part in data.items()}


def _aggregate(data: Any) -> State:
    if isinstance(data, dict):
        ids, counts = list(map(str, data["ids"])), np.array(data["counts"], np.int64)
        inside = np.array(data["inside"], bool)
        if counts.ndim != 2 or not len(ids) == len(inside) == len(counts):
            raise ValueError("its counts of items differ in length")
        return ListCounts(int(data["n"]), int(data["size"]), ids, inside, counts)
    parts, n, weight, values = data
    return AggregatePart(
        tuple(map(float, parts)),
        int(n),
        None if weight is None else tuple(map(float, weight)),
        tuple(map(float, values)),
    )


def _tally(data: dict[str, Any]) -> Tally:
    lists = {
        "reading": tuple(
            Notice(**{**n, "examples": tuple(n["examples"])}) for n in data["reading"]
        ),
        **{name: tuple(data[name]) for name in ("missing", "unjudged", "twins")},
        "examples": {code: tuple(some) for code, some in data["examples"].items()},
    }
    return Tally(**{**data, **lists})
