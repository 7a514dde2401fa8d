"""Columns of tables, as in columns.hpp and match_columns.hpp."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from rankstone.core.ids import key_of
from rankstone.core.python_engine.place import Outcome, Row, arrays_of, place, sampled, samples_of
from rankstone.core.python_engine.text import UnjudgedQueries, judgments_of
from rankstone.core.row_layout import ColumnFault

NUMBERS = {
    "c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
    "f": "f4", "g": "f8",
}  # fmt: skip
_FORMATS = {np.dtype(t): f for f, t in NUMBERS.items()} | {np.dtype(bool): "b"}


@dataclass(frozen=True, eq=False)
class Column:
    """A column: text as bytes, numbers as numbers, None for a missing value."""

    format: str
    values: list[Any]

    def __len__(self) -> int:
        return len(self.values)

    def of_codes(self, codes: Column) -> Column:
        """Return the column whose row i is row ``codes[i]`` of this one."""
        return Column(self.format, [self.values[c] for c in codes.values])

    @property
    def keys(self) -> list[bytes]:
        """The ids as bytes in whose order they sort."""
        return [key_of(v) if isinstance(v, int) else v for v in self.values]


def column_of_array(array: np.ndarray) -> Column:
    """Take an array of numbers as a column."""
    return Column(_FORMATS[array.dtype], array.tolist())


def column_of_objects(values: list[Any]) -> tuple[Column | None, int | None]:
    """Take texts or whole numbers as a column, or say which row is neither."""
    if not values or isinstance(values[0], str):
        texts = []
        for i, value in enumerate(values):
            if not isinstance(value, str):
                return None, i
            try:
                texts.append(value.encode("utf-8", "surrogateescape"))
            except UnicodeEncodeError:
                return None, i
        return Column("U", texts), None
    numbers: list[int] = []
    low = high = 0
    for i, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            return None, i
        low, high = min(low, int(value)), max(high, int(value))
        if low < -(1 << 63) or high >= 1 << 64 or (low < 0 and high >= 1 << 63):
            return None, i
        numbers.append(int(value))
    return Column("L" if high >= 1 << 63 else "l", numbers), None


def _faults(column: Column, which: int, numbers: bool) -> Iterator[tuple[int, int, int]]:
    """Yield (row, column, kind) for the first value that cannot be used."""
    for row, value in enumerate(column.values):
        if value is None:
            yield row, which, int(ColumnFault.MISSING)
        elif numbers and not isfinite(value):
            yield row, which, int(ColumnFault.NOT_FINITE)
        elif value == b"":
            yield row, which, int(ColumnFault.EMPTY)
        else:
            continue
        return


def _fault(query: Column, doc: Column, number: Column | None) -> tuple[int, int, int] | None:
    """Return (kind, column, row) of the first value that cannot be used."""
    faults = [*_faults(query, 0, numbers=False), *_faults(doc, 1, numbers=False)]
    if number is not None:
        faults += _faults(number, 2, numbers=True)
    if not faults:
        return None
    row, which, kind = min(faults)
    return kind, which, row


def match_columns(
    query: Column,
    doc: Column,
    score: Column | None,
    rank: Column | None,
    ascending: bool,
    index: Any,
    float32: bool,
    threads: int,  # noqa: ARG001
    range_size: int,  # noqa: ARG001
    repeats: bool,
) -> dict[str, Any]:
    """Place the judged documents of a run held in columns."""
    fault = _fault(query, doc, score)
    if fault:
        return {"fault": fault}
    ranks = [None] * len(query) if rank is None else [_rank(v) for v in rank.values]
    rows: dict[bytes, list[Row]] = {}
    for i, (q, d) in enumerate(zip(query.keys, doc.keys, strict=True)):
        block = rows.setdefault(q, [])
        number = -float(len(block)) if score is None else float(score.values[i])
        if score is not None:
            number = _rounded(0.0 - number if ascending else number, float32)
        block.append((d, number, ranks[i]))
    outcomes = [Outcome() for _ in index.docs]
    unjudged = UnjudgedQueries()
    names = {}
    for name, block in rows.items():
        judged = index.queries.get(name)
        if judged is None:
            unjudged.add(name)
            continue
        outcomes[judged] = place(block, index.docs[judged], repeats=repeats)
        names[judged] = name
    return {
        **arrays_of(outcomes),
        **unjudged.report(),
        "fault": None,
        "doc_samples": samples_of(
            sampled(outcomes, index.docs), lambda q: rows[names[q]], index.docs
        ),
    }


def _rounded(number: float, float32: bool) -> float:
    if not float32:
        return number
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def _rank(value: Any) -> int | None:
    return int(value) if value is not None and 0 <= value < 1e9 else None


def judge_columns(query: Column, doc: Column, grade: Column | None) -> dict[str, Any]:
    """Group judgments held in columns; without grades every row counts 1."""
    fault = _fault(query, doc, grade)
    if fault:
        return {"fault": fault}
    groups: dict[bytes, dict[bytes, list[float]]] = {}
    grades = grade.values if grade else [1.0] * len(query)
    for q, d, g in zip(query.keys, doc.keys, grades, strict=True):
        groups.setdefault(q, {}).setdefault(d, []).append(float(g))
    return judgments_of(groups)
