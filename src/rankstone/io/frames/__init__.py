"""Judgments and runs held in dataframes: pandas, polars, Arrow, DuckDB and what speaks Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.core.ids import Ids, numbers_of
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.provenance import Source
from rankstone.errors import DataError, MissingDependencyError
from rankstone.io.column_roles import Roles, judgment_roles, run_roles
from rankstone.io.formats.trec import judgment_notices
from rankstone.io.frames.columns import PlainTable, Take, as_narwhals, no_value, opened

_MEMORY = Source("memory")
_RANGE = 1 << 16
_TEXT = {"u", "U", "vu"}
_INTEGERS = set("cCsSiIlL")
_FLOATS = {"f", "g"}
_WORDS = {
    "n": "nothing but missing values", "b": "booleans", "e": "16-bit floats", "z": "bytes",
    "Z": "bytes", "vz": "bytes", "d": "decimals", "t": "dates or times", "+": "lists or records",
}  # fmt: skip


def is_frame(data: Any) -> bool:
    """Return whether data is a table of columns of a kind that can be read here."""
    kind = type(data)
    if any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_schema", "iloc")):
        return hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "columns")
    return hasattr(kind, "__narwhals_dataframe__") or as_narwhals(data) is not None


def judgments_of(
    data: Any,
    columns: Mapping[str, Any] | None = None,
    source: Source = _MEMORY,
    *,
    typed: bool = True,
    graded: bool = True,
) -> Judgments:
    """Take a table of queries, documents and grades; without ``graded`` every row counts 1."""
    _, take = opened(data)
    what = "the judgments" if source is _MEMORY else source.name
    roles = roles_of(data, "judgments", what, columns, graded=graded)
    held = _taken(take, roles, what)
    query, doc, grade = held
    if not len(query):
        raise DataError(f"{what}: the table has no rows.")
    found = engine.load().judge_columns(query, doc, grade)
    if found["fault"]:
        raise _fault(what, roles, found["fault"], "grade", typed=typed)
    for key, numbers in (("query", _is_number(query)), ("doc", _is_number(doc))):
        if numbers:
            _decode_examples(found, key)
    return Judgments(
        _ids(query, found["query_bytes"], found["query_offsets"], typed),
        found["groups"],
        _ids(doc, found["doc_bytes"], found["doc_offsets"], typed),
        found["grades"],
        source,
        tuple(judgment_notices(found)) if graded else (),
    )


def run_of(
    data: Any,
    columns: Mapping[str, Any] | None = None,
    name: str | None = None,
    threads: int | None = None,
    source: Source = _MEMORY,
    *,
    typed: bool = True,
) -> FrameRun:
    """Take a table of queries, documents and scores or ranks; or of documents, best first."""
    _, take = opened(data)
    what = name or "run"
    roles = roles_of(data, "run", what, columns)
    query, doc, number, *rest = _taken(take, roles, what)
    if not len(query):
        raise DataError(f"{what}: the table has no rows.")
    return FrameRun(
        what,
        source,
        roles.number_role == "score" and number is not None,
        roles,
        query,
        doc,
        number,
        rest[0] if rest else None,
        threads or os.cpu_count() or 1,
        typed,
    )


def names_of(data: Any) -> list[str]:
    """Return the names of a table's columns."""
    return opened(data)[0]


def roles_of(
    data: Any, kind: str, what: str, columns: Mapping[str, Any] | None, *, graded: bool = True
) -> Roles:
    """Return which columns of a table hold what; ``kind`` is ``judgments`` or ``run``."""
    names, take = opened(data)

    def kinds(some: Sequence[str]) -> dict[str, str]:
        return _kinds(take, some)

    try:
        if kind == "judgments":
            return judgment_roles(what, names, columns, graded, kinds)
        return run_roles(what, names, columns, kinds)
    except DataError as error:
        raise DataError(f"{error}{_elsewhere(data, names, take)}") from None


def _elsewhere(data: Any, names: Sequence[str], take: Take) -> str:
    """Say where a column may be that was not found: in an index, or as a column of lists."""
    index = getattr(getattr(data, "index", None), "names", None) or ()
    if named := [str(name) for name in index if name is not None and str(name) not in names]:
        return f" The index holds {', '.join(map(repr, named))}: give frame.reset_index()."
    single = len({*names}) == len(names)
    if single and (lists := [name for name in names if _holds_lists(take, name)]):
        return (
            f" Column {lists[0]!r} holds lists; give a row to each document, for example with "
            f"frame.explode({lists[0]!r}), or a dict of the lists by query."
        )
    return ""


def _holds_lists(take: Take, name: str) -> bool:
    try:
        return str(take([name])[name].format).startswith("+")
    except DataError as error:
        return any(f"({kind})" in str(error) for kind in ("list", "tuple", "ndarray"))


