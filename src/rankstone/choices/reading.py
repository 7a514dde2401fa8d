"""How bytes and objects are understood: formats, encodings, columns, groups."""

from __future__ import annotations

from codecs import lookup
from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import groupby
from typing import Any

from rankstone.choices.base import Choices, at_least, option
from rankstone.frozen import frozen


def first_of(text: str | None) -> str | None:
    """Return the part of ``judgments:run`` that is about the judgments, or about both."""
    return (text or "").partition(":")[0] or None


def last_of(text: str | None) -> str | None:
    """Return the part of ``judgments:run`` that is about the run, or about both."""
    return (text or "").rpartition(":")[2] or None


def _is_encoding(text: str) -> str | None:
    try:
        for name in text.split(":"):
            lookup(name or "utf-8")
    except (LookupError, ValueError):
        return "the name of an encoding, such as cp1252, or of two with a colon between them"
    return None


_of_sheets, _of_arrays = (partial(option, goes_with=data) for data in ("sheets", "arrays"))


@frozen(kw_only=True, eq=False, repr=False)
class Reading(Choices):
    """How data are read; recorded with results, since the same bytes can mean other numbers."""

    title = "reading files"

    input_format: str | None = option(
        None,
        "format of the files, if it cannot be detected; JUDGMENTS:RUN for two",
        metavar="FORMAT",
        goes_with="files",
    )
    encoding: str | None = option(
        None,
        "encoding of text files (UTF-8), such as cp1252; cp1252:utf-8 for judgments and runs",
        check=_is_encoding,
        goes_with="files",
    )
    columns: Any = option(
        None,
        "columns of tables and keys of records by role: query=, doc=, score=, distance=, grade=, rank=, and "
        "expected=, retrieved= for lists in records; a dict such as {'query': 'uid', 'doc': 'sku'}",
        kind="columns",
        metavar="ROLE=NAME,...",
    )
    sheet: Any = _of_sheets(
        None,
        "sheet of the judgments' workbook: its name, or its number from 1 (the first)",
        kind="value",
    )
    header_row: int | None = _of_sheets(
        None,
        "row of the judgments' sheet that names its columns, as Excel numbers it (the first)",
        kind="whole",
        check=at_least(1),
    )
    fill_down: bool = _of_sheets(
        False,
        "in a judgments' sheet, an empty query is that of the row above, as in merged cells",
        kind="flag",
    )
    faulty_rows: str = _of_sheets(
        "error",
        "rows of a judgments' sheet without an id or with a grade that is not a number, such as totals",
        values={"error": "refuse the sheet", "skip": "leave them out, with a warning"},
    )
    query_ids: Any = option(
        None,
        "the queries of a search engine's responses in a file, or in Python of the rows of a table of "
        "ids, in their order: a list of ids, a file with an id in each line, or the body of the "
        "request, whose texts are the ids",
        kind="data",
    )
    group_sizes: Any = _of_arrays(
        None,
        "number of items of each query: an array beside arrays, or a file for LETOR rows without "
        "qid",
        kind="data",
    )
    qid: Any = _of_arrays(
        None,
        "with arrays, the query of each item, or of each row of a table",
        kind="data",
        flag=None,
    )
    mask: Any = _of_arrays(
        None,
        "with arrays, an array that is False at padding",
        kind="data",
        flag=None,
    )
    qid_blocks: str = _of_arrays(
        "merge",
        "items of a query that are not next to each other, by qid in arrays and in LETOR rows",
        values={
            "merge": "one list",
            "separate": "a list for each block; later blocks of q are the queries q#2, q#3 ...",
        },
    )


def block_names(queries: Iterable[Any]) -> list[str]:
    """Return the query of each item, with a name of its own for each block of equal ids.

    >>> block_names([7, 7, 8, 7])
    ['7', '7', '8', '7#2']
    """
    names: list[str] = []
    blocks: Counter[Any] = Counter()
    for query, items in groupby(queries):
        blocks[query] += 1
        name = str(query) if blocks[query] == 1 else f"{query}#{blocks[query]}"
        names += [name for _ in items]
    return names
