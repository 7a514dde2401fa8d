"""Judgments and runs in dataframes: pandas, polars, Arrow, DuckDB and what speaks Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.core.dicts import no_scores
from rankstone.core.ids import Ids, numbers_of
from rankstone.core.judgments import Judgments
from rankstone.core.matches import DocsByQuery, Matches
from rankstone.core.notices import judgment_notices
from rankstone.core.provenance import MEMORY, Source
from rankstone.core.row_layout import ColumnFault
from rankstone.core.run import Block, Row
from rankstone.core.subtopics import Aspect, subtopic_notices, with_subtopics
from rankstone.core.text import decode
from rankstone.errors import INSTALL, DataError, MissingDependencyError, Notice, UsageError
from rankstone.frozen import frozen
from rankstone.io import column_roles
from rankstone.io.column_roles import Roles, plain_name, wanted_names
from rankstone.io.formats import run_name
from rankstone.io.frames.columns import (
    PlainTable,
    Table,
    as_narwhals,
    cells_of,
    grades_in,
    ids_in,
    no_value,
    open_table,
    place_of,
    reads_as_number,
)
from rankstone.io.input_file import DEFAULT, ReadOptions
from rankstone.io.nuggets import is_vital
from rankstone.language import tr

_RANGE = 1 << 16
_LIKED = 4  # of five stars: the lowest rating that recommender papers count as a hit
_TEXT = {"u", "U", "vu"}
_INTEGERS = set("cCsSiIlL")
_FLOATS = {"f", "g"}
_NO_NUMBERS = {"n", "z", "Z", "t", "+"}  # bytes, times, lists: no cell reads as a number
_WORDS = {
    "n": "nothing but missing values", "b": "booleans", "e": "16-bit floats", "z": "bytes",
    "Z": "bytes", "vz": "bytes", "d": "decimals", "t": "dates or times", "+": "lists or records",
    "f": "floats", "g": "floats",
}  # fmt: skip


def is_frame(data: Any) -> bool:
    """Return whether data is a table of columns of a kind that can be read here."""
    kind = type(data)
    if any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_schema", "iloc")):
        return hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "columns")
    return hasattr(kind, "__narwhals_dataframe__") or as_narwhals(data) is not None


def judgments_of(
    data: Any, options: ReadOptions = DEFAULT, source: Source = MEMORY, *, typed: bool = True
) -> Judgments:
    """Take a table of queries, documents and grades; if these do not matter, every row counts 1."""
    table, columns, graded = open_table(data), options.columns, options.graded
    what = "the judgments" if source is MEMORY else source.name
    roles = roles_of(table, "judgments", what, columns, graded=graded)
    query, doc, grade = _taken(table, roles, what)
    if not len(query):
        raise DataError(f"{what}: the table has no rows.")
    scan = engine.load().judge_columns(query, doc, grade)
    if scan["fault"]:
        raise _fault(what, roles, scan["fault"], typed=typed)
    judgments = Judgments(
        _ids(query, scan["query_bytes"], scan["query_offsets"], typed),
        scan["groups"],
        _ids(doc, scan["doc_bytes"], scan["doc_offsets"], typed),
        scan["grades"],
        source,
    )
    if not graded:
        return judgments
    for key, numbers in (("query", is_whole(query)), ("doc", is_whole(doc))):
        if numbers:
            _decode_examples(scan, key)
    if rows := _aspects(table, (query, doc, grade), what, columns):
        judgments, counts = with_subtopics(judgments, rows)
        scan |= counts
    notices = [*roles.notices, *judgment_notices(scan), *subtopic_notices(judgments)]
    name = roles.names[2]
    if name is not None and plain_name(name) == "rating" and "grade" not in (columns or {}):
        notices += ratings_as_grades(tr("the column {!r}").format(name), scan["grades"])
    return replace(judgments, notices=tuple(notices))


def _aspects(
    table: Table, judged: tuple[Any, Any, Any], what: str, columns: Mapping[str, Any] | None
) -> list[Aspect]:
    """Return the grades by subtopic, none if no column is named and none holds several subtopics."""
    named, weighed = column_roles.subtopic_columns(what, table.names, columns)
    if named is None:
        return []

    def values(column: Any, name: str) -> list[Any]:
        if _kind(column) not in ("text", "whole"):
            raise DataError(
                f"{what}: column {name!r} holds {_words(column.format)}; a subtopic is text or a "
                f"whole number. Cast the column; columns={{'subtopic': None}} leaves it out."
            )
        return ids_in(column, numbers=is_whole(column), what=f"{what}: column {name!r}")

    query, doc, grade = judged
    subtopics = values(table.take([named])[named], named)
    if len(set(subtopics)) < 2 and not wanted_names(columns, "subtopic"):
        return []
    importance = None if weighed is None else values(table.take([weighed])[weighed], weighed)
    ids = values(query, "query"), values(doc, "doc")
    made = []
    for row, own in enumerate(zip(*ids, grades_in(grade, len(doc)), subtopics, strict=True)):
        where = f"{what}, row {row} (rows count from 0)"
        vital = None if importance is None else is_vital(importance[row], own[-1], where)
        made.append(Aspect(*own, vital))
    return made


def ratings_as_grades(what: str, grades: np.ndarray) -> list[Notice]:
    """Return the notice that ratings became grades, unless no rating is a high one."""
    high = int((grades >= _LIKED).sum())  # a count that adds up over parts
    if not high:
        return []
    text = tr(
        "{0} holds the grades: gains grow with them, and relevance= (1 by default) is the "
        "lowest that is relevant. Recommender papers count ratings from {1} up as hits: "
        "relevance={1} (-c relevance={1}), and NAME(gain='binary') for a measure with gains"
    ).format(what, _LIKED)
    return [Notice("ratings-as-grades", high, text, level="note")]


def run_of(
    data: Any, options: ReadOptions = DEFAULT, source: Source = MEMORY, *, typed: bool = True
) -> FrameRun:
    """Take a table of queries, documents and scores or ranks; or of documents, best first."""
    table, ascending = open_table(data), options.ascending
    name = options.name or ("run" if source is MEMORY else run_name(source.name))
    what = name if source is MEMORY else source.name
    roles = roles_of(table, "run", what, options.columns)
    query, doc, number, *rest = _taken(table, roles, what)
    if not len(query):
        raise DataError(f"{what}: the table has no rows.")
    if ascending and (number is None or roles.number_role == "rank"):
        raise UsageError(no_scores(what))
    return FrameRun(
        name,
        source,
        what,
        roles,
        query,
        doc,
        number,
        rest[0] if rest else None,
        options.threads or os.cpu_count() or 1,
        typed,
        ascending or roles.number_role in ("rank", "distance"),
    )


def roles_of(
    table: Table, kind: str, what: str, columns: Mapping[str, Any] | None, *, graded: bool = True
) -> Roles:
    """Return the columns of a table by role; ``kind`` is ``judgments`` or ``run``."""

    def kinds(names: Sequence[str]) -> dict[str, str]:
        return {name: _kind_or_other(table, name) for name in dict.fromkeys(names)}

    try:
        if kind == "judgments":
            return column_roles.judgment_roles(what, table.names, columns, graded, kinds)
        return column_roles.run_roles(what, table.names, columns, kinds)
    except DataError as error:
        raise DataError(f"{error}{_elsewhere(table)}") from None


def _elsewhere(table: Table) -> str:
    """Return a hint to a column that was not found: in an index, or in a column of lists."""
    index = getattr(getattr(table.data, "index", None), "names", None) or ()
    named = [str(name) for name in index if name is not None and str(name) not in table.names]
    if named:
        return f" The index holds {', '.join(map(repr, named))}: give frame.reset_index()."
    single = len({*table.names}) == len(table.names)
    if single and (lists := [name for name in table.names if _holds_lists(table, name)]):
        return (
            f" Column {lists[0]!r} holds lists; give a row to each document, for example with "
            f"frame.explode({lists[0]!r}), or a dict of the lists by query."
        )
    return ""


def _holds_lists(table: Table, name: str) -> bool:
    try:
        return str(table.take([name])[name].format).startswith("+")
    except DataError as error:
        return any(f"({kind})" in str(error) for kind in ("list", "tuple", "ndarray"))


@frozen(eq=False)
class FrameRun:
    """A run in the columns of a table; ``what`` names it in errors."""

    name: str
    source: Source
    what: str
    roles: Roles
    query: Any
    doc: Any
    number: Any
    rank: Any
    threads: int
    typed: bool
    ascending: bool
    notices: tuple[Notice, ...] = ()

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is, 0 if there are no scores."""
        if self.number is None or self.roles.number_role == "rank":
            return 0
        return -1 if self.ascending else 1

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents in the order of the rows."""
        queries, docs, numbers = self._columns()
        yield from zip(queries, docs, numbers.tolist(), strict=True)

    def blocks(self, most: int) -> Iterator[Block]:
        """Yield all rows in one block."""
        queries, docs, numbers = self._columns()
        pieces = [(query, len(list(some))) for query, some in groupby(queries)]
        sizes = np.array([size for _, size in pieces], np.int64)
        yield Block([query for query, _ in pieces], sizes, docs, numbers)

    def _columns(self) -> tuple[list[Any], list[Any], np.ndarray]:
        """Return queries, documents and numbers; the highest number is the best."""
        queries, docs = (
            list(ids_in(column, numbers=is_whole(column), what=f"{self.what}: the {what} column"))
            for what, column in (("query", self.query), ("document", self.doc))
        )
        count = len(self.doc)
        given = range(count, 0, -1) if self.number is None else grades_in(self.number, count)
        sign = -1.0 if self.number is not None and self.ascending else 1.0
        return queries, docs, sign * np.array(given, np.float64)

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the columns."""
        numbers = (is_whole(self.query), is_whole(self.doc))
        scan = engine.load().match_columns(
            self.query,
            self.doc,
            self.number,
            self.rank,
            self.ascending,
            judgments.index(numbers=numbers, typed=self.typed),
            float32,
            self.threads,
            _RANGE,
            repeats,
        )
        if scan["fault"]:
            raise _fault(self.what, self.roles, scan["fault"], typed=self.typed)
        if self.number is None:
            scan["score"] = -scan["above"].astype(np.float64)
        queries, bounds, docs, offsets = scan["doc_samples"]
        return Matches.of(
            scan,
            duplicate={q: _id(d, numbers[1]) for q, d in scan["duplicate"].items()},
            unjudged_queries=scan["unjudged_queries"],
            unjudged_capped=scan["unjudged_capped"],
            unjudged_sample=tuple(_id(q, numbers[0]) for q in scan["unjudged_sample"]),
            doc_samples=DocsByQuery(queries, bounds, _ids(self.doc, docs, offsets, self.typed)),
            notices=self.notices,
        )


