"""Judgments and runs as Spark holds them: sessions, paths, columns and their types."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rankstone.errors import INSTALL, DataError, NothingInCommonError, UsageError, amount, require
from rankstone.frozen import frozen
from rankstone.io import column_roles
from rankstone.io.column_roles import Columns, Roles, column_or_none, wanted_names
from rankstone.io.formats.trec_layout import QRELS, RUN
from rankstone.spark.result import with_errors

_TEXT = {"string"}
_WHOLE = {"tinyint", "smallint", "int", "bigint"}
_NUMBERS = {*_WHOLE, "float", "double"}
_LISTS = {"retrieved": "prediction", "expected": "label"}
_IDS = {"query": "a query id", "doc": "a document id", "subtopic": "a subtopic"}
_KINDS = {"text": "text", "number": "whole numbers"}


@frozen(eq=False)
class SparkTable:
    """A Spark DataFrame with the roles of its columns; ``what`` names it in errors.

    ``typed`` is False for files of text, whose ids may stand for numbers. ``subtopic`` and
    ``importance`` are the columns of judgments by subtopic.
    """

    frame: Any
    what: str
    source: str
    roles: Roles
    typed: bool = True
    subtopic: str | None = None
    importance: str | None = None

    def kind(self, role: str) -> str:
        """Return whether the ids of a role are ``text`` or a ``number``."""
        name = self.roles.names[self.roles.all.index(role)]
        return "text" if _types(self.frame)[str(name)] in _TEXT else "number"

    def different_ids(self, other: SparkTable) -> str:
        """Return how ids of another table differ in type from these; empty if they can be compared."""
        for role, noun in (("query", "query"), ("doc", "document")):
            ours, theirs = self.kind(role), other.kind(role)
            text = self if ours == "text" else other
            if ours != theirs and text.typed:
                return (
                    f"{noun} ids are {_KINDS[theirs]}, those of the judgments {_KINDS[ours]}; ids are "
                    "compared exactly"
                )
        return ""

    def grade_name(self, columns: Mapping[str, Any] | None) -> str:
        """Return the name of the grades if nobody chose it, since that of ratings has a meaning."""
        name = self.roles.names[2]
        return "grade" if name is None or "grade" in (columns or {}) else name

    def facts(self, columns: Mapping[str, Any] | None) -> tuple[float, tuple[str, ...]]:
        """Return the highest grade of judgments, and the roles of their subtopics if these count.

        This reads the judgments once, which are few beside the run; missing values and grades that
        are not finite are refused. Subtopics count if there are several or their column is named, as
        in a file.
        """
        f = functions()
        query, doc, grade = self.roles.names
        value = f.lit(1.0) if grade is None else f.col(f"`{grade}`").cast("double")
        odd = f.isnan(value) | (f.abs(value) == float("inf"))
        parts = [n for n in (self.subtopic, self.importance) if n is not None]
        ids = [str(query), str(doc), *parts]
        missing = [f.count(f.when(f.col(f"`{n}`").isNull(), 1)) for n in ids]
        missing.append(f.count(f.when(value.isNull(), 1)))
        part = f.lit(None) if not parts else f.col(f"`{parts[0]}`")
        row = with_errors(
            lambda: self.frame.agg(
                f.max(value).alias("highest"),
                f.count(f.lit(1)).alias("rows"),
                f.count(f.when(odd, 1)).alias("odd"),
                f.min(part).alias("first"),
                f.max(part).alias("last"),
                *(count.alias(f"missing{i}") for i, count in enumerate(missing)),
            ).collect()[0]
        )
        if not row["rows"]:
            raise DataError(f"{self.what}: the table has no rows.")
        for i, column in enumerate([*ids, grade]):
            n = row[f"missing{i}"]
            if n:
                raise DataError(
                    f"{self.what}: column {column!r} has no value in {amount(n, 'row')}; "
                    "fill them or drop the rows."
                )
        if row["odd"]:
            raise DataError(
                f"{self.what}: the grade of {amount(row['odd'], 'row')} is not a finite number. "
                "Remove them or repair what made them."
            )
        several = row["first"] != row["last"] or bool(wanted_names(columns, "subtopic"))
        roles = ("subtopic", "importance")[: len(parts)] if several else ()
        return max(0.0, float(row["highest"])), roles


def functions() -> Any:
    """Return the functions of Spark SQL."""
    needed = f"evaluation inside Spark needs PySpark: {INSTALL.format('spark')}."
    return require("pyspark.sql.functions", needed)


def open_tables(
    judgments: Any, run: Any, columns: Mapping[str, Any] | None, name: str, spark: Any
) -> tuple[SparkTable, SparkTable]:
    """Open judgments and a run, and check names and types of their columns; no rows are read."""
    functions()
    names = Columns.of(columns)
    judged = _open(judgments, "judgments", "the judgments", names, spark)
    ranked = _open(run, "run", name, names, spark)
    if different := judged.different_ids(ranked):
        raise NothingInCommonError(f"{name}: {different}. Cast one of the columns.")
    return judged, ranked


def open_excluded(
    pairs: Any, columns: Mapping[str, Any] | None, judged: SparkTable, spark: Any
) -> SparkTable:
    """Open (query, document) pairs that are removed from the run."""
    table = _open(pairs, "exclude", "exclude", Columns.of(columns), spark)
    if different := judged.different_ids(table):
        raise DataError(f"exclude: {different}, so write them alike.")
    return table


@frozen(eq=False)
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
    chosen = Columns.of(columns)
    frame, what, source = _frame(data, "run", name, chosen, spark)
    types = _types(frame)
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
                "rankstone.spark.driver.evaluate."
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


def _frame(data: Any, kind: str, what: str, columns: Columns, spark: Any) -> tuple[Any, str, str]:
    """Return a DataFrame, what errors call it, and where it comes from."""
    source = "Spark DataFrame"
    if isinstance(data, str | os.PathLike):
        what = source = os.fspath(data)
        data = _read(source, kind, columns, _session(spark))
    if not is_spark_frame(data):
        raise UsageError(
            f"{what}: the Spark engine takes Spark DataFrames and paths that Spark reads, not "
            f"{type(data).__name__}. Make one with spark.createDataFrame(...), or call "
            "rankstone.evaluate."
        )
    return data, what, source


def _open(data: Any, kind: str, what: str, columns: Columns, spark: Any) -> SparkTable:
    typed = not (isinstance(data, str | os.PathLike) and _is_text(os.fspath(data)))
    data, what, source = _frame(data, kind, what, columns, spark)
    types = _types(data)
    subtopic = importance = None

    def kinds(names: Sequence[str]) -> dict[str, str]:
        return {n: _kind(types[n]) for n in names}

    if kind == "run":
        roles = column_roles.run_roles(what, data.columns, columns, kinds)
    else:
        roles = column_roles.judgment_roles(what, data.columns, columns, kind == "judgments", kinds)
    if kind == "judgments":
        subtopic, importance = column_roles.subtopic_columns(what, data.columns, columns)
    for role, column in zip(roles.all, roles.names, strict=True):
        if column is not None:
            _check_type(what, role, column, types[column])
    for column in (subtopic, importance):
        if column is not None:
            _check_type(what, "subtopic", column, types[column])
    return SparkTable(data, what, source, roles, typed, subtopic, importance)


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
    if role in _IDS:
        if type_ in _TEXT or type_ in _WHOLE:
            return
        raise DataError(
            f"{what}: column {column!r} is of type {type_}; {_IDS[role]} is text or a whole "
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


_TABLES = {".csv": ",", ".tsv": "\t"}
_TREC = (".txt", ".trec", ".run", ".qrels", ".qrel")


def _plain(path: str) -> str:
    return path.rstrip("/").lower().removesuffix(".gz")


def _is_text(path: str) -> bool:
    """Return whether a path is that of text, by its ending."""
    return _plain(path).endswith((*_TABLES, *_TREC))


def _read(path: str, kind: str, columns: Columns, spark: Any) -> Any:
    """Read a path by its ending; what has none of the known ones is Parquet."""
    name = _plain(path)
    try:
        if name.endswith(tuple(_TABLES)):
            return _csv(path, _TABLES[name[-4:]], columns, spark)
        if name.endswith(_TREC):
            return _trec(spark.read.text(path), kind, path)
        return spark.read.parquet(path)
    except Exception as error:  # of a class that differs between Spark and Spark Connect
        if type(error).__module__.startswith("pyspark"):
            first = str(error).strip().splitlines()[0]
            raise DataError(
                f"{path}: Spark cannot read it ({first}). Files ending in .csv, .tsv, .txt, "
                ".trec, .run or .qrels are text; all others are read as Parquet."
            ) from None
        raise


def _csv(path: str, mark: str, columns: Columns, spark: Any) -> Any:
    """Read a table of text; Spark finds the types of numbers, and ids stay as they are written."""
    from pyspark.sql.types import StringType, StructField, StructType

    options = {"header": True, "sep": mark, "escape": '"'}
    found = spark.read.csv(path, inferSchema=True, **options).schema
    roles = ("query", "doc", "subtopic", "importance")
    ids = {column_or_none(role, found.names, columns) for role in roles}
    fields = [StructField(f.name, StringType() if f.name in ids else f.dataType) for f in found]
    return spark.read.csv(path, StructType(fields), enforceSchema=False, **options)


def _trec(lines: Any, kind: str, path: str) -> Any:
    """Return the columns of TREC text; a line that is not such a row has no number."""
    f = functions()
    usual = RUN if kind == "run" else QRELS
    layout = usual.layout
    text = f.regexp_replace("value", r"^[\s\uFEFF]+|\s+$", "")
    lines = lines.select(text.alias("value")).where("value != ''")
    first = [row["value"] for row in lines.limit(1).collect()]
    for line in first:
        count = len(line.split())
        if count != layout.columns:
            raise DataError(
                f"{path}: expected {layout.columns} fields ({usual.columns}), found {count}: "
                f"{line!r}. Spark reads tables with other columns from .csv, .tsv and Parquet."
            )
    parts = f.split("value", r"\s+")
    is_row = (f.size(parts) == layout.columns) & ~f.col("value").startswith("#")

    def number(column: int) -> Any:
        field = f.when(is_row, f.get(parts, f.lit(column)))
        # A column has any attribute in Spark 3.5, where a cast never fails.
        can_try = hasattr(type(field), "try_cast")
        return field.try_cast("double") if can_try else field.cast("double")

    columns = {
        "query": f.get(parts, f.lit(layout.query)),
        "doc": f.get(parts, f.lit(layout.doc)),
        usual.number: number(layout.value),
    }
    if layout.iteration >= 0:
        columns["iteration"] = f.get(parts, f.lit(layout.iteration))
    if layout.rank >= 0 and first and first[0].split()[layout.rank].isdigit():
        columns["rank"] = number(layout.rank)
    return lines.select(*(column.alias(name) for name, column in columns.items()))
