"""A first pass over judgments in Spark, before the run is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rankstone import errors
from rankstone.errors import DataError
from rankstone.io.column_roles import wanted_names
from rankstone.spark.result import with_errors
from rankstone.spark.tables import SparkTable, functions


class Facts(NamedTuple):
    """The results of a first pass over the judgments."""

    max_grade: float
    subtopics: tuple[str, ...]


def facts_of(judged: SparkTable, columns: Mapping[str, Any] | None) -> Facts:
    """Look through the judgments; missing values and grades that are not finite are refused.

    This reads the judgments once, which are few beside the run. Subtopics count if there are
    several or their column is named, as in a file.
    """
    f = functions()
    query, doc, grade = judged.roles.names
    value = f.lit(1.0) if grade is None else f.col(f"`{grade}`").cast("double")
    odd = f.isnan(value) | (f.abs(value) == float("inf"))
    parts = [n for n in (judged.subtopic, judged.importance) if n is not None]
    ids = [str(query), str(doc), *parts]
    missing = [f.count(f.when(f.col(f"`{n}`").isNull(), 1)) for n in ids]
    missing.append(f.count(f.when(value.isNull(), 1)))
    part = f.lit(None) if not parts else f.col(f"`{parts[0]}`")
    row = with_errors(
        lambda: judged.frame.agg(
            f.max(value).alias("highest"),
            f.count(f.lit(1)).alias("rows"),
            f.count(f.when(odd, 1)).alias("odd"),
            f.min(part).alias("first"),
            f.max(part).alias("last"),
            *(count.alias(f"missing{i}") for i, count in enumerate(missing)),
        ).collect()[0]
    )
    if not row["rows"]:
        raise DataError(f"{judged.what}: the table has no rows.")
    for i, column in enumerate([*ids, grade]):
        n = row[f"missing{i}"]
        if n:
            raise DataError(
                f"{judged.what}: column {column!r} has no value in {errors.plural(n, 'row')}; "
                "fill them or drop the rows."
            )
    if row["odd"]:
        raise DataError(
            f"{judged.what}: the grade of {errors.plural(row['odd'], 'row')} is not a finite number. "
            "Remove them or repair what made them."
        )
    several = row["first"] != row["last"] or bool(wanted_names(columns, "subtopic"))
    roles = ("subtopic", "importance")[: len(parts)] if several else ()
    return Facts(max(0.0, float(row["highest"])), roles)


def grade_name(judged: SparkTable, columns: Mapping[str, Any] | None) -> str:
    """Return the name of the grades if nobody chose it, since that of ratings has a meaning."""
    name = judged.roles.names[2]
    return "grade" if name is None or "grade" in (columns or {}) else name