def _kind_or_other(table: Table, name: str) -> str:
    """Return the kind of a column: ``number``, ``mixed``, ``text`` or ``other``."""
    try:
        column = table.take([name])[name]
    except DataError:  # such as numbers and text together, or decimals
        kind = "other"
    else:
        kind = _kind(column)
        if kind in ("whole", "float"):
            return "number"
        if column.format[:1] in _NO_NUMBERS:
            return kind
    return "mixed" if any(map(reads_as_number, cells_of(table, name))) else kind


def _kind(column: Any) -> str:
    form = column.format
    if form in _TEXT:
        return "text"
    if form in _INTEGERS:
        return "whole"
    return "float" if form in _FLOATS or form == "b" else "other"


def is_whole(column: Any) -> bool:
    """Return whether a column holds whole numbers."""
    return _kind(column) == "whole"


def _taken(table: Table, roles: Roles, what: str) -> list[Any]:
    """Return the columns of the roles, None for a role without one, each of a usable type."""
    names = list(dict.fromkeys(n for n in roles.names if n is not None))
    try:
        columns = table.take(names)
    except DataError as error:
        raise DataError(f"{what}: {error}") from error.__cause__
    taken = []
    for role, name in zip(roles.all, roles.names, strict=True):
        column = None if name is None else columns[name]
        if name is not None:
            is_id = role in ("query", "doc")
            if not is_id and isinstance(table.data, PlainTable) and _kind(column) == "text":
                column = table.data.numbers(name, role, what)
            _check_type(what, role, name, column)
        taken.append(column)
    return taken


