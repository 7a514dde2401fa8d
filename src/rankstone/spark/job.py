"""The description of a Spark job: plain values, sent to the executors."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from rankstone.frozen import frozen
from rankstone.verbs.evaluator import Evaluator

JUDGMENT, RETRIEVED, EXCLUDED = 0, 1, 2  # values of the column "side"
SIDES = (JUDGMENT, RETRIEVED, EXCLUDED)
_ARROW = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "boolean": pa.bool_(),
    "double": pa.float64(),
    "binary": pa.binary(),
}


@frozen
class Job:
    """Measures, conventions, and what the columns of the tables hold.

    ``number`` is the role of the run's numbers: a score, a distance, a rank, or None if the order
    of rows is the ranking. A chunk has about ``chunk_rows`` rows; a query may have
    ``max_query_rows``. ``columns`` are the measures that tasks compute, and of those the
    ``weighted`` ones have weights. With ``excludes`` a third table has the pairs to leave out.
    ``grade`` is what the column of the grades is called. ``subtopics`` are the roles of further
    columns of the judgments: ``subtopic``, and perhaps ``importance``.
    ``options`` are those of the Evaluator of each task.
    """

    measures: tuple[str, ...]
    options: dict[str, Any]
    name: str
    number: str | None
    has_rank: bool
    keeps_order: bool
    max_grade: float
    chunk_rows: int
    max_query_rows: int
    columns: tuple[str, ...]
    weighted: frozenset[str]
    query_is_text: bool
    doc_is_text: bool
    excludes: bool = False
    grade: str = "grade"
    subtopics: tuple[str, ...] = ()

    def packed_columns(self, side: int) -> dict[str, str]:
        """Return the columns of rows with their types, in the words of Spark."""
        columns = {
            "query": "string" if self.query_is_text else "bigint",
            "doc": "string" if self.doc_is_text else "bigint",
        }
        if side == JUDGMENT or (side == RETRIEVED and self.number is not None):
            columns["number"] = "double"
        if side == JUDGMENT:
            columns |= dict.fromkeys(self.subtopics, "string")
        if side == RETRIEVED and self.has_rank:
            columns["rank"] = "double"
        if side == RETRIEVED and self.keeps_order:
            columns["position"] = "bigint"
        return columns

    def packed_schema(self, side: int) -> pa.Schema:
        """Return the schema of packed rows: a query, and a list for each other column of its rows."""
        columns = {n: _ARROW[kind] for n, kind in self.packed_columns(side).items()}
        query = columns.pop("query")
        return pa.schema([("query", query), *((n, pa.list_(t)) for n, t in columns.items())])

    def table_name(self, side: int) -> str:
        """Return the name of the table of a side in errors."""
        return ("the judgments", self.name, "exclude")[side]

    @property
    def schema(self) -> pa.Schema:
        """The rows that a task returns: a query with its values, or the state of a partition."""
        return pa.schema([(name, _ARROW[kind]) for name, kind in self._fields()])

    @property
    def spark_schema(self) -> str:
        """The same in the words of Spark."""
        return ", ".join(f"{name} {kind}" for name, kind in self._fields())

    def _fields(self) -> list[tuple[str, str]]:
        weights = [i for i, name in enumerate(self.columns) if name in self.weighted]
        return [
            ("query", "string" if self.query_is_text else "bigint"),
            ("answered", "boolean"),
            *((f"c{i}", "double") for i in range(len(self.columns))),
            *((f"w{i}", "double") for i in weights),
            ("state", "binary"),
        ]

    def evaluator(self) -> Evaluator:
        """Return an Evaluator for this job."""
        named = [*self.subtopics, *(["distance"] if self.number == "distance" else [])]
        columns = {"columns": {role: role for role in named}} if named else {}
        return Evaluator(
            measures=self.measures,
            per_query=False,
            max_grade=self.max_grade,
            **{**self.options, **columns, "name": self.name, "threads": 1},
        )
