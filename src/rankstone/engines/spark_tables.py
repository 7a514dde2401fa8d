"""Judgments and runs as Spark holds them: sessions, paths, columns and their types."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankstone.errors import DataError, MissingDependencyError, NothingInCommonError, UsageError
from rankstone.io.column_roles import (
    Columns,
    Roles,
    column_or_none,
    judgment_roles,
    run_roles,
    subtopic_columns,
)

_TEXT = {"string"}
_WHOLE = {"tinyint", "smallint", "int", "bigint"}
_NUMBERS = {*_WHOLE, "float", "double"}
_LISTS = {"retrieved": "prediction", "expected": "label"}
_NOUNS = {
    "query": "a query id",
    "doc": "a document id",
    "subtopic": "a subtopic",
    "importance": "the importance of a nugget",
}
_KINDS = {"text": "text", "number": "whole numbers"}


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A Spark DataFrame with the roles of its columns; ``what`` names it in errors.

    ``aspects`` are the columns of the subtopics in judgments and of their importance, by role.
    """

    frame: Any
    what: str
    source: str
    roles: Roles
    aspects: Mapping[str, str] = field(default_factory=dict)

    def kind(self, role: str) -> str:
        """Return whether the ids of a role are ``text`` or a ``number``."""
        name = self.roles.names[self.roles.all.index(role)]
        return "text" if _types(self.frame)[str(name)] in _TEXT else "number"


def functions() -> Any:
    """Return the functions of Spark SQL."""
    try:
        from pyspark.sql import functions as module
    except ImportError:
        raise MissingDependencyError(
            "evaluation inside Spark needs PySpark: pip install 'rankstone[spark]'."
        ) from None
    return module


def open_tables(
    judgments: Any, run: Any, columns: Mapping[str, Any] | None, name: str, spark: Any
) -> tuple[SparkTable, SparkTable]:
    """Open judgments and a run, and check names and types of their columns; no rows are read."""
    functions()
    names = Columns.of(columns)
    judged = _open(judgments, "judgments", "the judgments", names, spark)
    ranked = _open(run, "run", name, names, spark)
    for role, noun in (("query", "query"), ("doc", "document")):
        ours, theirs = judged.kind(role), ranked.kind(role)
        if ours != theirs:
            raise NothingInCommonError(
                f"{name}: {noun} ids are {_KINDS[theirs]}, those of the judgments {_KINDS[ours]}; "
                "ids are compared exactly. Cast one of the columns."
            )
    return judged, ranked


def open_excluded(
    pairs: Any, columns: Mapping[str, Any] | None, judged: SparkTable, spark: Any
) -> SparkTable:
    """Open (query, document) pairs that are removed from the run."""
    table = _open(pairs, "exclude", "exclude", Columns.of(columns), spark)
    for role, noun in (("query", "query"), ("doc", "document")):
        ours, theirs = judged.kind(role), table.kind(role)
        if ours != theirs:
            raise DataError(
                f"exclude: {noun} ids are {_KINDS[theirs]}, those of the judgments "
                f"{_KINDS[ours]}; ids are compared exactly, so write them alike."
            )
    return table


@dataclass(frozen=True, eq=False)
class SparkLists:
    """A Spark DataFrame of queries, retrieved and relevant documents, these in arrays.

    ``query`` is the column of the query ids, None if rows are numbered.
    """

    frame: Any
    what: str
    source: str
    query: str | None
    query_is_text: bool
    doc_is_text: bool


def open_lists(data: Any, columns: Mapping[str, Any] | None, name: str, spark: Any) -> SparkLists:
    """Open rankings and relevant documents in arrays, and check their types; no rows are read."""
    f = functions()
    frame, what, source = _frame(data, "run", name, spark)
    chosen, types = Columns.of(columns), _types(frame)
    names: dict[str, str] = {}
    for role, default in _LISTS.items():
        column = str(chosen.get(role) or default)
        if column not in types:
            shown = ", ".join(map(repr, frame.columns))
            raise DataError(
                f"{what}: there is no column {column!r}. Columns: {shown}. Pass "
                f"columns={{{role!r}: ...}}."
            )
        element = types[column].removeprefix("array<").removesuffix(">")
        if types[column] == element or element not in _TEXT | _NUMBERS:
            raise DataError(
                f"{what}: column {column!r} is of type {types[column]}; the documents of a query "
                "are an array of text or numbers. For a row for each document call "
                "rankstone.engines.spark.evaluate."
            )
        names[role] = column
    kinds = {role: types[column] == "array<string>" for role, column in names.items()}
    if kinds["retrieved"] != kinds["expected"]:
        raise NothingInCommonError(
            f"{what}: one of the columns {names['retrieved']!r} and {names['expected']!r} holds "
            "text, the other numbers; ids are compared exactly. Cast one of them."
        )
    query = column_or_none("query", frame.columns, chosen)
    if query is None and chosen.get("query"):
        raise DataError(f"{what}: there is no column {chosen['query']!r}.")
    if query is not None:
        _check_type(what, "query", query, types[query])
    ids = f.monotonically_increasing_id() if query is None else f.col(f"`{query}`")
    lists = [f.col(f"`{column}`") for column in names.values()]
    text = query is not None and types[query] in _TEXT
    return SparkLists(
        frame.select(ids.alias("query"), *lists), what, source, query, text, kinds["retrieved"]
    )