def _check_type(what: str, role: str, name: str, column: Any) -> None:
    kind, form = _kind(column), column.format
    content = "text" if kind == "text" else _words(form)
    if role not in ("query", "doc"):
        if kind not in ("whole", "float"):
            raise DataError(
                f"{what}: column {name!r} holds {content}, not numbers. Cast it to float64, or pass the "
                f"column that is meant: columns={{{role!r}: ...}} (--columns {role}=...)."
            )
    elif kind not in ("text", "whole"):
        remedy = "Cast the column."
        if form in _FLOATS:
            remedy = (
                "Whole numbers become floats if a value is missing: drop those rows, then cast the "
                "column to int64."
            )
        elif form.startswith("+"):
            remedy = f"Give a row to each document, for example with frame.explode({name!r})."
        noun = "query" if role == "query" else "document"
        raise DataError(
            f"{what}: column {name!r} holds {content}; a {noun} id is text or a whole number. {remedy}"
        )


def _words(form: str) -> str:
    return _WORDS.get(form) or _WORDS.get(form[:1]) or f"values of the Arrow type {form!r}"


def _fault(what: str, roles: Roles, fault: tuple[int, int, int], *, typed: bool) -> DataError:
    kind, which, row = fault
    name = roles.names[which]
    place = place_of(row, in_file=not typed)
    if kind == ColumnFault.MISSING:
        hint = "" if typed else " A blank line may be read as a row."
        return DataError(f"{what}: {no_value(str(name), place)}{hint}")
    if kind == ColumnFault.NOT_FINITE:
        return DataError(
            f"{what}: the {roles.number_role} in {place} of column {name!r} is not a finite "
            "number. Remove the row or repair what made it."
        )
    noun = ("query", "document")[which]
    return DataError(
        f"{what}: empty {noun} id in {place} of column {name!r}. Give every {noun} an id."
    )


def _id(raw: bytes, number: bool) -> str | int:
    return numbers_of(raw)[0] if number else decode(raw)


def _ids(column: Any, raw: bytes, offsets: np.ndarray, typed: bool) -> Ids:
    return Ids.from_keys(raw) if is_whole(column) else Ids.from_bytes(raw, offsets, typed=typed)


def _decode_examples(scan: dict[str, Any], which: str) -> None:
    """Write the numbers of examples as text."""
    at = ("query", "doc").index(which)
    for key in ("repeated", "contradicting"):
        if scan[key]:
            pair = list(scan[f"{key}_example"])
            pair[at] = str(numbers_of(pair[at])[0]).encode()
            scan[f"{key}_example"] = tuple(pair)


def missing(library: str, what: str) -> MissingDependencyError:
    """Return the error that says what to install."""
    return MissingDependencyError(
        f"{what} needs the library {library}: {INSTALL.format('frames')}."
    )
