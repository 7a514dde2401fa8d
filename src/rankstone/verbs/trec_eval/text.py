"""Values as trec_eval prints them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.core.text import escape_controls

_CHUNK = 256


@dataclass(frozen=True, eq=False)
class Row:
    """A line for each query: its label, the values or texts, and how they are written."""

    label: str
    values: Sequence[Any]
    integer: bool = False
    text: bool = False


def lines(rows: Sequence[Row], queries: Sequence[str], *, zscore: bool = False) -> Iterator[str]:
    """Yield the lines of all queries, many at a time.

    A line is the label in 22 columns, the query and the value with 4 decimals, whole numbers
    and texts as they are, but for characters that would steer a terminal.
    """
    if not rows:
        return
    pattern = "".join(_pattern(row, zscore) for row in rows)
    table = zip(*(_plain(row, zscore) for row in rows), strict=True)
    part = []
    for query, values in zip(queries, table, strict=True):
        shown = escape_controls(query).replace("%", "%%")
        part.append(pattern.replace("\0", shown) % values)
        if len(part) == _CHUNK:
            yield "".join(part)
            part.clear()
    yield "".join(part)


def _pattern(row: Row, zscore: bool) -> str:
    label = f"{row.label:<22}".replace("%", "%%")
    if row.text:
        return f"{label}\t\0\t%s\n"
    if row.integer and not zscore:
        return f"{label}\t\0\t%d\n"
    return f"{'Z' if zscore else ''}{label}\t\0\t%6.4f\n"


def _plain(row: Row, zscore: bool) -> list[Any]:
    if row.text:
        return [escape_controls(str(text)) for text in row.values]
    values = np.asarray(row.values, np.float64)
    if row.integer and not zscore:
        values = values.astype(np.int64)
    return values.tolist()