def _frame(data: Any, kind: str, what: str, spark: Any) -> tuple[Any, str, str]:
    """Return a DataFrame, what errors call it, and where it comes from."""
    source = "Spark DataFrame"
    if isinstance(data, str | os.PathLike):
        what = source = os.fspath(data)
        data = _read(source, kind, _session(spark))
    if not is_spark_frame(data):
        raise UsageError(
            f"{what}: the Spark engine takes Spark DataFrames and paths that Spark reads, not "
            f"{type(data).__name__}. Make one with spark.createDataFrame(...), or call "
            "rankstone.evaluate."
        )
    return data, what, source


def _open(data: Any, kind: str, what: str, columns: Columns, spark: Any) -> SparkTable:
    data, what, source = _frame(data, kind, what, spark)
    types = _types(data)

    def kinds(names: Sequence[str]) -> dict[str, str]:
        return {n: _kind(types[n]) for n in names}

    if kind == "run":
        roles = run_roles(what, data.columns, columns, kinds)
    else:
        roles = judgment_roles(what, data.columns, columns, kind == "judgments", kinds)
    for role, column in zip(roles.all, roles.names, strict=True):
        if column is not None:
            _check_type(what, role, column, types[column])
    aspects: dict[str, str] = {}
    if kind == "judgments":
        pair = zip(
            ("subtopic", "importance"), subtopic_columns(what, data.columns, columns), strict=True
        )
        aspects = {role: column for role, column in pair if column is not None}
        for role, column in aspects.items():
            _check_type(what, role, column, types[column])
    return SparkTable(data, what, source, roles, aspects)


def is_spark_frame(data: Any) -> bool:
    """Return whether data are a DataFrame of Spark, classic or over Spark Connect."""
    return type(data).__module__.startswith("pyspark.") and hasattr(data, "mapInArrow")


def _types(frame: Any) -> dict[str, str]:
    return dict(frame.dtypes)


def _kind(type_: str) -> str:
    if type_ in _TEXT:
        return "text"
    return "number" if type_ in _NUMBERS or type_ == "boolean" else "other"


def _check_type(what: str, role: str, column: str, type_: str) -> None:
    if role in _NOUNS:
        if type_ in _TEXT or type_ in _WHOLE:
            return
        raise DataError(
            f"{what}: column {column!r} is of type {type_}; {_NOUNS[role]} is text or a whole "
            "number. Cast the column to string or bigint."
        )
    if type_ not in _NUMBERS and not (role == "grade" and type_ == "boolean"):
        raise DataError(
            f"{what}: column {column!r} is of type {type_}, not a number. Cast it to double, or "
            f"pass the column that is meant: columns={{{role!r}: ...}} (--columns {role}=...)."
        )


def _session(spark: Any) -> Any:
    if spark is not None:
        return spark
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


def _read(path: str, kind: str, spark: Any) -> Any:
    """Read a path by its ending; what has none of the known ones is Parquet, or TREC text."""
    name = path.rstrip("/").lower().removesuffix(".gz")
    try:
        if name.endswith((".csv", ".tsv")):
            mark = "\t" if name.endswith(".tsv") else ","
            return spark.read.csv(path, header=True, inferSchema=True, sep=mark)
        if name.endswith((".txt", ".trec", ".run", ".qrels", ".qrel")):
            return _trec(spark.read.text(path), kind)
        return spark.read.parquet(path)
    except Exception as error:  # of a class that differs between Spark and Spark Connect
        if type(error).__module__.startswith("pyspark"):
            first = str(error).strip().splitlines()[0]
            raise DataError(
                f"{path}: Spark cannot read it ({first}). Files ending in .csv, .tsv, .txt, "
                ".trec, .run or .qrels are text; all others are read as Parquet."
            ) from None
        raise


def _trec(lines: Any, kind: str) -> Any:
    """Return the columns of TREC text."""
    f = functions()
    lines = lines.where(f.trim("value") != "")
    parts = f.split(f.trim("value"), r"\s+")
    number, role = (4, "score") if kind == "run" else (3, "grade")
    value = (
        f.element_at(parts, number + 1).try_cast("double")
        if hasattr(type(f.col("value")), "try_cast")  # a column has any attribute in Spark 3.5
        else f.element_at(parts, number + 1).cast("double")
    )
    columns = [f.element_at(parts, 1).alias("query"), f.element_at(parts, 3).alias("doc")]
    if kind == "judgments":
        columns.append(f.element_at(parts, 2).alias("subtopic"))
    return lines.select(*columns, value.alias(role))