def values_of(data: Any, names: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    """Return the rows of some columns of a table read from a file."""
    if isinstance(data, PlainTable):
        return zip(*(data.columns[n] for n in names), strict=True)
    if hasattr(data, "collect_schema"):
        rows: Iterable[tuple[Any, ...]] = data.lazy().select(names).collect().iter_rows()
        return rows
    parts = data.select(names).to_batches(max_chunksize=1 << 16)
    return (row for p in parts for row in zip(*(c.to_pylist() for c in p.columns), strict=True))


@dataclass(frozen=True, eq=False)
class FrameRun:
    """A run held in the columns of a table."""

    name: str
    source: Source
    scored: bool
    roles: Roles
    query: Any
    doc: Any
    number: Any
    rank: Any
    threads: int
    typed: bool

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Find the judged documents in the columns."""
        numbers = (_is_number(self.query), _is_number(self.doc))
        found = engine.load().match_columns(
            self.query,
            self.doc,
            self.number,
            self.rank,
            self.roles.number_role == "score" or self.number is None,
            judgments.index(numbers=numbers, typed=self.typed),
            float32,
            self.threads,
            _RANGE,
        )
        if found["fault"]:
            number = self.roles.number_role
            raise _fault(self.name, self.roles, found["fault"], number, typed=self.typed)
        if self.number is None:
            found["score"] = -found["above"].astype(np.float64)
        return Matches.of(
            found,
            duplicate={q: _id(d, numbers[1]) for q, d in found["duplicate"].items()},
            unjudged_queries=found["unjudged_queries"],
            unjudged_capped=found["unjudged_capped"],
            unjudged_sample=tuple(_id(q, numbers[0]) for q in found["unjudged_sample"]),
            doc_sample=tuple(_id(d, numbers[1]) for d in found["doc_sample"]),
        )


def _kinds(take: Take, names: Sequence[str]) -> dict[str, str]:
    """Return what the columns hold: ``text``, ``number`` or ``other``."""
    kinds = {}
    for name in dict.fromkeys(names):
        try:
            kinds[name] = _kind(take([name])[name])
        except DataError:
            kinds[name] = "other"
    return {n: "number" if k in ("whole", "float") else k for n, k in kinds.items()}


def _kind(column: Any) -> str:
    form = column.format
    if form in _TEXT:
        return "text"
    if form in _INTEGERS:
        return "whole"
    return "float" if form in _FLOATS or form == "b" else "other"


def _is_number(column: Any) -> bool:
    return _kind(column) == "whole"


def _taken(take: Take, roles: Roles, what: str) -> list[Any]:
    """Return the columns of the roles, None for a role without one, each of a usable type."""
    named = [n for n in roles.names if n is not None]
    try:
        columns = take(list(dict.fromkeys(named)))
    except DataError as error:
        raise DataError(f"{what}: {error}") from None
    found = []
    for role, name in zip(roles.all, roles.names, strict=True):
        column = None if name is None else columns[name]
        if column is not None:
            _check_type(what, role, str(name), column)
        found.append(column)
    return found


def _check_type(what: str, role: str, name: str, column: Any) -> None:
    kind = _kind(column)
    form = column.format
    if role in ("query", "doc"):
        if kind in ("text", "whole"):
            return
        noun = "query" if role == "query" else "document"
        if form in _FLOATS:
            raise DataError(
                f"{what}: column {name!r} holds floats; a {noun} id is text or a whole number. "
                "Whole numbers become floats where a value is missing: drop those rows, then "
                "cast the column to int64."
            )
        remedy = "Cast the column."
        if form.startswith("+"):
            remedy = f"Give a row to each document, for example with frame.explode({name!r})."
        raise DataError(
            f"{what}: column {name!r} holds {_words(form)}; a {noun} id is text or a whole "
            f"number. {remedy}"
        )
    if kind in ("whole", "float"):
        return
    held = "text" if kind == "text" else _words(form)
    raise DataError(
        f"{what}: column {name!r} holds {held}, not numbers. Cast it to float64, or say which "
        f"column is meant: columns={{{role!r}: ...}} (--columns {role}=...)."
    )


def _words(form: str) -> str:
    return _WORDS.get(form) or _WORDS.get(form[:1]) or f"values of the Arrow type {form!r}"


def _fault(
    what: str, roles: Roles, fault: tuple[int, int, int], role: str, *, typed: bool
) -> DataError:
    kind, which, row = fault
    name = roles.names[which]
    if kind == 1:
        hint = "" if typed else " A blank line may be read as a row."
        return DataError(f"{what}: {no_value(str(name), row)}{hint}")
    if kind == 2:
        return DataError(
            f"{what}: the {role} in row {row} (rows count from 0) of column {name!r} is not a "
            "finite number. Remove the row or repair what made it."
        )
    noun = ("query", "document")[which]
    return DataError(
        f"{what}: empty {noun} id in row {row} (rows count from 0) of column {name!r}. "
        f"Give every {noun} an id."
    )


def _id(raw: bytes, number: bool) -> str | int:
    return numbers_of(raw)[0] if number else raw.decode("utf-8", "surrogateescape")


def _ids(column: Any, raw: bytes, offsets: np.ndarray, typed: bool) -> Ids:
    return Ids.from_keys(raw) if _is_number(column) else Ids.from_bytes(raw, offsets, typed=typed)


def _decode_examples(found: dict[str, Any], which: str) -> None:
    """Write the numbers of examples as text."""
    at = ("query", "doc").index(which)
    for key in ("repeated", "contradicting"):
        if found[key]:
            pair = list(found[f"{key}_example"])
            pair[at] = str(numbers_of(pair[at])[0]).encode()
            found[f"{key}_example"] = tuple(pair)


def missing(library: str, what: str) -> MissingDependencyError:
    """Return the error that says what to install."""
    return MissingDependencyError(
        f"{what} needs the library {library}: pip install 'rankstone[frames]'."
    )
